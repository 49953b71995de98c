// Breaks of every kind between a client and a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Change, type Command, Turnkeeper, } from "turnkeeper-client";
import { Proxy, Server } from "./server.js";

let server: Server;
let proxy: Proxy;
let replayed = 0;
before(async () => {
  server = await Server.start();
  proxy = await Proxy.before(server);
});
after(async () => {
  await proxy.stop();
  await server.stop();
});

/** Counts the answers that the server had given before. */
const counting: typeof fetch = async (...request) => {
  const answer = await fetch(...request);
  if (answer.headers.get("idempotency-replayed")) replayed++;
  return answer;
};

async function fight(players: string[] = []) {
  const turnkeeper = new Turnkeeper(proxy.url, { fetch: counting });
  const created = await turnkeeper.create({
    ruleset: "seize",
    combatants: [{ id: "ann" }, { id: "bo" }, { id: "orc", side: "monsters" }],
    tokens: players.map((id) => ({ role: "player", combatants: [id] })),
  });
  const { id } = created.encounter;
  return { gm: turnkeeper.encounter(id, created.token), players: (created.tokens ?? []).map(({ token }) => turnkeeper.encounter(id, token)) };
}

const note = (text: string): Command => ({ type: "note", text, readers: "all" });

/** The texts of the notes in a feed or log. */
const notes = (changes: Change[]): string[] =>
  changes.flatMap((change) => (change.type === "transition" ? change.events : [])).flatMap((event) => (event.type === "noted" ? event.text : []));

async function take(feed: AsyncGenerator<Change, void, void>, enough: (change: Change) => boolean): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const change of feed) {
    changes.push(change);
    if (enough(change)) break;
  }
  return changes;
}

const version = (change: Change) => (change.type === "deleted" ? NaN : change.version);

test("1,000 commands with connections cut at random: each is applied once, and the feed is complete and in order", async () => {
  const { gm } = await fight();
  const feed = take(gm.follow(), (change) => version(change) === 1000);
  proxy.answered = () => Math.random() < 0.1;
  const chaos = setInterval(() => proxy.cut(0.2), 50);
  const texts = Array.from({ length: 1000 }, (_, i) => `note ${i}`);
  const left = [...texts];
  const sender = async () => {
    for (let text = left.shift(); text; text = left.shift()) await gm.send(note(text));
  };
  await Promise.all(Array.from({ length: 8 }, sender));
  const changes = await feed;
  clearInterval(chaos);
  proxy.answered = () => false;

  assert.ok(proxy.cuts > 100, `${proxy.cuts} cuts`);
  assert.ok(replayed > 20, `${replayed} answers were lost after the command was applied`);
  const entries = changes.filter(({ type }) => type === "transition");
  assert.deepEqual(entries.map(version), texts.map((_, i) => i + 1));
  assert.deepEqual(notes(entries).sort(), [...texts].sort());
  console.log(`1,000 commands, ${proxy.cuts} cuts, ${replayed} answers asked for again`);
});
