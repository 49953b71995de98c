import { after, before, test } from "node:test";
import { Server } from "./server.js";
import { closeBrowser, openBrowser, Table } from "./table.js";

let server: Server;
before(async () => {
  server = await Server.start();
  await openBrowser();
});
after(async () => {
  await closeBrowser();
  await server.stop();
});

test("a first turn", async () => {
  const table = await Table.with(server, {}, "gm", "anna", "bob");
  try {
    await table.begin();
    await table.check();
    for (const user of ["gm", "anna", "bob"] as const) console.log(user, await table.status(user), await table.labels(user), await table.shown(user));
    await table.screenshots("first");
  } finally {
    console.log(table.problems, table.notices);
    for (const [u, page] of table.pages) console.log(u, await page.locator("body").innerText());
    await table.close();
  }
});
