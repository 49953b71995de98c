// Three tabs in Chromium play two rounds of every ruleset by filling in what options ask for and clicking their labels.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { Turnkeeper } from "turnkeeper-client";
import { Server } from "../typescript/dist-test/server.js";
import { Recorder } from "./recorder.mjs";

const SETUPS = [
  { ruleset: "active-initiative" },
  { ruleset: "exp" },
  { ruleset: "seize" },
  { ruleset: "venture" },
  { ruleset: "dc20" },
  { ruleset: "custom", options: { preset: "d20" } },
  { ruleset: "custom", options: { preset: "zipper" } },
];
const HIDDEN = { id: "umbra-4711", name: "Umbra" };
const COMBATANTS = [
  { id: "ann", name: "Ann", side: "players", hp: { current: 9 } },
  { id: "bob", name: "Bob", side: "players", hp: { current: 9 } },
  { id: "orc", name: "Orc", side: "monsters", hp: { current: 9 } },
  { ...HIDDEN, side: "monsters", hp: { current: 9 }, hidden: true },
];
const MOST_CLICKS = 300;

let server, browser, site;
before(async () => {
  server = await Server.start();
  const page = await readFile(new URL("index.html", import.meta.url));
  assert.ok(page.toString().trimEnd().split("\n").length <= 155, "the page has at most 155 lines");
  site = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(page));
  await once(site.listen(0, "127.0.0.1"), "listening");
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
});
after(async () => {
  await browser?.close();
  site?.close();
  await server?.stop();
});

/** A tab with its own token. `client` reads beside it what the tab should show. */
async function open(test, name, id, token) {
  const recorder = await new Recorder(server).listen();
  const context = await browser.newContext();
  test.after(async () => {
    await context.close();
    recorder.stop();
  });
  const page = await context.newPage();
  const tab = { name, page, recorder, clicks: 0, client: new Turnkeeper(server.url).encounter(id, token) };
  page.on("pageerror", (error) => assert.fail(`${name}: ${error}`));
  const url = encodeURIComponent(`${recorder.url}/v1/encounters/${id}`);
  await page.goto(`http://127.0.0.1:${site.address().port}/#url=${url}&token=${token}`);
  await page.waitForSelector("tr");
  return tab;
}

/** Waits until the tab shows the last thing that it may see. */
async function settled({ page, client }) {
  const log = await fetch(`${client.url}/events?limit=1000`, { headers: { authorization: `Bearer ${client.token}` } });
  const version = (await log.json()).items.at(-1)?.version ?? 0;
  await page.waitForFunction((version) => Number(document.body.dataset.version) >= version, version, { timeout: 10_000 });
}

/** The button that was clicked least of those that answer the pending decision; of equal ones a player's. */
async function choose(tabs, clicked) {
  let least;
  for (const tab of tabs) {
    for (const label of await tab.page.locator(".decision > button:enabled").allInnerTexts()) {
      const clicks = clicked.get(label) ?? 0;
      if (!least || clicks < least.clicks) least = { tab, label, clicks };
    }
  }
  return least ?? assert.fail("no tab has a button for the pending decision");
}

/** Types and chooses what an option requires: the first value, the least number, or a word. No field holds a value before. */
async function fill(row) {
  for (const field of await row.locator("input, select").all()) {
    const { kind, values, value, required, min } = await field.evaluate(({ tagName, type, options, value, checked, required, min }) => ({
      kind: tagName, values: [...(options ?? [])].map((option) => option.value), value: type === "checkbox" ? checked : value, required, min,
    }));
    if (values.length === 1) continue;
    assert.ok(!value, "a field begins empty");
    if (!required) continue;
    if (kind === "SELECT") await field.selectOption(values[1]);
    else await field.fill(min || "word");
  }
}

for (const setup of SETUPS) {
  const title = `${setup.ruleset} ${setup.options?.preset ?? ""}`.trim();
  test(`two rounds of ${title} by its buttons, with no second read and nothing hidden in a player's tab`, { timeout: 180_000 }, async (test) => {
    const tokens = ["ann", "bob"].map((id) => ({ role: "player", combatants: [id] }));
    const created = await new Turnkeeper(server.url).create({ ...setup, name: "Ambush", seed: 7, combatants: COMBATANTS, tokens });
    const { id } = created.encounter;
    const gm = await open(test, "game master", id, created.token);
    const players = [await open(test, "Ann", id, created.tokens[0].token), await open(test, "Bob", id, created.tokens[1].token)];
    const tabs = [...players, gm];
    const clicked = new Map();
    const round = async () => Number(/round (\d+)/.exec(await gm.page.locator("h1").innerText())?.[1]);
    for (let clicks = 0; (await round()) < 3; clicks++) {
      assert.ok(clicks < MOST_CLICKS, `the second round does not end: ${[...clicked.keys()].join(", ")}`);
      const { tab, label } = await choose(tabs, clicked);
      clicked.set(label, (clicked.get(label) ?? 0) + 1);
      tab.clicks++;
      const button = tab.page.getByRole("button", { name: label, exact: true }).first();
      await fill(button.locator(".."));
      const answer = tab.page.waitForResponse((answer) => answer.request().method() === "POST");
      await button.click();
      assert.equal((await answer).status(), 200, `${tab.name}: ${label}`);
      await Promise.all(tabs.map(settled));
    }

    for (const { name, clicks, recorder } of tabs) {
      assert.ok(clicks > 0, `${name} has nothing to click`);
      const feed = "GET /v1/encounters/ID/events?include=encounter,options";
      const commands = Array(clicks).fill("POST /v1/encounters/ID/commands");
      assert.deepEqual(recorder.requests, [feed, ...commands], `${name}: one feed, and one request for each click`);
    }
    assert.match(gm.recorder.text, /"id":"umbra-4711"/);
    assert.match(await gm.page.locator("#log").innerText(), /Umbra/);
    for (const { name, page, recorder } of players) {
      for (const secret of [HIDDEN.id, HIDDEN.name]) {
        assert.ok(!recorder.text.includes(secret), `${name}: an answer holds ${secret}`);
        assert.ok(!(await page.content()).includes(secret), `${name}: the page holds ${secret}`);
      }
    }
    console.log(`${title}: ${tabs.map(({ name, clicks }) => `${name} ${clicks}`).join(", ")} clicks`);
  });
}
