// The official suite of conformance: all scenarios that a revision requires. The suite was written against a server with tools, prompts and
// resources of its own. `expected.json` lists the checks that need those, by scenario; all others must pass, and those that are listed must not.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Server } from "../typescript/dist-test/server.js";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const SUITE = here("node_modules/@modelcontextprotocol/conformance/dist/index.js");

let server;
before(async () => {
  server = await Server.start();
});
after(() => server?.stop());

/** The checks of all scenarios that a revision requires. */
async function checked(revision) {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  const args = ["--import", here("older-node.mjs"), SUITE, "server", "--url", `${server.url}/mcp`, "--requirements", revision, "-o", folder];
  await new Promise((resolve) => execFile(process.execPath, args, { maxBuffer: 1 << 26 }, resolve));
  const checks = [];
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name)?.[1];
    const all = JSON.parse(await readFile(join(folder, name, "checks.json"), "utf8"));
    for (const check of all) checks.push({ scenario, ...check });
  }
  await rm(folder, { recursive: true });
  return checks;
}

for (const revision of ["2025-11-25", "2026-07-28"]) {
  test(`what revision ${revision} requires`, { timeout: 300_000 }, async (context) => {
    const file = here("expected.json");
    const expected = JSON.parse(await readFile(file, "utf8"));
    const checks = await checked(revision);
    const failed = {};
    for (const { scenario, id, status } of checks) if (status === "FAILURE") (failed[scenario] ??= new Set()).add(id);
    const found = Object.fromEntries(Object.entries(failed).sort().map(([scenario, ids]) => [scenario, [...ids].sort()]));
    if (process.env.TURNKEEPER_BLESS) await writeFile(file, `${JSON.stringify({ ...expected, [revision]: found }, null, 2)}\n`);
    const passed = checks.filter((check) => check.status === "SUCCESS");
    const scenarios = new Set(passed.filter(({ scenario }) => !found[scenario]).map(({ scenario }) => scenario));
    context.diagnostic(`${passed.length} checks pass; whole scenarios: ${[...scenarios].sort().join(", ")}`);
    assert.ok(passed.length > 20, `only ${passed.length} checks pass`);
    if (!process.env.TURNKEEPER_BLESS) assert.deepEqual(found, expected[revision]);
  });
}
