// Every ruleset for two rounds, by pressing buttons, with a game master, a player and a spectator, and a hidden combatant.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { DECISIONS } from "../page/words.js";
import { Fight, Page, pictures } from "./harness.mjs";

const SECRET = ["umbra-77", "Umbral Stalker"];
const PLAYERS = [{ id: "ann", name: "Ann" }, { id: "bob", name: "Bob" }];
const CREATION = {
  combatants: [
    ...PLAYERS.map((player) => ({ ...player, side: "players", hp: { current: 20, max: 20 } })),
    { id: "orc", name: "Orc", side: "monsters", hp: { current: 15, max: 15 } },
    { id: "wolf", name: "Wolf", side: "monsters", hp: { current: 9, max: 9 } },
    { id: SECRET[0], name: SECRET[1], side: "monsters", hidden: true, hp: { current: 12, max: 12 } },
  ],
  foe_hp: "banded",
  seed: 4,
  tokens: [{ role: "player", combatants: ["ann", "bob"], name: "Anna" }, { role: "spectator" }],
};

const GAMES = [
  { ruleset: "active-initiative" },
  { ruleset: "seize" },
  { ruleset: "exp" },
  { ruleset: "venture" },
  { ruleset: "dc20" },
  { ruleset: "custom", options: { preset: "d20" } },
  { ruleset: "custom", options: { preset: "popcorn" } },
];

// What a page shows is what the API answers to its token.
async function compare(own) {
  const { role, fight } = own;
  const [encounter, options, shown] = [await fight.read(role), await fight.read(role, "/options?include=tools"), await own.shown()];
  const names = (ids) => encounter.order.filter(({ combatant }) => ids.includes(combatant)).map(({ name }) => name);
  assert.deepEqual(shown.names, encounter.order.map(({ name }) => name), `${role}: order`);
  const current = encounter.order.filter((row) => row.current).map(({ name }) => name);
  assert.deepEqual(shown.current, current, `${role}: current`);
  assert.deepEqual(shown.buttons, options.items.map(({ label }) => label).sort(), `${role}: buttons`);
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
  const decisions = own.page.locator("#buttons > .buttons[data-key=decision] button:not(.more)");
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
    await button.click();
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
  return own.confirm();
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

export function play({ browser, wire }) {
  test("each decision has words", () => hasWords(wire.url));

  for (const game of GAMES) {
    const title = [game.ruleset, game.options?.preset].filter(Boolean).join(" ");
    test(`${title}: two rounds by pressing buttons`, async () => {
      const fight = await Fight.create(wire.url, { ...game, ...CREATION, name: title });
      const pages = [];
      for (const role of ["gm", "player", "spectator"]) pages.push(await Page.open(browser(), wire.url, fight, role));
      const [gm, player, spectator] = pages;
      const [uses, pressed] = [new Map(), { gm: 0, player: 0 }];
      let encounter = await compare(gm);
      await beginEmpty(gm);
      for (let turn = 1; encounter.round < 3; turn++) {
        assert.ok(turn < 250, `${title}: round ${encounter.round} after ${turn} presses`);
        const order = turn % 2 ? [player, gm] : [gm, player];
        let version;
        for (const own of order) {
          version = await step(own, uses, turn);
          if (version) { pressed[own.role]++; break; }
        }
        assert.ok(version, `${title}: no button, but ${encounter.pending?.decision} is awaited`);
        await gm.at(version);
        encounter = await compare(gm);
        await settled([player, spectator], fight);
        if (turn === 5) await beginEmpty(gm);
        if (turn % 5 === 0) for (const own of [player, spectator]) await compare(own);
      }
      assert.ok(pressed.player > 0, "the player played too");
      assert.ok(await gm.page.locator("#log").evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight < 40), "the log shows its end");
      await gm.page.screenshot({ path: path.join(pictures, `play-${title.replaceAll(" ", "-")}.png`) });
      assert.deepEqual((await spectator.shown()).buttons, []);
      const all = (await gm.html()) + wire.received(fight.tokens.gm);
      for (const word of SECRET) assert.ok(all.includes(word), "the game master sees it");
      for (const own of [player, spectator]) {
        await compare(own);
        await knowsNothing(own, wire);
      }
      await reveal(gm, [player, spectator], fight);
      for (const own of pages) await own.close();
    });
  }
}

// Waits until pages have the newest entry of the log that their tokens see. Versions that tell them nothing leave them out.
async function settled(pages, fight) {
  for (const own of pages) await own.at((await fight.read(own.role, "/events?limit=1000")).items.at(-1)?.version ?? 0);
}

// The game master reveals the hidden combatant, takes it back, and reveals it again.
async function reveal(gm, others, fight) {
  const revealing = (page) => Promise.all([
    page.getByLabel("Combatant", { exact: true }).selectOption({ label: SECRET[1] }),
    page.getByLabel("Hidden").selectOption({ label: "No" }),
  ]);
  await gm.press("Edit a combatant", revealing);
  for (const own of others) {
    await own.page.locator("#rows .name", { hasText: SECRET[1] }).first().waitFor();
    await compare(own);
  }
  await gm.press("Undo the last step");
  for (const own of others) {
    await own.page.locator("#rows .name", { hasText: SECRET[1] }).first().waitFor({ state: "detached" });
    assert.ok(!(await fight.read(own.role)).order.some(({ name }) => name === SECRET[1]));
  }
  await gm.press("Edit a combatant", revealing);
  for (const own of others) await own.page.locator("#rows .name", { hasText: SECRET[1] }).first().waitFor();
}
