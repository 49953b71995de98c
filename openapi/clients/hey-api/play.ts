// Plays a round of every ruleset by options alone, with the client of @hey-api/openapi-ts.
import { createEncounter, listOptions, listRulesets, sendCommand } from "./client";
import type { Command, LegalCommand, LegalCommands, NewEncounter } from "./client";
import { client } from "./client/client.gen";
import { value, type Schema } from "./choices";

const [, , baseUrl] = process.argv;
client.setConfig({ baseUrl, throwOnError: true });
const throwOnError = true;

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
