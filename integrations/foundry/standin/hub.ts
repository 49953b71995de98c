// The server of the stand-in: it holds the world, checks who may change what, and tells all clients of each change.
import { difference, expand, merge, randomID, type Data, type Operation } from "./data.js";

export interface World {
  users: Data[];
  actors: Data[];
  tokens: Data[];
  combats: Data[];
  settings: Data;
}

/** A connected client: runs a function of the page with an argument. */
export type Client = (call: "deliver" | "answer", argument: unknown) => Promise<unknown>;

const gamemaster = (user: Data) => user.role >= 3;

export class Hub {
  readonly clients = new Map<string, Client>();
  /** Everything that each user's client was sent, to look for secrets in. */
  readonly sent = new Map<string, string[]>();
  readonly refusals: string[] = [];
  latency = 0;

  constructor(readonly world: World) {}

  connect(userId: string, client: Client): Data {
    this.clients.set(userId, client);
    this.user(userId).active = true;
    void this.broadcast({ kind: "update", type: "User", items: [{ _id: userId, active: true }], options: {}, userId }, userId);
    const copy = structuredClone(this.world);
    this.record(userId, copy);
    return copy;
  }

  async disconnect(userId: string): Promise<void> {
    this.clients.delete(userId);
    this.user(userId).active = false;
    await this.broadcast({ kind: "update", type: "User", items: [{ _id: userId, active: false }], options: {}, userId });
  }

  /** Applies an operation if its sender may, and tells all clients, the sender among them. */
  async operate(userId: string, asked: Omit<Operation, "userId">): Promise<Data[]> {
    await this.wait();
    const operation: Operation = { ...structuredClone(asked), userId };
    const refusal = operation.items.map((item) => this.refuses(this.user(userId), operation, item)).find((reason) => reason);
    if (refusal) {
      this.refusals.push(refusal);
      throw new Error(refusal);
    }
    operation.items = operation.items.map((item) => this.apply(operation, item)).filter((item): item is Data => item !== undefined);
    if (operation.items.length > 0) await this.broadcast(operation);
    return operation.items;
  }

  /** Asks one user's client. The handler is not told who asks, and no other client hears of it. */
  async query(asker: string, to: string, name: string, data: unknown): Promise<unknown> {
    await this.wait();
    if (this.user(asker).role < 1) throw new Error("User lacks the permission QUERY_USER");
    const client = this.clients.get(to);
    if (!client) throw new Error(`The user ${to} is not connected`);
    this.record(to, data);
    const answer = await client("answer", { name, data });
    this.record(asker, answer);
    return answer;
  }

  private refuses(user: Data, { kind, type, parent }: Operation, item: Data): string | undefined {
    if (gamemaster(user)) return undefined;
    const lacks = `User ${user.name} lacks permission to ${kind} ${type}`;
    const only = (...keys: string[]) => (Object.keys(expand(item)).every((key) => ["_id", ...keys].includes(key)) ? undefined : lacks);
    if (kind !== "update") return lacks;
    if (type === "Combat") return only("round", "turn", "combatants");
    if (type === "Combatant") return this.owns(user, this.find("Combatant", item._id, parent).actorId) ? only("initiative") : lacks;
    if (type === "Actor") return this.owns(user, item._id) ? undefined : lacks;
    if (type === "Token") return this.owns(user, this.find("Token", item._id).actorId) ? undefined : lacks;
    return lacks;
  }

  private owns(user: Data, actorId: string): boolean {
    const { ownership } = this.find("Actor", actorId);
    return (ownership[user._id] ?? ownership.default ?? 0) >= 3;
  }

  /** Changes the world; returns what clients must change, if anything. */
  private apply({ kind, type, parent }: Operation, item: Data): Data | undefined {
    if (type === "Setting") {
      merge(this.world.settings, { [item._id]: item.value });
      return item;
    }
    const list = this.list(type, parent);
    if (kind === "create") {
      const data = merge({ _id: randomID(), ...(type === "Combat" ? { round: 0, turn: null, flags: {}, combatants: [] } : {}) }, expand(item));
      list.push(data);
      return structuredClone(data);
    }
    const data = this.find(type, item._id, parent);
    if (kind === "delete") {
      list.splice(list.indexOf(data), 1);
      return item;
    }
    const changes = difference(data, expand(item));
    merge(data, structuredClone(changes));
    return Object.keys(changes).length > 0 ? { ...changes, _id: item._id } : undefined;
  }

  private list(type: Operation["type"], parent?: string): Data[] {
    if (type === "Combatant") return this.find("Combat", parent!).combatants;
    return { User: this.world.users, Actor: this.world.actors, Token: this.world.tokens, Combat: this.world.combats, Setting: [] }[type];
  }

  find(type: Operation["type"], id: string, parent?: string): Data {
    const found = this.list(type, parent).find((data) => data._id === id);
    if (!found) throw new Error(`${type} ${id} does not exist`);
    return found;
  }

  private user(id: string): Data {
    return this.find("User", id);
  }

  private async broadcast(operation: Operation, except?: string): Promise<void> {
    await this.wait();
    await Promise.all([...this.clients].filter(([id]) => id !== except).map(async ([id, client]) => {
      this.record(id, operation);
      // A client that leaves in this moment hears nothing more.
      await client("deliver", operation).catch(() => undefined);
    }));
  }

  private record(userId: string, message: unknown): void {
    const sent = this.sent.get(userId) ?? [];
    sent.push(JSON.stringify(message) ?? "");
    this.sent.set(userId, sent);
  }

  private async wait(): Promise<void> {
    if (this.latency > 0) await new Promise((resolve) => setTimeout(resolve, this.latency * Math.random()));
  }
}
