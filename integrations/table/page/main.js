// The page of a fight: reads it with the token of the link, follows it, and draws it.

import { Encounter, Problem, isFinal, isPassing, pause, readRuleset } from "./api.js";
import { $, draw, forget, tell } from "./view.js";

// The tools of the table are among the options.
const OPTIONS = "/options?include=tools";

// How much of the log is read at first, in versions.
const HISTORY = 60;

// The fight that the page shows.
class Fight {
  constructor(id, token) {
    this.api = new Encounter(id, token);
    this.over = new AbortController();
    // The newest version in the log, and the version that the stream has reached.
    this.told = this.since = 0;
    this.waiting = [];
    // The secrets of tokens that this page made, by their ids.
    this.secrets = new Map();
  }

  get signal() {
    return this.over.signal;
  }

  // Takes what an answer says of the state, unless a newer one is known.
  take(encounter, options) {
    if (encounter && encounter.version >= (this.encounter?.version ?? 0)) this.encounter = encounter;
    if (options && options.version >= (this.options?.version ?? 0)) this.options = options;
    this.draw();
    $("menu").hidden = false;
    starting?.leave();
    hand?.cue(this);
    this.waiting = this.waiting.filter(({ version, done }) => (this.encounter.version >= version ? done() : true));
  }

  draw() {
    hand?.open(this);
    draw(this.encounter, this.manifest, hand?.picked);
    hand?.draw(this);
  }

  async refresh() {
    const [encounter, options] = await Promise.all([this.api.read(), this.api.read(OPTIONS)]);
    this.take(encounter, options);
  }

  // Waits until the page shows a version. The stream brings it, or else a reading.
  async reached(version) {
    if (this.encounter.version >= version) return;
    const shown = new Promise((done) => this.waiting.push({ version, done }));
    await Promise.race([shown, pause(1500)]);
    if (this.encounter.version < version) await this.refresh().catch(() => {});
  }

  // Reads the fight, and shows it before its log and options are there.
  async load() {
    const encounter = await this.api.read();
    this.encounter = this.options = undefined;
    this.since = encounter.version;
    this.take(encounter);
    performance.mark("drawn");
    hand ??= await import("./hand.js");
    const [options] = await Promise.all([this.api.read(OPTIONS), this.readLog(encounter.version), this.readRuleset(encounter.ruleset)]);
    this.take(null, options);
    this.loaded = true;
    if (encounter.you.role === "gm") this.readTokens().catch(() => {});
    if (news !== undefined) this.welcome();
  }

  // The reader has created the fight, and goes on by keyboard.
  welcome() {
    $("told").textContent = news;
    $("buttons").querySelector("button")?.focus();
    news = undefined;
  }

  // Reads the state soon, and again until there is an answer.
  later(ms) {
    clearTimeout(this.late);
    this.late = setTimeout(() => this.signal.aborted || this.refresh().catch(() => this.later(ms * 2)), ms);
  }

  async readLog(version) {
    const page = async (after) => (await this.api.read(`/events?after=${after}&limit=${2 * HISTORY}`)).items;
    let items = [];
    try {
      items = await page(Math.max(0, version - HISTORY, Math.min(this.told, version)));
    } catch (error) {
      // The oldest entries are compacted.
      if (error.status !== 410) throw error;
      items = await page(error.problem.oldest_version);
    }
    $("log").setAttribute("aria-live", "off");
    items.filter((item) => item.version <= version).forEach((item) => this.tell(item));
    // What comes from now on is read out.
    requestAnimationFrame(() => $("log").removeAttribute("aria-live"));
  }

  // All tokens, without their secrets. Their names say who plays whom.
  async readTokens() {
    const tokens = [];
    for (let cursor = ""; cursor !== null;) {
      const page = await this.api.read(`/tokens?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      tokens.push(...page.items);
      cursor = page.next_cursor;
    }
    if (this.signal.aborted) return tokens;
    hand.picked.players = new Map(tokens.flatMap(({ name, combatants }) => (name ? combatants.map((id) => [id, name]) : [])));
    this.draw();
    return tokens;
  }

  async readRuleset(id) {
    this.manifest ??= await readRuleset(id).catch(() => undefined);
  }

  tell(item) {
    if (item.version > this.told) tell(item);
    this.told = Math.max(this.told, item.version);
  }

  show(item) {
    this.since = item.event_id ?? this.since;
    if (item.type === "transition") {
      this.tell(item);
      // An entry without the state is followed by another one at once. If not, the state is read.
      if (!item.encounter) return this.later(500);
      clearTimeout(this.late);
      this.take(item.encounter, item.options);
    } else if (item.type === "snapshot") {
      // The store has lost its newest entries.
      forget(item.version);
      this.told = item.version;
      this.encounter = this.options = undefined;
      this.take(item.encounter);
      this.later(0);
    } else if (item.type === "deleted") {
      this.end("The encounter was deleted.");
    }
  }

  end(words) {
    this.over.abort();
    entrance(words);
  }

  async run() {
    for (let wait = 0; !this.signal.aborted;) {
      try {
        if (!this.loaded) await this.load();
        await this.api.follow(this.since, this.signal, () => { wait = 0; say("live", "Live"); }, (item) => this.show(item));
        // A stream ends after some minutes. It goes on with the next one.
        wait = Math.max(wait, 250);
      } catch (error) {
        if (this.signal.aborted) return;
        if (error instanceof Problem && isFinal(error)) {
          const words = error.status === 401 ? "This is not a token." : "There is no such encounter, or the token does not open it.";
          return this.end(words);
        }
        if (!isPassing(error)) this.loaded = false;
        wait = Math.max(Math.min(Math.max(wait * 2, 500), 15_000), (error.retryAfter ?? 0) * 1000);
        say("away", error.status === 429 ? "Too many requests. Waiting …" : "The server is away. Trying again …");
      }
      const awake = new AbortController();
      wake = () => awake.abort();
      this.signal.addEventListener("abort", wake, { once: true });
      await pause(wait * (0.8 + 0.4 * Math.random()), awake.signal);
    }
  }
}

function say(kind, words) {
  $("connection").className = kind;
  $("connection").textContent = words;
}

// The page without a fight. Who opens a link does not load what starts fights.
async function entrance(words) {
  say("", "");
  $("fight").hidden = $("you").hidden = $("menu").hidden = true;
  $("entrance").hidden = false;
  $("notice").textContent = words;
  $("name").textContent = document.title = "Turnkeeper";
  $("about").textContent = "The turn order of a fight";
  hand?.leave();
  try {
    starting ??= (await import("./start.js")).start;
    if (!$("entrance").hidden) await starting.show(openNew);
  } catch (error) {
    $("notice").textContent = "A part of this page did not load. Reload it.";
    throw error;
  }
}

function openNew(id, token, words) {
  news = words;
  location.hash = new URLSearchParams({ encounter: id, token });
}

// Ends the pause before the next attempt.
let wake = () => {};
// The module that answers presses, once it is loaded.
let hand;
// The module that starts fights, once it is needed.
let starting;
// Words about the fight that the reader has just created.
let news;
let fight;

// The link's part after `#`. Browsers send it to no server.
function start() {
  const link = new URLSearchParams(location.hash.slice(1));
  const [id, token] = [link.get("encounter"), link.get("token")];
  fight?.over.abort();
  hand?.leave();
  $("log").replaceChildren();
  if (!id || !token) return entrance("");
  say("", "Connecting …");
  fight = new Fight(id, token);
  fight.run();
}

$("open").addEventListener("submit", (event) => {
  event.preventDefault();
  const { encounter, token } = event.target.elements;
  location.hash = new URLSearchParams({ encounter: encounter.value.trim(), token: token.value.trim() });
});
addEventListener("hashchange", () => {
  start();
  // A form that was long leaves the page scrolled.
  scrollTo(0, 0);
});
addEventListener("online", () => wake());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  wake();
  if (fight?.encounter) hand?.cue(fight);
});
start();
