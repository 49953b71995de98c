// Gives each user a token of their own. A token goes to its user alone, by a query: settings and flags would reach everybody.
import { EncounterClient } from "./client/index.js";
import { server } from "./settings.js";
import type { Session } from "./session.js";
import { ID, type Schemas } from "./types.js";

type Token = Schemas["TokenInfo"];
const query = `${ID}.token` as const;

export class Tokens {
  #handing: Promise<void> = Promise.resolve();

  constructor(private readonly session: Session) {}

  /** Checks the tokens of all connected users, one after another. */
  handOut(): void {
    for (const user of game.users.filter(({ active, isSelf }) => active && !isSelf)) this.handTo(user);
  }

  handTo(user: User.Implementation): void {
    this.#handing = this.#handing.then(() => this.#ensure(user)).catch((error: unknown) => console.warn("turnkeeper:", error));
  }

  /** Gets a new token with the application's key, for a game master in another browser. */
  async recover(): Promise<void> {
    const key = game.user.isGM ? game.settings.get(ID, "key") : "";
    if (!key || this.session.state !== "waiting") return;
    const url = `${server()}/v1/encounters/${this.session.link.encounter}`;
    const made = await new EncounterClient(url, key).createToken({ role: "gm", name: game.user.name });
    await this.session.take(made.token);
  }

  async #ensure(user: User.Implementation): Promise<void> {
    const { client, combat, encounter } = this.session;
    // Only the active game master serves players. Each serves other game masters, because the active one may have no token.
    if (!client || encounter?.you.role !== "gm" || !(user.isGM || game.user.isActiveGM)) return;
    const asked = wanted(this.session, user);
    for (let attempt = 0; attempt < 5 && user.active; attempt++) {
      if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, 1000));
      const listed = (await this.#call<{ items: Token[] }>("GET", "/tokens")).items.filter(({ name }) => name === user.name);
      // The user's client may still be loading.
      const held = await user.query(query, { combat: combat.id! }, { timeout: 5000 }).catch(() => undefined);
      if (held === undefined) continue;
      if (listed.some((token) => token.id === held && fits(token, asked))) return;
      const made = await client.createToken(asked);
      const taken = await user.query(query, { combat: combat.id!, token: made.token }, { timeout: 10_000 }).catch(() => null);
      const stale = taken === made.id ? listed : [made];
      for (const { id } of stale) await this.#call("DELETE", `/tokens/${id}`);
      if (taken === made.id) return;
    }
  }

  async #call<T>(method: string, path: string): Promise<T> {
    const { url, token } = this.session.client!;
    const answer = await fetch(url + path, { method, headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }
}

/** The token that a user should have. A user without combatants is a spectator. */
function wanted({ combat }: Session, user: User.Implementation): Schemas["NewToken"] & { name: string } {
  const name = user.name;
  if (user.isGM) return { role: "gm", name };
  const owned = combat.combatants.filter(({ actor }) => actor?.testUserPermission(user, "OWNER") ?? false).map(({ id }) => id!);
  return owned.length > 0 ? { role: "player", name, combatants: owned } : { role: "spectator", name };
}

function fits(token: Token, asked: Schemas["NewToken"]): boolean {
  const sorted = (ids: string[] = []) => [...ids].sort().join();
  return token.role === asked.role && sorted(token.combatants) === sorted(asked.combatants);
}
