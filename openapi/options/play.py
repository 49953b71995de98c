"""Sends what options list, filled in by a generator of JSON Schema that knows nothing of them: play.py SERVER SECONDS

Plays every ruleset and every preset of `custom` with generated encounter options until the time is up, each at least
once. What a choice's schema allows must be accepted, first as a dry run, then for one option for real.
"""

import http.client
import json
import random
import sys
import time
import urllib.parse

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis_jsonschema import from_schema

STEPS = 40
TRIED_PER_STEP = 6
VALUES_PER_SCHEMA = 10
COMBATANTS = [
    {"id": "ann", "name": "Ann", "side": "players", "hp": {"current": 20, "max": 30}},
    {"id": "bob", "name": "Bob", "side": "players", "controller": "Sam"},
    {"id": "orc", "name": "Orc", "side": "monsters", "hp": {"current": 12, "max": 12}},
    {"id": "spy", "name": "Spy", "side": "monsters", "hidden": True},
    {"id": "pack", "name": "Pack", "side": "monsters", "members": ["a", {"id": "b", "hp": {"current": 3, "max": 3}}]},
]
# Fields without which a ruleset lists less.
FIELDS = {
    "exp": {"mstr": 12},
    "dc20": {"max_legendary_points": 3},
    "venture": {"motes": 10, "max_motes": 20},
}

server = urllib.parse.urlsplit(sys.argv[1])
connection = http.client.HTTPConnection(server.hostname, server.port)
pools = {}
# A word has letters of any script, which patterns of JSON Schema cannot say: those of words match signs and capitals too.
# So words are drawn from small letters of a few scripts.
WIDER_THAN_WORDS = r"\u206f]{0,39}$"
WORD = r"^[a-zß-öø-ÿα-ωа-яёא-תぁ-ゖ0-9][a-zß-öø-ÿα-ωа-яёא-תぁ-ゖ0-9_-]{0,39}\Z"


def call(method, path, token=None, body=None):
    """The status and the body of an answer."""
    while True:
        headers = {"Content-Type": "application/json", "Prefer": "return=minimal"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        answered = json.loads(answer.read())
        if answer.status != 429:
            return answer.status, answered
        time.sleep(int(answer.headers["Retry-After"]))


def resolved(schema, defs):
    """The schema with what its references lead to. Patterns end where JSON Schema's end, not before a last newline."""
    if isinstance(schema, list):
        return [resolved(part, defs) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        own = {key: part for key, part in schema.items() if key != "$ref"}
        return {"allOf": [resolved(defs[schema["$ref"].removeprefix("#/$defs/")], defs), resolved(own, defs)]}
    # Without words for people, so that schemas that allow the same share their values.
    words = {key for key in ("title", "description") if isinstance(schema.get(key), str)}
    parts = {key: resolved(part, defs) for key, part in schema.items() if key not in words}
    if isinstance(parts.get("pattern"), str) and parts["pattern"].endswith(WIDER_THAN_WORDS):
        parts["pattern"] = WORD
    elif isinstance(parts.get("pattern"), str) and parts["pattern"].endswith("$"):
        parts["pattern"] = parts["pattern"][:-1] + r"\Z"
    return parts


def values_of(schema):
    """Some values that the schema allows, the same ones in every run."""
    key = json.dumps(schema, sort_keys=True)
    if key not in pools:
        pools[key] = values = []

        @settings(derandomize=True, database=None, deadline=None, max_examples=VALUES_PER_SCHEMA,
                  phases=[Phase.generate], suppress_health_check=list(HealthCheck))
        @given(from_schema(schema))
        def collect(value):
            values.append(value)

        collect()
    return pools[key]


def filled(option, defs, dice):
    """The option's command with every choice, or with the required ones and some of the others."""
    command = dict(option["command"])
    all_of_them = dice.random() < 0.5
    for choice in option["choices"]:
        if choice["required"] or all_of_them or dice.random() < 0.5:
            command[choice["field"]] = dice.choice(values_of(resolved(choice["schema"], defs)))
    return command


def some_of(items, dice):
    """Options to try, those of the fight first, and the end of it seldom."""
    of_the_fight = [item for item in items if item["group"] != "tools"]
    tools = [item for item in items if item["group"] == "tools"]
    if dice.random() < 0.98:
        tools = [item for item in tools if item["command"]["type"] != "end_encounter"]
    tried = dice.sample(of_the_fight, min(len(of_the_fight), TRIED_PER_STEP - 2))
    return tried + dice.sample(tools, min(len(tools), TRIED_PER_STEP - len(tried)))


def sent_for_real(tried, dice):
    """One of the options that were tried: mostly an answer to what is pending, so that the fight goes on."""
    for wanted, chance in [(lambda option: option["primary"], 0.3), (lambda option: option["group"] == "decision", 0.4),
                           (lambda option: option["group"] != "tools", 0.6)]:
        fitting = [option for option in tried if wanted(option)]
        if fitting and dice.random() < chance:
            return dice.choice(fitting)
    return dice.choice(tried)


def play(ruleset, options, seed, failures):
    """Plays one encounter, in the game master's name and in a player's. Returns how many commands were sent."""
    dice = random.Random(f"{ruleset} {json.dumps(options, sort_keys=True)} {seed}")
    combatants = [{**combatant, **FIELDS.get(ruleset, {})} for combatant in COMBATANTS]
    players = {"role": "player", "combatants": ["ann", "bob"]}
    body = {"ruleset": ruleset, "options": options, "seed": seed, "combatants": combatants, "tokens": [players],
            "player_effects": True, "player_undo": True}
    status, created = call("POST", "/v1/encounters", None, body)
    if status != 201:
        raise SystemExit(f"{ruleset} with {options}: {created}")
    path = f"/v1/encounters/{created['encounter']['id']}"
    sent = 0
    for _ in range(STEPS):
        token = created["token"] if dice.random() < 0.7 else created["tokens"][0]["token"]
        status, listed = call("GET", f"{path}/options?include=tools", token)
        assert status == 200, listed
        tried = some_of(listed["items"], dice)
        if not tried:
            continue
        real = sent_for_real(tried, dice)
        for option in sorted(tried, key=lambda option: option is real):
            command = filled(option, listed.get("$defs", {}), dice)
            for dry_run in ["?dry_run=true", ""] if option is real else ["?dry_run=true"]:
                status, answer = call("POST", f"{path}/commands{dry_run}", token, command)
                sent += 1
                # What a player knows may be legal only without a hidden reason, which options must not give away.
                hidden_reason = token != created["token"] and answer.get("code") == "not_now"
                if status >= 400 and not hidden_reason:
                    kind = (ruleset, command["type"], answer.get("code"), answer.get("rule"))
                    failures.setdefault(kind, (ruleset, options, seed, listed["version"], option, command, answer))
    return sent


def encounter_options(manifest):
    """What to play a ruleset with: no options and some that its schema allows; for `custom` each preset."""
    if manifest.get("presets"):
        return [{"preset": preset["id"]} for preset in manifest["presets"]]
    return [{}] + [options for options in values_of(manifest["options"]) if options]


def main():
    until = time.monotonic() + float(sys.argv[2])
    settings_of = {}
    for ruleset in call("GET", "/v1/rulesets")[1]["items"]:
        manifest = call("GET", f"/v1/rulesets/{ruleset['id']}")[1]
        settings_of[ruleset["id"]] = encounter_options(manifest)
    failures = {}
    plays = sent = seed = 0
    while not seed or time.monotonic() < until:
        for ruleset, choices in settings_of.items():
            presets = choices if ruleset == "custom" and not seed else [choices[seed % len(choices)]]
            for options in presets:
                sent += play(ruleset, options, seed, failures)
                plays += 1
        seed += 1
    for ruleset, options, seed, version, option, command, answer in failures.values():
        print(f"{ruleset} {json.dumps(options)}, seed {seed}, version {version}: refused")
        print(f"  option: {json.dumps(option)}\n  command: {json.dumps(command)}\n  problem: {json.dumps(answer)}")
    if failures:
        raise SystemExit(f"{len(failures)} kinds of listed commands were refused")
    print(f"openapi/options: {sent} commands in {plays} fights, each accepted as listed")


main()
