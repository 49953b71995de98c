"""Requests that are repeated until they are answered."""

from __future__ import annotations

import functools
import json
import random
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, TypeVar
from urllib.parse import urlsplit

from turnkeeper.api import Problem

T = TypeVar("T")


@functools.cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


def connect(url: str, timeout: float) -> HTTPConnection:
    """A connection to the server of an address; not open yet."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f'Invalid address "{url}": use http:// or https:// and the name of a server.')
    if parts.scheme == "https":
        return HTTPSConnection(parts.hostname, parts.port, timeout=timeout, context=_certificates())
    return HTTPConnection(parts.hostname, parts.port, timeout=timeout)


@dataclass(frozen=True)
class Settings:
    retry_for: float = 60
    """The seconds for which a request is repeated until it is answered."""
    timeout: float = 45
    """The seconds for which a connection may be silent until it counts as broken."""
    connect: Callable[[str, float], HTTPConnection] = connect
    """Makes the connection for an address and a timeout: replace it for a proxy or certificates of your own."""


class TurnkeeperError(Exception):
    """A refusal by the server, or status 0 if there was no answer."""

    def __init__(self, status: int, message: str, problem: Problem | None = None, retry_after: float = 0) -> None:
        super().__init__(status, message, problem, retry_after)
        self.status = status
        self.problem = problem
        """The whole problem document, if the server sent one."""
        self.retry_after = retry_after
        """The seconds that the server asks to wait."""

    def __str__(self) -> str:
        return str(self.args[1])

    @property
    def code(self) -> str | None:
        """The stable name of the problem, such as `stale_version`."""
        return self.problem["code"] if self.problem else None

    @property
    def temporary(self) -> bool:
        """True if the same request may be answered later."""
        return self.status in (0, 408, 429, 502, 503, 504)


def retry_after(header: str | None) -> float:
    """The seconds of a Retry-After header, which holds seconds or a date."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return 0
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())


def pause(count: int, at_least: float = 0) -> float:
    """The seconds before attempt `count`: longer each time, and spread, so that clients do not return all at once."""
    return max(at_least, min(0.1 * 2.0 ** min(count, 10), 5.0)) * (1 + random.random())


def ask(connection: HTTPConnection, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HTTPResponse:
    """The answer, or the error that it describes."""
    parts = urlsplit(url)
    connection.request(method, parts.path + (f"?{parts.query}" if parts.query else ""), body, dict(headers))
    response = connection.getresponse()
    if 200 <= response.status < 300:
        return response
    problem: Problem | None = None
    try:
        document = json.loads(response.read())
        if isinstance(document, dict) and {"code", "detail"} <= document.keys():
            problem = document  # type: ignore[assignment]
    except ValueError:
        pass
    message = problem["detail"] if problem else f"The server answered with status {response.status}."
    raise TurnkeeperError(response.status, message, problem, retry_after(response.headers.get("retry-after")))


def parsed(parse: Callable[[bytes], T], text: bytes) -> T:
    """The value of a text. A text without one is a broken answer."""
    try:
        return parse(text)
    except ValueError as error:
        raise HTTPException(f"the answer cannot be read ({error})") from error


def request(
    settings: Settings,
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes | None = None,
    parse: Callable[[bytes], Any] = json.loads,
) -> Any:
    """Sends a request until it is answered. That is safe for reads, and with an idempotency key."""
    deadline = time.monotonic() + settings.retry_for
    count = 0
    while True:
        try:
            with closing(settings.connect(url, settings.timeout)) as connection:
                return parsed(parse, ask(connection, method, url, headers, body).read())
        except TurnkeeperError as refusal:
            error = refusal
        except ValueError:
            raise  # A malformed address, header or certificate is no broken connection.
        except (OSError, HTTPException) as cause:
            error = TurnkeeperError(0, f"No answer from {url}: {cause or type(cause).__name__}.")
            error.__cause__ = cause
        if not error.temporary or time.monotonic() + error.retry_after > deadline:
            raise error
        time.sleep(pause(count, error.retry_after))
        count += 1
