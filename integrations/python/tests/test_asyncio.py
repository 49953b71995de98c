"""The feed in asyncio."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
import unittest
from collections.abc import Awaitable, Callable

from server import Server
from turnkeeper import Change, EncounterClient, Refused, Turnkeeper

logging.getLogger("turnkeeper").addHandler(logging.NullHandler())

PROGRAM = """
import asyncio, sys
from turnkeeper import EncounterClient

async def watch():
    async for change in EncounterClient(*sys.argv[1:]).follow():
        print(change["type"], flush=True)

try:
    asyncio.run(asyncio.wait_for(watch(), 1))
except asyncio.TimeoutError:
    print("cancelled")
"""


async def all_of(client: EncounterClient, then: Callable[[Change], Awaitable[object]]) -> list[str]:
    """The types of all changes until the feed ends."""
    types: list[str] = []
    async for change in client.follow():
        types.append(change["type"])
        await then(change)
    return types


async def nothing(change: Change) -> None:
    pass


class Asyncio(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.stop)
        turnkeeper = Turnkeeper(self.server.url)
        created = turnkeeper.create({"ruleset": "exp", "tokens": [{"role": "spectator"}]})
        id = created["encounter"]["id"]
        self.gm = turnkeeper.encounter(id, created["token"])
        self.spectator = turnkeeper.encounter(id, created.get("tokens", [])[0]["token"])

    def test_the_feed_ends_with_the_encounter(self) -> None:
        async def act(change: Change) -> None:
            if change["type"] == "snapshot":
                await asyncio.to_thread(self.gm.send, {"type": "note", "text": "one", "readers": "all"})
            if change["type"] == "transition":
                await asyncio.to_thread(self.gm.delete)

        self.assertEqual(asyncio.run(all_of(self.gm, act)), ["snapshot", "transition", "deleted"])

    def test_a_refusal_is_raised(self) -> None:
        async def revoke(change: Change) -> None:
            await asyncio.to_thread(self.gm.revoke_token, self.spectator.read()["you"]["id"])

        with self.assertRaises(Refused):
            asyncio.run(all_of(self.spectator, revoke))

    def test_many_feeds_leave_threads_for_calls(self) -> None:
        async def follow_all() -> list[list[str]]:
            feeds = asyncio.gather(*(all_of(self.gm, nothing) for _ in range(40)))
            await asyncio.sleep(0.5)
            await asyncio.to_thread(self.gm.delete)
            return await feeds

        self.assertEqual(asyncio.run(follow_all()), [["snapshot", "deleted"]] * 40)

    def test_a_cancelled_feed_is_closed(self) -> None:
        for server_runs in (True, False):
            if not server_runs:
                self.server.kill()
            before = threading.active_count()
            began = time.monotonic()
            with self.assertRaises(asyncio.TimeoutError):
                asyncio.run(asyncio.wait_for(all_of(self.gm, nothing), 0.5))
            while threading.active_count() > before:
                time.sleep(0.01)
            self.assertLess(time.monotonic() - began, 3)

    def test_a_program_ends_after_its_feed_is_cancelled(self) -> None:
        command = [sys.executable, "-c", PROGRAM, self.gm.url, self.gm.token]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=20)
        self.assertEqual((ended.stdout, ended.stderr), ("snapshot\ncancelled\n", ""))


if __name__ == "__main__":
    unittest.main()
