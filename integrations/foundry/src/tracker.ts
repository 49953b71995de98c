// Decorates any rendered tracker: rows in the server's order, the current combatants, the state, and the legal commands as buttons.
import { toFoundry } from "./client/index.js";
import type { Session } from "./session.js";
import { ID, text, type Encounter, type Legal, type Options } from "./types.js";

/** What the user can do in the tracker. */
export interface Actions {
  send(legal: Legal, options: Options, ask: boolean): void;
  /** Sends what Foundry has to the server; undefined if nothing differs. */
  level: (() => void) | undefined;
  unlink(): void;
}

export function decorate(element: HTMLElement, session: Session, actions: Actions): void {
  const { encounter } = session;
  const panel = make("section", "turnkeeper");
  panel.dataset.state = session.state;
  if (encounter) panel.dataset.version = String(encounter.version);
  element.classList.add("turnkeeper-linked");
  if (encounter) arrange(rowsOf(element), encounter);
  panel.append(status(session));
  if (session.live && actions.level) panel.append(button(text("Differs"), "turnkeeper-level", actions.level));
  if (session.live && encounter) panel.append(...commands(session, actions));
  if (game.user.isGM) (panel.querySelector("details") ?? panel).append(button(text("Unlink"), "turnkeeper-unlink", actions.unlink));
  place(element, panel);
}

const rowsOf = (element: HTMLElement): HTMLElement[] => [...element.querySelectorAll<HTMLElement>("[data-combatant-id]")];

/** Puts the panel where it was, or below the rows. */
function place(element: HTMLElement, panel: HTMLElement): void {
  const old = element.querySelector<HTMLElement>("section.turnkeeper");
  const list = rowsOf(element)[0]?.parentElement;
  if (old) replace(old, panel);
  else if (list) list.after(panel);
  else element.append(panel);
}

/** Offers to hand over a combat that began without the server. */
export function offer(element: HTMLElement, link: () => void): void {
  const panel = make("section", "turnkeeper");
  panel.append(button(text("Link"), "turnkeeper-link", link));
  place(element, panel);
}

export function undecorate(element: HTMLElement): void {
  element.querySelector("section.turnkeeper")?.remove();
  element.classList.remove("turnkeeper-linked");
}

/** Replaces the panel and keeps the focus and the open list. */
function replace(old: HTMLElement, panel: HTMLElement): void {
  const focused = old.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
  const open = old.querySelector("details")?.open ?? false;
  old.replaceWith(panel);
  panel.querySelector("details")?.toggleAttribute("open", open);
  if (focused) [...panel.querySelectorAll("button")].find(({ textContent }) => textContent === focused)?.focus();
}

function arrange(rows: HTMLElement[], encounter: Encounter): void {
  const order = toFoundry(encounter).combatants.map(({ id }) => id);
  const rank = (row: HTMLElement) => (order.indexOf(row.dataset.combatantId!) + 1 || Infinity);
  for (const row of rows.sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))) {
    // CSS alone would leave keyboard and screen readers in the old order.
    row.parentElement!.append(row);
    mark(row, encounter);
  }
}

function mark(row: HTMLElement, { current, order }: Encounter): void {
  const own = order.filter(({ combatant }) => combatant === row.dataset.combatantId);
  const now = own.find((entry) => entry.current) ?? own.find(({ acted }) => !acted) ?? own[0];
  const acts = current.includes(row.dataset.combatantId!);
  row.classList.toggle("active", acts);
  row.classList.toggle("turnkeeper-current", acts);
  row.classList.toggle("turnkeeper-next", now?.next ?? false);
  row.classList.toggle("turnkeeper-acted", own.length > 0 && own.every(({ acted }) => acted));
  row.classList.toggle("turnkeeper-out", now?.out ?? false);
  row.querySelector(".turnkeeper-note")?.remove();
  if (!now) return;
  const turns = own.length > 1 ? `×${own.filter(({ acted }) => !acted).length}/${own.length}` : undefined;
  const words = [now.initiative?.toString(), now.slot, now.note, turns].filter((word) => word !== undefined);
  // Some systems note the number that they sort by.
  const note = make("span", "turnkeeper-note", words.filter((word, at) => !words.slice(at + 1).some((later) => later.includes(word))).join(" · "));
  if (now.because) note.title = `${now.because.rule}: ${now.because.reason}`;
  (row.querySelector(".token-name, .combatant-name") ?? row).append(note);
}

function status({ state, encounter, busy }: Session): HTMLElement {
  const line = make("p", "turnkeeper-status", state === "live" && encounter ? awaits(encounter) : text(`State.${state}`));
  line.setAttribute("role", "status");
  line.toggleAttribute("aria-busy", busy);
  return line;
}

function awaits({ pending, order, status: how, round }: Encounter): string {
  if (how === "ended") return text("Ended");
  const begun = how === "running" && round > 0 ? text("Round", { round: String(round) }) : text("NoRoundYet");
  if (!pending) return begun;
  if (pending.decision === "someone_acts") return `${begun} ${text("SomeoneActs")}`;
  const who = pending.combatants.map((id) => order.find(({ combatant }) => combatant === id)?.name ?? id);
  if (who.length === 0 && pending.gm) who.push(text("GameMaster"));
  return `${begun} ${text("Awaits", { decision: pending.decision.replaceAll("_", " "), who: who.join(", ") })}`;
}

/** What the rules allow now. The tools of the table are folded, and read when somebody opens them. */
function commands(session: Session, { send }: Actions): HTMLElement[] {
  const { options, encounter } = session;
  if (!options || !encounter) return [];
  const own = optionList(options, ({ group }) => group !== "tools", session.busy, send);
  if (encounter.you.role === "spectator") return [own];
  const details = make("details", "turnkeeper-more");
  details.append(make("summary", "", text("More")));
  details.addEventListener("toggle", () => void showTools(details, session, send));
  return [own, details];
}

async function showTools(details: HTMLDetailsElement, session: Session, send: Actions["send"]): Promise<void> {
  details.querySelector("ul")?.remove();
  if (!details.open) return;
  const tools = await session.tools().catch(() => undefined);
  if (!tools || details.querySelector("ul")) return;
  const list = optionList(tools, (legal) => legal.group === "tools" && !happensInFoundry(legal), session.busy, send);
  details.querySelector("summary")!.after(list);
}

/** Foundry decides who takes part, and owns hit points if they are sent. */
function happensInFoundry({ command }: Legal): boolean {
  const hitPoints = game.settings.get(ID, "hitPoints") ? ["damage", "heal"] : [];
  return ["add_combatant", "remove_combatant", ...hitPoints].includes(command.type);
}

function optionList(options: Options, isShown: (legal: Legal) => boolean, busy: boolean, send: Actions["send"]): HTMLElement {
  const all = make("ul", "turnkeeper-options");
  for (const legal of options.items.filter(isShown)) {
    const item = make("li", "");
    const main = button(legal.label, "turnkeeper-option", () => send(legal, options, !legal.complete));
    // A button that is disabled loses focus, and with it the place of who plays by keyboard. These only say that they are.
    main.ariaDisabled = String(busy);
    main.title = legal.rule;
    main.dataset.type = legal.command.type;
    main.dataset.group = legal.group;
    main.classList.toggle("turnkeeper-primary", legal.primary);
    item.append(main);
    if (legal.complete && legal.choices.length > 0) {
      const more = button("…", "turnkeeper-fill", () => send(legal, options, true));
      more.ariaDisabled = String(busy);
      more.setAttribute("aria-label", text("Fill", { label: legal.label }));
      item.append(more);
    }
    all.append(item);
  }
  return all;
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, className: string, content = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.textContent = content;
  return made;
}

function button(label: string, className: string, act: () => void): HTMLButtonElement {
  const made = make("button", className, label);
  made.type = "button";
  made.addEventListener("click", (event) => {
    // The tracker of Foundry listens to clicks too.
    event.stopPropagation();
    act();
  });
  return made;
}
