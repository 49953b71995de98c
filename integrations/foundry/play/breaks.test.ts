// What goes wrong at tables: servers and people that leave, systems and modules in the way, forged tokens.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import type { Route } from "playwright-core";
import { play, server } from "./fixture.js";
import { Server } from "./server.js";
import { Table, until } from "./table.js";
import { ids, users } from "./world.js";

const all = ["gm", "anna", "bob"] as const;
const seize = { ruleset: "seize" };
const health = (value: number) => ({ "system.attributes.hp.value": value });

play("the server is restarted in the middle", seize, [...all], async (table) => {
  await table.begin();
  const before = await table.read("gm");
  await server.kill();
  for (const user of all) await table.page(user).locator('section.turnkeeper[data-state="away"]').waitFor();
  await table.screenshots("away");
  for (const user of all) assert.deepEqual(await table.labels(user), [], `${user} has no buttons`);
  const { round, turn } = table.hub.find("Combat", "CombatBridge0000");
  await table.control("gm", "nextTurn");
  await table.page("gm").locator(".notifications .warning").first().waitFor();
  // Two hits while nobody listens: the server gets to the same hit points.
  await table.change("anna", "actors.ActorIris0000000", health(17));
  await table.change("anna", "actors.ActorIris0000000", health(13));
  const combat = table.hub.find("Combat", "CombatBridge0000");
  assert.deepEqual([combat["round"], combat["turn"]], [round, turn], "Foundry's own turns never take over");
  await server.run();
  await until("the damage is sent", async () => (await table.events("damaged")).length === 1);
  await table.check();
  assert.equal((await table.events("damaged"))[0].hp_lost, 7);
  assert.deepEqual((await table.read("gm")).current, before.current);
  await table.control("gm", "nextTurn");
  await until("the turn is over", async () => (await table.read("gm")).current[0] !== before.current[0]);
  await table.check();
});

play("a player alone at the table", { ruleset: "custom", options: { preset: "zipper" } }, [...all], async (table) => {
  await table.begin();
  await table.leave("bob");
  const owner = async () => (await table.read("gm")).pending.combatants.includes(ids.iris);
  for (let turn = 0; !(await owner()) || (await table.read("gm")).current.length > 0; turn++) {
    assert(turn < 20, "Iris never acts");
    await table.control("gm", "nextTurn");
    await table.answer("gm");
    await table.check();
  }
  await table.leave("gm");
  // Anna reloads the page. Nobody could give her a token now.
  await table.leave("anna");
  await table.join("anna");
  await table.check();
  const begin = (await table.labels("anna")).find((label) => /Iris/.test(label))!;
  assert(begin, (await table.labels("anna")).join());
  await table.press("anna", begin);
  await until("Iris acts", async () => (await table.read("anna")).current.includes(ids.iris));
  await table.check();
  await table.screenshots("alone");
  await table.control("anna", "nextTurn");
  await until("the turn is over", async () => !(await table.read("anna")).current.includes(ids.iris));
  await table.check();
  await table.change("anna", "actors.ActorIris0000000", health(11));
  // Back at the table, the game master's client brings Foundry's combat up to date, and offers what it missed.
  await table.join("gm");
  await table.check();
  await table.page("gm").locator(".turnkeeper-level").click();
  await until("the damage is sent", async () => (await table.events("damaged")).length === 1);
  await table.check();
});

play("a game master leaves in the middle, another goes on", seize, ["gm", "assistant", "anna"], async (table) => {
  await table.begin();
  assert.match((await table.token("assistant")) ?? "", /^tk_gm_/);
  await table.page("gm").route(`${server.url}/**`, (route) => route.abort());
  await table.change("anna", "actors.ActorIris0000000", health(14));
  await table.page("gm").waitForTimeout(500);
  await table.leave("gm");
  await until("the assistant sends it", async () => (await table.events("damaged")).length === 1);
  await table.control("assistant", "nextTurn");
  await table.answer("assistant");
  await table.check();
  await table.join("gm");
  await table.check();
  await table.page("gm").waitForTimeout(500);
  assert.equal((await table.events("damaged")).length, 1, "each change is sent once");
});

play("a change that two game masters' clients send", seize, ["gm", "assistant", "anna"], async (table) => {
  await table.begin();
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  const held = new Promise<void>((resolve) => void table.page("gm").route(`${server.url}/**/commands*`, async (route) => {
    resolve();
    await gate;
    await route.continue();
  }));
  await table.change("anna", "actors.ActorIris0000000", health(14));
  await held;
  // For Foundry the game master is gone, but the request is still on its way.
  await table.hub.disconnect(users.gm);
  await until("the assistant sends it", async () => (await table.events("damaged")).length === 1);
  const answered = table.page("gm").waitForResponse((response) => response.url().includes("/commands"));
  release();
  assert.equal((await answered).status(), 412);
  await table.leave("gm");
  await table.check();
  assert.equal((await table.events("damaged")).length, 1, "each change is sent once");
});

play("answers are lost", seize, [...all], async (table) => {
  await table.begin();
  const [first] = (await table.read("gm")).current;
  // The server gets each command, and no page gets the answer.
  const lost = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  for (const user of all) await table.page(user).route(`${server.url}/**/commands*`, lost);
  await table.change("gm", "actors.ActorMoth0000000", health(9));
  await until("the damage arrives", async () => (await table.events("damaged")).length === 1);
  await table.control("gm", "nextTurn");
  await until("the end of the turn arrives", async () => (await table.read("gm")).current[0] !== first);
  await table.page("gm").waitForTimeout(1500);
  for (const user of all) await table.page(user).unroute(`${server.url}/**/commands*`, lost);
  await table.check();
  assert.equal((await table.events("damaged")).length, 1, "each change is sent once");
  assert.equal((await table.events("turn_ended")).length, 1, "and each turn ends once");
  await table.change("gm", "actors.ActorMoth0000000", health(8));
  await until("the next damage arrives", async () => (await table.events("damaged")).length === 2, 30);
  await table.check();
});

play("a game master without a token gets one", seize, ["assistant", "anna"], async (table) => {
  await table.control("assistant", "startCombat");
  await table.settled();
  await table.join("gm");
  await table.check();
  assert.match((await table.token("gm")) ?? "", /^tk_gm_/);
  await table.control("gm", "nextTurn");
  await table.answer("gm");
  await table.check();
});

for (const [libWrapper, generation] of [[false, 13], [true, 14]] as const)
  play(`a system's own class and tracker, ${libWrapper ? "with" : "without"} lib-wrapper, version ${generation}`,
    { ...seize, system: true, libWrapper, generation }, [...all], async (table) => {
      await table.begin();
      assert.equal((await table.page("gm").evaluate(() => (window as any).libWrapped)).length > 0, libWrapper);
      for (let turn = 0; turn < 4; turn++) {
        const { version } = await table.read("gm");
        await table.control("gm", "nextTurn");
        await table.answer("gm");
        await until("the turn goes on", async () => (await table.read("gm")).version > version);
        await table.check();
      }
      const events = await table.page("gm").evaluate(() => (window as any).turnEvents as string[]);
      assert(events.length > 1, "the system's events of turns run");
      await table.control("gm", "rollInitiative");
      assert(!table.notices.join().includes("in its own way"), "the system does not roll");
      // A combat that is not linked stays the system's.
      await table.page("gm").evaluate((id) => {
        const combat = (window as any).game.combats.get(id);
        return combat.unsetFlag("turnkeeper", "link").then(() => combat.nextTurn());
      }, "CombatBridge0000");
      assert.equal(table.hub.find("Combat", "CombatBridge0000")["turn"], 5, "the system's own method ran");
      await until("the panel is gone", async () => (await table.page("anna").locator("section.turnkeeper").count()) === 0);
    });

play("a slow hub", { ...seize, latency: 300 }, [...all], async (table) => {
  await table.begin();
  for (let turn = 0; turn < 6; turn++) {
    const { version } = await table.read("gm");
    // Twice in a hurry: the second does not end the next turn.
    void table.control("gm", "nextTurn");
    await table.control("gm", "nextTurn");
    await table.answer("gm");
    await until("the turn goes on", async () => (await table.read("gm")).version > version);
    await table.check();
  }
});

play("another module moves the turn", seize, [...all], async (table) => {
  await table.begin();
  for (const turn of [0, 1, 2, 3]) {
    await table.page("gm").evaluate((index) => (window as any).game.combat.update({ turn: index }).then(() => undefined), turn);
    await table.check();
  }
});

play("two combats at once", seize, [...all], async (table) => {
  await table.begin();
  const { version } = await table.read("gm");
  const rows = (table.hub.find("Combat", "CombatBridge0000")["combatants"] as object[]).slice(0, 3);
  const second = { _id: "CombatSecond0000", combatants: rows.map((row, index) => ({ ...row, _id: `CombatantSecond${index}` })) };
  await table.hub.operate(users.gm, { kind: "create", type: "Combat", items: [second], options: {} });
  for (const user of all)
    await table.page(user).evaluate((id) => void ((window as any).ui.combat.viewed = (window as any).game.combats.get(id)), second._id);
  await table.page("gm").evaluate((id) => void (window as any).game.combats.get(id).startCombat(), second._id);
  for (const user of all) await table.page(user).locator('section.turnkeeper[data-state="live"] .turnkeeper-status', { hasText: "Round 1" }).waitFor();
  assert.equal((await table.read("gm")).version, version, "the first fight stands");
  for (const user of all)
    await table.page(user).evaluate((id) => void ((window as any).ui.combat.viewed = (window as any).game.combats.get(id)), "CombatBridge0000");
  await table.check();
  await table.page("gm").evaluate((id) => (window as any).game.combats.get(id).endCombat().then(() => undefined), second._id);
  await table.check();
  assert.notEqual((await table.read("gm")).status, "ended");
});

play("a forged token", seize, [...all], async (table) => {
  await table.begin();
  const anna = await table.token("anna");
  const bob = (await table.token("bob"))!;
  for (const token of [bob, "tk_player_forged", "nonsense"])
    await table.page("bob").evaluate(([to, secret]) =>
      (window as any).game.users.get(to).query("turnkeeper.token", { combat: "CombatBridge0000", token: secret }).then(() => 0, () => 0), [users.anna, token] as const);
  assert.equal(await table.token("anna"), anna);
  await table.check();
});

play("the fight ends, and Foundry goes on alone", seize, [...all], async (table) => {
  await table.begin();
  const token = await table.token("gm");
  const url = `${server.url}/v1/encounters/${table.encounter}`;
  await table.page("gm").locator(".turnkeeper-more summary").click();
  await table.page("gm").locator(".turnkeeper-unlink").click();
  await table.answer("gm");
  await until("nobody has a panel", async () => (await table.page("bob").locator("section.turnkeeper").count()) === 0);
  const turn = () => {
    const combat = table.hub.find("Combat", "CombatBridge0000");
    return `${combat["round"]}.${combat["turn"]}`;
  };
  // By the dice it may be the last one's turn: then the next one is the first of another round.
  const before = turn();
  await table.control("gm", "nextTurn");
  await until("Foundry's next turn", async () => turn() !== before);
  assert.equal(await table.page("anna").locator(".turnkeeper-link").count(), 0);
  await table.page("gm").locator(".turnkeeper-link").click();
  await table.settled();
  assert.notEqual(url, `${server.url}/v1/encounters/${table.encounter}`, "a new start is a new encounter");
  const status = async (of: string, by: string) => (await (await fetch(of, { headers: { authorization: `Bearer ${by}` } })).json()).status;
  assert.notEqual(await status(url, token!), "ended");
  const next = `${server.url}/v1/encounters/${table.encounter}`;
  const watcher = (await table.token("gm"))!;
  await table.page("gm").evaluate(() => (window as any).game.combat.endCombat().then(() => undefined));
  await until("the encounter ends", async () => (await status(next, watcher)) === "ended");
});

test("a server that wants an application's key", { timeout: 60_000 }, async () => {
  const said = execFileSync(process.env["TURNKEEPER"]!, ["app-key", "foundry"], { encoding: "utf8" });
  const own = await Server.start({ TURNKEEPER_APP_KEYS: /foundry=\w+/.exec(said)![0] });
  const table = new Table(own, seize);
  try {
    for (const user of all) await table.join(user);
    const key = /tk_app_\S+/.exec(said)![0];
    await table.control("gm", "startCombat");
    await table.page("gm").locator(".notifications .error").waitFor();
    await table.page("gm").evaluate((value) => (window as any).game.settings.set("turnkeeper", "key", value), key);
    await table.begin();
    await table.check();
    // The game master comes back with another browser, and the key.
    await table.page("gm").evaluate(() => localStorage.removeItem("turnkeeper.tokens"));
    await table.leave("gm");
    await table.join("gm");
    await table.check();
    await table.control("gm", "nextTurn");
    await table.check();
    for (const user of ["anna", "bob"] as const) assert(!(table.hub.sent.get(users[user]) ?? []).join().includes(key));
    await table.close();
  } finally {
    await table.end();
    await own.stop();
  }
});
