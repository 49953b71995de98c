// The pictures of the README: the game master's page in the second round of a fight.

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { Fight, Page, Server, chromium, until } from "./harness.mjs";

const [folder] = process.argv.slice(2);
const party = [
  { id: "mira", name: "Mira", side: "players", controller: "Ann", hp: { current: 24, max: 24 } },
  { id: "tolgan", name: "Tolgan", side: "players", controller: "Bo", hp: { current: 31, max: 31 } },
  { id: "sefu", name: "Sefu", side: "players", controller: "Cy", hp: { current: 18, max: 18 } },
  { id: "ogre", name: "Ogre", side: "monsters", hp: { current: 59, max: 59 } },
  { id: "goblins", name: "Goblins", side: "monsters", members: ["goblin-1", "goblin-2", "goblin-3"] },
  { id: "spider", name: "Spider", side: "monsters", hidden: true, hp: { current: 26, max: 26 } },
];
const rolls = { mira: 19, tolgan: 8, sefu: 14, ogre: 11, goblins: 16, spider: 4 };
const turn = (combatant, ...acts) => [...acts, { type: "end_turn", combatant }];
const played = [
  { type: "start", rolls },
  ...turn("mira", { type: "damage", target: "goblins", member: "goblin-1", amount: 9, source: "mira" }),
  ...turn("goblins", { type: "damage", target: "sefu", amount: 7, source: "goblins" }),
  ...turn("sefu", { type: "add_effect", effect: { name: "Web", target: "ogre", source: "sefu", expires: { at: "turn_end", of: "sefu", turns: 3 } } }),
  ...turn("ogre", { type: "damage", target: "tolgan", amount: 13, source: "ogre" }),
  ...turn("tolgan", { type: "damage", target: "ogre", amount: 33, source: "tolgan" }, { type: "set_condition", target: "ogre", condition: "prone" }),
  ...turn("spider"),
  ...turn("mira", { type: "heal", target: "tolgan", amount: 8 }),
];

const server = await Server.start();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
try {
  const url = `http://127.0.0.1:${server.port}`;
  const fight = await Fight.create(url, { ruleset: "custom", options: { preset: "d20" }, name: "The old mill", combatants: party });
  await fight.send(played);
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    const own = await Page.open(browser, url, fight, "gm", { colorScheme, viewport: { width: 1180, height: 640 }, reducedMotion: "reduce" });
    await until(async () => (await own.page.locator("#buttons button").count()) > 1, "buttons");
    await own.page.screenshot({ path: path.join(folder, `table-${colorScheme}.png`) });
    await own.close();
  }
} finally {
  await browser.close();
  await server.stop();
}
