// A Durable Object in workerd, with its SQLite storage on disk. This process only starts workerd.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const { Miniflare } = createRequire(`${process.env.PACKAGES}/`)('miniflare');
const here = dirname(fileURLToPath(import.meta.url));

const workerd = new Miniflare({
  host: '127.0.0.1',
  port: Number(process.env.PORT),
  modules: ['durable-object-worker.mjs', 'encounter.mjs'].map((file) => ({ type: 'ESModule', path: `${here}/${file}` })),
  modulesRoot: here,
  compatibilityDate: '2025-06-01',
  bindings: { COMBATANTS: process.env.COMBATANTS },
  durableObjects: { ENCOUNTERS: { className: 'Encounter', useSQLite: true } },
  durableObjectsPersist: process.env.DATA,
});
console.log(`the Durable Object serves on ${String(await workerd.ready).replace(/\/$/, '')}`);
