"""Lets the bot of docs/how-to/bots.md play every ruleset and every preset of `custom`: bot.py SERVER ROUNDS

Nothing of what it sends may be refused, and it must not roll dice for the table.
"""

import contextlib
import io
import json
import runpy
import sys
import urllib.error
import urllib.request

BOT = "integrations/recipes/bot.py"
COMBATANTS = [{"name": "Ann"}, {"name": "Bob"}, {"name": "Orc", "side": "monsters"}, {"name": "Wolf", "side": "monsters"}]
DICE = {"roll", "rolls", "dice", "faces"}
server, rounds = sys.argv[1], int(sys.argv[2])
urlopen = urllib.request.urlopen


def call(path, body=None, token=None):
    request = urllib.request.Request(f"{server}/v1/{path}", headers={"Content-Type": "application/json"})
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    if body is not None:
        request.data = json.dumps(body).encode()
    with urlopen(request) as answer:
        return json.load(answer)


def watched(request):
    """Sends what the bot sends, if there are no dice in it."""
    if request.data:
        command = json.loads(request.data)
        dice = [field for field in command if field in DICE or field.endswith(("_roll", "_rolls", "_dice", "_roll_offs"))]
        assert not dice, f"the bot rolls dice: {command}"
    try:
        return urlopen(request)
    except urllib.error.HTTPError as refused:
        raise SystemExit(f"refused: {request.data}: {refused.read().decode()}") from None


def play(ruleset, options):
    """Plays until the round `rounds`, and returns how many commands that took."""
    created = call("encounters", {"ruleset": ruleset, "options": options, "seed": 1, "combatants": COMBATANTS})
    encounter = created["encounter"]
    while encounter["round"] < rounds:
        sys.argv = [BOT, server, encounter["id"], created["token"], "100"]
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(BOT)
        before, encounter = encounter, call(f"encounters/{encounter['id']}", token=created["token"])
        assert encounter["round"] > before["round"], "the bot stops"
    return encounter["version"]


urllib.request.urlopen = watched
for ruleset in call("rulesets")["items"]:
    manifest = call(f"rulesets/{ruleset['id']}")
    for options in [{"preset": preset["id"]} for preset in manifest.get("presets", [])] or [{}]:
        name = " ".join([ruleset["id"], *options.values()])
        try:
            print(f"{BOT}: {name}: {rounds} rounds in {play(ruleset['id'], options)} commands", flush=True)
        except (AssertionError, SystemExit) as stopped:
            raise SystemExit(f"{BOT}: {name}: {stopped}") from None
