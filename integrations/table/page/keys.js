// The keys of the page, and the list of them.

import { keep, kept } from "./kept.js";
import { toast } from "./toast.js";
import { $, h } from "./view.js";

const OFF = "keys-off";

const KEYS = [
  ["↑ ↓", "Go to a row; with Shift choose rows on the way"],
  ["Space", "Choose the row"],
  ["1 – 9, 0", "Choose a row by its number, counted from who acts: 0 is the tenth"],
  ["Shift 1 – 9, 0", "Answer the decision with that row: who acts next, who claims the turn"],
  ["d", "Damage what is chosen: type a number, then Enter"],
  ["h", "Heal what is chosen"],
  ["c", "Add a condition to what is chosen: type it, then Enter"],
  ["a", "Add newcomers: type a line, then Enter; Esc leaves it"],
  ["n", "Continue: the large button, usually the end of the turn"],
  ["u", "Undo the last step"],
  ["Alt ↑ ↓", "Move the row in the order, if the rules allow it"],
  ["Esc", "Clear the choice"],
  ["?", "Show this list"],
];

const isOff = () => kept(OFF) === true;

function switchOff(off) {
  if (!keep(OFF, off || null)) toast("This browser does not keep settings.");
}

// Shows the list of keys, made at its first use.
export function showKeys() {
  if (!$("keys")) {
    const tick = h("input", { type: "checkbox", id: "keys-on" });
    const dialog = h("dialog", { id: "keys", "aria-labelledby": "keys-title" },
      h("h2", { id: "keys-title", tabindex: -1 }, "Keys"),
      h("dl", {}, KEYS.map(([key, words]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, words)))),
      h("div", { class: "tick" }, tick, h("label", { for: "keys-on" }, "Letters and numbers work as keys")),
      h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")));
    tick.addEventListener("change", () => switchOff(!tick.checked));
    document.body.append(dialog);
  }
  $("keys-on").checked = !isOff();
  $("keys").showModal();
  $("keys-title").focus();
}

const TYPES = ["INPUT", "TEXTAREA", "SELECT"];

// The field of hit points takes numbers alone, and arrows once it has one.
const isForRows = ({ target, key }) => target.id === "amount" && (/^[a-z?]$/.test(key) || (key.startsWith("Arrow") && !target.value));

function isTyping(event) {
  return TYPES.includes(event.target.nodeName) && event.target.type !== "checkbox" && !isForRows(event);
}

export function listen(actions, picked, move) {
  const letters = {
    d: () => picked.beginHit("damage"),
    h: () => picked.beginHit("heal"),
    c: () => picked.beginCondition(),
    a: () => $("newcomers").hidden || $("newcomer").focus(),
    n: () => {
      const usual = actions.pressUsual();
      if (usual !== 1) toast(usual ? "Choose a combatant: press Shift and the number of its row, or its button." : "No turn can end now.");
    },
    u: () => actions.pressFirst(({ command }) => command.type === "undo") || toast("There is nothing to undo."),
  };
  const arrow = (event, by) => {
    // The log and the fields use arrows themselves.
    if (event.target.closest("#log, #picked, #actions") && !event.target.matches("#amount, #actions-title")) return false;
    if (event.altKey) return move(by);
    picked.step(by, event.shiftKey);
    return true;
  };
  const press = (event) => {
    if (event.key === "ArrowDown") return arrow(event, 1);
    if (event.key === "ArrowUp") return arrow(event, -1);
    if (event.altKey) return false;
    if (isOff()) return false;
    if (event.key === "?") return showKeys() ?? true;
    const digit = /^Digit(\d)$/.exec(event.code)?.[1];
    if (event.shiftKey && digit) return answer(numbered(digit));
    if (/^\d$/.test(event.key)) return choose(numbered(event.key));
    const act = letters[event.key];
    act?.();
    return act !== undefined;
  };
  const numbered = (digit) => $("rows").querySelector(`[data-digit="${digit}"]`)?.closest(".row");
  const answer = (row) => {
    if (!row || !actions.pressAbout(row.dataset.combatant)) toast("This row is no answer now.");
    return true;
  };
  const choose = (row) => {
    if (!row) return false;
    picked.toggle(row.dataset.combatant);
    picked.focusRow(row);
    return true;
  };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || $("fight").hidden || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") return picked.clear();
    // A key that is held presses once.
    if (event.repeat && !event.key.startsWith("Arrow")) return;
    if (isTyping(event) || !press(event)) return;
    event.preventDefault();
    document.body.classList.add("by-keys");
  });
  document.addEventListener("pointerdown", () => document.body.classList.remove("by-keys"));
}
