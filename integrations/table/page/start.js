// The page without a fight: fights that this browser knows, a new one from lines of text, and one from a file.

import { Problem, create, isPassing, newKey, pause, readRuleset, readRulesets } from "./api.js";
import { Bring } from "./bring.js";
import { keep } from "./desk.js";
import { field } from "./fields.js";
import { List } from "./lines.js";
import { Roster, vocabulary } from "./roster.js";
import { application, encounters, fights, parties } from "./saved.js";
import { $, h } from "./view.js";
import { plain, refusal } from "./words.js";

// The parts of this page, by their ids. They are in the document only while it is shown.
const parts = new Map([...$("start").content.cloneNode(true).querySelectorAll("[id]")].map((part) => [part.id, part]));
const at = (id) => parts.get(id);

const SIDES = { party: "players", monsters: "monsters" };

// The options that every ruleset gives its encounters.
const SHARED = [
  ["foe_hp", "Hit points of foes", "How players and spectators see them.", "In words", { oneOf: [{ const: "banded", title: "In words" }, { const: "exact", title: "In numbers" }, { const: "none", title: "Not at all" }] }],
  ["turn_seconds", "Seconds of a turn", "The page counts them down. Nothing ends by itself.", "No limit", { type: "integer", minimum: 1, maximum: 86_400 }],
  ["player_undo", "Players undo", "A player may undo their own last command until someone else acts.", "No", { type: "boolean" }],
  ["player_damage", "Players record damage", "Players may record damage and healing of their combatants.", "No", { type: "boolean" }],
  ["player_effects", "Players add effects", "Players may add effects of their combatants.", "No", { type: "boolean" }],
];

const wantsKey = ({ problem }) => ["unauthorized", "application_key_needed"].includes(problem.code);

// A word of a line with a value that it may have.
function example({ word, kind, schema }) {
  const values = { hp: "24/30", number: "2", text: "Zoe", word: "wolves", list: "prone", choice: schema?.enum?.[0] };
  return [word, values[kind]].filter(Boolean).join(" ").replaceAll("_", " ");
}

// A description of the API, with its `code`.
const marked = (text = "") => text.split("`").map((part, place) => (place % 2 ? h("code", {}, part) : part));

// Games by the names that their players use: the rulesets, and the presets of one that has some.
function gamesOf(manifests) {
  const games = manifests.flatMap((manifest) => [
    ...(manifest.presets ?? []).map((preset) => ({ key: `${manifest.id} ${preset.id}`, label: preset.plays, about: preset.title, manifest, preset })),
    { key: manifest.id, label: manifest.presets ? "Another order of your own" : manifest.title, about: manifest.summary, manifest },
  ]);
  const isOwn = ({ manifest, preset }) => manifest.presets && !preset;
  return [...games.filter(({ preset }) => preset), ...games.filter(({ manifest }) => !manifest.presets), ...games.filter(isOwn)];
}

// A manifest's schema as `fields.js` draws it: values with titles, and shapes apart from them.
function drawable({ enum: values, oneOf, anyOf = oneOf, ...schema }) {
  if (values) return { oneOf: values.map((value) => ({ const: value, title: plain(value) })) };
  return anyOf ? { anyOf: anyOf.map(drawable) } : schema;
}

function usual({ default: value }) {
  if (value === undefined || value === null || typeof value === "object") return "";
  return ` Default: ${typeof value === "boolean" ? (value ? "Yes" : "No") : plain(value)}.`;
}

// Lines over a preset, as the definition that they give.
function merged(base, patch) {
  if (!patch || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result = { ...(base && typeof base === "object" && !Array.isArray(base) ? base : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

class Start {
  constructor() {
    this.lists = [
      new List("party", "Party", parties, "Ann hp 24/30 dex 3 player Zoe", this),
      new List("monsters", "Monsters", encounters, "3 Goblins 7hp dex 2", this),
    ];
    at("lists").replaceChildren(...this.lists.map(({ view }) => view));
    at("new-game").addEventListener("change", () => this.choose());
    at("new").addEventListener("submit", (event) => {
      event.preventDefault();
      this.create();
    });
    this.bring = new Bring(at, (file, path, told) => this.send(file, path, told), (error) => this.refuseFile(error));
    at("import").addEventListener("submit", (event) => {
      event.preventDefault();
      this.import();
    });
    $("open-encounter").addEventListener("input", () => this.openLink());
    addEventListener("storage", () => this.drawKept());
    for (const list of this.lists) list.saved.open = list.kept.all.length > 0;
  }

  // Shows what can be opened and started. `open` opens a fight.
  async show(open) {
    this.open = open;
    $("open").before(at("known"), at("new"));
    $("open").after(at("import"));
    if (application.key) {
      at("application").hidden = false;
      at("application-key").value ||= application.key;
      at("application-keep").checked = true;
    }
    this.drawKept();
    await this.readGames();
  }

  leave() {
    for (const id of ["known", "new", "import"]) at(id).remove();
  }

  drawKept() {
    for (const list of this.lists) list.drawSaved();
    const all = fights.all;
    at("known").hidden = !all.length;
    const forgetAll = h("button", { type: "button", class: "quiet" }, "Forget all");
    forgetAll.addEventListener("click", () => this.forget(() => fights.forgetAll()));
    at("known-fights").replaceChildren(...all.map((fight) => this.known(fight)), ...(all.length > 1 ? [h("li", {}, forgetAll)] : []));
  }

  known({ id, token, name, game, role, at: opened }) {
    const forget = h("button", { type: "button", class: "quiet", "aria-label": `Forget ${name}` }, "Forget");
    forget.addEventListener("click", () => this.forget(() => fights.forget(`${id} ${token}`)));
    const roles = { gm: "game master", player: "player", spectator: "spectator" };
    const about = [game, roles[role], new Date(opened).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })].filter(Boolean).join(" · ");
    return h("li", {}, h("div", {}, h("a", { href: `#${new URLSearchParams({ encounter: id, token })}` }, name), h("p", { class: "hint" }, about)), forget);
  }

  forget(step) {
    try {
      step();
    } catch (error) {
      $("notice").textContent = error.message;
    }
    this.drawKept();
    (at("known").hidden ? at("new-game") : at("known-title")).focus();
  }

  async readGames() {
    for (let wait = 500; !this.games; wait = Math.min(2 * wait, 8000)) {
      try {
        const { items } = await readRulesets();
        const manifests = await Promise.all(items.map(({ id }) => readRuleset(id)));
        this.bring.rulesets = items;
        this.games ??= gamesOf(manifests);
      } catch {
        this.tell("The server does not answer. Trying again …");
        await pause(wait);
      }
    }
    if (at("new-game").options.length) return;
    this.tell("");
    const none = h("option", { value: "" }, "Choose …");
    at("new-game").replaceChildren(none, ...this.games.map(({ label }, place) => h("option", { value: place }, label)));
    this.choose();
  }

  tell(words) {
    at("new-told").textContent = words;
  }

  // The rules, words and lines of the chosen game.
  choose() {
    const value = at("new-game").value;
    this.game = value === "" ? undefined : this.games[Number(value)];
    const { manifest, about } = this.game ?? {};
    at("new-about").textContent = about ?? "";
    at("rules").hidden = at("words").hidden = !manifest;
    this.drawRules();
    this.read();
  }

  drawRules() {
    this.rules = [];
    if (!this.game) return at("rules-fields").replaceChildren();
    const { properties } = this.game.manifest.options;
    const add = (into, name, title, about, schema) => {
      const { view, read } = field({ schema, title, required: false });
      this.rules.push({ into, name, read });
      return h("div", {}, view, h("p", { class: "hint" }, about));
    };
    const own = Object.entries(properties).filter(([name]) => !this.isOfPresets(name));
    const views = own.map(([name, schema]) => add("options", name, plain(name), `${schema.description}${usual(schema)}`, drawable(schema)));
    const shared = SHARED.map(([name, title, about, otherwise, schema]) => add("encounter", name, title, `${about} Default: ${otherwise}.`, schema));
    at("rules-fields").replaceChildren(...views, ...(properties.definition ? [this.definitionField()] : []), ...shared);
  }

  isOfPresets(name) {
    return ["preset", "definition"].includes(name) && Boolean(this.game.manifest.presets);
  }

  definitionField() {
    const own = !this.game.preset;
    this.definitionText = h("textarea", { id: "definition-text", rows: 4, maxlength: 20_000, spellcheck: "false", placeholder: '{"score": {"reroll": true}}' });
    this.definitionText.addEventListener("input", () => this.read());
    const about = own ? "The turn order as JSON. Without one it is that of D&D 5e." : "Lines of the turn order that your table plays differently, as JSON.";
    return h("div", { class: "field" }, h("label", { for: "definition-text" }, "Definition"), this.definitionText, h("p", { class: "hint" }, about));
  }

  // The lines of the definition that were typed. Throws if they are no JSON.
  typedDefinition() {
    const text = this.game?.manifest.presets ? this.definitionText.value.trim() : "";
    if (!text) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw new Error("The definition is not valid JSON. Correct it, or leave it empty.");
    }
  }

  definition() {
    let typed;
    try {
      typed = this.typedDefinition();
    } catch {
      // It is refused when the fight is created.
    }
    const base = this.game?.preset?.definition;
    return typed ? merged(base, typed) : base;
  }

  // An encounter brings its game and its name where none is chosen.
  loaded(list, { name, game }) {
    const place = this.games?.findIndex(({ key }) => key === game) ?? -1;
    if (list.name === "monsters") at("new-name").value ||= name;
    if (list.name === "monsters" && place >= 0 && !this.game) {
      at("new-game").value = String(place);
      this.choose();
    } else {
      this.read();
    }
  }

  // Reads the lines, and shows what was understood.
  read() {
    const definition = this.definition();
    const words = vocabulary(this.game?.manifest, definition);
    const texts = Object.fromEntries(this.lists.map(({ name, text }) => [name, text.value]));
    this.roster = new Roster(texts, SIDES, words, definition);
    for (const list of this.lists) list.drawTable(this.roster.lines.filter((line) => line.list === list.name), Boolean(this.game));
    at("words-list").replaceChildren(...[...words.values()].flatMap((word) => [h("dt", {}, example(word)), h("dd", {}, marked(word.about))]));
    clearTimeout(this.late);
    // Not at each key: it is read out.
    this.late = setTimeout(() => this.sum(), 400);
  }

  sum() {
    const { combatants, lines, errors } = this.roster;
    const left = lines.flatMap(({ rest }) => rest).length;
    const count = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;
    const parts = [count(combatants.length, "combatant"), left && `${count(left, "part")} left out`, errors.length && `${count(errors.length, "line")} to correct`];
    at("new-summary").textContent = lines.length ? `${parts.filter(Boolean).join(", ")}.` : "";
  }

  request() {
    const { manifest, preset } = this.game;
    const body = { ruleset: manifest.id, combatants: this.roster.combatants };
    const name = at("new-name").value.trim();
    if (name) body.name = name;
    const options = { ...(preset && { preset: preset.id }) };
    const definition = this.typedDefinition();
    if (definition) options.definition = definition;
    for (const { into, name: rule, read } of this.rules) {
      const value = read();
      if (value !== undefined) (into === "options" ? options : body)[rule] = value;
    }
    if (Object.keys(options).length) body.options = options;
    return body;
  }

  async create() {
    if (this.sending) return;
    this.read();
    this.sum();
    const [wrong] = this.roster.errors;
    if (wrong) {
      this.tell(`${this.lists.find(({ name }) => name === wrong.list).title}, line ${wrong.number}: ${wrong.error}`);
      return this.goTo(wrong);
    }
    let body;
    try {
      body = JSON.stringify(this.request());
    } catch (error) {
      at("rules").open = true;
      return this.tell(error.message);
    }
    const game = this.game.label;
    await this.deliver(body, { path: "", told: (words) => this.tell(words), refuse: (error) => this.refuse(error), game });
  }

  // Puts the caret into a line.
  goTo({ list, number }) {
    const { text } = this.lists.find(({ name }) => name === list);
    const before = text.value.split("\n").slice(0, number - 1).join("\n").length;
    const first = number > 1 ? before + 1 : 0;
    const end = text.value.indexOf("\n", first);
    text.focus();
    text.setSelectionRange(first, end < 0 ? text.value.length : end);
  }

  async import() {
    const { bring } = this;
    if (!bring.file || this.sending || !await bring.isReady()) return;
    await this.deliver(bring.file, { path: bring.request, told: (words) => bring.tell(words), refuse: (error) => this.refuseFile(error) });
  }

  // Creates a fight and opens it. `refuse` says why the server does not.
  async deliver(body, { path, told, refuse, game = "" }) {
    this.sending = true;
    told("");
    at("create").ariaDisabled = "true";
    try {
      const made = await this.send(body, path, told);
      if (made) {
        // The next fight has the same party, and others to meet.
        at("new-name").value = "";
        this.lists.find(({ name }) => name === "monsters").text.value = "";
        this.read();
        this.open(made.encounter.id, made.token, this.keepChosen(made, game));
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (wantsKey(error)) this.askForKey(told);
      else refuse(error);
    } finally {
      this.sending = false;
      at("create").ariaDisabled = "false";
    }
  }

  // Sends until there is an answer or the reader opens another fight, always with the same key, so that the fight is created once.
  async send(body, path, told) {
    const key = newKey();
    for (let wait = 500; at("new").isConnected; wait = Math.min(2 * wait, 8000)) {
      try {
        return await create(body, { path, key, application: at("application-key").value.trim() });
      } catch (error) {
        if (!isPassing(error)) throw error;
        told("The server does not answer. Trying again …");
        await pause(Math.max(wait, (error.retryAfter ?? 0) * 1000));
      }
    }
    told("");
    return undefined;
  }

  // Keeps what the reader wants to be kept, and says why that was not possible. The fight is there in any case.
  keepChosen({ encounter, token }, game) {
    const key = at("application-key").value.trim();
    try {
      if (key && at("application-keep").checked) application.keep(key);
      else if (application.key) application.forget();
      if (at("new-remember").checked) keep({ id: encounter.id, token, name: encounter.name || "A fight", game, role: "gm" });
    } catch (error) {
      return error.message;
    }
    return "";
  }

  refuseFile(error) {
    const told = (words) => this.bring.tell(words);
    if (wantsKey(error)) this.askForKey(told);
    else told(refusal(error));
  }

  askForKey(told) {
    const wasSent = at("application-key").value.trim() !== "";
    at("application").hidden = false;
    at("application-key").focus();
    told(wasSent ? "The server does not know this key. Ask its operator for another one." : "This server lets only applications create fights. Enter a key, and try again.");
  }

  // A refusal names the line of a wrong combatant.
  refuse(error) {
    const wrong = (error.problem.errors ?? []).map(({ path, message }) => {
      const [, place, rest] = /^combatants\.(\d+)\.?(.*)$/.exec(path) ?? [];
      const line = place && this.roster.origins[Number(place)];
      return { line, words: line ? `${this.lists.find(({ name }) => name === line.list).title}, line ${line.number}: ${rest.split(".").at(-1)}: ${message}` : `${path}: ${message}` };
    });
    this.tell(wrong.length ? wrong.map(({ words }) => words).join(" ") : refusal(error));
    const first = wrong.find(({ line }) => line)?.line;
    if (first) this.goTo(first);
    else at("rules").open ||= wrong.length > 0;
  }

  // A link that is pasted has both parts.
  openLink() {
    const link = new URLSearchParams($("open-encounter").value.split("#").at(-1));
    const [id, token] = [link.get("encounter"), link.get("token")];
    if (!id || !token) return;
    $("open-encounter").value = id;
    $("open-token").value = token;
  }
}

export const start = new Start();
