export type * from "./api.js";
export * from "./client.js";
export type { Change, FollowOptions } from "./feed.js";
export { TurnkeeperError, newKey, type Settings } from "./http.js";
export * from "./trackers.js";
