// The object of extension/obr.js, made by Owlbear's own SDK. The tests use it instead of that file.

import OBR from "@owlbear-rodeo/sdk";

export const owlbear = {
  isAround: OBR.isAvailable,
  ready: new Promise((done) => OBR.onReady(done)),
  roomId: OBR.room.id,
  get playerId() {
    return OBR.player.id;
  },
  role: () => OBR.player.getRole(),
  roomMetadata: () => OBR.room.getMetadata(),
  setRoomMetadata: (update) => OBR.room.setMetadata(update),
  onRoomMetadata: (callback) => OBR.room.onMetadataChange(callback),
  setPlayerMetadata: (update) => OBR.player.setMetadata(update),
  players: () => OBR.party.getPlayers(),
  onPlayers: (callback) => OBR.party.onChange(callback),
  setBadge: (text) => OBR.action.setBadgeText(text),
};
