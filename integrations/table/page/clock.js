// The time of a turn, counted from the moment that the server names. Nothing ends by itself.

import { serverTime } from "./api.js";
import { $ } from "./view.js";
import { spelt } from "./words.js";

const SECOND = 1000;
let [ticking, told] = [undefined, undefined];

// Shows what is left of the turn, or how long it is over. `over` is called once for each turn.
function tick({ since, turn_seconds: seconds }, over) {
  const left = seconds - Math.floor((serverTime() - Date.parse(since)) / SECOND);
  $("clock").className = left > 0 ? "" : "over";
  $("clock").textContent = left > 0 ? `${spelt(Math.min(left, seconds))} left` : `Time is over${left ? ` since ${spelt(-left)}` : ""}`;
  if (left > 0 || told === since) return;
  told = since;
  // A reader who opens the page later is not told.
  if (left > -3) over();
}

export function run(encounter, over) {
  stop();
  const { status, since, turn_seconds: seconds } = encounter;
  $("clock").hidden = !(seconds && since && status === "running");
  if ($("clock").hidden) return;
  tick(encounter, over);
  ticking = setInterval(() => tick(encounter, over), SECOND);
}

export function stop() {
  clearInterval(ticking);
  $("clock").hidden = true;
}
