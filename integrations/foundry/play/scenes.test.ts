// What tables do: interrupt, delay, share a turn, hide and reveal, hurt, take back.
import assert from "node:assert/strict";
import { play, server } from "./fixture.js";
import { until, type Table } from "./table.js";
import { ids } from "./world.js";

const all = ["gm", "anna", "bob"] as const;
const fixed = { settings: { "turnkeeper.playerUndo": true } };

play("a hurt foe interrupts, and hit points go one way", { ruleset: "active-initiative", ...fixed }, [...all], async (table) => {
  await table.begin();
  await restart(table, "Start: choose who goes first", { first: "Iris" });
  await table.check();
  // The twins share the id of an actor. Only the goblin is hurt.
  await table.page("gm").evaluate((id) => (window as any).game.combat.combatants.get(id).actor.update({ system: { attributes: { hp: { value: 4 } } } }), ids.goblin);
  await until("the server knows", async () => (await table.events("damaged")).length === 1);
  const [damaged] = await table.events("damaged");
  assert.deepEqual([damaged.combatant, damaged.amount], [ids.goblin, 3]);
  const view = await table.read("anna");
  assert.equal(view.combatants.find((one: any) => one.id === ids.goblin).hp, undefined, "Anna is not told the hit points of foes");
  await table.settled();
  await table.press("anna", "Iris: end turn");
  await table.settled();
  await table.press("anna", "Iris: choose who acts next", { next: "Moth" });
  await table.settled();
  assert.match(await table.status("bob"), /interrupt, Goblin/);
  await table.screenshots("interrupt-window");
  const interrupt = await table.offers("gm", "interrupt", "Goblin");
  assert(interrupt, (await table.labels("gm")).join());
  await table.press("gm", interrupt);
  await table.settled();
  await table.press("gm", "Goblin: start turn");
  await table.check();
  assert.deepEqual((await table.read("bob")).current, [ids.goblin]);
  // Healing and damage of a character by its player: once each.
  await table.change("anna", "actors.ActorIris0000000", { "system.attributes.hp.value": 12 });
  await until("the damage is sent", async () => (await table.events("damaged")).length === 2);
  await table.change("anna", "actors.ActorIris0000000", { "system.attributes.hp.value": 15 });
  await until("the healing is sent", async () => (await table.events("healed")).length === 1);
  await table.check();
  assert.equal((await table.events("damaged")).length, 2);
  assert.equal(table.hub.find("Actor", "ActorIris0000000")["system"].attributes.hp.value, 15, "nothing writes hit points back");
  // Foundry's previous turn takes back; the hit points of Foundry stay, and the game master is asked.
  await table.control("gm", "previousTurn");
  await until("the healing is taken back", async () => hpOf(await table.read("gm"), ids.iris) === 12);
  await table.settled();
  await table.page("gm").locator(".turnkeeper-level").click();
  await until("the server follows Foundry", async () => hpOf(await table.read("gm"), ids.iris) === 15);
  await table.check();
});

const hpOf = (encounter: any, id: string): number => encounter.combatants.find((one: any) => one.id === id).hp.current;

play("a player takes back their own last command", { ruleset: "seize", ...fixed }, [...all], async (table) => {
  await table.begin();
  for (let turn = 0; !(await table.labels("anna")).includes("Iris: end turn"); turn++) {
    assert(turn < 20, "Iris never acts");
    await table.control("gm", "nextTurn");
    await table.answer("gm");
    await table.check();
  }
  const before = (await table.read("gm")).current;
  await table.control("anna", "nextTurn");
  await until("the turn is over", async () => (await table.read("gm")).current.length === 0);
  await table.settled();
  await table.control("anna", "previousTurn");
  await until("the turn goes on", async () => (await table.read("gm")).current[0] === before[0]);
  await table.check();
  await table.control("gm", "nextRound");
  await table.page("gm").locator(".notifications .warning").waitFor();
  await table.check();
});

play("who plays by keyboard keeps the place while a command is sent", { ruleset: "seize", ...fixed }, ["gm"], async (table) => {
  await table.begin();
  const page = table.page("gm");
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  let release = () => {};
  const released = new Promise<void>((resolve) => { release = resolve; });
  await page.route(`${server.url}/**/commands*`, async (route) => {
    await released;
    await route.continue();
  });
  const ends = (await table.offers("gm", "end_turn"))!;
  await page.getByRole("button", { name: ends, exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".turnkeeper-status[aria-busy]").waitFor();
  assert.equal(await focused(), ends);
  await page.keyboard.press("Enter");
  assert.equal(await focused(), ends);
  release();
  await table.check();
  assert.equal((await table.events("turn_ended")).length, 1);
});

play("delay and return", { ruleset: "custom", options: { preset: "d20-delay" } }, [...all], async (table) => {
  await table.begin();
  const waits = () => table.offers("anna", "delay");
  for (let turn = 0; !(await waits()); turn++) {
    assert(turn < 20, "Iris never acts");
    await table.control("gm", "nextTurn");
    await table.answer("gm");
    await table.check();
  }
  await table.press("anna", (await waits())!);
  await table.check();
  assert(!(await table.read("gm")).current.includes(ids.iris));
  const returns = () => table.offers("anna", "return");
  for (let turn = 0; !(await returns()); turn++) {
    assert(turn < 20, "Iris never returns");
    await table.control("gm", "nextTurn");
    await table.answer("gm");
    await table.check();
  }
  await table.press("anna", (await returns())!);
  await table.check();
  assert((await table.read("gm")).current.includes(ids.iris));
});

play("a wait jump", { ruleset: "exp" }, [...all], async (table) => {
  await table.begin();
  const rolls = { [ids.iris]: 10, [ids.moth]: 8, [ids.captain]: 6, [ids.goblin]: 5, [ids.twin]: 4, [ids.ninja]: 2 };
  await restart(table, undefined, Object.fromEntries(Object.entries(rolls).map(([id, roll]) => [`rolls.${id}`, String(roll)])));
  await until("Iris is asked", async () => (await table.read("anna")).current.includes(ids.iris));
  await table.check();
  await table.press("anna", "Iris: declare", { move: "Wait", act: "Wait" });
  await table.check();
  const jump = () => table.offers("anna", "jump");
  for (let step = 0; !(await jump()); step++) {
    assert(step < 20, "Iris cannot jump");
    const user = (await table.read("gm")).current.includes(ids.moth) ? "bob" : "gm";
    const { version } = await table.read("gm");
    await table.control(user, "nextTurn");
    // Of the answers that are legal the first: all that is left, now.
    await until("the answer is sent", async () => {
      await table.answer(user);
      return (await table.read("gm")).version > version;
    });
    await table.check();
  }
  await table.press("anna", (await jump())!);
  await until("the jump is made", async () => JSON.stringify(await table.read("gm", "/events?limit=1000")).includes('"jump"'));
  await table.check();
});

play("Foundry's roll begins the next unit", { ruleset: "exp" }, [...all], async (table) => {
  await table.begin();
  const { version } = await table.read("gm");
  await table.control("gm", "rollInitiative");
  await table.page("gm").locator(".notifications .warning").waitFor();
  assert.equal((await table.read("gm")).version, version, "nobody rolls within a unit");
  for (let step = 0; !(await table.read("gm")).pending.commands.includes("roll"); step++) {
    assert(step < 20, "the unit does not end");
    const before = await table.read("gm");
    await table.control("gm", "nextTurn");
    await until("the answer is sent", async () => {
      await table.answer("gm");
      return (await table.read("gm")).version > before.version;
    });
    await table.check();
  }
  const { round } = await table.read("gm");
  await table.control("anna", "rollAll");
  await until("the next unit begins", async () => (await table.read("gm")).round > round);
  await table.check();
});

play("forms of objects, lists and shapes", { ruleset: "venture" }, ["gm"], async (table) => {
  await table.begin();
  await restart(table, undefined, { [`joins.${ids.iris}.successes`]: "9" });
  await table.check();
  assert.equal((await table.read("gm")).order.find((row: any) => row.combatant === ids.iris).initiative, 12);
  const page = table.page("gm");
  await page.locator(".turnkeeper-more summary").click();
  await page.locator('.turnkeeper-more').getByRole("button", { name: "Add an effect", exact: true }).click();
  await page.locator("dialog").waitFor();
  await table.answer("gm", { "effect.name": "Bless", "effect.target": "Iris", "effect.expires": "For a number of rounds", "effect.expires.0.rounds": "10" });
  await until("the effect starts", async () => (await table.read("gm")).effects.length === 1);
  const [{ name, target, expires }] = (await table.read("gm")).effects;
  assert.deepEqual([name, target, expires.at, expires.rounds], ["Bless", ids.iris, "round_end", 10]);
  for (let step = 0; !(await table.offers("gm", "act")); step++) {
    assert(step < 40, "nobody attacks");
    const { version } = await table.read("gm");
    await table.control("gm", "nextTurn");
    await until("the answer is sent", async () => {
      await table.answer("gm");
      return (await table.read("gm")).version > version;
    });
    await table.check();
  }
  const attack = page.locator(".turnkeeper > .turnkeeper-options li").filter({ has: page.locator('[data-type="act"]') }).first();
  await attack.locator('[data-type="act"]').click();
  const values = await page.locator('dialog [name="attacked.0.combatant"] option').allInnerTexts();
  const sent = page.waitForRequest(/commands/);
  await table.answer("gm", { "attacked.0.combatant": values[1]!, decisive: "Yes" });
  const { attacked, decisive } = (await sent).postDataJSON();
  assert.deepEqual([attacked.length, decisive], [1, true]);
  await table.check();
});

play("a shared turn", { ruleset: "dc20" }, [...all], async (table) => {
  await table.begin();
  // The start goes back too, and takes the dice of the table.
  await restart(table, "Start with a DC of your own", { dc: "5", [`rolls.${ids.iris}`]: "15", [`rolls.${ids.moth}`]: "15" });
  await advanceTo(table, "claim");
  for (const [user, name] of [["anna", "Iris"], ["bob", "Moth"]] as const) {
    await table.press(user, `${name}: claim the PC Turn`, { share: "Yes" });
    await table.settled();
  }
  await until("both act", async () => (await table.read("anna")).current.length === 2);
  await table.check();
  await table.screenshots("shared-turn");
  for (const user of ["anna", "bob"] as const) assert.equal(await table.page(user).locator(".turnkeeper-current").count(), 2);
  await table.control("bob", "nextTurn");
  await until("one still acts", async () => (await table.read("anna")).current.length === 1);
  await table.check();
});

play("the options and stats of the ruleset are fields, as the server publishes them", { ruleset: "custom", options: { preset: "d20", definition: { score: { reroll: true } } }, settings: { "turnkeeper.stats": JSON.stringify({ "numbers.dex": "system.dex" }) } }, ["gm"], async (table) => {
  const page = table.page("gm");
  const open = () => page.evaluate(() => void new ((window as any).game.settings.menus.get("turnkeeper.rules").type)().render(true));
  const kept = (key: string) => page.evaluate((name) => JSON.parse((window as any).game.settings.get("turnkeeper", name)), key);
  const dialog = page.locator("dialog");
  await open();
  await dialog.waitFor();
  assert.equal(await dialog.getByLabel("Preset").evaluate((input: HTMLSelectElement) => input.selectedOptions[0]!.text), "D&D 5e and its kin");
  assert.equal(await dialog.getByLabel("Dex").inputValue(), "system.dex");
  assert.equal(await dialog.getByLabel("Other options").inputValue(), JSON.stringify({ definition: { score: { reroll: true } } }));
  await dialog.getByLabel("Armor class").fill("system.ac");
  await dialog.getByLabel("Dex").fill("");
  await dialog.locator("button[data-action=ok]").click();
  await until("it is kept", async () => "armor_class" in (await kept("stats")));
  assert.deepEqual(await kept("stats"), { armor_class: "system.ac" });
  assert.deepEqual(await kept("options"), { preset: "d20", definition: { score: { reroll: true } } });
  // A list in place of an object is refused, and changes nothing.
  await open();
  await dialog.getByLabel("Other options").fill("[1]");
  await dialog.locator("button[data-action=ok]").click();
  await until("it is refused", async () => table.notices.some((notice) => notice.includes("must hold a JSON object")));
  assert.deepEqual(await kept("options"), { preset: "d20", definition: { score: { reroll: true } } });
});

play("places are written as initiatives, so that other trackers show the server's order", { ruleset: "custom", options: { preset: "zipper" }, settings: { "turnkeeper.places": true } }, [...all], async (table) => {
  await table.begin();
  for (let turn = 0; turn < 5; turn++) {
    await table.control("gm", "nextTurn");
    await table.answer("gm");
    await table.check();
    const { order, current } = await table.read("gm");
    const rows = [...new Set(order.map((row: any) => row.combatant).filter(Boolean))];
    for (const user of all) {
      const turns = () => table.page(user).evaluate(() => (window as any).game.combat.turns.map((one: any) => one.id));
      await until(`${user} has the order`, async () => JSON.stringify(await turns()) === JSON.stringify(rows));
      const acts = () => table.page(user).evaluate(() => (window as any).game.combat.combatant?.id);
      await until(`${user} has the turn`, async () => current.length === 0 || current.includes(await acts()));
    }
  }
});

const twice = { "turnkeeper.stats": JSON.stringify({ "numbers.turns": "system.turns" }) };

const d20 = { preset: "d20", definition: { numbers: { turns: 1 }, turns: "turns" } };

play("a combatant with several turns", { ruleset: "custom", options: d20, settings: twice }, [...all], async (table) => {
  await table.begin();
  const badge = (user: (typeof all)[number]) => table.page(user).locator(`[data-combatant-id="${ids.captain}"] .turnkeeper-note`);
  await table.screenshots("several-turns");
  for (const left of [2, 1]) {
    for (const user of all) await badge(user).filter({ hasText: `×${left}/2` }).waitFor();
    for (let step = 0; !(await table.read("gm")).current.includes(ids.captain); step++) {
      assert(step < 20, "the captain never acts");
      await table.control("gm", "nextTurn");
      await table.answer("gm");
      await table.check();
    }
    // The second turn may follow the first at once.
    const acted = async () => (await table.read("gm")).order.filter((row: any) => row.combatant === ids.captain && row.acted).length;
    const before = await acted();
    await table.control("gm", "nextTurn");
    await until("the captain's turn is over", async () => (await acted()) > before || (await table.read("gm")).round > 1);
    await table.check();
  }
  for (const user of all) assert.equal(await table.page(user).locator(`[data-combatant-id="${ids.captain}"]`).count(), 1);
});

play("a name that is markup", { ruleset: "active-initiative" }, [...all], async (table) => {
  const name = "<img src=x onerror=hacked=1>";
  await table.change("gm", `combats.CombatBridge0000.${ids.iris}`, { name });
  await table.begin();
  await table.press("gm", (await table.labels("gm")).find((label) => /end turn and choose who/.test(label))!);
  await table.check();
  for (let turn = 0; turn < 4; turn++) {
    await table.control("gm", "nextTurn");
    if (turn > 1) await table.screenshots(`markup-${turn}`);
    for (const user of all) {
      assert.equal(await table.page(user).locator("img").count(), 0);
      assert.equal(await table.page(user).evaluate(() => (window as any).hacked), undefined);
    }
    await table.answer("gm");
    await table.check();
  }
});

play("a hidden combatant acts, and is revealed", { ruleset: "active-initiative" }, [...all], async (table) => {
  await table.begin();
  const [first] = (await table.read("gm")).current;
  const name = (await table.read("gm")).combatants.find((one: any) => one.id === first).name;
  if (first !== ids.ninja) {
    await table.press("gm", `${name}: end turn and choose who acts next`, { next: "Ninja" });
    await until("the ninja acts", async () => (await table.read("gm")).current.includes(ids.ninja));
  }
  await table.check();
  assert.match(await table.status("anna"), /Someone acts/);
  assert.equal(await table.page("anna").locator(".turnkeeper-current").count(), 0);
  await table.screenshots("hidden");
  // Damage of the hidden reaches the server, and no player.
  await table.change("gm", "actors.ActorNinja000000", { "system.attributes.hp.value": 9 });
  await until("the server knows", async () => (await table.events("damaged")).length === 1);
  for (const user of ["anna", "bob"] as const) assert.deepEqual(await table.shown(user), []);
  table.revealed = true;
  await table.change("gm", "tokens.TokenNinja000000", { hidden: false });
  await table.change("gm", `combats.CombatBridge0000.${ids.ninja}`, { hidden: false });
  await until("the players see it", async () => (await table.read("anna")).current.includes(ids.ninja));
  await table.check();
  assert.match(await table.status("anna"), /Ninja/);
  await table.screenshots("revealed");
  // An undo would show the hidden again; Foundry decides.
  await table.change("gm", `combats.CombatBridge0000.${ids.ninja}`, { hidden: true });
  await until("it is hidden again", async () => !JSON.stringify(await table.read("anna")).includes("Ninja"));
  await table.check();
});

play("who joins and leaves", { ruleset: "seize" }, [...all], async (table) => {
  await table.begin();
  const before = await table.token("anna");
  await table.page("gm").evaluate(() => (window as any).game.combat.createEmbeddedDocuments("Combatant", [
    { _id: "CombatantIrisPet", name: "Owl", actorId: "ActorIris0000000", tokenId: null, flags: {} },
  ]));
  await until("the server knows the owl", async () => (await table.read("gm")).combatants.some((one: any) => one.name === "Owl"));
  await until("Anna has a token for it", async () => (await table.token("anna")) !== before && (await table.read("anna")).you.combatants.length === 2);
  const old = () => fetch(`${table.server.url}/v1/encounters/${table.encounter}`, { headers: { authorization: `Bearer ${before}` } });
  await until("the old token is revoked", async () => (await old()).status === 404);
  await table.check();
  await table.page("gm").evaluate((id) => (window as any).game.combat.deleteEmbeddedDocuments("Combatant", [id]), ids.captain);
  await until("the captain is gone", async () => !(await table.read("gm")).combatants.some((one: any) => one.name === "Captain"));
  await table.change("gm", `combats.CombatBridge0000.${ids.goblin}`, { defeated: true });
  await until("the goblin is out", async () => (await table.read("gm")).order.find((row: any) => row.combatant === ids.goblin).out);
  await table.check();
});

/** Takes the start back, and starts with the choices of the table. */
async function restart(table: Table, label: string | undefined, values: Record<string, string>): Promise<void> {
  await table.control("gm", "previousTurn");
  await until("the start is taken back", async () => (await table.read("gm")).status === "setup");
  await table.check();
  await table.press("gm", label ?? (await table.page("gm").locator('[data-type="start"]').first().innerText()), values);
  await until("it starts again", async () => (await table.read("gm")).status !== "setup");
}

async function advanceTo(table: Table, decision: string): Promise<void> {
  await until(decision, async () => {
    if ((await table.read("gm")).pending.decision === decision) return true;
    await table.control("gm", "nextTurn");
    await table.answer("gm");
    await table.settled();
    return false;
  });
}
