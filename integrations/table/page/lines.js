// The lines of a party or of monsters: what is typed, what is saved in this browser, and what was understood.

import { h } from "./view.js";
import { sentence } from "./words.js";

// `kept` has what was saved, `start` the page that reads the lines.
export class List {
  constructor(name, title, kept, placeholder, start) {
    Object.assign(this, { name, title, kept, start });
    this.text = h("textarea", { id: `${name}-text`, rows: 5, maxlength: 20_000, placeholder, spellcheck: "false", autocapitalize: "off", "aria-describedby": "words-hint" });
    this.text.addEventListener("input", () => start.read());
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.text.form.requestSubmit();
      }
    });
    this.saveAs = h("input", { id: `${name}-save-as`, maxlength: 80 });
    this.saveAs.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.save();
    });
    const save = h("button", { type: "button", class: "quiet" }, "Save");
    save.addEventListener("click", () => this.save());
    this.told = h("p", { class: "hint", role: "status" });
    this.chips = h("ul", { class: "chips" });
    this.summary = h("summary", {});
    this.saved = h("details", { class: "saved" }, this.summary, this.chips, h("div", { class: "save" }, h("label", { for: this.saveAs.id }, `Save ${name} as`), this.saveAs, save), this.told);
    this.table = h("div", { class: "understood" });
    this.view = h("div", { class: "list" }, h("label", { for: this.text.id }, title), this.saved, h("div", { class: "lines" }, this.text, this.table));
  }

  save() {
    const name = this.saveAs.value.trim();
    if (!name || !this.text.value.trim()) return this.say(name ? "Nothing to save. Type some lines first." : "Type a name first.");
    this.attempt(() => {
      this.kept.keep({ name, text: this.text.value, game: this.start.game?.key });
      this.saveAs.value = "";
      this.say(`Saved "${name}" in this browser.`);
    });
  }

  load(item) {
    this.text.value = item.text;
    this.start.loaded(this, item);
    this.say(`Loaded "${item.name}".`);
    this.text.focus();
  }

  delete(item) {
    this.attempt(() => {
      this.kept.forget(item.name);
      this.say(`Deleted "${item.name}".`);
    });
    this.summary.focus();
  }

  attempt(step) {
    try {
      step();
    } catch (error) {
      this.say(error.message);
    }
    this.drawSaved();
  }

  say(words) {
    this.told.textContent = words;
  }

  drawSaved() {
    const all = this.kept.all;
    this.summary.textContent = `Saved ${this.name === "party" ? "parties" : "encounters"}${all.length ? ` (${all.length})` : ""}`;
    this.chips.replaceChildren(...all.map((item) => {
      const load = h("button", { type: "button", class: "quiet" }, item.name);
      load.addEventListener("click", () => this.load(item));
      const remove = h("button", { type: "button", class: "quiet", "aria-label": `Delete ${item.name}` }, "✕");
      remove.addEventListener("click", () => this.delete(item));
      return h("li", { class: "pair" }, load, remove);
    }));
  }

  // A row for each line with combatants: what was understood, and below it what was not.
  drawTable(lines, hasGame) {
    const rows = lines.flatMap((line) => [understood(line), ...notUnderstood(line, hasGame)]);
    const empty = h("p", { class: "hint" }, "The combatants of your lines appear here.");
    const heads = ["Combatant", "Hit points", "Details"].map((head) => h("th", { scope: "col" }, head));
    this.table.replaceChildren(...(rows.length ? [h("table", {}, h("caption", { class: "unseen" }, `${this.title}: what the lines say`), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows))] : [empty]));
  }
}

function nameOf({ name, names, together, count }) {
  if (!names) return name || "?";
  if (together) return `${name}, ${count} as one`;
  return names.length > 1 ? `${names[0]} to ${/\d+$/.exec(names.at(-1))[0]}` : names[0];
}

function understood(line) {
  const hp = line.fields.find(({ field }) => field.kind === "hp")?.value;
  const others = line.fields.filter(({ field }) => field.kind !== "hp").map(({ field, value }) => {
    if (value === true) return field.word;
    if (value === false) return `not ${field.word}`;
    return `${field.word} ${value}`;
  });
  const group = line.group ? [`group ${line.group}`] : [];
  const details = [...others, ...group].map((text) => h("li", {}, text.replaceAll("_", " ")));
  return h("tr", { class: line.error ? "wrong" : undefined },
    h("th", { scope: "row" }, nameOf(line)),
    h("td", {}, hp ? [hp.current, hp.max].filter((part) => part !== undefined).join("/") : ""),
    h("td", {}, details.length ? h("ul", { class: "tags" }, details) : ""));
}

function notUnderstood({ number, error, rest }, hasGame) {
  const cell = (kind, ...words) => h("tr", { class: kind }, h("td", { colspan: 3 }, ...words));
  return [
    ...(error ? [cell("wrong", `Line ${number}: ${error}`)] : []),
    ...rest.map(({ text, reason }) => cell("left-out", `Line ${number}, left out: `, h("strong", {}, text), `. ${sentence(hasGame ? reason : "Choose a game first.")}`)),
  ];
}
