// Tells Discord the slash commands of the bot, and the address at which the bot answers.

import { Mistake } from "./settings.mjs";

const [TEXT, USER] = [3, 6];
const names = (about) => ({ type: TEXT, description: `${about} "Ann hp 24 dex 3, 2 Wolf hp 11"`, max_length: 1500 });

const COMMANDS = [
  {
    name: "fight", description: "Start a fight in this channel, as its game master",
    options: [
      { type: TEXT, name: "game", description: "The game that you play", required: true, autocomplete: true, max_length: 100 },
      { ...names("The party, such as"), name: "players", required: true },
      { ...names("The others, such as"), name: "monsters", required: true },
    ],
  },
  { name: "turn", description: "Show the fight and its buttons again" },
  {
    name: "play", description: "Say who plays a character: others can no longer press its buttons",
    options: [
      { type: TEXT, name: "character", description: "The character", required: true, autocomplete: true, max_length: 100 },
      { type: USER, name: "user", description: "Who plays it, if not you. Only the game master may choose others" },
    ],
  },
  {
    name: "add", description: "Game master: let combatants join. Only you see the answer",
    options: [
      { ...names("The party's, such as"), name: "players" },
      { ...names("The others, such as"), name: "monsters" },
      { type: 5, name: "hidden", description: "True if the players can't see them" },
    ],
  },
  { name: "tools", description: "Game master: hit points, conditions, effects, undo, the end. Only you see them" },
];

async function send(settings, method, path, body) {
  const { api, token, invitation } = settings;
  const headers = { authorization: `Bot ${token}`, "content-type": "application/json", "user-agent": `DiscordBot (${invitation}, 1)` };
  const init = { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(15_000) };
  const answer = await fetch(api + path, init).catch(() => {
    throw new Mistake(`No answer from ${new URL(api).host}. Check the connection to the internet.`);
  });
  if (answer.ok) return;
  const { message = "", errors } = await answer.json().catch(() => ({}));
  if (errors?.interactions_endpoint_url) {
    throw new Mistake("Discord got no right answer from the bot at this address. Open it in a browser. If the bot does not answer there, start the bot and the tunnel, and wait a minute. If it does, compare DISCORD_PUBLIC_KEY with the page General Information, and start the bot again.");
  }
  switch (answer.status) {
    case 401: throw new Mistake("Discord does not know this DISCORD_BOT_TOKEN. Press Reset Token on the page Bot of your application, and copy the new token.");
    case 403: case 404: throw new Mistake("Discord does not know this DISCORD_APPLICATION_ID for this token. Copy both from the same application.");
    case 429: throw new Mistake(`Too many requests. Try again in ${answer.headers.get("retry-after") ?? "some"} seconds.`);
    default: throw new Mistake(`Discord refused, with status ${answer.status}: ${message} ${errors ? JSON.stringify(errors) : ""}`);
  }
}

/** Replaces the commands of the application by these, and returns their names. */
export async function registerCommands(settings) {
  // In servers only, for those that install the application into a server.
  const commands = COMMANDS.map((command) => ({ type: 1, contexts: [0], integration_types: [0], ...command }));
  await send(settings, "PUT", `/applications/${settings.id}/commands`, commands);
  return COMMANDS.map(({ name }) => `/${name}`);
}

/** Sets the Interactions Endpoint URL. Discord asks the bot at this address before it takes it. */
export async function setEndpoint(settings, address) {
  if (!/^https:\/\/[^\s/]/.test(address ?? "")) throw new Mistake("The address is missing. Write the one that the tunnel printed: node bot.mjs endpoint https://...");
  await send(settings, "PATCH", "/applications/@me", { interactions_endpoint_url: address });
}
