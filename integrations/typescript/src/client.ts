import type { components } from "./api.js";
import { type Change, type FollowOptions, follow } from "./feed.js";
import { type Settings, newKey, request } from "./http.js";

/** The types of the published document by name. */
export type Schemas = components["schemas"];
export type Encounter = Schemas["Encounter"];
export type Command = Schemas["Command"];

export interface SendOptions {
  /** Names the request, which is applied once. Store it if your program must repeat the request after a restart. */
  key?: string;
  /** The version that the sender has seen. At any other version the request is refused with the code `stale_version`. */
  ifVersion?: number;
  signal?: AbortSignal;
}

export interface OptionsQuery {
  /** Lists the tools of the table too: notes, hit points, effects, combatants, undo. */
  tools?: boolean;
  /** Lists the options of one combatant. */
  combatant?: string;
  /** Lists the options of another token, by its id. */
  for?: string;
}

export class Turnkeeper {
  constructor(readonly url: string, readonly settings: Settings = {}) {}

  /** Creates an encounter. No other answer shows its tokens. Some servers want the key of an application. */
  create(encounter: Schemas["NewEncounter"], options: SendOptions & { application?: string } = {}): Promise<Schemas["Created"]> {
    return post(`${this.url}/v1/encounters`, options.application, encounter, options, this.settings);
  }

  /** An encounter as the holder of `token` sees it. */
  encounter(id: string, token: string): EncounterClient {
    return new EncounterClient(`${this.url}/v1/encounters/${id}`, token, this.settings);
  }
}

export class EncounterClient {
  constructor(readonly url: string, readonly token: string, readonly settings: Settings = {}) {}

  /** Sends a command, or a list of which all or none are applied. The answer has the encounter and the options after it; a busy server leaves the options out. */
  send(command: Command | Command[], options: SendOptions = {}): Promise<Schemas["CommandAnswer"]> {
    return post(`${this.url}/commands?include=encounter,options`, this.token, command, options, this.settings);
  }

  /** Creates a token for a player, a spectator or another game master. */
  createToken(token: Schemas["NewToken"], options: SendOptions = {}): Promise<Schemas["CreatedToken"]> {
    return post(`${this.url}/tokens`, this.token, token, options, this.settings);
  }

  /** The encounter now. */
  read(signal?: AbortSignal): Promise<Encounter> {
    return request(this.url, { headers: bearer(this.token) }, this.settings, signal);
  }

  /** The commands that may be sent now. */
  options(signal?: AbortSignal, { tools, ...filter }: OptionsQuery = {}): Promise<Schemas["LegalCommands"]> {
    const query = new URLSearchParams({ ...(tools && { include: "tools" }), ...filter });
    return request(`${this.url}/options?${query}`, { headers: bearer(this.token) }, this.settings, signal);
  }

  /** Follows the encounter through all breaks of the connection, until it is deleted or the token ends. */
  follow(options: FollowOptions = {}): AsyncGenerator<Change, void, void> {
    return follow(this.url, bearer(this.token), options, this.settings);
  }
}

const bearer = (token?: string): Record<string, string> => (token ? { authorization: `Bearer ${token}` } : {});

function post<T>(url: string, token: string | undefined, body: unknown, options: SendOptions, settings: Settings): Promise<T> {
  const { key = newKey(), ifVersion, signal } = options;
  const condition = ifVersion === undefined ? {} : { "if-match": `"${ifVersion}"` };
  const headers = { ...bearer(token), ...condition, "content-type": "application/json", "idempotency-key": key };
  return request(url, { method: "POST", headers, body: JSON.stringify(body) }, settings, signal);
}
