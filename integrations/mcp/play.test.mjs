// The official clients play every ruleset, and every preset of `custom`, for five rounds by the tools alone: the client of the stateless
// revision, and that of the revisions with a handshake.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "../typescript/dist-test/server.js";

const ROUNDS = 5;
const MOST_STEPS = 1000;
const COMBATANTS = [{ name: "Ann" }, { name: "Bob" }, { name: "Orc", side: "monsters" }, { name: "Wolf", side: "monsters" }];
const self = { name: "turnkeeper-check", version: "1" };

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.stop());

/** Connects a client, calls it `call`, and closes it after the test. */
async function connected(context, client, transport) {
  await client.connect(transport);
  context.after(() => client.close());
  return async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name} ${JSON.stringify(args)}: ${result.content[0].text}`);
    assert.equal(result.content[0].type, "text");
    return result.structuredContent;
  };
}

/** The smallest value that a schema allows. */
function valueOf(schema, defs) {
  if (schema.$ref) schema = { ...defs[schema.$ref.split("/").pop()], ...schema };
  const refused = schema.not?.enum ?? [schema.not?.const];
  if (schema.oneOf) return schema.oneOf.find((item) => !refused.includes(item.const)).const;
  if (schema.anyOf) return valueOf(schema.anyOf[0], defs);
  if (schema.type === "boolean") return false;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum;
  if (schema.type === "string") return ["model", "model-1", "model-2"].find((word) => !refused.includes(word));
  if (schema.type === "array") return Array.from({ length: schema.minItems ?? 0 }, () => valueOf(schema.items, defs));
  return Object.fromEntries((schema.required ?? []).map((field) => [field, valueOf(schema.properties[field], defs)]));
}

/** Holds that each option has an id of its own. */
function distinct({ items }) {
  assert.equal(new Set(items.map((item) => item.id)).size, items.length, JSON.stringify(items.map((item) => item.id)));
}

/** Plays until the round ROUNDS, and returns the number of choices. */
async function play(call, ruleset, options) {
  const created = await call("create_encounter", { ruleset, options, seed: 1, combatants: COMBATANTS });
  const seat = { encounter: created.encounter, token: created.token };
  let next = created.options;
  for (let step = 1; step <= MOST_STEPS; step++) {
    if (step % 20 === 1) distinct(await call("list_options", { ...seat, tools: true }));
    const items = next.items.filter((item) => item.group !== "tools");
    const option = items.find((item) => item.primary) ?? items[step % items.length];
    assert.ok(option, `${ruleset}: no option at version ${next.version}`);
    const values = {};
    for (const choice of option.choices) if (choice.required) values[choice.field] = valueOf(choice.schema, next.$defs ?? {});
    const chosen = await call("choose_option", { ...seat, option: option.id, version: next.version, values });
    assert.ok(chosen.events.length > 0 && chosen.table.length > 0);
    next = chosen.options;
    const { round } = await call("see_table", seat);
    if (round >= ROUNDS) {
      const log = await call("read_log", { ...seat, after: chosen.version - 1 });
      assert.equal(log.entries.at(-1).version, chosen.version);
      return step;
    }
  }
  assert.fail(`${ruleset}: the round ${ROUNDS} does not come in ${MOST_STEPS} steps`);
}

async function playAll(context, call) {
  for (const { id, presets } of (await call("list_rulesets", {})).items) {
    for (const options of presets?.map((preset) => ({ preset: preset.id })) ?? [{}]) {
      const steps = await play(call, id, options);
      context.diagnostic(`${[id, ...Object.values(options)].join(" ")}: ${ROUNDS} rounds in ${steps} choices`);
    }
  }
}

test("the client of the stateless revision plays every ruleset", async (context) => {
  const client = new Client(self, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const call = await connected(context, client, new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  assert.equal((await client.listTools()).tools.length, 6);
  await playAll(context, call);
});

test("a client that tries the newest revision first stays with it", async (context) => {
  const client = new Client(self, { versionNegotiation: { mode: "auto" } });
  const call = await connected(context, client, new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  assert.equal((await call("list_rulesets", {})).items.length, 6);
});

test("the client of the revisions with a handshake plays every ruleset", async (context) => {
  const client = new EarlierClient(self);
  const call = await connected(context, client, new EarlierTransport(new URL(`${server.url}/mcp`)));
  assert.match(client.getInstructions(), /options/);
  assert.equal((await client.listTools()).tools.length, 6);
  await playAll(context, call);
});

test("a token in the header of the client serves all tools of an encounter", async (context) => {
  const url = new URL(`${server.url}/mcp`);
  const open = await connected(context, new EarlierClient(self), new EarlierTransport(url));
  const tokens = [{ role: "player", combatants: ["ann"] }];
  const created = await open("create_encounter", { ruleset: "seize", combatants: COMBATANTS, tokens });
  const requestInit = { headers: { Authorization: `Bearer ${created.tokens[0].token}` } };
  const client = new Client(self, { versionNegotiation: { mode: "auto" } });
  const call = await connected(context, client, new StreamableHTTPClientTransport(url, { requestInit }));
  const table = await call("see_table", { encounter: created.encounter });
  assert.deepEqual(table.you.combatants, ["ann"]);
});
