// The settings. World settings reach every client, so secrets are client settings, which stay in one browser.
import { rulesMenu } from "./rules.js";
import { ID, text } from "./types.js";

const rulesets = ["active-initiative", "seize", "exp", "venture", "dc20", "custom"];

export function registerSettings(): void {
  const { settings, system } = game;
  const shown = (key: string) => ({ name: `TURNKEEPER.${key}.Name`, hint: `TURNKEEPER.${key}.Hint`, config: true });
  const attribute = system?.primaryTokenAttribute;
  const choices = { "": "TURNKEEPER.Ruleset.None", ...Object.fromEntries(rulesets.map((id) => [id, id])) };
  const onChange = () => void checkServer();
  settings!.register(ID, "server", { ...shown("Server"), scope: "world", type: String, default: "", requiresReload: true, onChange });
  settings!.register(ID, "ruleset", { ...shown("Ruleset"), scope: "world", type: String, default: "", choices });
  const icon = "fa-solid fa-dice-d20";
  settings!.registerMenu(ID, "rules", { name: "TURNKEEPER.Rules.Name", label: "TURNKEEPER.Rules.Label", hint: "TURNKEEPER.Rules.Hint", icon, type: rulesMenu(), restricted: true });
  settings!.register(ID, "options", { scope: "world", config: false, type: String, default: "{}" });
  settings!.register(ID, "stats", { scope: "world", config: false, type: String, default: "{}" });
  const path = attribute ? `system.${attribute}.value` : "";
  settings!.register(ID, "hitPoints", { ...shown("HitPoints"), scope: "world", type: String, default: path });
  settings!.register(ID, "countsUp", { ...shown("CountsUp"), scope: "world", type: Boolean, default: false });
  settings!.register(ID, "playerUndo", { ...shown("PlayerUndo"), scope: "world", type: Boolean, default: false });
  settings!.register(ID, "places", { ...shown("Places"), scope: "world", type: Boolean, default: false });
  settings!.register(ID, "tokens", { scope: "client", config: false, type: Object, default: {} });
}

/** Only a game master's settings show the application's key, which stays in this browser. */
export function registerKey(): void {
  game.settings.register(ID, "key", {
    name: "TURNKEEPER.Key.Name", hint: "TURNKEEPER.Key.Hint", scope: "client", config: game.user.isGM, type: String, default: "",
  });
}

export const server = (): string => game.settings.get(ID, "server").trim().replace(/\/+$/, "");

/** A setting that holds a JSON object. */
export const json = (key: "options" | "stats"): Record<string, unknown> => parsed(key, game.settings.get(ID, key));

/** A text as the JSON object that it is. */
export function parsed(key: "options" | "stats", written: string): Record<string, unknown> {
  const value: unknown = JSON.parse(written || "{}");
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(text("NoObject", { key }));
  return value as Record<string, unknown>;
}

/** Tokens of this user by encounter. Another user of the same browser has others. */
const slot = (encounter: string): string => `${game.user.id}:${encounter}`;
export const ownToken = (encounter: string): string | undefined => game.settings.get(ID, "tokens")[slot(encounter)];

export async function keepToken(encounter: string, token: string | undefined): Promise<void> {
  const { [slot(encounter)]: _, ...others } = game.settings.get(ID, "tokens");
  await game.settings.set(ID, "tokens", token ? { ...others, [slot(encounter)]: token } : others);
}

/** Tests a new address at once, instead of in the middle of a fight. */
async function checkServer(): Promise<void> {
  if (!game.user?.isGM || !server()) return;
  const ready = await fetch(`${server()}/readyz`).then(({ ok }) => ok, () => false);
  if (ready) ui.notifications?.info(text("ServerAnswers", { server: server() }));
  else ui.notifications?.error(text("ServerSilent", { server: server() }));
}
