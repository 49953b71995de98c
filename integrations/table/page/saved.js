// The reader's storage in this browser: fights with their tokens, parties, encounters, and an application's key. Each is kept by a press of the
// reader, and forgotten by another one.

import { keep, kept } from "./kept.js";

const MOST = 100;

function write(what, value) {
  if (!keep(what, value)) throw new Error("This browser keeps nothing for this page. Allow it to store data, or make room.");
}

// A list of things, newest first, each with a key of its own.
class Kept {
  constructor(what, keyOf) {
    Object.assign(this, { what, keyOf });
  }

  get all() {
    const items = kept(this.what);
    return Array.isArray(items) ? items : [];
  }

  find(key) {
    return this.all.find((item) => this.keyOf(item) === key);
  }

  keep(item) {
    const others = this.all.filter((other) => this.keyOf(other) !== this.keyOf(item));
    write(this.what, [item, ...others].slice(0, MOST));
  }

  forget(key) {
    const left = this.all.filter((item) => this.keyOf(item) !== key);
    write(this.what, left.length ? left : null);
  }

  forgetAll() {
    write(this.what, null);
  }
}

export const fights = new Kept("fights", ({ id, token }) => `${id} ${token}`);
export const parties = new Kept("parties", ({ name }) => name);
export const encounters = new Kept("encounters", ({ name }) => name);

export const application = {
  get key() {
    return kept("application") ?? "";
  },
  keep: (key) => write("application", key),
  forget: () => write("application", null),
};
