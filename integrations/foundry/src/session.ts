// One user's view of one encounter: the live feed with this user's token, and commands.
import { TurnkeeperError, Turnkeeper, type EncounterClient } from "./client/index.js";
import { keepToken, ownToken, server } from "./settings.js";
import type { Command } from "./roster.js";
import type { Encounter, FoundryCombat, Link, Options, Schemas } from "./types.js";

/** `waiting` for a token, `lost` if the server knows neither token nor encounter, `away` while it does not answer. */
export type State = "waiting" | "connecting" | "live" | "away" | "lost";

/** Is called after each change. `undone` says that an undo made it. */
export type Listener = (session: Session, undone: boolean) => void;

export class Session {
  state: State = "waiting";
  encounter: Encounter | undefined;
  options: Options | undefined;
  /** Whether a command of this user is on its way. */
  busy = false;
  #client: EncounterClient | undefined;
  #stop = new AbortController();

  constructor(readonly combat: FoundryCombat, readonly link: Link, private readonly changed: Listener) {
    const token = ownToken(link.encounter);
    if (token) this.#follow(token);
  }

  get client(): EncounterClient | undefined {
    return this.#client;
  }
  get live(): boolean {
    return this.state === "live";
  }

  /** Accepts a pushed token if it was made for this user. Returns the id of the user's token. */
  async take(token: string | undefined): Promise<string | null> {
    if (token) {
      const { you } = await this.#connection(token).read();
      // A query does not say who sends it. Only game masters can create tokens in this user's name.
      if (you.name === game.user.name) {
        await keepToken(this.link.encounter, token);
        this.#follow(token);
        return you.id;
      }
    }
    return this.encounter?.you.id ?? null;
  }

  /** Sends a command for this user. Throws the refusal. */
  async send(command: Command, ifVersion?: number): Promise<void> {
    if (!this.#client) throw new Error("no token");
    const answer = await this.#client.send(command, ifVersion === undefined ? {} : { ifVersion });
    if (answer.encounter) this.#accept(answer.encounter, answer.options, isUndo([command.type]));
  }

  /** The legal commands with the tools of the table, which the feed leaves out. */
  async tools(): Promise<Options> {
    return (await this.#client!.options(undefined, { tools: true })) as Options;
  }

  /** Reads the encounter again, after a command that was decided on an older version. */
  async refresh(): Promise<void> {
    if (this.#client) this.#accept(await this.#client.read(), await this.#client.options(), false);
  }

  stop(): void {
    this.#stop.abort();
  }

  #connection(token: string): EncounterClient {
    return new Turnkeeper(server(), { retryFor: 10_000, fetch: (...request) => this.#fetch(...request) }).encounter(this.link.encounter, token);
  }

  /** Learns from the requests of the feed whether the server answers. Only the feed retries without end. */
  async #fetch(...request: Parameters<typeof fetch>): Promise<Response> {
    if (!String(request[0]).includes("/events")) return fetch(...request);
    const { signal } = this.#stop;
    try {
      const response = await fetch(...request);
      if (response.status >= 500) this.#turn("away");
      else if (response.ok && this.encounter) this.#turn("live");
      return response;
    } catch (error) {
      if (!signal.aborted) this.#turn("away");
      throw error;
    }
  }

  #turn(state: State): void {
    if (this.state === state) return;
    this.state = state;
    this.#tell(false);
  }

  /** A tracker that cannot be drawn must not end the feed. */
  #tell(undone: boolean): void {
    try {
      this.changed(this, undone);
    } catch (error) {
      console.error("turnkeeper:", error);
    }
  }

  #follow(token: string): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#client = this.#connection(token);
    this.state = "connecting";
    void this.#read(this.#client, this.#stop.signal);
  }

  async #read(client: EncounterClient, signal: AbortSignal): Promise<void> {
    try {
      for await (const change of client.follow({ signal })) {
        if (signal.aborted) return;
        if (change.type === "deleted") return this.#turn("lost");
        // Another entry follows at once.
        if (!change.encounter) continue;
        if (change.type === "snapshot") {
          this.encounter = undefined;
          this.#accept(change.encounter, await client.options(signal), false);
        } else this.#accept(change.encounter, change.options, isUndo(change.commands));
      }
    } catch (error) {
      if (signal.aborted) return;
      // Keep the token: the setting of the address may be wrong for a while.
      if (!(error instanceof TurnkeeperError) || !error.temporary) return this.#turn("lost");
      this.#turn("away");
      setTimeout(() => void (signal.aborted || this.#read(client, signal)), 1000);
    }
  }

  #accept(encounter: Encounter, options: Schemas["LegalCommands"] | undefined, undone: boolean): void {
    if (this.encounter && encounter.version < this.encounter.version) return;
    const known = this.encounter?.version === encounter.version && this.options?.version === encounter.version;
    this.encounter = encounter;
    if (options) this.options = options as Options;
    if (known && this.live) return;
    this.state = "live";
    this.#tell(undone);
  }
}

const isUndo = (types: string[]): boolean => types.includes("undo");
