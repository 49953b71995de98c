// What is done on the rows, by keys and touches: hit points, conditions, visibility, names, notes, order; and what takes it back.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { SHADE, ambush, under } from "./fights.mjs";
import { Fight, Page, pictures, until } from "./harness.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const FOES = ["Orc", "Wolf", "Troll", "Imp"];

async function skirmish(url, more = {}) {
  const hp = { current: 30, max: 30 };
  const combatants = [{ name: "Ann", hp }, { name: "Bob", hp }, ...FOES.map((name) => ({ name, side: "monsters", hp }))];
  const fight = await Fight.create(url, { ruleset: "custom", options: { preset: "d20" }, name: "Skirmish", seed: 5, combatants, tokens: [{ role: "player", combatants: ["ann"], name: "Anna" }, { role: "spectator" }], ...more });
  await fight.send({ type: "start" });
  return fight;
}

const points = async (fight) => Object.fromEntries((await fight.read("gm")).combatants.map(({ name, hp }) => [name, hp.current]));

// Presses keys one by one, as a person does, and counts them.
async function type(own, keys) {
  for (const key of keys) await own.page.keyboard.press(key);
  return keys.length;
}

const row = (own, name) => own.page.locator("#rows .row").filter({ has: own.page.locator(".name", { hasText: new RegExp(`^${name}$`) }) });

export function act({ browser, wire }) {
  test("damage to three targets in at most eight keys, in one request, and one press takes it back", async () => {
    const fight = await skirmish(wire.url);
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await until(async () => (await gm.shown()).buttons.length > 0, "buttons");
    const order = (await gm.shown()).names;
    const before = await gm.version();
    const [first, second, third] = [1, 3, 6];
    const keys = await type(gm, [String(first), String(second), String(third), "d", "1", "2", "Enter"]);
    console.log(`# damage of two digits to three targets: ${keys} keys`);
    assert.ok(keys <= 8);
    await gm.at(before + 1);
    const hit = [first, second, third].map((number) => order[number - 1]);
    for (const [name, current] of Object.entries(await points(fight))) assert.equal(current, hit.includes(name) ? 18 : 30, name);
    assert.equal((await fight.read("gm")).version, before + 1, "one version for all");
    await gm.page.locator("#picked").waitFor({ state: "hidden" });
    await gm.page.locator("#toast", { hasText: "takes 12 damage" }).getByRole("button", { name: "Undo" }).click();
    await gm.at(before + 2);
    assert.ok(Object.values(await points(fight)).every((current) => current === 30), "it is taken back");
    // By arrows: two rows that follow each other, and healing by its own key.
    await fight.send({ type: "damage", target: "orc", amount: 9 });
    await gm.at(before + 3);
    const place = order.indexOf("Orc");
    await gm.page.locator("#rows .name").first().focus();
    await type(gm, [...Array(place).fill("ArrowDown"), "h", "4", "Enter"]);
    await gm.at(before + 4);
    assert.equal((await points(fight)).Orc, 25);
    assert.equal(await gm.page.evaluate(() => document.activeElement.textContent), "Orc", "focus is on the row again");
    await type(gm, ["Home", "ArrowUp", "Shift+ArrowDown", "d", "1", "Enter"]);
    await gm.at(before + 5);
    assert.equal(Object.values(await points(fight)).reduce((sum, one) => sum + one), 6 * 30 - 5 - 2);
    await gm.close();
  });

  test("one key ends the turn, one takes the last step back, and one lists the keys", async () => {
    const fight = await skirmish(wire.url);
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await until(async () => (await gm.shown()).buttons.length > 0, "buttons");
    const acting = () => gm.page.locator("#now .large").innerText();
    const [before, first] = [await gm.version(), await acting()];
    await type(gm, ["n"]);
    await gm.at(before + 1);
    assert.notEqual(await acting(), first);
    await type(gm, ["u"]);
    await gm.at(before + 2);
    assert.equal(await acting(), first);
    await gm.page.locator("#toast").getByRole("button", { name: "Redo" }).waitFor();
    // A key that is held, and a double click, end one turn.
    await gm.page.keyboard.down("n");
    await gm.at(before + 3);
    for (let held = 0; held < 3; held++) await gm.page.keyboard.down("n");
    await gm.page.keyboard.up("n");
    await gm.page.locator("#buttons .primary").first().click({ clickCount: 2, delay: 150 });
    await gm.at(before + 4);
    await gm.page.waitForTimeout(500);
    assert.equal((await fight.read("gm")).version, before + 4);
    for (const version of [before + 5, before + 6]) {
      await type(gm, ["u"]);
      await gm.at(version);
    }
    await type(gm, ["?"]);
    await gm.page.getByRole("dialog", { name: "Keys" }).waitFor();
    await type(gm, ["n"]);
    // Who dictates to the computer can switch letters off.
    await gm.page.getByLabel("Letters and numbers work as keys").click();
    await type(gm, ["Escape", "n", "d"]);
    assert.equal((await fight.read("gm")).version, before + 6, "no key is taken in a dialog, or switched off");
    await gm.close();
  });

  test("touches on a phone: hide and reveal, conditions, effects, a name, a note, and removal", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const gm = await Page.open(browser(), wire.url, fight, "gm", PHONE);
    const panel = gm.page.locator("#picked");
    const press = async (name) => {
      const before = await gm.version();
      await panel.getByRole("button", { name, exact: typeof name === "string" }).tap();
      await gm.at(before + 1);
    };
    const brakkus = async () => (await fight.read("gm")).combatants.find(({ id }) => id === "brakkus");
    await row(gm, "Brakkus").tap();
    assert.ok(await row(gm, "Brakkus").evaluate((one) => one.getBoundingClientRect().bottom <= document.querySelector("#picked").getBoundingClientRect().top), "the row is above the panel");
    await press("Hide");
    assert.equal((await brakkus()).hidden, true);
    await press("Reveal");
    assert.equal((await brakkus()).hidden, false);
    await panel.getByLabel("Condition").fill("on fire");
    await press("Add");
    assert.deepEqual((await brakkus()).conditions, ["frightened", "on-fire"]);
    await press("Remove frightened");
    assert.deepEqual((await brakkus()).conditions, ["on-fire"]);
    await panel.getByRole("button", { name: "Rename or edit" }).tap();
    await gm.page.getByLabel("Name").fill("Brakkus the Red");
    await gm.page.locator("#confirm").tap();
    await row(gm, "Brakkus the Red").waitFor();
    await panel.locator("summary", { hasText: "Your note" }).tap();
    await panel.getByLabel("Your note about").fill("Flees at 10 points.");
    await panel.getByRole("button", { name: "Clear the choice" }).tap();
    await row(gm, "Brakkus the Red").locator(".mark").waitFor();
    await row(gm, "Valiant").tap();
    await press(/^End Bless/);
    assert.ok(!(await fight.read("gm")).effects.some(({ name }) => name === "Bless"));
    await row(gm, "Valiant").tap();
    // Members of a group are hit one by one.
    await row(gm, "Goblins").tap();
    await panel.getByLabel("Hit points").fill("3");
    await panel.getByRole("button", { name: "Damage" }).tap();
    await gm.page.locator("#toast", { hasText: "choose a member" }).waitFor();
    await panel.getByLabel("goblin-2").check();
    await press("Damage");
    const members = (await fight.read("gm")).combatants.find(({ id }) => id === "goblins").members;
    assert.deepEqual(members.map(({ hp }) => hp.current), [1, 4]);
    await row(gm, "Goblins").tap();
    await press("Remove");
    assert.equal(await row(gm, "Goblins").count(), 0);
    await gm.page.locator("#toast").getByRole("button", { name: "Undo" }).tap();
    await row(gm, "Goblins").waitFor();
    await gm.page.screenshot({ path: path.join(pictures, "rows-phone.png") });
    // A reload keeps the note, and no other page ever gets it.
    await gm.page.reload();
    await row(gm, "Brakkus the Red").locator(".mark").waitFor();
    await row(gm, "Brakkus the Red").tap();
    assert.equal(await panel.getByLabel("Your note about").inputValue(), "Flees at 10 points.");
    for (const exchange of wire.exchanges) assert.ok(!(exchange.sent + exchange.body).includes("Flees at 10"), exchange.url);
    await gm.close();
  });

  test("who plays looks at a row: reasons and rules behind a tap, and no tool of the game master", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const own = await Page.open(browser(), wire.url, fight, "player", PHONE);
    assert.ok(!/AI-\d/.test(await own.page.locator("main#fight").innerText()), "no rule is in the way");
    await row(own, "Brakkus").tap();
    await row(own, "Valiant").tap();
    const panel = own.page.locator("#picked");
    assert.equal(await panel.locator("h2").innerText(), "Valiant", "one at a time");
    await panel.locator("summary").tap();
    assert.match(await panel.innerText(), /AI-\d/);
    assert.equal(await panel.getByRole("button", { name: /Damage|Hide|Remove|Rename/ }).count(), 0);
    assert.ok(!(await own.html()).includes(SHADE[1]));
    await own.close();
  });

  test("a row is dragged, and moved by keys, where an option to reorder accepts the place", async () => {
    const fight = await skirmish(wire.url);
    const ids = (await fight.read("gm")).order.map(({ combatant }) => combatant);
    const oneOf = ids.map((id) => ({ const: id, title: id }));
    const reorder = { label: "Reorder", group: "tools", primary: false, complete: false, command: { type: "reorder" }, rule: "CU-2",
      choices: [{ field: "combatant", title: "Combatant", required: true, schema: { oneOf } }, { field: "before", title: "Before", required: false, schema: { oneOf } }] };
    const context = await browser().newContext({ viewport: { width: 1280, height: 900 }, hasTouch: true });
    const page = await context.newPage();
    const sent = [];
    const version = (await fight.read("gm")).version;
    await page.route(/\/options\?/, async (route) => {
      const answer = await (await route.fetch()).json();
      await route.fulfill({ json: { ...answer, items: [...answer.items, reorder] } });
    });
    await page.route(/\/commands$/, (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ json: { version, current: [], pending: null, events: [] } });
    });
    await page.goto(wire.url + fight.link("gm"));
    const grips = page.locator(".grip");
    await until(async () => (await grips.count()) === ids.length, "grips");
    const drag = async (from, to, below) => {
      const [start, end] = [await grips.nth(from).boundingBox(), await page.locator("#rows .row").nth(to).boundingBox()];
      await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
      await page.mouse.down();
      await page.mouse.move(start.x, (start.y + end.y) / 2, { steps: 4 });
      await page.mouse.move(start.x, end.y + (below ? end.height - 3 : 3), { steps: 4 });
      await page.mouse.up();
    };
    await drag(4, 1, false);
    await until(() => sent.length === 1, "the first drag is sent");
    await drag(0, 5, true);
    await until(() => sent.length === 2, "the second drag is sent");
    await page.locator("#rows .name").nth(2).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await until(() => sent.length === 3, "the key is sent");
    await page.keyboard.press("Alt+ArrowDown");
    await until(() => sent.length === 4, "the other key is sent");
    // A finger drags a row as a mouse does.
    const session = await context.newCDPSession(page);
    const touch = (type, x, y) => session.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
    const [grip, over] = [await grips.nth(5).boundingBox(), await page.locator("#rows .row").nth(2).boundingBox()];
    await touch("touchStart", grip.x + grip.width / 2, grip.y + grip.height / 2);
    for (const share of [0.3, 0.6, 1]) await touch("touchMove", grip.x, grip.y + share * (over.y + 3 - grip.y));
    await touch("touchEnd");
    await until(() => sent.length === 5, "the finger's drag is sent");
    const moved = (combatant, before) => ({ type: "reorder", combatant: ids[combatant], ...(before !== undefined && { before: ids[before] }) });
    assert.deepEqual(sent, [moved(4, 1), moved(0), moved(2, 1), moved(2, 4), moved(5, 2)]);
    await context.close();
  });
}
