// The popover of the action: the page of a fight, and above it the game master's button that shares the fight with the room.

import { api } from "./api.js";
import { revoke } from "./links.js";
import { owlbear } from "./obr.js";
import { canKeep, fightOf, keep, lastOpened, shared, unpublish } from "./room.js";

const $ = (id) => document.getElementById(id);
const table = $("table");
let role;

const say = (words) => { $("told").textContent = words; };

// The fight that the page shows. Its address is the link's part after "#".
function opened() {
  const link = new URLSearchParams(table.contentWindow.location.hash.slice(1));
  const [id, token] = [link.get("encounter"), link.get("token")];
  return id && token ? { id, token } : undefined;
}

let isOpen = false;

// A page of a fight that is no longer shared would ask for it again and again.
function close() {
  table.hidden = true;
  if (isOpen) table.src = "about:blank";
  isOpen = false;
}

function show(fight) {
  const hash = fight ? `#${new URLSearchParams({ encounter: fight.id, token: fight.token })}` : "";
  table.hidden = false;
  if (!isOpen) table.src = `table.html${hash}`;
  else if (hash && table.contentWindow.location.hash !== hash) table.contentWindow.location.hash = hash;
  isOpen = true;
}

const linkInWords = ({ name, combatants }) => `${name} ${combatants.length ? "plays" : "watches"}.`;

function drawButtons() {
  const own = shared();
  const fight = role === "GM" ? opened() : undefined;
  const isShared = Boolean(own) && own.id === fight?.id;
  $("share").hidden = !fight || isShared;
  $("stop").hidden = !own;
  if (role !== "GM") return;
  if (isShared) say(["Shared.", ...own.links.map(linkInWords), ...own.missing.map((name) => `${name} has no link yet.`)].join(" "));
  else if (fight) say(own ? "Another fight is shared with the room." : "Only you see this fight.");
  else say("Begin a fight, then share it with the room.");
}

// Owlbear removes the popover when it closes.
function remember() {
  keep("opened", opened());
  drawButtons();
}

async function share() {
  const fight = opened();
  const { you } = await api(fight);
  if (you.role !== "gm") throw new Error("This link is not the game master's. Open the game master's link.");
  if (shared()) await stop();
  keep("shared", { ...fight, links: [], missing: [], revoked: [], published: "" });
  drawButtons();
}

async function stop() {
  const { links, revoked, ...fight } = shared();
  keep("shared", undefined);
  await unpublish();
  for (const tokenId of [...links.map((link) => link.tokenId), ...revoked]) await revoke(fight, tokenId);
  drawButtons();
}

async function attempt(step) {
  try {
    await step();
  } catch (error) {
    say(error.message);
  }
}

// A player sees the fight of the player's link, and nothing without one.
async function drawPlayer(metadata) {
  const fight = await fightOf(metadata);
  if (fight) show(fight);
  else close();
  say(fight ? "" : "Waiting for the game master to share a fight.");
}

async function begin() {
  await owlbear.ready;
  if (!canKeep()) throw new Error("This browser keeps nothing for the extension. Allow third-party cookies for it, or leave the private window.");
  role = await owlbear.role();
  const metadata = await owlbear.roomMetadata();
  if (role !== "GM") {
    owlbear.onRoomMetadata((newer) => attempt(() => drawPlayer(newer)));
    return drawPlayer(metadata);
  }
  table.addEventListener("load", () => {
    table.contentWindow.addEventListener("hashchange", remember);
    remember();
  });
  // The background page has handed out links.
  addEventListener("storage", drawButtons);
  show(lastOpened() ?? (await fightOf(metadata)));
}

$("share").addEventListener("click", () => attempt(share));
$("stop").addEventListener("click", () => attempt(stop));
if (owlbear.isAround) await attempt(begin);
else say("Open this page in Owlbear Rodeo.");
