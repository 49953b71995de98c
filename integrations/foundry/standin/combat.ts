// The fake Combat: turns, their events, and the methods that systems override and the module wraps.
import { Collection, Doc, FakeCombatant, Hooks, send } from "./documents.js";
import type { Data } from "./data.js";

declare const game: any;
declare const ui: any;
declare const CONFIG: any;

export class FakeCombat extends Doc {
  static override type = "Combat" as const;
  declare combatants: Collection<FakeCombatant>;
  turns: FakeCombatant[] = [];
  previous: { round: number; turn: number | null; combatantId: string | null } | undefined;

  constructor(data: Data) {
    super(data);
    const rows = data["combatants"] as Data[];
    this.combatants = new Collection();
    for (const row of rows) this.combatants.set(row["_id"], new CONFIG.Combatant.documentClass(row, this));
    this.setupTurns();
    this.previous = this.current;
  }
  get started(): boolean {
    return this.round > 0;
  }
  get combatant(): FakeCombatant | undefined {
    return this.turn === null ? undefined : this.turns[this.turn];
  }
  get current(): { round: number; turn: number | null; combatantId: string | null } {
    return { round: this.round, turn: this.turn, combatantId: this.combatant?.id ?? null };
  }
  get isActive(): boolean {
    return this.active === true;
  }
  setupTurns(): FakeCombatant[] {
    this.turns = this.combatants.contents.sort(this._sortCombatants);
    return this.turns;
  }
  _sortCombatants(a: FakeCombatant, b: FakeCombatant): number {
    return (b["initiative"] ?? -Infinity) - (a["initiative"] ?? -Infinity) || (a.id > b.id ? 1 : -1);
  }

  async startCombat(): Promise<this> {
    Hooks.callAll("combatStart", this, { round: 1, turn: 0 });
    await this.update({ round: 1, turn: 0 }, { direction: 1 });
    return this;
  }
  async nextTurn(): Promise<this> {
    const turn = (this.turn ?? -1) + 1;
    if (turn >= this.turns.length) return this.nextRound();
    Hooks.callAll("combatTurn", this, { round: this.round, turn }, { direction: 1 });
    await this.update({ turn }, { direction: 1 });
    return this;
  }
  async previousTurn(): Promise<this> {
    await this.update({ turn: Math.max(0, (this.turn ?? 0) - 1) }, { direction: -1 });
    return this;
  }
  async nextRound(): Promise<this> {
    await this.update({ round: this.round + 1, turn: 0 }, { direction: 1 });
    return this;
  }
  async previousRound(): Promise<this> {
    await this.update({ round: Math.max(0, this.round - 1), turn: 0 }, { direction: -1 });
    return this;
  }
  async endCombat(): Promise<this> {
    return this.delete();
  }
  async rollInitiative(ids: string | string[]): Promise<this> {
    const updates = [ids].flat().map((_id) => ({ _id, initiative: 1 + Math.floor(Math.random() * 20) }));
    await send("update", "Combatant", updates, {}, this.id);
    return this;
  }
  async rollAll(): Promise<this> {
    return this.rollInitiative(this.combatants.filter(({ initiative }) => initiative === null).map(({ id }) => id));
  }
  async setInitiative(id: string, value: number): Promise<void> {
    await this.combatants.get(id)?.update({ initiative: value });
  }
  async createEmbeddedDocuments(_name: string, rows: Data[]): Promise<Data[]> {
    return send("create", "Combatant", rows.map((row) => ({ initiative: null, hidden: false, defeated: false, ...row })), {}, this.id);
  }
  async updateEmbeddedDocuments(_name: string, rows: Data[], options: Data = {}): Promise<Data[]> {
    return send("update", "Combatant", rows, options, this.id);
  }
  async deleteEmbeddedDocuments(_name: string, ids: string[]): Promise<Data[]> {
    return send("delete", "Combatant", ids.map((_id) => ({ _id })), {}, this.id);
  }

  /** Runs on every client after a change of the turn: the hook everywhere, the events of turns on one game master's client. */
  _turnChanged(options: Data): void {
    const prior = this.previous;
    const current = this.current;
    this.previous = current;
    if (!prior || (prior.round === current.round && prior.combatantId === current.combatantId)) return;
    Hooks.callAll("combatTurnChange", this, prior, current);
    if (options["turnEvents"] === false || options["direction"] === -1 || !game.user.isActiveGM || !this.started) return;
    const ended = this.combatants.get(prior.combatantId ?? "");
    const started = this.combatants.get(current.combatantId ?? "");
    if (ended && prior.round > 0) void this._onEndTurn(ended, {});
    if (started) void this._onStartTurn(started, {});
  }
  async _onStartTurn(combatant: FakeCombatant, _context: Data): Promise<void> {
    turnEvents.push(`start ${combatant.name}`);
  }
  async _onEndTurn(combatant: FakeCombatant, _context: Data): Promise<void> {
    turnEvents.push(`end ${combatant.name}`);
  }
}

/** The events of turns that this client has run. */
export const turnEvents: string[] = [];

/** A system whose class overrides the methods and never calls those of Foundry. */
export class SystemCombat extends FakeCombat {
  override async nextTurn(): Promise<this> {
    await this.update({ turn: this.turns.length - 1 });
    return this;
  }
  override async rollInitiative(): Promise<this> {
    ui.notifications.info("The system rolls in its own way.");
    return this;
  }
}
