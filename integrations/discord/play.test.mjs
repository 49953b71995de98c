// Fights in channels: the rights of users, secrets, restarts.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Proxy, Server } from "../typescript/dist-test/server.js";
import { BLUE, RED, SELECT, buttons, choices } from "./standin.mjs";
import { Turnkeeper } from "./turnkeeper.mjs";
import { SECRETS, chosen, isPrivate, labelled, said, table } from "./table.mjs";

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.stop());

test("a fight by slash commands, buttons, menus and forms", async (context) => {
  const { discord, printed, stored, file } = await table(context, server);
  const gm = "100", zoe = "200", channel = "77";
  assert.match(said(await discord.slash(gm, channel, "turn")), /No fight runs in this channel/);
  assert.match(said(await discord.slash(gm, channel, "fight", { game: "chess", players: "Ann", monsters: "Orc" })), /"chess" fits 0 games/);
  assert.match(said(await discord.slash(gm, channel, "fight", { game: "seize", players: " , ", monsters: "Orc" })), /The party is empty/);
  assert.match(said(await discord.slash(gm, channel, "fight", { game: "seize", players: "Ann dex 3 luck 2", monsters: "Orc" })), /^"luck" in "Ann dex 3 luck 2" is not a word of this game with its number\. Words: hp, ac, dex_modifier/);
  assert.match(said(await discord.slash(gm, channel, "fight", { game: "seize", players: "99 Ann", monsters: "Orc" })), /^"99 Ann" is 99 of a kind\. Use 1 to 50\.$/);
  const suggested = await discord.typing(gm, channel, "fight", "game", "d&d");
  assert.ok(suggested.some(({ value }) => value === "custom:d20"), JSON.stringify(suggested));
  assert.equal((await discord.typing(gm, channel, "fight", "game", "")).length, 25);

  const created = await discord.slash(gm, channel, "fight", { game: "active-initiative", players: "Ann hp 20/24, Bo", monsters: "2 Goblin hp 7, Orc" });
  assert.match(created.content, /^<@100> is the game master\.\n```\nFight - Active Initiative/);
  assert.match(created.content, /Goblin 2 +monsters/);
  assert.match(created.content, /Ann +players +hp 20\/24/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.match((await stored())[channel].gm, /^tk_gm_/);
  assert.match(said(await discord.slash(zoe, channel, "fight", { game: "seize", players: "Ann", monsters: "Orc" })), /A fight runs in this channel/);

  const begin = buttons(created).find(({ style }) => style === BLUE);
  assert.equal(begin.label, "Start: choose who goes first…");
  assert.match(said(await discord.press(zoe, created, begin)), /Only the game master/);
  const form = await discord.press(gm, created, begin);
  assert.deepEqual(form.modal.components.map(({ label, component }) => [label, component.type]), [["First", SELECT]]);
  const started = await discord.submit(gm, form, channel, ({ options }) => [options.find(({ label }) => label === "Ann").value]);
  assert.equal(started.id, created.id, "the board takes its message's place");
  assert.match(started.content, /Ann's turn starts\.[^]*\n> Ann/);

  assert.match((await discord.slash(zoe, channel, "play", { character: "ann" })).content, /^<@200> plays Ann\.$/);
  assert.match(said(await discord.slash("300", channel, "play", { character: "Ann" })), /Another user plays Ann/);
  assert.match(said(await discord.slash("300", channel, "play", { character: "Bo", user: zoe })), /Only the game master/);
  assert.match(said(await discord.press("300", started, labelled(started, "Ann: end turn"))), /Another user plays this character/);
  const ended = await discord.press(zoe, started, labelled(started, "Ann: end turn"));
  assert.match(ended.content, /Ann's turn ends\./);
  const late = await discord.press(zoe, started, labelled(started, "Ann: end turn"));
  assert.match(late.content, /^The fight had changed since\. Nothing was sent\./);
  assert.deepEqual(late.components, ended.components);

  const tools = await discord.slash(gm, channel, "tools");
  assert.ok(isPrivate(tools));
  assert.match(said(await discord.slash(zoe, channel, "tools")), /Only the game master/);
  const hurt = await discord.choose(gm, tools, chosen(tools, "Deal damage…"));
  const fill = { Amount: "5", Target: "Goblin 2", Source: "Ann" };
  const wrong = await discord.submit(gm, hurt, channel, ({ label, options }) => options ? [options.find((option) => option.label === fill[label]).value] : "many");
  assert.match(said(wrong), /^Amount: "many" is not a whole number\. Use 0 to 1000000\.$/);
  const struck = await discord.submit(gm, hurt, channel, ({ label, options }) => options ? [options.find((option) => option.label === fill[label]).value] : fill[label]);
  assert.ok(!isPrivate(struck) && struck.id !== tools.id, "all see what a tool did");
  assert.match(struck.content, /Goblin 2 takes 5 damage/);
  assert.match((await discord.choose(gm, tools, chosen(tools, "Deal damage…"))).content, /^The fight has changed since\. Nothing was sent\./);

  const again = await discord.slash(gm, channel, "tools");
  const sure = await discord.choose(gm, again, chosen(again, "End the encounter"));
  assert.deepEqual(buttons(sure).map(({ label, style }) => [label, style]), [["End the fight", RED]]);
  assert.deepEqual(choices(again).map(({ label }) => label).filter((label) => label.startsWith("Add an effect")), [
    "Add an effect for a number of rounds…",
    "Add an effect until a turn starts…", "Add an effect until a turn starts, with hidden…",
    "Add an effect until a turn ends…", "Add an effect until a turn ends, with hidden…",
    "Add an effect until the fight ends…",
    "Add an effect until the game master ends it…",
    "Add an effect to several for a number of rounds…",
    "Add an effect to several until a turn starts…", "Add an effect to several until a turn starts, with hidden…",
    "Add an effect to several until a turn ends…", "Add an effect to several until a turn ends, with hidden…",
    "Add an effect to several until the fight ends…",
    "Add an effect to several until the game master ends it…",
    "Add an effect that begins later when a round ends for a number of rounds…",
    "Add an effect that begins later when a round ends until the game master ends it…",
    "Add an effect that begins later when a turn starts for a number of rounds…",
    "Add an effect that begins later when a turn starts until the game master ends it…",
    "Add an effect that begins later when a turn ends for a number of rounds…",
    "Add an effect that begins later when a turn ends until the game master ends it…",
  ]);
  const over = await discord.press(gm, sure, buttons(sure)[0]);
  assert.match(over.content, /ended/);
  assert.deepEqual(over.components, []);
  const other = await discord.slash(zoe, channel, "fight", { game: "d20", players: "Ann dex 3", monsters: "Orc dex 1" });
  assert.match(other.content, /\nFight - D&D 5e and its kin, not started\n/);
  assert.equal((await stored())[channel].master, zoe);
  assert.doesNotMatch(discord.seen.map(({ text }) => text).join("\n") + printed(), SECRETS);
});

test("a hidden combatant is in nothing that others see", async (context) => {
  const { discord } = await table(context, server);
  const gm = "100", zoe = "200", channel = "77";
  const created = await discord.slash(gm, channel, "fight", { game: "seize", players: "Ann", monsters: "Orc" });
  assert.match(said(await discord.slash(zoe, channel, "add", { monsters: "Shade" })), /Only the game master/);
  assert.equal(said(await discord.slash(gm, channel, "add", { monsters: "Shade hp 9", hidden: true })), "Joined, hidden: Shade. Show the fight to all with /turn.");
  const board = await discord.slash(zoe, channel, "turn");
  assert.deepEqual(buttons(board).map(({ label }) => label), ["Ann: roll initiative", "More…", "Refresh"]);
  const mine = await discord.press(gm, board, labelled(board, "More…"));
  assert.match(said(mine), /Shade/);
  const begun = await discord.press(gm, mine, labelled(mine, "Start: roll initiative"));
  assert.ok(!isPrivate(begun));
  const theirs = await discord.press(zoe, begun, labelled(begun, "More…"));
  assert.ok(isPrivate(theirs));
  assert.match(said(await discord.slash(zoe, channel, "play", { character: "Orc" })), /no character of the party/);
  assert.equal((await discord.typing(zoe, channel, "play", "character", "")).length, 1);
  for (const { user, text } of discord.seen) if (user !== gm) assert.doesNotMatch(text, /Shade/);

  const joined = await discord.slash(gm, channel, "add", { players: "Cy hp 3" });
  assert.match(said(joined), /Joined: Cy/);
  await discord.slash(gm, channel, "tools");
  await discord.slash(zoe, channel, "play", { character: "Cy" });
  assert.ok(created);
});

test("a board counts the time of a turn down, and shows the statistics at the end", async (context) => {
  const { discord, stored } = await table(context, server);
  const gm = "100", channel = "79";
  const created = await discord.slash(gm, channel, "fight", { game: "d20", players: "Ann initiative 9", monsters: "Orc initiative 5" });
  const [fight] = Object.values(await stored());
  const send = (...sent) => new Turnkeeper(server.url).send(fight, fight.gm, ...sent);
  await send({ type: "update_encounter", turn_seconds: 90 }, undefined, "seconds");
  const shown = await discord.press(gm, created, labelled(created, "Refresh"));
  assert.doesNotMatch(shown.content, /<t:/, "it has not begun");
  const started = await discord.press(gm, shown, labelled(shown, "Start the fight"));
  const [, until] = started.content.match(/^Time until <t:(\d+):R>\.$/m);
  assert.ok(Math.abs(Number(until) - Date.now() / 1000 - 90) < 10);
  await send([{ type: "damage", target: "orc", amount: 7, source: "ann" }, { type: "end_encounter" }], undefined, "end");
  const ended = await discord.press(gm, started, labelled(started, "Refresh"));
  assert.match(ended.content, /Ann: 1 turn in 0:\d\d, dealt 7, took 0, healed 0\nOrc: 0 turns in 0:00, dealt 0, took 7, healed 0/);
  assert.doesNotMatch(ended.content, /<t:/);
});

test("whose turn starts is mentioned, once and only if all see the combatant", async (context) => {
  const { discord } = await table(context, server);
  const gm = "100", zoe = "200", channel = "78";
  const created = await discord.slash(gm, channel, "fight", { game: "d20", players: "Ann initiative 5, Bo initiative 3", monsters: "Orc initiative 9" });
  await discord.slash(zoe, channel, "play", { character: "Ann" });
  const started = await discord.press(gm, created, labelled(created, "Start the fight"));
  assert.deepEqual(started.allowed_mentions, { parse: [] }, "the orc is the game master's");
  const anns = await discord.press(gm, started, labelled(started, "Orc: end turn"));
  assert.notEqual(anns.id, started.id, "a message that changes mentions nobody");
  assert.match(anns.content, /^<@200>\n/);
  assert.deepEqual(anns.allowed_mentions, { parse: [], users: [zoe] });
  const again = await discord.press(zoe, anns, labelled(anns, "Refresh"));
  assert.doesNotMatch(again.content, /<@/);
  const bos = await discord.press(zoe, again, labelled(again, "Ann: end turn"));
  assert.doesNotMatch(bos.content, /<@/, "no user plays Bo");
  assert.equal(bos.id, again.id);
});

test("a fight survives the bot and the server", async (context) => {
  const { discord, restart, printed } = await table(context, server);
  const gm = "100", channel = "77";
  const created = await discord.slash(gm, channel, "fight", { game: "seize", players: "Ann, Bo", monsters: "Orc" });
  await restart();
  const started = await discord.press(gm, created, labelled(created, "Start: roll initiative"));
  const end = buttons(started).find(({ style }) => style === BLUE);
  await restart();
  await server.restart();
  const ended = await discord.press(gm, started, end);
  assert.match(ended.content, /turn ends\./);
  const nominate = await discord.press(gm, ended, buttons(ended).find(({ style }) => style === BLUE));
  await restart();
  const chosen = nominate.modal ? await discord.submit(gm, nominate, channel, ({ options }) => [options[0].value]) : nominate;
  assert.match(chosen.content, /turn starts\.|chooses/);
  await server.kill();
  assert.match(said(await discord.slash(gm, channel, "turn")), /Turnkeeper does not answer\. Start its server/);
  await server.run();
  assert.match((await discord.slash(gm, channel, "turn")).content, /Fight - Seize/);
  assert.doesNotMatch(printed(), SECRETS);
});

test("a press that arrives twice, and two at once, act once", async (context) => {
  const { discord } = await table(context, server);
  const gm = "100", channel = "77";
  const created = await discord.slash(gm, channel, "fight", { game: "popcorn", players: "Ann, Bo", monsters: "Orc" });
  const begin = buttons(created).find(({ style }) => style === BLUE);
  const both = await Promise.all([discord.press(gm, created, begin, "42"), discord.press(gm, created, begin, "42"), discord.press(gm, created, begin)]);
  assert.equal(both.filter((answer) => /The fight starts\./.test(answer.content)).length >= 1, true);
  const shown = await discord.slash(gm, channel, "turn");
  assert.match(shown.content, /round 1/);
});

test("an answer of the server that breaks off is told, and the press acted once", async (context) => {
  const proxy = await Proxy.before(server);
  context.after(() => proxy.stop());
  const { discord, printed } = await table(context, { url: proxy.url });
  const gm = "100", channel = "77";
  const created = await discord.slash(gm, channel, "fight", { game: "seize", players: "Ann", monsters: "Orc" });
  proxy.part = () => 0.9;
  proxy.answered = (data) => proxy.cuts === 0 && /preference-applied: return/i.test(data.toString());
  const begin = labelled(created, "Start: roll initiative");
  assert.match(said(await discord.press(gm, created, begin)), /^Turnkeeper does not answer/);
  assert.equal(proxy.cuts, 1);
  const again = await discord.press(gm, created, begin);
  assert.match(again.content, /^The fight had changed since\. Nothing was sent\.[^]*round 1/);
  // A creation whose answer is lost has no fight, and no token in what is told.
  proxy.answered = (data) => proxy.cuts === 1 && data.toString().startsWith("HTTP/1.1 201");
  assert.match(said(await discord.slash(gm, "78", "fight", { game: "seize", players: "Ann", monsters: "Orc" })), /^Turnkeeper does not answer/);
  assert.equal(proxy.cuts, 2);
  assert.match((await discord.slash(gm, "78", "fight", { game: "seize", players: "Ann", monsters: "Orc" })).content, /is the game master/);
  assert.doesNotMatch(discord.seen.map(({ text }) => text).join("\n") + printed(), SECRETS);
});

test("a fight of 60 fits into the limits of messages and menus", async (context) => {
  const { discord } = await table(context, server);
  const gm = "100", channel = "77";
  const created = await discord.slash(gm, channel, "fight", { game: "venture", players: "30 Ann hp 9", monsters: "30 Orc hp 9" });
  const all = await discord.press(gm, created, labelled(created, "More…"));
  assert.ok(choices(all).length <= 100);
  const own = await discord.choose(gm, all, chosen(all, "Orc 30: all options"));
  assert.equal(own.id, all.id);
  assert.ok(choices(own).length > 1 && choices(own).every(({ label }) => label.startsWith("Orc 30: ")), JSON.stringify(choices(own)));
  const joined = await discord.choose(gm, own, chosen(own, "Orc 30: join battle"));
  assert.match(joined.content, /Orc 30 joins battle/);
  await discord.press(gm, joined, labelled(joined, "Start the fight"));
  const tools = await discord.slash(gm, channel, "tools");
  const form = await discord.choose(gm, tools, chosen(tools, "Deal damage…"));
  const fill = { Amount: "4", Target: "orc 17" };
  const wrong = await discord.submit(gm, form, channel, ({ label }) => ({ ...fill, Target: "orc" })[label]);
  assert.match(said(wrong), /^Target: "orc" fits 30 names\. Type one of: /);
  assert.match((await discord.submit(gm, form, channel, ({ label }) => fill[label])).content, /Orc 17 takes 4 damage/);
});

test("two users who start a fight at once get one", async (context) => {
  const { discord, stored } = await table(context, server);
  const start = (user) => discord.slash(user, "77", "fight", { game: "seize", players: "Ann", monsters: "Orc" });
  const answers = await Promise.all([start("100"), start("200")]);
  const winners = answers.filter((answer) => !isPrivate(answer));
  assert.equal(winners.length, 1);
  assert.match(winners[0].content, new RegExp(`^<@${(await stored())["77"].master}> is the game master`));
});

test("a server with application keys takes the fights of a bot that has one", async (context) => {
  const { stdout } = await promisify(execFile)(process.env.TURNKEEPER, ["app-key", "discord"]);
  const [, key] = /: (tk_app_\S+)/.exec(stdout);
  const [, pair] = /(discord=\S+)/.exec(stdout);
  const closed = await Server.start({ TURNKEEPER_APP_KEYS: pair });
  context.after(() => closed.stop());
  const fight = { game: "seize", players: "Ann", monsters: "Orc" };
  const without = await table(context, closed);
  assert.match(said(await without.discord.slash("100", "77", "fight", fight)), /application/);
  const { discord, printed } = await table(context, closed, { TURNKEEPER_APP_KEY: key });
  const created = await discord.slash("100", "77", "fight", fight);
  assert.match(created.content, /Fight - Seize/);
  assert.doesNotMatch(discord.seen.map(({ text }) => text).join("\n") + printed(), SECRETS);
});
