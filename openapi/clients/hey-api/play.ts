// Plays a round of every ruleset by options alone, with the client of @hey-api/openapi-ts.
import { createEncounter, listOptions, listRulesets, sendCommand } from "./client";
import type { Command, LegalCommand, LegalCommands, NewEncounter } from "./client";
import { client } from "./client/client.gen";

const [, , baseUrl] = process.argv;
client.setConfig({ baseUrl, throwOnError: true });
const throwOnError = true;

type Schema = Record<string, any>;

// A value that a choice allows, another one at another turn. Its schema is JSON Schema; references lead to the `$defs` of the answer.
function value(schema: Schema, defs: Record<string, Schema>, turn: number): unknown {
  if (schema.$ref) {
    const { $ref, ...own } = schema;
    return value({ ...defs[$ref.split("/").pop()], ...own }, defs, turn);
  }
  const out: unknown[] = schema.not ? (schema.not.enum ?? [schema.not.const]) : [];
  const listed = (schema.oneOf ?? []).filter((one: Schema) => !out.includes(one.const));
  if (listed.length > 0) return listed[turn % listed.length].const;
  if (schema.anyOf) return value(schema.anyOf[0], defs, turn);
  if (schema.type === "integer") return turn % 2 ? schema.maximum : schema.minimum;
  if (schema.type === "boolean") return turn % 2 === 1;
  if (schema.type === "array") return Array.from({ length: schema.minItems ?? 0 }, () => value(schema.items, defs, turn));
  if (schema.type !== "object") return "marked";
  const required: string[] = schema.required ?? [];
  return Object.fromEntries(required.map((field) => [field, value(schema.properties[field], defs, turn)]));
}

function filled(option: LegalCommand, options: LegalCommands, turn: number): Command {
  const command: Record<string, unknown> = { ...option.command };
  for (const { field, required, schema } of option.choices) {
    if (required) command[field] = value(schema, options.$defs ?? {}, turn);
  }
  return { ...command, type: verb(option) };
}

const verb = (option: LegalCommand): string => String((option.command as Schema).type);

async function play(ruleset: string): Promise<number> {
  const combatants = [{ name: "Ann" }, { name: "Bob" }, { name: "Orc", side: "monsters" }, { name: "Wolf", side: "monsters" }];
  const body: NewEncounter = { ruleset, seed: 1, combatants };
  const { data: created } = await createEncounter({ body, throwOnError });
  const to = { path: { id: created.encounter.id }, auth: created.token, throwOnError } as const;
  let pending = created.encounter.pending;
  const sent = new Map<string, number>();
  for (let turn = 1; turn <= 200; turn++) {
    const { data: options } = await listOptions(to);
    const awaited = options.items.filter((option) => (pending?.commands ?? ["start"]).includes(verb(option)));
    const uses = (option: LegalCommand) => sent.get(verb(option)) ?? 0;
    const [option] = awaited.sort((one, other) => uses(one) - uses(other));
    if (!option) throw new Error(`nothing to send, but ${pending?.decision} is awaited`);
    sent.set(verb(option), uses(option) + 1);
    const { data: answer } = await sendCommand({ ...to, body: filled(option, options, turn) });
    pending = answer.encounter?.pending ?? null;
    if (answer.events.some((event) => event.type === "round_ended" && Number(event.round) > 0)) return turn;
  }
  throw new Error("the round does not end");
}

async function main(): Promise<void> {
  const { data: listed } = await listRulesets({ throwOnError });
  for (const { id } of listed.items) {
    console.log(`hey-api: ${id}: a round in ${await play(id)} commands`);
  }
}

void main();
