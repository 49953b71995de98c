// How the page looks and who can use it: accessibility, the keyboard, the first paint, and pictures.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { ambush, under } from "./fights.mjs";
import { Fight, Page, axe, pictures, until } from "./harness.mjs";

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

// Serious and critical findings, each with the first element that it is about.
async function findings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

async function nothingSticksOut(page) {
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= screen, `${wide} of ${screen} pixels`);
}

export function look({ browser, server, wire }) {
  for (const colorScheme of ["light", "dark"]) {
    for (const role of ["gm", "player", "spectator"]) {
      test(`${role}, ${colorScheme}: no serious finding of axe on a desktop and a phone`, async () => {
        const fight = await ambush(wire.url);
        await under(fight);
        for (const [name, viewport] of [["desktop", DESKTOP], ["phone", PHONE]]) {
          const own = await Page.open(browser(), wire.url, fight, role, { colorScheme, viewport, reducedMotion: "reduce" });
          await until(async () => role === "spectator" || (await own.page.locator("#buttons button").count()) > 1, "buttons");
          assert.deepEqual(await findings(own.page), []);
          await nothingSticksOut(own.page);
          const highest = await own.page.evaluate(() => Math.max(...[...document.querySelectorAll("#rows .row")].map((row) => row.clientHeight)));
          assert.ok(highest < 100, `a row of ${highest} pixels`);
          await own.page.screenshot({ path: path.join(pictures, `${role}-${colorScheme}-${name}.png`), fullPage: name === "phone" });
          await own.page.locator("#rows .name").nth(1).click();
          await own.page.locator("#picked h2").waitFor();
          assert.deepEqual(await findings(own.page), [], "with a row chosen");
          await own.page.screenshot({ path: path.join(pictures, `picked-${role}-${colorScheme}-${name}.png`) });
          await own.page.keyboard.press("Escape");
          if (role === "gm") {
            for (const label of ["Valiant: end turn", "Add an effect"]) {
              await own.ask(label);
              assert.deepEqual(await findings(own.page), [], label);
              await own.page.screenshot({ path: path.join(pictures, `form-${label.split(" ")[0]}-${colorScheme}-${name}.png`) });
              await own.page.keyboard.press("Escape");
            }
          }
          await own.close();
        }
      });
    }
  }

  test("a turn by the keyboard alone: focus goes to the form and back, and is kept over a redraw", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const own = await Page.open(browser(), wire.url, fight, "player");
    const { keyboard } = own.page;
    const focused = () => own.page.evaluate(() => document.activeElement.textContent.trim());
    const tabTo = async (word) => {
      for (let presses = 0; presses < 40; presses++) {
        if ((await focused()).startsWith(word) && (await own.page.evaluate(() => document.activeElement.matches("button")))) return;
        await keyboard.press("Tab");
      }
      throw new Error(`no way to ${word}`);
    };
    await tabTo("Valiant: end turn");
    // A redraw by another one's step leaves focus where it is.
    await fight.send({ type: "damage", target: "brakkus", amount: 1 });
    await own.at((await fight.read("player")).version);
    assert.equal(await focused(), "Valiant: end turn");
    // The button sends; the one after it opens the form.
    await keyboard.press("Tab");
    const isMore = () => own.page.evaluate(() => document.activeElement.matches(".more") && document.activeElement.ariaLabel);
    assert.equal(await isMore(), "Valiant: end turn, with choices");
    await keyboard.press("Enter");
    const inForm = () => own.page.evaluate(() => document.activeElement.closest("#dialog") !== null);
    assert.ok(await inForm(), "focus is in the form");
    await keyboard.press("Escape");
    assert.equal(await isMore(), "Valiant: end turn, with choices", "and back at the button");
    await keyboard.press("Enter");
    // A press counts from the moment that the form is closed, before its `close` event.
    await own.page.evaluate(() => {
      document.querySelector("#dialog").close();
      document.activeElement.click();
    });
    assert.ok(await own.page.locator("#dialog").isVisible(), "the form is open again");
    assert.equal(await own.page.evaluate(() => document.activeElement.labels[0].textContent), "Next");
    // The first letters of a value choose it.
    await keyboard.press("m");
    assert.equal(await own.page.evaluate(() => document.activeElement.selectedOptions[0].label), "Mira of the Reeds");
    await tabTo("Confirm");
    // The stream shows the step before its answer arrives.
    let release;
    const answered = new Promise((resolve) => { release = resolve; });
    wire.held = ({ method, url }) => method === "POST" && url.endsWith("/commands") && answered;
    await keyboard.press("Enter");
    await until(async () => (await fight.read("gm")).order.some((row) => row.next && row.name === "Mira of the Reeds"), "Mira is next");
    await until(async () => (await own.page.locator("#now").innerText()).includes("Mira"), "and shown");
    assert.ok(await inForm(), "focus is in the form until the answer is there");
    delete wire.held;
    release();
    await until(async () => !(await own.page.locator("#dialog").isVisible()), "the form is closed");
    assert.ok(await own.page.evaluate(() => document.activeElement !== document.body), "focus is not lost");
    assert.match(await own.log(), /Valiant's turn ends/);
    await own.close();
  });

  test("landmarks, headings and the live region are there", async () => {
    const fight = await ambush(wire.url);
    const own = await Page.open(browser(), wire.url, fight, "gm");
    for (const [role, name] of [["banner"], ["main"], ["log", "Log"], ["region", "Order"], ["region", "Your options"]]) {
      assert.equal(await own.page.getByRole(role, name ? { name, exact: true } : {}).count(), 1, `${role} ${name ?? ""}`);
    }
    assert.equal(await own.page.locator("h1").innerText(), "Ambush at the mill");
    await own.close();
  });

  test("the order is painted within a second on a slow connection", async () => {
    const fight = await ambush(wire.url);
    await under(fight);
    const context = await browser().newContext({ viewport: PHONE });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    const slow = (1.6 * 1024 * 1024) / 8;
    await session.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: slow, uploadThroughput: slow });
    const times = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      await page.goto("about:blank");
      await session.send("Network.clearBrowserCache");
      // Without the proxy, which asks for bodies that are not compressed.
      await page.goto(`http://127.0.0.1:${server.port}${fight.link("spectator")}`, { waitUntil: "commit" });
      await page.locator("#rows .row").first().waitFor();
      times.push(await page.evaluate(() => ({
        paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity,
        order: performance.getEntriesByName("drawn")[0]?.startTime ?? Infinity,
      })));
    }
    // The machine may be busy with something else at one of them.
    const best = Object.fromEntries(["paint", "order"].map((name) => [name, Math.round(Math.min(...times.map((time) => time[name])))]));
    console.log(`# first paint after ${best.paint} ms, the order after ${best.order} ms`);
    assert.ok(best.paint < 1000 && best.order < 1000, JSON.stringify(times));
    await context.close();
  });

  test("14 combatants fit a screen of 1080 lines, and 8 a phone", async () => {
    for (const [roles, size, viewport] of [[["gm", "player", "spectator"], 14, { width: 1920, height: 1080 }], [["gm", "player"], 8, PHONE]]) {
      const combatants = Array.from({ length: size }, (_, i) => ({ name: i < 4 ? `Hero ${i}` : `Monster ${i}`, id: `c${i}`, side: i < 4 ? "players" : "monsters", hp: { current: 12, max: 20 } }));
      const fight = await Fight.create(wire.url, { ruleset: "custom", options: { preset: "d20" }, name: "The bridge", combatants, seed: 1, tokens: [{ role: "player", combatants: ["c1"], name: "Anna" }, { role: "spectator" }] });
      await fight.send([{ type: "start" }, { type: "damage", target: "c6", amount: 20 }, { type: "set_condition", target: "c2", condition: "prone" }, { type: "add_effect", effect: { name: "Bless", target: "c1", expires: { at: "round_end", rounds: 3 } } }]);
      for (const role of roles) {
        const own = await Page.open(browser(), wire.url, fight, role, { viewport, colorScheme: "dark" });
        await until(async () => role === "spectator" || (await own.page.locator("#buttons > *").count()) > 0, "options");
        const fits = await own.page.evaluate(() => {
          const bar = document.querySelector("#actions").getBoundingClientRect();
          const rows = [...document.querySelectorAll("#rows .row")].map((row) => row.getBoundingClientRect());
          const end = bar.top > rows[0].top && bar.left < rows[0].right ? bar.top : innerHeight;
          return rows.filter(({ bottom }) => bottom <= end).length;
        });
        assert.equal(fits, size, role);
        await own.page.screenshot({ path: path.join(pictures, `many-${role}-${size}.png`) });
        await own.close();
      }
    }
  });

  test("a long fight and long names fit a phone and a large screen", async () => {
    const long = "Sir Reginald Featherstonehaugh-Cholmondeley of the Unpronounceable Marches";
    const combatants = Array.from({ length: 30 }, (_, i) => ({ name: i % 3 ? `Goblin ${i}` : `${long} ${i}`, side: ["players", "monsters", "bandits", "wolves"][i % 4], hp: { current: i + 1, max: 30 } }));
    const fight = await Fight.create(wire.url, { ruleset: "custom", options: { preset: "d20" }, name: "The long bridge", combatants, seed: 1, tokens: [{ role: "spectator" }] });
    await fight.send({ type: "start" });
    const screen = await Page.open(browser(), wire.url, fight, "spectator", { viewport: { width: 1920, height: 1080 } });
    await nothingSticksOut(screen.page);
    await screen.page.screenshot({ path: path.join(pictures, "long-screen.png") });
    await screen.close();
    const own = await Page.open(browser(), wire.url, fight, "gm", { viewport: PHONE });
    await nothingSticksOut(own.page);
    await own.page.screenshot({ path: path.join(pictures, "long-phone.png") });
    await own.close();
  });
}
