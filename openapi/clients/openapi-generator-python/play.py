"""Plays a round of every ruleset by options alone, with the client of openapi-generator's python."""

import sys
from collections import Counter
from typing import Any

import openapi_client as api
from choices import value

COMBATANTS = [{"name": "Ann"}, {"name": "Bob"}, {"name": "Orc", "side": "monsters"}, {"name": "Wolf", "side": "monsters"}]


def verb(option: api.LegalCommand) -> str:
    return str(option.command["type"])


def filled(option: api.LegalCommand, defs: dict[str, Any], turn: int) -> api.Command:
    fields: dict[str, Any] = dict(option.command)
    for choice in option.choices:
        if choice.required:
            fields[choice.var_field] = value(choice.var_schema, defs, turn)
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
        option = min((o for o in options.items if verb(o) in awaited), key=lambda o: sent[verb(o)])
        sent[verb(option)] += 1
        answer = commands.send_command(encounter.id, api.CommandRequest(filled(option, options.defs or {}, turn)))
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
