// boardgame.io: moves come and go over its own socket.io transport; its default store, the memory of the process.
import { createRequire } from 'node:module';
import { apply, started, turn, view } from './encounter.mjs';

const { Server, Origins } = createRequire(`${process.env.PACKAGES}/`)('boardgame.io/server');

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
const server = Server({ games: [game('whole', view), game('minimal', turn)], origins: [Origins.LOCALHOST] });
const { appServer } = await server.run({ port: Number(process.env.PORT) });
console.log(`boardgame.io serves on http://127.0.0.1:${appServer.address().port}`);
