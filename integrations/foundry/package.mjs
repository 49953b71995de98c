// Makes what a host needs so that Foundry installs and updates the module by an address: a zip, module.json, and the pages that it names, in
// target/integrations/foundry/dist. The same files and addresses give the same bytes. Needs Node.js only.
//
//   node integrations/foundry/package.mjs HOST [PROJECT]
//
// HOST is the public address of the folder, PROJECT that of the source code: HOST by default.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { zip } from "./zip.mjs";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function fail(problem) {
  console.error(`integrations/foundry/package.mjs: ${problem}`);
  process.exit(2);
}

function address(text) {
  if (!URL.canParse(text)) fail(`"${text}" is not an address. Use one such as https://files.example.org/turnkeeper.`);
  const url = new URL(text);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.test(url.hostname))) fail(`"${text}" is not safe to install from. Use https.`);
  if (url.username || url.search || url.hash) fail(`"${text}" has more than a host and a path. Leave the rest out.`);
  return url.href.replace(/\/+$/, "");
}

const [first, second, ...more] = process.argv.slice(2);
if (!first || more.length) fail("Usage: node integrations/foundry/package.mjs HOST [PROJECT]");
const host = address(first);
const project = second && address(second);

const root = fileURLToPath(new URL("../../", import.meta.url));
const module = `${root}target/integrations/foundry/module`;
const dist = `${root}target/integrations/foundry/dist`;
if (!existsSync(`${module}/scripts/main.js`)) execFileSync(`${root}integrations/foundry/build`, { stdio: "inherit" });

const source = JSON.parse(readFileSync(`${root}integrations/foundry/module.json`, "utf8"));
const { version } = source;
const archive = `turnkeeper-${version}.zip`;
const manifest = {
  ...source,
  license: `${host}/LICENSE-MIT`,
  url: project ?? host,
  bugs: project ? `${project}/issues` : host,
  readme: `${host}/README.md`,
  changelog: `${host}/CHANGELOG.md`,
  media: [{ type: "icon", url: `${host}/icon.svg` }],
  // Always the newest version, which names the zip of its own.
  manifest: `${host}/module.json`,
  download: `${host}/${archive}`,
};
const text = `${JSON.stringify(manifest, null, 2)}\n`;

const names = readdirSync(module, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => `${entry.parentPath ?? entry.path}/${entry.name}`.slice(module.length + 1).replaceAll("\\", "/"))
  .sort();
const files = names.map((name) => [name, name === "module.json" ? Buffer.from(text) : readFileSync(`${module}/${name}`)]);

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
writeFileSync(`${dist}/${archive}`, zip(files));
writeFileSync(`${dist}/module.json`, text);
for (const file of ["LICENSE-MIT", "LICENSE-APACHE", "integrations/table/page/icon.svg"]) cpSync(`${root}${file}`, `${dist}/${file.split("/").at(-1)}`);
// Links to other files of the source code lead nowhere here: their words stay.
for (const page of ["CHANGELOG.md", "integrations/foundry/README.md"]) {
  const words = readFileSync(`${root}${page}`, "utf8").replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, "$1");
  writeFileSync(`${dist}/${page.split("/").at(-1)}`, words);
}
console.log(`${dist}\nInstall it in Foundry by ${host}/module.json`);
