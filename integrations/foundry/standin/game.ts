// Boots the stand-in in a page: the globals that a module sees, in the order in which Foundry makes them.
import { expand, getProperty, type Data, type Operation } from "./data.js";
import { FakeCombat, SystemCombat, turnEvents } from "./combat.js";
import { Collection, FakeActor, FakeCombatant, FakeToken, FakeUser, FakeUsers, Hooks, send, type Doc } from "./documents.js";
import { ApplicationV2, DialogV2, FakeTracker, notifications, SystemTracker } from "./tracker.js";

interface Boot {
  userId: string;
  world: Data;
  generation: number;
  /** Whether the system replaces the class of combats and the tracker. */
  system: boolean;
  libWrapper: boolean;
}

declare const window: Data;
const settings = new Map<string, Data>();
let stored: Data = {};

const settingsApi = {
  register(namespace: string, key: string, data: Data): void {
    settings.set(`${namespace}.${key}`, data);
  },
  menus: new Map<string, Data>(),
  registerMenu(namespace: string, key: string, data: Data): void {
    if (!(data["type"]?.prototype instanceof ApplicationV2)) throw new Error("A menu needs an application.");
    settingsApi.menus.set(`${namespace}.${key}`, data);
  },
  get(namespace: string, key: string): unknown {
    const id = `${namespace}.${key}`;
    const setting = settings.get(id);
    if (!setting) throw new Error(`${id} is not a registered game setting`);
    const local = setting["scope"] === "client" ? localStorage.getItem(id) : undefined;
    const value = setting["scope"] === "client" ? (local ? JSON.parse(local) : undefined) : stored[id];
    return structuredClone(value ?? setting["default"]);
  },
  async set(namespace: string, key: string, value: unknown): Promise<unknown> {
    const id = `${namespace}.${key}`;
    const setting = settings.get(id)!;
    if (setting["scope"] !== "client") await send("update", "Setting", [{ _id: id, value }], {});
    else {
      localStorage.setItem(id, JSON.stringify(value));
      setting["onChange"]?.(value);
    }
    return value;
  },
};

const escapeHTML = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

let language: Data = {};
const localize = (key: string): string => getProperty(language, key) ?? key;
const format = (key: string, values: Data): string => localize(key).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

window["Hooks"] = Hooks;
window["CONFIG"] = {
  Combat: { documentClass: FakeCombat }, Combatant: { documentClass: FakeCombatant }, Actor: { documentClass: FakeActor },
  ui: { combat: FakeTracker }, queries: {},
};
window["CONST"] = { TOKEN_DISPOSITIONS: { SECRET: -2, HOSTILE: -1, NEUTRAL: 0, FRIENDLY: 1 } };
window["foundry"] = { utils: { getProperty, expandObject: expand, escapeHTML }, applications: { api: { ApplicationV2, DialogV2 } } };

/** A query arrives: the handler learns what was asked, and not who asks. */
window["answer"] = async ({ name, data }: { name: string; data: unknown }): Promise<unknown> => {
  const handler = window["CONFIG"].queries[name];
  if (!handler) throw new Error(`no handler for the query ${name}`);
  return handler(data, { timeout: 10000 });
};

function collection(type: Operation["type"], parent?: string): Collection<Doc> {
  const { game } = window;
  if (type === "Combatant") return game.combats.get(parent).combatants;
  return { User: game.users, Actor: game.actors, Token: game.tokens, Combat: game.combats }[type as "User"];
}

/** A change arrives from the hub. */
window["deliver"] = (operation: Operation): void => {
  const { kind, type, parent, items, options, userId } = operation;
  const { game, ui } = window;
  if (type === "Setting") {
    for (const { _id, value } of items as { _id: string; value: unknown }[]) {
      stored[_id] = value;
      settings.get(_id)?.["onChange"]?.(value);
    }
    return;
  }
  const combat = type === "Combatant" ? game.combats.get(parent) : undefined;
  const active = combat?.combatant?.id;
  for (const item of items) {
    const docs = collection(type, parent);
    if (kind === "create") {
      const made = new window["CONFIG"][type].documentClass(item, combat);
      docs.set(made.id, made);
      combat?.setupTurns();
      Hooks.callAll(`create${type}`, made, options, userId);
      continue;
    }
    const doc = docs.get(item["_id"])!;
    if (kind === "delete") {
      docs.delete(doc.id);
      combat?.setupTurns();
      Hooks.callAll(`delete${type}`, doc, options, userId);
      continue;
    }
    const { _id, ...changes } = item;
    doc._applied(changes);
    combat?.setupTurns();
    if (type === "User" && "active" in changes) Hooks.callAll("userConnected", doc, changes["active"]);
    if (type === "Token" && changes["delta"]) {
      doc["actor"]._applied(changes["delta"]);
      Hooks.callAll("updateActor", doc["actor"], changes["delta"], options, userId);
    }
    Hooks.callAll(`update${type}`, doc, changes, options, userId);
    if (type === "Combat") (doc as FakeCombat)._turnChanged(options);
  }
  // When rows come, go or move, the client that did it keeps the turn with its combatant.
  if (combat && active && userId === game.user.id) {
    const turn = combat.turns.findIndex(({ id }: Doc) => id === active);
    const kept = turn < 0 ? Math.min(combat.turn, combat.turns.length - 1) : turn;
    if (kept !== combat.turn) void combat.update({ turn: kept }, { turnEvents: false });
  }
  void ui.combat?.render();
};

window["boot"] = async ({ userId, world, generation, system, libWrapper }: Boot): Promise<void> => {
  const { CONFIG } = window;
  language = expand(await (await fetch("module/lang/en.json")).json());
  stored = world["settings"];
  const game: Data = {
    settings: settingsApi, i18n: { localize, format }, release: { generation },
    modules: new Collection([["turnkeeper", { active: true }], ["lib-wrapper", { active: libWrapper }]]),
    system: { id: system ? "override" : "plain", primaryTokenAttribute: "attributes.hp" },
    userId, ready: false,
  };
  window["game"] = game;
  window["turnEvents"] = turnEvents;
  if (libWrapper) window["libWrapper"] = fakeLibWrapper;
  Hooks.callAll("init");
  if (system) {
    CONFIG.Combat.documentClass = SystemCombat;
    CONFIG.ui.combat = SystemTracker;
  }
  Hooks.callAll("i18nInit");
  Hooks.callAll("setup");
  game["users"] = new FakeUsers();
  for (const data of world["users"]) game["users"].set(data._id, new FakeUser(data));
  game["user"] = game["users"].get(userId);
  game["actors"] = new Collection();
  for (const data of world["actors"]) game["actors"].set(data._id, new CONFIG.Actor.documentClass(data));
  game["tokens"] = new Collection();
  for (const data of world["tokens"]) game["tokens"].set(data._id, new FakeToken(data));
  game["combats"] = new Collection();
  for (const data of world["combats"]) game["combats"].set(data._id, new CONFIG.Combat.documentClass(data));
  window["ui"] = { notifications: notifications(), combat: new CONFIG.ui.combat() };
  Object.defineProperty(game, "combat", { get: () => window["ui"].combat.viewed });
  Object.defineProperty(game["combats"], "viewed", { get: () => window["ui"].combat.viewed });
  await window["ui"].combat.render();
  game["ready"] = true;
  Hooks.callAll("ready");
};

/** The part of lib-wrapper that the module uses: a target is a path from the global object. */
const fakeLibWrapper = {
  register(_id: string, target: string, wrapper: (this: unknown, wrapped: (...parts: unknown[]) => unknown, ...parts: unknown[]) => unknown): void {
    const name = target.slice(target.lastIndexOf(".") + 1);
    const holder = getProperty(window, target.slice(0, -name.length - 1));
    const original = holder[name];
    holder[name] = function (this: unknown, ...parts: unknown[]) {
      return wrapper.call(this, original.bind(this), ...parts);
    };
    wrapped.push(target);
  },
};
const wrapped: string[] = [];
window["libWrapped"] = wrapped;
