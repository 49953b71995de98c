// Calls the API: requests with the token, and the stream of what happens.

// Beside this file, wherever a proxy shows the service.
const ENCOUNTERS = new URL("../v1/encounters/", import.meta.url);
const RULESETS = new URL("../v1/rulesets/", import.meta.url);

// A server sends a keep-alive every 15 seconds by default. A stream that is silent for longer may be dead.
const SILENCE = 45_000;

// An answer from 400. `problem` is its document.
export class Problem extends Error {
  constructor(status, problem, retryAfter) {
    super(problem.detail ?? `The server answered ${status}.`);
    Object.assign(this, { status, problem, retryAfter });
  }
}

// Trying again does not help: the token or the encounter is not there. A proxy's own 404 has no code.
export const isFinal = (error) => ["unauthorized", "not_found"].includes(error.problem.code);

// Whether the same request may succeed later.
export const isPassing = (error) => !(error instanceof Problem) || error.status === 429 || error.status >= 500;

export const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
});

// Pages over plain http in a local network have no crypto.randomUUID.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The milliseconds that the server's clock is ahead. Less than two seconds are none: its time comes in seconds.
let ahead = 0;
export const serverTime = () => Date.now() + ahead;

function compareClocks(answer) {
  const by = Date.parse(answer.headers.get("date")) - Date.now();
  ahead = Math.abs(by) > 2000 ? by : 0;
}

async function answered(answer) {
  compareClocks(answer);
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw new Problem(answer.status, problem, Number(answer.headers.get("retry-after")) || 0);
}

export async function readRuleset(id) {
  return (await answered(await fetch(new URL(encodeURIComponent(id), RULESETS)))).json();
}

export async function readRulesets() {
  return (await answered(await fetch(new URL("../rulesets", ENCOUNTERS)))).json();
}

// Creates an encounter; below `import` it is the one of an exported log. `key` is the same for each attempt, so that it is created once.
export async function create(body, { path = "", key, application }) {
  const headers = { "content-type": "application/json", "idempotency-key": key, ...(application && { authorization: `Bearer ${application}` }) };
  const url = ENCOUNTERS.href.slice(0, -1) + path;
  return (await answered(await fetch(url, { method: "POST", cache: "no-store", headers, body }))).json();
}

export class Encounter {
  constructor(id, token) {
    this.url = new URL(encodeURIComponent(id), ENCOUNTERS).href;
    this.id = id;
    this.token = token;
  }

  async request(path, { headers, ...rest } = {}) {
    const authorization = `Bearer ${this.token}`;
    // Nothing of a fight stays on the disk.
    return answered(await fetch(this.url + path, { cache: "no-store", ...rest, headers: { authorization, ...headers } }));
  }

  async read(path = "") {
    return (await this.request(path)).json();
  }

  // Sends JSON that is no command. A repeated request with its key is done once.
  async write(method, path, body) {
    const headers = { "content-type": "application/json", "idempotency-key": newKey() };
    return (await this.request(path, { method, headers, body: JSON.stringify(body) })).json();
  }

  // Sends a command, or a list of them, that was chosen at `version`. `key` is the same for each attempt, so that it is applied once.
  async send(command, version, key) {
    const headers = { "content-type": "application/json", "if-match": `"${version}"`, "idempotency-key": key, prefer: "return=minimal" };
    return (await this.request("/commands", { method: "POST", headers, body: JSON.stringify(command) })).json();
  }

  // Reads the stream after an event's id, or a version, until it ends. `opened` is called when the server has answered.
  async follow(last, signal, opened, show) {
    const silent = new AbortController();
    const stop = () => silent.abort();
    signal.addEventListener("abort", stop, { once: true });
    let timer = setTimeout(stop, SILENCE);
    try {
      const headers = { accept: "application/x-ndjson", "last-event-id": String(last) };
      const answer = await this.request("/events?include=encounter,options,tools", { headers, signal: silent.signal });
      opened();
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = "", part; !(part = await reader.read()).done;) {
        clearTimeout(timer);
        timer = setTimeout(stop, SILENCE);
        const lines = (rest + part.value).split("\n");
        rest = lines.pop();
        for (const line of lines) if (line) show(JSON.parse(line));
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }
}
