// One line at the edge of the page: what the last press did, and a button that takes it back.

import { $, h } from "./view.js";

// In milliseconds: long enough to reach the button.
const SHOWN = 4000;
const SHOWN_WITH_BUTTON = 7000;
let timer;

export function hideToast() {
  clearTimeout(timer);
  $("toast").replaceChildren();
}

// A reader who is at the line keeps it.
function later(ms) {
  clearTimeout(timer);
  timer = setTimeout(() => ($("toast").matches(":hover, :focus-within") ? later(ms) : hideToast()), ms);
}

// `back` is a button for what the log tells too: only the button is read out.
export function toast(words, back) {
  const press = back && h("button", { type: "button" }, back.words);
  press?.addEventListener("click", () => {
    hideToast();
    back.act();
  });
  $("toast").replaceChildren(h("p", { "aria-hidden": back ? "true" : undefined }, words), ...(press ? [press] : []));
  later(press ? SHOWN_WITH_BUTTON : SHOWN);
}
