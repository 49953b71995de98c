// The open choices of an option as forms of Discord, made from their JSON Schemas alone, and commands made from filled forms.

import { Refusal } from "./turnkeeper.mjs";

// What Discord takes.
const MOST_INPUTS = 5;
const MOST_VALUES = 25;
const LONGEST_LABEL = 45;
const LONGEST_NAME = 100;
const LONGEST_HINT = 100;
const LONGEST_TEXT = 4000;
// Longer texts get several lines.
const LONG = 200;

const [SELECT, INPUT, LABEL] = [3, 4, 18];

export const chunks = (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, place) => list.slice(place * size, (place + 1) * size));
export const shorten = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function resolve(schema, defs) {
  if (!schema.$ref) return schema;
  const { $ref, ...own } = schema;
  return { ...defs[$ref.split("/").at(-1)], ...own };
}

/** The values that a schema lists, or undefined. */
function listed(given, defs) {
  const schema = resolve(given ?? {}, defs);
  if (schema.type === "boolean") return [{ value: true, title: "Yes" }, { value: false, title: "No" }];
  const excluded = schema.not?.enum ?? [schema.not?.const];
  return schema.oneOf?.filter((item) => !excluded.includes(item.const)).map((item) => ({ value: item.const, title: item.title ?? String(item.const) }));
}

const isNumeric = ({ type } = {}) => type === "integer" || type === "number";

/** The words of an object whose values are numbers, such as rolls by combatant. */
function numberWords(schema, defs) {
  if (schema.properties) {
    const entries = Object.entries(schema.properties);
    const isPlain = entries.length > 0 && !schema.required?.length && entries.every(([, part]) => isNumeric(part));
    return isPlain ? entries.map(([value, part]) => ({ value, title: part.title ?? value, schema: part })) : undefined;
  }
  const part = schema.additionalProperties;
  return isNumeric(part) ? listed(schema.propertyNames, defs)?.map((word) => ({ ...word, schema: part })) : undefined;
}

/** What an item of a list of objects has: a name, and perhaps a number, such as the targets of an attack with what they lose. */
function itemShape(given, defs) {
  const { type, properties = {}, required = [] } = resolve(given, defs);
  const [name] = required;
  const others = Object.keys(properties).filter((one) => one !== name);
  const values = listed(properties[name], defs);
  const isShort = type === "object" && required.length === 1 && values?.length > 0 && others.length <= 1 && others.every((one) => isNumeric(properties[one]));
  return isShort ? { name, values, number: others[0], bounds: properties[others[0]] } : undefined;
}

/** One way to ask for nothing, if it may be left out; else no way. */
const without = (required) => (required ? [] : [[]]);

/** All combinations of a way from each list of ways. */
const combine = (lists) => lists.reduce((ways, list) => ways.flatMap((way) => list.map((more) => [...way, ...more])), [[]]);

/**
 * The ways to ask for a value: each is a list of fields, as an `anyOf` has several. A field has its `path` in the command, a
 * `title`, a `kind`, and `values` if they are listed. A field of the kind `shape` asks for nothing: it has the title of the shape that
 * its way fills. There is no way if Discord has no input for something required.
 */
function waysToAsk(given, field, defs) {
  const schema = resolve(given, defs);
  const { path, title, required } = field;
  if (schema.anyOf) {
    return schema.anyOf.flatMap((one) => {
      const shape = resolve(one, defs);
      if (!shape.title) return waysToAsk(shape, field, defs);
      return waysToAsk(shape, { ...field, title: shape.properties ? "" : title }, defs).map((way) => [{ kind: "shape", title: shape.title }, ...way]);
    });
  }
  const values = listed(schema, defs);
  if (values) {
    if (values.length === 0) return without(required);
    if (values.length === 1 && required) return [[{ ...field, kind: "fixed", values }]];
    if (values.length === 1 && values[0].value === schema.default) return [[]];
    return [[{ ...field, kind: values.length > MOST_VALUES ? "name" : "pick", values }]];
  }
  if (isNumeric(schema)) return [[{ ...field, kind: "number", schema }]];
  if (schema.type === "string") return [[{ ...field, kind: "text", schema }]];
  if (schema.type === "array") {
    const items = listed(schema.items, defs);
    if (items?.length) return [[{ ...field, kind: items.length > MOST_VALUES ? "names" : "picks", values: items, schema }]];
    if (isNumeric(resolve(schema.items, defs))) return [[{ ...field, kind: "numbers", schema }]];
    const shape = itemShape(schema.items, defs);
    return shape ? [[{ ...field, kind: "items", values: shape.values, shape }]] : without(required);
  }
  if (schema.type !== "object") return without(required);
  const words = numberWords(schema, defs);
  if (words?.length) return [[{ ...field, kind: "pairs", values: words }]];
  if (!schema.properties) return without(required);
  const parts = Object.entries(schema.properties).map(([name, part]) => {
    const own = part.title ?? name;
    const isNeeded = required && (schema.required ?? []).includes(name);
    const isNested = title && (path.length > 1 || !required);
    return waysToAsk(part, { ...field, path: [...path, name], title: isNested ? `${title}: ${own}` : own, required: isNeeded }, defs);
  });
  return combine(parts);
}

// A name of a field within a sentence: "Whose turn" is "whose turn", and "HP" stays.
const within = (title) => title.replace(/^[A-Z](?=[a-z]|$)/, (letter) => letter.toLowerCase());

/** "target, source and hidden" */
const list = (words) => (words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : words.join(""));

/** Whether a field is a yes or no. It comes after fields that name something: whom an effect is on matters more than that it is hidden. */
const isFlag = ({ values }) => values?.every(({ value }) => typeof value === "boolean") ?? false;

/** The name of a form. The first one of an option that is not complete needs no more words, the others say which fields they add. */
function nameOf({ label, complete }, shapes, page, isFirst) {
  const added = isFirst && !complete ? [] : page.map(({ title }) => within(title));
  const words = [label, ...shapes.map(({ title }) => within(title))].join(" ");
  const end = added.length > 0 ? shorten(`, with ${list(added)}`, LONGEST_NAME / 2) : "";
  return `${shorten(words, LONGEST_NAME - end.length - 1)}${end}…`;
}

/**
 * The forms of an option, each of at most five fields: every one has all required fields, and a part of the others. A form's `name`
 * tells it from all other forms, and its `about` lists its fields.
 */
export function formsOf(option, defs = {}) {
  const { choices } = option;
  const lists = choices.map(({ field, title, required, advanced = false, schema }) => waysToAsk(schema, { path: [field], title, required, advanced }, defs));
  return combine(lists).flatMap((way) => {
    const shapes = way.filter(({ kind }) => kind === "shape");
    const fixed = way.filter(({ kind }) => kind === "fixed");
    const asked = way.filter((field) => !shapes.includes(field) && !fixed.includes(field));
    const required = asked.filter((field) => field.required);
    const open = asked.filter((field) => !field.required).sort((one, other) => one.advanced - other.advanced || isFlag(one) - isFlag(other));
    const room = MOST_INPUTS - required.length;
    if (room < 0 || way.length === 0) return [];
    const pages = room > 0 && open.length > 0 ? chunks(open, room) : [[]];
    return pages.map((page, number) => {
      const fields = [...required, ...page];
      return { fixed, fields, name: nameOf(option, shapes, page, number === 0), about: fields.map(({ title }) => title).join(", ") };
    });
  });
}

const range = ({ minimum, maximum }) => `${minimum} to ${maximum}`;

function hint({ kind, schema, values, shape }) {
  const [first] = values ?? [];
  switch (kind) {
    case "number": return range(schema);
    case "numbers": return "Numbers with spaces between them";
    case "pairs": return `A name and a number from ${range(first.schema)}, such as ${first.title} ${first.schema.minimum}`;
    case "items": return shape.number ? `Names, each with ${shape.bounds.title} (${range(shape.bounds)}) or without, such as ${first.title}` : `Names, such as ${first.title}`;
    case "name": return `A name, such as ${first.title}`;
    case "names": return "Names with commas between them";
    default: return "";
  }
}

function component(field, custom_id) {
  const { kind, required, values, schema } = field;
  if (kind === "pick" || kind === "picks") {
    const options = values.map(({ value, title }) => ({ label: shorten(title, 100), value: JSON.stringify(value) }));
    const most = kind === "picks" ? { max_values: Math.min(options.length, schema.maxItems ?? options.length) } : {};
    return { type: SELECT, custom_id, required, options, ...most };
  }
  const max_length = kind === "text" ? Math.min(schema.maxLength ?? LONGEST_TEXT, LONGEST_TEXT) : LONGEST_TEXT;
  return { type: INPUT, custom_id, required, style: max_length > LONG && kind === "text" ? 2 : 1, max_length, placeholder: shorten(hint(field), LONGEST_HINT) };
}

/** The form as Discord's modal. An input's `custom_id` is the number of its field. */
export function modal(custom_id, { name, fields }) {
  const components = fields.map((field, place) => ({ type: LABEL, label: shorten(field.title, LONGEST_LABEL), component: component(field, String(place)) }));
  return { type: 9, data: { custom_id, title: shorten(name.replace(/…$/, ""), LONGEST_LABEL), components } };
}

function numberOf(text, { title, schema }) {
  const number = Number(text);
  const isWhole = schema?.type !== "number";
  if (!(isWhole ? /^[+-]?\d+$/ : /^[+-]?\d+(\.\d+)?$/).test(text.trim())) throw new Refusal(`${title}: "${shorten(text, 50)}" is not a ${isWhole ? "whole " : ""}number.${schema?.minimum === undefined ? "" : ` Use ${range(schema)}.`}`);
  return number;
}

function named(text, { title, values }) {
  const typed = text.trim().toLowerCase();
  const exact = values.filter((item) => item.title.toLowerCase() === typed);
  const found = exact.length > 0 ? exact : values.filter((item) => item.title.toLowerCase().startsWith(typed));
  if (found.length === 1) return found[0].value;
  const some = values.slice(0, MOST_VALUES).map((item) => item.title).join(", ");
  throw new Refusal(`${title}: "${shorten(text.trim(), 50)}" fits ${found.length} names. Type one of: ${some}${values.length > MOST_VALUES ? ", and others" : ""}.`);
}

const parts = (text) => text.split(/[,;\n]/).map((part) => part.trim()).filter(Boolean);

/** "Orc 3, Elf" as a list of objects. A name may end in a number itself. */
function items(text, field) {
  const { name, number } = field.shape;
  return parts(text).map((part) => {
    const isName = field.values.some(({ title }) => title.toLowerCase() === part.toLowerCase());
    const [, first, last] = (number && !isName && /^(.+?)[\s:=]+([+-]?\d+(?:\.\d+)?)$/.exec(part)) || [];
    return first ? { [name]: named(first, field), [number]: Number(last) } : { [name]: named(part, field) };
  });
}

/** "Ann 12, Orc 7" as an object. */
function pairs(text, field) {
  const entries = parts(text).map((part) => {
    const [, name, number] = /^(.+?)[\s:=]+([+-]?\d+(?:\.\d+)?)$/.exec(part) ?? [];
    if (!name) throw new Refusal(`${field.title}: "${shorten(part, 50)}" is not a name with its number. ${hint(field)}.`);
    return [named(name, field), Number(number)];
  });
  return Object.fromEntries(entries);
}

function picked(text, { title, values }) {
  const found = values.find(({ value }) => JSON.stringify(value) === text);
  if (!found) throw new Refusal(`${title}: this value is no longer possible. Press the button again.`);
  return found.value;
}

/** What was chosen or typed, or undefined if the field was left empty. */
function valueOf(field, { value = "", values = [] }) {
  if (field.kind === "pick") return values.length ? picked(values[0], field) : undefined;
  if (field.kind === "picks") return values.length ? values.map((text) => picked(text, field)) : undefined;
  if (value.trim() === "") return undefined;
  switch (field.kind) {
    case "number": return numberOf(value, field);
    case "numbers": return value.split(/[\s,;]+/).filter(Boolean).map((text) => numberOf(text, field));
    case "pairs": return pairs(value, field);
    case "name": return named(value, field);
    case "names": return parts(value).map((text) => named(text, field));
    case "items": return items(value, field);
    default: return value;
  }
}

function put(command, path, value) {
  const inner = path.slice(0, -1).reduce((object, name) => (object[name] ??= {}), command);
  inner[path.at(-1)] = value;
}

/** The command of an option with what a form says. `components` are those of a submitted modal. */
export function filled({ command, choices }, { fixed, fields }, components) {
  const whole = structuredClone(command);
  // An object that is required is there, even if none of its parts is.
  for (const { field, required, schema } of choices) if (required && schema.type === "object") whole[field] ??= {};
  for (const { path, values } of fixed) put(whole, path, values[0].value);
  const inputs = new Map(components.map(({ component: input }) => [input.custom_id, input]));
  fields.forEach((field, place) => {
    const value = valueOf(field, inputs.get(String(place)) ?? {});
    if (value !== undefined) put(whole, field.path, value);
    else if (field.required) throw new Refusal(`${field.title} is missing. Press the button again, and fill it in.`);
  });
  return whole;
}
