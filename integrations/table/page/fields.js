// A form for the choices of an option, drawn from their JSON Schemas alone. Each field gives its view and a function that reads its value;
// undefined leaves the field out. Inputs begin empty: what stands in one would be sent by whoever overlooks it, or run together with what is typed.

import { h } from "./view.js";
import { plain } from "./words.js";

// Longer texts get several lines.
const LONG = 400;

let made = 0;
const newId = () => `field-${++made}`;

// A schema with what it refers to. `not` is its own.
export function resolve(schema, defs) {
  if (!schema.$ref) return schema;
  const { $ref, ...own } = schema;
  return { ...defs?.[$ref.split("/").at(-1)], ...own };
}

const excludes = ({ not }, value) => not !== undefined && (not.const === value || (not.enum ?? []).includes(value));

const isNumeric = ({ type }) => type === "integer" || type === "number";

function isWithin(value, { type, minimum = -Infinity, maximum = Infinity }) {
  return (type === "integer" ? Number.isInteger(value) : Number.isFinite(value)) && value >= minimum && value <= maximum;
}

// Whether a schema accepts a value. Missing fields of an object count as still to come.
export function accepts(given, value, defs) {
  const schema = resolve(given, defs);
  if (excludes(schema, value)) return false;
  if (schema.oneOf) return schema.oneOf.some((item) => item.const === value);
  if (schema.anyOf) return schema.anyOf.some((shape) => accepts(shape, value, defs));
  switch (schema.type) {
    case "boolean": return typeof value === "boolean";
    case "integer": case "number": return isWithin(value, schema);
    case "string": return typeof value === "string" && value.length <= (schema.maxLength ?? Infinity) && !misfit(schema, value);
    case "array": return Array.isArray(value) && value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Infinity) && value.every((item) => accepts(schema.items, item, defs));
    case "object": return Object.entries(value).every(([field, part]) => schema.properties?.[field] && accepts(schema.properties[field], part, defs));
    default: return false;
  }
}

// The values that a schema lists, each with its title. Equal titles show the value too.
function listed(schema) {
  const items = schema.oneOf.filter((item) => !excludes(schema, item.const)).map((item) => ({ value: item.const, name: item.title ?? valueName(item.const) }));
  const isTwice = ({ name }) => items.filter((item) => item.name === name).length > 1;
  return items.map((item) => (isTwice(item) ? { ...item, name: `${item.name} (${item.value})` } : item));
}

function valueName(value) {
  if (value === true) return "Yes";
  if (value === false) return "No";
  return String(value);
}

function labelled(label, input, hint) {
  input.id ||= newId();
  const about = hint && h("p", { class: "hint", id: `${input.id}-hint` }, hint);
  if (about) input.setAttribute("aria-describedby", about.id);
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input, about);
}

// A set of inputs under one heading.
const grouped = (label, parts, hint) => h("fieldset", {}, h("legend", {}, label), hint && h("p", { class: "hint" }, hint), parts);

// Only a required value without an alternative is chosen from the start.
function select(items, label, required) {
  const none = h("option", { value: "" }, required ? "Choose …" : "—");
  const options = items.map(({ name }, place) => h("option", { value: place }, name));
  const input = h("select", { required }, required && items.length === 1 ? null : none, options);
  return { input, view: labelled(label, input), read: () => (input.value === "" ? undefined : items[Number(input.value)].value) };
}

function tick(label) {
  const input = h("input", { type: "checkbox", id: newId() });
  return { view: h("div", { class: "tick" }, input, h("label", { for: input.id }, label)), read: () => input.checked };
}

// A flag that may be left out has three states: left out is not always false.
function flag(label, required) {
  if (required) return tick(label);
  return select([{ value: true, name: "Yes" }, { value: false, name: "No" }], label, false);
}

function bounds(schema) {
  const { minimum: min, maximum: max } = schema;
  return isNumeric(schema) && max - min < 10_000 ? `${min} to ${max}` : "";
}

function number(schema, label, required, hint = bounds(schema)) {
  const { type, minimum: min, maximum: max } = schema;
  // The numeric keyboard of some phones has no minus sign.
  const inputmode = min >= 0 ? "numeric" : undefined;
  const placeholder = schema.default === undefined ? undefined : String(schema.default);
  const input = h("input", { type: "number", step: type === "integer" ? 1 : 0.01, min, max, inputmode, required, placeholder });
  return { view: labelled(label, input, hint), read: () => (input.value.trim() === "" ? undefined : Number(input.value)) };
}

function misfit(schema, text) {
  if (schema.pattern && !new RegExp(schema.pattern, "u").test(text)) return "These characters are not possible here.";
  if (excludes(schema, text)) return `"${text}" is not possible here.`;
  return "";
}

function text(schema, label, required) {
  const { maxLength: maxlength } = schema;
  const input = maxlength > LONG ? h("textarea", { rows: 3, maxlength, required }) : h("input", { type: "text", autocomplete: "off", maxlength, required });
  input.addEventListener("input", () => input.setCustomValidity(input.value && misfit(schema, input.value)));
  return { view: labelled(label, input), read: () => (input.value === "" ? undefined : input.value) };
}

// Reads a list: nothing is left out if it may be, and a wrong number of items is refused.
function counted({ minItems: least = 0, maxItems: most = Infinity }, label, required, values) {
  if (!values.length && !required) return undefined;
  if (values.length < least) throw new Error(`${label}: choose at least ${least}.`);
  if (values.length > most) throw new Error(`${label}: choose at most ${most}.`);
  return values;
}

function ticks(schema, items, label, required) {
  const all = items.map(({ value, name }) => ({ value, ...tick(name) }));
  const chosen = () => all.filter(({ read }) => read()).map(({ value }) => value);
  return { view: grouped(label, all.map(({ view }) => view)), read: () => counted(schema, label, required, chosen()) };
}

function numbers(schema, item, label, required) {
  const { minimum: min, maximum: max } = item;
  const input = h("input", { type: "text", autocomplete: "off", required });
  const read = () => {
    const values = input.value.split(/[\s,;]+/).filter(Boolean).map(Number);
    if (!values.every((value) => Number.isInteger(value) && value >= min && value <= max)) throw new Error(`${label}: use whole numbers from ${min} to ${max}.`);
    return counted(schema, label, required, values);
  };
  return { view: labelled(label, input, `Numbers from ${min} to ${max}, with spaces between them`), read };
}

// Forms for as many items as there are, one at first.
function several(label, most, make) {
  const items = [];
  const place = h("div", { class: "items" });
  const more = h("button", { type: "button", class: "quiet" }, "Add another");
  const add = () => {
    const item = make(items.length + 1);
    items.push(item);
    place.append(item.view);
    more.hidden = items.length >= most;
    return item;
  };
  more.addEventListener("click", () => add().view.querySelector("input, select, textarea")?.focus());
  add();
  return { view: grouped(label, [place, more]), read: () => items.map(({ read }) => read()).filter((value) => value !== undefined) };
}

function array(schema, label, required, defs) {
  const item = resolve(schema.items, defs);
  const { minItems: least = 0, maxItems: most = Infinity } = schema;
  if (most === 1) {
    const { view, read } = draw(item, label, required && least > 0, defs);
    return { view, read: () => counted(schema, label, required, [read()].filter((value) => value !== undefined)) };
  }
  if (item.oneOf && schema.uniqueItems) return ticks(schema, listed(item), label, required);
  if (item.type === "integer") return numbers(schema, item, label, required);
  const { view, read } = several(label, most, (place) => draw(item, `${label} ${place}`, false, defs));
  return { view, read: () => counted(schema, label, required, read()) };
}

// An object is there if one of its fields is; then none that it needs may be missing.
function object(schema, label, required, defs) {
  const needed = schema.required ?? [];
  const fields = [...needed, ...Object.keys(schema.properties).filter((field) => !needed.includes(field))];
  const parts = fields.map((field) => {
    const part = schema.properties[field];
    const title = part.title ?? plain(field);
    return { field, title, ...draw(part, title, required && needed.includes(field), defs) };
  });
  const read = () => {
    const filled = {};
    for (const { field, read } of parts) {
      const value = read();
      if (value !== undefined) filled[field] = value;
    }
    const count = Object.keys(filled).length;
    if (!required && !count) return undefined;
    if (count < (schema.minProperties ?? 0)) throw new Error(`${label}: fill in a field.`);
    const missing = parts.find(({ field }) => needed.includes(field) && filled[field] === undefined);
    if (missing) throw new Error(`${label}: ${missing.title} is missing.`);
    return filled;
  };
  return { view: grouped(label, parts.map(({ view }) => view)), read };
}

// An object with a value for each key: a row for each key that is listed, else pairs of texts.
function map(schema, label, required, defs) {
  const most = schema.maxProperties ?? Infinity;
  const keys = resolve(schema.propertyNames ?? {}, defs);
  const values = resolve(schema.additionalProperties, defs);
  const finish = (entries) => {
    if (!entries.length && !required) return undefined;
    if (entries.length > most) throw new Error(`${label}: fill in at most ${most}.`);
    return Object.fromEntries(entries);
  };
  if (!keys.oneOf) {
    const pair = { type: "object", properties: { name: { type: "string", ...keys }, value: values }, required: ["name", "value"] };
    const { view, read } = several(label, most, (place) => draw(pair, `${label} ${place}`, false, defs));
    return { view, read: () => finish(read().map(({ name, value }) => [name, value])) };
  }
  const rows = listed(keys).map(({ value, name }) => ({ key: value, ...(isNumeric(values) ? number(values, name, false, "") : draw(values, name, false, defs)) }));
  const limit = most < rows.length ? `At most ${most}` : "";
  const hint = [bounds(values), limit].filter(Boolean).join(". ");
  const read = () => finish(rows.map(({ key, read }) => [key, read()]).filter(([, value]) => value !== undefined));
  return { view: grouped(label, rows.map(({ view }) => view), hint), read };
}

// The required fields of an object that have only one value: they tell one shape from another.
function constants({ properties = {}, required = [] }) {
  return required.filter((field) => properties[field].oneOf?.length === 1).map((field) => [field, properties[field].oneOf[0]]);
}

const TYPES = { integer: "A number", number: "A number", string: "Text", boolean: "Yes or no", array: "A list", object: "Details" };

function shapeName(shape) {
  const titles = constants(shape).map(([, item]) => item.title ?? valueName(item.const));
  return shape.title ?? (titles.join(", ") || (shape.oneOf ? "One of a list" : TYPES[shape.type]));
}

// Shapes of one field each, all different, as one object: some of its fields are filled in.
function someOf(all) {
  const fields = all.flatMap(({ properties = {} }) => Object.keys(properties));
  const single = all.every(({ properties = {} }) => Object.keys(properties).length === 1);
  if (!single || new Set(fields).size < all.length) return undefined;
  return { type: "object", properties: Object.assign({}, ...all.map(({ properties }) => properties)), minProperties: 1 };
}

// One of several shapes: the fields of the chosen one follow.
function shapes(schema, label, required, defs) {
  const all = schema.anyOf.map((shape) => resolve(shape, defs));
  const some = someOf(all);
  if (some) return object(some, label, required, defs);
  const choice = select(all.map((shape) => ({ value: shape, name: shapeName(shape) })), label, required);
  const place = h("div", {});
  let inner;
  const show = () => {
    const shape = choice.read();
    inner = shape && shaped(shape, shapeName(shape), defs);
    place.replaceChildren(...(inner?.view ? [inner.view] : []));
  };
  choice.input.addEventListener("change", show);
  show();
  return { view: h("div", { class: "shape" }, choice.view, place), read: () => inner?.read() };
}

// A shape without its constants.
function shaped(shape, label, defs) {
  if (!shape.properties) return draw(shape, label, true, defs);
  const fixed = Object.fromEntries(constants(shape).map(([field, item]) => [field, item.const]));
  const open = Object.entries(shape.properties).filter(([field]) => !(field in fixed));
  if (!open.length) return { view: null, read: () => fixed };
  const required = shape.required.filter((field) => !(field in fixed));
  const { view, read } = object({ ...shape, properties: Object.fromEntries(open), required }, label, true, defs);
  return { view, read: () => ({ ...fixed, ...read() }) };
}

function draw(given, label, required, defs) {
  const schema = resolve(given, defs);
  if (schema.oneOf) return select(listed(schema), label, required);
  if (schema.anyOf) return shapes(schema, label, required, defs);
  switch (schema.type) {
    case "boolean": return flag(label, required);
    case "integer": case "number": return number(schema, label, required);
    case "array": return array(schema, label, required, defs);
    case "object": return (schema.properties ? object : map)(schema, label, required, defs);
    default: return text(schema, label, required);
  }
}

// A field for a choice.
export const field = ({ schema, title, required }, defs) => draw(schema, title, required, defs);
