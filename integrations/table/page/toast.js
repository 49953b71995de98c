// One line at the edge of the page: what the last press did, and a button that takes it back.

import { $, h } from "./view.js";

const SHOWN = 8000;
let timer;

export function hideToast() {
  clearTimeout(timer);
  $("toast").replaceChildren();
}

// A reader who is at the line keeps it.
function later() {
  clearTimeout(timer);
  timer = setTimeout(() => ($("toast").matches(":hover, :focus-within") ? later() : hideToast()), SHOWN);
}

export function toast(words, back) {
  const press = back && h("button", { type: "button" }, back.words);
  press?.addEventListener("click", () => {
    hideToast();
    back.act();
  });
  $("toast").replaceChildren(h("p", {}, words), ...(press ? [press] : []));
  later();
}
