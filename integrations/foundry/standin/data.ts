// Plain data as Foundry's documents hold it: dotted paths, merges and ids.
export type Data = Record<string, any>;

export function expand(flat: Data): Data {
  const out: Data = {};
  for (const [path, value] of Object.entries(flat)) {
    const parts = path.split(".");
    const last = parts.pop()!;
    let at = out;
    for (const part of parts) at = at[part] ??= {};
    at[last] = plain(value) && plain(at[last]) ? merge(at[last], expand(value)) : plain(value) ? expand(value) : value;
  }
  return out;
}

/** Merges changes into data, and deletes what a key with the prefix -= names. */
export function merge(data: Data, changes: Data): Data {
  for (const [key, value] of Object.entries(changes)) {
    if (key.startsWith("-=")) delete data[key.slice(2)];
    else if (plain(value) && plain(data[key])) merge(data[key], value);
    else data[key] = plain(value) ? merge({}, value) : value;
  }
  return data;
}

/** The part of the changes that differs from the data. */
export function difference(data: Data, changes: Data): Data {
  const out: Data = {};
  for (const [key, value] of Object.entries(changes)) {
    if (plain(value) && plain(data[key])) {
      const inner = difference(data[key], value);
      if (Object.keys(inner).length > 0) out[key] = inner;
    } else if (key.startsWith("-=") ? key.slice(2) in data : JSON.stringify(data[key]) !== JSON.stringify(value)) out[key] = value;
  }
  return out;
}

export function getProperty(data: any, path: string): any {
  return path.split(".").reduce((at, part) => at?.[part], data);
}

const plain = (value: any): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
export function randomID(): string {
  return Array.from({ length: 16 }, () => letters[Math.floor(Math.random() * letters.length)]).join("");
}

/** What travels between a client and the hub. */
export interface Operation {
  kind: "create" | "update" | "delete";
  type: "User" | "Actor" | "Token" | "Combat" | "Combatant" | "Setting";
  parent?: string;
  /** The data of what is created, the changes of what is updated, with its _id; or the ids of what is deleted. */
  items: Data[];
  options: Data;
  userId: string;
}
