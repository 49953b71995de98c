// Rows that are dragged to another place, where the rules offer it.

import { command } from "./options.js";
import { toast } from "./toast.js";
import { $ } from "./view.js";

export class Reorder {
  constructor(actions, picked) {
    Object.assign(this, { actions, picked });
    const rows = $("rows");
    rows.addEventListener("pointerdown", (event) => event.target.matches(".grip") && this.grab(event));
    rows.addEventListener("pointermove", (event) => this.dragged && this.hover(event.clientY));
    rows.addEventListener("pointerup", () => this.dragged && this.drop());
    rows.addEventListener("pointercancel", () => this.end());
  }

  grab(event) {
    event.preventDefault();
    this.dragged = event.target.closest(".row");
    event.target.setPointerCapture(event.pointerId);
    this.dragged.classList.add("dragged");
  }

  // The row that the dragged one would come before; none at the end.
  hover(y) {
    const below = this.picked.rows().find((row) => {
      const { top, height } = row.getBoundingClientRect();
      return y < top + height / 2;
    });
    if (below === this.before) return;
    this.mark(below);
  }

  mark(row) {
    for (const one of $("rows").children) one.classList.toggle("before", one === row);
    $("rows").classList.toggle("at-end", !row);
    this.before = row;
  }

  drop() {
    const { dragged, before } = this;
    this.end();
    const rows = this.picked.rows();
    const place = before ? rows.indexOf(before) : rows.length;
    if (before === dragged || place === rows.indexOf(dragged) + 1) return;
    this.send(dragged, before);
  }

  end() {
    this.dragged?.classList.remove("dragged");
    this.mark(null);
    $("rows").classList.remove("at-end");
    this.dragged = this.before = undefined;
  }

  // Moves the row with focus by the keyboard.
  step(by) {
    const [rows, row] = [this.picked.rows(), this.picked.row()];
    const place = rows.indexOf(row);
    if (place < 0 || place + by < 0 || place + by >= rows.length) return false;
    this.send(row, by < 0 ? rows[place - 1] : rows[place + 2]);
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
