// Lets the user choose a legal command and fill in its open fields.
import { draw, read, type Schema } from "./form.js";
import type { Command } from "./roster.js";
import { text, type Legal, type Options } from "./types.js";

/** The usual answers to what is pending, one for each combatant that decides; else all answers. */
export function awaited({ items }: Options): Legal[] {
  const usual = items.filter(({ primary }) => primary);
  return usual.length > 0 ? usual : items.filter(({ group }) => group === "decision");
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
export async function fill(legal: Legal, { $defs }: Options): Promise<Command | undefined> {
  const content = document.createElement("div");
  const advanced = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = text("More");
  advanced.append(summary);
  for (const choice of legal.choices) {
    const field = draw(choice.field, choice.title, choice.schema as Schema, choice.required, $defs);
    if (field) (choice.advanced ? advanced : content).append(field);
  }
  if (advanced.children.length > 1) content.append(advanced);
  const ok = (_event: unknown, button: { form: HTMLFormElement | null }) => JSON.stringify(filled(legal, $defs, button.form!));
  const answer: unknown = await foundry.applications.api.DialogV2.wait({
    window: { title: legal.label }, content, rejectClose: false,
    buttons: [{ action: "ok", label: plain(legal.label), default: true, callback: ok }, { action: "cancel", label: text("Cancel") }],
  });
  return typeof answer === "string" && answer.startsWith("{") ? (JSON.parse(answer) as Command) : undefined;
}

/** The command with the values of the form. Empty fields are left out. */
function filled(legal: Legal, defs: Options["$defs"], form: HTMLFormElement): Record<string, unknown> {
  const command: Record<string, unknown> = { ...legal.command };
  for (const { field, schema } of legal.choices) {
    const value = read(field, schema as Schema, form, defs);
    if (value !== undefined) command[field] = value;
  }
  return command;
}
