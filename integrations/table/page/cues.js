// Cues: a banner for a round and for the reader's turn, with sound, vibration and a notification, and a screen that stays on.

import { keep, kept } from "./kept.js";
import { $, isOwnTurn } from "./view.js";
import { roundName, sentence } from "./words.js";

const QUIET = "quiet";
const SHOWN = 2600;
// Two rising notes, in hertz.
const NOTES = [587, 880];

let audio;
let timer;
let lock;
// The round and the turn of the last cue.
let heard = {};

const isQuiet = () => kept(QUIET) === true;

function banner(words, kind) {
  clearTimeout(timer);
  $("banner").className = kind;
  $("banner").textContent = words;
  timer = setTimeout(() => { $("banner").textContent = ""; }, SHOWN);
}

// A browser allows sound after the reader has touched the page.
function sound() {
  if (!audio || audio.state !== "running") return;
  NOTES.forEach((frequency, place) => {
    const start = audio.currentTime + place * 0.18;
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.type = "triangle";
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, start);
    volume.gain.exponentialRampToValueAtTime(0.4, start + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, start + 0.5);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.55);
  });
}

// Some browsers allow notifications to service workers only.
function notify(words, about) {
  if (!document.hidden || globalThis.Notification?.permission !== "granted") return;
  try {
    const shown = new Notification(words, { body: about, tag: "turnkeeper", icon: "table/icon.svg" });
    shown.onclick = () => { focus(); shown.close(); };
  } catch {
    // The title of the tab says it too.
  }
}

function call(words, encounter) {
  banner(words, "yours");
  if (isQuiet()) return;
  sound();
  navigator.vibrate?.([250, 120, 250]);
  notify(words, encounter.name);
}

// The call to the reader's combatants now: their turn, or else the usual answer to a decision.
function asked(encounter, options) {
  const own = (id) => encounter.you.combatants.includes(id);
  if (isOwnTurn(encounter)) return { words: "Your turn", key: `${encounter.current.filter(own)} ${encounter.round}` };
  const decides = options?.version === encounter.version && options.items.some(({ primary, actor }) => primary && own(actor));
  return decides ? { words: "Your decision", key: `${encounter.pending?.decision} ${encounter.round}` } : { words: "", key: "" };
}

// Compares the state with the last one, and cues what is new.
export function cue({ encounter, options, manifest }) {
  const { id, round, status } = encounter;
  const now = { id, round, ...asked(encounter, options) };
  const before = heard.id === id ? heard : now;
  heard = now;
  stayAwake(status === "running");
  if (status === "running" && round > before.round && round > 0) banner(sentence(roundName(round, manifest)), "round");
  const isNew = now.key && now.key !== before.key;
  const isFresh = now.words === "Your turn" || before.words !== "Your turn" || now.round !== before.round;
  if (isNew && isFresh) call(now.words, encounter);
}

// The time of the turn is over: all readers see it; the game master and the player of the turn hear it.
export function timeIsOver(encounter) {
  if (encounter.you.role === "gm" || isOwnTurn(encounter)) call("Time is over", encounter);
  else banner("Time is over", "round");
}

// The screen of a phone stays on while the fight runs and the page is seen. It needs https, or this computer.
async function stayAwake(running) {
  if (!running) return lock?.release?.();
  if (lock || document.hidden || !navigator.wakeLock) return undefined;
  lock = {};
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => { lock = undefined; });
  } catch {
    lock = undefined;
  }
  return undefined;
}

function showSwitches() {
  const quiet = isQuiet();
  $("sound").ariaPressed = String(!quiet);
  $("sound").textContent = quiet ? "🔇 Sound is off" : "🔊 Sound is on";
  $("notify").hidden = globalThis.Notification?.permission !== "default";
}

function switchSound() {
  keep(QUIET, isQuiet() ? null : true);
  showSwitches();
  if (!isQuiet()) sound();
}

export function listen() {
  showSwitches();
  $("sound").addEventListener("click", switchSound);
  $("notify").addEventListener("click", () => Notification.requestPermission().then(showSwitches, showSwitches));
  const open = () => {
    if (!document.body.classList.contains("player")) return;
    audio ??= globalThis.AudioContext && new AudioContext();
    audio?.resume().catch(() => {});
  };
  for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, open, { capture: true });
}
