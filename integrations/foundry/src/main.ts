// Connects Foundry's hooks with the sessions of linked combats.
import { Table, link } from "./act.js";
import { Mirror } from "./mirror.js";
import { Session } from "./session.js";
import { keepToken, registerKey, registerSettings, server } from "./settings.js";
import { Sync } from "./sync.js";
import { Tokens } from "./tokens.js";
import { decorate, offer, undecorate } from "./tracker.js";
import { ID, linkOf, text, type FoundryCombat, type FoundryCombatant } from "./types.js";
import { wrap, type Handler } from "./wrap.js";

interface Linked {
  session: Session;
  table: Table;
  mirror: Mirror;
  sync: Sync;
  tokens: Tokens;
  /** Whether the tokens were checked since the server last came back. */
  served: boolean;
}
const linked = new Map<string, Linked>();

/** Combats that are being linked. A second click makes no second encounter. */
const linking = new Set<string>();

/** The trackers that were rendered, also those that were popped out. */
const trackers = new Map<HTMLElement, { viewed: FoundryCombat | null }>();

function open(combat: FoundryCombat): void {
  const wanted = linkOf(combat);
  const known = linked.get(combat.id!);
  if (known && known.session.link.encounter === wanted?.encounter) return;
  known?.session.stop();
  linked.delete(combat.id!);
  if (wanted && server()) {
    const session = new Session(combat, wanted, (_, undone) => changed(combat, undone));
    const tokens = new Tokens(session);
    const sync = new Sync(session, (reason) => void ui.notifications?.warn(reason));
    const table = new Table(session, () => redraw(combat));
    linked.set(combat.id!, { session, tokens, sync, table, mirror: new Mirror(session), served: false });
    void tokens.recover().catch((error: Error) => ui.notifications?.warn(error.message));
  }
  redraw(combat);
}

function changed(combat: FoundryCombat, undone: boolean): void {
  const open = linked.get(combat.id!);
  // The first change may come while the session is made.
  if (!open) return;
  const { live } = open.session;
  if (live) {
    open.sync.settle();
    open.mirror.show(undone);
    if (!open.served) open.tokens.handOut();
  }
  open.served = live;
  redraw(combat);
}

function redraw(combat: FoundryCombat): void {
  for (const [element, tracker] of trackers) {
    if (!element.isConnected) trackers.delete(element);
    else if (tracker.viewed === combat) draw(element, combat);
  }
}

function draw(element: HTMLElement, combat: FoundryCombat | null): void {
  const open = combat ? linked.get(combat.id!) : undefined;
  if (!open) undecorate(element);
  if (combat && !open && game.user.isGM && combat.started && mayLink()) offer(element, () => void begin(combat));
  if (!combat || !open) return;
  const { session, sync, table } = open;
  const standing = game.user.isActiveGM ? sync.standing : [];
  decorate(element, session, {
    send: (legal, options, ask) => void table.send(legal, options, ask),
    level: standing.length > 0 ? () => sync.touch(...standing) : undefined,
    unlink: () => void unlink(combat),
  });
}

async function unlink(combat: FoundryCombat): Promise<void> {
  const sure = await foundry.applications.api.DialogV2.confirm({ window: { title: text("Unlink") }, content: `<p>${text("UnlinkSure")}</p>` });
  if (sure) await combat.unsetFlag(ID, "link");
}

const mayLink = (): boolean => server() !== "" && game.settings.get(ID, "ruleset") !== "";

/** Links a combat, and begins it as the ruleset does. */
async function begin(combat: FoundryCombat): Promise<void> {
  if (linking.has(combat.id!)) return;
  linking.add(combat.id!);
  try {
    await link(combat);
  } catch (error) {
    ui.notifications?.error(text("NoLink", { reason: (error as Error).message }));
    return;
  } finally {
    linking.delete(combat.id!);
  }
  const { session, table } = linked.get(combat.id!)!;
  for (let wait = 0; !session.live && wait < 50; wait++) await new Promise((resolve) => setTimeout(resolve, 100));
  await table.advance();
}

Hooks.once("init", () => {
  registerSettings();
  CONFIG.queries[`${ID}.token`] = async ({ combat, token }) => (await linked.get(combat)?.session.take(token)) ?? null;
});

Hooks.once("setup", () => {
  const handed = (act: (open: Linked, parts: unknown[]) => unknown): Handler => async (combat, original, parts) => {
    const open = linked.get(combat.id!);
    if (!open) return original();
    await act(open, parts);
    return combat;
  };
  const roll = ({ table }: Linked, [ids]: unknown[] = []) =>
    table.roll(typeof ids === "string" || Array.isArray(ids) ? [ids].flat() : undefined);
  wrap({
    nextTurn: handed(({ table }) => table.advance()),
    previousTurn: handed(({ table }) => table.undo()),
    nextRound: handed(({ table }) => table.refuseRound()),
    previousRound: handed(({ table }) => table.refuseRound()),
    rollInitiative: handed(roll),
    rollAll: handed((open) => roll(open)),
    rollNPC: handed((open) => roll(open)),
    resetAll: handed(({ table }) => table.refuseRound()),
    startCombat: async (combat, original) => {
      const open = linked.get(combat.id!);
      if (open) await open.table.advance();
      else if (game.user.isGM && mayLink()) await begin(combat);
      else return original();
      return combat;
    },
  });
});

Hooks.once("ready", () => {
  registerKey();
  for (const combat of game.combats) open(combat);
  Hooks.on("createCombat", open);
  Hooks.on("updateCombat", (combat, changes, options) => {
    open(combat);
    // Our own update needs no correction.
    if (!("turnkeeper" in options) && ("turn" in changes || "round" in changes)) linked.get(combat.id!)?.mirror.correct();
  });
  Hooks.on("deleteCombat", (combat) => void close(combat));
  Hooks.on("createCombatant", joinedOrLeft);
  Hooks.on("deleteCombatant", joinedOrLeft);
  Hooks.on("updateCombatant", (combatant) => touch((other) => other === combatant));
  Hooks.on("updateToken", (token) => touch((other) => other.tokenId === token.id));
  Hooks.on("updateActor", (actor, changes) => {
    // An unlinked token has an actor of its own: ids would also match its twins.
    touch((other) => other.actor === actor);
    if ("ownership" in changes) for (const { tokens } of linked.values()) tokens.handOut();
  });
  Hooks.on("userConnected", (user, connected) => {
    for (const { session, sync, mirror, tokens } of linked.values()) {
      if (connected && user !== game.user) tokens.handTo(user);
      // If the active game master has left, this client may have to go on.
      if (!connected && session.live) {
        void sync.send();
        mirror.show(false);
      }
    }
  });
});

Hooks.on("renderCombatTracker", (app, element) => {
  trackers.set(element, app);
  draw(element, app.viewed);
});

function joinedOrLeft(combatant: FoundryCombatant): void {
  const open = combatant.combat ? linked.get(combatant.combat.id!) : undefined;
  open?.sync.touch(combatant.id!);
  // A token's combatants do not change: the owner of a newcomer needs a new token.
  if (open && game.user.isActiveGM) open.tokens.handOut();
}

function touch(test: (combatant: FoundryCombatant) => boolean): void {
  if (!game.user.isGM) return;
  for (const { session, sync } of linked.values()) {
    const ids = session.combat.combatants.filter(test).map(({ id }) => id!);
    if (ids.length > 0) sync.touch(...ids);
  }
}

async function close(combat: FoundryCombat): Promise<void> {
  const open = linked.get(combat.id!);
  linked.delete(combat.id!);
  if (!open) return;
  const { session } = open;
  if (game.user.isActiveGM && session.encounter && session.encounter.status !== "ended")
    await session.send({ type: "end_encounter" }).catch((error: Error) => ui.notifications?.warn(error.message));
  session.stop();
  await keepToken(session.link.encounter, undefined);
}
