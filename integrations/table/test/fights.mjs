// The fight of the pictures and of the tests that need no whole round.

import { Fight } from "./harness.mjs";

export const SHADE = ["umbra-77", "Umbral Stalker"];

export async function ambush(url, more = {}) {
  return Fight.create(url, {
    ruleset: "active-initiative", name: "Ambush at the mill", foe_hp: "banded", seed: 7,
    combatants: [
      { id: "chansi", name: "Chansi", side: "players", hp: { current: 24, max: 24 } },
      { id: "valiant", name: "Valiant", side: "players", hp: { current: 31, max: 31 } },
      { id: "mira", name: "Mira of the Reeds", side: "players", hp: { current: 18, max: 22 } },
      { id: "brakkus", name: "Brakkus", side: "monsters", hp: { current: 60, max: 60 } },
      { id: "goblins", name: "Goblins", side: "monsters", members: [{ id: "goblin-1", hp: { current: 7 } }, { id: "goblin-2", hp: { current: 7 } }] },
      { id: SHADE[0], name: SHADE[1], side: "monsters", hidden: true, hp: { current: 20, max: 20 } },
    ],
    tokens: [{ role: "player", name: "Anna", combatants: ["valiant", "mira"] }, { role: "spectator" }],
    ...more,
  });
}

// Goes on to Valiant's turn, with wounds, effects and conditions.
export async function under(fight) {
  const effect = (effect) => ({ type: "add_effect", effect });
  await fight.send([
    { type: "start", first: "chansi" },
    { type: "damage", target: "goblins", member: "goblin-1", amount: 6, source: "chansi" },
    { type: "damage", target: "brakkus", amount: 33, source: "chansi" },
    effect({ name: "Bless", target: "valiant", source: "chansi", expires: { at: "turn_end", turns: 3 } }),
    effect({ name: "Fog", expires: { at: "round_end", rounds: 4 } }),
    { type: "set_condition", target: "brakkus", condition: "frightened" },
    { type: "end_turn", combatant: "chansi", next: "valiant" },
    { type: "resolve" },
  ]);
  await fight.send({ type: "damage", target: "valiant", amount: 19, source: "brakkus" });
  await fight.send({ type: "note", text: "The bridge creaks.", readers: "all" });
}
