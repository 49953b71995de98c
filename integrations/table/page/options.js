// Reads options: the values that they accept, and the commands that can be sent with them.

import { accepts, resolve } from "./fields.js";

// The fields that name the combatant that a command is about.
const ABOUT = ["target", "combatant"];

// An option with these fields decided, or undefined if it does not accept them.
export function decide(option, values, defs) {
  const accepted = ([field, value]) => {
    if (field in option.command) return option.command[field] === value;
    const choice = option.choices.find((one) => one.field === field);
    return choice !== undefined && accepts(choice.schema, value, defs);
  };
  if (!Object.entries(values).every(accepted)) return undefined;
  const choices = option.choices.filter(({ field }) => !(field in values));
  return { ...option, command: { ...option.command, ...values }, choices, complete: choices.every(({ required }) => !required) };
}

// The first option of a type that accepts these values, and leaves nothing open if it has to be complete.
export function find(options, type, values, complete = false) {
  for (const option of options?.items ?? []) {
    const decided = option.command.type === type && decide(option, values, options.$defs);
    if (decided && (decided.complete || !complete)) return decided;
  }
  return undefined;
}

export const command = (options, type, values) => find(options, type, values, true)?.command;

// An option as it is about one combatant, or undefined if it cannot be.
export function about(option, id, defs) {
  for (const field of [option.row, ...ABOUT].filter(Boolean)) {
    const decided = decide(option, { [field]: id }, defs);
    if (decided) return decided;
  }
  // What begins with the command, such as an effect, may name it within.
  const within = ({ schema }) => {
    const target = resolve(schema, defs).properties?.target;
    return target && accepts(target, id, defs);
  };
  const choice = option.choices.find(within);
  if (!choice) return undefined;
  const schema = resolve(choice.schema, defs);
  const listed = resolve(schema.properties.target, defs).oneOf?.filter((item) => item.const === id);
  if (!listed?.length) return undefined;
  const narrowed = { ...schema, properties: { ...schema.properties, target: { title: schema.properties.target.title, oneOf: listed } }, required: [...(schema.required ?? []), "target"] };
  return { ...option, choices: option.choices.map((one) => (one === choice ? { ...one, schema: narrowed } : one)) };
}

// The usual answers to what is decided: each an option, as it is about the combatant on whose row it stands if it stands on one.
export function answers({ items, $defs }, combatants) {
  const of = (option) => {
    if (!option.row) return [{ option }];
    if (option.row in option.command) return [{ option, id: option.command[option.row] }];
    return combatants.filter(({ id }) => decide(option, { [option.row]: id }, $defs)).map(({ id }) => ({ option, id }));
  };
  return items.filter(({ primary }) => primary).flatMap(of);
}

// True if an option has to name one combatant or several.
export function isAboutSome({ command, choices }) {
  return [...ABOUT, "targets"].some((field) => field in command || choices.some((choice) => choice.required && choice.field === field));
}
