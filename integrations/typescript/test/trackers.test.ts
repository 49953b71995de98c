// The mapping of a module: ids of a tabletop's own go in, its tracker comes out, without a table of ids on the caller's side.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Command, type Encounter, type Schemas, Turnkeeper, toFoundry, toRoll20, toText } from "turnkeeper-client";
import { Server } from "./server.js";

type Ids = [string, string, string];
/** A row that is expected: the number of its combatant, its initiative or else its turn or card, and a word. */
type Row = [number, number | string | null, ("now" | "out")?];

const FOUNDRY: Ids = ["kZ9sdf8Ba2qLm3Xp", "Q2wE4rT6yU8iO0pA", "aB3dE6gH9jK2mN5p"];
const ROLL20: Ids = ["-Mabc_dEf12", "-Mabc_dEf34", "-Mabc_dEf56"];

interface Scene {
  name: string;
  body: { ruleset: string; options?: object };
  numbers?: object[];
  play: (ids: Ids) => Command[];
  rows: Row[];
  round: number;
  text: string;
}

const venture: Scene = {
  name: "venture",
  body: { ruleset: "venture" },
  play: ([a, b, c]) => [
    { type: "start", joins: { [a]: { successes: 4 }, [b]: { successes: 1 }, [c]: { successes: 2 } } },
    ...[a, c, b].map((combatant): Command => ({ type: "pass", combatant })),
    { type: "begin_turn", combatant: a },
    { type: "end_turn", combatant: a },
    { type: "begin_turn", combatant: c },
  ],
  round: 1,
  rows: [[2, 5, "now"], [1, 4], [0, 12]],
  text: "Ambush, round 1\n> 5 Captain\n- 4 Moth\n- 12 Iris (acted)\nawaiting: end turn by Captain",
};
const seize: Scene = {
  name: "seize",
  body: { ruleset: "seize" },
  play: ([a, b, c]) => [
    { type: "start", rolls: { [a]: 15, [b]: 10, [c]: 5 } },
    { type: "damage", target: c, amount: 5 },
    { type: "end_turn", combatant: a, next: b },
  ],
  round: 1,
  rows: [[0, 15], [1, null, "now"], [2, null, "out"]],
  text: "Ambush, round 1\n- 15 Iris (acted)\n> Moth\n- Captain (out)\nawaiting: end turn by Moth",
};
const dc20: Scene = {
  name: "dc20",
  body: { ruleset: "dc20" },
  play: ([a, b, c]) => [
    { type: "start", dc: 10, rolls: { [a]: 15, [b]: 12 } },
    { type: "claim", combatant: a },
    { type: "end_turn", combatant: a },
    { type: "assign", combatant: c },
  ],
  round: 1,
  rows: [[0, "p1"], [2, "e1", "now"], [1, null]],
  text: [
    "Ambush, round 1",
    "- p1 Iris (acted, AP 4/4, inspiration d6)",
    "> e1 Captain (AP 4/4)",
    "- p2 PC Turn 2 (empty)",
    "- e2 Enemy Turn 2 (empty)",
    "- Moth (no turn yet, AP 4/4, inspiration d6)",
    "awaiting: end turn by Captain",
  ].join("\n"),
};
const active: Scene = {
  name: "active-initiative",
  body: { ruleset: "active-initiative" },
  play: ([a, , c]) => [
    { type: "start", first: a },
    { type: "end_turn", combatant: a, next: c, begin: true },
  ],
  round: 1,
  rows: [[0, null], [2, null, "now"], [1, null]],
  text: "Ambush, round 1\n- Iris (acted)\n> Captain\n- Moth\nawaiting: end turn by Captain",
};
const exp: Scene = {
  name: "exp",
  body: { ruleset: "exp" },
  play: ([a, b, c]) => [{ type: "start", rolls: { [a]: 8, [b]: 5, [c]: 2 } }],
  round: 1,
  rows: [[0, 19, "now"], [1, 16], [2, 13]],
  text: [
    "Ambush, round 1",
    "> 19 Iris (move pending, act pending)",
    "- 16 Moth (move pending, act pending)",
    "- 13 Captain (move pending, act pending)",
    "awaiting: declare by Iris",
  ].join("\n"),
};
const d20: Scene = {
  name: "custom, d20",
  body: { ruleset: "custom" },
  play: ([a, b, c]) => [
    { type: "start", rolls: { [a]: 15, [b]: 10, [c]: 5 } },
    { type: "end_turn", combatant: a },
    { type: "damage", target: c, amount: 5 },
  ],
  round: 1,
  rows: [[0, 15], [1, 10, "now"], [2, null, "out"]],
  text: "Ambush, round 1\n- 15 Iris (acted)\n> 10 Moth\n- Captain (out)\nawaiting: end turn by Moth",
};
const zipper: Scene = {
  name: "custom, zipper",
  body: { ruleset: "custom", options: { preset: "zipper", definition: { score: { dice: null, add: [9] } } } },
  play: ([, b, c]) => [
    { type: "start", first_side: "players" },
    { type: "begin_turn", combatant: b },
    { type: "end_turn", combatant: b },
    { type: "begin_turn", combatant: c },
  ],
  round: 1,
  rows: [[0, 9], [1, 9], [2, 5, "now"]],
  text: "Ambush, round 1\n- 9 Iris\n- 9 Moth (acted)\n> 5 Captain\nawaiting: end turn by Captain",
};
const twice: Scene = {
  name: "custom, two turns of one combatant",
  body: { ruleset: "custom", options: { preset: "d20", definition: { numbers: { turns: 1 }, turns: "turns", changes: { further_turn: 5 } } } },
  numbers: [{}, {}, { turns: 2 }],
  play: ([a, b, c]) => [
    { type: "start", rolls: { [a]: 12, [b]: 4, [c]: 14 } },
    { type: "end_turn", combatant: c },
    { type: "end_turn", combatant: a },
  ],
  round: 1,
  // The first turn of the captain, with 14, is over.
  rows: [[0, 12], [2, 9, "now"], [1, 4]],
  text: "Ambush, round 1\n- 14 Captain (acted)\n- 12 Iris (acted)\n> 9 Captain\n- 4 Moth\nawaiting: end turn by Captain",
};
const cards: Scene = {
  name: "custom: cards",
  body: { ruleset: "custom", options: { preset: "cards" } },
  play: ([a, b, c]) => [
    { type: "start", cards: { [a]: "j1", [b]: "3c", [c]: "qs" } },
    { type: "end_turn", combatant: a },
  ],
  round: 1,
  rows: [[0, "Joker"], [2, "Q♠", "now"], [1, "3♣"]],
  text: "Ambush, round 1\n- Joker Iris (acted)\n> Q♠ Captain\n- 3♣ Moth\nawaiting: end turn by Captain",
};
const scenes = [venture, seize, dc20, active, exp, d20, zipper, twice, cards];

let server: Server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

async function play(scene: Scene, ids: Ids, metadata: Record<string, string> = {}): Promise<Encounter> {
  const turnkeeper = new Turnkeeper(server.url);
  const combatants = [
    { name: "Iris", side: "players", hp: { current: 7 }, metadata: { formula: "+1" } },
    { name: "Moth", side: "players", hp: { current: 5 } },
    { name: "Captain", side: "monsters", hp: { current: 5 } },
  ].map((combatant, i) => ({ ...combatant, id: ids[i], ...(scene.numbers && { numbers: scene.numbers[i] }) }));
  const body = { ...scene.body, name: "Ambush", metadata, combatants } as Schemas["NewEncounter"];
  const created = await turnkeeper.create(body);
  const gm = turnkeeper.encounter(created.encounter.id, created.token);
  for (const command of scene.play(ids)) await gm.send(command);
  return gm.read();
}

for (const scene of scenes) {
  test(`Foundry: ${scene.name}`, async () => {
    const tracker = toFoundry(await play(scene, FOUNDRY));
    const turn = scene.rows.findIndex(([, , word]) => word === "now");
    assert.deepEqual(tracker, {
      round: scene.round,
      turn,
      current: [tracker.combatants[turn]?.id],
      combatants: scene.rows.map(([i, place, word]) => ({
        id: FOUNDRY[i], initiative: typeof place === "number" ? place : null, defeated: word === "out", hidden: false,
      })),
    });
  });

  test(`Roll20: ${scene.name}`, async () => {
    const turns = toRoll20(await play(scene, ROLL20, { _pageid: "-Mpage_01" }));
    const rows = scene === twice ? [[2, 14], ...scene.rows] as Row[] : scene.rows;
    const first = rows.findIndex(([, , word]) => word === "now");
    const expected = [...rows.slice(first), ...rows.slice(0, first)].filter(([, , word]) => word !== "out");
    assert.deepEqual(turns, expected.map(([i, place]) => ({
      id: ROLL20[i], pr: String(place ?? ""), custom: "", ...(i === 0 && { formula: "+1" }), _pageid: "-Mpage_01",
    })));
  });

  test(`Discord: ${scene.name}`, async () => {
    const text = toText(await play(scene, FOUNDRY));
    assert.equal(text, `\`\`\`\n${scene.text}\n\`\`\``);
  });
}

test("what a player does not see is in none of the views, and in the game master's Foundry is hidden", async () => {
  const turnkeeper = new Turnkeeper(server.url);
  const [a, b, c] = FOUNDRY;
  const created = await turnkeeper.create({
    ruleset: "venture",
    combatants: [{ id: a, name: "Iris" }, { id: b, name: "Shade", side: "monsters", hidden: true }, { id: c, name: "Captain", side: "monsters" }],
    tokens: [{ role: "player", combatants: [a] }],
  });
  const gm = turnkeeper.encounter(created.encounter.id, created.token);
  const iris = turnkeeper.encounter(created.encounter.id, created.tokens?.[0]?.token ?? "");
  await gm.send({ type: "start", joins: { [a]: { successes: 1 }, [b]: { successes: 5 }, [c]: { successes: 3 } } });
  for (const combatant of [b, c, a]) await gm.send({ type: "pass", combatant });
  await gm.send({ type: "begin_turn", combatant: b });

  const whole = toFoundry(await gm.read());
  assert.deepEqual(whole.combatants.map(({ id, hidden }) => [id, hidden]), [[b, true], [c, false], [a, false]]);
  assert.deepEqual([whole.turn, whole.current], [0, [b]]);
  const seen = await iris.read();
  const views = [toFoundry(seen), toRoll20(seen), toText(seen)];
  assert.deepEqual([toFoundry(seen).turn, toFoundry(seen).current], [null, []]);
  assert.doesNotMatch(JSON.stringify(views), /Shade|Q2wE4rT6yU8iO0pA/);
  assert.match(toText(seen), /awaiting: someone acts/);
});

test("a shared turn has one index, and all who have it", async () => {
  const turnkeeper = new Turnkeeper(server.url);
  const [a, b, c] = FOUNDRY;
  const combatants = [{ id: a, name: "Iris" }, { id: b, name: "Moth" }, { id: c, name: "Captain", side: "monsters" }];
  const created = await turnkeeper.create({ ruleset: "dc20", combatants });
  const gm = turnkeeper.encounter(created.encounter.id, created.token);
  await gm.send({ type: "start", dc: 5, rolls: { [a]: 12, [b]: 12 } });
  for (const combatant of [a, b]) await gm.send({ type: "claim", combatant, share: true });
  const tracker = toFoundry(await gm.read());
  assert.deepEqual([tracker.turn, [...tracker.current].sort()], [0, [a, b].sort()]);
});

test("Roll20: a combatant without a token is an entry with a name, and before the first turn the list is as it is", async () => {
  const turnkeeper = new Turnkeeper(server.url);
  const [a] = ROLL20;
  const { encounter } = await turnkeeper.create({ ruleset: "seize", combatants: [{ id: a, metadata: { _pageid: "-Mpage_02" } }, { id: "lair", name: "The lair", side: "monsters" }] });
  assert.deepEqual(toRoll20(encounter), [
    { id: a, pr: "", custom: "", _pageid: "-Mpage_02" },
    { id: "-1", pr: "", custom: "The lair" },
  ]);
});

test("a message has at most 2,000 characters, keeps whose turn it is, and mentions nobody", async () => {
  const turnkeeper = new Turnkeeper(server.url);
  const combatants = Array.from({ length: 500 }, (_, i) => ({ id: `c${i}`, name: `@everyone \`\`\` ${"🐉".repeat(20)} ${i}` }));
  const created = await turnkeeper.create({ ruleset: "active-initiative", name: "x".repeat(120), combatants });
  const gm = turnkeeper.encounter(created.encounter.id, created.token);
  await gm.send({ type: "start", first: "c499" });
  const encounter = await gm.read();
  for (const most of [2000, 400]) {
    const text = toText(encounter, most);
    assert.ok(text.length <= most, `${text.length} characters`);
    assert.match(text, /^> @everyone ''' (🐉)+ 499$/mu);
    assert.match(text, /^\.\.\. \d+ more$/m);
    assert.deepEqual(text.match(/```/g)?.length, 2, "names do not end the block");
    assert.ok(text.startsWith("```\n") && text.endsWith("\n```"));
  }
});
