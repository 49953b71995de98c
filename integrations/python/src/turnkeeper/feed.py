"""The live feed of an encounter, which resumes after any break."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing
from http.client import HTTPException
from logging import INFO, WARNING
from types import TracebackType
from typing import Literal, TypeAlias

from turnkeeper.api import FeedLine, FeedLineDeleted, FeedLineSnapshot, FeedLineTransition
from turnkeeper.transport import Refused, Settings, ask, log, no_answer, parsed, pause

Change: TypeAlias = "FeedLineSnapshot | FeedLineTransition | FeedLineDeleted"
"""
A `snapshot` is the encounter that the next transitions change; it replaces what was before. A `transition` is an entry of the log. It has
the `encounter` and the `options` after it, unless another one follows at once. After `deleted` nothing follows.
"""

Include: TypeAlias = Literal["encounter", "options", "encounter,options", "encounter,options,tools", "none"]


class _Wire:
    """The connection of a feed, which another thread may end."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._socket: socket.socket | None = None

    def hold(self, connected: socket.socket) -> None:
        self._socket = connected
        if self.ended.is_set():
            self.end()

    def end(self) -> None:
        self.ended.set()
        if self._socket:
            try:
                # The plain socket's: a TLS socket would end the encryption under the reader.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            except OSError:
                pass


class Feed(Iterator[Change], AsyncIterator[Change]):
    """
    Each entry of the log once and in order, and a snapshot if the log cannot be continued. Iterate over it in one thread, or with
    `async for` in one task.
    """

    def __init__(self, url: str, headers: Mapping[str, str], after: int | str | None, include: Include, settings: Settings) -> None:
        self._wire = _Wire()
        events = f"{url}/events" + ("" if include == "none" else f"?include={include}")
        version = None
        if after is not None:
            place = re.fullmatch(r"([0-9]+)(-[A-Za-z0-9_-]+)?", str(after))
            if place is None:
                raise ValueError(f'Invalid place "{after}": use a version, or the event_id of a change.')
            version = int(place[1])
        self._changes = _changes(self._wire, events, headers, after, version, settings)

    def __next__(self) -> Change:
        return next(self._changes)

    async def __anext__(self) -> Change:
        # A thread of its own: waiting feeds would fill the pool of asyncio.to_thread, and hold up the end of the program.
        change: Future[Change | None] = Future()
        change.set_running_or_notify_cancel()
        threading.Thread(target=self._read, args=(change,), daemon=True).start()
        try:
            read = await asyncio.wrap_future(change)
        except asyncio.CancelledError:
            self.close()
            raise
        if read is None:
            raise StopAsyncIteration
        return read

    def _read(self, change: Future[Change | None]) -> None:
        try:
            change.set_result(next(self._changes, None))
        except Exception as error:
            change.set_exception(error)

    def close(self) -> None:
        """Ends the feed. Any thread may call it."""
        self._wire.end()
        try:
            self._changes.close()
        except ValueError:
            pass  # Another thread waits in it, and is woken by the end of the connection.

    def __enter__(self) -> Feed:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _lines(wire: _Wire, url: str, headers: Mapping[str, str], settings: Settings) -> Generator[FeedLine, None, None]:
    """The lines of one connection."""
    parse: Callable[[bytes], FeedLine] = json.loads
    with closing(settings.connection(url, settings.timeout)) as connection:
        connection.connect()
        wire.hold(connection.sock)
        with ask(connection, "GET", url, headers) as response:
            while (line := response.readline()).endswith(b"\n"):
                if line.strip():
                    yield parsed(parse, line)


def _changes(
    wire: _Wire, url: str, headers: Mapping[str, str], place: int | str | None, version: int | None, settings: Settings
) -> Generator[Change, None, None]:
    sees_all = False  # the log of a player has holes
    failures = 0
    while not wire.ended.is_set():
        reason = ""
        wait = 0.0
        resume = {} if place is None else {"last-event-id": str(place)}
        try:
            with closing(_lines(wire, url, {**headers, **resume, "accept": "application/x-ndjson"}, settings)) as lines:
                for line in lines:
                    failures = 0
                    if line["type"] == "keep_alive":
                        continue
                    if line["type"] == "deleted":
                        yield line
                        return
                    if line["type"] == "transition" and version is not None:
                        if line["version"] <= version:
                            continue
                        if sees_all and line["version"] > version + 1:
                            place = version = None
                            break
                    if "encounter" in line:
                        sees_all = line["encounter"]["you"]["role"] == "gm"
                    version = line["version"]
                    place = line.get("event_id", version)
                    yield line
        except Refused as error:
            if error.status == 410 or error.code == "no_such_version":
                place = version = None
            elif not error.temporary:
                raise
            reason = str(error)
            wait = error.retry_after
        except ValueError:
            raise  # A malformed address, header or certificate is no broken connection.
        except (OSError, HTTPException) as cause:
            reason = str(no_answer(url, cause))
        wait = pause(failures, wait)
        if not wire.ended.is_set():
            # Servers end streams now and then: that alone is no warning.
            log.log(WARNING if reason else INFO, "%s The feed reconnects in %.1f seconds.", reason or "The stream ended.", wait)
        wire.ended.wait(wait)
        failures += 1
