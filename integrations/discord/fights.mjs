// The fights of the channels with their tokens, in a file that only its owner reads.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { Mistake } from "./settings.mjs";

const OWNER_ONLY = 0o600;

function read(file) {
  try {
    const { fights } = JSON.parse(readFileSync(file, "utf8"));
    if (typeof fights !== "object" || fights === null) throw new Mistake(`${file} has no fights. Name another file in FIGHTS.`);
    return new Map(Object.entries(fights));
  } catch (error) {
    if (error.code === "ENOENT") return new Map();
    // The message of a parser can quote the file.
    if (error instanceof SyntaxError) throw new Mistake(`${file} is not valid JSON. Repair it, or name another file in FIGHTS.`);
    throw error;
  }
}

/** The file as it was, or as it is next: never a part of it, also after a crash. */
function replace(file, text) {
  const draft = `${file}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  const handle = openSync(draft, "wx", OWNER_ONLY);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}

/**
 * A fight has the `id` of its encounter, the token `gm`, the `party`'s token with its id, the user who is the `master`, the
 * `game` that was chosen, and `seats`: the user of a combatant that a player took.
 */
export class Fights {
  constructor(file) {
    this.file = file;
    this.byChannel = read(file);
    // A folder that takes no file is a mistake now, and not in the first fight. A file that others may read is replaced.
    try {
      this.save();
    } catch (error) {
      throw new Mistake(`${file} cannot be written (${error.code}). Name a file in a folder of your own in FIGHTS.`);
    }
  }

  get(channel) {
    return this.byChannel.get(channel);
  }

  set(channel, fight) {
    this.byChannel.set(channel, fight);
    this.save();
  }

  save() {
    replace(this.file, `${JSON.stringify({ fights: Object.fromEntries(this.byChannel) }, null, 2)}\n`);
  }
}
