"""Requests that are repeated until they are answered."""

from __future__ import annotations

import functools
import json
import logging
import random
import re
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
log = logging.getLogger("turnkeeper")


@functools.cache
def _certificates() -> ssl.SSLContext:
    return ssl.create_default_context()


def check_address(url: str) -> None:
    """Raises a ValueError for an address that no server can have."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f'Invalid address "{url}": use http:// or https:// and the name of a server.')
    _ = parts.port  # It raises the error for a malformed port.


def bearer(token: str | None) -> dict[str, str]:
    """The header for a token or an application's key."""
    if token is None:
        return {}
    if re.fullmatch(r"[!-~]+", token) is None:
        raise ValueError("Invalid token: remove spaces and line breaks.")
    return {"authorization": f"Bearer {token}"}


def http_connection(url: str, timeout: float) -> HTTPConnection:
    """A connection to the server of an address; not open yet."""
    parts = urlsplit(url)
    assert parts.hostname
    if parts.scheme == "https":
        return HTTPSConnection(parts.hostname, parts.port, timeout=timeout, context=_certificates())
    return HTTPConnection(parts.hostname, parts.port, timeout=timeout)


@dataclass(frozen=True)
class Settings:
    """How a client reaches its server."""

    retry_for: float = 60
    """The seconds for which a request is repeated until it is answered."""
    timeout: float = 45
    """The seconds for which a connection may be silent until it counts as broken."""
    connection: Callable[[str, float], HTTPConnection] = http_connection
    """Makes a connection, not open yet, for an address and a timeout in seconds: replace it for a proxy."""


class TurnkeeperError(Exception):
    """A request failed: `Refused` or `NoAnswer`. As a string it is a sentence for people."""

    temporary: bool
    """True if the same request may succeed later."""
    retry_after: float = 0
    """The seconds that the server asks to wait."""


class NoAnswer(TurnkeeperError):
    """The server gave no answer, or one that cannot be read."""

    temporary = True


class Refused(TurnkeeperError):
    """The server answered with an error."""

    def __init__(self, status: int, message: str, problem: Problem | None = None, retry_after: float = 0) -> None:
        super().__init__(status, message, problem, retry_after)
        self.status = status
        """The HTTP status."""
        self.problem = problem
        """The whole problem document, if the server sent one."""
        self.code = problem["code"] if problem else None
        """The stable name of the problem, such as `stale_version`."""
        self.retry_after = retry_after
        self.temporary = status in (408, 429, 502, 503, 504)

    def __str__(self) -> str:
        return str(self.args[1])


def no_answer(url: str, cause: Exception) -> NoAnswer:
    """The error for a connection that failed."""
    return NoAnswer(f"No answer from {url}: {cause or type(cause).__name__}.")


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
    raise Refused(response.status, message, problem, retry_after(response.headers.get("retry-after")))


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
    """Sends a request until it is answered. That is safe for reads and deletions, and with an idempotency key."""
    deadline = time.monotonic() + settings.retry_for
    count = 0
    lost = False
    while True:
        error: TurnkeeperError
        sent = False
        try:
            with closing(settings.connection(url, settings.timeout)) as connection:
                connection.connect()
                sent = True
                return parsed(parse, ask(connection, method, url, headers, body).read())
        except Refused as refusal:
            if method == "DELETE" and lost and refusal.status == 404:
                return None  # The attempt whose answer was lost has deleted it.
            error = refusal
        except ValueError:
            raise  # A malformed address, header or certificate is no broken connection.
        except (OSError, HTTPException) as cause:
            error = no_answer(url, cause)
            lost = lost or sent
        if not error.temporary or time.monotonic() + error.retry_after > deadline:
            raise error
        wait = pause(count, error.retry_after)
        count += 1
        log.warning("%s Attempt %d follows in %.1f seconds.", error, count + 1, wait)
        time.sleep(wait)
