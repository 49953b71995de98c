// Words for roles, decisions, reasons and refusals.

export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const plain = (word) => sentence(String(word).replaceAll("_", " "));

export function list(names, last = "and") {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`;
}

// Seconds as minutes and seconds.
export const spelt = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

const count = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

export function nameOf(encounter, id) {
  return encounter.combatants.find((combatant) => combatant.id === id)?.name ?? id;
}

export function role(you, encounter) {
  const plays = you.combatants.map((id) => encounter.combatants.find((combatant) => combatant.id === id)?.name).filter(Boolean);
  const what = { gm: "Game master", player: plays.length ? `Playing ${list(plays)}` : "Player", spectator: "Spectator" }[you.role];
  return you.name ? `${you.name} · ${what}` : what;
}

// A round by its number, in the word that the game has for it.
export const roundName = (number, manifest) => `${manifest?.round ?? "round"} ${number}`;

export function progress({ status, round }, manifest) {
  if (status === "setup") return "Not begun";
  if (status === "ended") return "Over";
  return round ? sentence(roundName(round, manifest)) : `Before ${roundName(1, manifest)}`;
}

// A value as text that is the same for the same fields in another order.
function canonical(value) {
  const sorted = (_, part) => (part && typeof part === "object" && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part);
  return JSON.stringify(value, sorted);
}

// The game by the name that its players use: an encounter keeps the definition of its preset, and not the preset's name.
export function gameOf({ ruleset, options }, manifest) {
  return presetOf(options, manifest)?.plays ?? manifest?.title ?? ruleset;
}

function presetOf(options, manifest) {
  const definition = canonical(options?.definition);
  return manifest?.presets?.find((one) => canonical(one.definition) === definition);
}

// The conditions that the rules heed, and those that the game names.
export function conditionsOf({ options }, manifest) {
  return [...(manifest?.conditions ?? []), ...(presetOf(options, manifest)?.conditions ?? [])];
}

// A sentence for each decision. Other decisions show their name.
export const DECISIONS = {
  start: () => "The fight has not begun",
  begin_turn: (who) => `${who} may begin`,
  interrupt: (who) => `${who} may interrupt the next turn`,
  nominate: (who) => `${who} chooses who acts next`,
  nominate_first: (who) => `${who} chooses who starts the round`,
  seize: (who) => `${who} may seize the next turn`,
  react: (who) => `${who} may act before the next turn`,
  resolve: () => "The game master starts the next round",
  declare: (who) => `${who} moves, acts or waits`,
  keep_card: (who) => `${who} may keep another card`,
  spend_all: (who) => `${who} must use what is left now`,
  jump: (who) => `${who} may jump in`,
  roll: () => "New initiative is due",
  claim: (who) => `${who} may claim the turn`,
  assign: (who) => `${who} assigns the turn`,
  legendary: () => "Time for legendary actions",
  mental_attack: (who) => `${who} makes the mental attack`,
  join_battle: (who) => `${who} joins battle`,
  settle: () => "The game master settles the fight",
  free_action: (who) => `${who} may take a free action`,
  follow_up: (who) => `${who} may make the leftover move`,
  someone_acts: () => "Someone acts",
  newcomer: () => "No combatant is left to act",
};

// The combatants that decide. One without a place begins no turn.
function deciders({ pending: { combatants, decision }, order }) {
  const placed = combatants.filter((id) => order.some((entry) => entry.combatant === id && entry.initiative !== null));
  return decision === "begin_turn" && placed.length ? placed : combatants;
}

// What is awaited; empty where the current turn says it.
export function awaited(encounter) {
  const { pending, current } = encounter;
  if (!pending || (pending.decision === "end_turn" && current.length)) return "";
  const names = deciders(encounter).map((id) => nameOf(encounter, id));
  const who = names.length ? (names.length > 4 ? `${names.length} combatants` : list(names, "or")) : "The game master";
  const words = DECISIONS[pending.decision];
  return words ? words(who, names) : `${plain(pending.decision)}${names.length ? `: ${who}` : ""}`;
}

export function hitPoints({ hp, hp_band: band }) {
  if (hp) return `${hp.current}/${hp.max ?? hp.current}${hp.temp ? ` +${hp.temp}` : ""}`;
  return band ? sentence(band) : "";
}

// Why a row stands where it stands.
export function reason(encounter, because) {
  if (!because) return "";
  const { dice = [], bonus, total, named_by: by, tie_rule: tie } = because;
  const rolled = dice.length ? `d${dice[0].sides} ${dice.map((die) => die.face).join(", ")}` : "";
  const sum = bonus ? `${bonus < 0 ? "−" : "+"} ${Math.abs(bonus)}` : "";
  const made = [rolled, sum, total !== undefined && (rolled || sum) ? `= ${total}` : ""].filter(Boolean).join(" ");
  const named = by ? ` by ${nameOf(encounter, by)}` : "";
  return [sentence(because.reason) + named, made, tie ? `tie by ${tie}` : ""].filter(Boolean).join(" · ");
}

// The moment that an effect counts to, in words.
function counted(encounter, clock, [rounds, turns]) {
  const whose = clock.of ? ` of ${nameOf(encounter, clock.of)}` : "";
  switch (clock.at) {
    case "round_end": return rounds + count(clock.rounds, "round");
    case "turn_start": return `${turns} the start of ${count(clock.turns ?? 1, "turn")}${whose}`;
    case "turn_end": return `${turns} the end of ${count(clock.turns ?? 1, "turn")}${whose}`;
    case "encounter_end": return "all fight";
    default: return "";
  }
}

// When an effect begins, or else whether it is due, and how long it lasts.
export function lasting(encounter, { begins, expires, reminder, waits }) {
  if (begins) return counted(encounter, begins, ["in ", "from"]);
  const due = reminder && (waits ? "due now" : counted(encounter, reminder.due, ["due in ", "due at"]));
  return [due, counted(encounter, expires, ["", "to"])].filter(Boolean).join(", ");
}

// The sentence of a ruleset's rule for players, by its id. Those that all rulesets share explain no choice.
export function ruleText(manifest, id) {
  const found = manifest?.rules.find((rule) => rule.id === id);
  return found ? `${found.for_players ?? found.summary} (${id})` : "";
}

// A refusal as a sentence.
export function refusal(error, manifest, encounter = { combatants: [] }) {
  if (!error.problem) return "The server does not answer.";
  const { code, detail, rule, errors } = error.problem;
  if (code === "not_now") return "Something that you cannot see prevents this.";
  const wrong = errors?.length ? errors.map(({ path, message }) => `${path.split(".").map((part) => nameOf(encounter, part)).join(" ")}: ${message}`).join("; ") : detail ?? error.message;
  return `${sentence(wrong)}${/[.!?]$/.test(wrong) ? "" : "."}${rule ? ` ${ruleText(manifest, rule)}` : ""}`;
}
