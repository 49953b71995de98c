// Links for players and screens, and the cues that tell a player of a turn.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { ambush, under } from "./fights.mjs";
import { Fight, Page, axe, pictures, readCode, until } from "./harness.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

// Counts what a browser without speakers and motors would do.
function listen() {
  globalThis.cued = { notes: 0, vibrations: 0, locks: 0, notifications: [] };
  const create = AudioContext.prototype.createOscillator;
  AudioContext.prototype.createOscillator = function counted() {
    globalThis.cued.notes++;
    return create.call(this);
  };
  navigator.vibrate = () => { globalThis.cued.vibrations++; return true; };
  const lock = { request: async () => { globalThis.cued.locks++; return new EventTarget(); } };
  Object.defineProperty(navigator, "wakeLock", { value: lock });
  globalThis.Notification = class {
    static permission = "granted";

    constructor(title) {
      globalThis.cued.notifications.push(title);
    }
  };
  // The page is in the background while a test says so.
  Object.defineProperty(document, "hidden", { get: () => globalThis.isAway === true });
}

export function share({ browser, wire }) {
  test("the game master hands out links: a code that a phone reads, a name on the rows, and a revocation", async () => {
    const fight = await ambush(wire.url, { tokens: [] });
    await under(fight);
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    const panel = gm.page.getByRole("dialog", { name: "Share the fight" });
    await gm.page.getByRole("button", { name: "Share" }).click();
    await panel.getByText("TURNKEEPER_LISTEN=0.0.0.0").waitFor();
    await panel.getByLabel("Player's name").fill("Anna");
    await panel.getByLabel("Valiant").check();
    await panel.getByRole("button", { name: "Make the link" }).click();
    const link = panel.getByLabel("Link: Anna · Valiant", { exact: true });
    await link.waitFor();
    await gm.page.evaluate(axe);
    const { violations } = await gm.page.evaluate(() => globalThis.axe.run(document));
    assert.deepEqual(violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id }) => id), []);
    const address = await link.inputValue();
    assert.ok(address.startsWith(`${wire.url}/table#encounter=${fight.id}&token=tk_player_`), address);
    assert.equal(await readCode(panel.locator(".qr")), address);
    await gm.page.screenshot({ path: path.join(pictures, "share.png") });
    await gm.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await panel.getByRole("button", { name: "Copy: Anna" }).click();
    await panel.getByRole("button", { name: "Copied: Anna" }).waitFor();
    assert.equal(await gm.page.evaluate(() => navigator.clipboard.readText()), address);
    await panel.getByLabel("Address in the links").fill("192.168.1.20:8080/");
    assert.ok((await link.inputValue()).startsWith("http://192.168.1.20:8080/table#"));
    assert.equal(await readCode(panel.locator(".qr")), await link.inputValue());
    // The player opens it, and everyone sees who plays.
    const context = await browser().newContext(PHONE);
    const phone = await context.newPage();
    await phone.goto(address);
    await phone.locator("#rows .row", { hasText: "Valiant" }).locator(".side", { hasText: "You" }).waitFor();
    assert.equal((await fight.read("gm")).combatants.find(({ id }) => id === "valiant").controller, "Anna");
    // Who plays a character is known already if its line said so.
    await fight.send({ type: "update_combatant", combatant: "mira", changes: { controller: "Zoe" } });
    await panel.getByRole("button", { name: "A link for each of 2 characters" }).click();
    await panel.getByLabel("Link: Zoe · Mira of the Reeds", { exact: true }).waitFor();
    await panel.getByLabel("Link: Chansi", { exact: true }).waitFor();
    await panel.getByRole("button", { name: "A link for a screen" }).click();
    await panel.getByLabel("Link: Screen or spectator", { exact: true }).waitFor();
    const { items } = await fight.read("gm", "/tokens");
    assert.deepEqual(items.map(({ role, combatants }) => [role, ...combatants]), [["gm"], ["player", "valiant"], ["player", "chansi"], ["player", "mira"], ["spectator"]]);
    await panel.getByRole("button", { name: "Revoke: Anna" }).click();
    await phone.locator("#notice", { hasText: "no such encounter" }).waitFor();
    assert.equal((await fight.read("gm", "/tokens")).items.length, 4);
    // After a reload the secrets are gone: a new link takes the place of the old one.
    await gm.page.reload();
    await gm.page.getByRole("button", { name: "Share" }).click();
    await panel.getByRole("button", { name: "New link: Chansi" }).click();
    await panel.getByLabel("Link: Chansi", { exact: true }).waitFor();
    const after = (await fight.read("gm", "/tokens")).items;
    assert.equal(after.length, 4);
    assert.ok(!after.some(({ id }) => id === items.find(({ combatants }) => combatants[0] === "chansi").id), "the old one is revoked");
    const stored = await gm.page.evaluate(() => [localStorage.length, sessionStorage.length]);
    assert.deepEqual(stored, [0, 0]);
    await context.close();
    await gm.close();
  });

  test("a page at the address of a server that listens to all says that phones cannot open it", async () => {
    const fight = await ambush(wire.url, { tokens: [] });
    const gm = await Page.open(browser(), wire.url.replace("127.0.0.1", "0.0.0.0"), fight, "gm");
    const panel = gm.page.getByRole("dialog", { name: "Share the fight" });
    await gm.page.getByRole("button", { name: "Share" }).click();
    const warning = await panel.locator(".warn").innerText();
    assert.match(warning, /^Phones cannot open 0\.0\.0\.0:\d+: only this computer can\. Open this page by the address/);
    assert.equal(await panel.getByLabel("Address in the links").inputValue(), "");
    await gm.close();
  });

  test("a player's turn is seen, heard and felt, a new round has a banner, and others are left in peace", async () => {
    const hp = { current: 9 };
    const fight = await Fight.create(wire.url, { ruleset: "custom", options: { preset: "d20" }, seed: 2, combatants: [{ name: "Ann", hp }, { name: "Orc", side: "monsters", hp }], tokens: [{ role: "player", combatants: ["ann"] }, { role: "spectator" }] });
    await fight.send({ type: "start" });
    const turn = async () => (await fight.read("gm")).current[0];
    while ((await turn()) !== "orc") await fight.send({ type: "end_turn", combatant: await turn() });
    const open = async (role) => {
      const own = new Page();
      own.context = await browser().newContext(PHONE);
      await own.context.addInitScript(listen);
      own.page = await own.context.newPage();
      await own.page.goto(wire.url + fight.link(role));
      await own.page.waitForSelector("#connection.live");
      await until(() => own.page.evaluate(() => globalThis.cued.locks > 0), "the screen stays on");
      await own.page.locator("#about").tap();
      return own;
    };
    const [player, screen] = [await open("player"), await open("spectator")];
    const cued = (own) => own.page.evaluate(() => globalThis.cued);
    await until(() => player.page.evaluate(() => document.querySelector("#actions") !== null), "the page");
    assert.equal((await cued(player)).notes, 0);
    const { round } = await fight.read("gm");
    await fight.send({ type: "end_turn", combatant: "orc" });
    await player.page.locator("#banner", { hasText: "Your turn" }).waitFor();
    await player.page.screenshot({ path: path.join(pictures, "your-turn.png") });
    assert.match(await player.page.title(), /^Your turn · Ann/);
    await until(async () => (await cued(player)).notes === 2, "two notes");
    assert.equal((await cued(player)).vibrations, 1);
    // Nothing new: no second cue.
    await fight.send({ type: "damage", target: "orc", amount: 1 });
    await player.at((await fight.read("gm")).version);
    assert.equal((await cued(player)).notes, 2);
    // Silence is a choice.
    await player.page.getByRole("button", { name: "Sound is on" }).tap();
    await fight.send({ type: "end_turn", combatant: "ann" });
    await fight.send({ type: "end_turn", combatant: "orc" });
    await player.page.locator("#banner", { hasText: "Your turn" }).waitFor();
    assert.equal((await cued(player)).notes, 2);
    assert.ok((await fight.read("gm")).round > round);
    assert.deepEqual([(await cued(screen)).notes, (await cued(screen)).vibrations], [0, 0]);
    await player.page.getByRole("button", { name: "Sound is off" }).tap();
    assert.deepEqual((await cued(player)).notifications, [], "who looks at the page needs none");
    await player.page.evaluate(() => { globalThis.isAway = true; });
    await fight.send({ type: "end_turn", combatant: "ann" });
    await fight.send({ type: "end_turn", combatant: "orc" });
    await screen.page.locator("#banner", { hasText: /^Round \d$/ }).waitFor();
    await until(async () => (await cued(player)).notifications.length === 1, "a notification");
    await player.context.close();
    await screen.context.close();
  });
}
