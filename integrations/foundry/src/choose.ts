// Lets the user choose a legal command and fill in its open fields.
import type { Command } from "./roster.js";
import { text, type Encounter, type Legal, type Options } from "./types.js";

type Choice = Legal["choices"][number];

/** The legal commands that take the awaited decision. If an actor has several of a type, those without required choices win. */
export function awaited(encounter: Encounter, options: Options): Legal[] {
  const types = encounter.pending?.commands ?? [];
  const legal = options.items.filter(({ command }) => types.includes(command.type));
  return legal.filter((one) => isReady(one) || !legal.some((other) => isReady(other) && sameActor(one, other)));
}

export const isReady = ({ choices }: Legal): boolean => choices.every(({ required }) => !required);

const sameActor = (one: Legal, other: Legal): boolean => one.command.type === other.command.type && one.combatant === other.combatant;

const words = (field: string): string => field.replaceAll("_", " ");

/** A value for people: names instead of ids. */
function shown(value: unknown, encounter: Encounter): string {
  if (Array.isArray(value)) return value.map((one) => shown(one, encounter)).join(", ");
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  return encounter.combatants.find(({ id }) => id === value)?.name ?? value;
}

/** Foundry may render labels of buttons as HTML, and people type the names in them. */
const plain = (label: string): string => foundry.utils.escapeHTML(label);

/** Lets the user pick one of several legal commands. */
export async function pick(legal: Legal[]): Promise<Legal | undefined> {
  if (legal.length < 2) return legal[0];
  const buttons = legal.map((one, index) => ({ action: `option${index}`, label: plain(one.label), callback: () => index }));
  const chosen: unknown = await foundry.applications.api.DialogV2.wait({
    window: { title: text("Next") }, content: `<p>${text("Pick")}</p>`, buttons, rejectClose: false,
  });
  return typeof chosen === "number" ? legal[chosen] : undefined;
}

/** Asks for the open fields of a command. Undefined if the user closes the dialog. */
export async function fill(legal: Legal, options: Options, encounter: Encounter): Promise<Command | undefined> {
  const content = document.createElement("div");
  for (const choice of legal.choices) content.append(field(choice, values(choice, options), legal.command, encounter));
  const ok = (_event: unknown, button: { form: HTMLFormElement | null }) => JSON.stringify(read(legal, options, button.form!));
  const filled: unknown = await foundry.applications.api.DialogV2.wait({
    window: { title: legal.label }, content, rejectClose: false,
    buttons: [{ action: "ok", label: plain(legal.label), default: true, callback: ok }, { action: "cancel", label: text("Cancel") }],
  });
  return typeof filled === "string" && filled.startsWith("{") ? (JSON.parse(filled) as Command) : undefined;
}

function values(choice: Choice, { lists }: Options): unknown[] | undefined {
  if (!choice.from) return choice.one_of;
  return (lists[choice.from.list] ?? []).filter((value) => !choice.from?.except?.includes(value));
}

function field(choice: Choice, listed: unknown[] | undefined, command: Command, encounter: Encounter): HTMLElement {
  const group = document.createElement("div");
  group.className = "form-group";
  const label = document.createElement("label");
  label.textContent = words(choice.field);
  const example = (command as Record<string, unknown>)[choice.field];
  const input = listed ? select(choice, listed, encounter) : typed(choice, example);
  input.setAttribute("name", choice.field);
  input.toggleAttribute("required", choice.required);
  label.append(" ", input);
  group.append(label);
  return group;
}

/** Nothing is chosen from the start but a required value without an alternative. */
function select(choice: Choice, listed: unknown[], encounter: Encounter): HTMLElement {
  const input = document.createElement("select");
  const option = (value: string, label: string) => {
    const made = document.createElement("option");
    made.setAttribute("value", value);
    made.textContent = label;
    input.append(made);
  };
  if (!choice.required || listed.length > 1) option("", "-");
  listed.forEach((value, index) => option(String(index), shown(value, encounter)));
  return input;
}

/** An empty input: what stands in one would run together with what is typed. */
function typed({ range, like }: Choice, example: unknown): HTMLElement {
  const input = document.createElement("input");
  input.setAttribute("type", range ? "number" : "text");
  if (range) {
    input.setAttribute("min", String(range.min));
    input.setAttribute("max", String(range.max));
  }
  const written = typeof example === "string" ? example : JSON.stringify(example);
  if (like) input.setAttribute("placeholder", example === undefined ? like : `${like}, such as ${written}`);
  return input;
}

/** The command with the values of the form. Empty optional fields are left out. */
export function read(legal: Legal, options: Options, form: HTMLFormElement): Command {
  const command: Record<string, unknown> = { ...legal.command };
  for (const choice of legal.choices) {
    const input = form.elements.namedItem(choice.field) as HTMLInputElement | HTMLSelectElement;
    const listed = values(choice, options);
    if (input.value === "") delete command[choice.field];
    else if (listed) command[choice.field] = listed[Number(input.value)];
    else command[choice.field] = choice.range ? Number(input.value) : parsed(input.value, command[choice.field]);
  }
  return command as unknown as Command;
}

/** Reads JSON where the field holds an object, else the text itself. */
function parsed(value: string, preset: unknown): unknown {
  if (typeof preset === "string" || !/^[[{]/.test(value.trim())) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
