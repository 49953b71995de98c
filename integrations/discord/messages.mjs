// Messages of Discord: the board that a channel sees, and lists that one user sees.

import { createHash } from "node:crypto";
import { chunks, formsOf, shorten } from "./forms.mjs";

// What Discord takes.
const ROW_OF_BUTTONS = 5;
const ROWS_OF_LISTS = 4;
const MOST_VALUES = 25;
const MOST_ENTRIES = ROWS_OF_LISTS * MOST_VALUES;
const LONGEST_BUTTON = 80;
const LONGEST_VALUE = 100;

// With the notes they fit into the 2,000 characters of a message.
export const LONGEST_TABLE = 1300;
const LONGEST_NEWS = 500;
const LONGEST_MESSAGE = 2000;
const ROWS_OF_OPTIONS = 3;

const [MESSAGE, UPDATE] = [4, 7];
const PRIVATE = 64;
const [ROW, BUTTON, SELECT] = [1, 2, 3];
const [BLUE, GREY, RED] = [1, 2, 4];

/** Tells an option from the others of its version, also after a restart. */
export const digest = ({ label, command }) => createHash("sha256").update(JSON.stringify([label, command])).digest("hex").slice(0, 12);

const row = (components) => ({ type: ROW, components });
const button = (label, custom_id, style = GREY) => ({ type: BUTTON, style, label: shorten(label, LONGEST_BUTTON), custom_id });
// Names are words that people typed: no mention in them reaches a user.
const data = (content, components, { users = [], flags } = {}) => ({ content, components, allowed_mentions: { parse: [], ...(users.length && { users }) }, ...(flags && { flags }) });

export const isPrivate = (message) => Boolean(message && message.flags & PRIVATE);
export const post = (content, components = [], users = []) => ({ type: MESSAGE, data: data(content, components, { users }) });
export const whisper = (content, components = []) => ({ type: MESSAGE, data: data(content, components, { flags: PRIVATE }) });
export const update = (content, components = []) => ({ type: UPDATE, data: data(content, components) });

export const escaped = (text) => text.replace(/[\\*_~`|>#[\]()<]/g, "\\$&");
export const block = (text) => `\`\`\`\n${text.trimEnd().replaceAll("`", "'")}\n\`\`\``;

/** An option of the list of the party (`p`), of the game master (`g`) or of the tools (`t`). */
const place = (verb, { list, version, option }) => [verb, list, version, digest(option)].join(":");

export const inList = (list, { version, items, $defs }) => items
  .filter(({ group }) => (group === "tools") === (list === "t"))
  .map((option) => ({ list, version, option, forms: formsOf(option, $defs) }))
  .filter(({ option, forms }) => option.complete || forms.length > 0);

function optionButton(item) {
  const { label, primary, complete } = item.option;
  return button(complete ? label : `${shorten(label, LONGEST_BUTTON - 1)}…`, place("act", item), primary ? BLUE : GREY);
}

/** When the time of a turn is over, which each reader's Discord counts down to; nothing without a set time. */
export function timeOut({ status, since, turn_seconds: seconds }) {
  if (status !== "running" || !seconds || !since) return "";
  return `Time until <t:${Math.floor(Date.parse(since) / 1000) + seconds}:R>.`;
}

const spelt = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
const numbers = ({ name, combatant, turns, seconds, damage_dealt: dealt, damage_taken: taken, healed }) =>
  `${name ?? combatant}: ${turns} ${turns === 1 ? "turn" : "turns"} in ${spelt(seconds)}, dealt ${dealt}, took ${taken}, healed ${healed}`;

/** The same board for all who read the channel. */
export function drawBoard({ note, news = [], table, items, statistics }) {
  const told = news.map(escaped);
  while (told.join("\n").length > LONGEST_NEWS) told.shift();
  const board = [note, ...told, block(table)].filter(Boolean).join("\n");
  const counted = statistics?.map(numbers).join("\n");
  const content = counted ? `${board}\n${block(shorten(counted, LONGEST_MESSAGE - board.length - block("").length - 1))}` : board;
  if (!items) return [content, []];
  const shown = items.slice(0, ROWS_OF_OPTIONS * ROW_OF_BUTTONS).map(optionButton);
  return [content, [...chunks(shown, ROW_OF_BUTTONS).map(row), row([button("More…", "more"), button("Refresh", "show")])]];
}

/** An option, and each of its forms, as entries of a menu. */
function entries(item) {
  const { label, complete } = item.option;
  const entry = (text, value, description) => ({ label: shorten(text, LONGEST_VALUE), value, ...(description && { description: shorten(description, LONGEST_VALUE) }) });
  const atOnce = complete ? [entry(label, place("act", item))] : [];
  return [...atOnce, ...item.forms.map(({ name, about }, number) => entry(name, `${place("form", item)}:${number}`, about))];
}

const actorOf = ({ option: { actor, command } }) => actor ?? command.combatant;

/** An entry for each combatant that has options of its own. */
function actors(list, items, names) {
  const ids = [...new Set(items.map(actorOf).filter((id) => id !== undefined))];
  return ids.map((id) => ({ label: shorten(`${names.get(id) ?? id}: all options`, LONGEST_VALUE), value: `of:${list}:${id}` }));
}

/**
 * The options of a list, for one user. If they are too many for the menus, those of combatants are behind an entry for each; `names` has
 * their names. With an `actor` only its options are there.
 */
export function drawList(content, items, names, actor) {
  const mine = actor === undefined ? items : items.filter((item) => actorOf(item) === actor);
  const whole = mine.flatMap(entries);
  const isLong = actor === undefined && whole.length > MOST_ENTRIES;
  const all = isLong ? [...mine.filter((item) => actorOf(item) === undefined).flatMap(entries), ...actors(mine[0].list, mine, names)] : whole;
  const menus = chunks(all.slice(0, MOST_ENTRIES), MOST_VALUES);
  const buttons = mine.filter(({ option }) => option.primary).slice(0, ROW_OF_BUTTONS).map(optionButton);
  const rows = menus.map((options, number) => row([{ type: SELECT, custom_id: `pick:${number}`, placeholder: menus.length > 1 ? `Choose (${number + 1})` : "Choose", options }]));
  const left = all.length - MOST_ENTRIES;
  return [left > 0 ? `${content}\n${left} more do not fit here.` : content, [...(buttons.length ? [row(buttons)] : []), ...rows]];
}

/** Asks before the end of a fight. */
export const askIfSure = (item) => ["End the fight?", [row([button("End the fight", place("sure", item), RED)])]];
