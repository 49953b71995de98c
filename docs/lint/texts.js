// Writes what people read of the program into files that textlint reads: a file for each kind, a text on each line. `KIND.sources` has the source
// of each line.
"use strict";

const { readFileSync, readdirSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const [root, target] = process.argv.slice(2);
const read = (...path) => readFileSync(join(root, ...path), "utf8");
const kinds = { description: new Map(), error: new Map(), label: new Map(), event: new Map() };

function add(kind, text, source) {
  const line = String(text).replace(/\s+/g, " ").trim();
  if (line && !kinds[kind].has(line)) kinds[kind].set(line, source);
}

/** Calls `visit` with every text of a JSON value, its field and its path. */
function walk(value, visit, path = "") {
  for (const [field, inner] of Object.entries(value ?? {})) {
    if (typeof inner === "object") walk(inner, visit, `${path}/${field}`);
    else if (typeof inner === "string") visit(field, inner, `${path}/${field}`);
  }
}

function addAnswers(json, source) {
  walk(json, (field, text, path) => {
    if (field === "label") add("label", text, `${source}${path}`);
    if (field === "text" && path.includes("/events")) add("event", text, `${source}${path}`);
    if (["message", "detail"].includes(field)) add("error", text, `${source}${path}`);
  });
}

// The published documents and manifests, and the answers in their examples.
const jsonFiles = (folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith(".json")).map((name) => `${folder}/${name}`);
for (const file of [...jsonFiles("openapi"), ...jsonFiles("openapi/manifests")]) {
  const document = JSON.parse(read(file));
  addAnswers(document, file);
  walk(document, (field, text, path) => {
    if (/\/(value|example|examples)\//.test(path)) return;
    if (["description", "summary"].includes(field)) add("description", text, `${file}${path}`);
  });
}

// What tests of the API expect.
for (const folder of ["refusals", "http"]) {
  for (const file of readdirSync(join(root, "tests", folder))) addAnswers(JSON.parse(read("tests", folder, file)), `tests/${folder}/${file}`);
}

// The recorded plays: a refusal is its code, its rule and its sentence, an answer the sentences of its events.
for (const file of readdirSync(join(root, "tests", "plays"))) {
  for (const [index, line] of read("tests", "plays", file).split("\n").entries()) {
    const { answer } = line ? JSON.parse(line) : {};
    if (answer === undefined) continue;
    const refusal = /^[a-z_]+(?: \([^)]*\))?: (.*)$/s.exec(answer);
    add(refusal ? "error" : "event", refusal ? refusal[1] : answer, `tests/plays/${file}:${index + 1}`);
  }
}

for (const [kind, texts] of Object.entries(kinds)) {
  writeFileSync(join(target, `${kind}.txt`), [...texts.keys()].join("\n"));
  writeFileSync(join(target, `${kind}.sources`), [...texts.values()].join("\n"));
}
