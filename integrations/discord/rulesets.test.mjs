// Every ruleset and preset by random options that the bot lists.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Server } from "../typescript/dist-test/server.js";
import { BLUE, buttons, choices } from "./standin.mjs";
import { SECRETS, chosen, isPrivate, labelled, table } from "./table.mjs";

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.stop());

const games = await (async () => {
  const server = await Server.start();
  const read = async (path) => (await fetch(`${server.url}/v1/rulesets${path}`)).json();
  const [{ items }, { presets }] = [await read(""), await read("/custom")];
  await server.stop();
  return [...items.map(({ id }) => id).filter((id) => id !== "custom"), ...presets.map(({ id }) => `custom:${id}`)];
})();

/** Numbers between 0 and 1 that are the same in each run. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

// An effect of one name can be there once.
let words = 0;

/** A random answer for an input, by what it says itself. */
function answerFor(input, pick, random) {
  if (input.required === false && random() < 0.6) return undefined;
  if (input.options) return [pick(input.options).value];
  const [, least, most] = /^(-?\d+) to (-?\d+)$/.exec(input.placeholder) ?? [];
  if (least !== undefined) return String(Number(least) + Math.floor(random() * (Math.min(Number(most), Number(least) + 12) - Number(least) + 1)));
  const [, example] = /, such as (.*)$/.exec(input.placeholder) ?? [];
  return example ?? (input.placeholder ? "1" : `word-${words++}`);
}

for (const [number, game] of games.entries())
  test(`${game} by random options that the bot lists`, { timeout: 300_000 }, async (context) => {
    const { discord, restart, printed } = await table(context, server);
    const random = generator(number + Number(process.env.SEED ?? 1));
    const pick = (list) => list[Math.floor(random() * list.length)];
    const gm = "100", zoe = "200", channel = "77";
    let board = await discord.slash(gm, channel, "fight", { game, players: "Ann hp 30, Bo hp 30, Cy", monsters: "2 Goblin hp 30, Orc" });
    assert.ok(!isPrivate(board), board.content);
    if (number % 2) await discord.slash(gm, channel, "add", { monsters: "Shade", hidden: true });
    const refused = new Map();
    const used = new Set();
    let round = 0;
    for (let step = 0; step < 400 && (step < 60 || round < 3); step++) {
      if (step % 25 === 24) {
        await restart();
        board = await discord.slash(pick([gm, zoe]), channel, "turn");
      }
      const isUsual = random() < 0.6;
      const isTool = !isUsual && random() < 0.1;
      const user = isUsual || isTool || random() < 0.7 ? gm : zoe;
      const onBoard = isUsual && buttons(board).find(({ style }) => style === BLUE);
      let answer;
      let label;
      if (onBoard) {
        label = onBoard.label;
        answer = await discord.press(user, board, onBoard);
      } else {
        const list = isTool ? await discord.slash(user, channel, "tools") : await discord.press(user, board, labelled(board, "More…"));
        const labels = choices(list).map(({ label }) => label);
        assert.deepEqual(labels.filter((label, place) => labels.indexOf(label) !== place), [], "two entries say the same");
        const usual = isUsual && buttons(list).find(({ style }) => style === BLUE);
        const able = choices(list).filter((choice) => !/^(End the encounter|Remove a combatant|Undo|Redo|Override)/.test(choice.label));
        if (!usual && able.length === 0) continue;
        const choice = pick(able);
        label = (usual || choice).label;
        answer = usual ? await discord.press(user, list, usual) : await discord.choose(user, list, choice);
      }
      used.add(label);
      if (answer.modal) {
        const form = answer;
        answer = await discord.submit(user, form, channel, (input) => answerFor(input, pick, random));
      }
      if (isPrivate(answer)) {
        assert.doesNotMatch(answer.content, /Something went wrong/, printed());
        refused.set(label, answer.content);
        board = await discord.slash(gm, channel, "turn");
      } else board = answer;
      const [, unit] = /(?:round|unit) (\d+)/.exec(board.content) ?? [];
      round = Number(unit ?? round);
    }
    context.diagnostic(`round ${round}, ${used.size} different options, refused: ${JSON.stringify([...refused])}`);
    // A part of an object needs another part, such as temporary hit points the current ones.
    for (const [, detail] of refused) assert.match(detail, /This field is required\.$/);
    assert.ok(round >= 3, `round ${round}: ${[...used].join(" | ")}`);
    const tools = await discord.slash(gm, channel, "tools");
    const sure = await discord.choose(gm, tools, chosen(tools, "End the encounter"));
    assert.match((await discord.press(gm, sure, labelled(sure, "End the fight"))).content, /ended/);
    for (const { user, text } of discord.seen) if (number % 2 && user !== gm) assert.doesNotMatch(text, /Shade/);
    assert.doesNotMatch(discord.seen.map(({ text }) => text).join("\n") + printed(), SECRETS);
  });
