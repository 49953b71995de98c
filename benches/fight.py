"""A Redis, a server and the commands of a fight, for the benches in Python. Needs redis-server and redis-cli."""
import http.client
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path


def combatants(count):
    sides = ("players", "monsters")
    return [{"id": f"c{n}", "name": f"Combatant {n}", "side": sides[n % 2], "hp": {"current": 100000, "max": 100000}} for n in range(count)]


def command(number, count):
    """The command with this number among `count` combatants: damage, healing, the end of a turn."""
    turn = number // 3
    this, following = f"c{turn % count}", f"c{(turn + 1) % count}"
    return (
        {"type": "damage", "target": this, "amount": 3},
        {"type": "heal", "target": this, "amount": 3},
        {"type": "end_turn", "combatant": this, "next": following, "begin": True},
    )[number % 3]


class Redis:
    def __init__(self, folder):
        self.socket = folder / "redis.sock"
        arguments = ["--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(["redis-server", *arguments], stdout=subprocess.DEVNULL)
        while not self.socket.exists():
            time.sleep(0.05)

    def ask(self, *words, **options):
        return subprocess.check_output(["redis-cli", "-s", self.socket, *words], text=True, **options)

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Server:
    """A program that serves encounters in this Redis. `under` are the words before it, as of valgrind."""

    def __init__(self, program, redis, folder, under=()):
        self.output = folder / "output"
        arguments = [*under, program, "--listen", "127.0.0.1:0"]
        environment = {**os.environ, "REDIS_URL": f"redis+unix://{redis.socket}"}
        with self.output.open("w") as output:
            self.process = subprocess.Popen(arguments, env=environment, stdout=output, stderr=output)
        while not (found := re.search(r"serves on http://(\S+)", self.output.read_text())):
            if self.process.poll() is not None:
                sys.exit(f"The program ended: {self.output.read_text()}")
            time.sleep(0.05)
        self.address = found[1]
        self.connection = http.client.HTTPConnection(self.address)

    def post(self, path, body, headers=None):
        headers = {"Content-Type": "application/json", **(headers or {})}
        self.connection.request("POST", f"/v1/encounters{path}", json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        if answer.status >= 300:
            sys.exit(f"{answer.status}: {text}")
        return json.loads(text)

    def create(self, count):
        """The id of a new fight of `count` combatants, and the header with its token."""
        fight = self.post("", {"ruleset": "active-initiative", "combatants": combatants(count)})
        return fight["encounter"]["id"], {"Authorization": f"Bearer {fight['token']}"}

    def start(self, id, headers):
        self.post(f"/{id}/commands", {"type": "start", "first": "c0"}, headers)

    def stop(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()
