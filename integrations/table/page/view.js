// Draws the fight. A redraw changes only what is different, so that focus and open parts stay.

import { awaited, gameOf, hitPoints, lasting, list, progress, reason, role, roundName, ruleText, sentence } from "./words.js";

export const $ = (id) => document.getElementById(id);

const SVG = ["svg", "rect", "path"];

export function h(tag, attributes = {}, ...children) {
  const node = SVG.includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child || child === 0));
  return node;
}

const keyOf = (node) => node.dataset?.key;

function update(old, fresh) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  // A reader opens and closes parts.
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  reconcile(old, [...fresh.childNodes]);
}

function reconcile(parent, children) {
  const left = [...parent.childNodes];
  children.forEach((fresh, place) => {
    const same = (old) => old.nodeName === fresh.nodeName && keyOf(old) === keyOf(fresh);
    const found = left.findIndex(same);
    const node = found < 0 ? fresh : left.splice(found, 1)[0];
    if (node !== fresh) update(node, fresh);
    const there = parent.childNodes[place];
    if (there !== node) parent.insertBefore(node, there ?? null);
  });
  left.forEach((node) => node.remove());
}

// Gives an element these children. What has focus keeps it, and `otherwise` gets it if that is gone.
export function redraw(parent, children, otherwise) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  reconcile(parent, children.flat(Infinity).filter(Boolean));
  if (focused && document.activeElement !== focused) (focused.isConnected ? focused : otherwise)?.focus({ preventScroll: true });
}

const SIDES = ["players", "monsters"];

// The colour of a side: players and monsters have their own, other sides share four.
function colour(encounter, side) {
  const others = [...new Set(encounter.combatants.map((combatant) => combatant.side))].filter((name) => !SIDES.includes(name));
  return SIDES.includes(side) ? side : `other-${others.indexOf(side) % 4}`;
}

const BANDS = { unhurt: 1, hurt: 0.75, bloodied: 0.5, critical: 0.25, down: 0 };

export function health(part) {
  const text = hitPoints(part);
  if (!text) return null;
  const { hp, hp_band: band } = part;
  const most = hp ? hp.max ?? hp.current : 1;
  const value = hp ? hp.current : BANDS[band] ?? 1;
  const share = most ? value / most : 0;
  const level = share > 0.5 ? "fine" : share > 0.25 ? "half" : "low";
  const bar = h("svg", { class: `bar ${level}`, "aria-hidden": "true" }, h("rect", { width: `${Math.round(100 * Math.min(share, 1))}%`, height: "100%" }));
  return h("span", { class: "health" }, bar, h("span", { class: "number" }, h("span", { class: "unseen" }, "Hit points: "), text));
}

export function conditionName(encounter, condition) {
  return encounter.options.definition?.titles?.[condition] ?? condition.replaceAll(/[_-]/g, " ");
}

function tags(encounter, combatant) {
  const effects = encounter.effects.filter((effect) => effect.target === combatant.id);
  const lasts = (effect) => lasting(encounter, effect);
  const words = [
    ...(combatant.hidden ? [h("li", { class: "hidden" }, "Hidden")] : []),
    ...(combatant.armor_class === undefined ? [] : [h("li", { class: "armor" }, `AC ${combatant.armor_class}`)]),
    ...combatant.conditions.filter((condition) => condition !== "aside").map((condition) => h("li", { class: "condition" }, conditionName(encounter, condition))),
    ...effects.map((effect) => h("li", { class: "effect" }, effect.name, lasts(effect) && h("small", {}, ` ${lasts(effect)}`))),
  ];
  return words.length ? h("ul", { class: "tags" }, words) : null;
}

const isDown = ({ hp, hp_band: band }) => (hp ? hp.current === 0 : band === "down");

function members(encounter, { members: all }) {
  const shown = all.filter((member) => hitPoints(member) || member.conditions.length);
  if (!shown.length) return all.length ? h("p", { class: "hint" }, `${all.length} members`) : null;
  const words = (member) => [member.id, hitPoints(member), member.conditions.map((condition) => conditionName(encounter, condition)).join(", ")].filter(Boolean).join(" · ");
  const one = (member) => h("li", { class: isDown(member) ? "down" : undefined }, words(member), isDown(member) && h("span", { class: "unseen" }, " (down)"));
  return h("ul", { class: "members" }, shown.map(one));
}

// The controllers that name no person.
const NOBODY = ["gm", "player"];

// The player that a controller names, if it is a person.
export const personOf = ({ controller }) => (NOBODY.includes(controller) ? "" : controller);

// Who plays a combatant: the holder of a token, as far as the viewer knows it, or the controller.
function player(encounter, combatant, players) {
  const { id } = combatant;
  if (encounter.you.role === "player" && encounter.you.combatants.includes(id)) return "You";
  return players.get(id) ?? personOf(combatant);
}

// A turn that nobody has: it keeps its place in the order.
function emptyTurn({ slot, name, note, next, acted }, key) {
  return h("li", { "data-key": key, class: `row ${next ? "next" : acted ? "acted" : ""}` },
    h("span", { class: "place" }, h("span", { class: "unseen" }, "Place "), slot),
    h("div", { class: "who" }, h("strong", { class: "name" }, name), " ", h("span", { class: "note" }, note)),
    h("div", { class: "state" }, h("span", { class: "word" }, next ? "Next" : undefined)));
}

// The turn of a team, or else the initiative, or else the card.
function placeOf({ slot, team, initiative, out }) {
  if (out) return h("span", { "aria-hidden": "true" }, "†");
  const place = (team ? slot : undefined) ?? initiative ?? slot ?? null;
  if (place === null) return "";
  const words = String(place);
  return [h("span", { class: "unseen" }, place === slot ? "Place " : "Initiative "), words.length > 3 ? h("small", {}, words) : words];
}

// What a row notes, without what it has a word for.
const remark = ({ note = "", next }) => note.split(", ").filter((words) => !(next && words === "next")).join(", ");

// A button on a row that answers what is decided.
function answer({ key, label, short, id }, isStop) {
  return h("button", { type: "button", class: "answer", "data-key": key, "data-about": id, "aria-label": label, tabindex: isStop ? undefined : -1 }, short);
}

function row(encounter, entry, { key, place, digit, isStop, answered, takes, physical, asksPhysical }, table) {
  const combatant = encounter.combatants.find(({ id }) => id === entry.combatant);
  if (!combatant) return entry.slot ? emptyTurn(entry, key) : null;
  const { id, side } = combatant;
  const isAside = entry.out && combatant.conditions.includes("aside");
  const state = isAside ? "aside" : entry.out ? "out" : entry.current ? "current" : entry.next ? "next" : entry.acted ? "acted" : "";
  const word = { aside: "Aside", out: "Out", current: "Acting", next: "Next", acted: "Acted" }[state];
  const person = player(encounter, combatant, table.players);
  const picked = table.ids.has(id);
  const kind = ["row", state, picked ? "picked" : "", person === "You" || isDown(combatant) ? "kept" : "", colour(encounter, side)].filter(Boolean).join(" ");
  return h("li", { "data-key": key, "data-at": place, "data-combatant": id, class: kind, "aria-current": state === "current" ? "true" : undefined },
    h("span", { class: "place" }, isAside ? "" : placeOf(entry)),
    h("div", { class: "who" },
      h("button", { type: "button", class: "name", "aria-pressed": String(picked), tabindex: isStop ? 0 : -1, "data-digit": digit }, entry.name),
      h("span", { class: "side" }, [side, person, entry.turn].filter(Boolean).join(" · ")), remark(entry) && h("span", { class: "note" }, remark(entry)),
      table.hasNote(id) && h("span", { class: "mark" }, "✎", h("span", { class: "unseen" }, " has notes")),
      tags(encounter, combatant), members(encounter, combatant)),
    h("div", { class: "state" }, health(combatant), physical, answered ? answer(answered, !asksPhysical) : h("span", { class: "word" }, word), (table.canMove(entry) || (answered && takes)) && h("span", { class: "grip", "aria-hidden": "true" }, "⠿")));
}

// Rows are told apart by their combatant or turn, and by how often it came before.
function rows(encounter, table) {
  const seen = new Map();
  const keys = encounter.order.map((entry) => {
    const name = entry.combatant ?? entry.slot;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return `${name} ${number}`;
  });
  // One row is reached by Tab, the others by arrows.
  const stop = keys.includes(table.cursor) ? table.cursor : keys[encounter.order.findIndex(({ combatant }) => combatant)];
  const [digits, answers] = [digitsOf(encounter, keys), table.answers()];
  // Of several rows of a combatant, the first that has not acted.
  const answerOf = ({ combatant, acted }) => {
    const found = acted ? undefined : answers.get(combatant);
    answers.delete(found?.id);
    return found;
  };
  const physical = table.physical();
  // The next turn is empty: who can take it is dragged into it.
  const takes = encounter.order.some((entry) => entry.next && !entry.combatant);
  const one = (entry, place) => row(encounter, entry, { key: keys[place], place, digit: digits.get(keys[place]), isStop: keys[place] === stop, answered: answerOf(entry), takes, physical: physical.get(entry.combatant), asksPhysical: physical.size > 0 }, table);
  return encounter.order.map((entry, place) => (isLater(entry) ? null : one(entry, place))).concat(encounter.status === "ended" ? [] : laterTurns(encounter.order));
}

// The rows that have digits, and the turn for which they got them.
let numbered = { turn: "", digits: new Map() };

// The digits of ten rows of combatants: from the one that acts, or acts next, and around; who is out comes last. A row keeps its digit for the turn.
function digitsOf({ id, round, current, order }, keys) {
  const turn = JSON.stringify([id, round, current, order.length, isFolding(order), current.length ? "" : order.find(({ next }) => next)?.combatant]);
  if (turn === numbered.turn) return numbered.digits;
  const isShown = ({ acted, current, out }) => !isFolding(order) || !acted || current || out;
  const all = order.flatMap((entry, place) => (entry.combatant && isShown(entry) ? [place] : []));
  const [places, outs] = [false, true].map((out) => all.filter((place) => order[place].out === out));
  const first = ["current", "next"].map((state) => places.findIndex((place) => order[place][state])).find((found) => found >= 0) ?? 0;
  const counted = [...places.slice(first), ...places.slice(0, first), ...outs].slice(0, 10);
  numbered = { turn, digits: new Map(counted.map((place, number) => [keys[place], (number + 1) % 10])) };
  return numbered.digits;
}

// An empty turn that does not come next.
const isLater = ({ combatant, slot, next }) => !combatant && slot && !next;

function laterTurns(order) {
  const names = order.filter((entry) => isLater(entry) && !entry.acted).map(({ name }) => name);
  return names.length ? [h("li", { "data-key": "later turns", class: "later" }, `Empty turns to come: ${names.join(", ")}`)] : [];
}

const ROLES = ["gm", "player", "spectator"];

export function isOwnTurn({ current, you }) {
  return current.some((id) => you.combatants.includes(id));
}

// True if a decision between turns is the reader's.
function isOwnChoice({ current, pending, you }) {
  return !current.length && Boolean(pending?.combatants.some((id) => you.combatants.includes(id)));
}

// Why it is this turn, or the rule that asks for what is awaited, behind a press.
function why(encounter, manifest) {
  const { pending, order } = encounter;
  const because = pending?.decision === "end_turn" ? order.find((entry) => entry.current)?.because : undefined;
  const text = pending?.decision === "start" ? "" : because ? `${reason(encounter, because)}. ${ruleText(manifest, because.rule)}` : pending && ruleText(manifest, pending.rule);
  return text && h("details", { class: "why" }, h("summary", {}, "Why"), h("p", { class: "hint" }, text));
}

// The large words at the top: who acts, or what is awaited.
function now(encounter, manifest) {
  const acting = encounter.combatants.filter(({ id }) => encounter.current.includes(id));
  const wait = awaited(encounter);
  const coming = encounter.order.filter((entry) => entry.next && !entry.current);
  const upcoming = coming.map(({ name }) => name);
  // It waits for others, who may interrupt.
  const held = encounter.status === "running" && coming.some(({ combatant }) => combatant && !encounter.pending?.combatants.includes(combatant));
  const over = encounter.status === "ended";
  const isLast = acting.length && encounter.round > 0 && !upcoming.length && encounter.order.every((entry) => entry.current || entry.acted || entry.out || !entry.combatant);
  if (isLast && !over) upcoming.push(roundName(encounter.round + 1, manifest));
  const hidden = encounter.pending?.decision === "someone_acts";
  const title = isOwnTurn(encounter) ? "Your turn" : isOwnChoice(encounter) ? "You choose" : acting.length || hidden ? "Acting now" : encounter.status === "running" ? "Between turns" : "The fight";
  const large = over ? "It is over" : acting.length ? list(acting.map(({ name }) => name)) : hidden ? "Someone" : wait || "Nobody acts";
  return [
    h("h2", { id: "now-title", class: "eyebrow" }, title),
    why(encounter, manifest),
    h("p", { class: `large${acting.length || hidden ? "" : " wait"}` }, large),
    acting.map((combatant) => h("div", { class: "acting", "data-key": combatant.id }, acting.length > 1 && h("strong", {}, combatant.name), health(combatant), tags(encounter, combatant))),
    acting.length && wait && h("p", { class: "also" }, `${sentence(wait)}.`),
    upcoming.length && (acting.length || hidden || held) && h("p", { class: "upcoming" }, h("span", {}, "Next"), " ", h("strong", {}, list(upcoming))),
  ];
}

// The fight and the width of the screen for which the panel has its height.
let measured = "";

// Keeps the panel from becoming lower in a fight, so that the rows below it do not move.
function keepHeight({ id }) {
  const [panel, now] = [$("now"), `${id} ${innerWidth}`];
  if (now !== measured) panel.style.minHeight = "";
  measured = now;
  if (!panel.querySelector("details[open]")) panel.style.minHeight = `${Math.min(panel.offsetHeight, innerHeight / 2)}px`;
}

function scene(encounter) {
  const all = encounter.effects.filter((effect) => !effect.target);
  return all.map((effect) => [effect.name, lasting(encounter, effect)].filter(Boolean).join(", ")).join(" · ");
}

// In an order of more rows than this, those that have acted are folded.
const MANY = 9;
const FOLDED = 2;

// True once the reader has unfolded them.
let isUnfolded = false;

const haveActed = (order) => order.filter((entry) => entry.acted && !entry.current && !entry.out).length;
const canFold = (order) => order.length > MANY && haveActed(order) >= FOLDED;
const isFolding = (order) => canFold(order) && !isUnfolded;

function fold(order) {
  const button = $("acted");
  button.hidden = !canFold(order);
  button.textContent = isUnfolded ? "Hide who has acted" : `${haveActed(order)} have acted`;
  button.ariaExpanded = String(isUnfolded);
  $("rows").classList.toggle("folded", isFolding(order));
}

// Folds them, or unfolds them; `redraw` draws the rows anew, whose numbers change.
export function toggleActed(redraw) {
  isUnfolded = !isUnfolded;
  redraw();
}

// The turn that was in view last.
let inView = "";

// Brings the row that acts, or acts next, into view once it is another one.
function keepInView({ id, round, current, order }) {
  const acting = order.find((entry) => entry.current) ?? order.find((entry) => entry.next);
  const now = JSON.stringify([id, round, current, acting?.combatant, acting?.slot]);
  if (now === inView) return;
  inView = now;
  const row = $("rows").querySelector(".row.current") ?? $("rows").querySelector(".row.next");
  if (!row || document.querySelector("dialog[open]")) return;
  const { top, bottom } = row.getBoundingClientRect();
  // On a phone, buttons lie over the end of the screen.
  const buttons = $("actions").getBoundingClientRect();
  const end = getComputedStyle($("actions")).position === "sticky" ? Math.min(innerHeight, buttons.top) : innerHeight;
  if (top < 0 || bottom > end) scrollBy({ top: top - end / 3 });
}

// Before the reader can choose rows.
const UNTOUCHED = { ids: new Set(), players: new Map(), answers: () => new Map(), physical: () => new Map(), canMove: () => false, hasNote: () => false };

// `table` says which rows are chosen, who plays whom, and which rows can be moved.
export function draw(encounter, manifest, table = UNTOUCHED) {
  const acting = encounter.combatants.find(({ id }) => encounter.current.includes(id));
  const own = isOwnTurn(encounter);
  document.title = [own && "Your turn", acting?.name, encounter.name || "A fight", "Turnkeeper"].filter(Boolean).join(" · ");
  for (const role of ROLES) document.body.classList.toggle(role, role === encounter.you.role);
  document.body.classList.toggle("own-turn", own);
  $("now").className = acting ? colour(encounter, acting.side) : "";
  $("name").textContent = encounter.name || "A fight";
  $("about").textContent = [progress(encounter, manifest), gameOf(encounter, manifest)].join(" · ");
  $("you").textContent = role(encounter.you, encounter);
  $("you").hidden = false;
  redraw($("now"), now(encounter, manifest));
  const effects = scene(encounter);
  $("scene").hidden = !effects;
  $("scene").textContent = effects;
  $("rows").classList.toggle("flat", !encounter.order.some((entry) => entry.slot ?? entry.initiative !== null));
  document.body.classList.toggle("many", encounter.order.length > MANY);
  fold(encounter.order);
  redraw($("rows"), rows(encounter, table));
  $("fight").dataset.version = encounter.version;
  $("fight").hidden = false;
  $("entrance").hidden = true;
  keepHeight(encounter);
  keepInView(encounter);
}

const KEPT = 200;

// The log shows its end unless a reader has scrolled up.
let [atEnd, last] = [true, 0];
const toEnd = () => { if (atEnd) $("log").scrollTop = $("log").scrollHeight; };
$("log").addEventListener("scroll", ({ target }) => {
  const near = target.scrollHeight - target.scrollTop - target.clientHeight < 40;
  atEnd = near || (atEnd && target.scrollTop >= last);
  last = target.scrollTop;
});
new ResizeObserver(toEnd).observe($("log"));

// The words for an undo or redo, from the log on the page: the first sentence that it is about.
function jumpWords(version, { type, to_version: to }) {
  const entries = [...$("log").children].filter(({ dataset }) => Number(dataset.version) >= to && Number(dataset.version) < version);
  const at = type === "undone" ? to + 1 : to;
  const about = entries.find(({ dataset }) => Number(dataset.version) === at)?.querySelector("p:not(.when)")?.textContent;
  if (!about) return "";
  const after = entries.filter(({ dataset }) => Number(dataset.version) > at && dataset.jump === undefined && dataset.undone === undefined);
  return type === "undone" ? `Undone: ${about}${after.length ? " And what came after." : ""}` : `Redone: ${about}`;
}

// The sentences of an entry. An undo says what it takes back.
export function told(version, events) {
  const plainly = { undone: "A step was undone.", redone: "A step was redone." };
  return events.map((event) => ("to_version" in event ? jumpWords(version, event) || plainly[event.type] : event.text)).filter(Boolean);
}

// Marks the entries that an undo takes back, and those that a redo brings back.
function mark(version, events) {
  for (const { type, to_version: to } of events) {
    if (to === undefined) continue;
    for (const { dataset } of $("log").children) {
      const number = Number(dataset.version);
      if (type === "undone" && number > to && number < version) dataset.undone = "";
      if (type === "redone" && number === to) delete dataset.undone;
    }
  }
}

// Adds an entry at the end of the log.
export function tell({ version, at, token_name: by, events }) {
  const texts = told(version, events);
  if (!texts.length) return;
  const time = new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const head = h("p", { class: "when" }, h("time", { datetime: at }, time), by && ` · ${by}`);
  const log = $("log");
  const jump = events.some((event) => "to_version" in event);
  mark(version, events);
  log.append(h("article", { "data-version": version, "data-jump": jump }, head, texts.map((text) => h("p", {}, text))));
  while (log.childElementCount > KEPT) log.firstChild.remove();
  toEnd();
}

// Forgets entries after a version: the store has lost them.
export function forget(version) {
  for (const entry of [...$("log").children]) if (Number(entry.dataset.version) > version) entry.remove();
}
