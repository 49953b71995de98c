// The options of the ruleset, and the paths of its stats, as fields of what the server publishes of the ruleset.
import { draw, group, read, words, type Schema } from "./form.js";
import { json, parsed, server } from "./settings.js";
import { ID, text } from "./types.js";

interface Property extends Schema {
  enum?: unknown[];
  description?: string;
}
interface Manifest {
  options: { properties: Record<string, Property> };
  combatant: { properties: Record<string, Property> };
  presets?: { id: string; plays: string; definition: { numbers?: Record<string, unknown> } }[];
}
/** A field of the dialog: the key of its value, and the name of its input. */
interface Field {
  key: string;
  name: string;
  title: string;
  schema: Schema;
  hint: string;
}

/** What Foundry itself knows of a combatant, and what readers may see: no path leads to it. */
const KNOWN = ["id", "name", "side", "kind", "hidden", "hp", "members", "conditions", "controller", "metadata", "mention", "notes", "link"];
const SIMPLE = ["boolean", "integer", "number"];

/** The menu of the settings: Foundry wants a class of an application, and this one opens a dialog. */
export function rulesMenu() {
  return class RulesMenu extends foundry.applications.api.ApplicationV2 {
    override async render(): Promise<this> {
      await edit().catch((error: Error) => ui.notifications?.error(error.message));
      return this;
    }
  };
}

/** A property as `form.ts` draws it. */
function drawable({ enum: values, ...schema }: Property, titles: (value: unknown) => string): Schema {
  return values ? { oneOf: values.map((value) => ({ const: value, title: titles(value) })) } : schema;
}

/** The options that have a field; the others stay in the line of JSON. */
function optionFields({ options, presets }: Manifest): Field[] {
  const titles = (value: unknown) => presets?.find(({ id }) => id === value)?.plays ?? words(String(value));
  const simple = Object.entries(options.properties).filter(([, { enum: values, type }]) => values || SIMPLE.includes(type ?? ""));
  return simple.map(([key, property]) => ({ key, name: `options.${key}`, title: words(key), schema: drawable(property, titles), hint: property.description ?? "" }));
}

/** A path for each stat; for each number of the preset's definition, if the ruleset has definitions. */
function statFields({ combatant, presets }: Manifest, options: Record<string, unknown>): Field[] {
  const path = (key: string, hint = ""): Field => ({ key, name: `stats.${key}`, title: words(key.replace("numbers.", "")), schema: { type: "string", maxLength: 200 }, hint });
  const all = Object.entries(combatant.properties).filter(([name]) => !KNOWN.includes(name) && !name.endsWith("_seen_by"));
  return all.flatMap(([name, { description }]) => {
    if (name !== "numbers") return [path(name, description)];
    const numbers = presets?.find(({ id }) => id === options["preset"])?.definition.numbers ?? {};
    return Object.keys(numbers).map((number) => path(`numbers.${number}`));
  });
}

/** Puts a value into the inputs of a field. */
function show({ name, schema }: Field, value: unknown, content: HTMLElement): void {
  const input = content.querySelector(`[name="${name}"]`);
  if (value === undefined || !input) return;
  const listed = schema.type === "boolean" ? [true, false] : schema.oneOf?.map((one) => one.const);
  if (listed) input.querySelector(`option[value="${listed.indexOf(value)}"]`)?.setAttribute("selected", "");
  else input.setAttribute("value", String(value));
}

function section(title: string, fields: Field[], values: Record<string, unknown>): HTMLElement {
  const set = group(title, fields.flatMap((field) => {
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = field.hint;
    return [draw(field.name, field.title, field.schema, false, {}), hint];
  }));
  for (const field of fields) show(field, values[field.key], set);
  return set;
}

/** The values that have no field. */
function rest(values: Record<string, unknown>, fields: Field[]): Record<string, unknown> {
  const drawn = fields.map(({ key }) => key);
  return Object.fromEntries(Object.entries(values).filter(([key]) => !drawn.includes(key)));
}

async function manifest(ruleset: string): Promise<Manifest> {
  const answer = await fetch(`${server()}/v1/rulesets/${encodeURIComponent(ruleset)}`).catch(() => undefined);
  if (!answer?.ok) throw new Error(text("ServerSilent", { server: server() }));
  return (await answer.json()) as Manifest;
}

async function edit(): Promise<void> {
  const ruleset = game.settings.get(ID, "ruleset");
  if (!server() || !ruleset) return void ui.notifications?.warn(text("Rules.First"));
  const published = await manifest(ruleset);
  const [options, stats] = [json("options"), json("stats")];
  const fields = { options: optionFields(published), stats: statFields(published, options) };
  const other: Field = { key: "other", name: "other", title: text("Rules.Other"), schema: { type: "string" }, hint: text("Rules.OtherHint") };
  const left = rest(options, fields.options);
  const content = document.createElement("div");
  content.append(
    section(text("Rules.Options"), [...fields.options, other], { ...options, other: Object.keys(left).length > 0 ? JSON.stringify(left) : undefined }),
    section(text("Rules.Stats"), fields.stats, stats),
  );
  const taken = (_event: unknown, button: { form: HTMLFormElement | null }) => {
    const form = button.form!;
    const values = (all: Field[]) => Object.fromEntries(all.map(({ key, name, schema }) => [key, read(name, schema, form, {})]).filter(([, value]) => value !== undefined));
    return JSON.stringify({ options: values(fields.options), stats: values(fields.stats), other: read(other.name, other.schema, form, {}) ?? "" });
  };
  const answer: unknown = await foundry.applications.api.DialogV2.wait({
    window: { title: text("Rules.Label") }, content, rejectClose: false,
    buttons: [{ action: "ok", label: text("Rules.Save"), default: true, callback: taken }, { action: "cancel", label: text("Cancel") }],
  });
  if (typeof answer !== "string" || !answer.startsWith("{")) return;
  const filled = JSON.parse(answer) as { options: object; stats: object; other: string };
  await game.settings.set(ID, "options", JSON.stringify({ ...parsed("options", filled.other), ...filled.options }));
  await game.settings.set(ID, "stats", JSON.stringify({ ...rest(stats, fields.stats), ...filled.stats }));
}
