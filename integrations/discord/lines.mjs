// Reads combatants from a line such as "Ann hp 24/30 dex 3, 2 Wolf hp 11, Lord Vex hidden".

import { Refusal } from "./turnkeeper.mjs";

const SHORTEST = 3;
const MOST_OF_A_KIND = 50;

/** The words of a game: numbers and flags of its combatants, and the numbers of a definition. */
export function wordsOf({ combatant }, definition) {
  const words = new Map([["hp", { kind: "hp" }]]);
  for (const [name, { type }] of Object.entries(combatant.properties)) {
    const word = name === "armor_class" ? "ac" : name;
    if (type === "boolean") words.set(word, { kind: "flag", name });
    else if (type === "integer" || type === "number") words.set(word, { kind: "field", name });
  }
  for (const name of Object.keys(definition?.numbers ?? {})) words.set(name.toLowerCase(), { kind: "number", name });
  return words;
}

/** The word itself, or the only one that begins so. */
function wordFor(words, token) {
  const typed = token.toLowerCase();
  if (words.has(typed) || typed.length < SHORTEST) return words.get(typed);
  const found = [...words.keys()].filter((word) => word.startsWith(typed));
  return found.length === 1 ? words.get(found[0]) : undefined;
}

const isNumber = (token = "") => /^[+-]?\d+(\.\d+|\/\d+)?$/.test(token);

function valueAt(words, tokens, at) {
  const word = wordFor(words, tokens[at] ?? "");
  if (word?.kind === "flag") return { word, value: true, next: at + 1 };
  if (word && isNumber(tokens[at + 1])) return { word, value: tokens[at + 1], next: at + 2 };
  return undefined;
}

function put(combatant, { kind, name }, value) {
  const [number, most] = String(value).split("/").map(Number);
  if (kind === "hp") combatant.hp = { current: number, ...(most !== undefined && { max: most }) };
  else if (kind === "flag") combatant[name] = true;
  else if (kind === "field") combatant[name] = number;
  else combatant.numbers = { ...combatant.numbers, [name]: number };
}

function readOne(text, side, words) {
  const tokens = text.normalize("NFC").split(/\s+/);
  const isCounted = tokens.length > 1 && /^\d{1,2}$/.test(tokens[0]);
  const count = isCounted ? Number(tokens.shift()) : 1;
  if (count < 1 || count > MOST_OF_A_KIND) throw new Refusal(`"${text}" is ${count} of a kind. Use 1 to ${MOST_OF_A_KIND}.`);
  let at = 1;
  while (at < tokens.length && !valueAt(words, tokens, at)) at++;
  const name = tokens.slice(0, at).join(" ");
  const combatant = { side };
  while (at < tokens.length) {
    const found = valueAt(words, tokens, at);
    if (!found) throw new Refusal(`"${tokens[at]}" in "${text}" is not a word of this game with its number. Words: ${[...words.keys()].join(", ")}.`);
    put(combatant, found.word, found.value);
    at = found.next;
  }
  if (count === 1) return [{ name, ...combatant }];
  return Array.from({ length: count }, (_, place) => ({ name: `${name} ${place + 1}`, ...combatant }));
}

/** The combatants of a text, with commas or semicolons between them. */
export function readCombatants(text, side, words) {
  return text.split(/[,;\n]/).map((part) => part.trim()).filter(Boolean).flatMap((part) => readOne(part, side, words));
}
