// Plays the program of a page in Chromium: browser.mjs PAGE SERVER
//
// The page's `html` blocks are one file that grows. After each block it is opened anew. A `text` block is the beginning of what
// each window shows then.
// Comments of the page act on the newest window: <!-- press LABEL --> presses a button, <!-- set FIELD to VALUE --> fills in the field of this title,
// <!-- second window --> opens the same address once more.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const [page, server] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), "page-"));
const file = path.join(folder, "page.html");
const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking"];
const browser = spawn(process.env.CHROMIUM ?? "chromium", [...flags, "--remote-debugging-pipe", `--user-data-dir=${folder}/profile`, "about:blank"], {
  env: { ...process.env, HOME: folder },
  stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
});

// The protocol of Chromium's developer tools: JSON messages with a zero byte after each.
const waiting = new Map();
let received = "";
browser.stdio[4].setEncoding("utf8").on("data", (part) => {
  const messages = (received + part).split("\0");
  received = messages.pop();
  for (const { id, result, error } of messages.map((message) => JSON.parse(message))) {
    waiting.get(id)?.(error ? { error } : result);
    waiting.delete(id);
  }
});
let last = 0;
function ask(method, params, sessionId) {
  const id = ++last;
  browser.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  return new Promise((resolve) => waiting.set(id, resolve));
}

async function openWindow(url) {
  const { targetId } = await ask("Target.createTarget", { url });
  const { sessionId } = await ask("Target.attachToTarget", { targetId, flatten: true });
  return { targetId, sessionId };
}

/** The value of an expression in a window. */
async function evaluate(window, expression) {
  const { result } = await ask("Runtime.evaluate", { expression, returnByValue: true }, window.sessionId);
  return result?.value;
}

/**
 * Waits until an expression has a value that holds, and says after a minute what it was instead. Polls of windows that were
 * closed keep every instance of a Lambda function busy for up to 20 seconds.
 */
async function until(window, expression, holds, what) {
  let value;
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((again) => setTimeout(again, 50))) {
    value = await evaluate(window, expression);
    if (holds(value)) return;
  }
  throw new Error(`${what}:\n${value}`);
}

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean).join("\n");
const done = (value) => value === true;

let windows = [];
const steps = {
  async html(block) {
    for (const { targetId } of windows) await ask("Target.closeTarget", { targetId });
    writeFileSync(file, block.replaceAll("http://127.0.0.1:8080", server), { flag: "a" });
    windows = [await openWindow(`file://${file}`)];
  },
  async text(block) {
    const shows = (text = "") => lines(text).startsWith(lines(block));
    for (const window of windows) await until(window, "document.body?.innerText", shows, `the page says\n${block}\nand a window shows`);
  },
  async press(label) {
    const button = `[...document.querySelectorAll("button")].find((button) => button.textContent === ${JSON.stringify(label)})`;
    await until(windows.at(-1), `{ const button = ${button}; button?.click(); button !== undefined }`, done, `no button ${label}`);
  },
  async set(field, value) {
    const input = `[...document.querySelectorAll("input, select")].find((input) => input.title === ${JSON.stringify(field)})`;
    await until(windows.at(-1), `{ const input = ${input}; if (input) input.value = ${JSON.stringify(value)}; input !== undefined }`, done, `no field ${field}`);
  },
  async window() {
    windows.push(await openWindow(await evaluate(windows[0], "location.href")));
  },
};

try {
  const STEP = /^```(html|text)\n(.*?)^```$|^<!-- (press) (.*?) -->$|^<!-- (set) (.*?) to (.*?) -->$|^<!-- second (window) -->$/gms;
  for (const match of readFileSync(page, "utf8").matchAll(STEP)) {
    const [kind, ...more] = match.slice(1).filter((part) => part !== undefined);
    await steps[kind](...more);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  browser.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 9 }));
  ask("Browser.close");
}
