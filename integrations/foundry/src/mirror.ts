// Writes round and turn of the encounter to the Combat, for Foundry and the system, and if the settings say so the places. Only the active game master's client writes.
import { toFoundry } from "./client/index.js";
import type { Session } from "./session.js";
import { ID, type FoundryCombat } from "./types.js";

export class Mirror {
  #writing: Promise<void> = Promise.resolve();
  /** Corrections of the last five seconds. */
  #corrections = 0;

  constructor(private readonly session: Session) {}

  show(undone: boolean): void {
    this.#writing = this.#writing.then(() => this.#write(undone)).catch((error: unknown) => console.error("turnkeeper:", error));
  }

  /** Writes again after another client or module wrote round or turn, at most five times in five seconds. */
  correct(): void {
    if (this.#corrections >= 5) return;
    this.#corrections++;
    setTimeout(() => this.#corrections--, 5000);
    this.show(false);
  }

  async #write(undone: boolean): Promise<void> {
    const { combat, encounter, live } = this.session;
    if (!encounter || !live || !game.user.isActiveGM) return;
    const { round, current, combatants } = toFoundry(encounter);
    if (game.settings.get(ID, "places")) await place(combat, combatants.map(({ id }) => id));
    const changes = {
      // In Foundry a fight that has begun has a round; some systems act before their first.
      round: encounter.status === "setup" ? 0 : Math.max(1, round),
      turn: turnOf(combat, current, encounter.status === "setup"),
    };
    if (changes.round === combat.round && changes.turn === combat.turn) return;
    const back = undone || changes.round < combat.round;
    await combat.update(changes, { turnkeeper: true, direction: back ? -1 : 1, ...(back && { turnEvents: false }) } as object);
  }
}

/** Gives each combatant an initiative by its place, the first the highest. Trackers that sort by initiatives show that order. */
async function place(combat: FoundryCombat, order: string[]): Promise<void> {
  const updates = order.map((_id, index) => ({ _id, initiative: order.length - index }));
  const moved = updates.filter(({ _id, initiative }) => combat.combatants.has(_id) && combat.combatants.get(_id)!.initiative !== initiative);
  if (moved.length > 0) await combat.updateEmbeddedDocuments("Combatant", moved, { turnkeeper: true, turnEvents: false } as object);
}

/** The index of the first current combatant. Between turns the last one stays; before the first turn it is null. */
function turnOf(combat: FoundryCombat, current: string[], setup: boolean): number | null {
  if (setup) return null;
  const turn = combat.turns.findIndex(({ id }) => current.includes(id!));
  return turn < 0 ? combat.turn : turn;
}
