// Plays a round of every ruleset by options alone, with types from openapi-typescript and calls by openapi-fetch.
import createClient from "openapi-fetch";
import type { components, paths } from "./api";
import { value, type Schema } from "./choices";

type Schemas = components["schemas"];
type Command = Schemas["Command"];
const [, , baseUrl] = process.argv;
const api = createClient<paths>({ baseUrl });

function filled(option: Schemas["LegalCommand"], options: Schemas["LegalCommands"], turn: number): Command {
  const command: Record<string, unknown> = { ...option.command };
  for (const { field, required, schema } of option.choices) {
    if (required) command[field] = value(schema, options.$defs ?? {}, turn);
  }
  return { ...command, type: verb(option) };
}

const verb = (option: Schemas["LegalCommand"]): string => String((option.command as Schema).type);

async function play(ruleset: string): Promise<number> {
  const combatants = [{ name: "Ann" }, { name: "Bob" }, { name: "Orc", side: "monsters" }, { name: "Wolf", side: "monsters" }];
  const body: Schemas["NewEncounter"] = { ruleset, seed: 1, combatants };
  const created = await api.POST("/v1/encounters", { body });
  if (created.error) throw new Error(created.error.detail);
  const params = { path: { id: created.data.encounter.id } };
  const headers = { Authorization: `Bearer ${created.data.token}` };
  let pending = created.data.encounter.pending;
  const sent = new Map<string, number>();
  for (let turn = 1; turn <= 200; turn++) {
    const options = await api.GET("/v1/encounters/{id}/options", { params, headers });
    if (options.error) throw new Error(options.error.detail);
    const awaited = options.data.items.filter((option) => (pending?.commands ?? ["start"]).includes(verb(option)));
    const uses = (option: Schemas["LegalCommand"]) => sent.get(verb(option)) ?? 0;
    const [option] = awaited.sort((one, other) => uses(one) - uses(other));
    if (!option) throw new Error(`nothing to send, but ${pending?.decision} is awaited`);
    sent.set(verb(option), uses(option) + 1);
    const answer = await api.POST("/v1/encounters/{id}/commands", { params, headers, body: filled(option, options.data, turn) });
    if (answer.error) throw new Error(answer.error.detail);
    pending = answer.data.encounter?.pending ?? null;
    if (answer.data.events.some((event) => event.type === "round_ended" && Number(event.round) > 0)) return turn;
  }
  throw new Error("the round does not end");
}

async function main(): Promise<void> {
  const listed = await api.GET("/v1/rulesets");
  if (listed.error) throw new Error(listed.error.detail);
  for (const { id } of listed.data.items) {
    console.log(`openapi-typescript: ${id}: a round in ${await play(id)} commands`);
  }
}

void main();
