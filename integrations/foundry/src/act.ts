// The actions of a user: send a legal command, end the turn, undo, and link a combat to a new encounter.
import { Turnkeeper } from "./client/index.js";
import { awaited, fill, pick } from "./choose.js";
import { draftOf, type Command } from "./roster.js";
import type { Session } from "./session.js";
import { json, keepToken, server } from "./settings.js";
import { ID, text, type Encounter, type FoundryCombat, type Legal, type Link, type Options, type Schemas } from "./types.js";

const warn = (reason: string): void => void ui.notifications?.warn(reason);

const sure = (): Promise<boolean | null> =>
  foundry.applications.api.DialogV2.confirm({ window: { title: text("End") }, content: `<p>${text("EndSure")}</p>` });

export class Table {
  /** True while a dialog is open or a command is on its way. A second click then does nothing. */
  #engaged = false;

  constructor(readonly session: Session, private readonly redraw: () => void) {}

  /** Sends a legal command of `options`. Asks for its open fields first, if `ask`. */
  send(legal: Legal, options: Options, ask: boolean): Promise<void> {
    return this.#once(async (encounter) => {
      if (legal.command.type === "end_encounter" && !(await sure())) return;
      await this.#send(legal, ask, encounter, options);
    });
  }

  /** Takes the decision that is awaited, such as the end of a turn, if this user may. */
  advance(): Promise<void> {
    return this.#once(async (encounter, options) => this.#choose(awaited(options), "NotYours", encounter, options));
  }

  undo(): Promise<void> {
    return this.#once((encounter) => this.#run({ type: "undo" }, encounter.version));
  }

  /** Sends a roll of these combatants, or without `ids` the roll for all, if the ruleset asks for one now. */
  roll(ids?: string[]): Promise<void> {
    return this.#once(async (encounter, options) => {
      const rolls = options.items.filter(({ command }) => ["roll", "join_battle"].includes(command.type));
      const forAll = rolls.filter(({ actor }) => actor === undefined);
      const own = rolls.filter(({ actor }) => actor !== undefined && (ids?.includes(actor) ?? true));
      const [first, second] = ids ? [own, forAll] : [forAll, own];
      await this.#choose(first.length > 0 ? first : second, "NoRoll", encounter, options);
    });
  }

  refuseRound(): Promise<void> {
    return this.#once(async () => warn(text("NoRound")));
  }

  async #choose(legal: Legal[], none: string, encounter: Encounter, options: Options): Promise<void> {
    if (legal.length === 0) return warn(text(none));
    const one = await pick(legal);
    if (one) await this.#send(one, !one.complete, encounter, options);
  }

  async #send(legal: Legal, ask: boolean, encounter: Encounter, options: Options): Promise<void> {
    const command = ask ? await fill(legal, options) : legal.command;
    // Two users may undo at once: the second is refused. Other commands name their actor.
    if (command) await this.#run(command, command.type === "undo" ? encounter.version : undefined);
  }

  async #run(command: Command, ifVersion?: number): Promise<void> {
    this.session.busy = true;
    this.redraw();
    await this.session.send(command, ifVersion);
  }

  /** Runs one action at a time, and shows a refusal in the server's words. Foundry's own turns never take over silently. */
  async #once(action: (encounter: Encounter, options: Options) => Promise<void>): Promise<void> {
    const { live, state, encounter, options } = this.session;
    if (!live || !encounter || !options) return warn(text(`State.${state}`));
    if (this.#engaged) return;
    this.#engaged = true;
    try {
      await action(encounter, options);
    } catch (error) {
      warn((error as Error).message);
    } finally {
      this.#engaged = false;
      this.session.busy = false;
      this.redraw();
    }
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
  const created = await new Turnkeeper(server(), { retryFor: 10_000 }).create(asked, key ? { application: key } : {});
  await keepToken(created.encounter.id, created.token);
  const flag: Link = { encounter: created.encounter.id, ruleset };
  await combat.update({ flags: { [ID]: { link: flag } } } as object, { turnkeeper: true } as object);
}
