"""Breaks of every kind between a client and a real server."""

from __future__ import annotations

import logging
import os
import pickle
import re
import subprocess
import threading
import time
import unittest
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from server import Proxy, Server, keys
from turnkeeper import Change, EncounterClient, NoAnswer, Refused, Settings, Turnkeeper, TurnkeeperError, new_key
from turnkeeper.transport import http_connection, retry_after

ROLLS = {"type": "start", "rolls": {"ann": 15, "bo": 10, "orc": 5}}

# The breaks are meant.
logging.getLogger("turnkeeper").addHandler(logging.NullHandler())


def note(text: str) -> dict[str, Any]:
    return {"type": "note", "text": text, "readers": "all"}


def notes(changes: Iterable[Change]) -> list[str]:
    """The texts of the notes in a feed."""
    events = [event for change in changes if change["type"] == "transition" for event in change["events"]]
    return [event.get("text", "") for event in events if event["type"] == "noted"]


def version(change: Change) -> int:
    return -1 if change["type"] == "deleted" else change["version"]


def kinds(changes: Iterable[Change]) -> list[tuple[str, int]]:
    return [(change["type"], version(change)) for change in changes]


def take(feed: Iterable[Change], enough: Callable[[Change], bool] = lambda change: False) -> list[Change]:
    changes = []
    for change in feed:
        changes.append(change)
        if enough(change):
            break
    return changes


class Breaks(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.proxy = Proxy(lambda: self.server.port)
        self.addCleanup(self.proxy.stop)
        self.pool = ThreadPoolExecutor(10)
        self.addCleanup(self.pool.shutdown)

    def fight(self, players: tuple[str, ...] = (), settings: Settings = Settings()) -> tuple[EncounterClient, list[EncounterClient]]:
        turnkeeper = Turnkeeper(self.proxy.url, settings)
        created = turnkeeper.create(
            {
                "ruleset": "seize",
                "combatants": [{"id": "ann"}, {"id": "bo"}, {"id": "orc", "side": "monsters"}],
                "tokens": [{"role": "player", "combatants": [player]} for player in players],
            }
        )
        id = created["encounter"]["id"]
        return turnkeeper.encounter(id, created["token"]), [turnkeeper.encounter(id, made["token"]) for made in created.get("tokens", [])]

    def test_300_commands_with_connections_cut_are_applied_once_and_the_feed_is_complete(self) -> None:
        gm, _ = self.fight()
        feed = gm.follow()
        self.assertEqual(next(feed)["type"], "snapshot")
        entries = self.pool.submit(take, feed, lambda change: version(change) == 300)
        calls = iter(range(10**9))
        self.proxy.lost = lambda data: next(calls) % 10 == 3
        done = threading.Event()

        def chaos() -> None:
            while not done.wait(0.05):
                self.proxy.cut(0.2)

        self.pool.submit(chaos)
        texts = [f"note {i}" for i in range(300)]
        with ThreadPoolExecutor(8) as senders:
            list(senders.map(lambda text: gm.send(note(text)), texts))
        done.set()
        changes = entries.result(60)
        self.proxy.lost = lambda data: False
        self.assertGreater(self.proxy.cuts, 30)
        self.assertGreater(self.proxy.replayed, 5)
        transitions = [change for change in changes if change["type"] == "transition"]
        self.assertEqual([version(change) for change in transitions], list(range(1, 301)))
        self.assertEqual(sorted(notes(transitions)), sorted(texts))
        print(f"300 commands, {self.proxy.cuts} cuts, {self.proxy.replayed} answers asked for again")

    def test_a_killed_server_loses_nothing_that_it_answered_and_the_feed_goes_on(self) -> None:
        gm, _ = self.fight()
        feed = gm.follow()
        self.assertEqual(next(feed)["type"], "snapshot")
        entries = self.pool.submit(take, feed, lambda change: version(change) == 60)
        texts = [f"note {i}" for i in range(60)]
        for i, text in enumerate(texts):
            sent = self.pool.submit(gm.send, note(text))
            if i % 25 == 10:
                self.server.restart()
            sent.result(60)
        changes = entries.result(60)
        self.assertEqual([version(change) for change in changes], list(range(1, 61)))
        self.assertEqual(notes(changes), texts)

    def test_a_command_whose_answer_is_lost_is_applied_once_with_one_key_also_under_a_condition(self) -> None:
        gm, _ = self.fight()
        losses = iter([True])
        self.proxy.lost = lambda data: next(losses, False)
        self.proxy.sent.clear()
        answer = gm.send(ROLLS, if_version=0)
        self.assertEqual(self.proxy.replayed, 1)
        sent = keys(self.proxy.sent)
        self.assertEqual((len(sent), len(set(sent))), (2, 1))
        self.assertEqual(answer["version"], 1)
        self.assertTrue("encounter" in answer and "options" in answer, "an answer holds the next screen")

        key = new_key()
        first = gm.send({"type": "end_turn", "combatant": "ann"}, idempotency_key=key)
        second = gm.send({"type": "end_turn", "combatant": "ann"}, idempotency_key=key)
        self.assertEqual((second["version"], second["events"]), (first["version"], first["events"]))
        with self.assertRaises(Refused) as refused:
            gm.send(note("another command"), idempotency_key=key)
        self.assertEqual(refused.exception.code, "idempotency_key_reused")
        self.assertEqual(gm.read()["version"], 2)

    def test_a_creation_whose_answer_is_lost_creates_one_encounter(self) -> None:
        losses = iter([True])
        self.proxy.lost = lambda data: next(losses, False)
        key = new_key()
        turnkeeper = Turnkeeper(self.proxy.url + "/")
        one, two = (turnkeeper.create({"ruleset": "exp", "combatants": [{"id": "ann"}]}, idempotency_key=key) for _ in range(2))
        self.assertEqual((one["encounter"]["id"], one["token"]), (two["encounter"]["id"], two["token"]))
        gm = turnkeeper.encounter(one["encounter"]["id"], one["token"])
        losses = iter([True])
        self.proxy.lost = lambda data: next(losses, False)
        gm.create_token({"role": "spectator"})
        self.assertEqual([token["role"] for token in gm.tokens()], ["gm", "spectator"])

    def test_a_refusal_is_not_tried_again_and_says_why(self) -> None:
        gm, _ = self.fight()
        self.proxy.sent.clear()
        with self.assertRaises(Refused) as refused:
            gm.send({"type": "end_turn", "combatant": "ann"})
        error = refused.exception
        self.assertEqual((error.status, error.code, len(keys(self.proxy.sent))), (409, "not_started", 1))
        self.assertIn("start", str(error))
        assert error.problem
        self.assertEqual(error.problem["status"], 409)
        with self.assertRaises(Refused) as refused:
            gm.send(note("late"), if_version=7)
        self.assertEqual((refused.exception.status, refused.exception.code), (412, "stale_version"))

    def test_an_unreachable_server_is_given_up_after_the_time_for_repetitions(self) -> None:
        began = time.monotonic()
        with self.assertLogs("turnkeeper") as log, self.assertRaises(NoAnswer) as failed:
            Turnkeeper("http://127.0.0.1:9", Settings(retry_for=0.5)).create({"ruleset": "exp"})
        self.assertTrue(0.5 < time.monotonic() - began < 5)
        self.assertTrue(failed.exception.temporary)
        self.assertIsNone(failed.exception.__context__, "one traceback is enough")
        self.assertRegex(str(failed.exception), r"^No answer from http://127\.0\.0\.1:9/v1/encounters: .*Connection refused\.$")
        says = re.escape(str(failed.exception))
        for number, line in enumerate(log.output, 2):
            self.assertRegex(line, rf"^WARNING:turnkeeper:{says} Attempt {number} follows in \d\.\d seconds\.$")

    def test_a_malformed_address_token_or_command_is_said_at_once(self) -> None:
        began = time.monotonic()
        for address in ("nowhere", "ftp://host", "http://", "http://host:port"):
            self.assertRaises(ValueError, Turnkeeper, address)
            self.assertRaises(ValueError, EncounterClient, address, "t")
        turnkeeper = Turnkeeper(self.proxy.url)
        for token in ("", "a token", "token\n", "tok\u00e9n"):
            with self.assertRaises(ValueError) as wrong:
                turnkeeper.encounter("x", token)
            self.assertEqual(str(wrong.exception), "Invalid token: remove spaces and line breaks.")
            self.assertRaises(ValueError, lambda: turnkeeper.create({"ruleset": "exp"}, app_key=token))
        gm, _ = self.fight()
        self.assertRaises(ValueError, lambda: gm.send({"type": "damage", "amount": float("nan")}))
        with self.assertRaises(ValueError) as wrong:
            gm.follow(after="abc")
        self.assertEqual(str(wrong.exception), 'Invalid place "abc": use a version, or the event_id of a change.')
        self.assertLess(time.monotonic() - began, 2)

    def test_a_feed_that_has_lost_a_transition_on_the_way_begins_again_with_a_snapshot(self) -> None:
        gm, _ = self.fight()
        dropped = iter([True])
        self.proxy.changed = lambda data: b"" if b'"transition","version":2,' in data and next(dropped, False) else data
        feed = gm.follow()
        changes = [next(feed)]
        rest = self.pool.submit(take, feed, lambda change: version(change) >= 3)
        for text in ("one", "two", "three"):
            gm.send(note(text))
            time.sleep(0.1)
        changes += rest.result(60)
        self.assertEqual(kinds(changes), [("snapshot", 0), ("transition", 1), ("snapshot", 3)])

    def test_a_transition_that_comes_twice_is_yielded_once(self) -> None:
        gm, _ = self.fight()
        self.proxy.changed = lambda data: data * 2 if b'{"type":"transition"' in data and b"HTTP/1.1" not in data else data
        with gm.follow() as feed:
            next(feed)
            seen = []
            for text in ("one", "two", "three"):
                gm.send(note(text))
                seen.append(next(feed))
        self.assertEqual(notes(seen), ["one", "two", "three"])

    def test_a_feed_that_cannot_go_on_from_its_version_begins_again_with_a_snapshot(self) -> None:
        short = Server(TURNKEEPER_LOG_KEEP="1")
        self.addCleanup(short.stop)
        turnkeeper = Turnkeeper(short.url)
        created = turnkeeper.create({"ruleset": "exp", "combatants": [{"id": "ann"}]})
        gm = turnkeeper.encounter(created["encounter"]["id"], created["token"])
        list(self.pool.map(lambda i: gm.send(note("x")), range(700)))
        for after in (1, 9999):
            self.assertEqual(kinds(take(gm.follow(after=after), lambda change: True)), [("snapshot", 700)], f"after {after}")

    def test_a_store_that_lost_its_newest_entries_leads_to_a_snapshot(self) -> None:
        gm, _ = self.fight()
        gm.send(note("kept"))
        self.server.save()
        seen = []
        for change in gm.follow(after=0):
            seen.append(change)
            if len(seen) == 1:
                gm.send(note("lost"))
            if len(seen) == 2:
                self.server.restore()
            if len(seen) == 3:
                gm.send(note("new"))
            if len(seen) == 4:
                break
        self.assertEqual(kinds(seen), [("transition", 1), ("transition", 2), ("snapshot", 1), ("transition", 2)])

    def test_a_silent_connection_counts_as_broken(self) -> None:
        gm, _ = self.fight()
        silent = Proxy(lambda: self.server.port)
        self.addCleanup(silent.stop)
        silent.changed = lambda data: b""
        connections = []

        def first_silent(url: str, timeout: float) -> HTTPConnection:
            connections.append(url)
            return http_connection(silent.url if len(connections) == 1 else url, timeout)

        client = EncounterClient(gm.url, gm.token, Settings(timeout=0.5, connection=first_silent))
        self.assertEqual(kinds(take(client.follow(), lambda change: True)), [("snapshot", 0)])
        self.assertEqual(len(connections), 2)

    def test_a_feed_ends_with_the_encounter_with_the_token_and_when_the_caller_ends_it(self) -> None:
        gm, (ann, bo) = self.fight(("ann", "bo"))
        feeds = [gm.follow(), ann.follow(), bo.follow()]
        self.assertEqual([next(feed)["type"] for feed in feeds], ["snapshot"] * 3)
        closed, revoked, deleted = (self.pool.submit(take, feed) for feed in feeds)
        time.sleep(0.2)
        feeds[0].close()
        self.assertEqual(closed.result(5), [])
        gm.revoke_token(ann.read()["you"]["id"])
        with self.assertRaises(Refused) as ended:
            revoked.result(10)
        self.assertEqual(ended.exception.status, 404)
        gm.delete()
        self.assertEqual([change["type"] for change in deleted.result(10)], ["deleted"])

    def test_a_feed_waits_for_a_server_that_is_down_until_it_is_closed(self) -> None:
        gm, _ = self.fight()
        feed = gm.follow()
        next(feed)
        rest = self.pool.submit(take, feed)
        with self.assertLogs("turnkeeper", "INFO") as log:
            self.server.kill()
            time.sleep(1)
        self.assertFalse(rest.done())
        feed.close()
        self.assertRegex(log.output[-1], r"^WARNING:turnkeeper:No answer from http://.*: .* The feed reconnects in \d\.\d seconds\.$")
        self.assertEqual(rest.result(5), [])

    def test_a_players_feed_has_holes_where_entries_are_hidden(self) -> None:
        gm, (ann,) = self.fight(("ann",))
        gm.send(ROLLS)
        feed = ann.follow()
        snapshot = next(feed)
        assert snapshot["type"] == "snapshot" and "options" in snapshot
        self.assertIn("ann: end turn", [option["label"] for option in snapshot["options"]["items"]])
        rest = self.pool.submit(take, feed, lambda change: version(change) >= 3)
        gm.send({"type": "add_combatant", "details": {"id": "shade", "side": "monsters", "hidden": True}})
        self.proxy.cut()
        gm.send({"type": "damage", "target": "orc", "amount": 1})
        changes = rest.result(10)
        self.assertEqual(kinds(changes), [("transition", 3)])
        self.assertNotIn("shade", str(changes))

    def test_reads(self) -> None:
        gm, (ann,) = self.fight(("ann",))
        gm.send(ROLLS)
        self.assertIn("awaiting: end turn by ann", gm.table())
        self.assertIn("tools", [option["group"] for option in gm.options(tools=True)["items"]])
        self.assertEqual({option.get("actor") for option in gm.options(combatant="ann")["items"]}, {"ann"})
        listed = gm.options(for_token=ann.read()["you"]["id"])["items"]
        self.assertEqual(listed, ann.options()["items"])

    def test_the_log_of_several_pages(self) -> None:
        gm, _ = self.fight()
        for i in range(9):
            gm.send([note(f"{i} {'x' * 1900}")] * 50)
        gm.send(note("end"))
        self.proxy.sent.clear()
        self.assertEqual([entry["version"] for entry in gm.events()], list(range(1, 11)))
        self.assertGreater(len(self.proxy.sent), 1)
        self.assertEqual([entry["events"][0].get("text") for entry in gm.events(after=9)], ["end"])

    def test_an_exported_log_makes_the_same_encounter(self) -> None:
        gm, _ = self.fight()
        gm.send(ROLLS)
        turnkeeper = Turnkeeper(self.proxy.url)
        key = new_key()
        log = gm.export()
        made, again = (turnkeeper.import_encounter(log, idempotency_key=key) for _ in range(2))
        self.assertEqual(made["token"], again["token"])
        copy = turnkeeper.encounter(made["encounter"]["id"], made["token"])
        self.assertNotEqual(copy.url, gm.url)
        self.assertEqual(copy.table(), gm.table())

    def test_a_deletion_whose_answer_is_lost_is_no_error(self) -> None:
        gm, (ann,) = self.fight(("ann",))
        wanted = {"role": "spectator", "name": "Screen"}
        screen = gm.create_token(wanted)
        deletions: list[Callable[[], None]] = [lambda: gm.revoke_token(screen["id"]), gm.delete]
        for delete in deletions:
            losses = iter([True])
            self.proxy.lost = lambda data: next(losses, False)
            delete()
            self.assertEqual(next(losses, "lost"), "lost")
            with self.assertRaises(Refused) as refused:
                delete()
            self.assertEqual(refused.exception.status, 404)
        with self.assertRaises(Refused):
            ann.read()

    def test_a_deletion_that_was_never_sent_is_no_success(self) -> None:
        gm, (ann,) = self.fight(("ann",))
        gm.revoke_token(ann.read()["you"]["id"])
        targets = iter(["http://127.0.0.1:9"])

        def first_refused(url: str, timeout: float) -> HTTPConnection:
            return http_connection(next(targets, url), timeout)

        with self.assertRaises(Refused) as refused:
            EncounterClient(gm.url, ann.token, Settings(connection=first_refused)).delete()
        self.assertEqual((refused.exception.status, next(targets, "tried")), (404, "tried"))

    def test_a_server_with_applications_wants_a_key(self) -> None:
        made = subprocess.run([os.environ["TURNKEEPER"], "app-key", "bot"], check=True, capture_output=True, text=True).stdout
        key, known = re.findall(r":\s+(\S+)", made)
        server = Server(TURNKEEPER_APP_KEYS=known)
        self.addCleanup(server.stop)
        turnkeeper = Turnkeeper(server.url)
        with self.assertRaises(Refused) as refused:
            turnkeeper.create({"ruleset": "exp"})
        self.assertEqual(refused.exception.status, 401)
        created = turnkeeper.create({"ruleset": "exp"}, app_key=key)
        log = turnkeeper.encounter(created["encounter"]["id"], created["token"]).export()
        self.assertEqual(turnkeeper.import_encounter(log, app_key=key)["encounter"]["ruleset"], "exp")


class Busy(unittest.TestCase):
    """A server that says when to ask again."""

    def serve(self, status: int, later: str | None, refusals: int) -> tuple[str, list[tuple[float, str]]]:
        requests: list[tuple[float, str]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                requests.append((time.monotonic(), self.headers["idempotency-key"]))
                refused = len(requests) <= refusals
                body = b"<html>busy" if refused else b'{"version": 1}'
                self.send_response(status if refused else 200)
                if refused and later is not None:
                    self.send_header("retry-after", later)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}", requests

    def test_a_busy_server_is_asked_again_with_one_key_however_it_says_when(self) -> None:
        for status in (408, 429, 502, 503, 504):
            for later in ("0", "Wed, 21 Oct 2015 07:28:00 GMT", "soon", "", None):
                url, requests = self.serve(status, later, 1)
                self.assertEqual(EncounterClient(url, "t").send(note("x"))["version"], 1)
                self.assertEqual((len(requests), len({key for _, key in requests})), (2, 1))

    def test_it_is_not_asked_before_the_time_that_it_says(self) -> None:
        url, requests = self.serve(429, "1", 1)
        EncounterClient(url, "t").send(note("x"))
        self.assertGreaterEqual(requests[1][0] - requests[0][0], 1)

    def test_a_time_after_the_last_repetition_is_said_at_once(self) -> None:
        url, requests = self.serve(503, "3600", 1)
        with self.assertRaises(Refused) as refused:
            EncounterClient(url, "t").send(note("x"))
        self.assertEqual((refused.exception.status, refused.exception.retry_after, len(requests)), (503, 3600, 1))

    def test_other_answers_are_not_tried_again(self) -> None:
        for status in (301, 400, 401, 404, 409, 500):
            url, requests = self.serve(status, None, 1)
            with self.assertRaises(Refused) as refused:
                EncounterClient(url, "t").send(note("x"))
            self.assertEqual((refused.exception.status, refused.exception.code, len(requests)), (status, None, 1))
            copy = pickle.loads(pickle.dumps(refused.exception))
            self.assertEqual((copy.status, str(copy)), (status, f"The server answered with status {status}."))

    def test_dates(self) -> None:
        later = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=100), usegmt=True)
        self.assertTrue(98 < retry_after(later) <= 100)
        self.assertEqual([retry_after(text) for text in ("7", "-7", "1e3", "nan", "٣", None)], [7, 0, 0, 0, 0, 0])


if __name__ == "__main__":
    unittest.main()
