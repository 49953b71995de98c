"""A server, and an encounter as the holder of a token sees it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote, urlencode

from turnkeeper.api import CommandAnswer, Created, CreatedToken, Encounter, ExportedLog, LegalCommands, LogEntry, TokenInfo
from turnkeeper.feed import Feed, Include
from turnkeeper.transport import Settings, bearer, check_address, request


def new_key() -> str:
    """A new idempotency key."""
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Turnkeeper:
    """A server by its address."""

    url: str
    settings: Settings = Settings()

    def __post_init__(self) -> None:
        check_address(self.url)

    def create(
        self, encounter: Mapping[str, object], *, app_key: str | None = None, idempotency_key: str | None = None
    ) -> Created:
        """
        Creates an encounter, with the fields of `NewEncounter` and those of its ruleset. No other answer shows its tokens. A server with
        application keys wants one as `app_key`.
        """
        return cast(Created, _post(self._encounters, app_key, encounter, idempotency_key, self.settings))

    def import_encounter(
        self, log: Mapping[str, object], *, app_key: str | None = None, idempotency_key: str | None = None
    ) -> Created:
        """Creates an encounter from an exported log, with a new id and a new token."""
        return cast(Created, _post(f"{self._encounters}/import", app_key, log, idempotency_key, self.settings))

    def encounter(self, id: str, token: str) -> EncounterClient:
        """An encounter as the holder of `token` sees it."""
        return EncounterClient(f"{self._encounters}/{quote(id, safe='')}", token, self.settings)

    @property
    def _encounters(self) -> str:
        return f"{self.url.rstrip('/')}/v1/encounters"


@dataclass(frozen=True)
class EncounterClient:
    """An encounter as the holder of a token sees it."""

    url: str
    token: str = field(repr=False)
    settings: Settings = Settings()

    def __post_init__(self) -> None:
        check_address(self.url)
        bearer(self.token)

    def send(
        self,
        command: Mapping[str, object] | Sequence[Mapping[str, object]],
        *,
        idempotency_key: str | None = None,
        if_version: int | None = None,
    ) -> CommandAnswer:
        """
        Sends a command, or a list of which all or none are applied. The answer has the encounter and the options after it; a busy server
        leaves the options out. `idempotency_key` names the request, which is applied once: store it if your program must repeat the
        request after a restart. `if_version` is the version that the sender has seen: at any other version the request is refused with
        `stale_version`.
        """
        url = f"{self.url}/commands?include=encounter,options"
        return cast(CommandAnswer, _post(url, self.token, command, idempotency_key, self.settings, if_version))

    def read(self) -> Encounter:
        """The encounter now."""
        return cast(Encounter, self._get(""))

    def table(self) -> str:
        """The turn table as text."""
        headers = {**bearer(self.token), "accept": "text/plain"}
        return cast(str, request(self.settings, "GET", self.url, headers, parse=bytes.decode))

    def options(self, *, tools: bool = False, combatant: str | None = None, for_token: str | None = None) -> LegalCommands:
        """
        The commands that may be sent now: with `tools` also those of the table (notes, hit points, effects, combatants, undo), else those
        of one combatant, or of another token by its id.
        """
        filters = {"include": "tools" if tools else None, "combatant": combatant, "for": for_token}
        return cast(LegalCommands, self._get("/options", filters))

    def events(self, *, after: int | str | None = None) -> Iterator[LogEntry]:
        """The entries of the log, or those after a version. The log is read in pages, while you iterate."""
        return self._items("/events", {"after": after, "limit": 1000})

    def follow(self, *, after: int | str | None = None, include: Include = "encounter,options") -> Feed:
        """
        Follows the encounter through all breaks of the connection, until it is deleted or the token ends. `after` is the last version or
        `event_id` that you know: without it the feed begins with a snapshot. `include` is what each transition has beyond its events.
        """
        return Feed(self.url, bearer(self.token), after, include, self.settings)

    def create_token(self, token: Mapping[str, object], *, idempotency_key: str | None = None) -> CreatedToken:
        """Creates a token for a player, a spectator or another game master, with the fields of `NewToken`."""
        return cast(CreatedToken, _post(f"{self.url}/tokens", self.token, token, idempotency_key, self.settings))

    def tokens(self) -> list[TokenInfo]:
        """The valid tokens, oldest first, without their secrets."""
        return list(self._items("/tokens", {}))

    def revoke_token(self, id: str) -> None:
        """Revokes a token by its id: it is invalid at once, and its feeds end."""
        self._delete(f"/tokens/{quote(id, safe='')}")

    def export(self) -> ExportedLog:
        """The whole log, for `import_encounter` of this server or another."""
        return cast(ExportedLog, self._get("/export"))

    def delete(self) -> None:
        """Deletes the encounter with its tokens and its log."""
        self._delete("")

    def _get(self, path: str, parameters: Mapping[str, object] = {}) -> Any:
        query = urlencode({name: value for name, value in parameters.items() if value is not None})
        return request(self.settings, "GET", f"{self.url}{path}" + (f"?{query}" if query else ""), bearer(self.token))

    def _items(self, path: str, parameters: Mapping[str, object]) -> Iterator[Any]:
        """The items of all pages of a list."""
        page = self._get(path, parameters)
        yield from page["items"]
        while (cursor := page["next_cursor"]) is not None:
            page = self._get(path, {**parameters, "after": None, "cursor": cursor})
            yield from page["items"]

    def _delete(self, path: str) -> None:
        request(self.settings, "DELETE", self.url + path, bearer(self.token), parse=bytes)


def _post(url: str, token: str | None, body: object, idempotency_key: str | None, settings: Settings, if_version: int | None = None) -> Any:
    key = new_key() if idempotency_key is None else idempotency_key
    headers = {**bearer(token), "content-type": "application/json", "idempotency-key": key}
    if if_version is not None:
        headers["if-match"] = f'"{if_version}"'
    return request(settings, "POST", url, headers, json.dumps(body, allow_nan=False).encode())
