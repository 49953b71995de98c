// Builds the extension: target/integrations/owlbear/extension, a folder of files for any host that serves `https`.
//
//   node integrations/owlbear/build.mjs SERVER [HOST]
//
// SERVER is the public address of the Turnkeeper server, HOST the address of the folder: SERVER/owlbear by default.
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function fail(problem) {
  console.error(`integrations/owlbear/build.mjs: ${problem}`);
  process.exit(2);
}

function address(text) {
  if (!URL.canParse(text)) fail(`"${text}" is not an address. Use one such as https://turns.example.org.`);
  const url = new URL(text);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!isSafe) fail(`Owlbear's page loads nothing from "${text}". Use https.`);
  if (url.username || url.search || url.hash) fail(`"${text}" has more than a host and a path. Leave the rest out.`);
  return url.href.replace(/\/+$/, "");
}

const [first, second, ...more] = process.argv.slice(2);
if (!first || more.length) fail("Usage: node integrations/owlbear/build.mjs SERVER [HOST]");
const server = address(first);
const host = address(second ?? `${server}/owlbear`);

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const target = `${root}target/integrations/owlbear/extension`;
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
cpSync(`${here}extension`, target, { recursive: true });

// The server lets no other site frame its page, so the extension has the page's files. Only the address of the API differs.
cpSync(`${root}integrations/table/page`, `${target}/table`, { recursive: true });
renameSync(`${target}/table/index.html`, `${target}/table.html`);
const page = readFileSync(`${target}/table.html`, "utf8");
const framed = page.replace("</head>", '<link rel="stylesheet" href="frame.css">\n</head>');
if (framed === page) fail("integrations/table/page/index.html has no head. Adapt this script.");
writeFileSync(`${target}/table.html`, framed);
const api = readFileSync(`${target}/table/api.js`, "utf8");
const calls = api.replaceAll(/new URL\("\.\.\/(v1\/\w+\/)", import\.meta\.url\)/g, (_, path) => `new URL(${JSON.stringify(`${server}/${path}`)})`);
if (calls === api || calls.includes("import.meta")) fail("integrations/table/page/api.js names its addresses in another way. Adapt this script.");
writeFileSync(`${target}/table/api.js`, calls);
writeFileSync(`${target}/server.js`, `export const SERVER = ${JSON.stringify(server)};\n`);

const { 1: version } = /^version = "(.+)"$/m.exec(readFileSync(`${root}Cargo.toml`, "utf8"));
// Owlbear resolves a path against the root of its site, so all addresses are whole.
const manifest = {
  name: "Turnkeeper",
  version,
  manifest_version: 1,
  author: "The Turnkeeper contributors",
  description: "Runs the turns of a combat by the rules of your game, and shows who acts now.",
  homepage_url: `${server}/table`,
  icon: `${host}/icon.svg`,
  action: { title: "Turnkeeper", icon: `${host}/icon.svg`, popover: `${host}/popover.html`, width: 480, height: 720 },
  background_url: `${host}/background.html`,
};
writeFileSync(`${target}/manifest.json`, `${JSON.stringify(manifest, null, 2)}\n`);
console.log(`${target}\nInstall it in Owlbear Rodeo by ${host}/manifest.json`);
