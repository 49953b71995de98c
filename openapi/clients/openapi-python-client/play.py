"""Plays a round of every ruleset by options alone, with the client of openapi-python-client."""

import sys
from collections import Counter

from choices import value
from turnkeeper_client import AuthenticatedClient
from turnkeeper_client.api.commands import list_options, send_command
from turnkeeper_client.api.encounters import create_encounter
from turnkeeper_client.api.rulesets import list_rulesets
from turnkeeper_client.models.command import Command
from turnkeeper_client.models.command_answer import CommandAnswer
from turnkeeper_client.models.created import Created
from turnkeeper_client.models.legal_command import LegalCommand
from turnkeeper_client.models.legal_commands import LegalCommands
from turnkeeper_client.models.new_encounter import NewEncounter
from turnkeeper_client.models.pending import Pending
from turnkeeper_client.models.ruleset_list import RulesetList
from turnkeeper_client.types import Unset

COMBATANTS = [{"name": "Ann"}, {"name": "Bob"}, {"name": "Orc", "side": "monsters"}, {"name": "Wolf", "side": "monsters"}]


def verb(option: LegalCommand) -> str:
    return str(option.command["type"])


def play(base_url: str, ruleset: str) -> int:
    new = NewEncounter.from_dict({"ruleset": ruleset, "seed": 1, "combatants": COMBATANTS})
    created = create_encounter.sync(client=AuthenticatedClient(base_url, token="none"), body=new)
    assert isinstance(created, Created), created
    client = AuthenticatedClient(base_url, token=created.token)
    encounter = created.encounter
    sent = Counter[str]()
    for turn in range(1, 201):
        options = list_options.sync(encounter.id, client=client)
        assert isinstance(options, LegalCommands), options
        awaited = encounter.pending.commands if isinstance(encounter.pending, Pending) else ["start"]
        option = min((o for o in options.items if verb(o) in awaited), key=lambda o: sent[verb(o)])
        sent[verb(option)] += 1
        defs = {} if isinstance(options.defs, Unset) else options.defs.to_dict()
        fields = option.command.to_dict()
        for choice in option.choices:
            if choice.required:
                fields[choice.field] = value(choice.schema.to_dict(), defs, turn)
        command = Command.from_dict(fields)
        answer = send_command.sync(encounter.id, client=client, body=command)
        assert isinstance(answer, CommandAnswer), answer
        assert not isinstance(answer.encounter, Unset)
        encounter = answer.encounter
        if any(event.type_ == "round_ended" and event["round"] > 0 for event in answer.events):
            return turn
    raise SystemExit("the round does not end")


def main() -> None:
    base_url = sys.argv[1]
    rulesets = list_rulesets.sync(client=AuthenticatedClient(base_url, token="none"))
    assert isinstance(rulesets, RulesetList), rulesets
    for ruleset in rulesets.items:
        print(f"openapi-python-client: {ruleset.id}: a round in {play(base_url, ruleset.id)} commands", flush=True)


main()
