// Fields on the rows for dice and cards of the table.

import { resolve } from "./fields.js";
import { h } from "./view.js";

const isMap = (schema) => schema.type === "object";

// The values that a map takes for each of its keys.
function valuesOf(schema, defs) {
  if (schema.properties) return new Map(Object.entries(schema.properties));
  const keys = resolve(schema.propertyNames ?? {}, defs).oneOf ?? [];
  return new Map(keys.map((item) => [item.const, schema.additionalProperties]));
}

// The fields by the combatants on whose rows they are. One of a group or side is on the row of its first combatant.
export function physicalFields(all, encounter, defs) {
  const fields = new Map();
  for (const { key, option } of all) {
    const own = option.group === "decision" && option.actor && option.choices.find((choice) => choice.physical && !isMap(resolve(choice.schema, defs)));
    if (own && !fields.has(option.actor)) fields.set(option.actor, { key, field: own.field, title: own.title, schema: resolve(own.schema, defs) });
  }
  const byId = new Map(encounter.combatants.map((combatant) => [combatant.id, combatant]));
  const whose = encounter.order.map((entry) => byId.get(entry.combatant)).filter(Boolean);
  const holderOf = (of) => byId.get(of) ?? whose.find(({ group }) => group === of) ?? whose.find(({ side }) => side === of);
  for (const { key, option } of all.filter((one) => one.option.primary)) {
    const choice = option.choices.findLast(({ physical, schema }) => physical && isMap(resolve(schema, defs)));
    const values = choice ? valuesOf(resolve(choice.schema, defs), defs) : new Map();
    for (const [of, value] of values) {
      const holder = holderOf(of);
      const sharing = whose.filter(({ group, id }) => id !== of && group === of).length;
      const title = choice.title.replace(/s$/, "") + (sharing > 1 ? ` for ${sharing}` : "");
      if (holder && !fields.has(holder.id)) fields.set(holder.id, { key, field: choice.field, of, title, schema: resolve(value, defs) });
    }
  }
  return fields;
}

// A field on a row. `of` is the key that its value gets in the command that the large button sends; without one the value is sent once it is there.
export function physicalInput({ key, field, of, title, schema }, { id, name }) {
  const data = { "data-key": `physical ${field}`, "data-of": of, "data-field": field, "data-option": key, "data-about": id };
  const label = { class: "physical", autocomplete: "off", "aria-label": `${name}: ${title}` };
  if (schema.oneOf) return h("select", { ...data, ...label }, h("option", { value: "" }, title), schema.oneOf.map((item) => h("option", { value: item.const }, item.title ?? item.const)));
  const { minimum: min, maximum: max } = schema;
  // The faces of a die say which one it is.
  const placeholder = min === 1 && max <= 100 ? `${title} 1–${max}` : title;
  return h("input", { ...data, ...label, type: "number", min, max, step: schema.type === "integer" ? 1 : 0.01, inputmode: min >= 0 ? "numeric" : undefined, placeholder });
}

// The value of a field; undefined while it is empty. Throws if it is none.
export function physicalValue(input) {
  if (!input.checkValidity()) throw new Error(`${input.ariaLabel}: ${input.min ? `use ${input.min} to ${input.max}.` : "choose one of the list."}`);
  if (input.value === "") return undefined;
  return input.type === "number" ? Number(input.value) : input.value;
}

// The values of the fields of an option, as its command takes them. A wrong one stops the press: the server would roll instead.
export function physicalValues(rows, key) {
  const command = {};
  for (const input of rows.querySelectorAll(".physical")) {
    const value = physicalValue(input);
    const { option, field, of } = input.dataset;
    if (option !== key || value === undefined) continue;
    if (of) (command[field] ??= {})[of] = value;
    else command[field] = value;
  }
  return command;
}

// The values in the fields of rows, to give them again.
export function givenOnRows(rows) {
  return [...rows.querySelectorAll(".physical")].filter(({ value }) => value).map(({ dataset: { about, field }, value }) => ({ about, field, value }));
}

export function giveAgain(rows, all) {
  for (const input of rows.querySelectorAll(".physical")) {
    const { about, field } = input.dataset;
    input.value ||= all.find((one) => one.about === about && one.field === field)?.value ?? "";
  }
  takeOut(rows);
}

// Takes what one list has out of the others of its option: no card is dealt twice.
export function takeOut(rows) {
  const lists = [...rows.querySelectorAll("select.physical[data-of]")];
  for (const list of lists) {
    const others = new Set(lists.filter((one) => one !== list && one.dataset.option === list.dataset.option).map(({ value }) => value));
    for (const item of list.options) item.disabled = item.value !== "" && others.has(item.value);
  }
}

// Goes to the next field, or else to what `after` gives; a field that is left is sent.
export function nextPhysical(input, after) {
  const all = [...document.querySelectorAll("#rows .physical")];
  const next = all[all.indexOf(input) + 1] ?? after;
  if (next) next.focus();
  else input.blur();
}
