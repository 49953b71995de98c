// Runs each recipe as its page says: the bot against a stand-in for Discord, the script with a file, the overlay in Chromium.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
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

async function freePort() {
  const listener = createServer();
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const { port } = listener.address();
  listener.close();
  return port;
}

test("the Discord bot", { timeout: 60_000 }, async (context) => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url").toString("hex");
  const port = String(await freePort());
  const env = { ...process.env, DISCORD_PUBLIC_KEY: key, TURNKEEPER: server.url, PORT: port };
  const bot = spawn(process.execPath, [recipe("discord-bot.mjs")], { env, stdio: "inherit" });
  context.after(() => bot.kill());
  assert.ok((await readFile(recipe("discord-bot.mjs"), "utf8")).trimEnd().split("\n").length <= 60);

  const deliver = async (interaction, change = "") => {
    const body = JSON.stringify({ channel_id: "77", ...interaction });
    const time = String(Date.now());
    const signature = sign(null, Buffer.from(time + body + change), privateKey).toString("hex");
    const headers = { "x-signature-ed25519": signature, "x-signature-timestamp": time };
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body }).catch((error) => {
        if (tries > 50) throw error;
      });
      if (answer) return answer.status === 200 ? answer.json() : answer.status;
      await new Promise((again) => setTimeout(again, 100));
    }
  };
  const press = (id, custom_id) => deliver({ id, type: 3, data: { custom_id } });
  const all = (message) => message.data.components.flatMap(({ components }) => components);
  const find = (message, label) => all(message).find((button) => button.label === label);

  assert.deepEqual(await deliver({ id: "1", type: 1 }), { type: 1 });
  assert.equal(await deliver({ id: "2", type: 1 }, "forged"), 401);
  assert.equal((await deliver({ id: "3", type: 2, data: { name: "turn" } })).data.flags, 64, "no fight in the channel");

  const options = [{ name: "ruleset", value: "active-initiative" }, { name: "names", value: "Ann, Bo, !Orc" }];
  const created = await deliver({ id: "4", token: "aW50ZXJhY3Rpb246NDpzZWNyZXQ", type: 2, data: { name: "fight", options } });
  for (const button of all(created)) assert.ok(button.label.length <= 80 && button.custom_id.length <= 100);
  assert.ok(created.data.components.length <= 5 && created.data.content.length <= 2000);
  assert.deepEqual(created.data.allowed_mentions, { parse: [] });

  const start = all(created)[0];
  const started = await press("5", start.custom_id);
  assert.equal(started.type, 7);
  assert.match(started.data.content, /round 1/);
  const label = all(started).map((button) => button.label).find((label) => label.startsWith("End ") && !label.includes(" and "));
  const end = find(started, label);
  const [once_, twice] = [await press("6", end.custom_id), await press("6", end.custom_id)];
  assert.equal(once_.data.content, twice.data.content, "a delivery that comes twice ends one turn");
  assert.match(once_.data.content, /\(acted\)/);
  assert.equal((await press("7", end.custom_id)).data.flags, 64, "a press on an old button is told to its user alone");
  const shown = await deliver({ id: "8", type: 2, data: { name: "turn" } });
  assert.equal(shown.data.content, once_.data.content);
});

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
