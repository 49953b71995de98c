"""Runs encounters of Turnkeeper: commands that are safe to repeat, and a live feed that resumes."""

from turnkeeper import api
from turnkeeper.client import EncounterClient, Turnkeeper, new_key
from turnkeeper.feed import Change, Feed, Include
from turnkeeper.transport import Settings, TurnkeeperError, connect

__all__ = ["Change", "EncounterClient", "Feed", "Include", "Settings", "Turnkeeper", "TurnkeeperError", "api", "connect", "new_key"]
