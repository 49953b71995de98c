// Draws a form for the JSON Schema of a choice, and reads it back. An input is named by its path, such as `attacked.0.combatant`.
import { text, type Options } from "./types.js";

/** The parts of JSON Schema that choices have. */
export interface Schema {
  type?: string;
  title?: string;
  $ref?: string;
  oneOf?: Listed[];
  anyOf?: Schema[];
  not?: { const?: unknown; enum?: unknown[] };
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  propertyNames?: Schema;
  additionalProperties?: Schema | false;
}
interface Listed {
  const: unknown;
  title?: string;
}
type Defs = Options["$defs"];

export const words = (field: string): string => field.charAt(0).toUpperCase() + field.slice(1).replaceAll("_", " ");

/** The schema with what its reference leads to. */
function resolved(schema: Schema, defs: Defs): Schema {
  const name = schema.$ref?.split("/").pop();
  return name === undefined ? schema : { ...(defs?.[name] as Schema), ...schema };
}

/** The values of a schema that lists them. */
function values({ type, oneOf, not }: Schema): Listed[] | undefined {
  if (type === "boolean") return [{ const: true, title: text("Yes") }, { const: false, title: text("No") }];
  return oneOf?.filter((value) => value.const !== not?.const && !not?.enum?.includes(value.const));
}

/** A field with its title. Undefined if it cannot be drawn: an object with keys that nothing lists. */
export function draw(name: string, title: string, schema: Schema, required: boolean, defs: Defs): HTMLElement | undefined {
  const known = resolved(schema, defs);
  const listed = values(known);
  if (listed) return labelled(title, select(name, listed, required, false));
  if (known.anyOf) return shapes(name, title, known.anyOf, required, defs);
  if (known.type === "array") return list(name, title, known, required, defs);
  if (known.properties) return group(title, properties(name, known, required, defs));
  if (known.type === "object") {
    const keys = values(resolved(known.propertyNames ?? {}, defs));
    return keys && group(title, keys.map((key) => draw(`${name}.${String(key.const)}`, key.title ?? String(key.const), known.additionalProperties || {}, false, defs)));
  }
  return labelled(title, typed(name, known, required));
}

function properties(name: string, schema: Schema, required: boolean, defs: Defs): (HTMLElement | undefined)[] {
  return Object.entries(schema.properties ?? {}).map(([field, property]) =>
    draw(`${name}.${field}`, property.title ?? words(field), property, required && (schema.required ?? []).includes(field), defs));
}

function labelled(title: string, input: HTMLElement): HTMLElement {
  const group = document.createElement("div");
  group.className = "form-group";
  const label = document.createElement("label");
  label.textContent = title;
  label.append(" ", input);
  group.append(label);
  return group;
}

export function group(title: string, parts: (HTMLElement | undefined)[]): HTMLFieldSetElement {
  const set = document.createElement("fieldset");
  const legend = document.createElement("legend");
  legend.textContent = title;
  set.append(legend, ...parts.filter((part) => part !== undefined));
  return set;
}

/** Nothing is chosen from the start but a required value without an alternative. */
function select(name: string, listed: Listed[], required: boolean, several: boolean): HTMLSelectElement {
  const input = document.createElement("select");
  const option = (value: string, label: string) => {
    const made = document.createElement("option");
    made.setAttribute("value", value);
    made.textContent = label;
    input.append(made);
  };
  if (!several && (!required || listed.length > 1)) option("", "-");
  listed.forEach((value, index) => option(String(index), value.title ?? String(value.const)));
  input.setAttribute("name", name);
  input.toggleAttribute("multiple", several);
  input.toggleAttribute("required", required && !several);
  return input;
}

const isNumeric = (type?: string) => type === "integer" || type === "number";

/** An empty input: what stands in one would run together with what is typed. */
function typed(name: string, { type, minimum, maximum, maxLength }: Schema, required: boolean): HTMLInputElement {
  const input = document.createElement("input");
  input.setAttribute("name", name);
  input.setAttribute("type", isNumeric(type) ? "number" : "text");
  if (type === "number") input.setAttribute("step", "0.01");
  if (minimum !== undefined) input.setAttribute("min", String(minimum));
  if (maximum !== undefined) input.setAttribute("max", String(maximum));
  if (maxLength !== undefined) input.setAttribute("maxlength", String(maxLength));
  input.toggleAttribute("required", required);
  return input;
}

/** A list: values to mark, numbers in one line, or the first item. The lists of objects that choices have take one. */
function list(name: string, title: string, { items = {} }: Schema, required: boolean, defs: Defs): HTMLElement {
  const item = resolved(items, defs);
  const listed = values(item);
  if (listed) return labelled(title, select(name, listed, required, true));
  if (item.type === "integer") {
    const input = typed(name, {}, required);
    input.setAttribute("placeholder", `${item.minimum} ${item.maximum}`);
    input.setAttribute("pattern", "\\s*-?\\d+([\\s,]+-?\\d+)*\\s*");
    return labelled(title, input);
  }
  return group(title, [draw(`${name}.0`, "", item, required, defs)]);
}

/** A value of one of several shapes: the one that is chosen can be filled in. */
function shapes(name: string, title: string, all: Schema[], required: boolean, defs: Defs): HTMLElement {
  const titles = all.map((shape, index) => ({ const: index, title: shapeTitle(resolved(shape, defs), defs) }));
  const choice = select(name, titles, required, false);
  const parts = all.map((shape, index) => {
    const part = group(titles[index]!.title, [draw(`${name}.${index}`, "", shape, true, defs)]);
    const show = () => {
      const chosen = choice.value === String(index);
      part.toggleAttribute("disabled", !chosen);
      part.toggleAttribute("hidden", !chosen);
    };
    choice.addEventListener("change", show);
    show();
    return part;
  });
  return group(title, [labelled("", choice), ...parts]);
}

/** A shape without a title is called by its property that can have one value only, else by its properties. */
function shapeTitle({ title, properties = {}, type = "" }: Schema, defs: Defs): string {
  if (title !== undefined) return title;
  for (const property of Object.values(properties)) {
    const listed = values(resolved(property, defs)) ?? [];
    if (listed.length === 1) return listed[0]!.title ?? String(listed[0]!.const);
  }
  return Object.keys(properties).map(words).join(", ") || words(type);
}

/** The value of a field. Undefined if nothing is filled in. */
export function read(name: string, schema: Schema, form: HTMLFormElement, defs: Defs): unknown {
  const known = resolved(schema, defs);
  const listed = values(known);
  if (listed) return chosen(name, form).map((index) => listed[index]!.const)[0];
  if (known.anyOf) {
    const [index] = chosen(name, form);
    return index === undefined ? undefined : read(`${name}.${index}`, known.anyOf[index]!, form, defs);
  }
  if (known.type === "array") return readList(name, resolved(known.items ?? {}, defs), form, defs);
  if (known.type === "object") {
    const keys = values(resolved(known.propertyNames ?? {}, defs))?.map((key) => String(key.const)) ?? [];
    const fields = known.properties ? Object.entries(known.properties) : keys.map((key) => [key, known.additionalProperties || {}] as const);
    const filled = fields.map(([field, property]) => [field, read(`${name}.${field}`, property, form, defs)] as const).filter(([, value]) => value !== undefined);
    return filled.length > 0 ? Object.fromEntries(filled) : undefined;
  }
  const written = input(name, form)?.value ?? "";
  if (written === "") return undefined;
  return isNumeric(known.type) ? Number(written) : written;
}

function readList(name: string, item: Schema, form: HTMLFormElement, defs: Defs): unknown[] | undefined {
  const listed = values(item);
  const found: unknown[] = [];
  if (listed) found.push(...chosen(name, form).map((index) => listed[index]!.const));
  else if (item.type === "integer") found.push(...(input(name, form)?.value.match(/-?\d+/g) ?? []).map(Number));
  else found.push(read(`${name}.0`, item, form, defs));
  const filled = found.filter((value) => value !== undefined);
  return filled.length > 0 ? filled : undefined;
}

const input = (name: string, form: HTMLFormElement) => form.elements.namedItem(name) as HTMLInputElement | null;

/** The numbers of the values that are chosen. */
function chosen(name: string, form: HTMLFormElement): number[] {
  const list = form.elements.namedItem(name) as HTMLSelectElement | null;
  return [...(list?.selectedOptions ?? [])].map(({ value }) => value).filter((value) => value !== "").map(Number);
}
