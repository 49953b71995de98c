"""Deploys the template on a local emulation of AWS, plays a fight, updates the stack, plays on, and deletes it.

Usage: deploy_local.py ARCHITECTURE PACKAGE. PACKAGE is the function's zip, or a program to pack. infra/deploy-local installs what this needs.
"""

import glob
import json
import logging
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any
from urllib.parse import urljoin

import boto3
import psutil
import urllib3
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

TEMPLATE = pathlib.Path(__file__).resolve().parent / "template.yaml"
STACK, REGION, BUCKET, LOOPBACK = "turnkeeper-local", os.environ["AWS_DEFAULT_REGION"], "packages", "127.0.0.1"
# The function's variables and the parameters that set them. An empty parameter sets none, nor does open.
VARIABLES = {
    "TURNKEEPER_TTL": "EncounterTtl",
    "TURNKEEPER_CORS_ORIGINS": "CorsOrigin",
    "TURNKEEPER_BASE_PATH": "BasePath",
    "TURNKEEPER_LOG": "LogLevel",
    "TURNKEEPER_APP_KEYS": "AppKeys",
    "TURNKEEPER_RATE_APPLICATION": "RateApplication",
    "TURNKEEPER_RATE_TOKEN": "RateToken",
    "TURNKEEPER_RATE_ADDRESS": "RateAddress",
}
FIGHT = {
    "ruleset": "active-initiative",
    "name": "Ambush",
    "combatants": [
        {"id": "chansi", "name": "Chansi", "side": "players", "hp": {"current": 24, "max": 24}},
        {"id": "valiant", "name": "Valiant", "side": "players"},
        {"id": "brakkus", "name": "Brakkus", "side": "monsters"},
    ],
    "tokens": [{"role": "player", "combatants": ["chansi"], "name": "Anna"}],
}


def say(text: str) -> None:
    print(f"== {text}", flush=True)


def check(holds: bool, claim: str, found: object = "") -> None:
    if not holds:
        raise SystemExit(f"infra/deploy-local: NOT TRUE: {claim}\n{found}")
    print(f"   {claim}", flush=True)


def wait(claim: str, holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(f"infra/deploy-local: NOT TRUE after {seconds:.0f} s: {claim}")
        time.sleep(0.05)


# --- Servers: a Redis and the emulation. ---


def free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as listener:
        return int(listener.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((LOOPBACK, port)) == 0


@contextmanager
def running(name: str, command: list[str], environment: dict[str, str], directory: pathlib.Path, port: int) -> Iterator[None]:
    """Runs a server during the block, and then ends it and all that it started."""
    log = directory / f"{name}.log"
    with log.open("wb") as output:
        server = psutil.Popen(command, env=environment, cwd=directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        wait(f"{name} listens", lambda: server.poll() is not None or listens(port))
        check(server.poll() is None, f"{name} listens on {LOOPBACK}:{port}")
        yield
    except BaseException:
        print(f"--- the end of {name}'s log\n{log.read_text(errors='replace')[-3000:]}---", file=sys.stderr)
        raise
    finally:
        processes = [*server.children(recursive=True), server]
        for process in processes:
            process.terminate()
        for process in psutil.wait_procs(processes, timeout=10)[1]:
            process.kill()
        psutil.wait_procs(processes)


def check_addresses() -> None:
    below = psutil.Process().children(recursive=True)
    sockets = [connection for process in below for connection in process.net_connections("inet")]
    addresses = {connection.laddr.ip for connection in sockets if connection.status == psutil.CONN_LISTEN}
    check(addresses == {LOOPBACK}, f"all {len(below)} processes listen on {LOOPBACK} alone", addresses)


def redis_command(port: int) -> list[str]:
    # A cluster, because the template's URL asks for one.
    cluster = {"cluster-enabled": "yes", "cluster-port": free_port(), "cluster-announce-ip": LOOPBACK}
    settings = {"port": port, "bind": LOOPBACK, "save": "", **cluster}
    return ["redis-server", *(word for name, value in settings.items() for word in (f"--{name}", str(value)))]


def redis(port: int, *words: str) -> str:
    return subprocess.check_output(["redis-cli", "-e", "-h", LOOPBACK, "-p", str(port), *words], text=True).strip()


# --- The template. ---


def translate(parameters: dict[str, str], architecture: str, redis_port: int) -> tuple[dict[str, Any], list[str]]:
    """Returns the template as CloudFormation gets it, and what differs from what AWS would get."""
    source = yaml_parse(TEMPLATE.read_text())
    function = source["Resources"]["Function"]["Properties"]
    function["CodeUri"] = f"s3://{BUCKET}/{architecture}.zip"
    changes = []
    if function["Architectures"] != [architecture]:
        function["Architectures"] = [architecture]
        changes.append(f"Architectures: [{architecture}], as this machine is")
    defaults = {name: parameter.get("Default") for name, parameter in source["Parameters"].items()}
    # A translator can ask AWS for managed policies. The template names none.
    template = transform(source, {**defaults, **parameters}, SimpleNamespace(load=dict))
    resources = template["Resources"]

    for name in [name for name, resource in resources.items() if name == "Cache" or '{"Ref": "Cache"}' in json.dumps(resource)]:
        changes.append(f"{name}, {resources.pop(name)['Type']}: left out; the emulation has no serverless cache")
    del template["Outputs"]["CacheEndpoint"]
    changes.append("the output CacheEndpoint: left out with the cache")
    url = resources["Function"]["Properties"]["Environment"]["Variables"]["REDIS_URL"]
    endpoint = {"rediss:": "redis:", "${Cache.Endpoint.Address}": LOOPBACK, "${Cache.Endpoint.Port}": str(redis_port)}
    for theirs, ours in endpoint.items():
        url["Fn::Sub"] = url["Fn::Sub"].replace(theirs, ours)
    changes.append(f"REDIS_URL: {url['Fn::Sub']}; no TLS, because the program trusts public authorities only")

    # SAM writes an HTTP API as an OpenAPI body.
    api = resources["Api"]["Properties"]
    body = api.pop("Body")
    ((route, methods),) = body["paths"].items()
    integration = methods["x-amazon-apigateway-any-method"]["x-amazon-apigateway-integration"]
    api["Name"], api["ProtocolType"] = body["info"]["title"], "HTTP"
    api["CorsConfiguration"] = capitalized(body["x-amazon-apigateway-cors"])
    details = capitalized({key: integration[key] for key in ("payloadFormatVersion", "timeoutInMillis")})
    invocation = {"IntegrationType": integration["type"].upper(), "IntegrationUri": integration["uri"]}
    target = {"RouteKey": route, "Target": {"Fn::Sub": "integrations/${LocalIntegration}"}}
    for name, kind, properties in (("LocalIntegration", "Integration", {**invocation, **details}), ("LocalRoute", "Route", target)):
        resources[name] = {"Type": f"AWS::ApiGatewayV2::{kind}", "Properties": {"ApiId": {"Ref": "Api"}, **properties}}
    changes.append(f"the HTTP API's OpenAPI body, which the emulation does not read: its CORS, integration and route {route} become resources")
    return template, changes


def capitalized(members: dict[str, Any]) -> dict[str, Any]:
    return {key[0].upper() + key[1:]: value for key, value in members.items()}


# --- The stack. ---


class Stack:
    def __init__(self, port: int, redis_port: int, architecture: str, package: pathlib.Path) -> None:
        self.redis_port, self.architecture = redis_port, architecture
        client = partial(boto3.client, endpoint_url=f"http://{LOOPBACK}:{port}", aws_access_key_id="local", aws_secret_access_key="local")
        self.formation, self.functions, self.keys, s3 = (client(name) for name in ("cloudformation", "lambda", "kms", "s3"))
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        s3.upload_file(str(package), BUCKET, f"{architecture}.zip")

    def create(self, parameters: dict[str, str]) -> dict[str, str]:
        """Creates the stack, and returns its outputs."""
        template, changes = translate(parameters, self.architecture, self.redis_port)
        say("Differences from what AWS would get")
        for change in changes:
            print(f"   {change}")
        say("Create the stack")
        self.apply(self.formation.create_stack, "CREATE_COMPLETE", template, {}, parameters)
        # ElastiCache makes this login. Redis 7.0 does not know the command that is left out.
        access = template["Resources"]["CacheLogin"]["Properties"]["AccessString"].split()
        words = [word for word in access if word != "+client|setinfo"]
        redis(self.redis_port, "acl", "setuser", "turnkeeper", *words, ">" + parameters["CachePassword"])
        return {output["OutputKey"]: output["OutputValue"] for output in self.described()["Outputs"]}

    def update(self, kept: dict[str, str], new: dict[str, str]) -> None:
        template, _ = translate({**kept, **new}, self.architecture, self.redis_port)
        self.apply(self.formation.update_stack, "UPDATE_COMPLETE", template, kept, new)

    def apply(self, change: Callable[..., object], status: str, template: dict[str, Any], kept: dict[str, str], new: dict[str, str]) -> None:
        parameters: list[dict[str, Any]] = [{"ParameterKey": name, "UsePreviousValue": True} for name in kept if name not in new]
        parameters += [{"ParameterKey": name, "ParameterValue": value} for name, value in new.items()]
        change(StackName=STACK, TemplateBody=json.dumps(template), Parameters=parameters, Capabilities=["CAPABILITY_IAM"])
        wait("the change of the stack is over", lambda: not self.described()["StackStatus"].endswith("IN_PROGRESS"))
        self.check(status, template, {**kept, **new})

    def described(self, name: str = STACK) -> dict[str, Any]:
        return dict(self.formation.describe_stacks(StackName=name)["Stacks"][0])

    def check(self, status: str, template: dict[str, Any], parameters: dict[str, str]) -> None:
        failures = [event for event in self.formation.describe_stack_events(StackName=STACK)["StackEvents"] if "ResourceStatusReason" in event]
        check(self.described()["StackStatus"] == status, f"the stack is {status}", failures)
        resources = self.formation.describe_stack_resources(StackName=STACK)["StackResources"]
        made = {resource["LogicalResourceId"]: resource["ResourceType"] for resource in resources}
        expected = {name: resource["Type"] for name, resource in template["Resources"].items()}
        check(made == expected, f"it has all {len(made)} resources of {len(set(made.values()))} types", made)

        values = {name: parameters.get(name, described.get("Default")) for name, described in template["Parameters"].items()}
        url = f"redis://turnkeeper:{values['CachePassword']}@{LOOPBACK}:{self.redis_port}/?cluster=true"
        variables = {variable: values[name] for variable, name in VARIABLES.items() if values[name] not in ("", "open")}
        settings = self.functions.get_function_configuration(FunctionName=STACK)
        found = settings["Environment"]["Variables"]
        check(found == {"REDIS_URL": url, **variables}, f"the parameters are in the function's {len(found)} variables", found)
        rest = [settings[name] for name in ("MemorySize", "Timeout", "Runtime", "Architectures")]
        right = rest == [int(values["MemoryMb"]), 29, "provided.al2023", [self.architecture]]
        check(right, "its memory, time, runtime and architecture are the template's", rest)

    def delete(self, key: str) -> None:
        identity = self.described()["StackId"]
        made = {resource["LogicalResourceId"] for resource in self.formation.describe_stack_resources(StackName=STACK)["StackResources"]}
        self.formation.delete_stack(StackName=STACK)
        wait("the deletion is over", lambda: not self.described(identity)["StackStatus"].endswith("IN_PROGRESS"))
        check(self.described(identity)["StackStatus"] == "DELETE_COMPLETE", "the stack is DELETE_COMPLETE", self.described(identity))
        events = self.formation.describe_stack_events(StackName=identity)["StackEvents"]
        deleted = {event["LogicalResourceId"] for event in events if event["ResourceStatus"] == "DELETE_COMPLETE"}
        check(made - deleted == {"CacheKey"}, "all resources are deleted but the key that encrypts snapshots", made - deleted)
        check(self.functions.list_functions()["Functions"] == [], "the function is gone")
        check(self.keys.describe_key(KeyId=key)["KeyMetadata"]["Enabled"], "the key is there")


# --- The fight. ---


class Client:
    """Sends requests to the emulation, under the host name of the stack's own URL."""

    def __init__(self, url: str, port: int) -> None:
        self.host = url.removeprefix("https://")
        self.pool = urllib3.HTTPConnectionPool(LOOPBACK, port, timeout=40, retries=False)

    def send(self, status: int, method: str, path: str, token: str = "", body: object = None, **more: str) -> urllib3.BaseHTTPResponse:
        headers = {"Host": self.host, **{name.replace("_", "-"): value for name, value in more.items()}}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.pool.request(method, path, json=body, headers=headers)
        if answer.status != status:
            check(False, f"{method} {path} returns {status}", f"{answer.status} {answer.data.decode()}")
        return answer


def first_listed(schema: dict[str, Any], defs: dict[str, Any]) -> Any:
    """The first value that a choice lists, and does not rule out."""
    listed = {**defs.get(schema.get("$ref", "").rpartition("/")[2], {}), **schema}
    refused = listed.get("not", {})
    others = [item["const"] for item in listed["oneOf"] if item["const"] != refused.get("const") and item["const"] not in refused.get("enum", [])]
    return others[0]


class Fight:
    def __init__(self, client: Client, key: str) -> None:
        self.client = client
        created = client.send(201, "POST", "/v1/encounters", key, FIGHT)
        answer = created.json()
        self.path, self.gm, self.player = f"/v1/encounters/{answer['encounter']['id']}", answer["token"], answer["tokens"][0]["token"]
        location = urljoin("/v1/encounters", created.headers["location"])
        check(location == self.path, "an encounter is created; Location leads to it", created.headers)

    def read(self) -> urllib3.BaseHTTPResponse:
        return self.client.send(200, "GET", self.path, self.gm)

    def play_until(self, round_number: int) -> None:
        """Sends the first awaited option, filled in with the first of what each required choice lists, until the round begins."""
        encounter, turns = self.read().json(), 0
        while encounter["round"] < round_number:
            options = self.client.send(200, "GET", f"{self.path}/options", self.gm).json()
            option = next(item for item in options["items"] if item["command"]["type"] in encounter["pending"]["commands"])
            command = option["command"]
            for choice in option["choices"]:
                if choice["required"]:
                    command[choice["field"]] = first_listed(choice["schema"], options.get("$defs", {}))
            encounter = self.client.send(200, "POST", f"{self.path}/commands", self.gm, command).json()["encounter"]
            turns += command["type"] == "end_turn"
        check(turns == 3, f"three turns are played by options; round {round_number} begins", turns)

    def check_table(self) -> None:
        table = self.client.send(200, "GET", self.path, self.gm, Accept="text/plain").data.decode()
        check(table.startswith("Ambush - Active Initiative, round 2\n"), "the turn table comes as text:", table)
        print("      " + table.strip().replace("\n", "\n      "), flush=True)

    def check_feed(self) -> None:
        version = self.read().json()["version"]
        feed = self.client.send(200, "GET", f"{self.path}/events?after=0", self.gm, Accept="application/x-ndjson")
        lines = [json.loads(line) for line in feed.data.splitlines()]
        found = [(line["type"], line["version"]) for line in lines if line["type"] != "keep_alive"]
        expected = [("snapshot", 0), *(("transition", number) for number in range(1, version + 1))]
        check(found == expected, f"the feed brings a snapshot and {version} transitions as NDJSON, and ends", found)

    def check_repetition_and_rights(self) -> None:
        damage, key = {"type": "damage", "target": "chansi", "amount": 5}, secrets.token_hex(16)
        send = partial(self.client.send, method="POST", path=f"{self.path}/commands", body=damage, Idempotency_Key=key)
        first, again = send(200, token=self.gm), send(200, token=self.gm)
        replayed = [answer.headers.get("idempotency-replayed") for answer in (first, again)]
        same = first.data == again.data and self.read().json()["version"] == first.json()["version"]
        check(same and replayed == [None, "true"], "a repeated request gets the first answer and changes nothing", again.data)
        check(send(403, token=self.player).json()["code"] == "forbidden", "a player's token is refused what the game master decides: 403")
        check(send(401).json()["code"] == "unauthorized", "a request without a token is refused: 401")


def made_key(program: pathlib.Path, name: str) -> list[str]:
    """A key of an application, and what the parameter AppKeys takes."""
    return [line.split()[-1] for line in subprocess.check_output([program, "app-key", name], text=True).splitlines()]


def rehearse(architecture: str, package: pathlib.Path, directory: pathlib.Path) -> None:
    program = directory / "program/bootstrap"
    with zipfile.ZipFile(package) as zipped:
        zipped.extract("bootstrap", program.parent)
    program.chmod(0o755)
    (bot_key, bot_pair), (table_key, table_pair) = (made_key(program, name) for name in ("bot", "table"))
    port, redis_port = free_port(), free_port()
    emulation = {"PATH": os.environ["PATH"], "TMPDIR": str(directory), "BIND_HOST": LOOPBACK, "GATEWAY_PORT": str(port), "LAMBDA_EXECUTOR": "local"}
    # The emulation answers under the host name that the template's output Url has.
    emulation |= {"MINISTACK_REGION": REGION, "MINISTACK_HOST": f"{REGION}.amazonaws.com"}
    ministack = [str(pathlib.Path(sys.executable).with_name("ministack"))]
    say("Start a Redis and the emulation")
    with (
        running("redis", redis_command(redis_port), dict(os.environ), directory, redis_port),
        running("ministack", ministack, emulation, directory, port),
    ):
        redis(redis_port, "cluster", "addslotsrange", "0", "16383")
        wait("Redis serves all slots", lambda: "cluster_state:ok" in redis(redis_port, "cluster", "info"))
        stack = Stack(port, redis_port, architecture, package)
        parameters = {"EncounterTtl": "7d", "CorsOrigin": "https://table.example", "MemoryMb": "512", "AlarmEmail": "gm@table.example"}
        parameters |= {"CachePassword": secrets.token_hex(16), "AppKeys": bot_pair}
        outputs = stack.create(parameters)

        say(f"Play at {outputs['Url']}")
        client = Client(outputs["Url"], port)
        client.send(200, "GET", "/readyz")
        client.send(401, "POST", "/v1/encounters", body=FIGHT)
        print("   a creation without an application's key is refused: 401", flush=True)
        fight = Fight(client, bot_key)
        fight.play_until(2)
        fight.check_table()
        fight.check_feed()
        fight.check_repetition_and_rights()
        origin = client.send(200, "GET", "/v1/rulesets", Origin="https://table.example").headers["access-control-allow-origin"]
        check(origin == "https://table.example", "pages of CorsOrigin may call", origin)
        keys = redis(redis_port, "keys", "*").split()
        check(bool(keys) and all("turnkeeper:" in key for key in keys), f"Redis holds it, in {len(keys)} keys", keys)
        check_addresses()

        say("Update the stack: AppKeys and RateToken")
        before = fight.read()
        check("q=600" in before.headers["ratelimit-policy"], "before: a token may ask 600 times a minute", before.headers)
        stack.update(parameters, {"AppKeys": f"{bot_pair},{table_pair}", "RateToken": "500/1m"})
        after = fight.read()
        check("q=500" in after.headers["ratelimit-policy"], "after: 500 times", after.headers)
        check(before.data == after.data, "the fight is as it was", after.data)
        client.send(201, "POST", "/v1/encounters", table_key, FIGHT)
        print("   the new application creates a fight")
        fight.play_until(3)

        say("Update the stack: AppKeys=open")
        stack.update({**parameters, "RateToken": "500/1m"}, {"AppKeys": "open"})
        client.send(201, "POST", "/v1/encounters", body=FIGHT)
        print("   every client creates a fight")

        say("Delete the stack")
        stack.delete(outputs["KeyId"])
        client.send(404, "GET", "/readyz")
        print("   the URL is gone")
    processes = [process.info for process in psutil.process_iter(["pid", "cwd", "exe"])]
    left = [process for process in processes if str(directory) in f"{process['cwd']} {process['exe']}"]
    check(not left and not listens(port) and not listens(redis_port), "no process is left, no port is open", left)


def main() -> None:
    logging.getLogger("samtranslator").setLevel(logging.ERROR)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    architecture, package = sys.argv[1], pathlib.Path(sys.argv[2])
    strays = glob.glob(f"{tempfile.gettempdir()}/ministack*")
    with tempfile.TemporaryDirectory(prefix="turnkeeper-deploy-") as name:
        directory = pathlib.Path(name)
        if not zipfile.is_zipfile(package):
            program, package = package, directory / "package.zip"
            with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zipped:
                zipped.write(program, "bootstrap")
        rehearse(architecture, package, directory)
    found = glob.glob(f"{tempfile.gettempdir()}/ministack*")
    check(not directory.exists() and found == strays, "no temporary file is left", found)
    say("The template deploys, serves, updates and deletes")


main()
