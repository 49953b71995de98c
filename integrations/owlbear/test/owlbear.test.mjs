// The extension in a stand-in for Owlbear Rodeo, with a real server: once as it is, once with Owlbear's own SDK in the place of obr.js.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Fight, Server, chromium, until } from "../../table/test/harness.mjs";
import { Room, serveFolder } from "../standin/owlbear.mjs";
import { badge } from "../extension/badge.js";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const work = path.join(root, "target/integrations/owlbear");
const built = path.join(work, "extension");
const build = (...args) => run(process.execPath, [path.join(root, "integrations/owlbear/build.mjs"), ...args]);

let server;
let browser;
let site;
// Folders that are served until the end: one left open would keep the check from ending.
const hosts = [];

async function serve(folder) {
  const host = await serveFolder(folder);
  hosts.push(host);
  return host;
}

before(async () => {
  await mkdir(work, { recursive: true });
  server = await Server.start();
  site = await serve(fileURLToPath(new URL("../standin", import.meta.url)));
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
});

after(async () => {
  await browser?.close();
  for (const host of hosts) host.close();
  await server?.stop();
});

test("the manifest names whole addresses of files that are there", async () => {
  await build("https://turns.example.org/", "https://files.example.org/a/b");
  const manifest = JSON.parse(await readFile(path.join(built, "manifest.json"), "utf8"));
  const { name, version, manifest_version, author, description, homepage_url, icon, action, background_url, ...rest } = manifest;
  assert.deepEqual(rest, {});
  assert.equal(manifest_version, 1);
  assert.equal(version, /^version = "(.+)"$/m.exec(await readFile(path.join(root, "Cargo.toml"), "utf8"))[1]);
  assert.ok(name && author && description);
  assert.equal(homepage_url, "https://turns.example.org/table");
  for (const address of [icon, action.icon, action.popover, background_url]) {
    assert.ok(address.startsWith("https://files.example.org/a/b/"), address);
    await readFile(path.join(built, address.replace("https://files.example.org/a/b/", "")));
  }
  assert.match(await readFile(path.join(built, "table/api.js"), "utf8"), /new URL\("https:\/\/turns\.example\.org\/v1\/encounters\/"\)/);
  await build("https://turns.example.org/base");
  assert.match(await readFile(path.join(built, "manifest.json"), "utf8"), /"https:\/\/turns\.example\.org\/base\/owlbear\/popover\.html"/);
});

test("the build refuses addresses that Owlbear cannot use", async () => {
  for (const [args, problem] of [
    [[], /Usage/], [["turns"], /is not an address/], [["http://turns.example.org"], /Use https/], [["https://a.example/?b"], /Leave the rest out/],
    [["https://a.example", "ftp://b.example"], /Use https/],
  ]) await assert.rejects(build(...args), problem);
});

test("the badge says who acts now or may begin, in a few words", () => {
  const combatants = [{ id: "a", name: "Ann" }, { id: "b", name: "Bartholomew of the Nine Reeds" }, { id: "c", name: "Cy" }, { id: "d", name: "Di" }];
  const at = (more) => badge({ status: "running", combatants, current: [], pending: null, ...more });
  assert.equal(badge(undefined), undefined);
  assert.equal(at({ status: "ended", current: ["a"] }), undefined);
  assert.equal(at({}), undefined);
  assert.equal(at({ current: ["a"] }), "Ann");
  assert.equal(at({ pending: { decision: "someone_acts" } }), "Someone");
  assert.equal(at({ current: ["a", "b"] }), "Ann, Bartholomew of the…");
  assert.equal(at({ pending: { decision: "begin_turn", combatants: ["a", "c", "d"] } }), "Ann, Cy or Di");
  assert.equal(at({ pending: { decision: "nominate", combatants: ["a"] } }), "Ann");
  assert.equal(at({ pending: { decision: "resolve", combatants: [] } }), undefined);
  assert.equal(at({ current: ["c"], pending: { decision: "react", combatants: ["a"] } }), "Cy");
});

for (const [title, isOfficial] of [["the extension", false], ["the extension with Owlbear's own SDK", true]]) {
  test(`${title} shares a fight with a room`, async () => {
    const folder = path.join(work, isOfficial ? "official" : "own");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const host = await serve(folder);
    await build(`http://127.0.0.1:${server.port}`, host.url);
    await cp(built, folder, { recursive: true });
    if (isOfficial) await useOfficialSdk(folder);
    await play(host);
  });
}

test("the popover says if the browser keeps nothing for it", async () => {
  const host = await serve(built);
  await build(`http://127.0.0.1:${server.port}`, host.url);
  const room = await Room.open(`${host.url}/manifest.json`);
  const context = await browser.newContext();
  // Chromium's private windows keep nothing for frames of another site, such as this one.
  const gm = await room.enter(context, site.url.replace("127.0.0.1", "localhost"), "gm-1", "Gail", "GM");
  const errors = [];
  gm.page.on("pageerror", (error) => errors.push(String(error)));
  const popover = await room.openPopover(gm);
  await popover.getByText("This browser keeps nothing for the extension.").waitFor({ timeout: 20_000 });
  await context.close();
  assert.deepEqual(errors, []);
});

async function useOfficialSdk(folder) {
  const installed = createRequire(path.join(root, "target/integrations/"));
  await installed("esbuild").build({
    entryPoints: [fileURLToPath(new URL("../standin/sdk.js", import.meta.url))],
    outfile: path.join(folder, "obr.js"), bundle: true, format: "esm", nodePaths: [path.join(root, "target/integrations/node_modules")],
    // Settings of TypeScript that a folder above this one has are not ours.
    tsconfigRaw: "{}", logLevel: "error",
  });
}

async function play(host) {
  const room = await Room.open(`${host.url}/manifest.json`);
  const contexts = {};
  const errors = [];
  const refused = [];
  const enter = async (id, name, role) => {
    contexts[id] ??= await browser.newContext({ viewport: { width: 700, height: 900 } });
    contexts[id].setDefaultTimeout(20_000);
    const player = await room.enter(contexts[id], site.url, id, name, role);
    player.page.on("pageerror", (error) => errors.push(`${id}: ${error}`));
    player.page.on("console", (message) => {
      if (message.type() === "error" && message.location().url.includes("/v1/")) refused.push(`${id}: ${message.text()} ${message.location().url}`);
    });
    return player;
  };
  const background = ({ page }) => page.frames().find((frame) => frame.url().includes("/background.html"));
  const storage = (player) => background(player).evaluate(() => JSON.stringify({ ...localStorage }));
  const links = () => room.metadata["dev.turnkeeper/links"] ?? {};
  const fightOf = (player) => background(player).evaluate(async (metadata) => (await import("./room.js")).fightOf(metadata), room.metadata);

  const gm = await enter("gm-1", "Gail", "GM");
  const zoe = await enter("zoe-1", "Zoe");
  const early = await room.openPopover(zoe);
  await early.getByText("Waiting for the game master to share a fight.").waitFor();

  // The game master begins a fight on the page in the popover.
  let bar = await room.openPopover(gm);
  await bar.getByText("Begin a fight, then share it with the room.").waitFor();
  const table = bar.frameLocator("#table");
  await table.locator("#new-game option").nth(1).waitFor({ state: "attached" });
  await table.locator("#new-game").selectOption({ label: "D&D 5e and its kin" });
  await table.getByLabel("Party", { exact: true }).fill("Ann hp 24 dex 3 roll 18 player Zoe\nBo hp 20 roll 15 player Max\nCy roll 1");
  await table.getByLabel("Monsters", { exact: true }).fill("Orc 15hp roll 10\nUmbral Stalker 20hp roll 17 hidden");
  const create = await table.locator("#create").boundingBox();
  const frame = await gm.page.locator("#popover").boundingBox();
  assert.ok(create.y + create.height <= frame.y + frame.height, "the button is within the popover");
  await table.locator("#create").click();
  await bar.getByText("Only you see this fight.").waitFor();
  await room.closePopover(gm);
  bar = await room.openPopover(gm);
  await bar.frameLocator("#table").locator("#connection.live").waitFor();
  await bar.getByText("Only you see this fight.").waitFor();
  assert.deepEqual(links(), {});
  await bar.getByRole("button", { name: "Share with the room" }).click();
  await until(() => links()["zoe-1"], "a link for Zoe");
  await bar.getByText("Shared. Zoe plays. Max has no link yet.").waitFor();

  // Her popover opens the fight, and Max, who comes late, gets a link too.
  await early.frameLocator("#table").locator("#connection.live").waitFor();
  const max = await enter("max-1", " max ");
  const fake = await enter("fake-1", "Zoe");
  await until(() => links()["max-1"] && links()["fake-1"], "links for who comes late");
  await bar.getByText(/^Shared\. (?=.*Zoe plays)(?=.*max plays)(?!.*no link)/).waitFor();
  const own = JSON.parse(Object.values(JSON.parse(await storage(gm))).find((text) => text.includes('"published"')));
  const fight = Object.assign(new Fight(), { url: `http://127.0.0.1:${server.port}`, id: own.id, tokens: { gm: own.token } });
  const tokens = {};
  for (const player of [zoe, max, fake]) {
    const link = await fightOf(player);
    assert.equal(link.id, fight.id);
    tokens[player.id] = fight.tokens[player.id] = link.token;
  }
  const you = async (player) => (await fight.read(player.id)).you;
  const named = async (player) => {
    const { combatants, you } = await fight.read(player.id);
    return combatants.filter(({ id }) => you.combatants.includes(id)).map(({ name }) => name);
  };
  assert.equal((await you(zoe)).role, "player");
  assert.deepEqual(await named(zoe), ["Ann"]);
  assert.deepEqual(await named(max), ["Bo"]);
  assert.equal((await you(fake)).role, "spectator", "a name that another player has already gives nothing");
  for (const name of ["GM", "Player"]) {
    const posing = await enter(`posing-${name}`, name);
    await until(() => links()[posing.id], `a link for ${name}`);
    fight.tokens[posing.id] = (await fightOf(posing)).token;
    assert.equal((await you(posing)).role, "spectator", `${name} is no player's name in the fight`);
    await room.leave(posing);
  }

  // Each badge shows what that user's token sees; a hidden combatant has no name there.
  await fight.send({ type: "start" });
  await until(() => [gm, zoe, max, fake].every(({ badge }) => badge === "Ann"), "Ann on each badge");
  const end = async (name) => {
    const { combatants } = await fight.read("gm");
    await fight.send({ type: "end_turn", combatant: combatants.find((one) => one.name === name).id });
  };
  await end("Ann");
  await until(() => gm.badge === "Umbral Stalker" && [zoe, max, fake].every(({ badge }) => badge === "Someone"), "a hidden combatant's turn");
  await end("Umbral Stalker");
  await until(() => [gm, zoe, max, fake].every(({ badge }) => badge === "Bo"), "Bo on each badge");

  // The player acts in the popover.
  const maxTable = (await room.openPopover(max)).frameLocator("#table");
  await maxTable.locator("#connection.live").waitFor();
  await maxTable.locator("#buttons button").filter({ hasText: /end/i }).first().click();
  await until(() => gm.badge === "Orc" && zoe.badge === "Orc", "the orc after Max's press");

  // A combatant joins for Zoe: a new token acts for both, the old one for none.
  await fight.send({ type: "add_combatant", details: { name: "Wolf", side: "players", controller: "Zoe", roll: 5 } });
  await until(async () => (await fightOf(zoe))?.token !== tokens["zoe-1"], "another link for Zoe");
  const replaced = tokens["zoe-1"];
  fight.tokens["zoe-1"] = tokens["zoe-1"] = (await fightOf(zoe)).token;
  assert.deepEqual(await named(zoe), ["Ann", "Wolf"]);
  const status = async (token) => (await fetch(`${fight.url}/v1/encounters/${fight.id}`, { headers: { authorization: `Bearer ${token}` } })).status;
  await until(async () => (await status(replaced)) === 404, "the old token is revoked");

  // Who comes back has the same link.
  await room.leave(zoe);
  const again = await enter("zoe-1", "Zoe");
  await until(() => again.badge === "Orc", "the badge of who came back");
  assert.equal((await fightOf(again)).token, tokens["zoe-1"]);

  // A player who writes a broken key gets no link, and hinders no one else.
  await background(fake).evaluate(async () => (await import("./obr.js")).owlbear.setPlayerMetadata({ "dev.turnkeeper/key": "broken" }));
  await until(() => !links()["fake-1"], "no link for a broken key");
  assert.equal((await fightOf(again)).token, tokens["zoe-1"]);

  // The game master's token is in the game master's storage, and in nothing that passes through the room.
  const passed = JSON.stringify([room.messages, room.metadata, [...room.players.values()].map(({ metadata }) => metadata)]);
  for (const token of [fight.tokens.gm, ...Object.values(tokens)]) assert.ok(!passed.includes(token), "no token is readable in the room");
  for (const player of [again, max, fake]) {
    const kept = await storage(player);
    assert.ok(!kept.includes(fight.tokens.gm));
    const html = await Promise.all(player.page.frames().map((frame) => frame.content()));
    assert.ok(!html.join().includes(fight.tokens.gm));
    assert.ok(!html.join().includes("Umbral"));
  }
  assert.ok((await storage(gm)).includes(fight.tokens.gm));
  // Nobody reads the link of another player.
  const seen = await background(max).evaluate(async ([metadata]) => {
    const { unseal } = await import("./seal.js");
    const keys = JSON.parse(Object.entries(localStorage).find(([name]) => name.startsWith("turnkeeper keys"))[1]);
    return unseal(metadata["dev.turnkeeper/links"]["zoe-1"], keys.own);
  }, [room.metadata]);
  assert.equal(seen, undefined);

  // The popover opens again where it was. Sharing ends: the links are gone, and so are their tokens.
  await room.closePopover(gm);
  const reopened = await room.openPopover(gm);
  await reopened.frameLocator("#table").locator("#connection.live").waitFor();
  refused.length = 0;
  await reopened.getByRole("button", { name: "Stop sharing" }).click();
  await until(async () => (await status(tokens["zoe-1"])) === 404 && (await status(tokens["max-1"])) === 404, "no token for players");
  assert.deepEqual(links(), {});
  assert.equal(await status(fight.tokens.gm), 200);
  await until(() => [again, max].every(({ badge }) => badge === undefined), "empty badges");
  await max.page.frameLocator("#popover").getByText("Waiting for the game master to share a fight.").waitFor();

  await gm.page.screenshot({ path: path.join(work, "game-master.png") });
  await new Promise((passed) => setTimeout(passed, 2000));
  assert.deepEqual(refused, [], "no page asks with a token that is gone");
  for (const context of Object.values(contexts)) await context.close();
  assert.deepEqual(errors, []);
}
