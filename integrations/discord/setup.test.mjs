// How the bot is set up: its commands, its address, signatures, its file.
import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BotProcess, Discord, DiscordApi, newKeys } from "./standin.mjs";

async function folder(context) {
  const path = await mkdtemp(join(tmpdir(), "discord-"));
  context.after(() => rm(path, { recursive: true }));
  return path;
}

async function setUp(context) {
  const discord = new Discord();
  const api = await new DiscordApi(discord).start();
  const fights = join(await folder(context), "fights.json");
  const bot = new BotProcess({ DISCORD_PUBLIC_KEY: discord.keys.hex, FIGHTS: fights });
  context.after(() => Promise.all([bot.kill(), api.stop()]));
  discord.url = await bot.listening();
  const env = { DISCORD_API: api.url, DISCORD_APPLICATION_ID: api.id, DISCORD_BOT_TOKEN: api.token };
  const run = async (args, changed = {}) => {
    const process = new BotProcess({ ...env, ...changed }, ...args);
    return { code: await process.exit, out: process.out };
  };
  return { discord, api, bot, fights, run };
}

test("register sends the commands, and prints the invitation", async (context) => {
  const { api, run } = await setUp(context);
  const { code, out } = await run(["register"]);
  assert.equal(code, 0, out);
  assert.equal(out, `Registered: /fight, /turn, /play, /add, /tools. Open this link to invite the bot to your server:\nhttps://discord.com/oauth2/authorize?client_id=${api.id}&scope=applications.commands\n`);
  const [{ method, url, headers, body }] = api.requests;
  assert.deepEqual([method, url, api.requests.length], ["PUT", `/api/v10/applications/${api.id}/commands`, 1]);
  assert.equal(headers["content-type"], "application/json");
  for (const command of body) {
    assert.match(command.name, /^[-_a-z]{1,32}$/);
    assert.ok(command.description.length >= 1 && command.description.length <= 100, command.description);
    assert.deepEqual([command.type, command.contexts, command.integration_types], [1, [0], [0]]);
    const { options = [] } = command;
    for (const { type, name, description, max_length } of options) {
      assert.match(name, /^[-_a-z]{1,32}$/);
      assert.ok([3, 5, 6].includes(type) && description.length >= 1 && description.length <= 100, description);
      assert.ok(max_length === undefined || (type === 3 && max_length <= 6000));
    }
    assert.ok(options.map(({ required = false }) => required).every((required, place, all) => !required || place === 0 || all[place - 1]), "required options are first");
  }
});

test("a mistake in the setup is told with its remedy, and without the token", async (context) => {
  const { api, fights, run } = await setUp(context);
  const cases = [
    [["register"], { DISCORD_BOT_TOKEN: "" }, /^DISCORD_BOT_TOKEN is missing or wrong\. Press Reset Token/],
    [["register"], { DISCORD_APPLICATION_ID: "my bot" }, /^DISCORD_APPLICATION_ID is missing or wrong\. Copy the Application ID/],
    [["register"], { DISCORD_BOT_TOKEN: "an-old-token-that-was-reset" }, /^Discord does not know this DISCORD_BOT_TOKEN\./],
    [["register"], { DISCORD_APPLICATION_ID: "2222222222" }, /^Discord does not know this DISCORD_APPLICATION_ID for this token\./],
    [["register"], { DISCORD_API: "http://127.0.0.1:9/api" }, /^No answer from 127\.0\.0\.1:9\. Check the connection/],
    [["endpoint"], {}, /^The address is missing\. Write the one that the tunnel printed/],
    [["endpoint", "http://tunnel.example"], {}, /^The address is missing\./],
    [["regster"], {}, /^"regster" is not known\. Use register, endpoint, or nothing\./],
    [[], { DISCORD_PUBLIC_KEY: "abc" }, /^DISCORD_PUBLIC_KEY is missing or wrong\. Copy the Public Key/],
    [[], { DISCORD_PUBLIC_KEY: newKeys().hex, TURNKEEPER: "localhost" }, /^TURNKEEPER is not an address\./],
    [[], { DISCORD_PUBLIC_KEY: newKeys().hex, LISTEN: "3000" }, /^LISTEN is not an address with its port\./],
    [[], { DISCORD_PUBLIC_KEY: newKeys().hex, LISTEN: "127.0.0.1:70000" }, /^LISTEN is not an address with its port\./],
    [[], { DISCORD_PUBLIC_KEY: newKeys().hex, LISTEN: new URL(api.url).host, FIGHTS: fights }, /Another program uses it: name another port in LISTEN\./],
  ];
  for (const [args, changed, said] of cases) {
    const { code, out } = await run(args, changed);
    assert.equal(code, 1, out);
    assert.match(out, said);
    assert.equal(out.split("\n").length, 2, out);
    assert.ok(!out.includes(api.token) && !out.includes("an-old-token"), out);
  }
  api.busy = true;
  const { code, out } = await run(["register"]);
  assert.deepEqual([code, out], [1, "Too many requests. Try again in 7 seconds.\n"]);
});

test("endpoint sets the address, if the bot answers Discord's questions there", async (context) => {
  const { discord, api, run } = await setUp(context);
  const good = await run(["endpoint", "https://funny-name.trycloudflare.example"]);
  assert.equal(good.code, 0, good.out);
  assert.deepEqual(api.requests.at(-1).body, { interactions_endpoint_url: "https://funny-name.trycloudflare.example" });
  discord.keys = newKeys(); // The bot has the key of another application.
  const bad = await run(["endpoint", "https://funny-name.trycloudflare.example"]);
  assert.equal(bad.code, 1);
  assert.match(bad.out, /^Discord got no right answer from the bot at this address\. Open it in a browser\./);
});

test("only requests that Discord signed in the last minutes are answered", async (context) => {
  const { discord, bot } = await setUp(context);
  const status = async (change) => (await discord.ping(change)).status;
  assert.equal(await status(), 200);
  assert.equal(await status((request) => ({ ...request, body: request.body.replace('"version":1', '"version":2') })), 401);
  assert.equal(await status((request) => ({ ...request, timestamp: String(Number(request.timestamp) + 1) })), 401);
  for (const signature of [undefined, "", "abc", "zz".repeat(64), "00".repeat(64), "ab".repeat(65)]) assert.equal(await status((request) => ({ ...request, signature })), 401, signature);
  const ago = (seconds) => (request) => ({ ...request, timestamp: String(Number(request.timestamp) - seconds), signAgain: true });
  assert.equal(await status(ago(240)), 200);
  assert.equal(await status(ago(400)), 401);
  assert.equal(await status(ago(-400)), 401);
  assert.equal(await status((request) => ({ ...request, timestamp: "soon", signAgain: true })), 401);
  discord.keys = newKeys();
  assert.equal(await status(), 401);
  assert.match(bot.out, /^Refused a ping with a wrong signature\. Discord sends one to test a new address\. If Discord does not take the address, compare DISCORD_PUBLIC_KEY/m);
  assert.equal((await discord.deliver('{"type":2}', (request) => ({ ...request, signature: "00".repeat(64) }))).status, 401);
  assert.match(bot.out, /^Refused a request: its signature is wrong\./m);
  assert.match(bot.out, /its time differs by \d+ seconds\. Set the clock/);
});

test("what is no interaction is answered too", async (context) => {
  const { discord } = await setUp(context);
  const looked = await fetch(discord.url);
  assert.equal(looked.status, 200);
  assert.match(await looked.text(), /^The Turnkeeper bot runs\./);
  assert.equal((await discord.deliver("not JSON")).status, 400);
  assert.equal((await discord.deliver("1")).status, 400);
  assert.equal((await discord.deliver("null")).status, 400);
  const large = await discord.deliver("x".repeat(300_000)).then(({ status }) => status, () => "closed");
  assert.ok([413, "closed"].includes(large), large);
  assert.equal((await discord.ping()).status, 200);
});

test("the file of the fights is its owner's alone, whole, and never replaced by an empty one", async (context) => {
  const path = await folder(context);
  const fights = join(path, "fights.json");
  const settings = { DISCORD_PUBLIC_KEY: newKeys().hex, FIGHTS: fights };
  const mode = async () => (await stat(fights)).mode & 0o777;
  const begin = async () => {
    const bot = new BotProcess(settings);
    await bot.listening();
    await bot.kill();
  };
  await begin();
  assert.equal(await mode(), 0o600);
  const kept = { fights: { 77: { id: "abc", gm: "tk_gm_secret" } } };
  await writeFile(fights, JSON.stringify(kept));
  await chmod(fights, 0o644);
  // What a crash left.
  await writeFile(`${fights}.1.tmp`, "half");
  await begin();
  assert.equal(await mode(), 0o600);
  assert.deepEqual(JSON.parse(await readFile(fights, "utf8")), kept);
  assert.deepEqual((await readdir(path)).sort(), ["fights.json", "fights.json.1.tmp"]);
  for (const [broken, said] of [["{\"fights\": {\"77\": {\"gm\": \"tk_gm_secret", /is not valid JSON\. Repair it/], ["[]", /has no fights\. Name another file/]]) {
    await writeFile(fights, broken);
    const bot = new BotProcess(settings);
    assert.equal(await bot.exit, 1);
    assert.match(bot.out, said);
    assert.ok(!bot.out.includes("secret"), bot.out);
    assert.equal(await readFile(fights, "utf8"), broken);
  }
  const nowhere = new BotProcess({ ...settings, FIGHTS: join(path, "missing", "fights.json") });
  assert.equal(await nowhere.exit, 1);
  assert.match(nowhere.out, /cannot be written/);
});
