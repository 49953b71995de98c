// A stand-in for Discord: signs and delivers interactions, keeps the messages of channels, and holds each answer to the documented limits.
// Its REST API takes the commands and the address of the bot.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { generateKeyPairSync, randomInt, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

export const [ROW, BUTTON, SELECT, INPUT, LABEL] = [1, 2, 3, 4, 18];
export const [BLUE, RED] = [1, 4];
const [PING, COMMAND, PRESS, TYPING, FORM] = [1, 2, 3, 4, 5];
const [PONG, POST, UPDATE, SUGGEST, MODAL] = [1, 4, 7, 8, 9];
const PRIVATE = 64;
const MOST_MILLISECONDS = 3000;

const snowflake = () => `1${String(randomInt(10 ** 9)).padStart(9, "0")}${String(randomInt(10 ** 8)).padStart(8, "0")}`;

/** A new pair of keys, the public one as Discord shows it. */
export function newKeys() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return { hex: Buffer.from(publicKey.export({ format: "jwk" }).x, "base64url").toString("hex"), privateKey };
}

/** A process of the bot. `out` is all that it printed. */
export class BotProcess {
  out = "";

  constructor(settings, ...args) {
    // Nothing of the tester's own settings reaches the bot.
    const { PATH, HOME } = process.env;
    this.child = spawn(process.execPath, [fileURLToPath(new URL("bot.mjs", import.meta.url)), ...args], { env: { PATH, HOME, LISTEN: "127.0.0.1:0", ...settings } });
    for (const stream of [this.child.stdout, this.child.stderr]) stream.setEncoding("utf8").on("data", (text) => (this.out += text));
    this.exit = once(this.child, "close").then(([code]) => code);
  }

  async listening() {
    for (let tries = 0; tries < 200; tries++) {
      const [, url] = /on (http:\S+) and plays/.exec(this.out) ?? [];
      if (url) return url;
      assert.equal(this.child.exitCode, null, this.out);
      await new Promise((again) => setTimeout(again, 25));
    }
    throw new Error(`the bot does not start: ${this.out}`);
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.exit;
  }
}

/** The components of a message or modal, without rows and labels. */
export const inputs = ({ components = [] }) => components.flatMap((one) => one.components ?? one.component ?? one);
export const buttons = (message) => inputs(message).filter(({ type }) => type === BUTTON);
export const choices = (message) => inputs(message).filter(({ type }) => type === SELECT).flatMap((select) => select.options.map((option) => ({ ...option, select })));

const within = (text, least, most, what) => assert.ok(typeof text === "string" && text.length >= least && text.length <= most, `${what}: ${JSON.stringify(text)}`);

function checkComponents(components) {
  const ids = components.map(({ custom_id }) => custom_id);
  assert.equal(new Set(ids).size, ids.length, "each component has its own custom_id");
  for (const { type, label, style, custom_id, options, placeholder, max_length, min_values = 1, max_values = 1 } of components) {
    within(custom_id, 1, 100, "custom_id");
    if (type === BUTTON) {
      within(label, 1, 80, "a button's label");
      assert.ok([1, 2, 3, 4].includes(style));
    } else if (type === SELECT) {
      assert.ok(options.length >= 1 && options.length <= 25, `${options.length} options`);
      assert.equal(new Set(options.map(({ value }) => value)).size, options.length, "each option of a menu has its own value");
      for (const option of options) {
        within(option.label, 1, 100, "an option's label");
        within(option.value, 1, 100, "an option's value");
        if (option.description !== undefined) within(option.description, 1, 100, "an option's description");
      }
      assert.ok(min_values >= 0 && max_values >= 1 && max_values <= 25 && min_values <= max_values);
      if (placeholder !== undefined) within(placeholder, 0, 150, "a placeholder");
    } else {
      assert.equal(type, INPUT);
      assert.ok([1, 2].includes(style) && max_length >= 1 && max_length <= 4000);
      within(placeholder, 0, 100, "a placeholder");
    }
  }
}

function checkMessage({ content, components, allowed_mentions }) {
  within(content, 1, 2000, "a message");
  const { parse, users = [], ...other } = allowed_mentions;
  assert.deepEqual([parse, other], [[], {}]);
  for (const user of users) assert.ok(content.includes(`<@${user}>`), "a user who is mentioned stands in the message");
  assert.ok(components.length <= 5);
  for (const row of components) {
    assert.equal(row.type, ROW);
    const types = row.components.map(({ type }) => type);
    assert.ok(types.every((type) => type === BUTTON) ? types.length >= 1 && types.length <= 5 : types.length === 1 && types[0] === SELECT);
  }
  checkComponents(inputs({ components }));
}

function checkModal({ custom_id, title, components }) {
  within(custom_id, 1, 100, "custom_id");
  within(title, 1, 45, "a title");
  assert.ok(components.length >= 1 && components.length <= 5);
  for (const { type, label, component } of components) {
    assert.equal(type, LABEL);
    within(label, 1, 45, "a label");
    assert.ok([SELECT, INPUT].includes(component.type));
  }
  checkComponents(inputs({ components }));
}

export class Discord {
  keys = newKeys();
  url = "";
  /** All answers, with who sees them: a user, or all. */
  seen = [];

  /** Delivers a body with a signature. `change` may spoil both. */
  async deliver(body, change = (request) => request) {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const request = change({ body, timestamp, signature: sign(null, Buffer.from(timestamp + body), this.keys.privateKey).toString("hex") });
    const signed = request.signAgain ? sign(null, Buffer.from(request.timestamp + request.body), this.keys.privateKey).toString("hex") : request.signature;
    const headers = { "content-type": "application/json", "x-signature-timestamp": request.timestamp, "x-signature-ed25519": signed };
    for (const [name, value] of Object.entries(headers)) if (value === undefined) delete headers[name];
    return fetch(this.url, { method: "POST", headers, body: request.body });
  }

  async ping(change) {
    return this.deliver(JSON.stringify({ type: PING, id: snowflake(), application_id: snowflake(), version: 1 }), change);
  }

  async interact(user, channel, interaction, id = snowflake()) {
    const whole = { id, application_id: "1", token: randomUUID() + randomUUID(), version: 1, channel_id: channel, guild_id: "5", member: { user: { id: user, username: user } }, ...interaction };
    const began = Date.now();
    const response = await this.deliver(JSON.stringify(whole));
    assert.ok(Date.now() - began < MOST_MILLISECONDS, "Discord waits 3 seconds");
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /^application\/json/);
    return this.take(user, channel, interaction, await response.json());
  }

  take(user, channel, { type, message }, answer) {
    const note = (flags) => this.seen.push({ user: flags & PRIVATE ? user : "all", channel, text: JSON.stringify(answer) });
    switch (answer.type) {
      case POST:
        assert.ok([COMMAND, PRESS, FORM].includes(type));
        checkMessage(answer.data);
        note(answer.data.flags ?? 0);
        return { id: snowflake(), channel, flags: answer.data.flags ?? 0, ...answer.data };
      case UPDATE:
        assert.ok([PRESS, FORM].includes(type) && message, "an update needs a message");
        checkMessage(answer.data);
        assert.ok(!answer.data.flags, "a message stays as private as it is");
        note(message.flags);
        return { ...message, ...answer.data, flags: message.flags };
      case MODAL:
        assert.ok([COMMAND, PRESS].includes(type), "a form cannot follow a form");
        checkModal(answer.data);
        note(PRIVATE);
        return { modal: answer.data, message };
      case SUGGEST:
        assert.equal(type, TYPING);
        assert.ok(answer.data.choices.length <= 25);
        for (const { name, value } of answer.data.choices) within(name, 1, 100, "a suggestion") ?? within(value, 1, 100, "a suggestion");
        note(PRIVATE);
        return answer.data.choices;
      default: throw new Error(`an unknown answer: ${JSON.stringify(answer)}`);
    }
  }

  slash(user, channel, name, options = {}) {
    const given = Object.entries(options).map(([option, value]) => ({ name: option, type: 3, value }));
    return this.interact(user, channel, { type: COMMAND, data: { id: "9", name, type: 1, options: given } });
  }

  typing(user, channel, name, option, value) {
    return this.interact(user, channel, { type: TYPING, data: { id: "9", name, type: 1, options: [{ name: option, type: 3, value, focused: true }] } });
  }

  press(user, message, { custom_id }, id) {
    return this.interact(user, message.channel, { type: PRESS, message, data: { custom_id, component_type: BUTTON } }, id);
  }

  choose(user, message, { select, value }) {
    return this.interact(user, message.channel, { type: PRESS, message, data: { custom_id: select.custom_id, component_type: SELECT, values: [value] } });
  }

  /** `fill` gives the answer for each input: a text, or a list of values. */
  submit(user, { modal, message }, channel, fill) {
    const components = modal.components.map(({ component, label }, place) => {
      const { custom_id, type } = component;
      const filled = fill({ ...component, label }, place);
      return { type: LABEL, id: place, component: { type, id: place, custom_id, ...(type === SELECT ? { values: filled ?? [] } : { value: filled ?? "" }) } };
    });
    return this.interact(user, channel, { type: FORM, message, data: { custom_id: modal.custom_id, components } });
  }
}

/** Discord's REST API for one application. */
export class DiscordApi {
  requests = [];
  token = "MTE3OTg3MTIzNDU2Nzg5MDEyMw.G1x2y3.standin-standin-standin-standin";
  id = "1179871234567890123";

  constructor(discord) {
    this.discord = discord;
  }

  async start() {
    this.server = createServer(async (request, response) => {
      let text = "";
      for await (const part of request) text += part;
      const { status, body } = await this.take(request, text);
      response.writeHead(status, { "content-type": "application/json", ...(status === 429 && { "retry-after": "7" }) }).end(JSON.stringify(body));
    });
    await once(this.server.listen(0, "127.0.0.1"), "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}/api/v10`;
    return this;
  }

  async take({ method, url, headers }, text) {
    const body = JSON.parse(text);
    this.requests.push({ method, url, headers, body });
    if (this.busy) return { status: 429, body: { message: "You are being rate limited.", retry_after: 7 } };
    if (headers.authorization !== `Bot ${this.token}`) return { status: 401, body: { message: "401: Unauthorized", code: 0 } };
    if (!/^DiscordBot \(https:\S+, \S+\)$/.test(headers["user-agent"])) return { status: 403, body: { message: "blocked" } };
    if (method === "PUT" && url === `/api/v10/applications/${this.id}/commands`) return { status: 200, body };
    if (method === "PATCH" && url === "/api/v10/applications/@me") return this.validate();
    return { status: 404, body: { message: "Unknown Application", code: 10002 } };
  }

  /** Discord asks the new address with a right and a wrong signature. */
  async validate() {
    const right = await this.discord.ping();
    const wrong = await this.discord.ping((request) => ({ ...request, signature: "0".repeat(128) }));
    const isValid = right.status === 200 && (await right.json()).type === PONG && wrong.status === 401;
    if (isValid) return { status: 200, body: {} };
    return { status: 400, body: { message: "Invalid Form Body", code: 50035, errors: { interactions_endpoint_url: { _errors: [{ message: "The specified interactions endpoint url could not be verified." }] } } } };
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
