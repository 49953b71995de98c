// The combatants that the reader has chosen on the rows, and what can be done to them.

import { button, keyed, rowAnswers } from "./actions.js";
import { about, command, find } from "./options.js";
import { physicalFields, physicalInput } from "./physical.js";
import { isMoved } from "./reorder.js";
import { toast } from "./toast.js";
import { $, conditionName, h, redraw } from "./view.js";
import { conditionsOf, hitPoints, lasting, list, nameOf, reason, ruleText } from "./words.js";

// Commands that the panel has fields or buttons of its own for.
const OWN = ["damage", "heal", "set_condition", "clear_condition", "remove_effect", "remove_combatant"];

const SHORT = { update_combatant: "Rename or edit", override: "Give the turn" };

// A tool's words without the name of who is chosen.
const shortened = ({ command, complete, label }) => (command.type === "reorder" && !complete ? "Move" : SHORT[command.type] ?? label);

export class Picked {
  constructor(actions) {
    this.actions = actions;
    this.reset();
    $("rows").addEventListener("mousedown", () => { this.from = this.cursor; });
    $("rows").addEventListener("click", ({ target, detail, shiftKey }) => {
      if (!target.matches(".name")) return;
      if (shiftKey) this.chooseTo(target.closest(".row"));
      else this.toggle(target.closest(".row").dataset.combatant);
      // A reader with a mouse types a number next. A phone would show its keyboard.
      if (detail && matchMedia("(hover: hover) and (pointer: fine)").matches) $("amount")?.focus({ preventScroll: true });
    });
    $("rows").addEventListener("focusin", ({ target }) => this.moveTo(target.closest(".row").dataset.key));
    $("picked").addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.target.matches(".hits")) this.hit(event.submitter?.value ?? this.mode);
      else this.addCondition();
    });
    $("picked").addEventListener("keydown", (event) => {
      // Enter confirms what the keys d and h began.
      if (event.key !== "Enter" || event.target.id !== "amount") return;
      event.preventDefault();
      this.hit(this.mode);
    });
    $("picked").addEventListener("click", ({ target }) => {
      const pressed = target.closest("button[data-do]");
      if (pressed) this[pressed.dataset.do](pressed.dataset);
    });
    // An unfolded part comes into view.
    $("picked").addEventListener("toggle", ({ target }) => target.open && target.scrollIntoView({ block: "nearest" }), { capture: true });
    $("picked").addEventListener("change", ({ target }) => target.dataset.note && this.write(target.dataset.note, target.value.trim()));
  }

  reset() {
    this.ids = new Set();
    this.players = new Map();
    this.cursor = undefined;
    this.fields = new Map();
    this.mode = "damage";
  }

  get fight() {
    return this.actions.fight;
  }

  // The usual answers on rows, by the combatant.
  answers() {
    const { encounter, options } = this.fight ?? {};
    if (!options || options.version !== encounter.version) return new Map();
    return new Map(rowAnswers(keyed(options.items), encounter, options.$defs).map((answer) => [answer.id, answer]));
  }

  // Fields on rows for what the table itself rolled, by the combatant.
  physical() {
    const { encounter, options } = this.fight ?? {};
    // Typed values stay until the next options come.
    if (options?.version === encounter?.version) this.fields = options ? physicalFields(keyed(options.items), encounter, options.$defs) : new Map();
    return new Map([...this.fields].map(([id, one]) => [id, physicalInput(one, { id, name: nameOf(encounter, id) })]));
  }

  // Whether the rules let a row of the order be moved.
  canMove(entry) {
    const { encounter, options } = this.fight ?? {};
    return find(options, "reorder", { combatant: entry.combatant }) !== undefined && isMoved(encounter.order, entry);
  }

  hasNote(id) {
    return Boolean(this.fight?.encounter.combatants.find((one) => one.id === id)?.notes);
  }

  // The chosen combatants, in the order of the rows.
  all() {
    const { combatants, order } = this.fight.encounter;
    const ids = [...new Set(order.map((entry) => entry.combatant))].filter((id) => this.ids.has(id));
    return ids.map((id) => combatants.find((combatant) => combatant.id === id));
  }

  // Those that are shown: who has acted may be folded.
  rows() {
    return [...$("rows").querySelectorAll(".row[data-combatant]")].filter((row) => row.offsetParent !== null);
  }

  toggle(id) {
    if (!id) return;
    // Who can only look at a combatant looks at one at a time.
    const several = this.fight.encounter.you.role === "gm";
    const had = this.ids.delete(id);
    if (!several) this.ids.clear();
    if (!had) this.ids.add(id);
    this.mode = "damage";
    this.fight.draw();
    if (!had) this.show(id);
  }

  // Chooses the rows from the one that was pressed before to this one.
  chooseTo(row) {
    const rows = this.rows();
    const from = rows.findIndex(({ dataset }) => dataset.key === this.from);
    const to = rows.indexOf(row);
    if (this.fight.encounter.you.role !== "gm" || from < 0) return this.toggle(row.dataset.combatant);
    for (const { dataset } of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) this.ids.add(dataset.combatant);
    this.fight.draw();
  }

  // On a phone the panel would cover the row.
  show(id) {
    const row = this.rows().find((one) => one.dataset.combatant === id);
    const [panel, place] = [$("picked").getBoundingClientRect(), row.getBoundingClientRect()];
    const isBeside = panel.left >= place.right;
    if (!isBeside && place.bottom > panel.top) scrollBy(0, place.bottom - panel.top + 8);
  }

  clear() {
    if (!this.ids.size) return;
    const inside = $("picked").contains(document.activeElement);
    this.ids.clear();
    this.fight.draw();
    if (inside) this.focusRow();
  }

  // The row that arrows start from.
  row() {
    const rows = this.rows();
    const found = rows.find((row) => row.dataset.key === this.cursor);
    // A combatant that has fallen since goes to the end. The reader stays.
    if (found?.matches(".out") && !this.wasOut) return rows[Math.min(this.place, rows.length - 1)];
    return found ?? rows.find((row) => row.matches(".current")) ?? rows[0];
  }

  focusRow(row = this.row()) {
    row?.querySelector(".name").focus();
  }

  moveTo(key) {
    if (!key || this.cursor === key) return;
    this.cursor = key;
    const rows = this.rows();
    this.place = rows.findIndex((row) => row.dataset.key === key);
    this.wasOut = rows[this.place]?.matches(".out");
    for (const row of this.rows()) row.querySelector(".name").tabIndex = row.dataset.key === key ? 0 : -1;
  }

  // Goes a row up or down; `extend` chooses the rows passed.
  step(by, extend) {
    const [rows, row] = [this.rows(), this.row()];
    if (!row) return;
    const isThere = row.contains(document.activeElement);
    const next = isThere ? rows[rows.indexOf(row) + by] ?? row : row;
    if (extend) {
      for (const one of isThere ? [row, next] : [next]) this.ids.add(one.dataset.combatant);
      this.fight.draw();
    }
    this.focusRow(next);
    next.scrollIntoView({ block: "nearest" });
  }

  // Begins to type damage or healing for what is chosen, or for the row with focus.
  beginHit(mode) {
    if (!find(this.fight.options, mode, {})) return;
    this.mode = mode;
    this.begin("amount");
  }

  // Begins to type a condition for them.
  beginCondition() {
    if (find(this.fight.options, "set_condition", {})) this.begin("condition");
  }

  // Goes to a field of the panel, for what is chosen or for the row with focus.
  begin(id) {
    const focused = document.activeElement.closest?.("#rows .row")?.dataset.combatant;
    if (!this.ids.size && focused) this.ids.add(focused);
    this.fight.draw();
    if (!$(id)) return void toast("Choose combatants first: by arrows and Space, or by the numbers of rows.");
    $(id).focus();
    $(id).select();
  }

  // The targets of a press: combatants, or those of their members that are ticked. A group among several needs no tick.
  targets(type) {
    const { encounter, options } = this.fight;
    const all = this.all();
    return all.flatMap(({ id }) => {
      const option = find(options, type, { target: id });
      if (!option) throw new Error(`${nameOf(encounter, id)}: this is not possible now.`);
      const ticked = [...$("picked").querySelectorAll("input[data-member]:checked")].filter((input) => input.dataset.target === id);
      const choice = option.choices.find(({ field }) => field === "member");
      if (choice && ticked.length) return ticked.map((input) => ({ target: id, member: input.dataset.member }));
      if (choice?.required && all.length === 1) throw new Error(`${nameOf(encounter, id)}: choose a member.`);
      return [{ target: id }];
    });
  }

  // One command for all that are hit whole, and one for each ticked member.
  commands(type, targets, values) {
    const { options } = this.fight;
    const one = (target) => command(options, type, { ...target, ...values });
    const whole = targets.filter(({ target, member }) => !member && command(options, type, { targets: [target], ...values })).map(({ target }) => target);
    if (whole.length < 2) return targets.map(one).filter(Boolean);
    const together = command(options, type, { targets: whole, ...values });
    return [together, ...targets.filter(({ member }) => member).map(one)].filter(Boolean);
  }

  // Sends what is for each target, in one request.
  async send(type, values) {
    try {
      const targets = this.targets(type);
      const make = () => this.commands(type, targets, values);
      if (!make().length) throw new Error("This is not possible now.");
      return await this.actions.apply(make);
    } catch (error) {
      toast(error.message);
      return false;
    }
  }

  async hit(type) {
    const amount = Number($("amount").value);
    if (!$("amount").value || !Number.isInteger(amount)) {
      $("amount").focus();
      return toast("Type a whole number.");
    }
    if (!(await this.send(type, { amount }))) return;
    if ($("amount")) $("amount").value = "";
    this.clear();
  }

  async addCondition() {
    const input = $("condition");
    const condition = input.value.trim().replaceAll(/\s+/g, "-");
    if (!(await this.send("set_condition", { condition }))) return;
    input.value = "";
    this.clear();
  }

  // One command for each of the chosen that a maker gives one for.
  applyToAll(make) {
    return this.actions.apply(() => this.all().map(make).filter(Boolean));
  }

  async clearCondition({ target, member, condition }) {
    const values = { target, condition, ...(member && { member }) };
    if (await this.actions.apply(() => [command(this.fight.options, "clear_condition", values)].filter(Boolean))) this.clear();
  }

  async endEffect({ effect }) {
    if (await this.actions.apply(() => [command(this.fight.options, "remove_effect", { effect_id: effect })].filter(Boolean))) this.clear();
  }

  // Hides all that players see, or else reveals all.
  async veil() {
    const hide = this.all().some(({ hidden }) => !hidden);
    const change = ({ id, hidden }) => hidden !== hide && command(this.fight.options, "update_combatant", { combatant: id, changes: { hidden: hide } });
    if (await this.applyToAll(change)) this.clear();
  }

  async defeat() {
    if (await this.send("set_condition", { condition: "defeated" })) this.clear();
  }

  remove() {
    this.applyToAll(({ id }) => command(this.fight.options, "remove_combatant", { combatant: id }));
  }

  draw() {
    const { encounter, manifest } = this.fight;
    const known = new Set(encounter.combatants.map(({ id }) => id));
    for (const id of this.ids) if (!known.has(id)) this.ids.delete(id);
    const all = this.all();
    document.body.classList.toggle("picking", all.length > 0);
    const focused = document.activeElement.closest?.("#rows .row.out");
    if (focused && focused.dataset.key === this.cursor && !this.wasOut) this.focusRow();
    $("picked").hidden = !all.length;
    redraw($("picked"), all.length ? this.view(all, encounter, manifest) : [], this.row()?.querySelector(".name"));
  }

  view(all, encounter, manifest) {
    const [one] = all.length === 1 ? all : [];
    return [
      h("div", { class: "picked-head" }, h("h2", {}, list(all.map(({ name }) => name))), one && h("span", { class: "number" }, hitPoints(one)),
        h("button", { type: "button", class: "quiet close", "data-do": "clear", "aria-label": "Clear the choice" }, "✕")),
      one && this.sheet(one),
      this.hits(all),
      this.conditions(all, one),
      one && this.effects(one, encounter),
      this.buttons(all, one),
      one && this.why(one, encounter, manifest),
      one && this.note(one),
    ];
  }

  hits(all) {
    const { options } = this.fight;
    const can = (type) => all.some(({ id }) => find(options, type, { target: id }));
    const types = [["damage", "Damage"], ["heal", "Heal"]].filter(([type]) => can(type));
    if (!types.length) return null;
    const members = all.flatMap(({ id, members }) => members.map((member) => this.member(id, member)));
    const has = (one) => hitPoints(one) || one.members.some(hitPoints);
    const submit = ([type, words]) => h("button", { value: type, class: type === this.mode ? "primary" : "", "data-key": type }, words);
    return h("form", { class: "hits", "data-key": "hits", novalidate: true },
      members.length > 0 && h("div", { class: "members", role: "group", "aria-label": "Members" }, members),
      h("div", { class: "buttons" }, h("input", { id: "amount", type: "number", inputmode: "numeric", min: 0, step: 1, "aria-label": "Hit points", placeholder: "HP", autocomplete: "off" }), types.map(submit)),
      !all.some(has) && h("p", { class: "hint" }, "Without hit points only the log keeps it."));
  }

  member(target, { id, ...rest }) {
    const input = h("input", { type: "checkbox", id: `member-${target}-${id}`, "data-target": target, "data-member": id });
    return h("span", { class: "tick", "data-key": `${target} ${id}` }, input, h("label", { for: input.id }, [id, hitPoints(rest)].filter(Boolean).join(" ")));
  }

  conditions(all, one) {
    const { options, manifest, encounter } = this.fight;
    const chip = (target, condition, member) => {
      const words = [member, conditionName(encounter, condition)].filter(Boolean).join(" ");
      if (!find(options, "clear_condition", { target, condition, ...(member && { member }) })) return h("li", { class: "condition" }, words);
      return h("li", {}, h("button", { type: "button", class: "chip", "data-do": "clearCondition", "data-target": target, "data-condition": condition, "data-member": member, "aria-label": `Remove ${words}` }, `${words} ✕`));
    };
    const chips = one ? [...one.conditions.map((name) => chip(one.id, name)), ...one.members.flatMap(({ id, conditions }) => conditions.map((name) => chip(one.id, name, id)))] : [];
    const can = all.every(({ id }) => find(options, "set_condition", { target: id }));
    if (!chips.length && !can) return null;
    const known = [...new Set(["dead", "defeated", ...conditionsOf(encounter, manifest), ...encounter.combatants.flatMap(({ conditions }) => conditions)])].sort();
    return h("form", { class: "conditions", "data-key": `conditions ${all.map(({ id }) => id)}` },
      chips.length > 0 && h("ul", { class: "tags" }, chips),
      can && h("div", { class: "buttons" }, h("input", { id: "condition", list: "known", "aria-label": "Condition", placeholder: "Condition", autocomplete: "off", autocapitalize: "off", maxlength: 40, required: true }),
        h("datalist", { id: "known" }, known.map((name) => h("option", { value: name }))), h("button", {}, "Add")));
  }

  effects(one, encounter) {
    const { options } = this.fight;
    const own = encounter.effects.filter(({ target }) => target === one.id);
    const chip = (effect) => {
      const words = [effect.name, lasting(encounter, effect)].filter(Boolean).join(", ");
      if (!find(options, "remove_effect", { effect_id: effect.id })) return h("li", {}, words);
      return h("li", {}, h("button", { type: "button", class: "chip", "data-do": "endEffect", "data-effect": effect.id, "aria-label": `End ${words}` }, `${words} ✕`));
    };
    return own.length > 0 && h("ul", { class: "tags", "data-key": "effects" }, own.map(chip));
  }

  buttons(all, one) {
    const { options } = this.fight;
    const does = (name, words) => h("button", { type: "button", class: "quiet", "data-do": name, "data-key": name }, words);
    const canVeil = all.every(({ id, hidden }) => command(options, "update_combatant", { combatant: id, changes: { hidden: !hidden } }));
    const canGo = all.every(({ id }) => command(options, "remove_combatant", { combatant: id }));
    const hide = all.some(({ hidden }) => !hidden);
    const canFall = all.every(({ id, conditions }) => !conditions.includes("defeated") && find(options, "set_condition", { target: id, condition: "defeated" }));
    const ones = [
      canFall && does("defeat", "Defeated"),
      canVeil && does("veil", hide ? "Hide" : "Reveal"),
      ...(one ? this.tools(one.id) : []),
      canGo && does("remove", "Remove"),
    ].filter(Boolean);
    return ones.length > 0 && h("div", { class: "buttons", "data-key": "tools" }, ones);
  }

  // What the options allow about a combatant: its own acts first, then the tools of the table.
  tools(id) {
    const all = [...this.actions.options].map(([key, option]) => ({ key, option }));
    const acts = all.filter(({ option }) => option.actor === id && option.group !== "tools").map((one) => button(one, ""));
    const tools = all.filter(({ option }) => option.group === "tools" && !OWN.includes(option.command.type))
      .map(({ key, option }) => ({ key, option: about(option, id, this.fight.options.$defs) })).filter(({ option }) => option);
    return [...acts, ...tools.map((one) => button(one, "quiet", shortened(one.option), { "data-about": id }))];
  }

  why(one, encounter, manifest) {
    const because = encounter.order.find((entry) => entry.combatant === one.id)?.because;
    if (!because) return null;
    const { initiative } = encounter.order.find((entry) => entry.combatant === one.id);
    const now = because.dice?.length && because.total !== undefined && initiative !== null && initiative !== because.total ? ` · now ${initiative}` : "";
    return h("details", { class: "why", "data-key": `why ${one.id}` }, h("summary", {}, "Why this place"), h("p", { class: "hint" }, `${reason(encounter, because)}${now}. ${ruleText(manifest, because.rule)}`));
  }

  // The parts of a sheet that the reader may see.
  sheet({ name, armor_class: armor, level, link }) {
    const parts = [armor !== undefined && `AC ${armor}`, level !== undefined && `Level ${level}`].filter(Boolean).join(" · ");
    if (!parts && !link) return null;
    return h("p", { class: "sheet", "data-key": "sheet" }, parts, parts && link && " · ", link && h("a", { href: link, target: "_blank", rel: "noopener noreferrer" }, `Sheet of ${name}`));
  }

  // Notes of the fight: the game master writes them, and says by "Rename or edit" who else reads them.
  note({ id, name, notes = "", notes_seen_by: readers }) {
    const words = { player: "Its player reads them too.", all: "All read them." }[readers] ?? "Only the game master reads them.";
    if (this.fight.encounter.you.role !== "gm") {
      return notes && h("details", { "data-key": `note ${id}`, open: true }, h("summary", {}, "Notes"), h("p", { class: "notes" }, notes));
    }
    const area = h("textarea", { id: "note", rows: 2, "data-note": id, maxlength: 1000 }, notes);
    // Notes that another game master or an undo has changed get a new field.
    return h("details", { "data-key": `note ${id} ${notes}`, open: Boolean(notes) }, h("summary", {}, "Notes"),
      h("label", { for: "note", class: "unseen" }, `Notes about ${name}`), area, h("p", { class: "hint" }, words));
  }

  // Writes notes once their field is left.
  write(combatant, text) {
    const { notes = "" } = this.fight.encounter.combatants.find(({ id }) => id === combatant) ?? {};
    if (text === notes) return;
    this.actions.apply(() => [{ type: "update_combatant", combatant, changes: { notes: text } }]);
  }
}
