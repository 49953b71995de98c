// A Discord bot that runs fights in a channel, by interactions over HTTP. Environment: DISCORD_PUBLIC_KEY, TURNKEEPER, PORT.
// /fight starts one, /turn shows it again. A button sends its command.
import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";
import { Turnkeeper, TurnkeeperError, toText } from "turnkeeper-client";

const { DISCORD_PUBLIC_KEY = "", TURNKEEPER = "http://127.0.0.1:8080", PORT = "3000" } = process.env;
const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(DISCORD_PUBLIC_KEY, "hex").toString("base64url") }, format: "jwk" });
// Discord waits three seconds.
const server = new Turnkeeper(TURNKEEPER, { retryFor: 2000 });
const fights = new Map(); // by channel; a real bot stores them

const reply = (content, components = [], type = 4) => ({ type, data: { content, components, allowed_mentions: { parse: [] } } });
const alone = (content) => ({ type: 4, data: { content, flags: 64 } });

/** Options that can be sent as they are, as at most 5 rows of 5 buttons: first those that the fight waits for. */
function buttons({ version, items }, { pending }) {
  const awaited = (option) => Number(pending?.commands.includes(option.command.type) ?? false);
  const ready = items.map((option, index) => ({ ...option, index })).filter(({ choices }) => !choices.some(({ required }) => required));
  const shown = ready.sort((one, other) => awaited(other) - awaited(one)).slice(0, 25);
  const button = ({ label, index }) => ({ type: 2, style: 1, label: label.slice(0, 80), custom_id: `${version}:${index}` });
  const rows = Array.from({ length: Math.ceil(shown.length / 5) }, (_, row) => shown.slice(row * 5, row * 5 + 5));
  return rows.map((row) => ({ type: 1, components: row.map(button) }));
}

async function screen({ gm, everybody }, type) { // the channel sees what a spectator sees
  const [seen, options, { pending }] = await Promise.all([everybody.read(), gm.options(), gm.read()]);
  return reply(toText(seen), buttons(options, { pending }), type);
}

async function interact({ id, token: secret, type, channel_id, data }) {
  if (type === 1) return { type: 1 };
  if (type === 2 && data.name === "fight") {
    const [{ value: ruleset }, { value: names }] = data.options;
    const combatants = names.split(",").map((name) => ({ name: name.trim().replace(/^!/, ""), side: name.trim().startsWith("!") ? "monsters" : "players" }));
    const created = await server.create({ ruleset, combatants, tokens: [{ role: "spectator" }] }, { key: secret });
    const client = (token) => server.encounter(created.encounter.id, token);
    fights.set(channel_id, { gm: client(created.token), everybody: client(created.tokens[0].token) });
  }
  const fight = fights.get(channel_id);
  if (!fight) return alone("There is no fight in this channel: /fight");
  if (type === 3) {
    const [version, index] = data.custom_id.split(":").map(Number);
    const { version: now, items } = await fight.gm.options();
    // A press that is delivered twice has the same id: the first answer is given again.
    if (now === version) await fight.gm.send(items[index].command, { key: id, ifVersion: version });
    else if (fight.last !== id) return alone("The fight went on. Use the newest buttons.");
    fight.last = id;
  }
  return screen(fight, type === 3 ? 7 : 4);
}

createServer(async (request, answer) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { "x-signature-ed25519": signature = "", "x-signature-timestamp": time = "" } = request.headers;
  if (!verify(null, Buffer.concat([Buffer.from(time), ...parts]), publicKey, Buffer.from(signature, "hex"))) return answer.writeHead(401).end();
  const said = await interact(JSON.parse(Buffer.concat(parts))).catch((error) => alone(error instanceof TurnkeeperError ? error.message : "Something went wrong."));
  answer.setHeader("content-type", "application/json").end(JSON.stringify(said));
}).listen(Number(PORT));
