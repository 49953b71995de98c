// A table for the tests: a server of Turnkeeper, a bot with a folder of its own, and a Discord that reaches it.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BotProcess, Discord, buttons, choices } from "./standin.mjs";

const PRIVATE = 64;
export const SECRETS = /tk_(gm|player|spectator|app)_/;

/** A bot with a folder of its own, and a Discord that reaches it. */
export async function table(context, server, more = {}) {
  const folder = await mkdtemp(join(tmpdir(), "discord-"));
  const discord = new Discord();
  const settings = { DISCORD_PUBLIC_KEY: discord.keys.hex, TURNKEEPER: server.url, FIGHTS: join(folder, "fights.json"), ...more };
  const bots = [];
  const start = async () => {
    bots.push(new BotProcess(settings));
    discord.url = await bots.at(-1).listening();
  };
  const restart = async () => {
    await bots.at(-1).kill();
    await start();
  };
  context.after(async () => {
    await bots.at(-1).kill();
    await rm(folder, { recursive: true });
  });
  await start();
  const printed = () => bots.map(({ out }) => out).join("");
  const stored = async () => JSON.parse(await readFile(settings.FIGHTS, "utf8")).fights;
  return { discord, restart, printed, stored, file: settings.FIGHTS };
}

export const labelled = (message, label) => buttons(message).find((button) => button.label === label) ?? assert.fail(`no button ${label}: ${JSON.stringify(message.components)}`);
export const chosen = (message, label) => choices(message).find((choice) => choice.label === label) ?? assert.fail(`no choice ${label}: ${choices(message).map((choice) => choice.label)}`);
export const isPrivate = ({ flags }) => Boolean(flags & PRIVATE);
export const said = (message) => (assert.ok(isPrivate(message)), message.content);
