// The Mod script in a stub of Roll20's sandbox, and the user script in a stub of the game master's page, against a real server.
import assert from "node:assert/strict";
import { webcrypto as crypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { Turnkeeper } from "turnkeeper-client";
import { Server } from "../typescript/dist-test/server.js";

const GM = "-gm";
const [IRIS, MOTH, CAPTAIN, SHADE] = ["-Mabc_dEf12", "-Mabc_dEf34", "-Mabc_dEf56", "-Mabc_dEf78"];
let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.stop());

/** The part of Roll20 that a Mod script gets: events, the campaign, the chat. Its context has no network and no timers. */
async function sandbox() {
  const handlers = {};
  const roll20 = { chat: [], sets: [], objects: {}, campaign: { turnorder: "", initiativepage: false, playerpageid: "-page" } };
  const campaign = {
    get: (name) => roll20.campaign[name],
    set: (name, value) => (roll20.sets.push(name), (roll20.campaign[name] = value)),
  };
  const globals = {
    on: (event, handler) => (handlers[event] = handler),
    Campaign: () => campaign,
    playerIsGM: (id) => id === GM,
    getObj: (type, id) => roll20.objects[`${type} ${id}`],
    sendChat: (as, text, callback, options) => roll20.chat.push({ as, text, options }),
  };
  runInContext(await readFile(new URL("mod.js", import.meta.url), "utf8"), createContext(globals));
  handlers.ready();
  // Text that starts with ! goes to scripts alone.
  roll20.say = (content, playerid = GM, selected) => handlers["chat:message"]({ type: content.startsWith("!") ? "api" : "general", content, playerid, selected });
  return roll20;
}

/** The game master's page: the chat's input, and what a user script manager offers. `stop` ends the requests. */
async function page(roll20, address, token) {
  const stored = { address, token };
  const input = { value: "half a sentence" };
  const button = { click: () => roll20.say(input.value) };
  const end = new AbortController();
  const alerts = [];
  const globals = {
    document: { querySelector: (selector) => ({ "#textchat-input textarea": input, "#textchat-input button": button })[selector] },
    GM_getValue: async (name) => stored[name],
    GM_setValue: async (name, value) => (stored[name] = value),
    GM_registerMenuCommand: () => {},
    GM_xmlhttpRequest: ({ url, method, headers, data, onload, onerror }) => {
      fetch(url, { method, headers, body: data, signal: end.signal })
        .then(async (answer) => onload({ status: answer.status, responseText: await answer.text() }))
        .catch((error) => end.signal.aborted || onerror(error));
    },
    alert: (text) => alerts.push(text),
    Request, Response, AbortController, setTimeout, clearTimeout, crypto,
  };
  const script = await readFile(new URL("turnkeeper.user.js", import.meta.url), "utf8");
  assert.match(script, /^\/\/ ==UserScript==\n[^]*\/\/ @grant +GM_xmlhttpRequest\n[^]*\/\/ ==\/UserScript==\n/);
  runInContext(script, createContext(globals));
  return { input, alerts, stop: () => end.abort() };
}

async function until(condition) {
  for (let tries = 0; !condition(); tries++) {
    assert.ok(tries < 500, `still waiting for ${condition}`);
    await new Promise((again) => setTimeout(again, 20));
  }
}

test("the feed reaches the turn tracker and the chat, without what is hidden", { timeout: 60_000 }, async (context) => {
  const turnkeeper = new Turnkeeper(server.url);
  const created = await turnkeeper.create({
    ruleset: "venture",
    name: "Teahouse [[1d6]] @{selected|hp} %{x} <b>",
    metadata: { _pageid: "-Mpage_01" },
    combatants: [
      { id: IRIS, name: "Iris", side: "players" },
      { id: MOTH, name: "Moth", side: "players" },
      { id: CAPTAIN, name: "Captain", side: "monsters" },
      { id: SHADE, name: "Shade", side: "monsters", hidden: true },
    ],
    tokens: [{ role: "spectator" }],
  });
  const gm = turnkeeper.encounter(created.encounter.id, created.token);
  const joins = Object.fromEntries([[IRIS, 4], [MOTH, 1], [CAPTAIN, 2], [SHADE, 0]].map(([id, successes]) => [id, { successes }]));
  const roll20 = await sandbox();
  const { input, alerts, stop } = await page(roll20, gm.url, created.tokens[0].token);
  context.after(stop);

  await gm.send({ type: "start", joins });
  for (const combatant of [IRIS, CAPTAIN, MOTH, SHADE]) await gm.send({ type: "pass", combatant });
  for (const type of ["begin_turn", "end_turn"]) await gm.send({ type, combatant: IRIS });
  await gm.send({ type: "begin_turn", combatant: CAPTAIN });
  const expected = [[CAPTAIN, "5"], [MOTH, "4"], [IRIS, "12"]].map(([id, pr]) => ({ id, pr, custom: "", _pageid: "-Mpage_01" }));
  await until(() => alerts.length > 0 || roll20.chat.at(-1)?.text.includes("> 5 Captain"));
  assert.deepEqual(alerts, []);
  assert.equal(roll20.campaign.turnorder, JSON.stringify(expected));
  assert.equal(roll20.campaign.initiativepage, "-page");
  assert.equal(roll20.chat.at(-1).options.noarchive, true);
  for (const { text } of roll20.chat) assert.doesNotMatch(text, /\[\[|@\{|%\{|<b>|```|Shade/);
  assert.doesNotMatch(JSON.stringify(roll20), /Shade|dEf78/);
  assert.equal(input.value, "half a sentence");

  await gm.send({ type: "note", text: "nothing that the tracker shows" });
  await gm.send({ type: "end_encounter" });
  await until(() => roll20.chat.some(({ text }) => text.includes("ended")));
  assert.deepEqual(alerts, []);
});

test("a pasted order is shown; an order that is the same, and one of a player, change nothing", async () => {
  const roll20 = await sandbox();
  const order = { turns: [{ id: "-1", pr: "12", custom: "The lair" }], text: "" };
  roll20.say(`!turnkeeper ${JSON.stringify(order)}`, "-player");
  assert.deepEqual(roll20.sets, []);
  roll20.say(`!turnkeeper ${JSON.stringify(order)}`);
  assert.deepEqual(roll20.sets, ["turnorder", "initiativepage"]);
  assert.equal(roll20.campaign.turnorder, JSON.stringify(order.turns));
  roll20.say(`!turnkeeper ${encodeURIComponent(JSON.stringify(order))}`);
  roll20.say("turnkeeper");
  assert.deepEqual(roll20.sets, ["turnorder", "initiativepage"]);
});

test("what is no turn order is refused in a whisper", async () => {
  const roll20 = await sandbox();
  for (const wrong of ["", "{", "%", "[]", '{"turns": 5}', '{"turns": [null]}', '{"turns": [{"id": 1, "pr": 2}]}']) {
    roll20.say(`!turnkeeper ${wrong}`);
    assert.match(roll20.chat.pop()?.text ?? "", /^\/w gm /, wrong);
  }
  assert.deepEqual(roll20.sets, []);
});

test("the selected tokens become the body that creates an encounter", async () => {
  const roll20 = await sandbox();
  const object = (fields) => ({ get: (name) => fields[name] ?? "" });
  roll20.objects = {
    [`graphic ${IRIS}`]: object({ _id: IRIS, name: "Iris", _pageid: "-Mpage_01", represents: "-char" }),
    "character -char": object({ controlledby: "-player" }),
    [`graphic ${CAPTAIN}`]: object({ _id: CAPTAIN, name: "Captain [[1d6]] <b>", _pageid: "-Mpage_01" }),
  };
  const selected = [...[IRIS, CAPTAIN, "-gone"].map((_id) => ({ _type: "graphic", _id })), { _type: "text", _id: "-text" }];
  roll20.say("!turnkeeper tokens", "-player", selected);
  assert.deepEqual(roll20.chat, []);
  roll20.say("!turnkeeper tokens");
  assert.match(roll20.chat.pop().text, /^\/w gm Select/);
  roll20.say("!turnkeeper tokens", GM, selected);
  const { text } = roll20.chat.pop();
  assert.doesNotMatch(text, /\[\[|<b>/);
  // The chat shows characters for their codes.
  const body = JSON.parse(text.replace("/w gm ", "").replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(code)));
  const { encounter, tokens } = await new Turnkeeper(server.url).create(body);
  assert.deepEqual(encounter.combatants.map(({ id, name, side }) => [id, name, side]), [[IRIS, "Iris", "players"], [CAPTAIN, "Captain [[1d6]] <b>", "monsters"]]);
  assert.deepEqual([encounter.metadata, tokens[0].role], [{ _pageid: "-Mpage_01" }, "spectator"]);
});
