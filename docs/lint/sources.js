// Adds to each line about a text of the program where that text comes from.
"use strict";

const { existsSync, readFileSync } = require("node:fs");

for (const line of readFileSync(0, "utf8").split("\n").filter((line) => /:\d+:/.test(line))) {
  const [path, row] = line.split(":");
  const sources = path.replace(/\.txt$/, ".sources");
  const source = path.endsWith(".txt") && existsSync(sources) ? ` (${readFileSync(sources, "utf8").split("\n")[row - 1]})` : "";
  console.log(line + source);
}
