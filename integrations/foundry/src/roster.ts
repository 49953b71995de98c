// Describes Foundry's combatants to the server, and compares both sides. Reads documents and changes none.
import { json } from "./settings.js";
import { ID, type Encounter, type FoundryCombat, type FoundryCombatant, type Schemas } from "./types.js";

export type Command = Schemas["Command"];
type Draft = Schemas["CombatantDraft"];

export const isHidden = (combatant: FoundryCombatant): boolean => combatant.hidden || (combatant.token?.hidden ?? false);

const nameOf = (combatant: FoundryCombatant): string => [...(combatant.name?.trim() || "?")].slice(0, 80).join("");

function sideOf(combatant: FoundryCombatant): string {
  if (combatant.hasPlayerOwner) return "players";
  const disposition = combatant.token?.disposition ?? CONST.TOKEN_DISPOSITIONS.HOSTILE;
  if (disposition === CONST.TOKEN_DISPOSITIONS.FRIENDLY) return "players";
  return disposition === CONST.TOKEN_DISPOSITIONS.NEUTRAL ? "npcs" : "monsters";
}

/** The hit points of an actor by the path of the settings: current from 0 to max. */
export function hitPoints(actor: Actor.Implementation | null): { current: number; max: number } | undefined {
  const path = game.settings.get(ID, "hitPoints");
  const value = path && actor ? Number(foundry.utils.getProperty(actor, path) ?? NaN) : NaN;
  if (!Number.isFinite(value)) return undefined;
  const most = Number(foundry.utils.getProperty(actor!, path.replace(/[^.]*$/, "max")) ?? NaN);
  const whole = (number: number) => Math.min(1_000_000, Math.max(0, Math.round(number)));
  if (game.settings.get(ID, "countsUp")) return Number.isFinite(most) ? { current: whole(most - value), max: whole(most) } : undefined;
  return { current: Math.min(whole(value), whole(most || value)), max: whole(most || value) };
}

/** The stats that the ruleset asks for, by the paths of the settings. */
function stats(combatant: FoundryCombatant): object {
  const values = Object.entries(json("stats")).flatMap(([field, path]) => {
    const value: unknown = combatant.actor ? foundry.utils.getProperty(combatant.actor, String(path)) : undefined;
    if (typeof value === "number" && Number.isFinite(value)) return [[field, Math.round(value)]];
    return ["string", "boolean"].includes(typeof value) ? [[field, value]] : [];
  });
  return foundry.utils.expandObject(Object.fromEntries(values) as object);
}

export function draftOf(combatant: FoundryCombatant): Draft {
  const hp = hitPoints(combatant.actor);
  const player = combatant.players[0];
  return {
    id: combatant.id!, name: nameOf(combatant), side: sideOf(combatant), hidden: isHidden(combatant),
    kind: combatant.hasPlayerOwner ? "pc" : "npc", ...(player && { controller: player.name.slice(0, 80) }), ...(hp && { hp }),
    ...((combatant.isDefeated || hp?.current === 0) && { conditions: ["defeated"] }), ...stats(combatant),
  } as Draft;
}

/** The commands that make the server's combatant equal to Foundry's, the most urgent first. */
export function difference(combat: FoundryCombat, encounter: Encounter, id: string): Command[] {
  const here = combat.combatants.get(id);
  const there = encounter.combatants.find((other) => other.id === id);
  if (!here) return there ? [{ type: "remove_combatant", combatant: id }] : [];
  if (!there) return [{ type: "add_combatant", details: draftOf(here) }];
  const commands: Command[] = [];
  const changes: { hidden?: boolean; name?: string } = {};
  if ((there.hidden ?? false) !== isHidden(here)) changes.hidden = isHidden(here);
  if (there.name !== nameOf(here)) changes.name = nameOf(here);
  if (Object.keys(changes).length > 0) commands.push({ type: "update_combatant", combatant: id, changes } as Command);
  const hp = hitPoints(here.actor);
  if (hp && there.hp) {
    const lost = there.hp.current - Math.min(hp.current, there.hp.max ?? hp.max);
    if (lost !== 0) commands.push({ type: lost > 0 ? "damage" : "heal", target: id, amount: Math.abs(lost) });
  }
  const defeated = there.conditions?.includes("defeated") ?? false;
  if (here.isDefeated && !defeated) commands.push({ type: "set_condition", target: id, condition: "defeated" });
  // Without hit points a combatant is defeated by the rules; Foundry need not mark it.
  if (!here.isDefeated && defeated && (hp?.current ?? 1) > 0) commands.push({ type: "clear_condition", target: id, condition: "defeated" });
  return commands;
}

/** The combatants that differ. */
export function differing(combat: FoundryCombat, encounter: Encounter): string[] {
  const ids = new Set([...combat.combatants.map(({ id }) => id!), ...encounter.combatants.map(({ id }) => id)]);
  return [...ids].filter((id) => difference(combat, encounter, id).length > 0);
}
