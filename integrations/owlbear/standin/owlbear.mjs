// A stand-in for Owlbear Rodeo: a room that passes metadata between players, and a page for each player that frames an extension by its manifest
// and answers the SDK's messages as the SDK's own code expects them.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json" };

// Owlbear's limit for the metadata of a room.
const MOST_BYTES = 16 * 1024;

// Serves a folder at an origin of its own.
export async function serveFolder(folder) {
  const server = http.createServer(async (request, answer) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = path.join(folder, path.normalize(pathname));
    try {
      const content = await readFile(file);
      answer.writeHead(200, { "content-type": TYPES[path.extname(file)], "access-control-allow-origin": "*" }).end(content);
    } catch {
      answer.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => { server.closeAllConnections(); server.close(); } };
}

// What runs in the page of a player, around the extension's frames.
function host({ manifest, room, userId }) {
  const frames = new Map();
  const open = (name, address) => {
    const frame = document.createElement("iframe");
    frame.id = name;
    const url = new URL(address);
    url.searchParams.set("obrref", btoa(`${location.origin} ${room}`));
    frame.src = url.href;
    if (name === "background") frame.hidden = true;
    else Object.assign(frame, { width: manifest.action.width, height: manifest.action.height });
    frame.addEventListener("load", () => post(frame, "OBR_READY", { ref: name, userId }));
    document.body.append(frame);
    frames.set(name, { frame, origin: url.origin, subscribed: new Set() });
  };
  const post = (frame, id, data) => frame.contentWindow.postMessage({ id, data }, new URL(frame.src).origin);

  addEventListener("message", async ({ source, origin, data }) => {
    const entry = [...frames.values()].find(({ frame }) => frame.contentWindow === source);
    if (!entry || entry.origin !== origin || frames.get(data.ref) !== entry) return;
    if (data.id.endsWith("_SUBSCRIBE")) return entry.subscribed.add(data.id.replace("_SUBSCRIBE", ""));
    try {
      post(entry.frame, `${data.id}_RESPONSE${data.nonce}`, await window.hub(data.id, data.data));
    } catch (error) {
      post(entry.frame, `${data.id}_ERROR${data.nonce}`, { error: { message: error.message } });
    }
  });

  window.tell = (subject, id, data) => {
    for (const { frame, subscribed } of frames.values()) if (subscribed.has(subject)) post(frame, id, data);
  };
  window.openPopover = () => open("popover", manifest.action.popover);
  window.closePopover = () => {
    frames.get("popover").frame.remove();
    frames.delete("popover");
  };
  if (manifest.background_url) open("background", manifest.background_url);
}

export class Room {
  constructor(manifest) {
    Object.assign(this, { manifest, id: "room-1", metadata: {}, players: new Map(), messages: [] });
  }

  static async open(manifestUrl) {
    return new Room(await (await fetch(manifestUrl)).json());
  }

  // A player of a browser context enters. `name` may be that of another player, as in Owlbear.
  async enter(context, site, id, name, role = "PLAYER") {
    const page = await context.newPage();
    const player = { id, connectionId: `c-${id}`, name, role, color: "#ffffff", syncView: false, metadata: {}, page };
    this.players.set(id, player);
    player.badge = undefined;
    await page.exposeFunction("hub", (message, data) => this.answer(player, message, data));
    await page.goto(`${site}/room.html`);
    await page.evaluate(host, { manifest: this.manifest, room: this.id, userId: id });
    await this.tellParty();
    return player;
  }

  async leave({ id, page }) {
    this.players.delete(id);
    await page.close();
    await this.tellParty();
  }

  answer(player, message, data) {
    this.messages.push({ player: player.id, message, data: JSON.stringify(data ?? null) });
    switch (message) {
      case "OBR_PLAYER_GET_ROLE": return { role: player.role };
      case "OBR_ROOM_GET_METADATA": return { metadata: this.metadata };
      case "OBR_ROOM_SET_METADATA": return this.setMetadata(data.update);
      case "OBR_PLAYER_SET_METADATA":
        Object.assign(player.metadata, data.update);
        this.tellParty();
        return {};
      case "OBR_PARTY_GET_PLAYERS": return { players: this.othersOf(player) };
      case "OBR_ACTION_SET_BADGE_TEXT":
        player.badge = data.badgeText;
        return {};
      default: throw new Error(`The stand-in does not know ${message}.`);
    }
  }

  // Everyone in the room may write its metadata. An undefined value, which JSON leaves out, removes an entry.
  setMetadata(update) {
    const metadata = { ...this.metadata, ...update };
    if (JSON.stringify(metadata).length > MOST_BYTES) throw new Error("The metadata is too large.");
    this.metadata = metadata;
    this.tell("OBR_ROOM_METADATA", "OBR_ROOM_METADATA_EVENT_CHANGE", () => ({ metadata }));
    return {};
  }

  // The SDK's party leaves out the player who asks.
  othersOf(player) {
    return [...this.players.values()].filter((other) => other !== player).map(({ page, badge, ...other }) => other);
  }

  tellParty() {
    return this.tell("OBR_PARTY", "OBR_PARTY_EVENT_CHANGE", (player) => ({ players: this.othersOf(player) }));
  }

  async tell(subject, id, dataFor) {
    await Promise.all([...this.players.values()].map((player) =>
      player.page.evaluate(([subject, id, data]) => window.tell?.(subject, id, data), [subject, id, dataFor(player)]).catch(() => {})));
  }

  async openPopover(player) {
    await player.page.evaluate(() => window.openPopover());
    return player.page.frameLocator("#popover");
  }

  closePopover({ page }) {
    return page.evaluate(() => window.closePopover());
  }
}
