// Hands the methods of a combat over. The class is the system's own, so its methods are wrapped in place, with lib-wrapper where it is.
import { ID, type FoundryCombat, type Method } from "./types.js";

export type Handler = (combat: FoundryCombat, original: () => unknown, parts: unknown[]) => unknown;

/** Wraps methods of the class that the system put into CONFIG. Call it in `setup`, after the `init` of every system and module. */
export function wrap(handlers: Record<string, Handler>): void {
  const prototype = CONFIG.Combat.documentClass.prototype as unknown as Record<string, Method | undefined>;
  for (const [name, handler] of Object.entries(handlers)) {
    const original = prototype[name];
    // Systems may lack a method of Foundry's newer versions.
    if (!original) continue;
    if (game.modules?.get("lib-wrapper")?.active && typeof libWrapper !== "undefined")
      libWrapper.register(ID, `CONFIG.Combat.documentClass.prototype.${name}`, function (this: unknown, wrapped: Method, ...parts: unknown[]) {
        return handler(this as FoundryCombat, () => wrapped(...parts), parts);
      }, "MIXED");
    else
      prototype[name] = function (this: unknown, ...parts: unknown[]) {
        return handler(this as FoundryCombat, () => original.apply(this, parts), parts);
      };
  }
}
