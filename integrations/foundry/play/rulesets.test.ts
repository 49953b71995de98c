// Two rounds of every ruleset and of two presets, by what the tracker lists. Players act on their own pages; the module knows no ruleset.
import assert from "node:assert/strict";
import { play } from "./fixture.js";
import { until, type Table } from "./table.js";
import type { User } from "./world.js";

const plays: [string, object?][] = [
  ["active-initiative", { interrupt_points: true }], ["seize"], ["exp"], ["venture"], ["dc20"], ["custom", { preset: "d20-delay" }],
  ["custom", { preset: "zipper" }],
];

for (const [ruleset, options] of plays)
  play(`two rounds of ${ruleset} ${JSON.stringify(options ?? {})}`, { ruleset, options }, ["gm", "anna", "bob"], async (table) => {
    await table.begin();
    const sent = new Map<string, number>();
    const types = new Map<string, number>();
    for (let step = 0; ; step++) {
      await table.check();
      const { round, version } = await table.read("gm");
      if (round > 2) break;
      assert(step < 150, `after ${step} commands it is round ${round}: ${JSON.stringify([...types])}`);
      const pressed = await next(table, sent, types, step % 3 === 2);
      await until(`${pressed} is sent`, async () => (await table.read("gm")).version > version);
    }
    await table.screenshots(`${ruleset}-${(options as any)?.preset ?? ""}`);
    console.log(`${ruleset}: ${[...types].map(([type, count]) => `${type} ${count}`).join(", ")}`);
    for (const user of ["anna", "bob"]) assert([...types].some(([type]) => type.startsWith(user)), "players act on their own");
  });

/** Presses the button that was pressed least: one that is awaited, or now and then any other. Players come first. */
async function next(table: Table, sent: Map<string, number>, types: Map<string, number>, any: boolean): Promise<string> {
  const { pending } = await table.read("gm");
  const found: { user: User; index: number; type: string; label: string; uses: number }[] = [];
  for (const user of ["anna", "bob", "gm"] as const) {
    const buttons = table.page(user).locator(".turnkeeper > .turnkeeper-options .turnkeeper-option");
    const shown = await buttons.evaluateAll((all) => all.map((button) => ({ type: (button as HTMLElement).dataset["type"]!, label: button.textContent! })));
    shown.forEach(({ type, label }, index) => {
      const uses = sent.get(`${user} ${label}`) ?? 0;
      if (any ? !["undo", "redo"].includes(type) : pending.commands.includes(type)) found.push({ user, index, type, label, uses });
    });
  }
  const [chosen] = found.sort((a, b) => a.uses - b.uses);
  assert(chosen, `nobody may ${pending.commands}`);
  sent.set(`${chosen.user} ${chosen.label}`, chosen.uses + 1);
  const name = `${chosen.user} ${chosen.type}`;
  types.set(name, (types.get(name) ?? 0) + 1);
  await table.page(chosen.user).locator(".turnkeeper > .turnkeeper-options .turnkeeper-option").nth(chosen.index).click();
  await table.answer(chosen.user);
  return name;
}
