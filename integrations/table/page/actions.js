// The buttons that a token has, and the form that sends one.

import { Problem, isPassing, newKey, pause } from "./api.js";
import { field } from "./fields.js";
import { $, h, redraw } from "./view.js";
import { plain, refusal, ruleText } from "./words.js";

// Commands that all rulesets share, in the groups that they are shown in.
const GROUPS = [
  ["Hit points and effects", ["damage", "heal", "set_condition", "clear_condition", "add_effect", "remove_effect"]],
  ["Table", ["add_combatant", "update_combatant", "remove_combatant", "override", "note", "update_encounter", "end_encounter"]],
];
const HISTORY = ["undo", "redo"];
// Choices that most tables leave to the server.
const RARE = /^(an object|at most 16|the faces|a list of d)/;
const SHARED = [...HISTORY, ...GROUPS.flatMap(([, types]) => types)];

// Identifies an option in the next answer: its label and the fields that are not open.
function identity({ label, command, choices }) {
  const open = choices.map((choice) => choice.field);
  return JSON.stringify([label, Object.entries(command).filter(([name]) => !open.includes(name)).sort()]);
}

function keyed(options) {
  const seen = new Map();
  return options.map((option) => {
    const key = identity(option);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return { key: `${key}${seen.get(key)}`, option };
  });
}

const button = (kind) => ({ key, option }) => h("button", { type: "button", class: kind, "data-key": key }, option.label);

// The groups of buttons: awaited commands, other commands of the ruleset, undo and redo, shared commands.
function groups(all, pending) {
  const type = ({ option }) => option.command.type;
  const decides = ({ option }) => !option.combatant || !pending.combatants.length || pending.combatants.includes(option.combatant);
  const awaited = all.filter((one) => pending?.commands.includes(type(one)) && decides(one));
  const others = all.filter((one) => !awaited.includes(one) && !SHARED.includes(type(one)));
  const within = (types) => all.filter((one) => !awaited.includes(one) && types.includes(type(one)));
  const folded = ([title, types]) => [title, within(types)];
  const section = ([title, ones]) => ones.length > 0 && h("details", { "data-key": title }, h("summary", {}, title), h("div", { class: "buttons" }, ones.map(button("quiet"))));
  const row = (key, ones, kind) => ones.length > 0 && h("div", { class: "buttons", "data-key": key }, ones.map(button(kind)));
  const few = others.length <= 4;
  return [
    row("awaited", awaited, "primary"),
    few ? row("others", others, "") : section(["Other options", others]),
    row("history", within(HISTORY), "quiet"),
    GROUPS.map(folded).map(section),
  ];
}

export class Actions {
  constructor() {
    // Has the state and refreshes it: see main.js.
    this.fight = null;
    this.open = null;
    $("buttons").addEventListener("click", (event) => {
      const pressed = event.target.closest("button");
      if (pressed) this.ask(pressed.dataset.key);
    });
    $("press").addEventListener("submit", (event) => {
      event.preventDefault();
      this.confirm();
    });
    $("cancel").addEventListener("click", () => $("dialog").close());
    $("dialog").addEventListener("close", () => this.closed());
  }

  draw() {
    const { encounter, options } = this.fight;
    const all = keyed(options?.items ?? []);
    $("actions").hidden = encounter.you.role === "spectator";
    const nothing = options && !all.length && h("p", { class: "hint" }, encounter.status === "ended" ? "The fight is over." : "Nothing to do now. Others decide.");
    redraw($("buttons"), [groups(all, encounter.pending), nothing], $("actions-title"));
    this.options = new Map(all.map(({ key, option }) => [key, option]));
    if (this.open && options) this.changed();
  }

  // The table has changed while the form is open. The choice stays if it is still legal.
  changed() {
    const { version, lists } = this.fight.options;
    if (this.open.version === version) return;
    const option = this.options.get(this.open.key);
    this.showReady();
    if (this.open.sending) return;
    $("refusal").textContent = option ? "The table has changed. Look again before you confirm." : "This is no longer possible.";
    if (!option) return;
    if (JSON.stringify(option.choices) !== JSON.stringify(this.open.option.choices)) this.fill(option, lists);
    Object.assign(this.open, { option, version });
  }

  // A button that is disabled loses focus, and with it the place of who plays by keyboard. This one only says that it is.
  showReady() {
    $("confirm").ariaDisabled = String(!this.isReady());
  }

  isReady() {
    return !this.open.sending && this.options.has(this.open.key);
  }

  ask(key) {
    const option = this.options.get(key);
    if (!option) return;
    const { version, lists } = this.fight.options;
    this.open = { key, option, version, sending: false };
    $("dialog-title").textContent = option.label;
    $("rule").textContent = ruleText(this.fight.manifest, option.rule);
    $("refusal").textContent = "";
    this.showReady();
    this.fill(option, lists);
    $("dialog").showModal();
    ($("fields").querySelector("input, select, textarea") ?? $("confirm")).focus();
  }

  fill(option, lists) {
    const { encounter } = this.fight;
    this.fields = option.choices.map((choice) => ({ choice, ...field(encounter, option, lists, choice) }));
    const views = (folded) => this.fields.filter(({ choice }) => folded === (RARE.test(choice.like) && !choice.required)).map(({ view }) => view);
    const more = views(true);
    $("fields").replaceChildren(...views(false), ...(more.length ? [h("details", {}, h("summary", {}, "More"), more)] : []));
  }

  // The command with what was filled in.
  command() {
    const command = { ...this.open.option.command };
    for (const { choice, read } of this.fields) {
      const value = read();
      if (value === undefined && !choice.required) delete command[choice.field];
      else if (value === undefined) throw new Error(`${plain(choice.field)} is missing.`);
      else command[choice.field] = value;
    }
    return command;
  }

  async confirm() {
    const { open } = this;
    if (!open || !this.isReady()) return;
    $("refusal").textContent = "";
    try {
      const command = this.command();
      open.sending = true;
      this.showReady();
      const answer = await this.deliver(command, open);
      if (this.open === open) {
        $("dialog").close();
        this.closed();
      }
      await this.fight.reached(answer.version);
    } catch (error) {
      if (this.open !== open) return;
      open.sending = false;
      this.showReady();
      $("refusal").textContent = error instanceof Problem ? refusal(error, this.fight.manifest) : error.message;
      if (error instanceof Problem) await this.fight.refresh().catch(() => {});
    }
  }

  // Sends until there is an answer, always with the same key, so that it is applied once.
  async deliver(command, open) {
    let [key, looks] = [newKey(), 0];
    for (let wait = 500; this.open === open; wait = Math.min(wait * 2, 8000)) {
      try {
        return await this.fight.api.send(command, open.version, key);
      } catch (error) {
        if (error.status === 412 && looks++ < 3 && (await this.same(open))) {
          key = newKey();
          continue;
        }
        if (!isPassing(error)) throw error;
        $("refusal").textContent = "The server does not answer. Trying again …";
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
    if (seen() !== before || !this.options.has(open.key)) return false;
    open.version = this.fight.options.version;
    return true;
  }

  closed() {
    // The event of one closing may come after the next opening.
    if (!this.open || $("dialog").open) return;
    const { key } = this.open;
    this.open = null;
    $("fields").replaceChildren();
    const back = [...$("buttons").querySelectorAll("button")].find((one) => one.dataset.key === key);
    (back ?? $("actions-title")).focus();
  }
}
