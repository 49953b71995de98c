// Answers the reader's presses, and calls the reader. It loads after the fight is on the screen.

import { Actions } from "./actions.js";
import * as clock from "./clock.js";
import * as cues from "./cues.js";
import { desk } from "./desk.js";
import * as keys from "./keys.js";
import { Newcomers } from "./newcomers.js";
import { Picked } from "./picked.js";
import { Reorder } from "./reorder.js";
import { $, toggleActed } from "./view.js";

const actions = new Actions();
export const picked = new Picked(actions);
actions.after = (isOfPicked) => isOfPicked && picked.clear();
const newcomers = new Newcomers(actions);
const reorder = new Reorder(actions, picked);
keys.listen(actions, picked, (by) => reorder.step(by));
cues.listen();
$("share").addEventListener("click", () => share(actions.fight));
$("acted").addEventListener("click", () => toggleActed(() => actions.fight?.draw()));
$("help").addEventListener("click", () => keys.showKeys());

// Only who shares links loads that panel.
async function share(fight) {
  const { Share } = await import("./share.js");
  fight.panel ??= new Share(fight);
  await fight.panel.open();
}

export function open(fight) {
  if (actions.fight === fight) return;
  leave();
  actions.fight = fight;
  fight.actions = actions;
}

export function draw(fight) {
  actions.draw();
  picked.draw();
  newcomers.draw();
  desk.draw(fight);
  $("share").hidden = fight.encounter.you.role !== "gm";
}

export function cue(fight) {
  cues.cue(fight);
  clock.run(fight.encounter, () => cues.timeIsOver(fight.encounter));
}

// Forgets what was chosen and opened in a fight.
export function leave() {
  actions.fight?.panel?.dialog.remove();
  actions.reset();
  picked.reset();
  newcomers.reset();
  desk.leave();
  clock.stop();
  actions.fight = null;
  $("share").hidden = true;
  document.body.classList.remove("picking", "own-turn");
}
