// Sends changes in Foundry to the server: hit points, hidden, names, combatants that join and leave. Never the other way.
// A command is the difference between both states, on the condition of the server's version, so no change is sent twice.
import { TurnkeeperError } from "./client/index.js";
import { difference, differing, isHidden } from "./roster.js";
import type { Session } from "./session.js";

export class Sync {
  /** The combatants that changed in Foundry and may still differ. Every game master's client collects them; the active one sends. */
  readonly #changed = new Set<string>();
  #sending = false;

  constructor(private readonly session: Session, private readonly refused: (reason: string) => void) {}

  /** A combatant changed in Foundry. */
  touch(...ids: string[]): void {
    for (const id of ids) this.#changed.add(id);
    void this.send();
  }

  /** The combatants that differ although nothing is on its way, as after an undo. */
  get standing(): string[] {
    const { combat, encounter } = this.session;
    if (encounter?.you.role !== "gm" || encounter.status === "ended") return [];
    return differing(combat, encounter).filter((id) => !this.#changed.has(id));
  }

  /** Call it when the encounter has changed. Drops what agrees by now, and adds what only Foundry hides. */
  settle(): void {
    const { combat, encounter } = this.session;
    if (encounter?.you.role !== "gm") return;
    for (const id of this.#changed) if (difference(combat, encounter, id).length === 0) this.#changed.delete(id);
    for (const { id, hidden } of encounter.combatants) {
      const here = combat.combatants.get(id);
      // Also after an undo, the server must not show what Foundry hides.
      if (here && isHidden(here) && !hidden) this.#changed.add(id);
    }
    void this.send();
  }

  async send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    let last = "";
    try {
      for (let id = this.#next(); id !== undefined; id = this.#next()) {
        const { combat, encounter } = this.session;
        const [command] = difference(combat, encounter!, id);
        // A command that changes nothing is not sent again.
        if (!command || JSON.stringify([id, command]) === last) {
          this.#changed.delete(id);
          continue;
        }
        try {
          await this.session.send(command, encounter!.version);
          last = JSON.stringify([id, command]);
        } catch (error) {
          if (!(error instanceof TurnkeeperError) || error.temporary) {
            // The feed may still be live, as when only a proxy refuses.
            setTimeout(() => void this.send(), 5000);
            return;
          }
          if (error.status === 412) await this.session.refresh();
          else {
            this.#changed.delete(id);
            this.refused(error.message);
          }
        }
      }
    } finally {
      this.#sending = false;
    }
  }

  #next(): string | undefined {
    const { encounter, live } = this.session;
    if (!game.user.isActiveGM || !live || encounter?.you.role !== "gm" || encounter.status === "ended") return undefined;
    return this.#changed.values().next().value;
  }
}
