// Rows that the rules let the reader drag: to another place, or into the next turn if it is empty.

import { command } from "./options.js";
import { toast } from "./toast.js";
import { $ } from "./view.js";

// So near to an edge of the list's part of the screen, in pixels, a dragged row scrolls the page by so many pixels a frame.
const [EDGE, STEP] = [56, 8];

// The rows of a combatant that have a place. Who is out has none.
const placesOf = (order, id) => order.filter((entry) => entry.combatant === id && !entry.out);

// Whether a command to reorder moves this row: of a combatant with several turns, that of the next one.
export function isMoved(order, entry) {
  const own = placesOf(order, entry.combatant);
  return entry === (own.find(({ current, acted }) => !current && !acted) ?? own[0]);
}

// Whether `before` its combatant means this row: of several, that of the present turn, or else of the next one.
function isMet(order, entry) {
  const own = placesOf(order, entry.combatant);
  return entry === (own.find(({ current }) => current) ?? own.find(({ acted }) => !acted) ?? own.at(-1));
}

export class Reorder {
  constructor(actions, picked) {
    Object.assign(this, { actions, picked });
    const rows = $("rows");
    rows.addEventListener("pointerdown", (event) => event.target.matches(".grip") && this.grab(event));
    rows.addEventListener("pointermove", (event) => Object.assign(this, { x: event.clientX, y: event.clientY }));
    rows.addEventListener("pointerup", () => this.dragged && this.drop());
    rows.addEventListener("pointercancel", () => this.end());
  }

  grab(event) {
    event.preventDefault();
    this.dragged = event.target.closest(".row");
    event.target.setPointerCapture(event.pointerId);
    Object.assign(this, { x: event.clientX, y: event.clientY });
    this.follow();
  }

  // The rows between which this one can stand, from the top, and itself.
  places(moved) {
    const { order } = this.actions.fight.encounter;
    const entries = new Map(this.picked.rows().map((row) => [row, order[Number(row.dataset.at)]]));
    const isOther = (row) => row.dataset.combatant !== moved.dataset.combatant;
    return [...entries].filter(([row, entry]) => row === moved || (isOther(row) && isMet(order, entry))).map(([row]) => row);
  }

  // True if the rules let a row be moved.
  canMove(row) {
    const entry = this.actions.fight.encounter.order[Number(row?.dataset.at)];
    return Boolean(entry) && this.picked.canMove(entry);
  }

  // The empty turn below the pointer, if the dragged row can take it.
  turn() {
    const row = document.elementFromPoint(this.x, this.y)?.closest("#rows .row.next:not([data-combatant])");
    return row && this.dragged.querySelector("button.answer") ? row : undefined;
  }

  // Marks where the dragged row would stand.
  hover() {
    const turn = this.turn();
    const places = !turn && this.canMove(this.dragged) ? this.places(this.dragged) : [];
    this.before = places.find((row) => {
      const { top, height } = row.getBoundingClientRect();
      return this.y < top + height / 2;
    });
    for (const row of $("rows").children) {
      row.classList.toggle("dragged", row === this.dragged);
      row.classList.toggle("before", row === this.before);
      row.classList.toggle("after", !this.before && row === places.at(-1));
      row.classList.toggle("into", row === turn);
    }
  }

  // Follows the pointer from frame to frame. A list that is longer than the screen comes to it. On a phone the buttons cover its end.
  follow() {
    if (!this.dragged) return;
    const [list, buttons] = [$("order"), $("actions")].map((part) => part.getBoundingClientRect());
    const bottom = buttons.left < list.right && buttons.height ? Math.min(buttons.top, innerHeight) : innerHeight;
    const by = this.y < EDGE ? -STEP : this.y > bottom - EDGE ? STEP : 0;
    if (by) scrollBy(0, by);
    this.hover();
    requestAnimationFrame(() => this.follow());
  }

  drop() {
    this.hover();
    const { dragged, before } = this;
    const [turn, places] = [this.turn(), this.places(dragged)];
    this.end();
    if (turn) {
      const { dataset } = dragged.querySelector("button.answer");
      return this.actions.press(dataset.key, false, dataset);
    }
    if (!this.canMove(dragged)) return;
    const place = before ? places.indexOf(before) : places.length;
    if (before === dragged || place === places.indexOf(dragged) + 1) return;
    this.send(dragged, before);
  }

  end() {
    for (const row of $("rows").children) row.classList.remove("dragged", "before", "after", "into");
    this.dragged = this.before = undefined;
  }

  // Moves the row with focus by the keyboard.
  step(by) {
    const row = this.picked.row();
    if (!this.canMove(row)) return void toast("The rules do not move this row.") ?? true;
    const places = this.places(row);
    const place = places.indexOf(row);
    if (place + by >= 0 && place + by < places.length) this.send(row, by < 0 ? places[place - 1] : places[place + 2]);
    return true;
  }

  send(row, before) {
    const combatant = row.dataset.combatant;
    const values = { combatant, ...(before && { before: before.dataset.combatant }) };
    const make = () => [command(this.actions.fight.options, "reorder", values)].filter(Boolean);
    if (make().length) this.actions.apply(make);
    else toast("The rules do not allow this place.");
  }
}
