// The settings of the bot: environment variables, checked at the start.

/** What the person who runs the bot has to mend. */
export class Mistake extends Error {}

const INVITE = "https://discord.com/oauth2/authorize";

function needed(name, pattern, where) {
  const value = (process.env[name] ?? "").trim();
  if (!pattern.test(value)) throw new Mistake(`${name} is missing or wrong. ${where}`);
  return value;
}

/** What the bot needs to play. */
export function playSettings() {
  const { TURNKEEPER = "http://127.0.0.1:8080", TURNKEEPER_APP_KEY, FIGHTS = "discord-fights.json", LISTEN = "127.0.0.1:3000" } = process.env;
  if (!URL.canParse(TURNKEEPER)) throw new Mistake("TURNKEEPER is not an address. Use one such as http://127.0.0.1:8080.");
  const [, host, port] = /^\[?([^\s[\]]+?)\]?:(\d{1,5})$/.exec(LISTEN.trim()) ?? [];
  if (!(Number(port) < 65_536)) throw new Mistake("LISTEN is not an address with its port. Use one such as 127.0.0.1:3000.");
  return {
    publicKey: needed("DISCORD_PUBLIC_KEY", /^[0-9a-f]{64}$/i, "Copy the Public Key from the page General Information of your application: 64 characters."),
    server: TURNKEEPER.replace(/\/+$/, ""),
    appKey: TURNKEEPER_APP_KEY,
    file: FIGHTS,
    host,
    port: Number(port),
  };
}

/** What the bot needs to tell Discord about itself. */
export function discordSettings() {
  const id = needed("DISCORD_APPLICATION_ID", /^\d{5,25}$/, "Copy the Application ID from the page General Information of your application: a long number.");
  return {
    id,
    token: needed("DISCORD_BOT_TOKEN", /^\S{20,}$/, "Press Reset Token on the page Bot of your application, and copy the token."),
    // Tests set it.
    api: process.env.DISCORD_API ?? "https://discord.com/api/v10",
    invitation: `${INVITE}?client_id=${id}&scope=applications.commands`,
  };
}
