// Two rounds of every ruleset and of two presets, by what the tracker lists. Players act on their own pages; the module knows no ruleset.
import assert from "node:assert/strict";
import { play, server } from "./fixture.js";
import { until, type Table } from "./table.js";
import { ids, type User } from "./world.js";

const plays: [string, object?][] = [
  ["active-initiative", { interrupt_points: true }], ["seize"], ["exp"], ["venture"], ["dc20"], ["custom", { preset: "d20-delay" }],
  ["custom", { preset: "zipper" }],
];

/** What happens in every fight, by the number of commands before it. */
const incidents: Record<number, (round: Round) => Promise<void>> = {
  2: async ({ table }) => {
    await table.change("gm", "actors.ActorCaptain0000", { "system.attributes.hp.value": 24 });
    await until("the damage is sent", async () => (await table.events("damaged")).length === 1);
  },
  4: async ({ table }) => {
    const { version } = await table.read("gm");
    await table.control("gm", "previousTurn");
    await until("the last command is taken back", async () => (await table.read("gm")).version > version);
  },
  6: async ({ table }) => {
    await server.kill();
    for (const page of table.pages.values()) await page.locator('section.turnkeeper[data-state="away"]').waitFor();
    await server.run();
  },
  8: async ({ table }) => {
    for (const user of ["anna", "bob"] as const) assert.deepEqual(await table.shown(user), []);
    table.revealed = true;
    await table.change("gm", "tokens.TokenNinja000000", { hidden: false });
    await table.change("gm", `combats.CombatBridge0000.${ids.ninja}`, { hidden: false });
    await until("the players see it", async () => (await table.read("anna")).order.some((row: any) => row.combatant === ids.ninja));
  },
  10: async ({ table, press }) => {
    await table.leave("gm");
    await table.check();
    await press(["anna", "bob"], false);
    await table.check();
    await table.join("gm");
  },
};

interface Round {
  table: Table;
  press: (users: User[], any: boolean) => Promise<string | undefined>;
}

for (const [ruleset, options] of plays)
  play(`two rounds of ${ruleset} ${JSON.stringify(options ?? {})}`, { ruleset, options }, ["gm", "anna", "bob"], async (table) => {
    await table.begin();
    const types = new Map<string, number>();
    const labels = new Map<string, number>();
    const press: Round["press"] = (users, any) => pressed(table, users, any, types, labels);
    for (let step = 0; ; step++) {
      await table.check();
      const incident = incidents[step];
      if (incident) {
        await incident({ table, press });
        await table.check();
      }
      if ((await table.read("gm")).round > 2 && step > 10) break;
      assert(step < 150, `after ${step} commands: ${JSON.stringify([...types])}`);
      const { version, pending } = await table.read("gm");
      const name = await press(["anna", "bob", "gm"], step % 3 === 2);
      assert(name, `nobody may ${pending.commands}`);
      await until(`${name} is sent`, async () => (await table.read("gm")).version > version);
    }
    await table.screenshots(`${ruleset}-${(options as any)?.preset ?? ""}`);
    console.log(`${ruleset}: ${[...types].map(([type, count]) => `${type} ${count}`).join(", ")}`);
    for (const user of ["anna", "bob"]) assert([...types].some(([type]) => type.startsWith(user)), "players act on their own");
  });

/** Presses the button that was pressed least: one that is awaited, or any. Of equal ones the first user's. */
async function pressed(table: Table, users: User[], any: boolean, types: Map<string, number>, labels: Map<string, number>): Promise<string | undefined> {
  const found: { user: User; index: number; type: string; label: string; uses: number }[] = [];
  for (const user of users) {
    const buttons = table.page(user).locator(".turnkeeper > .turnkeeper-options .turnkeeper-option");
    const shown = await buttons.evaluateAll((all) => all.map((button) => ({ ...(button as HTMLElement).dataset as { type: string; group: string }, label: button.textContent! })));
    shown.forEach(({ type, group, label }, index) => {
      const uses = (types.get(`${user} ${type}`) ?? 0) + (labels.get(label) ?? 0) / 1000;
      if (any || group === "decision") found.push({ user, index, type, label, uses });
    });
  }
  const [chosen] = found.sort((a, b) => a.uses - b.uses);
  if (!chosen) return undefined;
  const name = `${chosen.user} ${chosen.type}`;
  types.set(name, (types.get(name) ?? 0) + 1);
  labels.set(chosen.label, (labels.get(chosen.label) ?? 0) + 1);
  await table.page(chosen.user).locator(".turnkeeper > .turnkeeper-options .turnkeeper-option").nth(chosen.index).click();
  await table.answer(chosen.user);
  return name;
}
