// What all plays share: one server, one browser, and tables that are closed when their test ends.
import { after, before, test } from "node:test";
import { Server } from "./server.js";
import { closeBrowser, openBrowser, Table, type Setup } from "./table.js";
import type { User } from "./world.js";

export let server: Server;
before(async () => {
  server = await Server.start();
  await openBrowser();
});
after(async () => {
  await closeBrowser();
  await server.stop();
});

/** A test at a table with these users. It fails if a page has an error or shows a secret. */
export function play(name: string, setup: Setup, who: User[], scene: (table: Table) => Promise<void>): void {
  test(name, { timeout: 180_000 }, async () => {
    const table = await Table.with(server, setup, ...who);
    try {
      await scene(table);
      await table.close();
    } catch (error) {
      await table.screenshots(`failed-${name.replace(/\W+/g, "-")}`);
      console.error(table.problems, table.notices);
      for (const [user, page] of table.pages) console.error(user, (await page.locator("body").innerText()).replace(/\n+/g, " | "));
      throw error;
    } finally {
      await table.end();
    }
  });
}
