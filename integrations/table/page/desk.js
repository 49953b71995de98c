// The foot of a fight's page: the way back, remembering the fight in this browser, and the export of its log.

import { Problem, isPassing } from "./api.js";
import { fights } from "./saved.js";
import { toast } from "./toast.js";
import { $ } from "./view.js";
import { gameOf, refusal } from "./words.js";

const nameOf = (encounter) => encounter.name || "A fight";

// The kept record of a fight: its address and token, its name and its game.
export function keep(fight) {
  fights.keep({ ...fight, at: Date.now() });
}

// Saves a text as a file of the reader.
function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads the file after this.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

class Desk {
  constructor() {
    $("remember").addEventListener("click", () => this.toggle());
    $("home").addEventListener("click", (event) => this.warn(event));
    $("numbers").addEventListener("click", () => this.load(async () => (await import("./statistics.js")).show(this.fight.api)));
    $("export").addEventListener("click", () => this.load(() => this.export()));
  }

  get key() {
    return `${this.fight.api.id} ${this.fight.api.token}`;
  }

  draw(fight) {
    this.fight = fight;
    const { encounter } = fight;
    $("desk").hidden = false;
    $("export").hidden = encounter.you.role !== "gm";
    const known = fights.find(this.key);
    if (known && known.name !== nameOf(encounter)) this.tried(() => this.keep());
    $("remember").ariaPressed = String(Boolean(known));
    $("remember").textContent = known ? "Remembered in this browser" : "Remember this fight";
  }

  leave() {
    this.warned = false;
    $("desk").hidden = true;
    $("desk-told").textContent = "";
  }

  keep() {
    const { encounter, manifest, api } = this.fight;
    const game = fights.find(this.key)?.game || gameOf(encounter, manifest);
    keep({ id: api.id, token: api.token, name: nameOf(encounter), game, role: encounter.you.role });
  }

  toggle() {
    this.tried(() => (fights.find(this.key) ? fights.forget(this.key) : this.keep()));
    this.draw(this.fight);
  }

  // A game master who leaves a fight needs its link again.
  warn(event) {
    if (this.warned || this.fight.encounter.you.role !== "gm" || fights.find(this.key)) return;
    event.preventDefault();
    this.warned = true;
    toast("This browser does not remember the fight. Remember it or keep its link, then press All fights again.");
  }

  tried(step) {
    try {
      step();
      $("desk-told").textContent = "";
    } catch (error) {
      $("desk-told").textContent = error.message;
    }
  }

  // Reads something of the server, and says if that fails.
  async load(step) {
    try {
      await step();
      $("desk-told").textContent = "";
    } catch (error) {
      $("desk-told").textContent = error instanceof Problem && !isPassing(error) ? refusal(error, this.fight.manifest) : "The server does not answer. Try again later.";
    }
  }

  async export() {
    const { api, encounter } = this.fight;
    const log = await (await api.request("/export")).blob();
    save(`${nameOf(encounter).replace(/[^\p{L}\p{N}]+/gu, "-").toLowerCase()}-${encounter.version}.json`, log);
  }
}

export const desk = new Desk();
