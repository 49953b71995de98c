// What the README says.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Server } from "./server.js";

const root = new URL("../", import.meta.url);

test("the example runs as it is printed", { timeout: 60_000 }, async (context) => {
  const server = await Server.start();
  context.after(() => server.stop());
  const page = await readFile(new URL("README.md", root), "utf8");
  const program = /^```js\n([^]*?)^```$/m.exec(page)?.[1]?.replace("http://127.0.0.1:8080", server.url) ?? "";
  assert.ok(program.includes(server.url));
  const cwd = fileURLToPath(root);
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { cwd });
  assert.match(stdout, /^Ann: end turn$/m);
  assert.match(stdout, /```\nEncounter, round 1\n> Ann\n- Orc\nawaiting: end turn by Ann\n```/);
  assert.match(stdout, /```\nEncounter, ended\n/);
});

test("the source has at most 320 lines", async () => {
  const files = (await readdir(new URL("src/", root))).filter((name) => name !== "api.ts");
  const texts = await Promise.all(files.map((name) => readFile(new URL(`src/${name}`, root), "utf8")));
  const lines = texts.map((text) => text.trimEnd().split("\n").length);
  assert.ok(lines.reduce((sum, count) => sum + count) <= 320, String(lines));
});
