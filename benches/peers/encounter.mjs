// An encounter as the peers in JavaScript keep it: the same commands as ours, about the same bytes kept and answered.

const CURRENT = { decision: 'end_turn', controllers: ['player'], gm: false, commands: ['end_turn'], rule: 'AI-7' };
const SHEET = { members: [], conditions: [], active: true, inspiration: 0, int_modifier: 0, dex: 10, wis: 10, hurt: false, interrupted: false };

/** A started fight of this many combatants. */
export function started(count) {
  const combatants = {};
  for (let n = 0; n < count; n++) {
    const [side, kind, controller] = n % 2 === 0 ? ['players', 'pc', 'player'] : ['monsters', 'npc', 'gm'];
    const id = `c${String(n).padStart(2, '0')}`;
    combatants[id] = {
      id, name: `Combatant ${id.slice(1)}`, side, kind, controller, hp: { current: 100_000, max: 100_000, temp: 0 }, joined: n + 1,
    };
  }
  const meta = { created_at: '2026-01-01T00:00:00.000Z', tokens: [{ id: 'gm', digest: 'a'.repeat(64), role: 'gm' }] };
  return {
    schema: 4, ruleset: 'active-initiative', meta, name: 'Encounter', status: 'running', round: 1, version: 1, combatants,
    current: 'c00',
  };
}

/** Changes the state; the log entry, or undefined for a command that is not legal. */
export function apply(state, command) {
  const entry = { version: state.version + 1, at: new Date().toISOString(), by: 'gm', commands: [command.type] };
  const combatant = state.combatants[command.target ?? command.combatant];
  if (!combatant) return undefined;
  const { id, name } = combatant;
  if (command.type === 'damage' && command.amount >= 0) {
    combatant.hp.current -= command.amount;
    const hp = combatant.hp.current;
    entry.events = [{ type: 'damaged', combatant: id, amount: command.amount, temp_lost: 0, hp_lost: command.amount, hp }];
    entry.texts = [`${name} takes ${command.amount} damage, ${hp} hit points left.`];
  } else if (command.type === 'heal' && command.amount >= 0) {
    combatant.hp.current = Math.min(combatant.hp.current + command.amount, combatant.hp.max);
    const hp = combatant.hp.current;
    entry.events = [{ type: 'healed', combatant: id, amount: command.amount, hp }];
    entry.texts = [`${name} regains up to ${command.amount} hit points and has ${hp}.`];
  } else if (command.type === 'end_turn' && id === state.current && state.combatants[command.next]) {
    state.current = command.next;
    entry.events = [{ type: 'turn_ended', combatant: id, next: command.next }, { type: 'turn_started', combatant: command.next }];
    entry.texts = [`${name}'s turn ends.`, `${state.combatants[command.next].name}'s turn begins.`];
  } else {
    return undefined;
  }
  state.version += 1;
  return entry;
}

/** The answer to a command: its events, and the whole encounter or only who is current. */
export function answer(state, entry, minimal) {
  const { version, events, texts } = entry;
  const told = events.map((event, n) => ({ ...event, text: texts[n] }));
  return minimal ? { version, events: told, ...turn(state) } : { version, events: told, encounter: view(state) };
}

/** Whose turn it is. */
export function turn(state) {
  return { current: [state.current], pending: { ...CURRENT, combatants: [state.current] } };
}

/** The whole encounter. */
export function view(state) {
  const combatants = Object.values(state.combatants);
  const order = combatants.map(({ id, name }) => (
    { combatant: id, name, initiative: null, current: id === state.current, next: false, acted: false, out: false }));
  const { name, ruleset, status, round, version } = state;
  return {
    id: 'a'.repeat(32), name, ruleset, status, round, version, ...turn(state), order,
    combatants: combatants.map((combatant) => ({ ...combatant, hidden: false, acted: false, ...SHEET })),
    effects: [], options: { interrupt_points: false }, foe_hp: 'banded', player_undo: false, player_effects: false,
    created_at: state.meta.created_at, you: { id: 'gm', role: 'gm', combatants: [] },
  };
}
