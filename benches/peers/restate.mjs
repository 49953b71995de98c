// Restate: a single node with its defaults, and a virtual object for each encounter in this process.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { answer, apply, started } from './encounter.mjs';

const restate = createRequire(`${process.env.PACKAGES}/`)('@restatedev/restate-sdk');
const [service, ingress, admin, node] = [0, 1, 2, 3].map((n) => Number(process.env.PORT) + n);

// The journal of invocations is the log: Restate keeps each command and each answer there.
const encounters = restate.object({
  name: 'encounters',
  handlers: {
    commands: async (ctx, command) => {
      const state = (await ctx.get('state')) ?? started(Number(process.env.COMBATANTS));
      const entry = apply(state, command);
      if (!entry) throw new restate.TerminalError('not legal', { errorCode: 409 });
      ctx.set('state', state);
      return answer(state, entry, ctx.request().headers.get('prefer') === 'return=minimal');
    },
  },
});
await restate.serve({ services: [encounters], port: service });

spawn(`${process.env.PACKAGES}/node_modules/.bin/restate-server`, [], {
  stdio: ['ignore', 2, 2],
  env: {
    PATH: process.env.PATH,
    RESTATE_BASE_DIR: process.env.DATA,
    RESTATE_LOG_FILTER: 'error',
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
  },
});
const registered = () => fetch(`http://127.0.0.1:${admin}/deployments`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ uri: `http://127.0.0.1:${service}` }),
}).then((response) => response.ok, () => false);
while (!(await registered())) await new Promise((done) => setTimeout(done, 200));
console.log(`Restate serves on http://127.0.0.1:${ingress}`);
