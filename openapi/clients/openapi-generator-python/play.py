"""Plays a round of every ruleset by options alone, with the client of openapi-generator's python."""

import sys
from collections import Counter
from typing import Any

import openapi_client as api

COMBATANTS = [{"name": "Ann"}, {"name": "Bob"}, {"name": "Orc", "side": "monsters"}, {"name": "Wolf", "side": "monsters"}]


def filled(option: api.LegalCommand, lists: dict[str, list[Any]], turn: int) -> api.Command:
    fields: dict[str, Any] = option.command.to_dict()
    for choice in option.choices:
        values = choice.one_of or []
        if choice.var_from:
            values = [value for value in lists[choice.var_from.list] if value not in (choice.var_from.var_except or [])]
        if choice.range:
            values = [choice.range.min, choice.range.max]
        if values:
            fields[choice.var_field] = values[turn % len(values)]
    command = api.Command.from_dict(fields)
    assert command
    return command


def play(base_url: str, ruleset: str) -> int:
    configuration = api.Configuration(host=base_url)
    client = api.ApiClient(configuration)
    new = api.NewEncounter.from_dict({"ruleset": ruleset, "seed": 1, "combatants": COMBATANTS})
    assert new
    created = api.EncountersApi(client).create_encounter(new)
    configuration.access_token = created.token
    commands = api.CommandsApi(client)
    encounter = created.encounter
    sent = Counter[str]()
    for turn in range(1, 201):
        options = commands.list_options(encounter.id)
        awaited = encounter.pending.commands if encounter.pending else ["start"]
        option = min((o for o in options.items if o.command.type in awaited), key=lambda o: sent[o.command.type])
        sent[option.command.type] += 1
        answer = commands.send_command(encounter.id, api.CommandRequest(filled(option, options.lists, turn)))
        assert answer.encounter
        encounter = answer.encounter
        if any(event.type == "round_ended" and event.additional_properties["round"] > 0 for event in answer.events):
            return turn
    raise SystemExit("the round does not end")


def main() -> None:
    base_url = sys.argv[1]
    rulesets = api.RulesetsApi(api.ApiClient(api.Configuration(host=base_url))).list_rulesets()
    for ruleset in rulesets.items:
        print(f"openapi-generator-python: {ruleset.id}: a round in {play(base_url, ruleset.id)} commands", flush=True)


main()
