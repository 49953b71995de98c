// The panel that hands out links: who has one, new ones for players and screens, and their revocation.

import { Problem } from "./api.js";
import { command } from "./options.js";
import { qr } from "./qr.js";
import { $, h, personOf, redraw } from "./view.js";
import { list, nameOf, refusal } from "./words.js";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
// A server that listens to all addresses is at each of them, and says this one.
const EVERY = /^(0\.0\.0\.0|\[::\])$/;
// The light border that readers of codes need, in modules.
const BORDER = 4;

function code(text) {
  const rows = qr(text);
  if (!rows) return h("p", { class: "hint" }, "This address is too long for a code.");
  const size = rows.length + 2 * BORDER;
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x + BORDER} ${y + BORDER}h1v1h-1z` : ""))).join("");
  return h("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": "QR code of the link", "shape-rendering": "crispEdges" },
    h("rect", { width: size, height: size, fill: "#fff" }), h("path", { d: path, fill: "#000" }));
}

// Pages over plain http in a local network have no clipboard: then the text of the link is selected. Says whether it was copied.
async function copy(input) {
  try {
    await navigator.clipboard.writeText(input.value);
    return true;
  } catch {
    input.select();
    return document.execCommand("copy");
  }
}

export class Share {
  constructor(fight) {
    this.fight = fight;
    // The secrets of links that this page made: the server shows each of them once.
    this.secrets = fight.secrets;
    this.shown = undefined;
    this.dialog = h("dialog", { id: "share-panel", "aria-labelledby": "share-title" },
      h("h2", { id: "share-title", tabindex: -1 }, "Share the fight"),
      h("div", { id: "share-address" }),
      h("p", { id: "share-told", role: "alert" }),
      h("ul", { id: "links" }),
      h("form", { id: "new-link" }),
      h("form", { method: "dialog" }, h("button", {}, "Close")));
    document.body.append(this.dialog);
    this.dialog.addEventListener("click", ({ target }) => {
      const pressed = target.closest("button[data-do]");
      if (pressed) this.try(() => this[pressed.dataset.do](pressed.dataset.token));
    });
    this.dialog.addEventListener("input", ({ target }) => {
      if (target.id === "address") this.draw();
      if (target.id === "holder") this.tickOwn(target.value.trim());
    });
    $("new-link").addEventListener("submit", (event) => {
      event.preventDefault();
      this.try(() => this.addPlayer());
    });
  }

  async open() {
    this.drawAddress();
    this.shown = undefined;
    $("share-told").textContent = "";
    this.dialog.showModal();
    $("share-title").focus();
    await this.try(() => this.read());
  }

  // Runs a step, and says what stands in its way.
  async try(step) {
    $("share-told").textContent = "";
    try {
      await step();
    } catch (error) {
      $("share-told").textContent = error instanceof Problem ? refusal(error, this.fight.manifest) : error.message;
    }
  }

  async read() {
    this.tokens = await this.fight.readTokens();
    this.draw();
  }

  get base() {
    const typed = $("address").value.trim().replace(/\/+$/, "");
    if (!typed) return location.origin;
    return typed.includes("//") ? typed : `${location.protocol}//${typed}`;
  }

  link(token) {
    const parts = new URLSearchParams({ encounter: this.fight.encounter.id, token: this.secrets.get(token) });
    return `${this.base}${location.pathname}#${parts}`;
  }

  drawAddress() {
    if ($("address")) return;
    const isLoopback = LOOPBACK.test(location.hostname);
    const isLocal = isLoopback || EVERY.test(location.hostname);
    const listen = ["Start the server with ", h("code", {}, `TURNKEEPER_LISTEN=0.0.0.0:${location.port || 80}`), ". Then open"];
    const example = `${location.protocol}//192.168.1.20:${location.port || 80}`;
    const input = h("input", { id: "address", type: "url", autocomplete: "off", spellcheck: "false", value: isLocal ? undefined : location.origin, placeholder: example });
    $("share-address").append(
      isLocal ? h("p", { class: "warn" }, "Phones cannot open ", h("code", {}, location.host), ": only this computer can. ", isLoopback ? listen : "Open",
        " this page by the address of this computer in your network, or type that address here.") : "",
      h("div", { class: "field" }, h("label", { for: "address" }, "Address in the links"), input));
  }

  draw() {
    if (!this.tokens) return;
    redraw($("links"), this.tokens.map((token) => this.row(token)), $("share-title"));
    this.drawNew();
  }

  row({ id, role, name, combatants }) {
    const { encounter } = this.fight;
    const plays = combatants.map((one) => nameOf(encounter, one));
    const what = { gm: "Game master", player: plays.length ? list(plays) : "Player", spectator: "Screen or spectator" }[role];
    const words = name ? `${name} · ${what}` : what;
    const does = (step, label, kind = "quiet") => h("button", { type: "button", class: kind, "data-do": step, "data-token": id, "data-key": step, "aria-label": `${label}: ${words}` }, label);
    const isKnown = this.secrets.has(id);
    const isMe = id === encounter.you.id;
    return h("li", { "data-key": id },
      h("p", {}, h("strong", {}, words), isMe && " (you)"),
      isKnown && h("input", { id: `link-${id}`, readonly: true, "aria-label": `Link: ${words}`, value: this.link(id) }),
      h("div", { class: "buttons" },
        isKnown && does("copy", this.copied === id ? "Copied" : "Copy", ""), isKnown && does("code", this.shown === id ? "Hide code" : "QR code", ""),
        !isKnown && !isMe && role !== "gm" && does("renew", "New link"), !isMe && does("revoke", "Revoke")),
      isKnown && this.shown === id && code(this.link(id)));
  }

  // The form for a player's link. Characters without a link come first.
  drawNew() {
    const { combatants } = this.fight.encounter;
    const has = new Set(this.tokens.flatMap((token) => (token.role === "player" ? token.combatants : [])));
    const free = combatants.filter(({ id, kind }) => kind === "pc" && !has.has(id));
    const others = combatants.filter((one) => !free.includes(one) && !one.hidden);
    const tick = ({ id, name }) => h("span", { class: "tick", "data-key": id }, h("input", { type: "checkbox", id: `plays-${id}`, value: id }), h("label", { for: `plays-${id}` }, name));
    redraw($("new-link"), [
      free.length > 0 && h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", "data-do": "addAll" }, free.length > 1 ? `A link for each of ${free.length} characters` : `A link for ${free[0].name}`)),
      h("fieldset", {}, h("legend", {}, "A player's link"),
        h("div", { class: "field" }, h("label", { for: "holder" }, "Player's name"), h("input", { id: "holder", autocomplete: "off", maxlength: 80 })),
        h("div", { class: "members", role: "group", "aria-label": "Plays" }, [...free, ...others].map(tick)),
        h("div", { class: "buttons" }, h("button", {}, "Make the link"))),
      h("div", { class: "buttons" }, h("button", { type: "button", "data-do": "addScreen" }, "A link for a screen or spectator")),
    ], $("share-title"));
  }

  async add(token) {
    const { token: secret, id } = await this.fight.api.write("POST", "/tokens", token);
    this.secrets.set(id, secret);
    this.shown = id;
    return id;
  }

  async addPlayer() {
    const ticks = [...$("new-link").querySelectorAll("input:checked")];
    const combatants = ticks.map(({ value }) => value);
    if (!combatants.length) throw new Error("Choose at least one combatant for the player.");
    const name = $("holder").value.trim();
    await this.add({ role: "player", combatants, ...(name && { name }) });
    for (const tick of ticks) tick.checked = false;
    $("holder").value = "";
    await this.read();
    if (name) await this.nameController(name, combatants);
  }

  // Ticks what a player of this name plays.
  tickOwn(name) {
    const own = this.fight.encounter.combatants.filter((one) => !one.hidden && name && personOf(one) === name);
    for (const { id } of own) $(`plays-${id}`).checked = true;
  }

  // Everybody sees who plays a combatant.
  async nameController(controller, combatants) {
    const { combatants: all } = this.fight.encounter;
    const change = (combatant) => all.find(({ id }) => id === combatant)?.controller !== controller && command(this.fight.options, "update_combatant", { combatant, changes: { controller } });
    await this.fight.actions.apply(() => combatants.map(change).filter(Boolean));
  }

  async addAll() {
    const has = new Set(this.tokens.flatMap(({ combatants }) => combatants));
    for (const combatant of this.fight.encounter.combatants) {
      const { id, kind } = combatant;
      const name = personOf(combatant);
      if (kind === "pc" && !has.has(id)) await this.add({ role: "player", combatants: [id], ...(name && { name }) });
    }
    this.shown = undefined;
    await this.read();
  }

  async addScreen() {
    await this.add({ role: "spectator" });
    await this.read();
  }

  // The same rights under another secret: the first one is not known any more.
  async renew(token) {
    const { role, name, combatants, expires_at } = this.tokens.find(({ id }) => id === token);
    await this.add({ role, ...(name && { name }), ...(expires_at && { expires_at }), ...(role === "player" && { combatants }) });
    await this.revoke(token);
  }

  async revoke(token) {
    await this.fight.api.request(`/tokens/${encodeURIComponent(token)}`, { method: "DELETE" });
    this.secrets.delete(token);
    await this.read();
  }

  async copy(token) {
    if (!(await copy($(`link-${token}`)))) throw new Error("Copy the selected link.");
    this.copied = token;
    this.draw();
  }

  code(token) {
    this.shown = this.shown === token ? undefined : token;
    this.draw();
  }
}
