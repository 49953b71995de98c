// The page without a fight: what lines of text become, a fight from an empty page by keys alone, and what the browser keeps.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { Roster, singular, vocabulary } from "../page/roster.js";
import { ambush, under } from "./fights.mjs";
import { Fight, Server, Wire, axe, pictures, until } from "./harness.mjs";

// The pace of someone who types well.
const KEY = 150;
const LIMIT = 60_000;

const PARTY = ["Ann hp 24/30 dex 3 player Zoe", "Bob 31hp dex 1", "Mira 18/22 dex 4", "Cara hp 20 dex 2"];
const MONSTERS = ["3 Goblins 7hp dex 2", "2 Wolves 11hp dex 2", "Ogre 59hp dex -1"];

// Lines, and the combatants that they become, under D&D 5e.
const READ = [
  ["Ann hp 24/30 dex 3 player Zoe", [{ name: "Ann", hp: { current: 24, max: 30 }, numbers: { dex: 3 }, controller: "Zoe" }]],
  ["Goblin ac 15 7hp level 2", [{ name: "Goblin", armor_class: 15, hp: { current: 7 }, level: 2 }]],
  ["2 Goblins 7hp dex +2", [1, 2].map((n) => ({ name: `Goblin ${n}`, group: "goblins", hp: { current: 7 }, numbers: { dex: 2 } }))],
  ["Wolves x2 11 hp apart", [1, 2].map((n) => ({ name: `Wolf ${n}`, hp: { current: 11 } }))],
  ["2 Rats 2hp together", [{ name: "Rats", members: [1, 2].map((n) => ({ id: `rat-${n}`, hp: { current: 2 } })) }]],
  ["Goblin 2 hp 7 dex 3", [{ name: "Goblin 2", hp: { current: 7 }, numbers: { dex: 3 } }]],
  ["Ann 24 hp 3 dex 1 legendary", [{ name: "Ann", hp: { current: 24 }, numbers: { dex: 3, legendary: 1 } }]],
  ["Ann hp 24 temp 5 roll 15", [{ name: "Ann", hp: { current: 24, temp: 5 }, roll: 15 }]],
  ["- The Count, 12/30, count 20, hidden, side cultists, condition prone", [{ name: "The Count", hp: { current: 12, max: 30 }, numbers: { count: 20 }, hidden: true, side: "cultists", conditions: ["prone"] }]],
  ["Dex Hunter dex=2", [{ name: "Dex Hunter", numbers: { dex: 2 } }]],
  ["Zoë the Bold player Zoe Smith hp 9", [{ name: "Zoë the Bold", controller: "Zoe Smith", hp: { current: 9 } }]],
  ["2 Élans dex 2", [1, 2].map((n) => ({ name: `Élan ${n}`, group: "élans", numbers: { dex: 2 } }))],
  ["2 Волки 7hp", [1, 2].map((n) => ({ name: `Волки ${n}`, group: "волки", hp: { current: 7 } }))],
  ["2 Élans 7hp together", [{ name: "Élans", members: [1, 2].map((n) => ({ id: `elan-${n}`, hp: { current: 7 } })) }]],
  ["Мерроу condition ослеплён, side враги", [{ name: "Мерроу", conditions: ["ослеплён"], side: "враги" }]],
  ["", []],
  ["# a comment", []],
];

const LEFT_OUT = [
  ["Goblin 7hp cr 5", "cr 5", /No ruleset keeps this/],
  ["Goblin xp 15 7hp", "xp 15", /No ruleset keeps this/],
  ["Ann hp 7 dxe 3", "dxe 3", /Unknown word/],
  ["Ann, 24", "24", /needs a word/],
  ["Ann hp", "hp", /hp needs a number/],
  ["Ann hp 3 kind dragon", "kind dragon", /pc, npc, hazard/],
  ["Ann dex 1 dex 2", "dex 2", /there twice/],
];

const REFUSED = [
  ["hp 7", /name is missing/],
  ["Ann 30/24", /24\/30/],
  ["Ann temp 5", /Add hp/],
  ["0 Goblins", /from 1/],
  ["999 Rats", /at most 500/],
  [`Ann ${"player ".repeat(400)}`, /too long/],
  ["60 Rats together", /50/],
  ["Ann side a&b", /Use letters/],
  ["Ann roll 1000", /Use 1 to 900/],
];

// Goes back to all fights. The page asks once more before it leaves one that the browser does not remember.
async function leave(page) {
  const home = page.getByRole("link", { name: "All fights" });
  await home.click();
  if (await page.locator("#toast", { hasText: "does not remember the fight" }).isVisible()) await home.click();
}

export function start({ browser, server, wire }) {
  const manifest = async (id) => (await fetch(`${wire.url}/v1/rulesets/${id}`)).json();
  const reader = async (id, preset) => {
    const ruleset = await manifest(id);
    const definition = ruleset.presets?.find((one) => one.id === preset).definition;
    const words = vocabulary(ruleset, definition);
    return (text) => new Roster({ lines: text }, { lines: "players" }, words, definition);
  };
  const opened = async (context = {}, url = wire.url) => {
    const own = await browser().newContext({ viewport: { width: 1280, height: 900 }, ...context });
    const page = await own.newPage();
    page.on("pageerror", (error) => { throw error; });
    await page.goto(`${url}/table`);
    await page.locator("#new-game option").nth(1).waitFor({ state: "attached" });
    return page;
  };
  const choose = (page, label) => page.locator("#new-game").selectOption({ label });
  const fill = async (page, party = PARTY, monsters = MONSTERS) => {
    await page.getByLabel("Party", { exact: true }).fill(party.join("\n"));
    await page.getByLabel("Monsters", { exact: true }).fill(monsters.join("\n"));
  };
  // The fight that the address opens.
  const fightOf = async (page, url = wire.url) => {
    await page.locator("#connection.live").waitFor();
    const link = new URLSearchParams(new URL(page.url()).hash.slice(1));
    return Object.assign(new Fight(), { url, id: link.get("encounter"), tokens: { gm: link.get("token") } });
  };
  const kept = (page) => page.evaluate(() => Object.fromEntries(Object.entries(localStorage).map(([name, value]) => [name.replace("turnkeeper/", ""), JSON.parse(value)])));

  test("a line is read as a player would say it", async () => {
    const read = await reader("custom", "d20");
    for (const [line, expected] of READ) {
      const { combatants, lines, errors } = read(line);
      assert.deepEqual(combatants, expected.map((one) => ({ side: "players", ...one })), line);
      assert.deepEqual([errors, lines.flatMap(({ rest }) => rest)], [[], []], line);
    }
    for (const [line, text, reason] of LEFT_OUT) {
      const { lines: [{ rest }], combatants } = read(line);
      assert.deepEqual([rest.map((one) => one.text), combatants.length], [[text], 1], line);
      assert.match(rest[0].reason, reason);
    }
    for (const [line, reason] of REFUSED) {
      const { errors, combatants } = read(line);
      assert.equal(combatants.length, 0, line);
      assert.match(errors[0].error, reason, line);
    }
    assert.equal(read(`Ann hp 3 ${"player ".repeat(60)}`).combatants.length, 1, "in no time");
    assert.equal(read("Rat\n".repeat(5000)).lines.length, 501);
    assert.deepEqual(read("2 Goblins\n2 Goblins").combatants.map(({ name }) => name), ["Goblin 1", "Goblin 2", "Goblin 3", "Goblin 4"]);
    for (const [many, one] of [["Zombies", "Zombie"], ["Harpies", "Harpy"], ["Witches", "Witch"], ["Ogres", "Ogre"], ["Dwarves", "Dwarf"], ["Lizardmen", "Lizardman"], ["Boss", "Boss"], ["Imps", "Imp"]]) {
      assert.equal(singular(many), one);
    }
  });

  test("each ruleset's own numbers and words are read from its manifest", async () => {
    for (const [id, line, expected] of [
      ["active-initiative", "Ann int 2 wis 12 inspiration 1", { int_modifier: 2, wis: 12, inspiration: 1 }],
      ["dc20", "Ann agility 2 level 3 important not neutral", { agility: 2, level: 3, important: true, neutral: false }],
      ["venture", "Ann not worthy foe wits 3", { worthy_foe: false, wits: 3 }],
      ["exp", "Ann persona robot encumbrance over-encumbered", { persona: "robot", encumbrance: "over_encumbered" }],
      ["seize", "Ann roll_group wolves initiative bonus 4", { roll_group: "wolves", initiative_bonus: 4 }],
    ]) {
      const { combatants, lines } = (await reader(id))(line);
      assert.deepEqual(combatants, [{ name: "Ann", side: "players", ...expected }], id);
      assert.deepEqual(lines[0].rest, []);
    }
  });

  test("the numbers of a definition have words of any script", async () => {
    const { combatant, options } = await manifest("custom");
    const definition = { numbers: { ловкость: 0 } };
    const words = vocabulary({ combatant, options }, definition);
    for (const line of ["Мерроу ловкость 2", "Мерроу Ловкость: 2", "Мерроу 2 ЛОВКОСТЬ", "Мерроу ловкость+2", "Мерроу лов 2"]) {
      const { combatants } = new Roster({ lines: line }, { lines: "players" }, words, definition);
      assert.deepEqual(combatants, [{ name: "Мерроу", side: "players", numbers: { ловкость: 2 } }], line);
    }
  });

  test("from an empty page to round 1 of a d20 fight by keys alone, in less than a minute", async () => {
    const page = await opened();
    const began = Date.now();
    let keys = 0;
    const type = async (text) => {
      keys += text.length;
      await page.keyboard.type(text, { delay: KEY });
    };
    const press = async (key) => {
      keys++;
      await page.keyboard.press(key, { delay: KEY });
    };
    const tabTo = async (label) => {
      for (let presses = 0; presses < 20; presses++) {
        if ((await page.evaluate(() => document.activeElement.labels?.[0]?.textContent)) === label) return;
        await press("Tab");
      }
      throw new Error(`no way to ${label}`);
    };
    await tabTo("Game");
    await type("D&D");
    await tabTo("Party");
    await type(PARTY.join("\n"));
    await tabTo("Monsters");
    await type(MONSTERS.join("\n"));
    const typed = Date.now();
    await press("Control+Enter");
    const fight = await fightOf(page);
    await until(() => page.evaluate(() => document.activeElement.closest("#buttons") !== null), "the start has the focus");
    assert.equal(await page.evaluate(() => scrollY), 0, "the head of the page is on the screen");
    await press("Enter");
    await until(async () => (await page.locator("#about").innerText()).includes("Round 1"), "round 1");
    // A machine that is busy with something else passes the keys on late.
    const took = Math.min(Date.now() - began, keys * KEY + Date.now() - typed);
    console.log(`# from an empty page to round 1: ${(took / 1000).toFixed(1)} s with ${keys} keys at ${KEY} ms each`);
    assert.ok(took < LIMIT, `${took} ms`);
    const { combatants, round, status, ruleset } = await fight.read("gm");
    assert.deepEqual([combatants.length, round, status, ruleset], [10, 1, "running", "custom"]);
    assert.deepEqual(combatants.filter(({ side }) => side === "monsters").map(({ name }) => name), ["Goblin 1", "Goblin 2", "Goblin 3", "Wolf 1", "Wolf 2", "Ogre"]);
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0, "nothing is kept that nobody asked for");
    await page.context().close();
  });

  test("every game of the list begins from two lines", async () => {
    const page = await opened();
    const games = await page.locator("#new-game option").allInnerTexts();
    const { presets } = await manifest("custom");
    for (const { plays } of presets) assert.ok(games.includes(plays), plays);
    for (const game of games.slice(1)) {
      await choose(page, game);
      await page.getByLabel("Name", { exact: true }).fill(`Fight of ${game}`);
      await fill(page, ["Ann hp 20", "Bob 20hp"], ["2 Goblins 7hp"]);
      await page.getByRole("button", { name: "Create the fight" }).click();
      const fight = await fightOf(page);
      await until(async () => (await page.locator("#name").innerText()) === `Fight of ${game}`, game);
      const { combatants, pending } = await fight.read("gm");
      assert.deepEqual(combatants.map(({ name }) => name), ["Ann", "Bob", "Goblin 1", "Goblin 2"], game);
      assert.ok(pending.commands.includes("start"), game);
      // An order of one's own is that of D&D until it has lines.
      const name = game.startsWith("Another") ? "D&D 5e and its kin" : game;
      await until(async () => (await page.locator("#about").innerText()) === `Not begun · ${name}`, `the head names ${game}`);
      await until(async () => (await page.locator("#buttons button").first().innerText()).match(/start/i), `${game} offers the start`);
      await leave(page);
      await page.getByRole("heading", { name: "Start a fight" }).waitFor();
    }
    await page.context().close();
  });

  test("what was understood is shown at once, and a wrong line is named and not sent", async () => {
    const page = await opened();
    await fill(page, ["Ann hp 24/30 dex 3"], ["Orc 30/15", "<b>Imp</b> 3hp cr 12"]);
    const left = page.locator(".left-out").first();
    assert.match(await left.innerText(), /dex 3.*Choose a game first/);
    await choose(page, "D&D 5e and its kin");
    await until(async () => (await page.locator(".left-out").count()) === 1, "dex is known now");
    assert.match(await left.innerText(), /cr 12.*No ruleset keeps this/);
    assert.deepEqual(await page.locator(".understood").first().locator("tbody tr").first().locator("th, td").allInnerTexts(), ["Ann", "24/30", "dex 3"]);
    await until(async () => (await page.locator("#new-summary").innerText()) === "2 combatants, 1 part left out, 1 line to correct.", "the sum");
    await page.getByRole("button", { name: "Create the fight" }).click();
    assert.match(await page.locator("#new-told").innerText(), /^Monsters, line 1: 30 of 15 hit points/);
    const chosen = () => page.evaluate(() => { const { value, selectionStart, selectionEnd } = document.activeElement; return value.slice(selectionStart, selectionEnd); });
    assert.equal(await chosen(), "Orc 30/15", "the line is selected");
    // The server knows more limits than the page does.
    await page.keyboard.type("Orc 15/30 dex 99999");
    await page.getByRole("button", { name: "Create the fight" }).click();
    await page.locator("#new-told", { hasText: /Monsters, line 1: dex: .*-1000 to 1000/ }).waitFor();
    assert.equal(await chosen(), "Orc 15/30 dex 99999");
    await page.keyboard.type("Orc 15/30 dex 1");
    await page.keyboard.press("Control+Enter");
    const fight = await fightOf(page);
    assert.deepEqual((await fight.read("gm")).combatants.map(({ name }) => name), ["Ann", "Orc", "<b>Imp</b>"], "names are text");
    await page.context().close();
  });

  test("rules, rights and a definition's lines go into the fight", async () => {
    const page = await opened();
    await choose(page, "D&D 5e and its kin");
    await page.locator("#rules summary").click();
    await page.getByLabel("Hit points of foes").selectOption({ label: "In numbers" });
    await page.getByLabel("Players undo").selectOption({ label: "Yes" });
    await page.getByLabel("Definition").fill('{"numbers": {"turns": 1}');
    await fill(page, ["Ann dex 3"], ["Ogre turns 2"]);
    await page.getByRole("button", { name: "Create the fight" }).click();
    assert.match(await page.locator("#new-told").innerText(), /definition is not valid JSON/);
    await page.getByLabel("Definition").fill('{"numbers": {"turns": 1}, "turns": "turns", "score": {"reroll": true}, "changes": {"further_turn": 5}}');
    await page.getByRole("button", { name: "Create the fight" }).click();
    let fight = await fightOf(page);
    let encounter = await fight.read("gm");
    assert.deepEqual([encounter.foe_hp, encounter.player_undo, encounter.options.definition.turns, encounter.combatants[1].numbers.turns], ["exact", true, "turns", 2]);
    assert.match(await page.locator("#about").innerText(), /· Custom$/, "a changed preset is no longer the game");
    await leave(page);
    await choose(page, "Active Initiative");
    await page.getByLabel("Interrupt before nomination").selectOption({ label: "Yes" });
    await fill(page, ["Ann wis 12"], ["Ogre"]);
    await page.getByRole("button", { name: "Create the fight" }).click();
    fight = await fightOf(page);
    encounter = await fight.read("gm");
    assert.deepEqual([encounter.ruleset, encounter.options.interrupt_before_nomination], ["active-initiative", true]);
    await page.context().close();
  });

  test("a party and an encounter are saved, loaded and deleted", async () => {
    const page = await opened();
    await choose(page, "Pathfinder 2e");
    await fill(page, ["Ann hp 20 check 5"], ["3 Goblins 6hp check 2"]);
    for (const [list, name] of [["party", "The millers"], ["monsters", "Goblins at the mill"]]) {
      const saved = page.locator(".saved").nth(list === "party" ? 0 : 1);
      await saved.locator("summary").click();
      await saved.getByLabel(/^Save .* as$/).fill(name);
      await page.keyboard.press("Enter");
      await saved.getByRole("button", { name, exact: true }).waitFor();
    }
    await page.reload();
    await page.locator("#new-game option").nth(1).waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Goblins at the mill", exact: true }).click();
    await page.getByRole("button", { name: "The millers", exact: true }).click();
    assert.equal(await page.getByLabel("Party", { exact: true }).inputValue(), "Ann hp 20 check 5");
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Goblins at the mill");
    assert.equal(await page.locator("#new-game option:checked").innerText(), "Pathfinder 2e", "an encounter knows its game");
    assert.equal(await page.locator(".left-out").count(), 0);
    await page.getByRole("button", { name: "Delete The millers" }).click();
    await page.getByRole("button", { name: "Delete Goblins at the mill" }).click();
    assert.deepEqual(await kept(page), {});
    await page.context().close();
  });

  test("a fight is remembered only when the reader says so, and forgotten", async () => {
    const page = await opened();
    await choose(page, "D&D 5e and its kin");
    await fill(page);
    await page.getByLabel("Name", { exact: true }).fill("The mill");
    await page.getByLabel("Remember the fight in this browser").check();
    await page.getByRole("button", { name: "Create the fight" }).click();
    const fight = await fightOf(page);
    const remember = page.getByRole("button", { name: /^Remember/ });
    assert.equal(await remember.getAttribute("aria-pressed"), "true");
    await fight.send({ type: "update_encounter", name: "The old mill" });
    await until(async () => (await kept(page)).fights[0].name === "The old mill", "the new name is kept");
    // A player keeps a link on a phone.
    const other = await ambush(wire.url);
    await page.goto(wire.url + other.link("player"));
    await page.locator("#name", { hasText: "Ambush" }).waitFor();
    assert.equal(await remember.getAttribute("aria-pressed"), "false");
    assert.equal(await page.getByRole("button", { name: "Export" }).count(), 0, "a player has no export");
    await remember.click();
    await leave(page);
    const known = page.getByRole("region", { name: "Your fights" });
    assert.deepEqual(await known.getByRole("link").allInnerTexts(), ["Ambush at the mill", "The old mill"]);
    await known.getByRole("link", { name: "The old mill" }).click();
    await page.locator("#name", { hasText: "The old mill" }).waitFor();
    await remember.click();
    assert.equal((await kept(page)).fights.length, 1);
    await leave(page);
    // It was deleted elsewhere.
    await other.call("DELETE", `/v1/encounters/${other.id}`, other.tokens.gm);
    await known.getByRole("link", { name: "Ambush at the mill" }).click();
    await page.locator("#notice", { hasText: "no such encounter" }).waitFor();
    await known.getByRole("button", { name: "Forget Ambush at the mill" }).click();
    assert.deepEqual(await kept(page), {});
    assert.equal(await known.count(), 0);
    await page.context().close();
  });

  test("an export is imported as a new fight with its log", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const page = await opened({ acceptDownloads: true });
    await page.goto(wire.url + fight.link("gm"));
    await page.locator("#connection.live").waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
    assert.match(download.suggestedFilename(), /^ambush-at-the-mill-\d+\.json$/);
    const file = await download.path();
    await leave(page);
    await page.locator("#import-file").setInputFiles({ name: "broken.json", mimeType: "application/json", buffer: Buffer.from("{}") });
    await page.locator("#import-told", { hasText: "No known file" }).waitFor();
    await page.getByRole("button", { name: "Bring the fight" }).click();
    await page.locator("#import-told", { hasText: "No known file" }).waitFor();
    assert.ok(!page.url().includes("encounter="), "a wrong file opens nothing");
    await page.locator("#import-file").setInputFiles({ name: "log.json", mimeType: "application/json", buffer: await readFile(file) });
    await page.getByRole("button", { name: "Bring the fight" }).click();
    const copy = await fightOf(page);
    assert.notEqual(copy.id, fight.id);
    const state = async (one) => (({ combatants, version, round }) => ({ combatants, version, round }))(await one.read("gm"));
    assert.deepEqual(await state(copy), await state(fight));
    assert.match(await page.locator("#log").innerText(), /The bridge creaks/);
    await page.context().close();
  });

  test("a file of another tracker becomes a fight in three acts", async () => {
    const files = new URL("../../../tests/fixtures/trackers/", import.meta.url);
    const page = await opened();
    // It is dropped anywhere on the page.
    const text = await readFile(new URL("obsidian.json", files), "utf8");
    const began = performance.now();
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "data.json", { type: "application/json" }));
      document.querySelector("#new").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
    }, text);
    const about = page.locator("#import-about");
    await page.locator("#import-about", { hasText: "Obsidian's Initiative Tracker: 5 combatants." }).waitFor();
    assert.match(await about.innerText(), /Mira, Троль, Old Guide/);
    assert.match(await about.innerText(), /It was the turn of Mira/);
    await page.keyboard.press("Enter");
    const fight = await fightOf(page);
    await until(() => page.evaluate(() => document.activeElement.closest("#buttons") !== null), "the start has the focus");
    await page.keyboard.press("Enter");
    await until(async () => (await page.locator("#about").innerText()).includes("Round 1"), "it is started");
    const ms = performance.now() - began;
    console.log(`# from a file to round 1: ${(ms / 1000).toFixed(1)} s with a drop and 2 keys`);
    const { order, name } = await fight.read("gm");
    assert.equal(name, "The bridge");
    assert.deepEqual(order.filter(({ out }) => !out).map(({ initiative, name }) => [initiative, name]), [[17.5, "Mira"], [0, "Троль"], [-1, "Old Guide"]]);
    await leave(page);
    // Another fight of the same file, under other rules.
    await page.locator("#import-file").setInputFiles({ name: "data.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await page.getByLabel("Fight", { exact: true }).selectOption("The tower");
    await page.locator("#import-about", { hasText: "2 combatants" }).waitFor();
    await page.getByLabel("Rules", { exact: true }).selectOption({ label: "Seize the initiative" });
    await until(() => page.evaluate(() => document.activeElement.id === "import-ruleset"), "the choice keeps the focus");
    await page.screenshot({ path: path.join(pictures, "bring.png"), fullPage: true });
    await page.evaluate(axe);
    assert.deepEqual(await page.evaluate(async () => (await globalThis.axe.run(document)).violations.map(({ id }) => id)), []);
    await page.getByRole("button", { name: "Bring the fight" }).click();
    const tower = await (await fightOf(page)).read("gm");
    assert.deepEqual([tower.ruleset, tower.combatants.map((one) => [one.name, one.dex_modifier])], ["seize", [["Ogre", -1], ["Mira", 3]]]);
    await page.context().close();
  });

  test("a server with application keys asks for one, and keeps it only if told to", async () => {
    const key = `tk_app_${"a".repeat(43)}`;
    const locked = await Server.start({ TURNKEEPER_APP_KEYS: `table=${createHash("sha256").update(key).digest("hex")}` });
    const own = await Wire.before(locked);
    try {
      const page = await opened({}, own.url);
      await choose(page, "Savage Worlds");
      await fill(page, ["Ann hp 3"], ["2 Orcs"]);
      assert.equal(await page.getByLabel("Key", { exact: true }).isVisible(), false);
      await page.getByRole("button", { name: "Create the fight" }).click();
      await page.locator("#new-told", { hasText: "Enter a key" }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.id), "application-key");
      await page.keyboard.type("tk_app_wrong");
      await page.keyboard.press("Enter");
      await page.locator("#new-told", { hasText: "does not know this key" }).waitFor();
      await page.getByLabel("Key", { exact: true }).fill(key);
      await page.keyboard.press("Enter");
      const fight = await fightOf(page, own.url);
      assert.equal((await fight.read("gm")).combatants.length, 3);
      assert.deepEqual(await kept(page), {}, "the key stays in memory");
      await leave(page);
      await page.getByLabel("Keep the key in this browser").check();
      await page.getByRole("button", { name: "Create the fight" }).click();
      await fightOf(page, own.url);
      assert.deepEqual(await kept(page), { application: key });
      await page.goto("about:blank");
      await page.goto(`${own.url}/table`);
      assert.equal(await page.getByLabel("Key", { exact: true }).inputValue(), key);
      await page.getByLabel("Keep the key in this browser").uncheck();
      await choose(page, "Savage Worlds");
      await page.getByRole("button", { name: "Create the fight" }).click();
      await fightOf(page, own.url);
      assert.deepEqual(await kept(page), {}, "and is forgotten");
      await page.context().close();
    } finally {
      own.close();
      await locked.stop();
    }
  });

  test("a browser that keeps nothing still opens the fight, and says what it did not keep", async () => {
    const page = await opened();
    await page.evaluate(() => { Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }; });
    await choose(page, "B/X D&D, Old-School Essentials");
    await fill(page, ["Ann"], ["Orc"]);
    await page.locator(".saved summary").first().click();
    await page.getByLabel("Save party as").fill("Mine");
    await page.keyboard.press("Enter");
    await page.locator(".saved", { hasText: "This browser keeps nothing for this page" }).waitFor();
    await page.getByLabel("Remember the fight in this browser").check();
    await page.getByRole("button", { name: "Create the fight" }).click();
    await fightOf(page);
    await page.locator("#told", { hasText: "This browser keeps nothing for this page" }).waitFor();
    await page.context().close();
  });

  test("a creation without an answer is repeated with the same key", async () => {
    const page = await opened();
    await choose(page, "Fate, Marvel Heroic");
    await fill(page, ["Ann"], ["Orc"]);
    const keys = [];
    wire.fault = ({ method, url, headers }) => {
      if (method !== "POST" || url !== "/v1/encounters") return undefined;
      keys.push(headers["idempotency-key"]);
      return keys.length < 3 ? 503 : undefined;
    };
    await page.getByRole("button", { name: "Create the fight" }).click();
    await page.locator("#new-told", { hasText: "Trying again" }).waitFor();
    await fightOf(page);
    delete wire.fault;
    assert.equal(keys.length, 3);
    assert.deepEqual(new Set(keys).size, 1);
    await page.context().close();
  });

  test("a reader who opens another fight is not led away from it by a late creation", async () => {
    const fight = await ambush(wire.url);
    const page = await opened();
    await choose(page, "Fate, Marvel Heroic");
    await fill(page, ["Ann"], ["Orc"]);
    let attempts = 0;
    wire.fault = ({ method, url }) => {
      if (method !== "POST" || url !== "/v1/encounters") return undefined;
      attempts++;
      return 503;
    };
    await page.getByRole("button", { name: "Create the fight" }).click();
    await page.locator("#new-told", { hasText: "Trying again" }).waitFor();
    await page.getByLabel("Encounter or link").fill(wire.url + fight.link("gm"));
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator("#name", { hasText: "Ambush at the mill" }).waitFor();
    const before = attempts;
    delete wire.fault;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    assert.ok(attempts <= before + 1);
    assert.equal(await page.locator("#name").innerText(), "Ambush at the mill");
    await page.context().close();
  });

  test("a pasted link fills in both fields of the form that opens a fight", async () => {
    const fight = await ambush(wire.url);
    const page = await opened();
    await page.getByLabel("Encounter or link").fill(wire.url + fight.link("spectator"));
    assert.equal(await page.getByLabel("Token").inputValue(), fight.tokens.spectator);
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator("#name", { hasText: "Ambush at the mill" }).waitFor();
    await page.context().close();
  });

  for (const colorScheme of ["light", "dark"]) {
    test(`the start, ${colorScheme}: no serious finding of axe on a desktop and a phone`, async () => {
      for (const [name, viewport] of [["desktop", { width: 1440, height: 900 }], ["phone", { width: 390, height: 844 }]]) {
        const page = await opened({ colorScheme, viewport, reducedMotion: "reduce" });
        const look = async (what) => {
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => globalThis.axe.run(document));
          assert.deepEqual(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], what);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${what} fits`);
          await page.screenshot({ path: path.join(pictures, `start-${what}-${colorScheme}-${name}.png`), fullPage: true });
        };
        await look("empty");
        await choose(page, "D&D 5e and its kin");
        await fill(page, [...PARTY, "Dan hp 12 dxe 2"], [...MONSTERS, "Lord Vex hp 60, ac 17, legendary 3 hidden", "Orc 30/15"]);
        for (const summary of await page.locator("#new summary").all()) await summary.click();
        await page.getByLabel("Save party as").fill("The millers");
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: "Create the fight" }).click();
        await page.evaluate(() => localStorage.setItem("turnkeeper/fights", JSON.stringify([{ id: "a", token: "b", name: "The old mill", game: "Active Initiative", role: "gm", at: 1_790_000_000_000 }, { id: "c", token: "d", name: "A bridge with a very long name that goes on and on", role: "player", at: 1_790_000_100_000 }])));
        await page.evaluate(() => dispatchEvent(new StorageEvent("storage")));
        await look("filled");
        await page.context().close();
      }
    });
  }
}
