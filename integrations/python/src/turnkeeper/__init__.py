"""Runs encounters of Turnkeeper: commands that are safe to repeat, and a live feed that resumes."""

from importlib.metadata import version

from turnkeeper import api
from turnkeeper.client import EncounterClient, Turnkeeper, new_key
from turnkeeper.feed import Change, Feed, Include
from turnkeeper.transport import NoAnswer, Refused, Settings, TurnkeeperError

__all__ = ["Change", "EncounterClient", "Feed", "Include", "NoAnswer", "Refused", "Settings", "Turnkeeper", "TurnkeeperError", "api", "new_key"]
__version__ = version("turnkeeper")
