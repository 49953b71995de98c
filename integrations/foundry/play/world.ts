// The world of the plays: a game master, an assistant, two players, their characters, and foes of unlinked tokens.
import type { World } from "../standin/hub.js";

export const users = { gm: "GMaaaaaaaaaaaaaa", assistant: "GMbbbbbbbbbbbbbb", anna: "Annaaaaaaaaaaaaa", bob: "Bobbbbbbbbbbbbbb" } as const;
export type User = keyof typeof users;

const stats = (value: number) => ({ attributes: { hp: { value, max: value } }, turns: value === 30 ? 2 : 1 });

export const ids = {
  iris: "CombatantIris000", moth: "CombatantMoth000", captain: "CombatantCaptain", goblin: "CombatantGoblin1", twin: "CombatantGoblin2",
  ninja: "CombatantNinja00",
};

export function world(settings: Record<string, unknown>): World {
  const actor = (_id: string, name: string, owner: string | undefined, value: number) => ({
    _id, name, ownership: { default: 0, ...(owner && { [owner]: 3 }) }, system: stats(value), flags: {},
  });
  const token = (_id: string, name: string, actorId: string, actorLink: boolean, disposition: number, hidden = false) => ({
    _id, name, actorId, actorLink, disposition, hidden, delta: {}, flags: {},
  });
  const combatant = (_id: string, name: string, actorId: string, tokenId: string, hidden = false) => ({
    _id, name, actorId, tokenId, hidden, initiative: null, defeated: false, flags: {},
  });
  return {
    users: [
      { _id: users.gm, name: "Gail", role: 4, active: false }, { _id: users.assistant, name: "Gus", role: 3, active: false },
      { _id: users.anna, name: "Anna", role: 1, active: false }, { _id: users.bob, name: "Bob", role: 1, active: false },
    ],
    actors: [
      actor("ActorIris0000000", "Iris", users.anna, 20), actor("ActorMoth0000000", "Moth", users.bob, 18),
      actor("ActorCaptain0000", "Captain", undefined, 30), actor("ActorGoblin00000", "Goblin", undefined, 7),
      actor("ActorNinja000000", "Ninja", undefined, 15),
    ],
    tokens: [
      token("TokenIris0000000", "Iris", "ActorIris0000000", true, 1), token("TokenMoth0000000", "Moth", "ActorMoth0000000", true, 1),
      token("TokenCaptain0000", "Captain", "ActorCaptain0000", true, -1), token("TokenGoblin10000", "Goblin", "ActorGoblin00000", false, -1),
      token("TokenGoblin20000", "Twin", "ActorGoblin00000", false, -1), token("TokenNinja000000", "Ninja", "ActorNinja000000", true, -1, true),
    ],
    combats: [{
      _id: "CombatBridge0000", round: 0, turn: null, active: true, flags: {},
      combatants: [
        combatant(ids.iris, "Iris", "ActorIris0000000", "TokenIris0000000"), combatant(ids.moth, "Moth", "ActorMoth0000000", "TokenMoth0000000"),
        combatant(ids.captain, "Captain", "ActorCaptain0000", "TokenCaptain0000"),
        combatant(ids.goblin, "Goblin", "ActorGoblin00000", "TokenGoblin10000"), combatant(ids.twin, "Twin", "ActorGoblin00000", "TokenGoblin20000"),
        combatant(ids.ninja, "Ninja", "ActorNinja000000", "TokenNinja000000", true),
      ],
    }],
    settings,
  };
}
