// What a user does: sends a legal command, ends the turn, takes back, and links a combat to a new encounter.
import { Turnkeeper, newKey } from "./client/index.js";
import { awaited, fill, isReady, pick } from "./choose.js";
import { draftOf } from "./roster.js";
import type { Session } from "./session.js";
import { json, keepToken, server } from "./settings.js";
import { ID, text, type FoundryCombat, type Legal, type Link, type Schemas } from "./types.js";

const warn = (reason: string): void => void ui.notifications?.warn(reason);

/** Runs one action at a time, and shows a refusal in the server's words. */
async function act(session: Session, redraw: () => void, action: () => Promise<void>): Promise<void> {
  if (session.busy) return;
  session.busy = true;
  redraw();
  try {
    await action();
  } catch (error) {
    warn((error as Error).message);
  } finally {
    session.busy = false;
    redraw();
  }
}

export class Table {
  constructor(readonly session: Session, private readonly redraw: () => void) {}

  async send(legal: Legal, ask: boolean): Promise<void> {
    const { options, encounter } = this.session;
    if (!options || !encounter || this.session.busy) return;
    const command = ask ? await fill(legal, options, encounter) : legal.command;
    // Of two that take back at once, one comes too late. Other commands name their actor.
    const seen = legal.command.type === "undo" ? encounter.version : undefined;
    if (command) await act(this.session, this.redraw, () => this.session.send(command, seen));
  }

  /** Takes the decision that is awaited, such as the end of a turn, if this user may. */
  async advance(): Promise<void> {
    const { options, encounter } = this.session;
    if (!this.ready() || !options || !encounter || this.session.busy) return;
    const legal = awaited(encounter, options);
    if (legal.length === 0) return warn(text("NotYours"));
    const one = await pick(legal, encounter);
    if (one) await this.send(one, !isReady(one));
  }

  async undo(): Promise<void> {
    const { encounter } = this.session;
    if (!this.ready() || !encounter) return;
    await act(this.session, this.redraw, () => this.session.send({ type: "undo" }, encounter.version));
  }

  /** Rolls of the ruleset for combatants, where it asks for one now. */
  async roll(ids: string[]): Promise<void> {
    const rolls = ["roll", "roll_unit", "join_battle", "initiative_check"];
    const { options, encounter } = this.session;
    if (!this.ready() || !options || !encounter) return;
    const legal = options.items.filter(({ command, combatant }) => rolls.includes(command.type) && (!combatant || ids.includes(combatant)));
    if (legal.length === 0) return warn(text("NoRoll"));
    const one = await pick(legal, encounter);
    if (one) await this.send(one, !isReady(one));
  }

  refuseRound(): void {
    if (this.ready()) warn(text("NoRound"));
  }

  /** Foundry's own turns never take over silently. */
  private ready(): boolean {
    if (this.session.live) return true;
    warn(text(`State.${this.session.state}`));
    return false;
  }
}

/** Creates an encounter for a combat, and keeps its token in this browser. */
export async function link(combat: FoundryCombat): Promise<void> {
  const ruleset = game.settings.get(ID, "ruleset");
  const key = game.settings.get(ID, "key");
  const asked = {
    ruleset, options: json("options"), player_undo: game.settings.get(ID, "playerUndo"),
    // Foundry does not show players the hit points of foes.
    foe_hp: "none", combatants: combat.combatants.map(draftOf),
  } as unknown as Schemas["NewEncounter"];
  const options = { key: newKey(), ...(key && { application: key }) };
  const created = await new Turnkeeper(server(), { retryFor: 10_000 }).create(asked, options);
  await keepToken(created.encounter.id, created.token);
  const flag: Link = { encounter: created.encounter.id, ruleset };
  await combat.update({ flags: { [ID]: { link: flag } } } as object, { turnkeeper: true } as object);
}
