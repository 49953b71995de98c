// Reads lines of text as combatants: `3 Goblins 7hp dex 2`, `Ann hp 24/30 dex 3 player Zoe`. A line has a number of combatants, a name, and
// then words with their values. The words are the fields that the ruleset's JSON Schema gives a combatant.

// The limits of an encounter.
const MOST_COMBATANTS = 500;
const MOST_MEMBERS = 50;
const LONGEST_LINE = 500;

const NUMBER = /^[+-]?\d{1,9}([./]\d{1,9})?$/;
const SEPARATOR = ",";
// Fields by the word that players use for them.
const SHORTER = { armor_class: "ac" };
// An unusual word can be shortened to these many letters: `int 2` for `int_modifier`.
const SHORT = 3;

// Fields that the name, the count or another word of the line gives.
const ELSEWHERE = ["id", "name", "hp", "members", "metadata", "controller"];

// Texts that a line cannot hold: they have words and signs of its own.
const TEXTS = ["notes", "link"];

// Numbers of monster books that no ruleset keeps.
const UNKEPT = ["cr", "xp"];

// Words that every ruleset has, and those that no schema has.
const HP = { word: "hp", kind: "hp", about: "Hit points, with or without the maximum. Also `24hp`, or `24/30` alone." };
const TEMP = { word: "temp", kind: "number", path: ["hp", "temp"], schema: { minimum: 0, maximum: 1_000_000 }, about: "Temporary hit points." };
const PLAYER = { word: "player", kind: "text", path: ["controller"], schema: { maxLength: 80 }, about: "The player who decides for the combatant." };
const TOGETHER = { word: "together", kind: "together", about: "The combatants of the line act as one, in one turn." };
const APART = { word: "apart", kind: "apart", about: "Each combatant of the line rolls its own initiative." };

// The words that a line may use with a ruleset and, if it has one, a definition.
export function vocabulary(manifest, definition) {
  const properties = manifest?.combatant.properties ?? {};
  const numberWords = (name, schema) => Object.entries(definition?.[name] ?? {}).map(([number, otherwise]) => {
    const uses = [...new Set(usesOf(number, definition).flatMap((path) => USES.find(([line]) => line.test(path))?.[1] ?? []))];
    return { word: number.toLowerCase(), kind: "number", path: [name, number], schema, about: [...uses, `Default: ${otherwise}.`].join(" ") };
  });
  const isOfLine = ([name]) => ![...ELSEWHERE, ...TEXTS].includes(name) && !name.endsWith("_seen_by");
  const own = Object.entries(properties).filter(isOfLine).flatMap(([name, schema]) => wordsOf(name, schema, numberWords));
  const shared = properties.members ? [HP, TEMP, PLAYER, TOGETHER] : [HP, TEMP, PLAYER];
  const apart = own.some(({ word }) => word === "group") && sharesInitiative(definition) ? [APART] : [];
  const words = new Map([...shared, ...apart, ...own].map((field) => [field.word, field]));
  // `init +3` is what the roll adds, `init 13` the roll's total.
  const added = definition?.score?.add?.map((number) => words.get(String(number).toLowerCase())).find(Boolean);
  return Object.assign(words, { added });
}

const sharesInitiative = (definition) => definition?.score?.per === "group";

// What a number of a definition is for, by the line that names it.
const USES = [
  [/^score\.add/, "Added to the roll."],
  [/^score\.fixed/, "The initiative itself, without a roll; 0 for a roll."],
  [/^score\.advantage/, "Further rolls or cards, of which the best counts; below 0 the worst."],
  [/^score\.more_dice/, "Further dice."],
  [/^score/, "Part of the initiative."],
  [/^order/, "Decides who comes first."],
  [/^turns/, "Turns in a round."],
  [/^pools/, "The most points that it has."],
];

// The lines of a definition that name a number, as paths.
function usesOf(number, value, path = "") {
  if (typeof value === "string") return value.replace(/^-/, "") === number ? [path] : [];
  if (!value || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, part]) => (["numbers", "titles"].includes(name) ? [] : usesOf(number, part, path ? `${path}.${name}` : name)));
}

function wordsOf(name, schema, numberWords) {
  const field = { word: SHORTER[name] ?? name.toLowerCase(), path: [name], schema, about: schema.description };
  if (schema.enum) return [{ ...field, kind: "choice" }];
  switch (schema.type) {
    case "integer": case "number": return [{ ...field, kind: "number" }];
    case "boolean": return [{ ...field, kind: "flag" }];
    case "string": return [{ ...field, kind: schema.maxLength ? "text" : "word" }];
    case "array": return schema.items.type === "string" ? [{ ...field, word: field.word.replace(/s$/, ""), kind: "list", schema: schema.items }] : [];
    // Numbers by names that the definition gives them.
    case "object": return numberWords(name, schema.additionalProperties);
    default: return [];
  }
}

const isNumeric = (field) => field?.kind === "number" || field?.kind === "hp";

// `dex:2`, `dex=2`, `7hp` and `dex+2` are two tokens each, `24 / 30` is one.
function tokens(text, words) {
  const spaced = text.normalize("NFC").replace(/[−–]/g, "-").replace(/^\s*[-*•]\s+/, "").replace(/(\d)\s*\/\s*(?=\d)/g, "$1/").replace(/[,;()|\t]+/g, ` ${SEPARATOR} `).replace(/([\p{L}\p{M}_])[:=]\s*/gu, "$1 ");
  return spaced.split(/\s+/).filter(Boolean).flatMap((token) => {
    const [, number, unit] = /^([+-]?\d+(?:[./]\d+)?)([\p{L}\p{M}_]+)$/u.exec(token) ?? [];
    if (isNumeric(words.get(unit?.toLowerCase()))) return [number, unit];
    const [, word, value] = /^([\p{L}\p{M}_]+)([+-]?\d+(?:[./]\d+)?)$/u.exec(token) ?? [];
    return isNumeric(words.get(word?.toLowerCase())) ? [word, value] : [token];
  });
}

// Reads one line. `error` says why there can be no combatant, `rest` what was not understood and why.
class Line {
  constructor(text, words) {
    this.words = words;
    this.tokens = tokens(text.slice(0, LONGEST_LINE), words);
    this.at = 0;
    Object.assign(this, { text: text.trim(), count: 1, name: "", fields: [], rest: [], together: false, apart: false });
    if (text.length > LONGEST_LINE) this.error = `The line is too long. Use ${LONGEST_LINE} characters.`;
    this.readCount();
    this.readName();
    while (this.at < this.tokens.length && !this.error) this.readNext();
    this.check();
  }

  readCount() {
    const [, count] = /^(\d{1,3})[x×]?$/i.exec(this.tokens[0] ?? "") ?? [];
    if (!count || this.tokens.length < 2) return;
    this.count = Number(count);
    this.at = /^[x×]$/i.test(this.tokens[1]) ? 2 : 1;
  }

  readName() {
    const first = this.at;
    while (this.at < this.tokens.length && !this.endsName(this.at, first)) this.at++;
    this.name = this.tokens.slice(first, this.at).join(" ");
  }

  // Whether something else than the name begins at a place. A word without its value, such as Count, may be a part of the name.
  endsName(place, first) {
    if (this.tokens[place] === SEPARATOR || this.fieldAt(place)) return true;
    if (place === first) return false;
    return Boolean(this.countAt(place)) || this.wordAt(place)?.field === HP || this.isUnkept(place);
  }

  isUnkept(place) {
    return UNKEPT.includes(this.tokens[place].toLowerCase()) && this.isNumber(place + 1);
  }

  countAt(place) {
    const [, count] = /^[x×](\d{1,3})$/i.exec(this.tokens[place] ?? "") ?? [];
    return count && Number(count);
  }

  // The field whose word is at a place, and how many tokens its word has: `int modifier` has two.
  wordAt(place) {
    for (const length of [3, 2, 1]) {
      const parts = this.tokens.slice(place, place + length);
      if (parts.length < length) continue;
      const field = this.words.get(parts.join("_").toLowerCase().replaceAll("-", "_"));
      if (field) return { field, length };
    }
    return null;
  }

  // The only numeric field that begins with a word.
  shortWordAt(place) {
    const start = this.tokens[place]?.toLowerCase() ?? "";
    if (start.length < SHORT) return null;
    const found = [...this.words.values()].filter((field) => isNumeric(field) && field.word.startsWith(start));
    return found.length === 1 ? { field: found[0], length: 1 } : null;
  }

  numericAt(place) {
    const found = this.wordAt(place);
    if (found) return isNumeric(found.field) ? found : null;
    return this.shortWordAt(place);
  }

  isNumber(place) {
    return NUMBER.test(this.tokens[place] ?? "");
  }

  // Whether the number at a place belongs to the word after it: in `24 hp 3 dex`, and not in `Goblin 2 hp 7`.
  isBeforeItsWord(place) {
    const word = this.isNumber(place) && this.numericAt(place + 1);
    if (!word) return false;
    const next = place + 1 + word.length;
    return !this.isNumber(next) || this.isBeforeItsWord(next);
  }

  // The field with its value that begins at a place, and the place after it.
  fieldAt(place) {
    if (this.isBeforeItsWord(place)) {
      const { field, length } = this.numericAt(place + 1);
      return { field, value: this.tokens[place], next: place + 1 + length };
    }
    if (this.isNumber(place)) return this.tokens[place].includes("/") ? { field: HP, value: this.tokens[place], next: place + 1 } : null;
    const numeric = this.numericAt(place);
    if (numeric) {
      const value = place + numeric.length;
      const isAdded = numeric.field.word === "initiative" && this.words.added && /^[+-]/.test(this.tokens[value] ?? "");
      const field = isAdded ? this.words.added : numeric.field;
      return this.isNumber(value) ? { field, value: this.tokens[value], next: value + 1 } : null;
    }
    return this.otherFieldAt(place);
  }

  otherFieldAt(place) {
    const isDenied = /^(not|no)$/i.test(this.tokens[place]) && this.wordAt(place + 1)?.field.kind === "flag";
    if (isDenied) return { ...this.otherFieldAt(place + 1), value: false };
    const word = this.wordAt(place);
    if (!word) return null;
    const { field, length } = word;
    const next = place + length;
    const value = this.tokens[next];
    switch (field.kind) {
      case "together": case "apart": return { field, value: true, next };
      case "flag": return /^(yes|no|true|false)$/i.test(value ?? "") ? { field, value: /^(yes|true)$/i.test(value), next: next + 1 } : { field, value: true, next };
      case "choice": {
        const found = field.schema.enum.find((one) => one === value?.toLowerCase().replaceAll("-", "_"));
        return found ? { field, value: found, next: next + 1 } : null;
      }
      case "text": return this.textAt(field, next);
      default: return value && value !== SEPARATOR ? { field, value, next: next + 1 } : null;
    }
  }

  // A text of several words ends like a name, and where another text begins.
  textAt(field, first) {
    const isEnd = (place) => this.tokens[place] === SEPARATOR || this.wordAt(place)?.field.kind === "text" || this.fieldAt(place) !== null;
    let end = first;
    while (end < this.tokens.length && !isEnd(end)) end++;
    return end > first ? { field, value: this.tokens.slice(first, end).join(" "), next: end } : null;
  }

  readNext() {
    const found = this.fieldAt(this.at);
    if (found) {
      this.at = found.next;
      return this.take(found);
    }
    const count = this.countAt(this.at);
    if (count) {
      this.at++;
      this.count = count;
      return;
    }
    const first = this.at;
    do this.at++; while (this.at < this.tokens.length && this.tokens[this.at] !== SEPARATOR && !this.fieldAt(this.at));
    const words = this.tokens.slice(first, this.at).filter((token) => token !== SEPARATOR);
    if (words.length) this.rest.push({ text: words.join(" "), reason: this.whyNot(first, words) });
  }

  whyNot(first, words) {
    const place = this.tokens[first] === SEPARATOR ? first + 1 : first;
    if (this.isUnkept(place)) return "No ruleset keeps this.";
    const field = this.wordAt(place)?.field;
    if (isNumeric(field)) return `${field.word} needs a number after it.`;
    if (field?.kind === "choice") return `${field.word} is one of ${field.schema.enum.join(", ")}.`;
    if (field) return `${field.word} needs a value after it.`;
    if (words.every((word) => NUMBER.test(word))) return "A number needs a word, such as hp 7.";
    return "Unknown word.";
  }

  take({ field, value }) {
    if (field.kind === "together" || field.kind === "apart") {
      this[field.kind] = true;
      return;
    }
    const isTwice = field.kind !== "list" && this.fields.some((one) => one.field === field);
    if (isTwice) this.rest.push({ text: `${field.word} ${value}`, reason: `${field.word} is there twice.` });
    else this.fields.push({ field, value: this.valueOf(field, value) });
  }

  valueOf(field, value) {
    const { schema = {} } = field;
    if (field.kind === "hp") return this.hitPoints(value);
    if (field.kind === "number") {
      const { minimum = -Infinity, maximum = Infinity } = schema;
      const number = Number(value);
      if (schema.type !== "number" && !Number.isInteger(number)) this.error = `${field.word} is a whole number.`;
      else if (number < minimum || number > maximum) this.error = `${field.word} is ${number}. Use ${minimum} to ${maximum}.`;
      return number;
    }
    if (schema.pattern && !new RegExp(schema.pattern, "u").test(value)) this.error = `${field.word} cannot be "${value}". Use letters, digits, - and _.`;
    if (schema.maxLength && value.length > schema.maxLength) this.error = `${field.word} is too long. Use ${schema.maxLength} characters.`;
    return value;
  }

  hitPoints(value) {
    const [current, max] = value.split("/").map(Number);
    if (current < 0 || current > 1_000_000 || max > 1_000_000) this.error = "Hit points are 0 to 1000000.";
    else if (max < current) this.error = `${current} of ${max} hit points. The maximum is second: ${max}/${current}.`;
    return max === undefined ? { current } : { current, max };
  }

  check() {
    if (this.error) return;
    if (!this.name) this.error = "The name is missing. Begin the line with it.";
    else if (this.name.length > 70) this.error = "The name is too long. Use 70 characters.";
    else if (this.fields.some(({ field }) => field === TEMP) && !this.fields.some(({ field }) => field === HP)) this.error = "temp needs hit points. Add hp.";
    else if (this.count < 1) this.error = "There are 0 of them. Use a number from 1.";
    else if (this.together && this.count > MOST_MEMBERS) this.error = `At most ${MOST_MEMBERS} can act as one.`;
  }

  // The fields as a combatant has them in a request.
  draft() {
    const draft = {};
    for (const { field, value } of this.fields) {
      if (field.kind === "hp") draft.hp = { ...value, ...draft.hp };
      else if (field.kind === "list") draft[field.path[0]] = [...(draft[field.path[0]] ?? []), value];
      else if (field.path.length === 1) draft[field.path[0]] = value;
      else draft[field.path[0]] = { ...draft[field.path[0]], [field.path[1]]: value };
    }
    return draft;
  }
}

// One of several: "Goblin" of "Goblins".
export function singular(name) {
  if (/(zomb|pix|gen|faer)ies$/i.test(name)) return name.slice(0, -1);
  if (/ies$/i.test(name)) return `${name.slice(0, -3)}y`;
  if (/(l|r|ie)ves$/i.test(name)) return `${name.slice(0, -3)}f`;
  if (/(ch|sh|x|ss)es$/i.test(name)) return name.slice(0, -2);
  if (/(^|[a-z])men$/.test(name)) return `${name.slice(0, -2)}an`;
  if (/(ss|us|is|ps)$/i.test(name) && !/(mps|aps)$/i.test(name)) return name;
  return name.replace(/s$/i, "");
}

const hyphened = (name, others) => name.toLowerCase().replace(others, "-").replace(/^-+|-+$/g, "").slice(0, 40).replace(/-$/, "");
// An id has letters of ASCII, a group those of any script.
const idOf = (name) => hyphened(name.normalize("NFD").replace(/\p{M}/gu, ""), /[^a-z0-9]+/g);
const groupOf = (name) => hyphened(name.normalize("NFC"), /[^\p{L}\p{M}\p{N}]+/gu);

// Combatants for the lines of each list, such as `{ party, monsters }`; `sides` has the side of each list.
export class Roster {
  constructor(texts, sides, words, definition, numbers = new Map()) {
    this.lines = [];
    this.combatants = [];
    // The line of each combatant.
    this.origins = [];
    // The highest number of each name.
    this.numbers = numbers;
    this.shares = words.has("group") && sharesInitiative(definition);
    for (const [list, text] of Object.entries(texts)) {
      for (const [place, content] of text.split("\n").entries()) {
        if (!content.trim() || content.trim().startsWith("#")) continue;
        const line = Object.assign(new Line(content, words), { list, number: place + 1 });
        this.lines.push(line);
        if (!line.error) this.add(line, sides[list]);
        // The lines after those of a full fight are not read.
        if (this.lines.length > MOST_COMBATANTS) break;
      }
    }
  }

  add(line, side) {
    if (this.combatants.length + (line.together ? 1 : line.count) > MOST_COMBATANTS) {
      line.error = `A fight has at most ${MOST_COMBATANTS} combatants.`;
      return;
    }
    const draft = { side, ...line.draft() };
    const made = line.together ? [this.group(line, draft)] : this.each(line, draft);
    line.names = made.map(({ name }) => name);
    this.combatants.push(...made);
    this.origins.push(...made.map(() => line));
  }

  group(line, { hp, ...draft }) {
    const base = idOf(singular(line.name)) || "member";
    const members = Array.from({ length: line.count }, (_, place) => ({ id: `${base}-${place + 1}`, ...(hp && { hp }) }));
    return { name: line.name, ...draft, members };
  }

  each(line, draft) {
    if (line.count === 1) return [{ name: line.name, ...draft }];
    const base = singular(line.name);
    // Several of a kind share an initiative if the definition has one for each group.
    if (this.shares && !line.apart && !draft.group) {
      line.group = groupOf(line.name) || `group-${line.number}`;
      draft = { ...draft, group: line.group };
    }
    return Array.from({ length: line.count }, () => ({ name: this.next(base), ...draft }));
  }

  next(base) {
    const number = (this.numbers.get(base) ?? 0) + 1;
    this.numbers.set(base, number);
    return `${base} ${number}`;
  }

  get errors() {
    return this.lines.filter(({ error }) => error);
  }
}
