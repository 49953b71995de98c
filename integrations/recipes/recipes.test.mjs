// Runs recipes as their page says: the script with a file, the overlay in Chromium.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { Turnkeeper } from "turnkeeper-client";
import { Proxy, Server } from "../typescript/dist-test/server.js";

const recipe = (name) => fileURLToPath(new URL(name, import.meta.url));
const run = promisify(execFile);
let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.stop());

const FIGHT = `{"ruleset": "seize", "name": "The ford", "combatants": [{"id": "ann", "name": "Ann"}, {"id": "orc", "name": "Orc", "side": "monsters"}]}
{"type": "start", "rolls": {"ann": 12, "orc": 7}}
[{"type": "set_condition", "target": "orc", "condition": "prone"}, {"type": "end_turn", "combatant": "ann", "next": "orc"}]
`;

test("the script that runs a fight from a file goes on where it was", async (context) => {
  const directory = await mkdtemp(join(tmpdir(), "fight-"));
  context.after(() => rm(directory, { recursive: true }));
  const file = join(directory, "ford.jsonl");
  await writeFile(file, FIGHT);
  const wrong = join(directory, "wrong.jsonl");
  await writeFile(wrong, '{"ruleset": "chess"}');
  await assert.rejects(run(recipe("fight.sh"), [wrong, server.url]), ({ code, stderr }) => code === 1 && /^line 1: ruleset: /m.test(stderr));
  const proxy = await Proxy.before(server);
  context.after(() => proxy.stop());
  // The command was applied, but of its answer nothing arrives, or a part of its head, or of its body.
  for (const part of [0, 0.1, 0.9]) {
    let answers = 0;
    proxy.answered = () => ++answers === 2;
    proxy.part = () => part;
    await assert.rejects(run(recipe("fight.sh"), [file, proxy.url]), ({ code, stdout }) => code === 1 && stdout === "", `a part: ${part}`);
  }
  const first = await run(recipe("fight.sh"), [file, server.url]);
  assert.match(first.stdout, /Ann's turn starts\.[^]*Ann's turn ends\.[^]*Orc's turn starts\.[^]*The ford - Seize the initiative, round 1\n/);
  assert.match(first.stdout, /^> +Orc/m);

  await writeFile(file, `${FIGHT}{"type": "end_turn", "combatant": "orc"}\n{"type": "start"}\n`);
  const second = run(recipe("fight.sh"), [file, server.url]);
  await assert.rejects(second, ({ code, stderr }) => code === 1 && /^line 5: .*start/m.test(stderr));
  await writeFile(file, `${FIGHT}{"type": "end_turn", "combatant": "orc"}\n`);
  const third = await run(recipe("fight.sh"), [file, server.url]);
  assert.ok(third.stdout.startsWith(first.stdout.split("The ford -")[0]), "the answers of the first run");
  assert.match(third.stdout, /round 2/);
});

test("the overlay shows each change", { timeout: 60_000 }, async (context) => {
  const page = await readFile(recipe("overlay.html"));
  const site = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(page));
  await once(site.listen(0, "127.0.0.1"), "listening");
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  context.after(async () => {
    await browser.close();
    site.close();
  });
  const proxy = await Proxy.before(server);
  context.after(() => proxy.stop());
  const turnkeeper = new Turnkeeper(proxy.url);
  const combatants = [{ id: "ann", name: "Ann" }, { id: "orc", name: "Orc", side: "monsters" }, { id: "spy", name: "Spy", side: "monsters", hidden: true }];
  const created = await turnkeeper.create({ ruleset: "active-initiative", name: "The bridge", combatants, tokens: [{ role: "spectator" }] });
  const gm = turnkeeper.encounter(created.encounter.id, created.token);
  const tab = await browser.newPage();
  await tab.goto(`http://127.0.0.1:${site.address().port}/#url=${encodeURIComponent(gm.url)}&token=${created.tokens[0].token}`);
  await tab.waitForSelector("li");
  await gm.send({ type: "start", first: "ann" });
  await tab.waitForSelector("li.current >> text=Ann");
  await server.restart();
  await gm.send({ type: "end_turn", combatant: "ann", next: "orc", begin: true });
  await tab.waitForSelector("li.current >> text=Orc");
  assert.equal(await tab.locator("h1").innerText(), "The bridge, round 1");
  assert.equal(await tab.locator("p").innerText(), "Orc's turn starts.");
  assert.ok(!(await tab.content()).includes("Spy"));
});
