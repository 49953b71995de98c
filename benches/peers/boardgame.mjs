// boardgame.io: moves come and go over its own socket.io transport. Its default store is the memory of the process; with REDIS_URL it
// keeps matches in that Redis, by its interface for stores of one's own.
import { createRequire } from 'node:module';
import { apply, started, turn, view } from './encounter.mjs';

const require = createRequire(`${process.env.PACKAGES}/`);
const { Server, Origins } = require('boardgame.io/server');
const { Async } = require('boardgame.io/internal');

// A match is a hash of what boardgame.io reads together, and a list of log entries.
class Store extends Async {
  async connect() {
    const { Redis } = require('ioredis');
    this.redis = new Redis(process.env.REDIS_URL, { enableAutoPipelining: true });
  }

  async createMatch(id, { initialState, metadata }) {
    const [state, about] = [initialState, metadata].map((part) => JSON.stringify(part));
    await this.redis.hset(id, { state, initialState: state, metadata: about });
  }

  async setState(id, state, deltalog) {
    const entries = (deltalog ?? []).map((entry) => JSON.stringify(entry));
    const writes = this.redis.multi().hset(id, 'state', JSON.stringify(state));
    await (entries.length ? writes.rpush(`${id}:log`, ...entries) : writes).exec();
  }

  async setMetadata(id, metadata) {
    await this.redis.hset(id, 'metadata', JSON.stringify(metadata));
  }

  async fetch(id, wanted) {
    const fields = ['state', 'metadata', 'initialState'].filter((field) => wanted[field]);
    const values = await this.redis.hmget(id, fields);
    const found = fields.map((field, n) => [field, values[n] === null ? undefined : JSON.parse(values[n])]);
    const log = wanted.log && (await this.redis.lrange(`${id}:log`, 0, -1)).map((entry) => JSON.parse(entry));
    return { ...Object.fromEntries(found), ...(log && { log }) };
  }
}

const game = (name, playerView) => ({
  name,
  setup: () => started(Number(process.env.COMBATANTS)),
  moves: {
    command: {
      move: ({ G }, command) => (apply(G, command) ? undefined : 'INVALID_MOVE'),
      client: false,
      // In its favour: no check of a version, nothing kept for an undo.
      ignoreStaleStateID: true,
    },
  },
  disableUndo: true,
  playerView: ({ G }) => playerView(G),
});
const games = [game('whole', view), game('minimal', turn)];
const db = process.env.REDIS_URL && new Store();
const server = Server({ games, origins: [Origins.LOCALHOST], ...(db && { db }) });
const { appServer } = await server.run({ port: Number(process.env.PORT) });
console.log(`boardgame.io serves on http://127.0.0.1:${appServer.address().port}`);
