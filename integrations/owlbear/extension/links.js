// Hands out links: for each player in the room a token for the combatants that the fight lists under the player's name.

import { Refusal, api } from "./api.js";
import { KEY, keep, publish, shared } from "./room.js";

const plain = (name) => name.trim().toLowerCase();

// The server's words for combatants that no player was named for. They are no one's name.
const DEFAULTS = ["gm", "player", ""];

const isPlayers = ({ controller }) => !DEFAULTS.includes(plain(controller));

// Changes what this browser keeps of the shared fight, unless the game master has stopped sharing it.
function change(id, changes) {
  const fight = shared();
  if (fight?.id !== id) throw new Error("The fight is no longer shared.");
  keep("shared", { ...fight, ...changes });
}

// Players choose their own names, so combatants stay with the first player who had the name.
function combatantsOf(player, { combatants }, links) {
  const taken = new Set(links.filter((link) => link.player !== player.id).flatMap((link) => link.combatants));
  return combatants.filter((one) => isPlayers(one) && plain(one.controller) === plain(player.name) && !taken.has(one.id)).map(({ id }) => id);
}

// The players whose combatants no link acts for, because no one of their name is in the room.
function missingOf({ combatants }, links) {
  const taken = new Set(links.flatMap((link) => link.combatants));
  const names = combatants.filter((one) => isPlayers(one) && !taken.has(one.id)).map(({ controller }) => controller.trim());
  return names.filter((name, place) => names.findIndex((other) => plain(other) === plain(name)) === place);
}

// A player without combatants watches.
function createToken(fight, { name }, combatants) {
  const body = { role: combatants.length ? "player" : "spectator", name: name.trim().slice(0, 80) || "Player", ...(combatants.length && { combatants }) };
  return api(fight, "/tokens", { method: "POST", body: JSON.stringify(body) });
}

// Revokes a token. One that is gone already is no error.
export async function revoke(fight, tokenId) {
  try {
    await api(fight, `/tokens/${encodeURIComponent(tokenId)}`, { method: "DELETE" });
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
  }
}

// Each step is kept before the next one, so that a step that failed is taken again at the next update.
async function update(players, encounter) {
  const { id } = encounter;
  for (const player of players) {
    const key = player.metadata?.[KEY];
    const fight = shared();
    if (fight?.id !== id) return;
    if (player.role === "GM" || typeof key !== "string") continue;
    const combatants = combatantsOf(player, encounter, fight.links);
    const known = fight.links.find((link) => link.player === player.id);
    const fits = JSON.stringify([key, combatants]);
    if (known && fits === JSON.stringify([known.key, known.combatants])) continue;
    const created = await createToken(fight, player, combatants);
    const others = fight.links.filter((link) => link !== known);
    const link = { player: player.id, name: player.name.trim(), key, combatants, tokenId: created.id, token: created.token };
    change(id, { links: [...others, link], revoked: [...fight.revoked, ...(known ? [known.tokenId] : [])] });
  }
  const { links, published, missing } = shared();
  const without = missingOf(encounter, links);
  if (JSON.stringify(without) !== JSON.stringify(missing)) change(id, { missing: without });
  const current = links.map(({ tokenId }) => tokenId).join(" ");
  if (current !== published) {
    await publish(id, links);
    change(id, { published: current });
  }
  for (const tokenId of shared().revoked) {
    await revoke(shared(), tokenId);
    change(id, { revoked: shared().revoked.filter((other) => other !== tokenId) });
  }
}

// One update at a time: two would make two tokens for a player.
let last = Promise.resolve();
export function updateLinks(players, encounter) {
  last = last.catch(() => {}).then(() => (shared()?.id === encounter.id ? update(players, encounter) : undefined));
  return last;
}
