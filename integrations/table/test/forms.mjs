// The forms of options whose choices are more than a list.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { ambush, under } from "./fights.mjs";
import { Fight, Page, pictures, until } from "./harness.mjs";

const COMBATANTS = [{ id: "ann", name: "Ann" }, { id: "bob", name: "Bob" }, { id: "orc", name: "Orc", side: "monsters" }, { id: "wolf", name: "Wolf", side: "monsters" }];

export function forms({ browser, wire }) {
  const opened = async (ruleset, options) => {
    const fight = await Fight.create(wire.url, { ruleset, options, name: "The mill", combatants: COMBATANTS, seed: 3 });
    return [fight, await Page.open(browser(), wire.url, fight, "gm")];
  };
  const place = (fight, name) => fight.read("gm").then(({ order }) => order.find((row) => row.name === name)?.initiative);

  test("keys alone: what is typed is what is sent, and nobody is hit who was not chosen", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const gm = await Page.open(browser(), wire.url, fight, "gm");
    const { keyboard } = gm.page;
    const brakkus = async () => (await fight.read("gm")).combatants.find(({ id }) => id === "brakkus");
    const before = await fight.read("gm");
    await gm.ask(/^Deal damage$/);
    await gm.tabTo("Amount");
    await keyboard.type("6");
    await keyboard.press("Enter");
    assert.equal(await gm.page.evaluate(() => document.activeElement.labels[0].textContent), "Target", "it asks whom");
    assert.equal((await fight.read("gm")).version, before.version, "nothing is sent");
    await keyboard.type("Bra");
    await gm.tabTo("Confirm");
    await keyboard.press("Enter");
    await gm.at(before.version + 1);
    assert.equal((await brakkus()).hp.current, 27 - 6);
    await gm.ask("Add a condition");
    await gm.tabTo("Condition");
    await keyboard.type("prone");
    await gm.tabTo("Target");
    await keyboard.type("Bra");
    await gm.tabTo("Confirm");
    await keyboard.press("Enter");
    await gm.at(before.version + 2);
    assert.deepEqual((await brakkus()).conditions, ["frightened", "prone"]);
    await gm.close();
  });

  test("a player adds an effect of one of their own where the encounter allows it", async () => {
    const fight = await ambush(wire.url, { player_effects: true });
    const own = await Page.open(browser(), wire.url, fight, "player");
    await own.press("Add an effect", async (page) => {
      await page.getByLabel("Name").fill("Mark");
      await page.getByLabel("Target").selectOption({ label: "Brakkus" });
      const by = page.getByLabel("Source");
      assert.deepEqual(await by.locator("option").allInnerTexts(), ["Choose …", "Valiant", "Mira of the Reeds"]);
      await by.selectOption({ label: "Valiant" });
      await page.getByLabel("Expires").selectOption({ label: "For a number of rounds" });
      await page.getByLabel("Rounds").fill("1");
      assert.equal(await page.getByLabel("Hidden").count(), 0);
    });
    const [effect] = (await fight.read("gm")).effects;
    assert.deepEqual([effect.source, effect.target, effect.expires], ["valiant", "brakkus", { at: "round_end", rounds: 1 }]);
    await own.close();
  });

  test("dice that the table rolled go into the command, and the server rolls the others", async () => {
    const [fight, gm] = await opened("custom", { preset: "d20" });
    await gm.press("Start", async (page) => {
      await page.locator("#fields summary").click();
      const rolls = page.getByRole("group", { name: "Rolls" });
      await rolls.getByLabel("Ann").fill("19");
      await rolls.getByLabel("Orc").fill("2");
      await page.getByRole("group", { name: "Surprised" }).getByLabel("Wolf").check();
    });
    assert.equal(await place(fight, "Ann"), 19);
    assert.equal(await place(fight, "Orc"), 2);
    assert.ok((await place(fight, "Bob")) > 0);
    await gm.close();
  });

  test("a combatant joins, is changed and wounded, and bears an effect", async () => {
    const [fight, gm] = await opened("custom", { preset: "d20" });
    await gm.press("Start");
    await gm.press("Add a combatant", async (page) => {
      await page.getByLabel("Name").fill("Ogre");
      await page.getByLabel("Side").selectOption({ label: "Monsters" });
      await page.getByRole("group", { name: "Hp" }).getByLabel("Current").fill("30");
      await page.getByRole("group", { name: "Hp" }).getByLabel("Temp").fill("4");
      await page.getByLabel("Hidden").selectOption({ label: "Yes" });
    });
    const ogre = async () => (await fight.read("gm")).combatants.find(({ name }) => name === "Ogre");
    const { id, hp, hidden, side } = await ogre();
    assert.deepEqual([hp.current, hp.temp, hidden, side], [30, 4, true, "monsters"]);
    await gm.press("Edit a combatant", async (page) => {
      await page.getByLabel("Combatant", { exact: true }).selectOption({ label: "Ogre" });
      await page.getByLabel("Hidden").selectOption({ label: "No" });
    });
    assert.deepEqual([(await ogre()).hidden, (await ogre()).hp.temp], [false, 4], "what is left empty stays");
    await gm.press("Add an effect", async (page) => {
      await page.getByLabel("Name").fill("Haste");
      await page.getByLabel("Target").selectOption({ label: "Ogre" });
      await page.getByLabel("Expires").selectOption({ label: "Until a turn ends" });
      const turns = page.getByRole("group", { name: "Until a turn ends" });
      await turns.getByLabel("Whose turn").selectOption({ label: "Ogre" });
      await turns.getByLabel("Turns").fill("3");
    });
    const [effect] = (await fight.read("gm")).effects;
    assert.deepEqual([effect.name, effect.target, effect.expires.at, effect.expires.turns], ["Haste", id, "turn_end", 3]);
    await until(async () => (await gm.page.locator("#rows").innerText()).includes("Haste to the end of 3 turns"), "the effect is shown");
    await gm.press("Write a note", async (page) => {
      await page.getByRole("textbox", { name: "Text" }).fill("<b>Not bold</b>");
      await page.getByLabel("Readers").selectOption({ label: "All" });
    });
    assert.ok((await gm.log()).includes("<b>Not bold</b>"), "names and notes are text");
    await gm.close();
  });

  test("an attack names its targets, and successes join the battle", async () => {
    const [fight, gm] = await opened("venture");
    await gm.press("Start", async (page) => {
      await page.locator("#fields summary").click();
      for (const [name, successes] of [["Ann", 6], ["Bob", 2], ["Orc", 1], ["Wolf", 0]]) await page.getByRole("group", { name, exact: true }).getByLabel("Successes").fill(String(successes));
    });
    const first = await place(fight, "Ann");
    assert.ok(first > (await place(fight, "Bob")));
    while (await gm.page.locator("#buttons button", { hasText: "free action" }).count()) await gm.press(/: give up the free action$/);
    await gm.press("Ann: start turn");
    const attack = await gm.page.locator("#buttons button", { hasText: /attack/i }).allInnerTexts();
    assert.ok(attack.length, "an attack is offered");
    const before = await place(fight, "Orc");
    await gm.press(attack[0], async (page) => {
      const more = page.locator("#fields summary");
      if (await more.count()) await more.click();
      const attacked = page.getByRole("group", { name: "Attacked" });
      await attacked.getByLabel("Combatant").selectOption({ label: "Orc" });
      await attacked.getByLabel("Initiative lost").fill("3");
      await page.screenshot({ path: path.join(pictures, "form-attack.png") });
    });
    assert.equal(await place(fight, "Orc"), before - 3);
    await gm.close();
  });
}
