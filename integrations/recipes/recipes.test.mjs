// Runs each recipe as its page says: the bot against a stand-in for Discord, the script with a file, the overlay in Chromium.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
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

/** The bot, and what Discord does: sign and deliver interactions, and hold messages to its limits. */
async function discord(context) {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url").toString("hex");
  const port = String(await freePort());
  const env = { ...process.env, DISCORD_PUBLIC_KEY: key, TURNKEEPER: server.url, PORT: port };
  const bot = spawn(process.execPath, [recipe("discord-bot.mjs")], { env, stdio: "inherit" });
  context.after(() => bot.kill());
  const deliver = async (interaction, change = "") => {
    const body = JSON.stringify({ id: randomUUID(), token: randomUUID(), channel_id: "77", member: { user: { id: "gm" } }, ...interaction });
    const time = String(Date.now());
    const signature = sign(null, Buffer.from(time + body + change), privateKey).toString("hex");
    const headers = { "x-signature-ed25519": signature, "x-signature-timestamp": time };
    for (let tries = 0; ; tries++) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body }).catch((error) => {
        if (tries > 50) throw error;
      });
      if (answer) return answer.status === 200 ? fits(await answer.json()) : answer.status;
      await new Promise((again) => setTimeout(again, 100));
    }
  };
  return {
    deliver,
    press: (custom_id, more = {}) => deliver({ type: 3, data: { custom_id }, ...more }),
    select: ({ custom_id }, value) => deliver({ type: 3, data: { custom_id, values: [value] } }),
    submit: (custom_id, components) => deliver({ type: 5, data: { custom_id, components } }),
    fight: (options) => deliver({ type: 2, data: { name: "fight", options: Object.entries(options).map(([name, value]) => ({ name, value })) } }),
  };
}

/** Discord refuses a message that breaks one of these limits. */
function fits(message) {
  const { content = "", components = [], custom_id = "", title = "" } = message.data ?? {};
  assert.ok(content.length <= 2000 && components.length <= 5 && custom_id.length <= 100 && title.length <= 45, content);
  const ids = all(message).map((component) => component.custom_id);
  assert.equal(new Set(ids).size, ids.length, "each component has its own custom_id");
  for (const { components: some } of components) assert.ok(some.length >= 1 && some.length <= 5);
  for (const { type, label = "", custom_id, options = [], max_length = 1, placeholder = "" } of all(message)) {
    assert.ok(custom_id.length <= 100 && placeholder.length <= (type === 4 ? 100 : 150));
    if (type === 2) assert.ok(label.length >= 1 && label.length <= 80, label);
    if (type === 3) assert.ok(options.length >= 1 && options.length <= 25 && options.every((option) => option.label.length >= 1 && option.label.length <= 100));
    if (type === 4) assert.ok(label.length >= 1 && label.length <= 45 && max_length <= 4000);
  }
  return message;
}

const all = (message) => (message.data?.components ?? []).flatMap(({ components }) => components);
const [MENU, INPUT, FORM, DANGER] = [3, 4, 9, 4];
const primary = (message) => all(message).find(({ style }) => style === 1);

test("the Discord bot", { timeout: 60_000 }, async (context) => {
  assert.ok((await readFile(recipe("discord-bot.mjs"), "utf8")).trimEnd().split("\n").length <= 150);
  const { deliver, press, select, fight } = await discord(context);
  assert.deepEqual(await deliver({ type: 1 }), { type: 1 });
  assert.equal(await deliver({ type: 1 }, "forged"), 401);
  assert.equal((await deliver({ type: 2, data: { name: "turn" } })).data.flags, 64, "no fight in the channel");
  assert.equal((await fight({ ruleset: "chess", names: "Ann" })).data.flags, 64, "a refusal is told to its user alone");

  const created = await fight({ ruleset: "active-initiative", names: "Ann, Bo, !Orc" });
  assert.deepEqual(created.data.allowed_mentions, { parse: [] });
  const menu = await press(primary(created).custom_id);
  const first = all(menu).find(({ type }) => type === MENU);
  assert.deepEqual(first.options.map(({ label }) => label), ["Ann", "Bo", "Orc"]);
  const back = await press(all(menu).find(({ label }) => label === "Back").custom_id);
  assert.deepEqual(all(back), all(created));
  const started = await select(first, "2");
  assert.equal(started.type, 7);
  assert.match(started.data.content, /^> +Orc/m);
  const end = primary(started);
  const other = { member: { user: { id: "ann" } } };
  assert.equal((await press(end.custom_id, other)).data.flags, 64, "the orc is the game master's");
  const ended = [await press(end.custom_id, { id: "6" }), await press(end.custom_id, { id: "6" })];
  assert.deepEqual(ended[0], ended[1], "a delivery that comes twice ends one turn");
  assert.equal((await press(end.custom_id)).data.flags, 64, "a press on an old button is told to its user alone");
  const shown = await deliver({ type: 2, data: { name: "turn" } });
  assert.deepEqual(all(shown), all(ended[0]));
  // Orc chooses Ann: her player may press.
  const next = await press(primary(shown).custom_id);
  const chosen = await select(all(next).find(({ type }) => type === MENU), "0");
  const begun = await press(primary(chosen).custom_id, other);
  assert.match(begun.data.content, /^> +Ann/m);
});

const rulesets = await (async () => {
  const server = await Server.start();
  const read = async (path) => (await fetch(`${server.url}/v1/rulesets${path}`)).json();
  const { items } = await read("");
  const { presets } = await read("/custom");
  await server.stop();
  const others = items.map(({ id }) => id).filter((id) => id !== "custom");
  return [...others.map((ruleset) => ({ ruleset })), ...presets.map(({ id }) => ({ ruleset: "custom", preset: id }))];
})();

for (const ruleset of rulesets)
  test(`two rounds of ${Object.values(ruleset).join(" ")} by the bot's menus alone`, { timeout: 120_000 }, async (context) => {
    const { press, select, submit, fight } = await discord(context);
    let message = await fight({ ...ruleset, names: "Ann, Bo, !Orc, !Ogre" });
    const uses = new Map();
    for (let step = 0; Number(/(?:round|unit) (\d+)/.exec(message.data.content)?.[1] ?? 0) < 3; step++) {
      assert.ok(step < 200, `after ${step} presses: ${JSON.stringify([...uses])}`);
      assert.notEqual(message.data.flags, 64, message.data.content);
      const offered = all(message).filter(({ type, style }) => type === 2 && style !== DANGER);
      assert.ok(offered.length > 0, message.data.content);
      const least = offered.reduce((best, button) => ((uses.get(button.label) ?? 0) < (uses.get(best.label) ?? 0) ? button : best));
      const button = (step % 3 < 2 && primary(message)) || least;
      uses.set(button.label, (uses.get(button.label) ?? 0) + 1);
      message = await press(button.custom_id);
      for (let asked = all(message)[0]; asked?.type === MENU; asked = all(message)[0])
        message = await select(asked, asked.options[step % asked.options.length].value);
      if (message.type === FORM) {
        const value = ({ placeholder }) => /^-?\d+/.exec(placeholder ?? "")?.[0] ?? `word ${step}`;
        const filled = message.data.components.map(({ components: [input] }) => ({ type: 1, components: [{ type: INPUT, custom_id: input.custom_id, value: value(input) }] }));
        message = await submit(message.data.custom_id, filled);
      }
    }
  });

test("the bot asks before it ends a fight", { timeout: 60_000 }, async (context) => {
  const { deliver, press, select, fight } = await discord(context);
  await press(primary(await fight({ ruleset: "seize", names: "Ann, !Orc" })).custom_id);
  const tools = await deliver({ type: 2, data: { name: "tools" } });
  const asked = await press(all(tools).find(({ style }) => style === DANGER).custom_id);
  assert.deepEqual(all(asked).map(({ type, label }) => label ?? type), [MENU, "Back"]);
  const back = await press(all(asked)[1].custom_id);
  assert.match(back.data.content, /round 1/);
  const again = await deliver({ type: 2, data: { name: "tools" } });
  const sure = await press(all(again).find(({ style }) => style === DANGER).custom_id);
  assert.match((await select(all(sure)[0], "0")).data.content, /ended/);
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
