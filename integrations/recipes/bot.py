#!/usr/bin/env python3
"""Plays any ruleset by the options alone: bot.py SERVER ENCOUNTER TOKEN STEPS

Knows JSON Schema and nothing of a game. Takes the primary option, else the first one, fills in each required choice by
its schema, and prints the sentences of what happened. Stops when nothing is to be done, or in a round without end.
"""
import json, random, sys, urllib.request, uuid

if len(sys.argv) != 5:
    sys.exit(__doc__)
server, encounter, token, steps = sys.argv[1:]


def call(path, body=None, **headers):
    request = urllib.request.Request(f"{server}/v1/encounters/{encounter}/{path}", headers={"Authorization": f"Bearer {token}"})
    for name, value in headers.items():
        request.add_header(name.replace("_", "-"), value)
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def refuses(schema, value):
    """Whether `not` rules out a value."""
    no = schema.get("not", {})
    return no.get("const", object()) == value or value in no.get("enum", [])


def value_of(schema, defs):
    """A value that the schema allows."""
    if "$ref" in schema:
        schema = {**defs[schema["$ref"].rsplit("/", 1)[1]], **schema}
    if "oneOf" in schema:
        return next(item["const"] for item in schema["oneOf"] if not refuses(schema, item["const"]))
    if "anyOf" in schema:
        return value_of(schema["anyOf"][0], defs)
    if schema["type"] == "boolean":
        return False
    if schema["type"] in ("integer", "number"):
        return schema["minimum"]
    if schema["type"] == "string":
        words = (f"bot {uuid.uuid4().hex[:8]}" if n else "bot" for n in range(9))
        return next(word for word in words if not refuses(schema, word))
    if schema["type"] == "array":
        return [value_of(schema["items"], defs) for _ in range(schema.get("minItems", 0))]
    return {field: value_of(schema["properties"][field], defs) for field in schema.get("required", [])}


round_now, since = None, 0
for step in range(int(steps)):
    options = call("options")
    items = [item for item in options["items"] if item["group"] != "tools"]
    if not items:
        print("others decide")
        break
    option = next((item for item in items if item["primary"]), None) or random.choice(items)
    command = option["command"]
    for choice in option["choices"]:
        if choice["required"]:
            command[choice["field"]] = value_of(choice["schema"], options.get("$defs", {}))
    done = call("commands", command, If_Match=f'"{options["version"]}"', Idempotency_Key=str(uuid.uuid4()))
    for event in done["events"]:
        if "text" in event:
            print(event["text"])
    if done["encounter"]["round"] != round_now:
        round_now, since = done["encounter"]["round"], step
    elif step - since == 200:
        sys.exit("the round does not advance")
