// What a TypeScript client made from the document looks like; `openapi/check` type-checks it.
import createClient from "openapi-fetch";
import type { paths, components } from "./api";
const api = createClient<paths>({ baseUrl: "http://127.0.0.1:8080" });
export async function round(): Promise<string> {
  const created = await api.POST("/v1/encounters", { body: { ruleset: "active-initiative", name: "Ambush", options: { interrupt_points: true },
    combatants: [{ name: "Ann", side: "players", inspiration: 1 }, { name: "Orc", side: "monsters" }] } });
  if (created.error) throw new Error(created.error.detail);
  const id = created.data.encounter.id;
  const headers = { Authorization: `Bearer ${created.data.token}` };
  const answer = await api.POST("/v1/encounters/{id}/commands", { params: { path: { id } }, headers, body: { type: "start", first: "ann" } });
  if (answer.error) return answer.error.rule ?? answer.error.code;
  for (const event of answer.data.events) {
    if (event.type === "damaged") { const lost: number = event.hp_lost; console.log(lost); }
    if (event.type === "named") { const who: string = event.combatant; console.log(who); }
  }
  const read = await api.GET("/v1/encounters/{id}", { params: { path: { id } }, headers });
  const encounter: components["schemas"]["Encounter"] | undefined = typeof read.data === "string" ? undefined : read.data;
  if (encounter?.ruleset === "active-initiative") { const points: number = encounter.state.interrupt_points ?? 0; return String(points); }
  return "";
}
