// Breaks of every kind between a client and a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Change, type Command, type EncounterClient, Turnkeeper, TurnkeeperError, newKey } from "turnkeeper-client";
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
  changes.flatMap((change) => (change.type === "transition" ? change.events : [])).flatMap((event) => (event.type === "noted" ? (event.text ?? []) : []));

async function take(feed: AsyncGenerator<Change, void, void>, enough: (change: Change) => boolean): Promise<Change[]> {
  const changes: Change[] = [];
  for await (const change of feed) {
    changes.push(change);
    if (enough(change)) break;
  }
  return changes;
}

/** A feed that has begun: nothing that is sent from now on is part of its snapshot. */
async function begun(gm: EncounterClient): Promise<AsyncGenerator<Change, void, void>> {
  const feed = gm.follow();
  const { value } = await feed.next();
  assert.equal(value && value.type, "snapshot");
  return feed;
}

const version = (change: Change) => (change.type === "deleted" ? NaN : change.version);

test("1,000 commands with connections cut at random: each is applied once, and the feed is complete and in order", async () => {
  const { gm } = await fight();
  const feed = take(await begun(gm), (change) => version(change) === 1000);
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

test("a server that is killed and started again loses nothing that it answered, and the feed goes on", async () => {
  const { gm } = await fight();
  const feed = take(await begun(gm), (change) => version(change) === 100);
  const texts = Array.from({ length: 100 }, (_, i) => `note ${i}`);
  for (const [i, text] of texts.entries()) {
    const sent = gm.send(note(text));
    if (i % 25 === 10) await server.restart();
    await sent;
  }
  const entries = (await feed).filter(({ type }) => type === "transition");
  assert.deepEqual(entries.map(version), texts.map((_, i) => i + 1));
  assert.deepEqual(notes(entries), texts);
});

test("a command whose answer is lost is asked for again and applied once, also under a condition", async () => {
  const { gm } = await fight();
  let losses = 1;
  proxy.answered = () => losses-- > 0;
  const before = replayed;
  const answer = await gm.send({ type: "start", rolls: { ann: 15, bo: 10, orc: 5 } }, { ifVersion: 0 });
  assert.equal(replayed, before + 1);
  assert.equal(answer.version, 1);
  assert.ok(answer.encounter && answer.options, "an answer holds the next screen");

  const key = newKey();
  const first = await gm.send({ type: "end_turn", combatant: "ann" }, { key });
  const second = await gm.send({ type: "end_turn", combatant: "ann" }, { key });
  assert.deepEqual([second.version, second.events], [first.version, first.events]);
  await assert.rejects(gm.send(note("another command"), { key }), { code: "idempotency_key_reused" });
  assert.equal((await gm.read()).version, 2);
});

test("a creation whose answer is lost creates one encounter", async () => {
  let losses = 1;
  proxy.answered = () => losses-- > 0;
  const key = newKey();
  const turnkeeper = new Turnkeeper(proxy.url);
  const create = () => turnkeeper.create({ ruleset: "exp", combatants: [{ id: "ann" }] }, { key });
  const [one, two] = [await create(), await create()];
  assert.deepEqual([one.encounter.id, one.token], [two.encounter.id, two.token]);
});

test("a refusal is not tried again, and says why", async () => {
  let requests = 0;
  const counted: typeof fetch = (...request) => (requests++, fetch(...request));
  const { gm } = await fight();
  const client = new Turnkeeper(proxy.url, { fetch: counted }).encounter((await gm.read()).id, gm.token);
  await assert.rejects(client.send({ type: "end_turn", combatant: "ann" }), (error: unknown) => {
    assert.ok(error instanceof TurnkeeperError);
    assert.deepEqual([error.status, error.code], [409, "not_started"]);
    assert.match(error.message, /start/);
    return true;
  });
  assert.equal(requests, 1);
  await assert.rejects(client.send(note("late"), { ifVersion: 7 }), { status: 412, code: "stale_version" });
});

test("an unreachable server is given up after the time for repetitions", async () => {
  const client = new Turnkeeper("http://127.0.0.1:9", { retryFor: 500 });
  await assert.rejects(client.create({ ruleset: "exp", combatants: [{ id: "ann" }] }), { status: 0 });
  await assert.rejects(client.create({ ruleset: "exp", combatants: [{ id: "ann" }] }, { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
});

test("a malformed address or token is no broken connection: it is said at once", async () => {
  const began = Date.now();
  const wrong = [new Turnkeeper("nowhere").encounter("x", "t"), new Turnkeeper(proxy.url).encounter("x", "a token\nof two lines")];
  for (const client of wrong) {
    await assert.rejects(client.read(), TypeError);
    await assert.rejects(client.send(note("x")), TypeError);
    await assert.rejects(take(client.follow(), () => true), TypeError);
  }
  assert.ok(Date.now() - began < 1000);
});

test("a busy server is asked again, however it says when", async () => {
  const { gm } = await fight();
  for (const later of ["0", "Wed, 21 Oct 2015 07:28:00 GMT", ""]) {
    let refusals = 2;
    const busy: typeof fetch = async (...request) =>
      refusals-- > 0 ? new Response("{}", { status: 503, headers: later ? { "retry-after": later } : {} }) : fetch(...request);
    const client = new Turnkeeper(proxy.url, { fetch: busy }).encounter((await gm.read()).id, gm.token);
    assert.equal((await client.read()).version, 0, later);
    assert.equal(refusals, -1);
  }
});

/** A client whose answers pass through `transform`, part by part. */
async function through(gm: EncounterClient, transform: (part: Uint8Array, out: TransformStreamDefaultController<Uint8Array>) => void) {
  const changed: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    return new Response(answer.body!.pipeThrough(new TransformStream({ transform })), answer);
  };
  return new Turnkeeper(proxy.url, { fetch: changed }).encounter((await gm.read()).id, gm.token);
}

test("a feed that has lost a transition on the way begins again with a snapshot", async () => {
  const { gm } = await fight();
  let dropped = false;
  const client = await through(gm, (part, out) => {
    if (dropped || !Buffer.from(part).includes('"transition","version":2,')) return out.enqueue(part);
    dropped = true;
  });
  const feed = take(client.follow(), (change) => version(change) >= 3);
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (const text of ["one", "two", "three"]) await gm.send(note(text));
  const changes = await feed;
  assert.ok(dropped);
  assert.deepEqual(changes.map((change) => [change.type, version(change)]), [["snapshot", 0], ["transition", 1], ["snapshot", 3]]);
});

test("a transition that comes twice is yielded once", async () => {
  const { gm } = await fight();
  const client = await through(gm, (part, out) => {
    out.enqueue(part);
    out.enqueue(part);
  });
  const texts = ["one", "two", "three"];
  const feed = client.follow({ after: 0 });
  const seen: Change[] = [];
  for (const text of texts) {
    await gm.send(note(text));
    const { value } = await feed.next();
    if (value) seen.push(value);
  }
  await feed.return();
  assert.deepEqual(notes(seen), texts);
});

test("a feed that cannot go on from its version begins again with a snapshot", async () => {
  const short = await Server.start({ TURNKEEPER_LOG_KEEP: "1" });
  const turnkeeper = new Turnkeeper(short.url);
  const { encounter, token } = await turnkeeper.create({ ruleset: "exp", combatants: [{ id: "ann" }] });
  const gm = turnkeeper.encounter(encounter.id, token);
  for (let i = 0; i < 14; i++) await Promise.all(Array.from({ length: 50 }, () => gm.send(note("x"))));
  for (const after of [1, 9999]) {
    const [first] = await take(gm.follow({ after }), () => true);
    assert.deepEqual([first?.type, first && version(first)], ["snapshot", 700], `after ${after}`);
  }
  await short.stop();
});

test("a store that lost its newest entries leads to a snapshot", async () => {
  const lossy = await Server.start();
  const front = await Proxy.before(lossy);
  const turnkeeper = new Turnkeeper(front.url);
  const { encounter, token } = await turnkeeper.create({ ruleset: "exp", combatants: [{ id: "ann" }] });
  const gm = turnkeeper.encounter(encounter.id, token);
  await gm.send(note("kept"));
  await lossy.save();
  const seen: string[] = [];
  for await (const change of gm.follow({ after: 0 })) {
    seen.push(`${change.type} ${version(change)}`);
    if (seen.length === 1) await gm.send(note("lost"));
    if (seen.length === 2) await lossy.restore();
    if (seen.length === 3) await gm.send(note("new"));
    if (seen.length === 4) break;
  }
  assert.deepEqual(seen, ["transition 1", "transition 2", "snapshot 1", "transition 2"]);
  await front.stop();
  await lossy.stop();
});

test("a silent connection counts as broken", async () => {
  const { gm } = await fight();
  let connections = 0;
  const silent: typeof fetch = (url, init) =>
    connections++ ? fetch(url, init) : new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  const client = new Turnkeeper(proxy.url, { fetch: silent, timeout: 300 }).encounter((await gm.read()).id, gm.token);
  const [first] = await take(client.follow(), () => true);
  assert.equal(first?.type, "snapshot");
  assert.equal(connections, 2);
});

test("a feed ends with the encounter, with the token, and when the caller ends it", async () => {
  const { gm, players } = await fight(["ann", "bo"]);
  const [ann, bo] = players;
  assert.ok(ann && bo);
  const end = new AbortController();
  const aborted = take(gm.follow({ signal: end.signal }), () => (end.abort(), false));
  assert.deepEqual((await aborted).map(({ type }) => type), ["snapshot"]);

  const revoked = take(ann.follow(), () => false);
  const deleted = take(bo.follow(), () => false);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const headers = { authorization: `Bearer ${gm.token}` };
  await fetch(`${gm.url}/tokens/${(await ann.read()).you.id}`, { method: "DELETE", headers });
  await assert.rejects(revoked, { status: 404 });
  await fetch(gm.url, { method: "DELETE", headers });
  assert.deepEqual((await deleted).map(({ type }) => type), ["snapshot", "deleted"]);
});

test("a player's feed has holes where entries are hidden, and every resumed feed brings the screen after its last entry", async () => {
  const { gm, players } = await fight(["ann"]);
  const [ann] = players;
  assert.ok(ann);
  await gm.send({ type: "start", rolls: { ann: 15, bo: 10, orc: 5 } });
  await gm.send({ type: "damage", target: "orc", amount: 1 });
  await gm.send({ type: "add_combatant", details: { id: "shade", side: "monsters", hidden: true } });
  await gm.send({ type: "damage", target: "shade", amount: 1 });
  // Versions 3 and 4 are nothing that the player sees.
  const [last] = (await take(ann.follow({ after: 1 }), () => true)).slice(-1);
  assert.ok(last?.type === "transition" && last.version === 2);
  assert.ok(last.encounter && last.options, "nothing that the player sees follows at once");
  assert.equal(JSON.stringify(last).includes("shade"), false);
  const [snapshot] = await take(ann.follow(), () => true);
  assert.ok(snapshot?.type === "snapshot" && snapshot.options?.items.some(({ label }) => label === "ann: end turn"));

  const feed = take(ann.follow({ after: 2 }), (change) => version(change) >= 7);
  for (const id of ["ghost", "wisp"]) {
    await gm.send({ type: "add_combatant", details: { id, side: "monsters", hidden: true } });
    proxy.cut();
  }
  await gm.send({ type: "update_combatant", combatant: "shade", changes: { hidden: false } });
  const changes = await feed;
  assert.deepEqual(changes.map((change) => [change.type, version(change)]), [["transition", 7]]);
  assert.equal(JSON.stringify(changes).includes("ghost"), false);
});
