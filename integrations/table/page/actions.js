// The buttons that a token has, and the form that sends one.

import { Problem, isPassing, newKey, pause } from "./api.js";
import { field, resolve } from "./fields.js";
import { about, answers, decide, isAboutSome } from "./options.js";
import { giveAgain, givenOnRows, nextPhysical, physicalFields, physicalValue, physicalValues, takeOut } from "./physical.js";
import { hideToast, toast } from "./toast.js";
import { $, h, redraw, told } from "./view.js";
import { nameOf, plain, refusal, ruleText, sentence } from "./words.js";

// The tools that are pressed most have a row of their own.
const HISTORY = ["undo", "redo"];
// Commands that rows have of their own: dragging, keys, and the tools of a chosen row.
const OF_ROWS = ["reorder"];
// So many reactions are shown at once; more are folded.
const FEW = 4;
// Of a choice between more combatants than this, only their rows have buttons.
const MOST_NAMES = 12;
// A usual answer that asks for one of so many values has a button for each.
const MOST_VALUES = 12;
// The longest words of a button on a row.
const SHORT_DEED = 18;
// So many other answers stand beside the usual one.
const BESIDE = 2;
// A press this soon at the place of another one, in milliseconds and pixels, is the second of a double press, which a finger makes without its count.
const TWICE = 350;
const NEAR = 12;
// So many sentences of an answer are told beside its undo.
const TOLD = 2;

// Identifies an option in the next answer: what is decided of it, and the fields that are open.
function identity({ command, choices }) {
  return [Object.entries(command).sort(), choices.map((choice) => choice.field)];
}

export function keyed(options) {
  const seen = new Map();
  return options.map((option) => {
    const key = JSON.stringify(identity(option));
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return { key: JSON.stringify([...identity(option), seen.get(key)]), option };
  });
}

// The values that the choices of an option may hold, as text.
const shapeOf = ({ choices }, defs) => JSON.stringify(choices, (_, value) => (value?.$ref ? resolve(value, defs) : value));

// A button for an option. What is complete is sent by it, and has a second button for what may be chosen.
export function button({ key, option }, kind, words = option.label, more = {}) {
  const { complete, choices } = option;
  if (!complete) return h("button", { type: "button", class: `asks ${kind}`, "data-key": key, "aria-haspopup": "dialog", ...more }, words);
  const sends = h("button", { type: "button", class: kind, "data-key": key, ...more }, words);
  if (!choices.length) return sends;
  const asks = h("button", { type: "button", class: `more ${kind}`, "data-key": key, "aria-haspopup": "dialog", "aria-label": `${words}, with choices`, ...more }, "…");
  return h("span", { class: `pair ${kind}`, "data-key": key }, sends, asks);
}

const titled = (title, inner) => h("div", { role: "group", "aria-label": title, "data-key": title }, h("p", { class: "eyebrow" }, title), inner);
const row = (key, ones, kind) => ones.length > 0 && h("div", { class: "buttons", "data-key": key }, ones.map((one) => button(one, kind(one))));
const folded = (title, ones, open) => ones.length > 0 && h("details", { "data-key": title, open }, h("summary", {}, title), h("div", { class: "buttons" }, ones.map((one) => button(one, "quiet"))));

// The options of turns, by combatant if several have some.
function turns(ones, encounter) {
  const actors = [...new Set(ones.map(({ option }) => option.actor))];
  if (actors.length < 2) return row("turn", ones, () => "");
  const of = (actor) => ones.filter(({ option }) => option.actor === actor);
  return actors.map((actor) => {
    const title = actor ? nameOf(encounter, actor) : "Everyone";
    return titled(title, row(`turn ${actor}`, of(actor), () => ""));
  });
}

// The usual answers, each with its key and the combatant that it is about.
function usualAnswers(all, encounter, defs) {
  const keys = new Map(all.map(({ key, option }) => [option, key]));
  return answers({ items: [...keys.keys()], $defs: defs }, encounter.combatants).map((answer) => ({ ...answer, key: keys.get(answer.option) }));
}

// The usual answers about combatants, if there is a choice between several: each with its key, and words that name the combatant.
export function rowAnswers(all, encounter, defs) {
  const some = usualAnswers(all, encounter, defs).filter(({ id }) => id !== undefined);
  if (some.length < 2) return [];
  const words = ({ row, command, label }, id) => (row in command ? label : `${label}: ${nameOf(encounter, id)}`);
  // A row has room for a word or two.
  const short = ({ row, command, label }, id) => (row in command && deed(label, nameOf(encounter, id)).length <= SHORT_DEED ? deed(label, nameOf(encounter, id)) : "Choose");
  return some.map(({ key, option, id }) => ({ key, option, id, label: words(option, id), short: short(option, id) }));
}

// The words of an answer without its combatant.
const deed = (label, name) => sentence(label.replace(`${name}: `, "").replace(`: ${name}`, ""));

// The combatants to choose from, each a button with its name.
function names(usual, encounter, kind) {
  const name = ({ key, id, label }) => h("button", { type: "button", class: kind, "data-key": key, "data-about": id },
    h("span", { "aria-hidden": "true" }, nameOf(encounter, id)), h("span", { class: "unseen" }, label));
  const [{ option, id: first }] = usual;
  const title = deed(option.label, nameOf(encounter, first));
  const buttons = usual.length > MOST_NAMES ? h("p", { class: "hint" }, "Choose on a row.") : h("div", { class: "buttons names" }, usual.map(name));
  return h("div", { role: "group", "aria-label": title, "data-key": "names" }, h("p", { class: "eyebrow" }, title), buttons);
}

// The values of the only thing that an option asks for, if they are few.
function valuesOf({ choices }, defs) {
  const [asked, ...others] = choices.filter(({ required }) => required);
  if (!asked || others.length) return [];
  const { oneOf = [], type, minimum, maximum } = resolve(asked.schema, defs);
  const values = type === "integer" && maximum - minimum < MOST_VALUES ? Array.from({ length: maximum - minimum + 1 }, (_, step) => ({ const: minimum + step })) : oneOf;
  return values.length > MOST_VALUES ? [] : values.map(({ const: value, title }) => ({ fills: { [asked.field]: value }, name: plain(title ?? value) }));
}

// An option as a button, or as a button for each value that it asks for.
function valued({ key, option }, kind, defs) {
  const values = valuesOf(option, defs);
  if (!values.length) return button({ key, option }, kind);
  const one = ({ fills, name }) => h("button", { type: "button", class: kind, "data-key": key, "data-fills": JSON.stringify(fills), "aria-label": `${option.label}: ${name}` }, name);
  const asks = option.choices.length > 1 && h("button", { type: "button", class: "more decision", "data-key": key, "aria-haspopup": "dialog", "aria-label": `${option.label}, with choices` }, "…");
  return h("div", { role: "group", "aria-label": option.label, "data-key": `values ${key}` }, h("p", { class: "eyebrow" }, option.label), h("div", { class: "buttons names" }, values.map(one), asks));
}

// True for the members of one group: it acts as one, so that any of them may be first.
function areAlike(choice, encounter) {
  const groups = new Set(choice.map(({ id }) => encounter.combatants.find((one) => one.id === id)?.group));
  return groups.size === 1 && !groups.has(undefined);
}

// Decisions: the usual answer, or the combatants between whom it is, and the rest a level below.
function decisions(ones, encounter, defs) {
  const onRows = new Set([...physicalFields(ones, encounter, defs).values()].map(({ key }) => key));
  const choice = rowAnswers(ones, encounter, defs);
  const [usual, rest] = [true, false].map((primary) => ones.filter(({ option }) => option.primary === primary));
  const single = usual.filter(({ option }) => !(choice.length && option.row));
  // An answer about no combatant is the large button. Those of combatants are smaller then.
  const leading = single.some(({ option }) => !option.row) ? "decision" : "primary";
  const isGoingOn = usual.some(({ option }) => option.command.type === "resolve");
  // An act of the turn may also ask for something, such as the target of an attack.
  const isBeside = ({ key, option }) => (option.complete || encounter.current.includes(option.actor)) && option.command.type !== "resolve" && !(isGoingOn && option.command.type === "pass")
    && !choice.length && !(encounter.status === "setup" && usual.length && onRows.has(key));
  const beside = rest.filter(isBeside).slice(0, BESIDE);
  // The others of a group have their rows.
  const [lead, others] = leading === "primary" && areAlike(choice, encounter) ? [choice.slice(0, 1), []] : [[], choice];
  return [
    lead.map(({ key, id, label }) => h("div", { class: "buttons", "data-key": "decision" }, h("button", { type: "button", class: "primary", "data-key": key, "data-about": id }, label))),
    leading === "primary" && others.length > 0 && names(others, encounter, "primary"),
    single.length + beside.length > 0 && h("div", { class: "buttons", "data-key": "decision" }, single.map((one) => valued(one, one.option.row ? leading : "primary", defs)), beside.map((one) => button(one, "decision"))),
    leading === "decision" && choice.length > 0 && names(choice, encounter, "decision"),
    folded("Other answers", rest.filter((one) => !beside.includes(one)), !usual.length),
  ];
}

// The groups of buttons: decisions with the usual one first, what the turn allows, reactions, and the tools of the table.
function groups(all, encounter, defs) {
  const isOwn = ({ option }) => encounter.you.combatants.includes(option.actor);
  const of = (group) => {
    const ones = all.filter(({ option }) => option.group === group);
    return [...ones.filter(isOwn), ...ones.filter((one) => !isOwn(one))];
  };
  const [reactions, tools] = [of("reaction"), of("tools")];
  const isHistory = ({ option }) => HISTORY.includes(option.command.type);
  const rest = tools.filter((one) => !isHistory(one));
  const few = reactions.length <= FEW;
  return [
    ...decisions(of("decision"), encounter, defs),
    turns(of("turn"), encounter),
    few ? reactions.length > 0 && titled("Reactions", row("reaction", reactions, () => "reaction")) : folded("Reactions", reactions),
    row("history", tools.filter(isHistory), () => "quiet"),
    folded("Table", rest.filter(({ option }) => !isAboutSome(option)), tools.length === all.length),
    folded("Combatants", rest.filter(({ option }) => isAboutSome(option) && !OF_ROWS.includes(option.command.type))),
  ];
}

export class Actions {
  constructor() {
    // Has the state and refreshes it: see main.js.
    this.fight = null;
    this.open = null;
    // Is told what was sent once it is on the page.
    this.after = () => {};
    this.options = new Map();
    this.turn = Promise.resolve();
    // The group of an option when its button was pointed at. A field that loses focus sends its value, which may change the group before the press ends.
    document.addEventListener("pointerdown", ({ target }) => {
      const { key } = target.closest("button[data-key]")?.dataset ?? {};
      this.pointed = { key, group: this.options.get(key)?.group };
    });
    document.addEventListener("click", (event) => {
      const pressed = event.target.closest("#buttons button[data-key], #picked button[data-key], #rows button.answer");
      // The second press of a double click would be for the button that has come to its place.
      if (!pressed || event.detail > 1) return;
      const { key } = pressed.dataset;
      if (event.detail && this.isTwice(event, key)) return;
      const isOfPicked = pressed.closest("#picked") !== null;
      this.press(key, pressed.classList.contains("more"), { ...pressed.dataset, isOfPicked }, event.detail && this.pointed?.key === key ? this.pointed.group : undefined);
    });
    $("buttons").addEventListener("click", ({ target }) => target.dataset.foot && $(target.dataset.foot).click());
    $("rows").addEventListener("change", () => takeOut($("rows")));
    $("rows").addEventListener("change", ({ target }) => target.matches(".physical:not([data-of])") && this.give(target));
    $("rows").addEventListener("keydown", (event) => {
      if (!event.target.matches(".physical")) return;
      if (event.key === "Escape") return void event.target.blur();
      if (event.key !== "Enter") return;
      event.preventDefault();
      nextPhysical(event.target, $("buttons").querySelector("button.primary"));
    });
    $("press").addEventListener("submit", (event) => {
      event.preventDefault();
      this.confirm();
    });
    $("cancel").addEventListener("click", () => $("dialog").close());
    $("dialog").addEventListener("close", () => this.closed());
    // On a phone, what is chosen stands above the buttons.
    new ResizeObserver(() => document.body.style.setProperty("--bar", `${$("actions").offsetHeight}px`)).observe($("actions"));
    $("sheet").addEventListener("click", () => this.unfold(!$("actions").classList.contains("unfolded")));
  }

  draw() {
    const { encounter, options } = this.fight;
    const all = keyed(options?.items ?? []);
    $("actions").hidden = encounter.you.role === "spectator";
    const isOver = encounter.status === "ended";
    const nothing = options && !all.length && h("p", { class: "hint" }, isOver ? "The fight is over." : "Nothing to do now. Others decide.");
    // The foot of the page has them too.
    const over = isOver && h("div", { class: "buttons", "data-key": "over" }, [["numbers", "Statistics"], ["home", "All fights"]].map(([foot, words]) => h("button", { type: "button", "data-foot": foot }, words)));
    redraw($("buttons"), [over, groups(all, encounter, options?.$defs), nothing], $("actions-title"));
    const first = all.filter(({ option }) => ["decision", "reaction"].includes(option.group)).length;
    $("sheet").hidden = !first || first === all.length;
    $("actions").classList.toggle("waits", !first);
    this.options = new Map(all.map(({ key, option }) => [key, option]));
    takeOut($("rows"));
    if (this.open && options) this.changed();
  }

  // On a phone, the options below the decisions are folded.
  unfold(open) {
    $("actions").classList.toggle("unfolded", open);
    $("sheet").ariaExpanded = String(open);
    $("sheet").textContent = open ? "Less" : "More options";
  }

  // The option with a key, as its button decides it: about a combatant, or with a value.
  find(key, decided = {}) {
    const option = this.options.get(key);
    if (option && decided.fills) return decide(option, JSON.parse(decided.fills), this.fight.options.$defs);
    return option && decided.about ? about(option, decided.about, this.fight.options.$defs) : option;
  }

  // The table has changed while the form is open. The choice stays if it is still legal.
  changed() {
    const { version, $defs } = this.fight.options;
    if (this.open.version === version || !this.open.form) return;
    const option = this.find(this.open.key, this.open.decided);
    this.showReady();
    if (this.open.sending) return;
    this.say(option ? "The table has changed. Look again before you confirm." : "This is no longer possible.");
    if (!option) return;
    if (shapeOf(option, $defs) !== this.open.shape) this.fill(option, $defs);
    Object.assign(this.open, { option, version });
  }

  // A button that is disabled loses focus, and with it the place of who plays by keyboard. This one only says that it is.
  showReady() {
    $("confirm").ariaDisabled = String(!this.isReady());
    $("buttons").classList.toggle("busy", this.open.sending);
  }

  isReady() {
    return !this.open.sending && this.open.isLegal();
  }

  // Says what became of the press, where its reader looks.
  say(words) {
    if (this.open?.form) $("refusal").textContent = words;
    else if (this.open?.quick && words) toast(words);
    else $("told").textContent = words;
  }

  // Sends an option that is complete. Asks first if something is missing, or if the reader wants to choose.
  press(key, wantsForm, { about, fills, isOfPicked } = {}, group = this.options.get(key)?.group) {
    const decided = { about, fills, isOfPicked };
    // A form that has just closed may not have told so yet.
    this.closed();
    // The press before this one is on its way. If it takes away what was pressed, nothing is sent.
    if (this.open && !this.open.form) return void this.turn.then(() => this.press(key, wantsForm, decided, group));
    const option = this.find(key, decided);
    // The press before this one may have taken the decision.
    if (!option || option.group !== group || this.open) return;
    const form = wantsForm || !option.complete;
    const isLegal = () => this.find(key, decided) !== undefined;
    this.open = { key, option, decided, isLegal, version: this.fight.options.version, sending: false, form, more: wantsForm };
    $("told").textContent = "";
    if (form) this.ask();
    else this.turn = this.confirm();
  }

  // True for a press so soon after another one that it was for the button before.
  isTwice({ timeStamp, clientX, clientY }, key) {
    const before = this.last;
    this.last = { timeStamp, clientX, clientY, key };
    return before !== undefined && before.key !== key && timeStamp - before.timeStamp < TWICE && Math.hypot(clientX - before.clientX, clientY - before.clientY) < NEAR;
  }

  // Presses the large button. Returns how many there are to choose from otherwise.
  pressUsual() {
    const [large, names] = ["decision", "names"].map((part) => [...$("buttons").querySelectorAll(`[data-key=${part}] button.primary:not(.more)`)]);
    if (large.length === 1) this.press(large[0].dataset.key, false, large[0].dataset);
    return large.length + names.length;
  }

  // Presses the usual answer about a combatant, or its own.
  pressAbout(id) {
    const { encounter, options } = this.fight;
    const all = usualAnswers([...this.options].map(([key, option]) => ({ key, option })), encounter, options?.$defs);
    const found = all.find((answer) => answer.id === id) ?? all.find(({ option }) => option.actor === id);
    if (found) this.press(found.key, false, { about: found.id });
    return found !== undefined;
  }

  // Presses the first option that is so.
  pressFirst(isIt) {
    const found = [...this.options].find(([, option]) => isIt(option));
    if (found) this.press(found[0], false);
    return found !== undefined;
  }

  // Sends commands that `make` takes from the options, in one request. The next press waits for it.
  apply(make) {
    const mine = this.turn.then(async () => {
      const commands = make();
      if (!commands?.length || this.open) return false;
      const isLegal = () => JSON.stringify(make()) === JSON.stringify(commands);
      this.open = { isLegal, version: this.fight.options.version, sending: false, form: false, quick: true };
      return this.confirm(commands.length === 1 ? commands[0] : commands);
    });
    this.turn = mine.catch(() => {});
    return mine;
  }

  // Sends what the table rolled for one combatant.
  give(input) {
    try {
      const [value, { option: key, field }] = [physicalValue(input), input.dataset];
      if (value === undefined) return;
      const command = () => this.options.get(key)?.command;
      this.apply(() => (command() ? [{ ...command(), [field]: value }] : []));
    } catch (error) {
      toast(error.message);
    }
  }

  ask() {
    const { option } = this.open;
    $("dialog-title").textContent = option.label;
    const rule = ruleText(this.fight.manifest, option.rule);
    $("rule").hidden = !rule;
    $("rule").open = false;
    $("rule").lastElementChild.textContent = rule;
    this.say("");
    this.showReady();
    this.fill(option, this.fight.options.$defs);
    $("dialog").showModal();
    ($("fields").querySelector("input, select, textarea") ?? $("confirm")).focus();
  }

  fill(option, defs) {
    this.open.shape = shapeOf(option, defs);
    this.fields = option.choices.map((choice) => ({ choice, ...field(choice, defs) }));
    const views = (folded) => this.fields.filter(({ choice }) => folded === (choice.advanced === true)).map(({ view }) => view);
    const more = views(true);
    $("fields").replaceChildren(...views(false), ...(more.length ? [h("details", {}, h("summary", {}, "More"), more)] : []));
  }

  // The command with what was filled in.
  command() {
    const { key, option, form } = this.open;
    const command = { ...option.command, ...(option.group === "decision" && physicalValues($("rows"), key)) };
    if (!form) return command;
    for (const { choice, read } of this.fields) {
      const value = read();
      if (value !== undefined) command[choice.field] = value;
      else if (choice.required) throw new Error(`${choice.title} is missing.`);
    }
    return command;
  }

  // Sends what was pressed. Resolves to whether it was applied.
  async confirm(commands) {
    const { open } = this;
    if (!open || !this.isReady()) return false;
    this.say("");
    try {
      const body = commands ?? this.command();
      const given = givenOnRows($("rows"));
      open.sending = true;
      this.showReady();
      const answer = await this.deliver(body, open);
      if (this.open === open) {
        this.say("");
        this.leave();
      }
      await this.fight.reached(answer.version);
      if (given.length) this.given = { before: open.version, values: given };
      this.told(answer);
      this.after(open.decided?.isOfPicked);
      return true;
    } catch (error) {
      if (this.open !== open) return false;
      open.sending = false;
      this.showReady();
      this.say(error instanceof Problem ? refusal(error, this.fight.manifest, this.fight.encounter) : error.message);
      if (!open.form) this.leave();
      if (error instanceof Problem) await this.fight.refresh().catch(() => {});
      return false;
    }
  }

  // Tells what a press did, with a button that takes it back.
  told({ version, events }) {
    const texts = told(version, events);
    const more = texts.length > TOLD ? " …" : "";
    const undone = events.find((event) => event.type === "undone");
    // The rows have again the values typed before the step that is undone.
    if (undone && undone.to_version === this.given?.before) giveAgain($("rows"), this.given.values);
    const type = undone ? "redo" : "undo";
    const found = [...this.options].find(([, option]) => option.command.type === type && option.complete);
    const back = found && { words: type === "undo" ? "Undo" : "Redo", act: () => this.takeBack(found[0], version) };
    toast(texts.slice(0, TOLD).join(" ") + more || "Done.", back);
  }

  // Takes back a press, and nothing that others did since.
  takeBack(key, version) {
    if (this.fight.encounter.version === version) return this.press(key, false);
    toast("The table has changed since. Undo takes back the last step.");
  }

  // Sends until there is an answer, always with the same key, so that it is applied once.
  async deliver(body, open) {
    let [key, looks] = [newKey(), 0];
    for (let wait = 500; this.open === open; wait = Math.min(wait * 2, 8000)) {
      try {
        return await this.fight.api.send(body, open.version, key);
      } catch (error) {
        if (error.status === 412 && looks++ < 3 && (await this.same(open))) {
          key = newKey();
          continue;
        }
        if (!isPassing(error)) throw error;
        this.say("The server does not answer. Trying again …");
        await pause(Math.max(wait, (error.retryAfter ?? 0) * 1000));
      }
    }
    throw new Error("Not sent.");
  }

  // Versions also count what this token may not see. If everything that it sees is as before, the choice stands at the new version.
  async same(open) {
    const seen = () => JSON.stringify({ ...this.fight.encounter, version: 0 });
    const before = seen();
    await this.fight.refresh();
    if (seen() !== before || !open.isLegal()) return false;
    open.version = this.fight.options.version;
    return true;
  }

  // Ends the press, sent or not.
  leave() {
    $("dialog").close();
    const { open } = this;
    this.open = null;
    $("buttons").classList.remove("busy");
    if (!open?.form) return;
    $("fields").replaceChildren();
    const isOrigin = (one) => one.dataset.key === open.key && one.dataset.about === open.decided.about && one.dataset.fills === open.decided.fills && one.classList.contains("more") === open.more;
    const back = [...document.querySelectorAll("#buttons button, #picked button, #rows button.answer")].find(isOrigin);
    (back ?? $("actions-title")).focus();
  }

  closed() {
    // The event of one closing may come after the next opening.
    if (this.open?.form && !$("dialog").open) this.leave();
  }

  // The page shows another fight, or none.
  reset() {
    this.leave();
    hideToast();
    this.unfold(false);
  }
}
