// Requests to the server that the extension was built for. A room's metadata cannot name another one.

import { SERVER } from "./server.js";

export class Refusal extends Error {
  constructor(status, problem) {
    super(problem.detail ?? `The server answered ${status}.`);
    this.status = status;
  }
}

export async function request({ id, token }, path = "", { headers, ...rest } = {}) {
  const answer = await fetch(`${SERVER}/v1/encounters/${encodeURIComponent(id)}${path}`, {
    cache: "no-store", ...rest,
    headers: { authorization: `Bearer ${token}`, ...(rest.body && { "content-type": "application/json" }), ...headers },
  });
  if (!answer.ok) throw new Refusal(answer.status, await answer.json().catch(() => ({})));
  return answer;
}

export async function api(fight, path, more) {
  const text = await (await request(fight, path, more)).text();
  return text && JSON.parse(text);
}

// Calls `show` with the encounter at first and after each change, until `signal` is aborted or the token opens nothing any more.
export async function follow(fight, signal, show) {
  for (let wait = 500; !signal.aborted;) {
    try {
      const encounter = await api(fight, "", { signal });
      show(encounter);
      wait = 500;
      await changes(fight, encounter.version, signal, show);
    } catch (error) {
      if (signal.aborted) return;
      if ([401, 404].includes(error.status)) return show(undefined);
      wait = Math.min(wait * 2, 15_000);
    }
    await new Promise((again) => setTimeout(again, wait));
  }
}

// Reads the stream of changes after a version until it ends.
async function changes(fight, version, signal, show) {
  const headers = { accept: "application/x-ndjson", "last-event-id": String(version) };
  const { body } = await request(fight, "/events?include=encounter", { headers, signal });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", part; !(part = await reader.read()).done;) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop();
    for (const { type, encounter } of lines.filter(Boolean).map((line) => JSON.parse(line))) {
      if (type === "deleted") return show(undefined);
      if (encounter) show(encounter);
    }
  }
}
