// One line at the edge of the page: what the last press did, and a button that takes it back.

import { $, h } from "./view.js";

// In milliseconds: long enough to reach the button.
const SHOWN = 4000;
const SHOWN_WITH_BUTTON = 9000;
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

export function toast(words, back) {
  const press = back && h("button", { type: "button" }, back.words);
  press?.addEventListener("click", () => {
    hideToast();
    back.act();
  });
  $("toast").replaceChildren(h("p", {}, words), ...(press ? [press] : []));
  later(press ? SHOWN_WITH_BUTTON : SHOWN);
}
