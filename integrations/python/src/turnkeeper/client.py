"""A server, and an encounter as the holder of a token sees it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote, urlencode

from turnkeeper.api import CommandAnswer, Created, CreatedToken, Encounter, LegalCommands, NewToken
from turnkeeper.feed import Feed, Include
from turnkeeper.transport import Settings, request


def new_key() -> str:
    """A new idempotency key."""
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Turnkeeper:
    """A server by its address."""

    url: str
    settings: Settings = Settings()

    def create(self, encounter: Mapping[str, Any], *, application: str | None = None, key: str | None = None) -> Created:
        """
        Creates an encounter, with the fields of `NewEncounter` and those of its ruleset. No other answer shows its tokens. Some servers
        want the key of an application.
        """
        return cast(Created, _post(f"{_base(self.url)}/v1/encounters", application, encounter, key, None, self.settings))

    def encounter(self, id: str, token: str) -> EncounterClient:
        """An encounter as the holder of `token` sees it."""
        return EncounterClient(f"{_base(self.url)}/v1/encounters/{quote(id, safe='')}", token, self.settings)


@dataclass(frozen=True)
class EncounterClient:
    """An encounter as the holder of a token sees it."""

    url: str
    token: str = field(repr=False)
    settings: Settings = Settings()

    def send(
        self, command: Mapping[str, Any] | Sequence[Mapping[str, Any]], *, key: str | None = None, if_version: int | None = None
    ) -> CommandAnswer:
        """
        Sends a command, or a list of which all or none are applied. The answer has the encounter and the options after it; a busy server
        leaves the options out. `key` names the request, which is applied once: store it if your program must repeat the request after a
        restart. `if_version` is the version that the sender has seen: at any other version the request is refused with `stale_version`.
        """
        url = f"{self.url}/commands?include=encounter,options"
        return cast(CommandAnswer, _post(url, self.token, command, key, if_version, self.settings))

    def create_token(self, token: NewToken, *, key: str | None = None) -> CreatedToken:
        """Creates a token for a player, a spectator or another game master."""
        return cast(CreatedToken, _post(f"{self.url}/tokens", self.token, token, key, None, self.settings))

    def read(self) -> Encounter:
        """The encounter now."""
        return cast(Encounter, request(self.settings, "GET", self.url, _bearer(self.token)))

    def table(self) -> str:
        """The turn table as text."""
        headers = {**_bearer(self.token), "accept": "text/plain"}
        return cast(str, request(self.settings, "GET", self.url, headers, parse=bytes.decode))

    def options(self, *, tools: bool = False, combatant: str | None = None, for_token: str | None = None) -> LegalCommands:
        """
        The commands that may be sent now: with `tools` also those of the table (notes, hit points, effects, combatants, undo), else those
        of one combatant, or of another token by its id.
        """
        filters = {"include": "tools" if tools else None, "combatant": combatant, "for": for_token}
        query = urlencode({name: value for name, value in filters.items() if value is not None})
        return cast(LegalCommands, request(self.settings, "GET", f"{self.url}/options?{query}", _bearer(self.token)))

    def follow(self, *, after: int | str | None = None, include: Include = "encounter,options") -> Feed:
        """
        Follows the encounter through all breaks of the connection, until it is deleted or the token ends. `after` is the last version or
        `event_id` that you know: without it the feed begins with a snapshot. `include` is what each transition has beyond its events.
        """
        return Feed(self.url, _bearer(self.token), after, include, self.settings)


def _base(url: str) -> str:
    return url.rstrip("/")


def _bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"authorization": f"Bearer {token}"}


def _post(url: str, token: str | None, body: object, key: str | None, if_version: int | None, settings: Settings) -> Any:
    headers = {**_bearer(token), "content-type": "application/json", "idempotency-key": new_key() if key is None else key}
    if if_version is not None:
        headers["if-match"] = f'"{if_version}"'
    return request(settings, "POST", url, headers, json.dumps(body, allow_nan=False).encode())
