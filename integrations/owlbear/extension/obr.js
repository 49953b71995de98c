// The part of Owlbear's SDK that the extension uses: the messages of @owlbear-rodeo/sdk 3.1.0 to the window around this one.

const PATIENCE = 5000;

// Owlbear opens each page of an extension with its own origin and the id of the room.
function around(search) {
  const [origin = "", roomId = ""] = atob(new URLSearchParams(search).get("obrref") ?? "").split(" ");
  return { origin, roomId };
}

const { origin, roomId } = around(location.search);
const listeners = new Map();
let ref;
let playerId;
let sent = 0;

function listen(id, listener) {
  if (!listeners.has(id)) listeners.set(id, new Set());
  listeners.get(id).add(listener);
  return () => listeners.get(id).delete(listener);
}

const ready = new Promise((done) => {
  listen("OBR_READY", (data) => {
    ref = data.ref;
    playerId = data.userId;
    done();
  });
});

addEventListener("message", ({ origin: sender, data: message }) => {
  if (sender !== origin || typeof message?.id !== "string") return;
  for (const listener of [...(listeners.get(message.id) ?? [])]) listener(message.data);
});

function post(id, data, nonce) {
  parent.postMessage({ id, data, ref, nonce }, origin);
}

// Asks Owlbear, and waits for its answer.
function ask(id, data = {}) {
  const nonce = `_${sent++}_${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(reject)(new Error("Owlbear does not answer.")), PATIENCE);
    const settle = (step) => (answer) => {
      clearTimeout(timer);
      listeners.delete(`${id}_RESPONSE${nonce}`);
      listeners.delete(`${id}_ERROR${nonce}`);
      step(answer);
    };
    listen(`${id}_RESPONSE${nonce}`, settle(resolve));
    listen(`${id}_ERROR${nonce}`, settle(reject));
    post(id, data, nonce);
  });
}

function subscribe(subscription, event, callback) {
  const stop = listen(event, callback);
  post(subscription, {});
  return stop;
}

export const owlbear = {
  isAround: Boolean(origin),
  ready,
  roomId,
  get playerId() {
    return playerId;
  },
  role: async () => (await ask("OBR_PLAYER_GET_ROLE")).role,
  roomMetadata: async () => (await ask("OBR_ROOM_GET_METADATA")).metadata,
  setRoomMetadata: (update) => ask("OBR_ROOM_SET_METADATA", { update }),
  onRoomMetadata: (callback) => subscribe("OBR_ROOM_METADATA_SUBSCRIBE", "OBR_ROOM_METADATA_EVENT_CHANGE", ({ metadata }) => callback(metadata)),
  setPlayerMetadata: (update) => ask("OBR_PLAYER_SET_METADATA", { update }),
  // The other players in the room.
  players: async () => (await ask("OBR_PARTY_GET_PLAYERS")).players,
  onPlayers: (callback) => subscribe("OBR_PARTY_SUBSCRIBE", "OBR_PARTY_EVENT_CHANGE", ({ players }) => callback(players)),
  setBadge: (badgeText) => ask("OBR_ACTION_SET_BADGE_TEXT", { badgeText }),
};
