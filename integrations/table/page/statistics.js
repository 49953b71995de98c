// The statistics of a fight, in a table.

import { $, h } from "./view.js";
import { spelt } from "./words.js";

const COLUMNS = [
  ["turns", "Turns"],
  ["seconds", "Time"],
  ["damage_dealt", "Dealt"],
  ["damage_taken", "Taken"],
  ["healed", "Healed"],
];

// Leaves out columns without a number above 0.
function table({ combatants }) {
  const columns = COLUMNS.filter(([field]) => field === "turns" || combatants.some((one) => one[field] > 0));
  const cell = (one, field) => h("td", {}, field === "seconds" ? spelt(one.seconds) : String(one[field]));
  const row = (one) => h("tr", {}, h("th", { scope: "row" }, one.name ?? one.combatant), columns.map(([field]) => cell(one, field)));
  return h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Combatant"), columns.map(([, title]) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, combatants.map(row)));
}

export async function show(api) {
  const statistics = await api.read("/statistics");
  $("statistics")?.remove();
  const gone = statistics.from_version > 0 && h("p", { class: "hint" }, "The oldest part of the log is gone, and is not counted.");
  const dialog = h("dialog", { id: "statistics", "aria-labelledby": "statistics-title" },
    h("h2", { id: "statistics-title", tabindex: -1 }, "Statistics"),
    h("div", { class: "wide" }, table(statistics)),
    h("p", { class: "hint" }, "Turns that have ended, the last ones with the fight. What was undone does not count."), gone,
    h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")));
  document.body.append(dialog);
  dialog.showModal();
  $("statistics-title").focus();
}
