// The worker: each encounter is an object with a database of its own. An answer leaves when its writes are on disk.
import { DurableObject } from 'cloudflare:workers';
import { answer, apply, started } from './encounter.mjs';

export class Encounter extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
    this.sql.exec(`
      CREATE TABLE IF NOT EXISTS document (id INTEGER PRIMARY KEY, json TEXT);
      CREATE TABLE IF NOT EXISTS log (version INTEGER PRIMARY KEY, entry TEXT);
      CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, version INTEGER) WITHOUT ROWID`);
    const [stored] = this.sql.exec('SELECT json FROM document').toArray();
    // Kept in memory between commands, as ours is.
    this.state = stored ? JSON.parse(stored.json) : started(Number(env.COMBATANTS));
  }

  async fetch(request) {
    const key = request.headers.get('idempotency-key');
    const command = await request.json();
    if (this.sql.exec('SELECT version FROM answers WHERE key = ?', key).toArray().length > 0) {
      return new Response('answered before', { status: 409 });
    }
    const entry = apply(this.state, command);
    if (!entry) return new Response('not legal', { status: 409 });
    this.sql.exec('INSERT OR REPLACE INTO document VALUES (1, ?)', JSON.stringify(this.state));
    this.sql.exec('INSERT INTO log VALUES (?, ?)', entry.version, JSON.stringify(entry));
    this.sql.exec('INSERT INTO answers VALUES (?, ?)', key, entry.version);
    return Response.json(answer(this.state, entry, request.headers.get('prefer') === 'return=minimal'));
  }
}

export default {
  fetch(request, env) {
    // /encounters/{id}/commands
    const id = new URL(request.url).pathname.split('/')[2];
    return env.ENCOUNTERS.get(env.ENCOUNTERS.idFromName(id)).fetch(request);
  },
};
