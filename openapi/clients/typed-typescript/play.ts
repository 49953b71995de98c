// Plays a round of Active Initiative by commands written by hand, with types from the ruleset's own document.
import createClient from "openapi-fetch";
import type { components, paths } from "./api";

type Schemas = components["schemas"];
type Command = Schemas["Command"];
const [, , baseUrl] = process.argv;
const api = createClient<paths>({ baseUrl });

const fight: Schemas["NewEncounter"] = {
  ruleset: "active-initiative",
  combatants: [
    { id: "ann", side: "players", inspiration: 1 },
    { id: "bob", side: "players" },
    { id: "orc", side: "monsters" },
  ],
};
const commands: Command[] = [
  { type: "start", first: "ann" },
  { type: "damage", target: "orc", amount: 3, source: "ann" },
  { type: "end_turn", combatant: "ann", next: "bob" },
  { type: "interrupt", combatant: "orc", means: "damage" },
  { type: "begin_turn", combatant: "orc" },
  { type: "end_turn", combatant: "orc", next: "bob" },
  { type: "begin_turn", combatant: "bob" },
  { type: "end_turn", combatant: "bob" },
];

// @ts-expect-error a field is missing
export const incomplete: Command = { type: "end_turn" };
// @ts-expect-error no combatant has this field
export const unknown: Command = { type: "begin_turn", combatant: "ann", at: "once" };

async function main(): Promise<void> {
  const created = await api.POST("/v1/encounters", { body: fight });
  if (created.error) throw new Error(created.error.detail);
  const params = { path: { id: created.data.encounter.id } };
  const headers = { Authorization: `Bearer ${created.data.token}` };
  for (const body of commands) {
    const answer = await api.POST("/v1/encounters/{id}/commands", { params, headers, body });
    if (answer.error) throw new Error(answer.error.detail);
    for (const event of answer.data.events) {
      if (event.type !== "round_ended") continue;
      const round: number = event.round;
      console.log(`typed-typescript: round ${round} in ${commands.length} commands`);
      return;
    }
  }
  throw new Error("the round does not end");
}

void main();
