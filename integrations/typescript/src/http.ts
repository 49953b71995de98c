import type { components } from "./api.js";

export interface Settings {
  /** Sends requests; the global fetch by default. */
  fetch?: typeof fetch;
  /** How long a request is repeated until it is answered, in milliseconds: a minute by default. */
  retryFor?: number;
  /** How long an attempt or a feed may be silent until it counts as broken, in milliseconds: 45 seconds by default. */
  timeout?: number;
}

/** A refusal, or status 0 if there was no answer. */
export class TurnkeeperError extends Error {
  constructor(readonly status: number, message: string, readonly problem?: components["schemas"]["Problem"]) {
    super(message);
  }

  get code(): string | undefined {
    return this.problem?.code;
  }

  /** Whether the same request may be answered later. */
  get temporary(): boolean {
    return [0, 408, 429, 502, 503, 504].includes(this.status);
  }
}

// Node.js 18 has no global crypto. Bundlers for browsers do not see this import.
const random: Crypto = globalThis.crypto ?? (await import(["node", "crypto"].join(":"))).webcrypto;

/** A new idempotency key. crypto.randomUUID is missing on pages without https. */
export const newKey = (): string => Array.from(random.getRandomValues(new Uint32Array(4)), (word) => word.toString(36)).join("-");

/** A signal that aborts with `signal`, or when nothing was heard for a time. */
export function watchdog(milliseconds: number, signal?: AbortSignal) {
  const controller = new AbortController();
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    controller.abort();
  };
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(end, milliseconds);
  };
  let timer = setTimeout(end, milliseconds);
  signal?.addEventListener("abort", end);
  return { signal: controller.signal, heard, end };
}

/** Waits before attempt `count`: longer each time, and spread, so that clients do not return all at once. */
export async function pause(count: number, atLeast = 0, signal?: AbortSignal): Promise<void> {
  const milliseconds = Math.max(atLeast, Math.min(100 * 2 ** count, 5000)) * (1 + Math.random());
  const watch = watchdog(milliseconds, signal);
  if (!signal?.aborted) await new Promise((resolve) => watch.signal.addEventListener("abort", resolve));
  watch.end();
}

/** The answer, or the error that it describes. */
export async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response;
  const problem = await response.json().catch(() => undefined);
  throw new TurnkeeperError(response.status, problem?.detail ?? `status ${response.status}`, problem);
}

/** Sends a request until it is answered. That is safe for reads, and with an idempotency key. */
export async function request<T>(url: string, init: RequestInit, settings: Settings, signal?: AbortSignal): Promise<T> {
  const { fetch: send = fetch, retryFor = 60_000, timeout = 45_000 } = settings;
  const deadline = Date.now() + retryFor;
  new Request(url, init); // A malformed address or header is no broken connection.
  for (let count = 0; ; count++) {
    signal?.throwIfAborted();
    const watch = watchdog(timeout, signal);
    let wait = 0;
    try {
      const response = await send(url, { ...init, signal: watch.signal });
      wait = Number(response.headers.get("retry-after")) * 1000 || 0;
      return (await (await accepted(response)).json()) as T;
    } catch (error) {
      signal?.throwIfAborted();
      const refusal = error instanceof TurnkeeperError ? error : new TurnkeeperError(0, `no answer from ${url}: ${error}`);
      if (!refusal.temporary || Date.now() + wait > deadline) throw refusal;
    } finally {
      watch.end();
    }
    await pause(count, wait, signal);
  }
}
