// A file of a fight: an exported log of the server, or what another tracker saved. It is chosen, or dropped anywhere on the page.

import { h } from "./view.js";
import { plain } from "./words.js";

const TRACKERS = {
  obsidian: "Obsidian's Initiative Tracker",
  improved_initiative: "Improved Initiative",
  roll20: "Roll20",
  five_etools: "5etools",
  foundry: "Foundry",
  dnd_beyond: "D&D Beyond",
  avrae: "Avrae",
  creatures: "a list of creatures",
};

// The beginning of an exported log says so.
const isLog = (text) => /^\s*\{\s*"format"\s*:\s*"turnkeeper-log"/.test(text);

function who(names, count) {
  if (!names.length) return "";
  const more = count > names.length ? ` and ${count - names.length} more` : "";
  return ` (${names.join(", ")}${more})`;
}

export class Bring {
  // `at` finds the parts of the form, `ask` sends the request of a creation, and `refuse` says why there is no answer.
  constructor(at, ask, refuse) {
    Object.assign(this, { at, ask, refuse, choices: {} });
    at("import-file").addEventListener("change", () => this.choose(at("import-file").files[0]));
    addEventListener("dragover", (event) => {
      if (this.isShown && event.dataTransfer.types.includes("Files")) event.preventDefault();
    });
    addEventListener("drop", (event) => {
      const [file] = event.dataTransfer.files;
      if (!this.isShown || !file) return;
      event.preventDefault();
      this.choose(file);
    });
  }

  get isShown() {
    return this.at("import").isConnected;
  }

  tell(words) {
    this.at("import-told").textContent = words;
  }

  async choose(file) {
    this.choices = {};
    this.file = file;
    this.conversion = undefined;
    this.tell("");
    this.draw();
    if (!file) return undefined;
    this.isLog = isLog(await file.slice(0, 200).text());
    if (this.isLog) return this.draw();
    await this.convert();
    return this.at("bring").focus();
  }

  path(more = {}) {
    const query = new URLSearchParams({ ...this.choices, ...more });
    return `/convert${[...query].length ? `?${query}` : ""}`;
  }

  async convert() {
    const file = this.file;
    try {
      const conversion = await this.ask(file, this.path(), (words) => this.tell(words));
      // Another file may have been chosen meanwhile.
      if (file === this.file) this.conversion = conversion;
    } catch (error) {
      if (!error.problem) throw error;
      this.conversion = undefined;
      this.refuse(error);
    }
    this.draw();
  }

  draw() {
    const { file, conversion } = this;
    const at = this.at;
    at("import-name").textContent = file?.name ?? "";
    at("bring").hidden = !file;
    const parts = conversion && !this.isLog ? this.parts(conversion) : [];
    at("import-about").replaceChildren(...parts);
  }

  parts({ format, encounter, encounters, creation, left_out: left }) {
    const all = creation.combatants.length;
    const about = h("p", { role: "status" }, `${TRACKERS[format] ?? plain(format)}: ${all} combatant${all === 1 ? "" : "s"}.`);
    const names = h("p", { class: "hint" }, creation.combatants.map(({ name }) => name).join(", "));
    const choices = [
      ...(encounters.length > 1 ? [this.choice("encounter", "Fight", encounters.map((name) => [name, name]), encounter)] : []),
      this.choice("ruleset", "Rules", (this.rulesets ?? []).map(({ id, title }) => [id, title]), creation.ruleset),
    ];
    const said = left.map(({ field: name, why, count, combatants }) => h("li", {}, h("strong", {}, plain(name)), `: ${why}${who(combatants, count)}`));
    const list = said.length ? [h("details", { open: said.length < 13 || undefined }, h("summary", {}, `Left out: ${said.length}`), h("ul", { class: "left" }, said))] : [];
    return [about, names, ...choices, ...list];
  }

  choice(name, label, values, chosen) {
    const id = `import-${name}`;
    const select = h("select", { id }, values.map(([value, title]) => h("option", { value }, title)));
    select.value = chosen;
    select.addEventListener("change", async () => {
      this.choices[name] = select.value;
      await this.convert();
      this.at("import-about").querySelector(`#${id}`)?.focus();
    });
    return h("div", { class: "field" }, h("label", { for: id }, label), select);
  }

  // True if the server has said what the file becomes. If not, it is asked again.
  async isReady() {
    if (!this.isLog && !this.conversion) await this.convert();
    return this.isLog || Boolean(this.conversion);
  }

  // The request that creates the fight.
  get request() {
    return this.isLog ? "/import" : this.path({ create: true, encounter: this.conversion.encounter });
  }
}
