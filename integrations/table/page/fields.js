// A small form for the choices of an option. Each field gives a label, its input, and a function that reads the value.
// Inputs begin empty: what stands in one would be sent by whoever overlooks it, or run together with what is typed.

import { h } from "./view.js";
import { plain } from "./words.js";

let made = 0;

function labelled(label, input, hint) {
  input.id ||= `field-${++made}`;
  const about = hint && h("p", { class: "hint", id: `${input.id}-hint` }, hint);
  if (about) input.setAttribute("aria-describedby", about.id);
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input, about);
}

// A set of inputs under one heading.
const grouped = (label, parts, hint) => h("fieldset", {}, h("legend", {}, label), hint && h("p", { class: "hint" }, hint), parts);

const text = (more = {}) => h("input", { type: "text", autocomplete: "off", ...more });
const number = (more = {}) => h("input", { type: "number", step: 1, inputmode: "numeric", ...more });
const whole = (input) => (input.value.trim() === "" ? undefined : Number(input.value));

// Only a required value without an alternative is chosen from the start.
function choose(values, required, name) {
  const options = values.map((value, i) => h("option", { value: i }, name(value)));
  const none = h("option", { value: "" }, required ? "Choose …" : "—");
  const input = h("select", { required }, required && values.length === 1 ? null : none, options);
  return { input, read: () => (input.value === "" ? undefined : values[Number(input.value)]) };
}

// What a value is called: a combatant or effect by its name, everything else by itself.
function namer(encounter, values) {
  const named = (value) => {
    if (value === true) return "Yes";
    if (value === false) return "No";
    const effect = encounter.effects.find(({ id }) => id === value);
    const combatant = encounter.combatants.find(({ id }) => id === value);
    return combatant?.name ?? effect?.name ?? (typeof value === "string" ? value.replaceAll("_", " ") : JSON.stringify(value));
  };
  const names = values.map(named);
  return (value) => (names.filter((name) => name === named(value)).length > 1 ? `${named(value)} (${value})` : named(value));
}

const tick = (label) => {
  const input = h("input", { type: "checkbox", id: `field-${++made}` });
  return { input, view: h("div", { class: "tick" }, input, h("label", { for: input.id }, label)) };
};

function ticks(label, items) {
  const all = items.map(({ value, name }) => ({ value, ...tick(name) }));
  const read = () => {
    const chosen = all.filter(({ input }) => input.checked).map(({ value }) => value);
    return chosen.length ? chosen : undefined;
  };
  return { view: grouped(label, all.map(({ view }) => view)), read };
}

const present = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function hitPoints() {
  const [current, most] = [number({ min: 0 }), number({ min: 0 })];
  const view = [labelled("Hit points", current), labelled("Of at most", most)];
  return { view, read: () => (whole(current) === undefined ? undefined : present({ current: whole(current), max: whole(most) })) };
}

// A combatant that joins, or what changes of one.
function combatant(encounter, joins) {
  const name = text({ maxlength: 80, required: joins });
  const side = text({ maxlength: 40, list: "sides", required: joins });
  const sides = h("datalist", { id: "sides" }, [...new Set(encounter.combatants.map((c) => c.side))].map((value) => h("option", { value })));
  const hp = hitPoints();
  const hidden = choose([true, false], false, (value) => (value ? "Hidden from players" : "Seen by all"));
  const view = [labelled("Name", name), labelled("Side", side), sides, hp.view, labelled("Sight", hidden.input)];
  const read = () => present({ name: name.value || undefined, side: side.value || undefined, hp: hp.read(), hidden: hidden.read() });
  return { view: grouped(joins ? "Combatant" : "Changes", view, joins ? "" : "What you leave empty stays."), read };
}

function effect(encounter) {
  const name = text({ maxlength: 80, required: true });
  const ids = encounter.combatants.map(({ id }) => id);
  const named = namer(encounter, ids);
  const { role, combatants } = encounter.you;
  const target = choose(ids, false, named);
  // A player's effect comes from one of the player's own.
  const source = role === "player" ? choose(ids.filter((id) => combatants.includes(id)), true, named) : choose(ids, false, named);
  const ends = { round_end: "After rounds", turn_start: "At the start of turns", turn_end: "At the end of turns", encounter_end: "With the fight", removed: "When it is removed" };
  const at = choose(Object.keys(ends), true, (key) => ends[key]);
  const many = number({ min: 1, max: 10000 });
  const hidden = tick("Hidden from players");
  const expires = () => present({ at: at.read(), rounds: at.read() === "round_end" ? whole(many) ?? 1 : undefined, turns: at.read().startsWith("turn_") ? whole(many) : undefined });
  const read = () => present({ name: name.value, target: target.read(), source: source.read(), expires: expires(), hidden: hidden.input.checked || undefined });
  const view = [labelled("Name", name), labelled("On", target.input), labelled("By", source.input), labelled("Ends", at.input), labelled("How many", many, "Rounds or turns. Empty is 1."), role === "player" ? null : hidden.view];
  return { view: grouped("Effect", view), read };
}

const integers = (words) => words.split(/[\s,;]+/).filter(Boolean).map(Number);

// What was typed for one combatant: a number, a list of numbers, or a word such as a card.
function typed(shape, words) {
  if (/to a list of/.test(shape)) return integers(words);
  return /^-?\d+$/.test(words) ? Number(words) : words;
}

// Dice, cards and the like: an object with a value for each combatant, or for each group or side where the shape names them.
function byCombatant(encounter, label, shape, field) {
  const { combatants } = encounter;
  const keys = combatants.filter((c) => c.active !== false).map(({ id, name }) => ({ id, name }));
  const also = (word, of) => (shape.split(" to ")[0].includes(word) ? [...new Set(combatants.map(of).filter(Boolean))].map((id) => ({ id, name: id })) : []);
  const others = [...also("group", (c) => c.group), ...also("crowd", (c) => c.crowd ?? c.group), ...also("side", (c) => c.side)];
  const rows = [...keys, ...others].map(({ id, name }) => ({ id, input: text(), name }));
  const value = field === "joins" ? (words) => ({ successes: Number(words) }) : (words) => typed(shape, words);
  const read = () => {
    const filled = rows.filter(({ input }) => input.value.trim()).map(({ id, input }) => [id, value(input.value.trim())]);
    return filled.length ? Object.fromEntries(filled) : undefined;
  };
  const hint = field === "joins" ? "Successes. The server rolls for those that you leave empty." : `${plain(shape)}. The server rolls what you leave empty.`;
  return { view: grouped(label, rows.map(({ name, input }) => labelled(name, input)), hint), read };
}

// The targets of an attack, each with what it loses.
function targets(encounter, label, actor) {
  const rows = encounter.combatants.filter(({ id }) => id !== actor).map(({ id, name }) => ({ id, ...tick(name), loses: number({ min: 0, max: 40 }), name }));
  const read = () => {
    const hit = rows.filter(({ input, loses }) => input.checked || loses.value !== "");
    return hit.length ? hit.map(({ id, loses }) => present({ combatant: id, loses: whole(loses) })) : undefined;
  };
  return { view: grouped(label, rows.map(({ view, name, loses }) => h("div", { class: "side-by-side" }, view, labelled(`${name} loses`, loses)))), read };
}

function json(label, example, shape, required) {
  const input = h("textarea", { rows: 3, spellcheck: "false", required });
  const read = () => {
    if (!input.value.trim()) return undefined;
    try {
      return JSON.parse(input.value);
    } catch {
      throw new Error(`${label} is no JSON.`);
    }
  };
  return { view: labelled(label, input, hint(`${shape}, as JSON`, example && JSON.stringify(example))), read };
}

const hint = (shape, example) => `${plain(shape)}${example ? `, such as: ${example}` : "."}`;

function like(encounter, { field, like: shape, required }, command) {
  const [label, example] = [plain(field), command[field]];
  if (field === "combatant") return combatant(encounter, true);
  if (field === "changes") return combatant(encounter, false);
  if (field === "effect") return effect(encounter);
  if (field === "targets") return targets(encounter, label, command.combatant);
  if (/^an object from /.test(shape)) return byCombatant(encounter, label, shape, field);
  const items = encounter.combatants.filter(({ id }) => id !== command.combatant).map(({ id, name }) => ({ value: id, name }));
  if (/^a list of (combatants|(the )?others)/.test(shape)) return ticks(label, items);
  if (/^a list of sides/.test(shape)) return ticks(label, [...new Set(encounter.combatants.map((c) => c.side))].map((value) => ({ value, name: value })));
  if (/^(the faces|a list of d)/.test(shape)) {
    const input = text();
    return { view: labelled(label, input, plain(shape)), read: () => (input.value.trim() ? integers(input.value) : undefined) };
  }
  if (typeof example === "object" || /^(an object|a list|at most 16 texts)/.test(shape)) return json(label, example, shape, required);
  const input = field === "text" ? h("textarea", { rows: 3, required, maxlength: 2000 }) : text({ required });
  return { view: labelled(label, input, field === "text" ? plain(shape) : hint(shape, example)), read: () => (input.value === "" && !required ? undefined : input.value) };
}

// A field for a choice: its view, and a function that reads its value; undefined leaves the field out.
export function field(encounter, option, lists, choice) {
  const { field: name, required, one_of: values, range, from } = choice;
  const label = plain(name);
  if (range) {
    const input = number({ min: range.min, max: range.max, required });
    return { view: labelled(label, input, range.max - range.min < 10_000 ? `${range.min} to ${range.max}` : ""), read: () => whole(input) };
  }
  const listed = from ? (lists[from.list] ?? []).filter((value) => !from.except?.includes(value)) : values;
  if (listed) {
    const { input, read } = choose(listed, required, namer(encounter, listed));
    return { view: labelled(label, input), read };
  }
  return like(encounter, choice, option.command);
}
