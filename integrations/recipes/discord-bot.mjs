// A Discord bot that runs fights in a channel, by interactions over HTTP. Environment: DISCORD_PUBLIC_KEY, TURNKEEPER, PORT.
// /fight starts one, /turn shows it again, /tools has what is outside the rules. A button sends its command; a menu or a form asks for what the command still needs.
import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";

const { DISCORD_PUBLIC_KEY = "", TURNKEEPER = "http://127.0.0.1:8080", PORT = "3000" } = process.env;
if (!/^[0-9a-f]{64}$/i.test(DISCORD_PUBLIC_KEY)) throw new Error("Set DISCORD_PUBLIC_KEY to the public key of the application: 64 characters on its General Information page.");
const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(DISCORD_PUBLIC_KEY, "hex").toString("base64url") }, format: "jwk" });
const fights = new Map(); // by channel; a real bot stores them

class Refusal extends Error {}
/** Discord waits three seconds. */
async function call(path, token, body, headers = {}) {
  const authorization = token ? { authorization: `Bearer ${token}` } : {};
  const init = { method: body ? "POST" : "GET", body: JSON.stringify(body), signal: AbortSignal.timeout(2500) };
  const answer = await fetch(`${TURNKEEPER}/v1/encounters${path}`, { ...init, headers: { "content-type": "application/json", ...authorization, ...headers } });
  if (!answer.ok) throw new Refusal((await answer.json()).detail);
  return headers.accept === "text/plain" ? answer.text() : answer.json();
}

const reply = (content, components = [], type = 4) => ({ type, data: { content, components, allowed_mentions: { parse: [] } } });
const alone = (content) => ({ type: 4, data: { content, flags: 64 } });
const row = (...components) => ({ type: 1, components });
const chunks = (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, at * size + size));
const menu = (custom_id, placeholder, entries) => row({ type: 3, custom_id, placeholder: placeholder.slice(0, 150), options: entries });
const entry = (label, value) => ({ label: label.slice(0, 100), value: String(value) });

/** The values of a choice as a menu; undefined for a text or a number. */
function listed({ schema }, defs) {
  if (schema.type === "boolean") return [{ const: true, title: "Yes" }, { const: false, title: "No" }];
  const { oneOf } = schema.$ref ? defs[schema.$ref.split("/").pop()] : schema;
  const not = schema.not?.enum ?? [schema.not?.const];
  return oneOf?.filter(({ const: value }) => !not.includes(value)).map((value) => ({ title: String(value.const), ...value }));
}
/** What is asked before a command is sent: a list of menus, then one form of texts and numbers. */
function questions({ command, choices }, { $defs }) {
  const needed = choices.filter(({ required }) => required).map((choice) => ({ ...choice, values: listed(choice, $defs) }));
  const menus = needed.filter(({ values }) => values);
  if (command.type === "end_encounter") menus.push({ title: "End the fight?", values: [{ title: "End the fight" }] });
  return { menus, texts: needed.filter(({ values }) => !values) };
}
const canAsk = ({ texts }) => texts.length <= 5 && texts.every(({ schema }) => ["string", "integer"].includes(schema.type));

/** The first 20 options as buttons, and the others in a menu. */
function buttons(options, isShown = () => true) {
  const known = options.items.map((option, index) => ({ ...option, index })).filter(isShown);
  const shown = known.filter((option) => canAsk(questions(option, options)));
  const style = ({ primary, command }) => (command.type === "end_encounter" ? 4 : primary ? 1 : 2);
  const button = (option) => ({ type: 2, style: style(option), label: option.label.slice(0, 80), custom_id: `${options.version}:${option.index}` });
  const more = shown.slice(20, 45).map(({ label, index }) => entry(label, index));
  const rows = chunks(shown.slice(0, 20), 5).map((some) => row(...some.map(button)));
  return more.length ? [...rows, menu(`${options.version}`, "More", more)] : rows;
}

/** What the players may do; if the decision is not theirs, what the game master may do. */
async function screen(fight, type, { table, options, events = [] }) {
  fight.gms = !options?.items.some(({ primary }) => primary);
  fight.options = fight.gms ? await call(`/${fight.id}/options`, fight.token) : options;
  const news = events.map(({ text }) => text).join("\n").slice(-500).replaceAll("`", "'");
  return reply(`${news}\n\`\`\`\n${table.replaceAll("`", "'")}\`\`\``, buttons(fight.options), type);
}
async function look(fight, type) {
  const table = await call(`/${fight.id}?max_length=1400`, fight.token, undefined, { accept: "text/plain" });
  return screen(fight, type, { table, options: await call(`/${fight.id}/options?for=${fight.players}`, fight.token) });
}
async function tools(fight) {
  fight.gms = true;
  fight.options = await call(`/${fight.id}/options?include=tools`, fight.token);
  return reply("The game master's tools", buttons(fight.options, ({ group }) => group === "tools"));
}

async function start({ id, user, data, secret }) {
  const { ruleset, names, preset } = Object.fromEntries(data.options.map(({ name, value }) => [name, value]));
  const side = (name) => (name.startsWith("!") ? "monsters" : "players");
  const combatants = names.split(",").map((name) => name.trim()).map((name, at) => ({ id: `c${at}`, name: name.replace(/^!/, ""), side: side(name) }));
  const players = combatants.filter(({ side }) => side === "players").map(({ id }) => id);
  const asked = { ruleset, combatants, options: preset ? { preset } : {}, tokens: [{ role: "player", combatants: players }] };
  const { encounter, token, tokens } = await call("", undefined, asked, { "idempotency-key": secret });
  return { id: encounter.id, token, players: tokens[0].id, gm: user };
}

/** A press names the version, the option, and the values that were chosen so far by their numbers. */
async function press(fight, { id, user, data }) {
  const [version, ...path] = data.custom_id.split("#")[0].split(":").map(Number);
  if (version !== fight.options.version) return alone("The fight went on. Use the newest buttons.");
  if (fight.gms && user !== fight.gm) return alone("These buttons are the game master's.");
  const [index, ...chosen] = [...path, ...(data.values ?? []).map(Number)];
  if (index === undefined) return look(fight, 7);
  const option = fight.options.items[index];
  const { menus, texts } = questions(option, fight.options);
  const custom_id = [version, index, ...chosen].join(":");
  if (chosen.length < menus.length) {
    const { title, values } = menus[chosen.length];
    const entries = chunks(values.map((value, at) => entry(value.title, at)), 25).slice(0, 4);
    const back = row({ type: 2, style: 2, label: "Back", custom_id: `${version}` });
    return reply(option.label, [...entries.map((some, at) => menu(`${custom_id}#${at}`, title, some)), back], 7);
  }
  if (texts.length > 0 && !data.components) {
    const input = ({ field, title, schema: { minimum, maximum, maxLength } }) =>
      row({ type: 4, style: 1, custom_id: field, label: title.slice(0, 45), max_length: maxLength ?? 10, placeholder: maxLength ? "" : `${minimum} to ${maximum}` });
    return { type: 9, data: { custom_id, title: option.label.slice(0, 45), components: texts.map(input) } };
  }
  const command = { ...option.command };
  menus.forEach(({ field, values }, at) => field && (command[field] = values[chosen[at]].const));
  const typed = Object.fromEntries((data.components ?? []).flatMap(({ components }) => components.map((input) => [input.custom_id, input.value])));
  for (const { field, schema } of texts) command[field] = schema.type === "integer" ? Number(typed[field]) : typed[field];
  const headers = { "idempotency-key": id, "if-match": `"${version}"`, prefer: "return=minimal" };
  const answer = await call(`/${fight.id}/commands?include=options,table&max_length=1400&for=${fight.players}`, fight.token, command, headers);
  return screen(fight, 7, answer);
}

async function interact({ id, token: secret, type, channel_id, member, data }) {
  if (type === 1) return { type: 1 };
  const asked = { id, user: member?.user.id, data, secret };
  if (type === 2 && data.name === "fight") fights.set(channel_id, await start(asked));
  const fight = fights.get(channel_id);
  if (!fight) return alone("No fight runs in this channel. Start one with /fight.");
  if (type === 2) return data.name === "tools" ? tools(fight) : look(fight, 4);
  // A press that is delivered twice has the same id: the first answer is given again.
  if (fight.last?.id !== id) fight.last = { id, message: await press(fight, asked) };
  return fight.last.message;
}

createServer(async (request, answer) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const { "x-signature-ed25519": signature = "", "x-signature-timestamp": time = "" } = request.headers;
  if (!verify(null, Buffer.concat([Buffer.from(time), ...parts]), publicKey, Buffer.from(signature, "hex"))) return answer.writeHead(401).end();
  const said = await interact(JSON.parse(Buffer.concat(parts))).catch((error) => alone(error instanceof Refusal ? error.message : "Something went wrong. Try again."));
  answer.setHeader("content-type", "application/json").end(JSON.stringify(said));
}).listen(Number(PORT), () => console.log(`The bot waits for Discord on port ${PORT}, and plays on ${TURNKEEPER}.`));
