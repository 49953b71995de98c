// Fake documents: the members of Foundry's public API that the module and the systems touch.
import { difference, expand, getProperty, merge, type Data, type Operation } from "./data.js";

type Listener = (...parts: any[]) => unknown;
const listeners = new Map<string, { call: Listener; once: boolean }[]>();

export const Hooks = {
  on(name: string, call: Listener, once = false): void {
    listeners.set(name, [...(listeners.get(name) ?? []), { call, once }]);
  },
  once(name: string, call: Listener): void {
    this.on(name, call, true);
  },
  /** Calls all listeners, and never waits for them. One that fails does not stop the others. */
  callAll(name: string, ...parts: unknown[]): void {
    this.call(name, ...parts);
  },
  call(name: string, ...parts: unknown[]): boolean {
    const all = listeners.get(name) ?? [];
    listeners.set(name, all.filter(({ once }) => !once));
    let allowed = true;
    for (const { call } of all) {
      try {
        if (call(...parts) === false) allowed = false;
      } catch (error) {
        console.error(`hook ${name}:`, error);
      }
    }
    return allowed;
  },
};

export class Collection<T> extends Map<string, T> {
  get contents(): T[] {
    return [...this.values()];
  }
  override [Symbol.iterator](): any {
    return this.values();
  }
  find(test: (item: T) => boolean): T | undefined {
    return this.contents.find(test);
  }
  filter(test: (item: T) => boolean): T[] {
    return this.contents.filter(test);
  }
  map<U>(call: (item: T) => U): U[] {
    return this.contents.map(call);
  }
}

declare const game: any;
declare const CONFIG: any;
declare const window: Data;

export async function send(kind: Operation["kind"], type: Operation["type"], items: Data[], options: Data, parent?: string): Promise<Data[]> {
  return window.hub({ operation: { kind, type, items, options, parent } });
}

export class Doc {
  static type: Operation["type"];
  declare _id: string;
  declare flags: Data;
  [key: string]: any;

  constructor(data: Data, readonly parent?: any) {
    Object.assign(this, structuredClone({ flags: {}, ...data }));
  }
  get id(): string {
    return this._id;
  }
  get documentName(): Operation["type"] {
    return (this.constructor as typeof Doc).type;
  }
  get isOwner(): boolean {
    return this.testUserPermission(game.user, "OWNER");
  }
  testUserPermission(user: any, _level: string): boolean {
    return user.isGM || (this.ownership?.[user.id] ?? this.ownership?.default ?? 0) >= 3;
  }
  getFlag(scope: string, key: string): unknown {
    return getProperty(this.flags[scope], key);
  }
  setFlag(scope: string, key: string, value: unknown): Promise<this | undefined> {
    return this.update({ flags: { [scope]: { [key]: value } } });
  }
  unsetFlag(scope: string, key: string): Promise<this | undefined> {
    return this.update({ flags: { [scope]: { [`-=${key}`]: null } } });
  }
  async update(changes: Data = {}, options: Data = {}): Promise<this | undefined> {
    const expanded = difference(this, expand(changes));
    if (Object.keys(expanded).length === 0) return undefined;
    if (!Hooks.call(`preUpdate${this.documentName}`, this, expanded, options, game.user.id)) return undefined;
    await send("update", this.documentName, [{ ...expanded, _id: this.id }], options, this.parent?.id);
    return this;
  }
  async delete(options: Data = {}): Promise<this> {
    await send("delete", this.documentName, [{ _id: this.id }], options, this.parent?.id);
    return this;
  }
  _applied(changes: Data): void {
    merge(this, structuredClone(changes));
  }
}

export class FakeUser extends Doc {
  static override type = "User" as const;
  get isGM(): boolean {
    return this.role >= 3;
  }
  get isSelf(): boolean {
    return this.id === game.user.id;
  }
  get isActiveGM(): boolean {
    return game.users.activeGM === this;
  }
  async query(name: string, data: unknown, { timeout = 30000 } = {}): Promise<unknown> {
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error(`The query ${name} timed out`)), timeout));
    return Promise.race([window.hub({ query: { to: this.id, name, data } }), late]);
  }
}

export class FakeUsers extends Collection<FakeUser> {
  get activeGM(): FakeUser | null {
    return this.filter(({ active, isGM }) => active && isGM).sort((a, b) => b.role - a.role || (a.id < b.id ? -1 : 1))[0] ?? null;
  }
}

export class FakeActor extends Doc {
  static override type = "Actor" as const;
  /** An unlinked token has an actor of its own, with the same id. */
  token?: FakeToken;
  get hasPlayerOwner(): boolean {
    return game.users.contents.some((user: FakeUser) => !user.isGM && this.testUserPermission(user, "OWNER"));
  }
  override async update(changes: Data, options: Data = {}): Promise<this | undefined> {
    if (!this.token) return super.update(changes, options);
    const expanded = difference(this, expand(changes));
    await send("update", "Token", [{ _id: this.token.id, delta: expanded }], options);
    return this;
  }
}

export class FakeToken extends Doc {
  static override type = "Token" as const;
  #actor?: FakeActor;
  get actor(): FakeActor | null {
    const base = game.actors.get(this.actorId);
    if (!base || this.actorLink) return base ?? null;
    if (!this.#actor) {
      const { _id, name, ownership, system } = base;
      this.#actor = new CONFIG.Actor.documentClass({ _id, name, ownership, system }) as FakeActor;
      this.#actor.token = this;
      this.#actor._applied(this.delta ?? {});
    }
    return this.#actor;
  }
  get object(): { visible: boolean } {
    return { visible: !this.hidden || game.user.isGM };
  }
}

export class FakeCombatant extends Doc {
  static override type = "Combatant" as const;
  get combat(): any {
    return this.parent;
  }
  get token(): FakeToken | null {
    return game.tokens.get(this.tokenId) ?? null;
  }
  get actor(): FakeActor | null {
    return this.token?.actor ?? game.actors.get(this.actorId) ?? null;
  }
  get players(): FakeUser[] {
    return game.users.filter((user: FakeUser) => !user.isGM && this.testUserPermission(user, "OWNER"));
  }
  get hasPlayerOwner(): boolean {
    return this.players.length > 0;
  }
  get visible(): boolean {
    return this.isOwner || !this.hidden;
  }
  get isDefeated(): boolean {
    return this.defeated === true;
  }
  override testUserPermission(user: any, level: string): boolean {
    return this.actor?.testUserPermission(user, level) ?? user.isGM;
  }
}
