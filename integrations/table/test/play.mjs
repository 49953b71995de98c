// Every ruleset and four presets for two rounds by the page alone: a game master, and two players at phones whose links the game master hands out. There is a hidden
// combatant, and the server restarts in the middle.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { DECISIONS } from "../page/words.js";
import { Fight, Page, pictures, readCode, until } from "./harness.mjs";

const SECRET = ["umbral-stalker", "Umbral Stalker"];
const PARTY = ["Ann hp 20", "Bob hp 20"];
const MONSTERS = ["Orc hp 15", "Wolf hp 9", "Umbral Stalker hp 12 hidden"];
const PLAYERS = ["Ann", "Bob"];
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
// The dice are the same each time.
const SEED = 4;
// So many presses after the start, the server restarts.
const RESTART = 6;

const GAMES = [
  { ruleset: "active-initiative" },
  { ruleset: "seize" },
  { ruleset: "exp" },
  { ruleset: "venture" },
  { ruleset: "dc20" },
  { ruleset: "custom", options: { preset: "d20" } },
  { ruleset: "custom", options: { preset: "popcorn" } },
  { ruleset: "custom", options: { preset: "zipper" } },
  { ruleset: "custom", options: { preset: "fast-slow" } },
];

// What a page shows is what the API answers to its token.
async function compare(own) {
  const { role, fight } = own;
  const [encounter, options, shown] = [await fight.read(role), await fight.read(role, "/options?include=tools"), await own.shown()];
  const names = (ids) => encounter.order.filter(({ combatant }) => ids.includes(combatant)).map(({ name }) => name);
  const rows = encounter.order.filter(({ combatant, next }) => combatant || next);
  assert.deepEqual(shown.names, rows.map(({ name }) => name), `${role}: order`);
  const current = encounter.order.filter((row) => row.current).map(({ name }) => name);
  assert.deepEqual(shown.current, current, `${role}: current`);
  const isChoice = ({ primary, row }) => shown.choices.length > 0 && primary && row !== undefined;
  // Rows are moved where they are.
  const isButton = (option) => !isChoice(option) && option.command.type !== "reorder";
  assert.deepEqual(shown.buttons, options.items.filter(isButton).map(({ label }) => label).sort(), `${role}: buttons`);
  for (const { row, command } of options.items.filter(isChoice)) assert.ok(!(row in command) || shown.choices.includes(command[row]), `${role}: ${row} of ${command.type}`);
  if (encounter.current.length) {
    const large = await own.page.locator("#now .large").innerText();
    for (const name of names(encounter.current)) assert.ok(large.includes(name), `${role}: ${large}`);
  }
  return encounter;
}

async function knowsNothing(own, wire) {
  const [html, received] = [await own.html(), wire.received(own.fight.tokens[own.role])];
  assert.ok(received.length > 1000);
  for (const word of SECRET) assert.ok(!html.includes(word) && !received.includes(word), `${own.role} sees ${word}`);
}

// Takes the decision whose command was sent least, in turns by one press and with values that change from press to press.
async function step(own, uses, turn) {
  await own.page.locator("#buttons > details[data-key='Other answers']").evaluateAll((all) => all.forEach((one) => one.setAttribute("open", "")));
  const decisions = own.page.locator("#buttons > :is([data-key=decision], [data-key=names], [data-key='Other answers']) button:not(.more)").locator("visible=true");
  const types = await decisions.evaluateAll((all) => all.map((button) => Object.fromEntries(JSON.parse(button.dataset.key)[0]).type));
  if (!types.length) return undefined;
  const sent = (type) => uses.get(type) ?? 0;
  const least = types.reduce((best, type, i) => (sent(type) < sent(types[best]) ? i : best), 0);
  uses.set(types[least], sent(types[least]) + 1);
  const button = decisions.nth(least);
  const more = button.locator("xpath=following-sibling::button[contains(@class,'more')]");
  const before = await own.version();
  const asks = await button.evaluate((node) => node.classList.contains("asks"));
  if (!asks && (turn % 2 || !(await more.count()))) {
    await own.click(button);
    await own.at(before + 1);
    return own.version();
  }
  await (asks ? button : more).click();
  await own.page.waitForSelector("#dialog[open]");
  for (const select of await own.page.locator("#fields > .field select, #fields select:required").all()) {
    const values = (await select.locator("option").evaluateAll((all) => all.map((option) => option.value))).filter(Boolean);
    if (values.length) await select.selectOption(values[turn % values.length]);
  }
  for (const input of await own.page.locator("#fields :is(input, textarea):required").all()) await input.fill((await input.getAttribute("min")) ?? "something");
  await own.page.click("#confirm");
  const isClosed = () => own.page.locator("#dialog").isHidden();
  const refusal = own.page.locator("#refusal");
  await until(async () => (await isClosed()) || (await refusal.innerText()) !== "", "an answer");
  if (!(await isClosed())) {
    // What is hidden may stand in the way of a choice, and never of the usual one.
    assert.match(await refusal.innerText(), /you cannot see/);
    await own.page.keyboard.press("Escape");
    await button.click();
  }
  await own.at(before + 1);
  return own.version();
}

// No form of any button holds a value before somebody chooses it.
async function beginEmpty(own) {
  const buttons = own.page.locator("#buttons button:is(.asks, .more)");
  await own.page.locator("#buttons details").evaluateAll((all) => all.forEach((one) => one.setAttribute("open", "")));
  assert.ok((await buttons.count()) > 0);
  for (const button of await buttons.all()) {
    await button.click();
    await own.page.waitForSelector("#dialog[open]");
    assert.deepEqual(await own.prefilled(), [], await own.page.locator("#dialog-title").innerText());
    await own.page.keyboard.press("Escape");
  }
}

// Each decision of each ruleset has words. The end of a turn is told by who acts.
async function hasWords(url) {
  const { items } = await (await fetch(`${url}/v1/rulesets`)).json();
  for (const { id } of items) {
    const { decisions } = await (await fetch(`${url}/v1/rulesets/${id}`)).json();
    for (const decision of decisions) assert.ok(decision.id === "end_turn" || decision.id in DECISIONS, `${id}: ${decision.id}`);
  }
}

// The game master starts the fight from an empty page.
async function begin(browser, url, { ruleset, options }) {
  const { title, presets } = await (await fetch(`${url}/v1/rulesets/${ruleset}`)).json();
  const label = options ? presets.find(({ id }) => id === options.preset).plays : title;
  const own = await Page.blank(browser, "gm");
  const { page } = own;
  await page.route(/\/v1\/encounters$/, (route) => route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), seed: SEED }) }));
  await page.goto(`${url}/table`);
  await page.getByLabel("Game", { exact: true }).selectOption({ label });
  await page.getByLabel("Party", { exact: true }).fill(PARTY.join("\n"));
  await page.getByLabel("Monsters", { exact: true }).fill(MONSTERS.join("\n"));
  await page.getByRole("button", { name: "Create the fight" }).click();
  await page.locator("#connection.live").waitFor();
  own.fight = Fight.of(url, page.url());
  return own;
}

// The game master makes a link for each player, and the players' phones read the codes.
async function handOut(gm, open) {
  const panel = gm.page.getByRole("dialog", { name: "Share the fight" });
  await gm.page.getByRole("button", { name: "Share" }).click();
  await panel.getByRole("button", { name: "A link for each of 2 characters" }).click();
  const phones = [];
  for (const name of PLAYERS) {
    await panel.getByLabel(`Link: ${name}`, { exact: true }).waitFor();
    await panel.getByRole("button", { name: `QR code: ${name}` }).click();
    phones.push(await open(name, await readCode(panel.locator(".qr"))));
  }
  await gm.page.keyboard.press("Escape");
  return phones;
}

// The game master hits one that is seen, by the row and keys.
async function hit(gm, turn) {
  const name = ["Orc", "Ann", "Wolf", "Bob"][turn % 4];
  const row = gm.page.locator("#rows .row:not(.out) .name", { hasText: name }).first();
  if (!(await row.count())) return;
  const before = await gm.version();
  await row.focus();
  for (const key of ["d", "1", "Enter"]) await gm.page.keyboard.press(key);
  await gm.at(before + 1);
}

// The server is away for a moment. All pages come back by themselves.
async function restart(server, pages) {
  await server.down();
  for (const own of pages) await own.page.locator("#connection.away").waitFor();
  await server.up();
  for (const own of pages) {
    await own.page.locator("#connection.live").waitFor({ timeout: 30_000 });
    own.errors.length = 0;
  }
}

export function play({ browser, server, wire }) {
  test("each decision has words", () => hasWords(wire.url));

  for (const game of GAMES) {
    const title = [game.ruleset, game.options?.preset].filter(Boolean).join(" ");
    test(`${title}: two rounds at three devices by the page alone`, async () => {
      const gm = await begin(browser(), wire.url, game);
      const { fight } = gm;
      const phones = await handOut(gm, (name, address) => {
        fight.tokens[name] = Fight.of(wire.url, address).tokens.gm;
        return Page.open(browser(), wire.url, fight, name, PHONE);
      });
      const pages = [gm, ...phones];
      const [uses, pressed] = [new Map(), new Map(pages.map((own) => [own, 0]))];
      let encounter = await compare(gm);
      await beginEmpty(gm);
      for (let turn = 1; encounter.round < 3; turn++) {
        assert.ok(turn < 250, `${title}: round ${encounter.round} after ${turn} presses`);
        if (turn === RESTART) await restart(server, pages);
        if (encounter.status === "running" && turn % 4 === 0) {
          await hit(gm, turn / 4);
          await settled(phones, fight);
        }
        // Who pressed least is asked first.
        const order = [...pages].sort((a, b) => pressed.get(a) - pressed.get(b));
        let version;
        for (const own of order) {
          version = await step(own, uses, turn);
          if (version) { pressed.set(own, pressed.get(own) + 1); break; }
        }
        assert.ok(version, `${title}: no button, but ${encounter.pending?.decision} is awaited`);
        await gm.at(version);
        encounter = await compare(gm);
        if (turn === 5) await beginEmpty(gm);
        await settled(phones, fight);
        if (turn % 5 === 0) for (const own of phones) await compare(own);
      }
      for (const own of pages) assert.ok(pressed.get(own) > 0, `${own.role} played too`);
      assert.ok(await gm.page.locator("#log").evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight < 40), "the log shows its end");
      for (const [own, device] of [[gm, "desktop"], [phones[0], "phone"]]) await own.page.screenshot({ path: path.join(pictures, `play-${title.replaceAll(" ", "-")}-${device}.png`) });
      const all = (await gm.html()) + wire.received(fight.tokens.gm);
      for (const word of SECRET) assert.ok(all.includes(word), "the game master sees it");
      for (const own of phones) {
        await compare(own);
        await knowsNothing(own, wire);
      }
      await reveal(gm, phones, fight);
      for (const own of pages) await own.close();
    });
  }
}

// Waits until pages have the newest entry of the log that their tokens see. Versions that tell them nothing leave them out.
async function settled(pages, fight) {
  for (const own of pages) {
    const shown = await own.version();
    const { items } = await fight.read(own.role, `/events?after=${shown}&limit=1000`);
    await own.at(items.at(-1)?.version ?? shown);
  }
}

// The game master reveals the hidden combatant by its row, takes it back, and reveals it again.
async function reveal(gm, others, fight) {
  const isThere = (own) => own.page.locator("#rows .name", { hasText: SECRET[1] }).first();
  const revealing = async () => {
    const before = await gm.version();
    await gm.page.getByRole("button", { name: "Reveal", exact: true }).click();
    await gm.at(before + 1);
  };
  await isThere(gm).click();
  await revealing();
  for (const own of others) {
    await isThere(own).waitFor();
    await compare(own);
  }
  await gm.page.locator("#toast").getByRole("button", { name: "Undo" }).click();
  for (const own of others) {
    await isThere(own).waitFor({ state: "detached" });
    assert.ok(!(await fight.read(own.role)).order.some(({ name }) => name === SECRET[1]));
  }
  await isThere(gm).click();
  await revealing();
  for (const own of others) await isThere(own).waitFor();
}
