// The zip and module.json that package.mjs makes of the compiled module.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, readdir, utimes } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));
const target = path.join(root, "target/integrations/foundry");
const dist = path.join(target, "dist");
// A reader of zips by others.
const { yauzl } = createRequire(`${target}/`)("./node_modules/playwright-core/lib/zipBundle.js");

const pack = (...args) => promisify(execFile)(process.execPath, [path.join(root, "integrations/foundry/package.mjs"), ...args]);
const written = async (name) => readFile(path.join(dist, name));
const manifest = async () => JSON.parse(await written("module.json"));

async function unzip(bytes) {
  const archive = await promisify(yauzl.fromBuffer)(bytes, { lazyEntries: true });
  const files = new Map();
  archive.readEntry();
  await new Promise((done, failed) => {
    archive.on("error", failed).on("end", done).on("entry", async (entry) => {
      try {
        const parts = [];
        for await (const part of await promisify(archive.openReadStream.bind(archive))(entry)) parts.push(part);
        files.set(entry.fileName, { content: Buffer.concat(parts), date: entry.getLastModDate() });
        archive.readEntry();
      } catch (error) {
        failed(error);
      }
    });
  });
  return files;
}

test("module.json is complete, and names files that are there", async () => {
  await pack("https://files.example.org/turnkeeper/", "https://code.example.org/turnkeeper");
  const { version, ...made } = await manifest();
  const at = (name) => `https://files.example.org/turnkeeper/${name}`;
  assert.equal(version, /^version = "(.+)"$/m.exec(await readFile(path.join(root, "Cargo.toml"), "utf8"))[1]);
  assert.deepEqual(Object.keys(made).sort(), ["authors", "bugs", "changelog", "compatibility", "description", "download", "esmodules", "id", "languages",
    "license", "manifest", "media", "readme", "relationships", "styles", "title", "url"]);
  assert.equal(made.url, "https://code.example.org/turnkeeper");
  assert.equal(made.bugs, "https://code.example.org/turnkeeper/issues");
  assert.equal(made.manifest, at("module.json"));
  assert.equal(made.download, at(`turnkeeper-${version}.zip`));
  assert.ok(made.compatibility.minimum && made.compatibility.verified && made.authors[0].name);
  const { license, readme, changelog, media, download } = made;
  const hosted = await readdir(dist);
  for (const address of [license, readme, changelog, download, made.manifest, ...media.map(({ url }) => url)]) {
    assert.ok(hosted.includes(path.basename(address)) && address === at(path.basename(address)), address);
  }
  assert.doesNotMatch((await written("README.md")) + (await written("CHANGELOG.md")), /\]\((?!https?:|#)/);
});

test("the zip has the module, and all that its files load", async () => {
  await pack("https://files.example.org");
  const made = await manifest();
  assert.equal(made.url, "https://files.example.org");
  const files = await unzip(await written(path.basename(made.download)));
  assert.deepEqual(files.get("module.json").content, await written("module.json"));
  for (const name of [...made.esmodules, ...made.styles, ...made.languages.map((language) => language.path), "LICENSE-MIT", "LICENSE-APACHE", "icon.svg"]) {
    assert.ok(files.has(name), name);
  }
  for (const [name, { content }] of files) {
    assert.match(name, /^(module\.json|icon\.svg|LICENSE-(MIT|APACHE)|(lang|scripts|scripts\/client|styles)\/[\w-]+\.(js|css|json))$/);
    assert.deepEqual(name === "module.json" ? await written(name) : await readFile(path.join(target, "module", name)), content, name);
    if (!name.endsWith(".js")) continue;
    for (const [, loaded] of content.toString().matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)) {
      assert.ok(files.has(path.posix.join(path.posix.dirname(name), loaded)), `${name} loads ${loaded}`);
    }
  }
});

test("the same module gives the same bytes, whenever it is made", async () => {
  const digest = async () => createHash("sha256").update(await written(path.basename((await manifest()).download))).digest("hex");
  await pack("https://files.example.org");
  const before = await digest();
  for (const name of await readdir(path.join(target, "module/scripts"))) await utimes(path.join(target, "module/scripts", name), 1e9, 1e9);
  await pack("https://files.example.org");
  assert.equal(await digest(), before);
  for (const { date } of (await unzip(await written(path.basename((await manifest()).download)))).values()) assert.equal(date.getFullYear(), 1980);
  await pack("https://other.example.org");
  assert.notEqual(await digest(), before, "module.json is in it");
});

test("addresses that Foundry cannot install from are refused", async () => {
  for (const [args, problem] of [
    [[], /Usage/], [["turnkeeper"], /is not an address/], [["http://files.example.org"], /Use https/], [["https://a.example#b"], /Leave the rest out/],
  ]) await assert.rejects(pack(...args), problem);
});
