import type { Encounter, Schemas } from "./client.js";

export interface FoundryTracker {
  round: number;
  /** The index of the row that has the turn. */
  turn: number | null;
  current: string[];
  combatants: { id: string; initiative: number | null; defeated: boolean; hidden: boolean }[];
}

export type Roll20Turn = { id: string; pr: string; custom: string; formula?: string; _pageid?: string };

type Row = Schemas["OrderEntry"];
/** True for a row with a combatant. DC20 also has rows for empty turns. */
const isTaken = (row: Row): row is Row & { combatant: string } => row.combatant !== undefined;
/** The number that rows are sorted by; null if the order is one of team turns. */
const initiative = ({ order }: Encounter, row: Row) => (order.some(({ team }) => team) ? null : (row.initiative ?? null));
const place = (encounter: Encounter, row: Row) => String(initiative(encounter, row) ?? row.slot ?? "");
const combatant = (encounter: Encounter, row: Row) => encounter.combatants.find(({ id }) => id === row.combatant);

/** Each combatant has one row: that of its turn now, else of its next turn. */
export function toFoundry(encounter: Encounter): FoundryTracker {
  const rows = encounter.order.filter(isTaken).filter((row, _, order) => {
    const own = order.filter((other) => other.combatant === row.combatant);
    return row === (own.find((other) => other.current) ?? own.find((other) => !other.acted) ?? own[0]);
  });
  const turn = rows.findIndex((row) => row.current);
  return {
    round: encounter.round,
    turn: turn < 0 ? null : turn,
    current: encounter.current,
    combatants: rows.map((row) => ({
      id: row.combatant, initiative: initiative(encounter, row), defeated: row.out,
      hidden: combatant(encounter, row)?.hidden ?? false,
    })),
  };
}

/**
 * The list begins with the turn now, else with the next one, and leaves out who is out. A combatant whose id is not a token's has its name in
 * `custom`. `formula` and `_pageid` come from the combatant's metadata, `_pageid` also from the encounter's.
 */
export function toRoll20(encounter: Encounter): Roll20Turn[] {
  const rows = encounter.order.filter(isTaken).filter((row) => !row.out);
  const now = rows.findIndex((row) => row.current);
  const first = Math.max(0, now < 0 ? rows.findIndex((row) => row.next) : now);
  return [...rows.slice(first), ...rows.slice(0, first)].map((row) => {
    const { formula, _pageid = encounter.metadata?.["_pageid"] } = combatant(encounter, row)?.metadata ?? {};
    const token = /^-[\w-]{5,}$/.test(row.combatant);
    return {
      id: token ? row.combatant : "-1",
      pr: place(encounter, row),
      custom: token ? "" : row.name,
      ...(formula && { formula }),
      ...(token && _pageid && { _pageid }),
    };
  });
}

/** A message of at most `most` characters, in a block of code, where a name mentions nobody. Long lists keep the rows that have the turn. */
export function toText(encounter: Encounter, most = 2000): string {
  const { name, order, pending, round, status } = encounter;
  const plain = (text: string) => text.replace(/\s+/g, " ").replaceAll("`", "'");
  const line = (row: Row) => {
    const notes = [row.out ? "out" : row.acted && "acted", combatant(encounter, row)?.hidden && "hidden", row.note].filter(Boolean);
    return plain(`${row.current ? ">" : "-"} ${place(encounter, row)} ${row.name}${notes.length ? ` (${notes.join(", ")})` : ""}`);
  };
  const who = pending?.combatants.map((id) => order.find((row) => row.combatant === id)?.name ?? id).join(", ");
  const head = plain(`${name}, ${{ setup: "not started", running: `round ${round}`, ended: "ended" }[status]}`);
  const tail = pending ? plain(`awaiting: ${pending.decision.replaceAll("_", " ")}${who && ` by ${who}`}`).slice(0, 400) : "";
  const rows = order.map((row) => ({ text: line(row), current: row.current }));
  const more = () => rows.length < order.length && `... ${order.length - rows.length} more`;
  const message = () => ["```", head, ...rows.map((row) => row.text), more(), tail, "```"].filter(Boolean).join("\n");
  for (const keepCurrent of [true, false])
    for (let i = rows.length - 1; i >= 0 && message().length > most; i--) if (!(keepCurrent && rows[i]?.current)) rows.splice(i, 1);
  return message();
}
