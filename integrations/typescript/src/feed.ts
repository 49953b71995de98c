import type { components } from "./api.js";
import { type Settings, TurnkeeperError, accepted, pause, watchdog } from "./http.js";

type FeedLine = components["schemas"]["FeedLine"];

/**
 * A `snapshot` is the encounter that the next transitions change; it replaces what was before. A `transition` is an entry of the log. It has
 * the `encounter` and the `options` after it, unless another one follows at once. After `deleted` nothing follows.
 */
export type Change = Exclude<FeedLine, { type: "keep_alive" }>;

export interface FollowOptions {
  /** The last version or `event_id` that you know: the feed continues after it. Without it the feed begins with a snapshot. */
  after?: number | string;
  /** What each transition has beside its events: the encounter and the options, without the tools of the table, by default. */
  include?: "encounter" | "options" | "encounter,options" | "encounter,options,tools" | "none";
  /** Ends the feed. */
  signal?: AbortSignal;
}

async function* lines(response: Response, heard: () => void): AsyncGenerator<FeedLine, void, void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    heard();
    const complete = (rest + part.value).split("\n");
    rest = complete.pop() ?? "";
    for (const line of complete.filter(Boolean)) yield JSON.parse(line) as FeedLine;
  }
}

/** Yields each entry of the log once and in order, and a snapshot if the log cannot be continued. */
export async function* follow(
  url: string, authorization: Record<string, string>, options: FollowOptions, settings: Settings,
): AsyncGenerator<Change, void, void> {
  const { after, include = "encounter,options", signal } = options;
  const { fetch: send = fetch, timeout = 45_000 } = settings;
  const events = `${url}/events${include === "none" ? "" : `?include=${include}`}`;
  new Request(events, { headers: authorization }); // A malformed address or header is no broken connection.
  let place = after;
  let version = after === undefined ? undefined : Number.parseInt(String(after), 10);
  let seesAll = false; // the log of a player has holes
  for (let failures = 0; !signal?.aborted; failures++) {
    const watch = watchdog(timeout, signal);
    const resume: Record<string, string> = place === undefined ? {} : { "last-event-id": String(place) };
    try {
      const headers = { ...authorization, ...resume, accept: "application/x-ndjson" };
      const response = await accepted(await send(events, { headers, signal: watch.signal }));
      for await (const line of lines(response, watch.heard)) {
        failures = 0;
        if (line.type === "keep_alive") continue;
        if (line.type === "deleted") return yield line;
        if (line.type === "transition" && version !== undefined) {
          if (line.version <= version) continue;
          if (seesAll && line.version > version + 1) throw new TurnkeeperError(410, "the feed has a gap");
        }
        if (line.encounter) seesAll = line.encounter.you.role === "gm";
        version = line.version;
        place = line.event_id;
        yield line;
      }
    } catch (error) {
      if (error instanceof TurnkeeperError && (error.status === 410 || error.code === "no_such_version")) place = version = undefined;
      else if (error instanceof TurnkeeperError && !error.temporary) throw error;
    } finally {
      watch.end();
    }
    await pause(failures, 0, signal);
  }
}
