#!/usr/bin/env node
// Runs fights in the channels of Discord. README.md says how to install it.
//
//     node bot.mjs                     answers Discord
//     node bot.mjs register            tells Discord the slash commands, and prints the link that invites the bot
//     node bot.mjs endpoint https://…  tells Discord the address at which this bot answers

import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";
import { Fights } from "./fights.mjs";
import { Bot } from "./play.mjs";
import { registerCommands, setEndpoint } from "./register.mjs";
import { Mistake, discordSettings, playSettings } from "./settings.mjs";

const LARGEST_BODY = 256 * 1024;
// Discord signs the time, so a request that somebody recorded is worth nothing later.
const MOST_SECONDS_APART = 300;

function keyOf(hex) {
  const x = Buffer.from(hex, "hex").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

const KEY_REMEDY = "If Discord does not take the address, compare DISCORD_PUBLIC_KEY with the page General Information.";

function isPing(body) {
  try {
    return JSON.parse(body)?.type === 1;
  } catch {
    return false;
  }
}

/** What was refused and why, or undefined for a request of Discord's. */
function refusal({ headers }, body, publicKey) {
  const { "x-signature-ed25519": signature = "", "x-signature-timestamp": time = "" } = headers;
  const isSigned = /^[0-9a-f]{128}$/i.test(signature) && verify(null, Buffer.concat([Buffer.from(time), body]), publicKey, Buffer.from(signature, "hex"));
  if (!isSigned && isPing(body)) return `a ping with a wrong signature. Discord sends one to test a new address. ${KEY_REMEDY}`;
  if (!isSigned) return `a request: its signature is wrong. ${KEY_REMEDY}`;
  const apart = Math.abs(Date.now() / 1000 - Number(time));
  if (Number.isNaN(apart)) return "a request: its time is not a number.";
  if (apart > MOST_SECONDS_APART) return `a request: its time differs by ${Math.round(apart)} seconds. Set the clock of this computer.`;
  return undefined;
}

/** The body, or undefined if it is larger than any of Discord's. */
async function bodyOf(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > LARGEST_BODY) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function respond(request, response, bot, publicKey) {
  const end = (status, text, type = "text/plain") => response.writeHead(status, { "content-type": type, ...(status === 413 && { connection: "close" }) }).end(text);
  if (request.method !== "POST") return end(200, "The Turnkeeper bot runs. Give this address to Discord: node bot.mjs endpoint ADDRESS\n");
  const body = await bodyOf(request);
  if (!body) return end(413, "The request is too large.\n");
  const refused = refusal(request, body, publicKey);
  if (refused) {
    console.error(`Refused ${refused}`);
    return end(401, "Wrong signature.\n");
  }
  const answer = await bot.answer(JSON.parse(body));
  return end(200, JSON.stringify(answer), "application/json");
}

function serve() {
  const settings = playSettings();
  const publicKey = keyOf(settings.publicKey);
  const fights = new Fights(settings.file);
  const bot = new Bot(settings, fights);
  const server = createServer((request, response) => {
    respond(request, response, bot, publicKey).catch((error) => {
      console.error(`A request failed: ${error.message}`);
      if (!response.headersSent) response.writeHead(400);
      response.end();
    });
  });
  server.on("error", (error) => {
    const remedy = error.code === "EADDRINUSE" ? "Another program uses it: name another port in LISTEN." : error.message;
    console.error(`The bot cannot listen on ${settings.host}, port ${settings.port}. ${remedy}`);
    process.exit(1);
  });
  server.listen(settings.port, settings.host, () => {
    const { address, port } = server.address();
    const host = address.includes(":") ? `[${address}]` : address;
    console.log(`The bot waits for Discord on http://${host}:${port} and plays on ${settings.server}. Its fights are in ${settings.file}.`);
  });
}

async function register() {
  const settings = discordSettings();
  const names = await registerCommands(settings);
  console.log(`Registered: ${names.join(", ")}. Open this link to invite the bot to your server:\n${settings.invitation}`);
}

async function endpoint(address) {
  await setEndpoint(discordSettings(), address);
  console.log(`Discord reaches the bot at ${address}. Try /fight in a channel.`);
}

const [verb, ...rest] = process.argv.slice(2);
try {
  if (verb === undefined) serve();
  else if (verb === "register") await register();
  else if (verb === "endpoint") await endpoint(rest[0]);
  else throw new Mistake(`"${verb}" is not known. Use register, endpoint, or nothing.`);
} catch (error) {
  if (!(error instanceof Mistake)) throw error;
  console.error(error.message);
  process.exit(1);
}
