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
    // By the key c, a condition for two.
    await type(gm, ["1", "2", "c", "p", "r", "o", "n", "e", "Enter"]);
    await gm.at(before + 3);
    assert.equal((await fight.read("gm")).combatants.filter(({ conditions }) => conditions.includes("prone")).length, 2);
    await type(gm, ["u"]);
    await gm.at(before + 4);
    // By arrows: two rows that follow each other, and healing by its own key.
    await fight.send({ type: "damage", target: "orc", amount: 9 });
    await gm.at(before + 5);
    const place = order.indexOf("Orc");
    await gm.page.locator("#rows .name").first().focus();
    await type(gm, [...Array(place).fill("ArrowDown"), "h", "4", "Enter"]);
    await gm.at(before + 6);
    assert.equal((await points(fight)).Orc, 25);
    assert.equal(await gm.page.evaluate(() => document.activeElement.textContent), "Orc", "focus is on the row again");
    await type(gm, ["Home", "ArrowUp", "Shift+ArrowDown", "d", "1", "Enter"]);
    await gm.at(before + 7);
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

  test("the rows stay where they are while turns of long and short names, and choices between turns, come and go", async () => {
    for (const [ruleset, options] of [["custom", { preset: "d20" }], ["seize", undefined]]) {
      const combatants = [{ name: "Ann" }, { name: "Ogre Chieftain of the Northern Hills", side: "monsters" }, { name: "Bob", side: "players" }];
      const fight = await Fight.create(wire.url, { ruleset, options, combatants });
      await fight.send({ type: "start" });
      const gm = await Page.open(browser(), wire.url, fight, "gm", { viewport: { width: 1280, height: 800 } });
      const tops = [];
      for (let press = 0; press < 12; press++) {
        await until(async () => (await gm.shown()).buttons.length > 0, "buttons");
        tops.push(await gm.page.locator("#order").evaluate((order) => Math.round(order.getBoundingClientRect().top + scrollY)));
        const before = await gm.version();
        const answer = gm.page.locator("#buttons button.primary").first();
        await gm.click((await answer.isVisible()) ? answer : gm.page.locator("#rows .answer").first());
        await gm.at(before + 1);
      }
      assert.ok(tops.every((top, place) => place === 0 || top >= tops[place - 1]), `${ruleset}: never up: ${tops}`);
      assert.ok(new Set(tops.slice(6)).size === 1, `${ruleset}: they stand once the longest was there: ${tops}`);
      await gm.close();
    }
  });

  test("Shift and a click choose the rows between, and Defeated takes them out of the order", async () => {
    const fight = await skirmish(wire.url);
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await until(async () => (await gm.shown()).buttons.length > 0, "buttons");
    const { names } = await gm.shown();
    await row(gm, names[1]).locator(".name").click();
    await row(gm, names[3]).locator(".name").click({ modifiers: ["Shift"] });
    assert.equal(await gm.page.locator("#rows .picked").count(), 3);
    const before = await gm.version();
    await gm.page.locator("#picked").getByRole("button", { name: "Defeated" }).click();
    await gm.at(before + 1);
    const out = (await fight.read("gm")).order.filter((entry) => entry.out).map(({ name }) => name);
    assert.deepEqual(out.sort(), names.slice(1, 4).sort());
    // The numbers of rows count those that are in the fight first, and move no row.
    const heights = () => gm.page.locator("#rows .row").evaluateAll((all) => all.map((one) => one.offsetHeight));
    const still = await heights();
    await gm.page.keyboard.press("ArrowDown");
    assert.ok(await gm.page.evaluate(() => document.body.classList.contains("by-keys")));
    assert.deepEqual(await heights(), still);
    const digits = () => gm.page.locator("#rows .row.out .name").evaluateAll((all) => all.map(({ dataset }) => dataset.digit).sort());
    assert.deepEqual(await digits(), ["2", "3", "4"], "they keep their numbers for the turn");
    await gm.page.keyboard.press("n");
    await gm.at(before + 2);
    assert.deepEqual(await digits(), ["4", "5", "6"]);
    await gm.close();
  });

  test("the key 0 chooses the tenth row, and the line with the undo leaves the panel free", async () => {
    const combatants = Array.from({ length: 11 }, (_, place) => ({ name: `Rat ${place}`, side: "monsters", hp: { current: 5 } }));
    const fight = await skirmish(wire.url, { combatants, tokens: [] });
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await until(async () => (await gm.shown()).buttons.length > 0, "buttons");
    const before = await gm.version();
    const tenth = (await gm.shown()).names[9];
    await type(gm, ["0", "d", "2", "Enter"]);
    await gm.at(before + 1);
    assert.equal((await points(fight))[tenth], 3);
    await type(gm, ["1"]);
    const [line, panel] = [await gm.page.locator("#toast").boundingBox(), await gm.page.locator("#picked").boundingBox()];
    assert.ok(line.y + line.height <= panel.y, "the line is above the panel");
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
    // What is done to a choice ends it.
    await press("Hide");
    assert.equal((await brakkus()).hidden, true);
    await row(gm, "Brakkus").tap();
    await press("Reveal");
    assert.equal((await brakkus()).hidden, false);
    await row(gm, "Brakkus").tap();
    await panel.getByLabel("Condition").fill("on fire");
    await press("Add");
    assert.deepEqual((await brakkus()).conditions, ["frightened", "on-fire"]);
    await row(gm, "Brakkus").tap();
    await press("Remove frightened");
    assert.deepEqual((await brakkus()).conditions, ["on-fire"]);
    await row(gm, "Brakkus").tap();
    await panel.getByRole("button", { name: "Rename or edit" }).tap();
    await gm.page.getByLabel("Name").fill("Brakkus the Red");
    await gm.page.locator("#confirm").tap();
    await row(gm, "Brakkus the Red").waitFor();
    await row(gm, "Brakkus the Red").tap();
    await panel.locator("summary", { hasText: "Notes" }).tap();
    await panel.getByLabel("Notes about").fill("Flees at 10 points.");
    await panel.getByRole("button", { name: "Clear the choice" }).tap();
    await row(gm, "Brakkus the Red").locator(".mark").waitFor();
    await row(gm, "Valiant").tap();
    await press(/^End Bless/);
    assert.ok(!(await fight.read("gm")).effects.some(({ name }) => name === "Bless"));
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
    // The fight keeps the notes, for the game master alone.
    await gm.page.reload();
    await row(gm, "Brakkus the Red").locator(".mark").waitFor();
    await row(gm, "Brakkus the Red").tap();
    assert.equal(await panel.getByLabel("Notes about").inputValue(), "Flees at 10 points.");
    for (const role of ["player", "spectator"]) assert.ok(!JSON.stringify(await fight.read(role)).includes("Flees at 10"), role);
    await fight.send({ type: "update_combatant", combatant: "brakkus", changes: { armor_class: 16, link: "https://example.org/brakkus", armor_class_seen_by: "all" } });
    await row(gm, "Brakkus the Red").locator(".armor", { hasText: "AC 16" }).waitFor();
    assert.equal(await panel.getByRole("link", { name: "Sheet of Brakkus" }).getAttribute("href"), "https://example.org/brakkus");
    const { combatants } = await fight.read("spectator");
    const seen = combatants.find(({ id }) => id === "brakkus") ?? {};
    assert.deepEqual([seen.armor_class, seen.link, seen.notes], [16, undefined, undefined]);
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

  for (const [device, context] of [["mouse", {}], ["finger on a phone", PHONE]]) {
    test(`a row is dragged by a ${device}: it stands at its new place, and one press brings it back`, async () => {
      const fight = await skirmish(wire.url);
      const gm = await Page.open(browser(), wire.url, fight, "gm", context);
      const session = await gm.context.newCDPSession(gm.page);
      const pointers = {
        mouse: { down: () => gm.page.mouse.down(), move: (x, y) => gm.page.mouse.move(x, y, { steps: 4 }), up: () => gm.page.mouse.up() },
        finger: {
          down: (x, y) => session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] }),
          move: (x, y) => session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x, y }] }),
          up: () => session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] }),
        },
      };
      const pointer = pointers[device.split(" ")[0]];
      const names = async () => (await gm.shown()).names;
      const grip = (name) => row(gm, name).locator(".grip");
      // Drags a row above or below the middle of another one, and waits until the server and the page have the order.
      const drag = async (name, over, isBelow) => {
        const version = await gm.version();
        await grip(name).scrollIntoViewIfNeeded();
        const [from, to] = [await grip(name).boundingBox(), await row(gm, over).boundingBox()];
        const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
        if (device === "mouse") await gm.page.mouse.move(x, y);
        await pointer.down(x, y);
        const end = to.y + (isBelow ? to.height - 3 : 3);
        for (const share of [0.3, 0.6, 1]) await pointer.move(x, y + share * (end - y));
        await pointer.up();
        await gm.at(version + 1);
        const { order } = await fight.read("gm");
        assert.deepEqual(await names(), order.map((entry) => entry.name), "the page shows the order of the server");
      };
      await until(async () => (await gm.page.locator(".grip").count()) === 6, "grips");
      const [a, b, c, d, e, f] = await names();
      await drag(e, c, false);
      assert.deepEqual(await names(), [a, b, e, c, d, f]);
      assert.equal(await gm.page.locator("#now .large").innerText(), a, "the turn stays");
      await gm.page.locator("#toast").getByRole("button", { name: "Undo" }).click();
      await until(async () => (await names()).join() === [a, b, c, d, e, f].join(), "the row is back");
      await drag(b, f, true);
      assert.deepEqual(await names(), [a, c, d, e, f, b]);
      // Who acts now can be moved too, and acts on.
      await drag(a, d, true);
      assert.deepEqual(await names(), [c, d, a, e, f, b]);
      assert.deepEqual((await gm.shown()).current, [a]);
      // A row that is let go at its own place sends nothing.
      const version = await gm.version();
      const at = await grip(d).boundingBox();
      if (device === "mouse") await gm.page.mouse.move(at.x + 5, at.y + 5);
      await pointer.down(at.x + 5, at.y + 5);
      await pointer.move(at.x + 5, at.y + 8);
      await pointer.up();
      await gm.page.waitForTimeout(300);
      assert.equal((await fight.read("gm")).version, version);
      await gm.page.screenshot({ path: path.join(pictures, `dragged-${device.split(" ")[0]}.png`) });
      await gm.close();
    });
  }

  test("a row is moved by keys, and stays under the focus; undo brings it back", async () => {
    const fight = await skirmish(wire.url);
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await until(async () => (await gm.page.locator(".grip").count()) === 6, "grips");
    const names = async () => (await gm.shown()).names;
    const [a, b, c, d, e, f] = await names();
    const focused = () => gm.page.evaluate(() => document.activeElement.textContent);
    const press = async (...keys) => {
      const version = await gm.version();
      await type(gm, keys);
      await gm.at(version + 1);
    };
    await type(gm, ["ArrowDown", "ArrowDown", "ArrowDown"]);
    assert.equal(await focused(), c);
    await press("Alt+ArrowUp");
    assert.deepEqual(await names(), [a, c, b, d, e, f]);
    assert.equal(await focused(), c);
    for (const expected of [[a, b, c, d, e, f], [a, b, d, c, e, f], [a, b, d, e, c, f], [a, b, d, e, f, c]]) {
      await press("Alt+ArrowDown");
      assert.deepEqual(await names(), expected);
      assert.equal(await focused(), c);
    }
    const version = await gm.version();
    await type(gm, ["Alt+ArrowDown"]);
    await press("u");
    assert.deepEqual(await names(), [a, b, d, e, c, f]);
    assert.equal(await gm.version(), version + 1, "the last row goes no further");
    await gm.close();
  });

  test("a row stands where it was dropped among the dead, and among several turns of a combatant", async () => {
    const definition = { numbers: { turns: 1 }, turns: "turns", changes: { further_turn: 5 } };
    const combatants = [{ name: "Ann" }, { name: "Bob" }, { name: "Orc", side: "monsters", numbers: { turns: 3 } }, { name: "Imp", side: "monsters" }];
    const fight = await Fight.create(wire.url, { ruleset: "custom", options: { preset: "d20", definition }, combatants });
    await fight.send({ type: "start", rolls: { orc: 20, imp: 18, ann: 12, bob: 2 } });
    await fight.send({ type: "set_condition", target: "imp", condition: "dead" });
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    const names = async () => (await gm.shown()).names;
    await until(async () => (await names()).join() === "Orc,Orc,Ann,Orc,Bob,Imp", "the order");
    const grips = () => gm.page.locator("#rows .row").evaluateAll((rows) => rows.map((one) => one.querySelector(".grip") !== null));
    await until(async () => (await grips()).some(Boolean), "grips");
    assert.deepEqual(await grips(), [false, true, true, false, true, false], "the next turn of each who is alive");
    const drag = async (from, to, isBelow) => {
      const version = await gm.version();
      const start = await gm.page.locator("#rows .row").nth(from).locator(".grip").boundingBox();
      const end = await gm.page.locator("#rows .row").nth(to).boundingBox();
      await gm.page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
      await gm.page.mouse.down();
      await gm.page.mouse.move(start.x, end.y + (isBelow ? end.height - 3 : 3), { steps: 4 });
      await gm.page.mouse.up();
      await gm.at(version + 1);
    };
    await drag(2, 5, true);
    assert.deepEqual(await names(), ["Orc", "Orc", "Orc", "Bob", "Ann", "Imp"], "the dead have no place");
    await drag(1, 4, false);
    assert.deepEqual(await names(), ["Orc", "Orc", "Bob", "Orc", "Ann", "Imp"]);
    await drag(4, 0, false);
    assert.deepEqual(await names(), ["Ann", "Orc", "Orc", "Bob", "Orc", "Imp"]);
    await gm.close();
  });

  test("a list that is longer than a phone scrolls to the place where the row is dropped", async () => {
    const combatants = Array.from({ length: 16 }, (_, place) => ({ name: `Rat ${place}`, hp: { current: 5 }, side: "monsters" }));
    const fight = await skirmish(wire.url, { combatants, tokens: [] });
    const gm = await Page.open(browser(), wire.url, fight, "gm", PHONE);
    await until(async () => (await gm.page.locator(".grip").count()) === 16, "grips");
    const names = await gm.page.locator("#rows .name").allInnerTexts();
    const session = await gm.context.newCDPSession(gm.page);
    const touch = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
    const { x, y } = await row(gm, names[1]).locator(".grip").boundingBox();
    const version = await gm.version();
    await touch("touchStart", { x: x + 5, y: y + 5 });
    const edge = await gm.page.evaluate(() => document.querySelector("#actions").getBoundingClientRect().top - 20);
    for (const share of [0.5, 1]) await touch("touchMove", { x, y: y + share * (edge - y) });
    await gm.page.locator(`#rows .row.after`).waitFor();
    await touch("touchEnd");
    await gm.at(version + 1);
    assert.deepEqual((await fight.read("gm")).order.map(({ name }) => name), [names[0], ...names.slice(2), names[1]]);
    await gm.close();
  });

  test("a player drags no row, and rules without places offer no handle", async () => {
    const fight = await skirmish(wire.url);
    const player = await Page.open(browser(), wire.url, fight, "player");
    await player.page.locator("#rows .row").first().waitFor();
    const sides = await skirmish(wire.url, { options: { preset: "side" } });
    const gm = await Page.open(browser(), wire.url, sides, "gm");
    await until(async () => (await gm.shown()).buttons.length > 0, "buttons");
    for (const own of [player, gm]) {
      assert.equal(await own.page.locator(".grip").count(), 0);
      await own.close();
    }
  });
}
