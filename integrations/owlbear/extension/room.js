// The data of a fight that a room and a browser keep. All players of a room read its metadata, and one user a browser's storage.

import { owlbear } from "./obr.js";
import { createKeys, seal, unseal } from "./seal.js";

// Names of the room's and the players' metadata.
export const LINKS = "dev.turnkeeper/links";
export const KEY = "dev.turnkeeper/key";

// Owlbear takes up to 16 kB of a room's metadata from all extensions together.
const MOST_BYTES = 12_000;

const place = (what) => `turnkeeper ${what} ${owlbear.roomId}`;

function kept(what) {
  try {
    return JSON.parse(localStorage.getItem(place(what))) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(what, value) {
  if (value === undefined) localStorage.removeItem(place(what));
  else localStorage.setItem(place(what), JSON.stringify(value));
}

// Browsers may refuse storage to pages in frames of other sites. Both pages of the extension need it.
export function canKeep() {
  try {
    keep("test", true);
    keep("test", undefined);
    return true;
  } catch {
    return false;
  }
}

// The game master's fight in this room: its id and token, the links that were handed out, and the tokens to revoke. It stays in
// this browser.
export const shared = () => kept("shared");

// The fight that the game master's popover showed last.
export const lastOpened = () => kept("opened");

// The key pair of this browser in this room.
async function keys() {
  const known = kept("keys");
  if (known) return known;
  const made = await createKeys();
  keep("keys", made);
  return made;
}

// Lets the game master's browser seal a link for this one.
export async function showKey() {
  await owlbear.setPlayerMetadata({ [KEY]: (await keys()).open });
}

// The fight that this user sees: the game master's own, or that of the link for this player.
export async function fightOf(metadata) {
  const own = shared();
  if (own) return { id: own.id, token: own.token };
  const mine = metadata[LINKS]?.[owlbear.playerId];
  if (!mine) return undefined;
  const text = await unseal(mine, (await keys()).own);
  return text && JSON.parse(text);
}

// Puts the links of a fight into the room's metadata, each sealed for its player. A player whose key is none gets no link.
export async function publish(id, links) {
  const sealed = {};
  for (const { player, key, token } of links) {
    const one = await seal(JSON.stringify({ id, token }), key).catch(() => undefined);
    if (one) sealed[player] = one;
  }
  if (JSON.stringify(sealed).length > MOST_BYTES) throw new Error("The room has no space for so many links. Stop sharing, and share again.");
  await owlbear.setRoomMetadata({ [LINKS]: sealed });
}

export const unpublish = () => owlbear.setRoomMetadata({ [LINKS]: undefined });
