// Combatants that join a fight, typed as lines: `3 Wolves 11hp`.

import { find } from "./options.js";
import { Roster, vocabulary } from "./roster.js";
import { toast } from "./toast.js";
import { $, h } from "./view.js";

// The most commands of one request.
const MOST = 50;

// The highest number of each name that is numbered, such as 2 for Wolf.
function numbersOf(combatants) {
  const numbers = new Map();
  for (const { name } of combatants) {
    const [, base, number] = /^(.+) (\d+)$/.exec(name) ?? [];
    if (base) numbers.set(base, Math.max(numbers.get(base) ?? 0, Number(number)));
  }
  return numbers;
}

export class Newcomers {
  constructor(actions) {
    this.actions = actions;
    this.text = h("input", { id: "newcomer", maxlength: 500, autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "3 Wolves 11hp", "aria-label": "Newcomers" });
    this.side = h("select", { "aria-label": "They join as" }, h("option", { value: "monsters" }, "Monsters"), h("option", { value: "players" }, "Players"));
    $("newcomers").append(this.text, this.side, h("button", { type: "submit", class: "quiet" }, "Add"));
    this.text.addEventListener("keydown", ({ key }) => key === "Escape" && this.text.blur());
    $("newcomers").addEventListener("submit", (event) => {
      event.preventDefault();
      this.add();
    });
  }

  reset() {
    this.text.value = "";
    this.side.value = "monsters";
  }

  draw() {
    $("newcomers").hidden = !find(this.actions.fight.options, "add_combatant", {});
  }

  // The combatants of the line, or why there are none.
  read() {
    const { encounter, manifest } = this.actions.fight;
    const definition = encounter.options?.definition;
    const roster = new Roster({ line: this.text.value }, { line: this.side.value }, vocabulary(manifest, definition), definition, numbersOf(encounter.combatants));
    const [line] = roster.lines;
    if (!line) throw new Error("Type who joins, such as 3 Wolves 11hp.");
    if (line.error) throw new Error(line.error);
    const [left] = line.rest;
    if (left) throw new Error(`"${left.text}": ${left.reason}`);
    if (roster.combatants.length > MOST) throw new Error(`At most ${MOST} can join at once.`);
    return roster.combatants;
  }

  async add() {
    this.text.focus();
    try {
      const [typed, details] = [this.text.value, this.read()];
      // The reader may type the next line meanwhile.
      this.text.value = "";
      const make = () => details.map((one) => ({ type: "add_combatant", details: one }));
      if (!(await this.actions.apply(make)) && !this.text.value) this.text.value = typed;
    } catch (error) {
      toast(error.message);
    }
  }
}
