// Counts requests and bytes of a round of ten combatants with a game master's page and two players': once with reads after each
// transition, once with `include`. Bytes are those on the wire in both directions, headers included. Then counts the bytes of the game
// master's options alone, with and without the tools of the table, in the first turn of the round.
//     node traffic.mjs http://127.0.0.1:8080
import { once } from "node:events";
import { get } from "node:http";
import { connect, createServer } from "node:net";

const server = new URL(process.argv[2] ?? "http://127.0.0.1:8080");
const IDS = Array.from({ length: 10 }, (_, i) => `combatant-${i}`);
const combatants = IDS.map((id, i) => ({ id, name: `Combatant ${i}`, side: i < 5 ? "players" : "monsters", hp: { current: 20, max: 30 } }));
const tokens = [0, 1].map((i) => ({ role: "player", combatants: [IDS[i]] }));
const FIGHTS = [
  {
    create: { ruleset: "active-initiative", combatants, tokens },
    start: { type: "start", first: IDS[0] },
    turn: (i) => ({ type: "end_turn", combatant: IDS[i], next: IDS[(i + 1) % 10], begin: true }),
  },
  {
    create: { ruleset: "custom", combatants, tokens },
    start: { type: "start", rolls: Object.fromEntries(IDS.map((id, i) => [id, 20 - i])) },
    turn: (i) => ({ type: "end_turn", combatant: IDS[i] }),
  },
];

/** A proxy that counts bytes. */
async function counter() {
  const count = { bytes: 0 };
  const listener = createServer((client) => {
    const upstream = connect(server.port, server.hostname);
    const pass = (from, to) => from.on("data", (data) => ((count.bytes += data.length), to.write(data)));
    pass(client, upstream);
    pass(upstream, client);
    for (const socket of [client, upstream]) socket.on("error", () => {}).on("close", () => (client.destroy(), upstream.destroy()));
  });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  return Object.assign(count, { url: `http://127.0.0.1:${listener.address().port}`, close: () => listener.close() });
}

async function round(fight, include, encoding) {
  const created = await (await fetch(`${server.origin}/v1/encounters`, json(fight.create))).json();
  const bearers = [created.token, ...created.tokens.map(({ token }) => token)].map((token) => ({ authorization: `Bearer ${token}` }));
  const [gm] = bearers;
  const path = `/v1/encounters/${created.encounter.id}`;
  await fetch(`${server.origin}${path}/commands`, json(fight.start, gm));

  const wire = await counter();
  let requests = 0;
  const call = async (to, init) => {
    requests++;
    return fetch(wire.url + path + to, { ...init, headers: { "accept-encoding": encoding, ...init.headers } });
  };
  const ended = new AbortController();
  const feeds = await Promise.all(bearers.map(async (headers) => {
    const query = include ? "?include=encounter,options" : "";
    const init = { headers: { ...headers, accept: "application/x-ndjson", "last-event-id": "1" }, signal: ended.signal };
    const answer = await call(`/events${query}`, init);
    return answer.body.pipeThrough(new TextDecoderStream()).getReader();
  }));
  for (let i = 0; i < 10; i++) {
    const { headers, ...init } = json(fight.turn(i), gm);
    await (await call("/commands", { ...init, headers: { ...headers, prefer: "return=minimal" } })).text();
    for (const [viewer, feed] of feeds.entries()) {
      for (let line = ""; !line.endsWith("\n"); ) line += (await feed.read()).value;
      if (include) continue;
      for (const read of ["", "/options"]) await (await call(read, { headers: bearers[viewer] })).text();
    }
  }
  ended.abort();
  wire.close();
  return { requests, bytes: wire.bytes };
}

/** The bytes of the body that answers the game master's request for options in the first turn. */
async function optionBytes(fight, query, encoding) {
  const created = await (await fetch(`${server.origin}/v1/encounters`, json(fight.create))).json();
  const headers = { authorization: `Bearer ${created.token}`, "accept-encoding": encoding };
  const path = `/v1/encounters/${created.encounter.id}`;
  await fetch(`${server.origin}${path}/commands`, json(fight.start, headers));
  return new Promise((resolve, reject) => {
    get(`${server.origin}${path}/options${query}`, { headers }, async (answer) => {
      let bytes = 0;
      for await (const data of answer) bytes += data.length;
      resolve(bytes);
    }).on("error", reject);
  });
}

function json(body, headers = {}) {
  return { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

console.log("| ruleset | requests before | after | bytes before | after | bytes before, gzip | after, gzip |\n| --- | --- | --- | --- | --- | --- | --- |");
for (const fight of FIGHTS) {
  const [before, after] = [await round(fight, false, "identity"), await round(fight, true, "identity")];
  const [small, smaller] = [await round(fight, false, "gzip"), await round(fight, true, "gzip")];
  const cells = [before.requests, after.requests, before.bytes, after.bytes, small.bytes, smaller.bytes].map((n) => n.toLocaleString("en"));
  console.log(`| \`${fight.create.ruleset}\` | ${cells.join(" | ")} |`);
}

console.log("\n| ruleset | the game master's options | gzip | with tools | gzip |\n| --- | --- | --- | --- | --- |");
for (const fight of FIGHTS) {
  const cells = await Promise.all(["", "?include=tools"].flatMap((query) => ["identity", "gzip"].map((encoding) => optionBytes(fight, query, encoding))));
  console.log(`| \`${fight.create.ruleset}\` | ${cells.map((n) => n.toLocaleString("en")).join(" | ")} |`);
}
process.exit();
