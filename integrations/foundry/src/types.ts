// What the module declares to Foundry's types, and short names for the documents.
import type { Encounter, Schemas } from "./client/index.js";

export const ID = "turnkeeper";

export type Legal = Schemas["LegalCommand"] & { command: Schemas["Command"] };
export type Options = Omit<Schemas["LegalCommands"], "items"> & { items: Legal[] };
export type FoundryCombat = Combat.Implementation;
export type FoundryCombatant = Combatant.Implementation;
export type { Encounter, Schemas };

/** The flag of a combat that the server runs. Every client reads it: it holds no secret and nothing hidden. */
export interface Link {
  encounter: string;
  ruleset: string;
}

declare module "fvtt-types/configuration" {
  interface SettingConfig {
    "turnkeeper.server": string;
    "turnkeeper.ruleset": string;
    "turnkeeper.options": string;
    "turnkeeper.stats": string;
    "turnkeeper.hitPoints": string;
    "turnkeeper.countsUp": boolean;
    "turnkeeper.playerUndo": boolean;
    "turnkeeper.places": boolean;
    "turnkeeper.key": string;
    "turnkeeper.tokens": Record<string, string>;
  }
  interface FlagConfig {
    Combat: { turnkeeper?: { link?: Link } };
  }
  interface AssumeHookRan {
    ready: never;
  }
}
declare global {
  namespace CONFIG {
    interface Queries {
      "turnkeeper.token": (data: { combat: string; token?: string }) => Promise<string | null>;
    }
  }
  /** lib-wrapper, as far as the module uses it. */
  const libWrapper: undefined | {
    register(id: string, target: string, wrapper: (this: unknown, wrapped: Method, ...parts: unknown[]) => unknown, type: "MIXED"): void;
  };
}
export type Method = (...parts: unknown[]) => unknown;

export function linkOf(combat: FoundryCombat): Link | undefined {
  return combat.getFlag(ID, "link");
}

export const text = (key: string, values: Record<string, string> = {}): string => game.i18n!.format(`TURNKEEPER.${key}`, values);
