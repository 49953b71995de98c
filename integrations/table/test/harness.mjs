// A server, a proxy that records what passes, and pages of a browser.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, mkdir, rm } from "node:fs/promises";
import http from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const installed = createRequire(path.join(root, "target/integrations/"));
export const { chromium } = installed("playwright-core");
export const axe = installed("axe-core").source;
const jsqr = installed("jsqr");
export const pictures = path.join(root, "target/integrations/table");
await mkdir(pictures, { recursive: true });

// Waits until something is so. The page's policy keeps Playwright from waiting within it.
export async function until(holds, what, ms = 20_000) {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 30))) {
    if (await holds()) return;
  }
  throw new Error(`${what}: not within ${ms} ms`);
}

// What the camera of a phone reads in a code on the screen.
export async function readCode(locator) {
  const png = (await locator.screenshot()).toString("base64");
  const { data, width, height } = await locator.page().evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    return { data: [...canvas.getImageData(0, 0, image.width, image.height).data], width: image.width, height: image.height };
  }, png);
  return jsqr(Uint8ClampedArray.from(data), width, height)?.data;
}

// The program, on an embedded store. It keeps its port over a restart.
export class Server {
  static async start(more = {}) {
    const server = new Server();
    server.directory = await mkdtemp(path.join(tmpdir(), "table-"));
    server.more = more;
    await server.up();
    return server;
  }

  async up() {
    const program = process.env.TURNKEEPER ?? path.join(root, "target/debug/turnkeeper");
    const listen = `127.0.0.1:${this.port ?? 0}`;
    const env = { ...process.env, TURNKEEPER_LOG: "warn", ...this.more };
    this.child = spawn(program, ["--listen", listen, "--data", path.join(this.directory, "store")], { env, stdio: ["ignore", "pipe", "inherit"] });
    for await (const chunk of this.child.stdout) {
      const found = /serves on http:\/\/127\.0\.0\.1:(\d+)/.exec(chunk);
      if (found) {
        this.port = Number(found[1]);
        return;
      }
    }
    throw new Error("the server did not start");
  }

  async down() {
    const ended = once(this.child, "exit");
    this.child.kill();
    await ended;
  }

  async stop() {
    await this.down();
    await rm(this.directory, { recursive: true });
  }
}

// Passes requests on to the server, and keeps each with its answer.
export class Wire {
  static async before(server) {
    const wire = new Wire();
    Object.assign(wire, { server, exchanges: [] });
    wire.listener = http.createServer((request, answer) => wire.pass(request, answer)).listen(0, "127.0.0.1");
    await once(wire.listener, "listening");
    wire.url = `http://127.0.0.1:${wire.listener.address().port}`;
    return wire;
  }

  pass(request, answer) {
    const { method, url, headers } = request;
    const fault = this.fault?.(request);
    if (fault) {
      answer.writeHead(fault, { "content-type": "application/problem+json", "retry-after": "1" });
      return answer.end(JSON.stringify({ status: fault, code: "busy", detail: "The server has too much to do." }));
    }
    const exchange = { method, url, headers, sent: "", status: 0, body: "" };
    this.exchanges.push(exchange);
    // Plain bodies can be searched.
    const plain = { ...headers, "accept-encoding": "identity" };
    const onward = http.request({ host: "127.0.0.1", port: this.server.port, method, path: url, headers: plain }, async (back) => {
      await this.held?.(request);
      exchange.status = back.statusCode;
      answer.writeHead(back.statusCode, back.headers);
      answer.flushHeaders();
      back.on("data", (chunk) => { exchange.body += chunk; answer.write(chunk); });
      back.on("end", () => answer.end()).on("error", () => answer.destroy());
      answer.on("close", () => back.destroy());
    });
    onward.on("error", () => answer.destroy());
    request.on("data", (chunk) => { exchange.sent += chunk; onward.write(chunk); });
    request.on("end", () => onward.end());
  }

  // All that came back for a token.
  received(token) {
    return this.exchanges.filter(({ headers }) => headers.authorization === `Bearer ${token}`).map(({ body }) => body).join("\n");
  }

  close() {
    this.listener.closeAllConnections();
    this.listener.close();
  }
}

// A fight, by the API.
export class Fight {
  static async create(url, creation) {
    const fight = new Fight();
    fight.url = url;
    const made = await fight.call("POST", "/v1/encounters", undefined, creation);
    fight.id = made.encounter.id;
    fight.tokens = { gm: made.token };
    for (const { token, role } of made.tokens ?? []) fight.tokens[role] ??= token;
    return fight;
  }

  // The fight that a link opens.
  static of(url, address) {
    const link = new URLSearchParams(new URL(address).hash.slice(1));
    return Object.assign(new Fight(), { url, id: link.get("encounter"), tokens: { gm: link.get("token") } });
  }

  async call(method, place, token, body) {
    const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(this.url + place, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${place}: ${text}`);
    return text && JSON.parse(text);
  }

  read(role, rest = "") {
    return this.call("GET", `/v1/encounters/${this.id}${rest}`, this.tokens[role]);
  }

  send(command, role = "gm") {
    return this.call("POST", `/v1/encounters/${this.id}/commands`, this.tokens[role], command);
  }

  link(role) {
    return `/table#encounter=${this.id}&token=${this.tokens[role]}`;
  }
}

// A page of a role: what is on it, and what can be pressed.
export class Page {
  static async blank(browser, role, context = {}) {
    const own = new Page();
    own.role = role;
    own.context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...context });
    own.page = await own.context.newPage();
    own.errors = [];
    own.page.on("pageerror", (error) => own.errors.push(String(error)));
    own.page.on("console", (message) => { if (message.type() === "error" && !/Failed to load resource/.test(message.text())) own.errors.push(message.text()); });
    return own;
  }

  static async open(browser, base, fight, role, context = {}) {
    const own = await Page.blank(browser, role, context);
    own.fight = fight;
    await own.page.goto(base + fight.link(role));
    await own.page.waitForSelector("#connection.live", { timeout: 20_000 });
    return own;
  }

  // Waits until the page shows a version, and the options of it.
  async at(version) {
    await until(async () => (await this.version()) >= version, `${this.role} at version ${version}`);
  }

  version() {
    return this.page.evaluate(() => Number(document.querySelector("#fight").dataset.version));
  }

  // The rows and buttons on the page.
  shown() {
    return this.page.evaluate(() => ({
      names: [...document.querySelectorAll("#rows .name")].map((node) => node.textContent),
      current: [...document.querySelectorAll("#rows .row[aria-current] .name")].map((node) => node.textContent),
      about: document.querySelector("#about").textContent,
      buttons: document.querySelector("#actions").hidden ? [] : [...document.querySelectorAll("#buttons button:not(.more, .names *)")].map((node) => node.textContent)
        .concat([...document.querySelectorAll("#buttons [data-key^=values]")].map((node) => node.ariaLabel)).sort(),
      // The combatants between whom the decision is.
      choices: document.querySelector("#actions").hidden ? [] : [...document.querySelectorAll("#buttons .names button[data-about]")].map((node) => node.dataset.about),
    }));
  }

  html() {
    return this.page.content();
  }

  log() {
    return this.page.locator("#log").innerText();
  }

  // The button of an option. One in a folded part is unfolded first.
  async button(label) {
    const sheet = this.page.locator("#sheet[aria-expanded=false]");
    if (await sheet.isVisible()) await sheet.click();
    const button = this.page.locator("#buttons button:not(.more)").filter({ hasText: label }).first();
    await button.evaluate((node) => node.closest("details")?.setAttribute("open", ""));
    return button;
  }

  // Opens the form of an option: by its own button, or by the second one if the first one sends it.
  async ask(label) {
    const button = await this.button(label);
    const more = button.locator("xpath=following-sibling::button[contains(@class,'more')]");
    await ((await more.count()) ? more : button).click();
    await this.page.waitForSelector("#dialog[open]");
  }

  // What the fields of the open form hold already; a value without an alternative may be chosen.
  prefilled() {
    return this.page.evaluate(() => [...document.querySelectorAll("#fields :is(input, select, textarea)")]
      .filter((field) => (field.type === "checkbox" ? field.checked : field.value !== "" && field.options?.length !== 1))
      .map((field) => `${field.labels[0].textContent}: ${field.value}`));
  }

  // Goes to the field with this label, or to the button, by the keyboard.
  async tabTo(label) {
    for (let presses = 0; presses < 40; presses++) {
      const focused = await this.page.evaluate(() => (document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim());
      if (focused === label) return;
      await this.page.keyboard.press("Tab");
    }
    throw new Error(`no way to ${label}`);
  }

  // Confirms the open form, and waits for what it leads to.
  async confirm() {
    const before = await this.version();
    await this.page.click("#confirm");
    await this.page.waitForSelector("#dialog:not([open])", { state: "attached", timeout: 20_000 });
    await this.at(before + 1);
    return this.version();
  }

  // Sends an option: by one press, or by its form, which `fill` fills in.
  async press(label, fill) {
    const button = await this.button(label);
    if (fill || (await button.evaluate((node) => node.classList.contains("asks")))) {
      await this.ask(label);
      await fill?.(this.page);
      return this.confirm();
    }
    const before = await this.version();
    await this.click(button);
    await this.at(before + 1);
    return this.version();
  }

  // Presses as a person does: a press at once at the same place would be the second of a double press.
  async click(button) {
    const rest = 360 - (Date.now() - (this.clicked ?? 0));
    if (rest > 0) await this.page.waitForTimeout(rest);
    await button.click();
    this.clicked = Date.now();
  }

  async close() {
    await this.context.close();
    if (this.errors.length) throw new Error(`${this.role}: ${this.errors.join("; ")}`);
  }
}
