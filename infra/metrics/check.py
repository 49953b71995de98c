"""Breaks what each alert of alerts.yaml watches, and holds promtool to it: the alert fires, and none fires where nothing is broken.
Holds the queries of dashboard.json against the metrics that there are.

Usage: check.py PROGRAM. Needs promtool, redis-server and redis-cli on the path. The minutes between two readings are those of the
alerts: the readings themselves follow each other at once.
"""

import http.client
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
ALERTS = ["TurnkeeperAway", "TurnkeeperStoreAway", "TurnkeeperFails", "TurnkeeperSlow", "TurnkeeperFull"]
READINGS = 10
SAMPLE = re.compile(r"^([a-z_]+(?:\{.*\})?) (\S+)$")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """The program with metrics, on a Redis of its own."""

    def __init__(self, program, folder, **settings):
        self.redis_port = free_port()
        self.redis = subprocess.Popen(
            ["redis-server", "--port", str(self.redis_port), "--save", "", "--dir", folder], stdout=subprocess.DEVNULL
        )
        environment = {
            "TURNKEEPER_LISTEN": "127.0.0.1:0",
            "TURNKEEPER_METRICS": "127.0.0.1:0",
            "REDIS_URL": f"redis://127.0.0.1:{self.redis_port}",
            "TURNKEEPER_LOG": "off",
            **settings,
        }
        self.redis_cli("ping")
        self.process = subprocess.Popen([program], stdout=subprocess.PIPE, env=environment, cwd=folder, text=True)
        greeting = [self.process.stdout.readline() for _ in range(3)]
        self.address, self.metrics = (re.search(r"http://([^/\s]+)", line).group(1) for line in (greeting[0], greeting[2]))
        self.encounters = [self.create(), self.create()]

    def redis_cli(self, *words):
        for _ in range(100):
            done = subprocess.run(["redis-cli", "-p", str(self.redis_port), *words], capture_output=True, text=True)
            if done.returncode == 0 and "refused" not in done.stdout + done.stderr:
                return done.stdout.split()
            time.sleep(0.05)
        raise SystemExit(f"redis-cli {words}: {done.stderr}")

    def send(self, method, path, body, token):
        connection = http.client.HTTPConnection(self.address, timeout=60)
        headers = {"content-type": "application/json"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        connection.request(method, path, json.dumps(body), headers)
        return json.loads(connection.getresponse().read())

    def create(self):
        """The path of a new encounter's commands, and its token."""
        made = self.send("POST", "/v1/encounters", {"ruleset": "seize", "combatants": [{"id": "ann"}]}, None)
        return f"/v1/encounters/{made['encounter']['id']}/commands", made["token"]

    def command(self):
        path, token = self.encounters[0]
        self.send("POST", path, {"type": "note", "text": "x"}, token)

    def read(self):
        """The metrics, and whether they could be read."""
        try:
            connection = http.client.HTTPConnection(self.metrics, timeout=10)
            connection.request("GET", "/metrics")
            return connection.getresponse().read().decode(), 1
        except OSError:
            return "", 0

    def stop(self):
        for process in (self.process, self.redis):
            process.kill()
            process.wait()


def healthy(server):
    server.command()


def away(server):
    server.process.kill()


def store_away(server):
    server.redis.kill()
    server.command()


def fails(server):
    for key in server.redis_cli("keys", "*"):
        if server.redis_cli("type", key) == ["hash"]:
            # With another layout it would be another program's, not damaged.
            for field in set(server.redis_cli("hkeys", key)) - {"layout"}:
                server.redis_cli("hset", key, field, "damaged")
    server.command()


def slow(server):
    server.redis_cli("client", "pause", "700")
    server.command()


def full(server):
    """Two clients whose bodies never end, of two encounters: each has a share of its own."""
    if hasattr(server, "open"):
        return
    server.open = []
    host, port = server.address.split(":")
    for path, token in server.encounters:
        body = socket.create_connection((host, int(port)))
        head = f"POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n"
        body.sendall(f"{head}content-type: application/json\r\ncontent-length: 262144\r\n\r\n".encode())
        body.sendall(b" " * 250_000)
        server.open.append(body)
    time.sleep(0.5)


def readings(program, broken, settings):
    """The values of each series, and the last text."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, folder, **settings)
        try:
            for _ in range(3):
                server.command()
            series, last = {}, ""
            for number in range(READINGS):
                if number > 0:
                    broken(server)
                text, up = server.read()
                last = text or last
                found = {'up{job="turnkeeper",instance="one"}': str(up)}
                for line in text.splitlines():
                    if sample := SAMPLE.match(line):
                        name = sample.group(1).replace("{", '{job="turnkeeper",instance="one",', 1)
                        name = name if "{" in name else name + '{job="turnkeeper",instance="one"}'
                        found[name] = sample.group(2)
                for name, value in found.items():
                    series.setdefault(name, ["_"] * number).append(value)
                for values in series.values():
                    values.extend(["_"] * (number + 1 - len(values)))
            return series, last
        finally:
            server.stop()


def hold(series, expected, folder):
    """Asks promtool whether this alert fires, and no other."""
    watched = re.compile(r"^(up|turnkeeper_(store_calls_total|requests_total|request_seconds_bucket|budget_))")
    kept = [{"series": name, "values": " ".join(values)} for name, values in series.items() if watched.match(name)]
    rule = {"alert_rule_test": [], "interval": "1m", "input_series": kept, "promql_expr_test": []}
    for alert in ALERTS:
        count = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) or vector(0)'
        value = {"labels": "{}", "value": 1 if alert == expected else 0}
        rule["promql_expr_test"].append({"expr": count, "eval_time": f"{READINGS - 1}m", "exp_samples": [value]})
    test = {"rule_files": [str(HERE / "alerts.yaml")], "evaluation_interval": "1m", "tests": [rule]}
    file = pathlib.Path(folder) / f"{expected}.yaml"
    file.write_text(json.dumps(test))
    done = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{expected or 'nothing broken'}:\n{done.stdout}{done.stderr}")
    print(f"{expected or 'nothing broken: no alert'} ok")


def check_dashboard(text, folder):
    """Every query of the dashboard can be read, and asks for a metric that there is, or that only a trouble or the embedded store brings."""
    dashboard = json.loads((HERE / "dashboard.json").read_text())
    there = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)) | {"turnkeeper_store_file_bytes", "turnkeeper_store_retries_total"}
    rules = []
    for panel in dashboard["panels"]:
        for number, target in enumerate(panel["targets"]):
            expr = target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")
            rules.append({"record": f"panel:{panel['id']}:{number}", "expr": expr})
            for name in re.findall(r"turnkeeper_[a-z_]+", expr):
                if re.sub(r"_bucket$", "", name) not in there:
                    raise SystemExit(f"{panel['title']}: no metric {name}")
    file = pathlib.Path(folder) / "dashboard.yaml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    subprocess.run(["promtool", "check", "rules", file], check=True, stdout=subprocess.DEVNULL)
    print(f"{len(rules)} queries of the dashboard ok")


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for expected, broken, settings in [
            (None, healthy, {}),
            ("TurnkeeperAway", away, {}),
            ("TurnkeeperStoreAway", store_away, {}),
            ("TurnkeeperFails", fails, {}),
            ("TurnkeeperSlow", slow, {}),
            ("TurnkeeperFull", full, {"TURNKEEPER_BODIES_MIB": "1"}),
        ]:
            series, text = readings(program, broken, settings)
            hold(series, expected, folder)
            if expected is None:
                linted = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
                print(linted.stdout + linted.stderr, end="")
                linted.check_returncode()
                check_dashboard(text, folder)


main()
