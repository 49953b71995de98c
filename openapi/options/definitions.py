"""Plays orders of `custom` that nobody wrote: definitions.py SERVER COUNT [SEED]

Makes definitions from the published schema alone. What the server refuses is mended by its messages alone: the line that a message names is
taken out. Each definition is then played by its options: what is listed must be accepted, and `resolve` must bring the next round.
"""

import http.client
import json
import random
import sys
import time
import urllib.parse

NAMES = ["might", "speed", "wits", "seat", "luck"]
STEPS = 25
# So often `resolve` may be sent before a round is over.
MOST_TO_RESOLVE = 500

server = urllib.parse.urlsplit(sys.argv[1])
connection = http.client.HTTPConnection(server.hostname, server.port)


def call(method, path, token=None, body=None):
    """The status and the body of an answer."""
    while True:
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 429:
            return answer.status, json.loads(text) if text else {}
        time.sleep(int(answer.headers["Retry-After"]))


def value_of(schema, defs, dice, depth=0):
    """A value of a schema, with some of its optional fields."""
    if "$ref" in schema:
        schema = {**defs[schema["$ref"].rsplit("/", 1)[1]], **{key: part for key, part in schema.items() if key != "$ref"}}
    shapes = schema.get("oneOf") or schema.get("anyOf")
    if shapes:
        return value_of(dice.choice([shape for shape in shapes if shape.get("type") != "null"]), defs, dice, depth)
    if "allOf" in schema:
        return value_of(schema["allOf"][0], defs, dice, depth)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return dice.choice(schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next(one for one in kind if one != "null")
    if kind == "boolean":
        return dice.random() < 0.5
    if kind in ("integer", "number"):
        least, most = schema.get("minimum", -3), schema.get("maximum", 10)
        return dice.choice([least, min(most, least + 1), dice.randint(int(least), int(min(most, least + 12)))])
    if kind == "string":
        return dice.choice(NAMES)
    if kind == "array":
        count = dice.randint(schema.get("minItems", 0), min(schema.get("maxItems", 3), 4))
        return [value_of(schema.get("items", {}), defs, dice, depth + 1) for _ in range(count)]
    if isinstance(schema.get("additionalProperties"), dict) and not schema.get("properties"):
        return {name: value_of(schema["additionalProperties"], defs, dice, depth + 1) for name in dice.sample(NAMES, dice.randint(0, 3))}
    filled = {}
    for field, part in schema.get("properties", {}).items():
        if field in schema.get("required", []) or dice.random() < (0.45 if depth == 0 else 0.3):
            filled[field] = value_of(part, defs, dice, depth + 1)
    return filled


def keys(dice):
    """Keys of an order, as its description lists them: the schema says only that they are texts."""
    facts = ["score", "late", "foe", "die", "lap", "segment", "choice", "side", "again", "again_across_rounds", "outnumbered", "seat", *NAMES[:3]]
    return [("-" if dice.random() < 0.5 else "") + fact for fact in dice.sample(facts, dice.randint(0, 4))]


def take_out(definition, path):
    """Takes out what a path names, or what it stands in. False if there is nothing."""
    parts = path.removeprefix("options.definition").strip(".").split(".")
    holder = definition
    for part in parts[:-1]:
        inner = holder[int(part)] if isinstance(holder, list) and part.isdigit() and int(part) < len(holder) else holder.get(part) if isinstance(holder, dict) else None
        if not isinstance(inner, (dict, list)):
            parts = [part]
            break
        holder = inner
    last = parts[-1]
    if isinstance(holder, dict) and last in holder:
        del holder[last]
    elif isinstance(holder, list) and last.isdigit() and int(last) < len(holder):
        del holder[int(last)]
    elif parts[0] in definition:
        del definition[parts[0]]
    else:
        return False
    return True


def created(definition, dice):
    """An encounter with this definition, mended by what the server says."""
    sides = ["players", "players", "monsters", "monsters", "wolves"]
    for _ in range(80):
        numbers = definition.get("numbers", {})
        combatants = [{"id": f"c{n}", "name": f"C{n}", "side": dice.choice(sides), "hp": {"current": 9, "max": 9},
                       "numbers": {name: dice.randint(0, 9) for name in numbers if dice.random() < 0.7}} for n in range(6)]
        body = {"ruleset": "custom", "options": {"definition": definition}, "combatants": combatants}
        status, answer = call("POST", "/v1/encounters", None, body)
        if status == 201:
            return answer
        assert status < 500, (status, answer, definition)
        paths = [error["path"] for error in answer.get("errors", [])]
        definition_paths = [path for path in paths if path.startswith("options.definition")]
        if not definition_paths or not any([take_out(definition, path) for path in definition_paths]):
            raise SystemExit(f"the messages mend nothing: {json.dumps(answer)}\n{json.dumps(definition)}")
    raise SystemExit(f"not mended after 80 answers: {json.dumps(definition)}")


def smallest(schema, defs):
    """The smallest value that a choice of an option allows."""
    if "$ref" in schema:
        schema = {**defs[schema["$ref"].rsplit("/", 1)[1]], **schema}
    refused = schema.get("not", {}).get("enum", [schema.get("not", {}).get("const")])
    if "oneOf" in schema:
        return next(item["const"] for item in schema["oneOf"] if item["const"] not in refused)
    if "anyOf" in schema:
        return smallest(schema["anyOf"][0], defs)
    kind = schema["type"]
    if kind == "boolean":
        return False
    if kind in ("integer", "number"):
        return schema["minimum"]
    if kind == "string":
        return "x"
    if kind == "array":
        return [smallest(schema["items"], defs) for _ in range(schema.get("minItems", 0))]
    return {field: smallest(schema["properties"][field], defs) for field in schema.get("required", [])}


def play(definition, seed):
    """Plays one definition. Returns how many commands were sent."""
    dice = random.Random(seed)
    encounter = created(definition, dice)
    path, token = f"/v1/encounters/{encounter['encounter']['id']}", encounter["token"]
    sent = 0

    def send(command):
        nonlocal sent
        status, answer = call("POST", f"{path}/commands", token, command)
        sent += 1
        if status != 200:
            raise SystemExit(f"seed {seed}: {json.dumps(command)} was listed, and {status}: {json.dumps(answer)}\n{json.dumps(definition)}")
        return answer

    for _ in range(STEPS):
        listed = call("GET", f"{path}/options", token)[1]
        options = [item for item in listed["items"] if item["group"] != "tools"]
        if not options:
            break
        option = dice.choice(options)
        command = dict(option["command"])
        for choice in option["choices"]:
            if choice["required"]:
                command[choice["field"]] = smallest(choice["schema"], listed.get("$defs", {}))
        send(command)
    status, view = call("GET", path, token)
    if view["status"] != "running":
        return sent
    begun = view["round"]
    for _ in range(MOST_TO_RESOLVE):
        if view["pending"] is None or "resolve" not in view["pending"]["commands"]:
            return sent
        view = send({"type": "resolve"})["encounter"]
        if view["round"] > begun:
            return sent
    if definition.get("turns") != "unlimited":
        raise SystemExit(f"seed {seed}: round {begun} does not end\n{json.dumps(definition)}")
    return sent


def main():
    count, first = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    document = call("GET", "/v1/rulesets/custom")[1]["options"]
    defs = document.get("$defs", {})
    schema = document["properties"]["definition"]
    whole = next((shape for shape in schema.get("anyOf", [schema]) if "$ref" in shape or "properties" in shape), schema)
    sent = lines = 0
    for seed in range(first, first + count):
        dice = random.Random(f"definition {seed}")
        definition = value_of(whole, defs, dice)
        definition.pop("titles", None)
        if dice.random() < 0.8:
            definition["order"] = keys(dice)
        sent += play(definition, seed)
        lines += len(definition)
    print(f"openapi/options: {count} definitions from the schema, {lines / count:.1f} lines each when mended, {sent} commands, each accepted as listed")


main()
