// Runs for each user while the room is open: shows on the badge who acts now, and lets the game master's browser hand out links.

import { follow } from "./api.js";
import { badge } from "./badge.js";
import { updateLinks } from "./links.js";
import { owlbear } from "./obr.js";
import { canKeep, fightOf, shared, showKey } from "./room.js";

let following;
let encounter;
let metadata = {};
let players = [];

function draw(newer) {
  encounter = newer;
  owlbear.setBadge(badge(encounter)).catch(() => {});
  handOut();
}

function handOut() {
  if (encounter && shared()) updateLinks(players, encounter).catch((error) => console.warn(`Turnkeeper: ${error.message}`));
}

// Follows the fight of this user, if it is another one than before.
async function chooseFight() {
  const fight = await fightOf(metadata);
  const key = fight && `${fight.id} ${fight.token}`;
  if (key === following?.key) return;
  following?.over.abort();
  following = fight && { key, over: new AbortController() };
  draw(undefined);
  if (fight) follow(fight, following.over.signal, draw);
}

let last = Promise.resolve();
function choose() {
  last = last.then(chooseFight);
  return last;
}

async function begin() {
  await owlbear.ready;
  owlbear.onRoomMetadata((newer) => {
    metadata = newer;
    choose();
  });
  owlbear.onPlayers((newer) => {
    players = newer;
    handOut();
  });
  // The popover shares a fight, or stops sharing it.
  addEventListener("storage", choose);
  await showKey();
  [metadata, players] = await Promise.all([owlbear.roomMetadata(), owlbear.players()]);
  await choose();
}

// Without storage, the popover says what is missing.
if (canKeep()) await begin();
