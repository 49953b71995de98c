"""Plays a round of Active Initiative by commands written by hand, with the client of openapi-python-client for the ruleset's own document."""

import sys

from turnkeeper_client import AuthenticatedClient
from turnkeeper_client.api.commands import send_command
from turnkeeper_client.api.encounters import create_encounter
from turnkeeper_client.models.begin_turn_command import BeginTurnCommand
from turnkeeper_client.models.combatant_draft import CombatantDraft
from turnkeeper_client.models.command_answer import CommandAnswer
from turnkeeper_client.models.created import Created
from turnkeeper_client.models.end_turn_command import EndTurnCommand
from turnkeeper_client.models.new_encounter import NewEncounter
from turnkeeper_client.models.round_ended_event import RoundEndedEvent
from turnkeeper_client.models.start_command import StartCommand

COMBATANTS = [
    CombatantDraft(id="ann", side="players", inspiration=1),
    CombatantDraft(id="orc", side="monsters"),
]
COMMANDS: list[StartCommand | EndTurnCommand | BeginTurnCommand] = [
    StartCommand(type_="start", first="ann"),
    EndTurnCommand(type_="end_turn", combatant="ann", next_="orc"),
    BeginTurnCommand(type_="begin_turn", combatant="orc"),
    EndTurnCommand(type_="end_turn", combatant="orc"),
]


def play(base_url: str) -> int:
    new = NewEncounter(ruleset="active-initiative", combatants=COMBATANTS)
    created = create_encounter.sync(client=AuthenticatedClient(base_url, token="none"), body=new)
    assert isinstance(created, Created), created
    client = AuthenticatedClient(base_url, token=created.token)
    for command in COMMANDS:
        answer = send_command.sync(created.encounter.id, client=client, body=command)
        assert isinstance(answer, CommandAnswer), answer
        for event in answer.events:
            if isinstance(event, RoundEndedEvent):
                return event.round_
    raise SystemExit("the round does not end")


print(f"typed-python: round {play(sys.argv[1])} in {len(COMMANDS)} commands", flush=True)
