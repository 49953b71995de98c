// The decision as it is drawn: what the table rolled beside each name, one press for the usual answer, a button for each value, and rows that
// are dragged into a turn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fight, Page, until } from "./harness.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const FIGHTERS = [["Ann", "players"], ["Borin", "players"], ["Orc", "monsters"], ["Rat", "monsters"]].map(([name, side]) => ({ name, side }));
const TOKENS = [{ role: "player", name: "Zoe", combatants: ["ann"] }];

const fightOf = (url, ruleset, more = {}) => Fight.create(url, { ruleset, combatants: FIGHTERS, tokens: TOKENS, seed: 4, ...more });
const field = (own, name) => own.page.locator("#rows .row", { has: own.page.locator(".name", { hasText: name }) }).locator(".physical");

export function decide({ browser, wire }) {
  test("what the table rolled is typed beside each name, and starts the fight with it", async () => {
    const fight = await fightOf(wire.url, "custom", { options: { preset: "d20" } });
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await field(gm, "Ann").focus();
    for (const number of ["17", "12.5", ""]) {
      await gm.page.keyboard.type(number);
      await gm.page.keyboard.press("Enter");
    }
    await gm.page.keyboard.type("3");
    await fight.send({ type: "note", text: "Somebody else does something." });
    await gm.at(1);
    await gm.page.keyboard.press("Enter");
    assert.equal(await gm.page.evaluate(() => document.activeElement.textContent), "Start the fight", "after the last field comes the large button");
    await gm.page.keyboard.press("Enter");
    await gm.at(2);
    const { order } = await fight.read("gm");
    const of = (id) => order.find(({ combatant }) => combatant === id).initiative;
    assert.deepEqual([of("ann"), of("borin"), of("rat")], [17, 12.5, 3]);
    assert.ok(Number.isInteger(of("orc")), "the server rolls for who has no number");
    assert.equal(await gm.page.locator(".physical").count(), 0);
    await gm.close();
  });

  test("a number that no die shows is not sent", async () => {
    const fight = await fightOf(wire.url, "dc20");
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    assert.equal(await gm.page.locator(".physical").count(), 2, "monsters make no check");
    await field(gm, "Ann").fill("21");
    await gm.page.keyboard.press("Enter");
    await gm.page.locator("#toast", { hasText: "Ann: Roll: use 1 to 20." }).waitFor();
    await field(gm, "Ann").fill("18");
    await gm.page.keyboard.press("Enter");
    await gm.page.locator(".row", { hasText: "rolled 18" }).waitFor();
    assert.equal(await gm.page.locator(".physical").count(), 1);
    await gm.close();
  });

  test("a player types their own roll, and sees no field for others", async () => {
    const fight = await fightOf(wire.url, "exp");
    const own = await Page.open(browser(), wire.url, fight, "player");
    await field(own, "Ann").fill("9");
    assert.equal(await own.page.locator(".physical").count(), 1);
    await own.page.keyboard.press("Tab");
    await own.page.locator(".row", { hasText: "rolled 9" }).waitFor();
    await own.close();
  });

  test("a player's roll is sent by Enter on a phone, and by the button of the roll", async () => {
    const fight = await fightOf(wire.url, "exp", { tokens: [{ role: "player", combatants: ["ann", "borin"] }] });
    const own = await Page.open(browser(), wire.url, fight, "player", PHONE);
    await field(own, "Ann").fill("9");
    await own.page.keyboard.press("Enter");
    await own.page.locator(".row", { hasText: "rolled 9" }).waitFor();
    await field(own, "Borin").fill("12");
    await own.page.locator("#buttons [data-key=decision] button:not(.more)", { hasText: "Borin: roll initiative" }).tap();
    await own.page.locator(".row", { hasText: "rolled 12" }).waitFor();
    const rolls = (await fight.read("gm", "/events")).items.flatMap(({ events }) => events).filter(({ text = "" }) => /rolls/.test(text));
    assert.deepEqual(rolls.map(({ text }) => text), ["Ann rolls 9 for initiative.", "Borin rolls 12 for initiative."], "no die replaces what was typed");
    await own.close();
  });

  test("when foes may interrupt, the large button goes on, and they have buttons on their rows", async () => {
    const fight = await fightOf(wire.url, "active-initiative", { combatants: FIGHTERS.map((one) => ({ ...one, hp: { current: 9 } })) });
    for (const command of [{ type: "start", first: "ann" }, { type: "damage", targets: ["orc", "rat"], amount: 2, source: "ann" }, { type: "end_turn", combatant: "ann", next: "borin" }]) await fight.send(command);
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await gm.page.locator("#buttons button.primary", { hasText: "No one interrupts" }).waitFor();
    await gm.page.locator("#rows .row", { hasText: "Orc" }).getByRole("button", { name: "Orc: interrupt" }).waitFor();
    await gm.page.keyboard.press("n");
    await gm.at(4);
    assert.deepEqual((await fight.read("gm")).current, ["borin"]);
    await gm.close();
  });

  test("Shift and the number of a row answer what it may decide alone, from the heading of the options too", async () => {
    const fight = await fightOf(wire.url, "active-initiative", { combatants: FIGHTERS.map((one) => ({ ...one, hp: { current: 9 } })) });
    for (const command of [{ type: "start", first: "ann" }, { type: "damage", target: "orc", amount: 2, source: "ann" }, { type: "end_turn", combatant: "ann", next: "borin" }]) await fight.send(command);
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await until(async () => (await gm.shown()).buttons.length > 0, "buttons");
    await gm.page.locator("#actions-title").focus();
    await gm.page.keyboard.press("ArrowDown");
    assert.equal(await gm.page.evaluate(() => document.activeElement.closest("#rows") !== null), true, "an arrow goes to the rows");
    const digit = await gm.page.locator("#rows .row", { hasText: "Orc" }).locator(".name").getAttribute("data-digit");
    await gm.page.keyboard.press(`Shift+Digit${digit}`);
    await gm.at(4);
    const { items } = await fight.read("gm", "/events");
    assert.match(items.at(-1).events[0].text, /^Orc /);
    await gm.close();
  });

  test("the second of a double press does not press what has come to its place", async () => {
    const fight = await fightOf(wire.url, "custom", { options: { preset: "d20" } });
    await fight.send({ type: "start" });
    const gm = await Page.open(browser(), wire.url, fight, "gm", PHONE);
    const large = gm.page.locator("#buttons [data-key=decision] button.primary").first();
    await large.waitFor();
    // Presses, and again as soon as another button is there, at the same place. Returns how long that took.
    const twice = () => gm.page.evaluate(() => new Promise((resolve) => {
      const button = () => document.querySelector("#buttons [data-key=decision] button.primary");
      const press = () => button().dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1, clientX: 100, clientY: 700 }));
      const [first, began] = [button().dataset.key, performance.now()];
      press();
      const look = () => {
        if (!button() || button().dataset.key === first) return setTimeout(look, 5);
        press();
        return resolve(performance.now() - began);
      };
      look();
    }));
    let took;
    for (let attempt = 0; attempt < 8 && !(took < 300); attempt++) {
      await gm.page.waitForTimeout(500);
      const before = await gm.version();
      took = await twice();
      await gm.page.waitForTimeout(300);
      if (took < 300) assert.equal((await fight.read("gm")).version, before + 1, "one turn has ended");
    }
    assert.ok(took < 300, `the page answers in ${took} ms`);
    await gm.close();
  });

  test("cards that were typed on rows are there again after an undo", async () => {
    const fight = await fightOf(wire.url, "custom", { options: { preset: "cards" } });
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await field(gm, "Ann").selectOption({ label: "Q♠" });
    await field(gm, "Orc").selectOption({ label: "3♣" });
    await gm.page.keyboard.press("n");
    await gm.at(1);
    assert.deepEqual((await fight.read("gm")).order.filter(({ name }) => ["Ann", "Orc"].includes(name)).map(({ slot }) => slot), ["Q♠", "3♣"]);
    await gm.page.keyboard.press("u");
    await gm.at(2);
    await until(async () => (await field(gm, "Ann").inputValue()) === "qs", "Ann's card");
    assert.equal(await field(gm, "Orc").inputValue(), "3c");
    assert.equal(await field(gm, "Borin").inputValue(), "", "the server dealt this one");
    await gm.close();
  });

  test("a group that shares its initiative acts by one key", async () => {
    const goblins = [1, 2, 3].map((number) => ({ name: `Goblin ${number}`, side: "monsters", group: "goblins", initiative: 12 }));
    const fight = await fightOf(wire.url, "custom", { options: { preset: "d20" }, combatants: [...goblins, { name: "Ann", initiative: 5 }] });
    await fight.send({ type: "start" });
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await until(async () => (await gm.shown()).choices.length + (await gm.shown()).buttons.length > 0, "buttons");
    for (let presses = 0; !(await fight.read("gm")).current.includes("ann"); presses++) {
      assert.ok(presses < 8, "Ann never acts");
      const version = await gm.version();
      await gm.page.keyboard.press("n");
      await gm.at(version + 1);
    }
    await gm.close();
  });

  for (const ruleset of ["exp", "venture"]) {
    test(`a round of ${ruleset} by the key of the usual answer alone`, async () => {
      const fight = await fightOf(wire.url, ruleset);
      const gm = await Page.open(browser(), wire.url, fight, "gm");
      await until(async () => (await gm.shown()).buttons.length > 0, "buttons");
      let presses = 0;
      for (; presses < 60 && (await fight.read("gm")).round < 2; presses++) {
        const version = await gm.version();
        const large = gm.page.locator("#buttons button.primary:not(.more)");
        // Between two units all roll, or each on its own.
        if (await large.count() === 1) await gm.page.keyboard.press("n");
        else await gm.click(large.last());
        await gm.at(version + 1);
        assert.ok(await gm.page.locator("#dialog").isHidden(), "nothing is asked");
      }
      console.log(`# a round of ${ruleset} with four: ${presses} presses`);
      assert.equal((await fight.read("gm")).round, 2);
      await gm.close();
    });
  }

  test("an answer that is one of a few values has a button for each", async () => {
    const fight = await fightOf(wire.url, "custom", { options: { preset: "fast-slow" } });
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    await fight.send({ type: "start" });
    await gm.at(1);
    const group = gm.page.getByRole("group", { name: "Ann: declare" });
    await until(async () => (await group.getByRole("button").count()) === 2, "two buttons");
    const version = await gm.version();
    await group.getByRole("button").first().click();
    await gm.at(version + 1);
    assert.ok(!(await fight.read("gm")).pending.combatants.includes("ann"));
    await gm.close();
  });

  test("in DC20 who can take the turn is dragged into it, and who has claimed it has the large button", async () => {
    const fight = await fightOf(wire.url, "dc20");
    await fight.send({ type: "start", rolls: { ann: 18, borin: 15 } });
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    const row = (name) => gm.page.locator("#rows .row", { hasText: name });
    await row("Borin").getByRole("button", { name: "Start PC Turn 1: Borin" }).waitFor();
    await fight.send({ type: "claim", combatant: "borin" });
    await gm.at(2);
    await gm.page.locator("#buttons button.primary", { hasText: "Start PC Turn 1: Borin" }).waitFor();
    await fight.send({ type: "undo" });
    await gm.at(3);
    const grip = await row("Borin").locator(".grip").boundingBox();
    const turn = await gm.page.locator("#rows .row.next").boundingBox();
    await gm.page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
    await gm.page.mouse.down();
    await gm.page.mouse.move(turn.x + 90, turn.y + turn.height / 2, { steps: 6 });
    await gm.page.locator(".row.into").waitFor();
    await gm.page.mouse.up();
    await gm.at(4);
    assert.deepEqual((await fight.read("gm")).current, ["borin"]);
    await gm.close();
  });
}
