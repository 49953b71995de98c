// What happens to an open page: interrupts, breaks, refusals, changes of others, and what it sends.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SHADE, ambush, under } from "./fights.mjs";
import { Fight, Page, Server, Wire, until } from "./harness.mjs";

export function live({ browser, server, wire }) {
  test("a player interrupts, and the game master takes it back", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const pages = [];
    for (const role of ["gm", "player", "spectator"]) pages.push(await Page.open(browser(), wire.url, fight, role));
    const [gm, player, spectator] = pages;
    const large = (own) => own.page.locator("#now .large").innerText();
    await gm.press("Deal damage to Goblins", async (page) => {
      await page.getByLabel("Amount").fill("2");
      await page.getByLabel("Member").selectOption({ label: "Goblin 2" });
    });
    await player.press("Valiant: end turn", (page) => page.getByLabel("Next").selectOption({ label: "Mira of the Reeds" }));
    await until(async () => (await large(spectator)) === "Goblins may interrupt the next turn", "the time for interrupts");
    await gm.press("Goblins: interrupt");
    await until(async () => (await large(spectator)) === "Goblins may begin", "the goblins interrupt");
    await gm.press("Goblins: start turn");
    await until(async () => (await large(spectator)) === "Goblins", "it is their turn");
    await gm.press(/^Deal damage$/, async (page) => {
      await page.getByLabel("Amount").fill("2");
      await page.getByLabel("Target").selectOption({ label: "Mira of the Reeds" });
    });
    await until(async () => (await spectator.page.locator("#rows").innerText()).includes("16/22"), "the wound is shown");
    await gm.press("Goblins: end turn", (page) => page.getByLabel("Next").selectOption({ label: "Brakkus" }));
    await player.press("Mira of the Reeds: interrupt");
    for (const own of pages) await until(async () => (await large(own)) === "Mira of the Reeds may begin", "the player interrupts");
    await gm.press("Undo the last step");
    for (const own of pages) await until(async () => (await large(own)) === "Mira of the Reeds may interrupt the next turn", "it is taken back");
    for (const own of [player, spectator]) {
      const seen = (await own.html()) + wire.received(fight.tokens[own.role]);
      for (const word of SHADE) assert.ok(!seen.includes(word), `${own.role} sees ${word}`);
    }
    for (const own of pages) await own.close();
  });

  test("the time of a turn is counted down, and its end told; the numbers of the fight are in a table", async () => {
    const fight = await Fight.create(wire.url, {
      ruleset: "custom", options: { preset: "d20" }, turn_seconds: 4,
      combatants: [{ id: "ann", name: "Ann", side: "players", initiative: 9 }, { id: "orc", name: "Orc", side: "monsters", initiative: 5, hp: { current: 30 } }],
      tokens: [{ role: "player", name: "Zoe", combatants: ["ann"] }, { role: "spectator" }],
    });
    const own = await Page.open(browser(), wire.url, fight, "player");
    assert.ok(await own.page.locator("#clock").isHidden(), "it has not begun");
    await fight.send({ type: "start" });
    const clock = () => own.page.locator("#clock").innerText();
    await until(async () => /^0:0[1-4] left$/.test(await clock()), "it counts down");
    await until(async () => /^Time is over/.test(await clock()), "its end is told");
    assert.equal(await own.page.locator("#banner").textContent(), "Time is over");
    await fight.send([{ type: "damage", target: "orc", amount: 7, source: "ann" }, { type: "end_turn", combatant: "ann" }]);
    await until(async () => /left$/.test(await clock()), "the next turn has its own time");
    await fight.send({ type: "update_encounter", turn_seconds: 0 });
    await until(() => own.page.locator("#clock").isHidden(), "no time is set");
    await own.page.getByRole("button", { name: "Statistics" }).click();
    const cells = (name) => own.page.locator("#statistics tr", { hasText: name }).innerText();
    await until(async () => /^Ann\s+1\s+0:0[4-9]\s+7\s+0$/.test(await cells("Ann")), "Ann's numbers");
    assert.match(await cells("Orc"), /^Orc\s+0\s+0:00\s+0\s+7$/, "without what nobody regained");
    await own.page.keyboard.press("Escape");
    // After the fight they are where the options were.
    await fight.send({ type: "end_encounter" });
    await own.page.locator("#buttons").getByRole("button", { name: "Statistics" }).click();
    await own.page.locator("#statistics[open]").waitFor();
    await own.page.keyboard.press("Escape");
    await own.close();
  });

  test("newcomers are typed as a line, and join numbered on", async () => {
    const fight = await Fight.create(wire.url, { ruleset: "custom", options: { preset: "d20" }, combatants: [{ id: "ann", name: "Ann", side: "players" }, { id: "w1", name: "Wolf 1", side: "monsters" }], tokens: [{ role: "player", name: "Zoe", combatants: ["ann"] }] });
    await fight.send({ type: "start" });
    const own = await Page.open(browser(), wire.url, fight, "gm");
    const line = own.page.getByLabel("Newcomers", { exact: true });
    await line.fill("2 Wolves 11hp AC 16 init +3");
    await line.press("Enter");
    await until(async () => (await fight.read("gm")).combatants.length === 4, "they join");
    const joined = (await fight.read("gm")).combatants.slice(2);
    assert.deepEqual(joined.map(({ name, side, hp, armor_class: ac, numbers }) => [name, side, hp.current, ac, numbers.dex]), [["Wolf 2", "monsters", 11, 16, 3], ["Wolf 3", "monsters", 11, 16, 3]]);
    await until(async () => /Wolf 2/.test(await own.page.locator("#toast").innerText()), "the page tells it");
    await line.fill("Mage, wings");
    await line.press("Enter");
    await until(async () => /Unknown word/.test(await own.page.locator("#toast").innerText()), "what is not understood is said");
    const player = await Page.open(browser(), wire.url, fight, "player");
    assert.ok(await player.page.locator("#newcomers").isHidden());
    for (const one of [own, player]) await one.close();
  });

  test("someone who is hidden acts: others see that, and not who", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const spectator = await Page.open(browser(), wire.url, fight, "spectator");
    await fight.send({ type: "end_turn", combatant: "valiant", next: SHADE[0], begin: true });
    await until(async () => (await spectator.page.locator("#now .large").innerText()) === "Someone", "someone acts");
    const seen = (await spectator.html()) + wire.received(fight.tokens.spectator);
    for (const word of SHADE) assert.ok(!seen.includes(word), word);
    await spectator.close();
  });

  test("a restart of the server in the middle: the page says so, and goes on where it was", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const own = await Page.open(browser(), wire.url, fight, "gm");
    await server.down();
    await own.page.locator("#connection.away").waitFor();
    assert.match(await own.page.locator("#connection").innerText(), /away/);
    assert.match(await own.page.locator("#now .large").innerText(), /Valiant/, "what was seen stays");
    // A press while it is away is sent again when it is back, once.
    await own.ask("Deal damage");
    await own.page.getByLabel("Amount").fill("5");
    await own.page.getByLabel("Target").selectOption({ label: "Chansi" });
    await own.page.click("#confirm");
    await own.page.locator("#refusal", { hasText: "does not answer" }).waitFor();
    await server.up();
    await own.page.locator("#connection.live").waitFor({ timeout: 30_000 });
    await own.page.waitForSelector("#dialog:not([open])", { state: "attached", timeout: 20_000 });
    await until(async () => (await own.page.locator("#rows").innerText()).includes("19/24"), "one hit is shown");
    const entries = (await fight.read("gm", "/events?after=0")).items;
    assert.equal(entries.filter(({ commands }) => commands.includes("damage") && commands.length === 1).length, 2);
    await fight.send({ type: "note", text: "We are back.", readers: "all" });
    await until(async () => (await own.log()).includes("We are back."), "the stream goes on");
    assert.equal((await own.log()).split("The fight starts.").length, 2, "nothing is told twice");
    own.errors.length = 0;
    await own.close();
  });

  test("a busy server: the page asks again until it has options, and a press is sent again", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const refused = new Map();
    wire.fault = ({ method, url }) => {
      const which = `${method} ${url.split("/").at(-1).split("?")[0]}`;
      if (!["GET options", "GET events", "POST commands"].includes(which)) return undefined;
      refused.set(which, (refused.get(which) ?? 0) + 1);
      return refused.get(which) <= 2 ? 503 : undefined;
    };
    try {
      const own = await Page.open(browser(), wire.url, fight, "gm");
      await until(async () => (await own.shown()).buttons.length > 5, "buttons");
      await own.press("Valiant: end turn");
      assert.deepEqual([...refused.keys()].sort(), ["GET events", "GET options", "POST commands"]);
      assert.equal((await fight.read("gm", "/events")).items.at(-1).version, await own.version());
      await own.close();
    } finally {
      wire.fault = undefined;
    }
  });

  test("what others did first is said, and a refusal is in words", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const own = await Page.open(browser(), wire.url, fight, "player");
    // The player's choice is no longer legal: the game master ends the turn meanwhile.
    await own.ask("Valiant: end turn");
    await fight.send({ type: "end_turn", combatant: "valiant", next: "mira", begin: true });
    await own.page.locator("#refusal", { hasText: "no longer possible" }).waitFor();
    assert.ok(await own.page.locator("#confirm").isDisabled());
    await own.page.keyboard.press("Escape");
    // Something else changes: the choice stands, after a second look.
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await gm.ask("Mira of the Reeds: end turn");
    await fight.send({ type: "damage", target: "mira", amount: 3 });
    await gm.page.locator("#refusal", { hasText: "has changed" }).waitFor();
    await gm.confirm();
    // A refusal is said in the form, or beside the button that was pressed.
    wire.fault = ({ method }) => (method === "POST" ? 409 : undefined);
    try {
      await gm.ask("Add a condition");
      await gm.page.getByLabel("Condition", { exact: true }).fill("prone");
      await gm.page.getByLabel("Target").selectOption({ label: "Brakkus" });
      await gm.page.click("#confirm");
      await gm.page.locator("#refusal", { hasText: "too much" }).waitFor();
      await gm.page.keyboard.press("Escape");
      await (await gm.button("Undo the last step")).click();
      await gm.page.locator("#told", { hasText: "too much" }).waitFor();
    } finally {
      wire.fault = undefined;
    }
    await gm.press("Undo the last step");
    assert.equal(await gm.page.locator("#told").innerText(), "");
    await own.close();
    await gm.close();
  });

  test("a change that a player may not see does not stand in the way of the player's press", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const own = await Page.open(browser(), wire.url, fight, "player");
    await own.ask("Valiant: end turn");
    await fight.send({ type: "note", text: "The ambush is set." });
    await own.confirm();
    assert.match(await own.log(), /Valiant's turn ends/);
    assert.ok(wire.exchanges.some(({ status, headers }) => status === 412 && headers.authorization.endsWith(fight.tokens.player)));
    await own.close();
  });

  test("the token is in the header Authorization and nowhere else, and nothing comes from elsewhere", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const from = wire.exchanges.length;
    const own = await Page.open(browser(), wire.url, fight, "gm");
    const asked = [];
    own.page.on("request", (request) => asked.push(request.url()));
    await own.page.reload();
    await own.page.locator("#connection.live").waitFor();
    await own.press("Valiant: end turn");
    const secret = fight.tokens.gm;
    for (const { url, headers, sent, body } of wire.exchanges.slice(from)) {
      const elsewhere = JSON.stringify([url, { ...headers, authorization: "" }, sent, body]);
      assert.ok(!elsewhere.includes(secret), url);
      assert.equal(headers.referer, undefined, url);
      assert.equal(headers.cookie, undefined, url);
    }
    for (const url of asked) assert.ok(url.startsWith(wire.url) && (!url.includes(secret) || url.includes("#")), url);
    const stored = await own.page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie.length]);
    assert.deepEqual(stored, [0, 0, 0]);
    const press = wire.exchanges.findLast(({ method, headers }) => method === "POST" && headers.authorization === `Bearer ${secret}` && headers["if-match"]);
    assert.match(press.headers["idempotency-key"], /^[0-9a-f]{32}$/);
    assert.equal(press.headers["if-match"], '"3"');
    await own.close();
  });

  test("a link that opens nothing says so, and the form opens a fight", async () => {
    const fight = await ambush(wire.url);
    const context = await browser().newContext();
    const page = await context.newPage();
    await page.goto(`${wire.url}/table/`);
    assert.equal(new URL(page.url()).pathname, "/table", "the files are beside this path");
    await page.getByRole("heading", { name: "Open a fight" }).waitFor();
    await page.getByLabel("Encounter").fill(fight.id);
    await page.getByLabel("Token").fill(`${fight.tokens.gm}x`);
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator("#notice", { hasText: /token/ }).waitFor();
    await page.getByLabel("Token").fill(fight.tokens.spectator);
    await page.getByRole("button", { name: "Open" }).click();
    await page.locator("#connection.live").waitFor();
    assert.equal(await page.locator("#name").innerText(), "Ambush at the mill");
    await fight.call("DELETE", `/v1/encounters/${fight.id}`, fight.tokens.gm);
    await page.locator("#notice", { hasText: "deleted" }).waitFor();
    await context.close();
  });

  test("streams that end after a second: nothing is missed, and the page never says that the server is away", async () => {
    const short = await Server.start({ TURNKEEPER_STREAM_TIME: "1s" });
    const own = await Wire.before(short);
    try {
      const fight = await ambush(own.url);
      await under(fight);
      const page = await Page.open(browser(), own.url, fight, "spectator");
      for (let n = 1; n <= 8; n++) {
        await fight.send({ type: "note", text: `Note ${n}.`, readers: "all" });
        await new Promise((resolve) => setTimeout(resolve, 400));
        assert.equal(await page.page.locator("#connection").innerText(), "Live");
      }
      await until(async () => (await page.log()).includes("Note 8."), "the last note");
      const notes = (await page.log()).match(/Note \d/g);
      assert.deepEqual(notes, Array.from({ length: 8 }, (_, i) => `Note ${i + 1}`));
      await page.close();
    } finally {
      own.close();
      await short.stop();
    }
  });
}
