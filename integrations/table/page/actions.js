// The buttons that a token has, and the form that sends one.

import { Problem, isPassing, newKey, pause } from "./api.js";
import { field, resolve } from "./fields.js";
import { $, h, redraw } from "./view.js";
import { refusal, ruleText } from "./words.js";

// The tools that are pressed most have a row of their own.
const HISTORY = ["undo", "redo"];
// So many reactions are shown at once; more are folded.
const FEW = 4;

// Identifies an option in the next answer: what is decided of it, and the fields that are open.
function identity({ command, choices }) {
  return [Object.entries(command).sort(), choices.map((choice) => choice.field)];
}

function keyed(options) {
  const seen = new Map();
  return options.map((option) => {
    const key = JSON.stringify(identity(option));
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return { key: JSON.stringify([...identity(option), seen.get(key)]), option };
  });
}

// What the choices of an option may hold.
const shapeOf = ({ choices }, defs) => JSON.stringify(choices, (_, value) => (value?.$ref ? resolve(value, defs) : value));

// A button for an option. What is complete is sent by it, and has a second button for what may be chosen.
function button({ key, option }, kind) {
  const { label, complete, choices } = option;
  if (!complete) return h("button", { type: "button", class: `asks ${kind}`, "data-key": key, "aria-haspopup": "dialog" }, label);
  const sends = h("button", { type: "button", class: kind, "data-key": key }, label);
  if (!choices.length) return sends;
  const asks = h("button", { type: "button", class: `more ${kind}`, "data-key": key, "aria-haspopup": "dialog", "aria-label": `${label}, with choices` }, "…");
  return h("span", { class: `pair ${kind}`, "data-key": key }, sends, asks);
}

// The groups of buttons: decisions with the usual one first, what the turn allows, reactions, and the tools of the table.
function groups(all) {
  const of = (group) => all.filter(({ option }) => option.group === group);
  const row = (key, ones, kind) => ones.length > 0 && h("div", { class: "buttons", "data-key": key }, ones.map((one) => button(one, kind(one))));
  const folded = (title, ones, open) => ones.length > 0 && h("details", { "data-key": title, open }, h("summary", {}, title), h("div", { class: "buttons" }, ones.map((one) => button(one, "quiet"))));
  const [decisions, reactions, tools] = [of("decision"), of("reaction"), of("tools")];
  const usual = decisions.filter(({ option }) => option.primary);
  const others = decisions.filter((one) => !usual.includes(one));
  const isHistory = ({ option }) => HISTORY.includes(option.command.type);
  const titled = (title, ones) => ones.length > 0 && h("div", { role: "group", "aria-label": title, "data-key": title }, h("p", { class: "eyebrow" }, title), row(title, ones, () => ""));
  return [
    row("decision", [...usual, ...others], ({ option }) => (option.primary ? "primary" : "decision")),
    row("turn", of("turn"), () => ""),
    reactions.length > FEW ? folded("Reactions", reactions) : titled("Reactions", reactions),
    row("history", tools.filter(isHistory), () => "quiet"),
    folded("Tools", tools.filter((one) => !isHistory(one)), tools.length === all.length),
  ];
}

export class Actions {
  constructor() {
    // Has the state and refreshes it: see main.js.
    this.fight = null;
    this.open = null;
    $("buttons").addEventListener("click", (event) => {
      const pressed = event.target.closest("button");
      if (pressed) this.press(pressed.dataset.key, pressed.classList.contains("more"));
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
    redraw($("buttons"), [groups(all), nothing], $("actions-title"));
    this.options = new Map(all.map(({ key, option }) => [key, option]));
    if (this.open && options) this.changed();
  }

  // The table has changed while the form is open. The choice stays if it is still legal.
  changed() {
    const { version, $defs } = this.fight.options;
    if (this.open.version === version || !this.open.form) return;
    const option = this.options.get(this.open.key);
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
    return !this.open.sending && this.options.has(this.open.key);
  }

  // Says what became of the press, where its reader looks.
  say(words) {
    $(this.open.form ? "refusal" : "told").textContent = words;
  }

  // Sends an option that is complete. Asks first if something is missing, or if the reader wants to choose.
  press(key, wantsForm) {
    const option = this.options.get(key);
    if (!option || this.open) return;
    const form = wantsForm || !option.complete;
    this.open = { key, option, version: this.fight.options.version, sending: false, form, more: wantsForm };
    $("told").textContent = "";
    if (form) this.ask();
    else this.confirm();
  }

  ask() {
    const { option } = this.open;
    $("dialog-title").textContent = option.label;
    $("rule").textContent = ruleText(this.fight.manifest, option.rule);
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
    const { option, form } = this.open;
    if (!form) return option.command;
    const command = { ...option.command };
    for (const { choice, read } of this.fields) {
      const value = read();
      if (value !== undefined) command[choice.field] = value;
      else if (choice.required) throw new Error(`${choice.title} is missing.`);
    }
    return command;
  }

  async confirm() {
    const { open } = this;
    if (!open || !this.isReady()) return;
    this.say("");
    try {
      const command = this.command();
      open.sending = true;
      this.showReady();
      const answer = await this.deliver(command, open);
      if (this.open === open) {
        this.say("");
        this.leave();
      }
      await this.fight.reached(answer.version);
    } catch (error) {
      if (this.open !== open) return;
      open.sending = false;
      this.showReady();
      this.say(error instanceof Problem ? refusal(error, this.fight.manifest) : error.message);
      if (!open.form) this.leave();
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
    if (seen() !== before || !this.options.has(open.key)) return false;
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
    const isOrigin = (one) => one.dataset.key === open.key && one.classList.contains("more") === open.more;
    const back = [...$("buttons").querySelectorAll("button")].find(isOrigin);
    (back ?? $("actions-title")).focus();
  }

  closed() {
    // The event of one closing may come after the next opening.
    if (this.open?.form && !$("dialog").open) this.leave();
  }
}
