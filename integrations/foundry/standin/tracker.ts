// The fake combat tracker, dialogs and notifications: the elements and classes that public modules of version 13 rely on.
import { Hooks } from "./documents.js";

declare const game: any;

function element(tag: string, className = "", text = ""): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

export class FakeTracker {
  element = element("section", "tab sidebar-tab combat-sidebar");
  #viewed: string | undefined;

  constructor() {
    this.element.id = "combat";
    document.body.append(this.element);
    this.element.addEventListener("click", (event) => {
      const control = (event.target as HTMLElement).closest<HTMLElement>(".combat-controls [data-action]");
      if (control) void this.viewed?.[control.dataset.action!]();
    });
  }
  get viewed(): any {
    return game.combats.get(this.#viewed ?? "") ?? game.combats.find((combat: any) => combat.active) ?? null;
  }
  set viewed(combat: any) {
    this.#viewed = combat?.id;
    void this.render();
  }
  async render(): Promise<this> {
    await Promise.resolve();
    const combat = this.viewed;
    this.element.replaceChildren(element("header", "combat-tracker-header", combat ? `Round ${combat.round}` : "No combat"));
    if (combat) this.element.append(this.list(combat), this.controls(combat));
    Hooks.callAll("renderCombatTracker", this, this.element, { combat }, {});
    return this;
  }
  list(combat: any): HTMLElement {
    const list = element("ol", "combat-tracker plain");
    for (const combatant of combat.turns) {
      if (!combatant.visible) continue;
      const row = element("li", "combatant");
      row.dataset.combatantId = combatant.id;
      row.classList.toggle("active", combatant === combat.combatant);
      row.classList.toggle("hide", combatant.hidden);
      row.classList.toggle("defeated", combatant.isDefeated);
      const name = element("div", "token-name");
      name.append(element("strong", "name", combatant.name));
      const initiative = element("div", "token-initiative");
      initiative.append(element("span", "", combatant.initiative === null ? "" : String(combatant.initiative)));
      row.append(name, initiative);
      list.append(row);
    }
    return list;
  }
  controls(combat: any): HTMLElement {
    const bar = element("nav", "combat-controls");
    const actions = !game.user.isGM
      ? combat.started && combat.combatant?.players.includes(game.user) ? ["previousTurn", "nextTurn"] : []
      : combat.started ? ["previousRound", "previousTurn", "endCombat", "nextTurn", "nextRound"] : ["startCombat"];
    for (const action of actions) {
      const button = element("button", "combat-control", action);
      button.dataset.action = action;
      bar.append(button);
    }
    return bar;
  }
}

/** A tracker that a system puts in the place of Foundry's: other elements, rows in groups. */
export class SystemTracker extends FakeTracker {
  override list(combat: any): HTMLElement {
    const box = element("div", "system-tracker");
    box.append(...super.list(combat).children);
    return box;
  }
}

interface Button {
  action: string;
  label?: string;
  callback?: (event: Event, button: HTMLButtonElement, dialog: unknown) => unknown;
}

/** What Foundry asks the class of a settings' menu to be. It makes one and renders it. */
export class ApplicationV2 {
  async render(_options?: unknown): Promise<this> {
    return this;
  }
}

export const DialogV2 = {
  wait({ window: frame, content, buttons }: { window?: { title?: string }; content: HTMLElement | string; buttons: Button[] }): Promise<unknown> {
    return new Promise((resolve) => {
      const dialog = document.createElement("dialog");
      dialog.setAttribute("aria-label", frame?.title ?? "");
      const form = document.createElement("form");
      if (typeof content === "string") form.innerHTML = content;
      else form.append(content);
      for (const { action, label, callback } of buttons) {
        const button = document.createElement("button");
        button.type = "submit";
        button.dataset.action = action;
        // Foundry reads labels as HTML.
        button.innerHTML = `<span>${game.i18n.localize(label ?? action)}</span>`;
        button.addEventListener("click", (event) => {
          event.preventDefault();
          if (action !== "cancel" && !form.reportValidity()) return;
          const value = callback ? callback(event, button, dialog) : action;
          dialog.remove();
          resolve(value ?? action);
        });
        form.append(button);
      }
      dialog.addEventListener("cancel", () => {
        dialog.remove();
        resolve(null);
      });
      dialog.append(form);
      document.body.append(dialog);
      dialog.show();
    });
  },
  async confirm({ content }: { content: string }): Promise<boolean> {
    const buttons = [{ action: "yes", label: "Yes", callback: () => true }, { action: "no", label: "No", callback: () => false }];
    return (await this.wait({ content, buttons })) === true;
  },
};

export function notifications(): Record<string, unknown> {
  const box = element("aside", "notifications");
  document.body.append(box);
  const said = (kind: string) => (text: string) => {
    const line = element("p", kind, game.i18n.localize(text));
    box.append(line);
    console.debug(`${kind}: ${line.textContent}`);
    setTimeout(() => line.remove(), 4000);
    return line;
  };
  return { info: said("info"), warn: said("warning"), error: said("error") };
}
