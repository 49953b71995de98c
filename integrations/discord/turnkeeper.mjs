// Calls to Turnkeeper. Nothing here knows Discord.

/** A sentence for the user who pressed or typed. */
export class Refusal extends Error {}

/** Discord waits 3 seconds for an answer, so all calls of one answer together have less. */
const MOST_MILLISECONDS = 2500;

export class Turnkeeper {
  constructor(server, appKey) {
    this.server = server;
    this.appKey = appKey;
    this.deadline = AbortSignal.timeout(MOST_MILLISECONDS);
  }

  async call(path, { token, method, body, headers = {}, as = "json" } = {}) {
    const authorization = token ? { authorization: `Bearer ${token}` } : {};
    const init = {
      method: method ?? (body ? "POST" : "GET"),
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", accept: as === "text" ? "text/plain" : "application/json", ...authorization, ...headers },
      signal: this.deadline,
    };
    // Its error can quote the answer, and so a token.
    const isLost = () => {
      throw new Refusal(this.deadline.aborted ? "Turnkeeper did not answer in time. Show the fight with /turn." : "Turnkeeper does not answer. Start its server, and try again.");
    };
    const answer = await fetch(`${this.server}/v1${path}`, init).catch(isLost);
    if (answer.ok) return answer.status === 204 ? undefined : answer[as]().catch(isLost);
    const { code, detail = `Turnkeeper refused, with status ${answer.status}.` } = await answer.json().catch(() => ({}));
    if (answer.status === 404 && path.startsWith("/encounters/")) throw Object.assign(new Refusal("The fight is gone from the server. Start another one with /fight."), { isGone: true });
    throw Object.assign(new Refusal(detail), { code });
  }

  games() {
    return this.call("/rulesets");
  }

  manifest(ruleset) {
    return this.call(`/rulesets/${ruleset}`);
  }

  create(body, key) {
    return this.call("/encounters", { token: this.appKey, body, headers: { "idempotency-key": key } });
  }

  encounter({ id, gm }, token = gm) {
    return this.call(`/encounters/${id}`, { token });
  }

  statistics({ id }, token) {
    return this.call(`/encounters/${id}/statistics`, { token });
  }

  table({ id }, token, most) {
    return this.call(`/encounters/${id}?max_length=${most}`, { token, as: "text" });
  }

  options({ id }, token, tools = false) {
    return this.call(`/encounters/${id}/options${tools ? "?include=tools" : ""}`, { token });
  }

  /** What a viewer was told after a version. */
  async news({ id }, token, version) {
    const { items } = await this.call(`/encounters/${id}/events?after=${version}`, { token });
    return items.flatMap(({ events }) => events);
  }

  send({ id }, token, command, version, key) {
    const headers = { "idempotency-key": key, prefer: "return=minimal", ...(version !== undefined && { "if-match": `"${version}"` }) };
    return this.call(`/encounters/${id}/commands`, { token, body: command, headers });
  }

  newToken({ id, gm }, combatants) {
    return this.call(`/encounters/${id}/tokens`, { token: gm, body: { role: "player", name: "Discord", combatants } });
  }

  revoke({ id, gm }, token) {
    return this.call(`/encounters/${id}/tokens/${token}`, { token: gm, method: "DELETE" });
  }
}
