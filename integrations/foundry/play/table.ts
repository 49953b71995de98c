// A table: the hub, one browser context for each user, and what a person at it does and sees.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { createServer, type Server as Http } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from "playwright-core";
import { Hub } from "../standin/hub.js";
import type { Server } from "./server.js";
import { users, world, type User } from "./world.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const combat = "CombatBridge0000";
/** Names that players must never read before they are revealed. */
const secrets = ["Ninja"];

export interface Setup {
  ruleset?: string;
  options?: object;
  settings?: Record<string, unknown>;
  generation?: number;
  system?: boolean;
  libWrapper?: boolean;
  latency?: number;
}

let browser: Browser | undefined;
let files: Http | undefined;

export async function openBrowser(): Promise<void> {
  browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  files = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://files").pathname;
    const type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".json") ? "application/json" : path.endsWith(".css") ? "text/css" : "text/html";
    response.setHeader("content-type", `${type}; charset=utf-8`);
    if (path === "/") return response.end("<!doctype html><meta charset=utf-8><link rel=stylesheet href=module/styles/turnkeeper.css><body></body>");
    const file = path.startsWith("/standin/") ? `${root}js${path}` : `${root}${path.slice(1)}`;
    return readFile(file).then((data) => response.end(data), () => response.writeHead(404).end());
  }).listen(0, "127.0.0.1");
  await once(files, "listening");
}

export async function closeBrowser(): Promise<void> {
  await browser?.close();
  files?.close();
}

export class Table {
  readonly hub: Hub;
  readonly pages = new Map<User, Page>();
  readonly problems: string[] = [];
  /** Whether the hidden combatant was revealed on purpose. */
  revealed = false;
  /** What notifications said, by user. */
  readonly notices: string[] = [];
  #contexts = new Map<User, BrowserContext>();

  constructor(readonly server: Server, readonly setup: Setup) {
    this.hub = new Hub(world({
      "turnkeeper.server": server.url, "turnkeeper.ruleset": setup.ruleset ?? "active-initiative",
      "turnkeeper.options": JSON.stringify(setup.options ?? {}), ...setup.settings,
    }));
    this.hub.latency = setup.latency ?? 0;
  }

  static async with(server: Server, setup: Setup, ...who: User[]): Promise<Table> {
    const table = new Table(server, setup);
    for (const user of who) await table.join(user);
    return table;
  }

  /** A user opens the world. A later page of the same user has the same storage. */
  async join(user: User): Promise<Page> {
    const id = users[user];
    const context = this.#contexts.get(user) ?? (await browser!.newContext({ viewport: { width: 420, height: 800 } }));
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    if (!this.#contexts.has(user)) {
      this.#contexts.set(user, context);
      await context.exposeBinding("hub", (_, message: any) =>
        message.operation ? this.hub.operate(id, message.operation) : this.hub.query(id, message.query.to, message.query.name, message.query.data));
    }
    page.on("pageerror", (error) => this.problems.push(`${user}: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "debug") this.notices.push(`${user}: ${message.text()}`);
      if (message.type() === "error" && !message.text().includes("Failed to load resource")) this.problems.push(`${user}: ${message.text()}`);
    });
    page.on("request", (request) => {
      const authorization = request.headers()["authorization"] ?? "";
      if (!["gm", "assistant"].includes(user) && authorization.includes("tk_gm_")) this.problems.push(`${user} used a game master's token`);
    });
    await page.goto(`http://127.0.0.1:${(files!.address() as AddressInfo).port}/`);
    await page.evaluate(watch, secrets);
    for (const script of ["standin/game.js", "module/scripts/main.js"]) await page.addScriptTag({ url: script, type: "module" });
    await page.waitForFunction("window.boot && window.CONFIG.queries && Hooks");
    const snapshot = this.hub.connect(id, (call, argument) => page.evaluate(([name, sent]) => (window as any)[name](sent), [call, argument] as const));
    const { generation = 13, system = false, libWrapper = false } = this.setup;
    await page.evaluate((boot) => (window as any).boot(boot), { userId: id, world: snapshot, generation, system, libWrapper });
    this.pages.set(user, page);
    return page;
  }

  async leave(user: User): Promise<void> {
    const page = this.page(user);
    this.pages.delete(user);
    await this.hub.disconnect(users[user]);
    await page.close();
  }

  /** Ends the test: nobody saw an error, and no player a secret. */
  async close(): Promise<void> {
    this.checkSecrets();
    assert.deepEqual(this.problems, [], "no page has an error");
    for (const user of ["anna", "bob"] as const)
      if (this.pages.has(user) && !this.revealed) assert.deepEqual(await this.shown(user), [], `${user} saw a secret`);
  }

  async end(): Promise<void> {
    for (const context of this.#contexts.values()) await context.close();
  }

  page(user: User): Page {
    return this.pages.get(user)!;
  }

  /** No player's client was sent a game master's token. */
  checkSecrets(): void {
    for (const user of ["anna", "bob"] as const)
      for (const message of this.hub.sent.get(users[user]) ?? []) assert(!message.includes("tk_gm_"), `${user} was sent ${message}`);
    assert(!JSON.stringify(this.hub.world).includes("tk_"), "the world holds a token");
  }

  /** The secret names that a page has ever shown. */
  shown(user: User): Promise<string[]> {
    return this.page(user).evaluate(() => (window as any).shownSecrets);
  }

  /** This user's token for the encounter, from the storage of their browser. */
  async token(user: User): Promise<string | undefined> {
    const stored = await this.page(user).evaluate(() => localStorage.getItem("turnkeeper.tokens"));
    return Object.entries<string>(JSON.parse(stored ?? "{}")).find(([slot]) => slot === `${users[user]}:${this.encounter}`)?.[1];
  }

  get encounter(): string {
    return this.hub.find("Combat", combat)["flags"].turnkeeper?.link?.encounter;
  }

  /** What the server tells this user. */
  async read(user: User, path = ""): Promise<any> {
    const answer = await fetch(`${this.server.url}/v1/encounters/${this.encounter}${path}`, { headers: { authorization: `Bearer ${await this.token(user)}` } });
    assert(answer.ok, `${user} reads ${path || "the encounter"}: ${answer.status}`);
    return answer.json();
  }

  status(user: User): Promise<string> {
    return this.page(user).locator(".turnkeeper-status").innerText();
  }

  labels(user: User): Promise<string[]> {
    return this.page(user).locator(".turnkeeper > .turnkeeper-options .turnkeeper-option").allInnerTexts();
  }

  /** The label of this user's first button that sends a command of a type, for a combatant of a name. */
  async offers(user: User, type: string, name = ""): Promise<string | undefined> {
    const labels = await this.page(user).locator(`.turnkeeper > .turnkeeper-options [data-type="${type}"]`).allInnerTexts();
    return labels.find((label) => label.startsWith(name));
  }

  /** Waits until every page shows the newest version that its token sees. */
  async settled(): Promise<void> {
    await this.#each(async (user, page) => {
      await page.waitForFunction((id) => (window as any).game.combats.get(id).flags.turnkeeper?.link, combat, { polling: 50 });
      await until(`${user} has a token`, async () => (await this.token(user)) !== undefined);
      await until(`${user} is up to date`, async () => {
        const panel = page.locator("section.turnkeeper");
        const state = await panel.getAttribute("data-state");
        const version = await panel.getAttribute("data-version");
        if (state !== "live" || (await page.locator(".turnkeeper-status[aria-busy]").count()) > 0) return false;
        // Versions that tell a player nothing are not in the player's log.
        return (await this.read(user, `/events?after=${version}`)).items.length === 0;
      });
    });
  }

  /** Presses a button of the module, and fills its dialog as it comes, or with values by field. */
  async press(user: User, label: string | RegExp, values: Record<string, string> = {}): Promise<void> {
    const page = this.page(user);
    const ask = Object.keys(values).length > 0;
    const row = page.locator(".turnkeeper-options li").filter({ has: page.getByRole("button", { name: label, exact: true }) }).first();
    const more = row.locator(".turnkeeper-fill");
    await (ask && (await more.count()) > 0 ? more : row.locator(".turnkeeper-option")).click();
    await this.answer(user, values);
  }

  /** Confirms the dialog that is open, if one is. */
  async answer(user: User, values: Record<string, string> = {}): Promise<void> {
    const dialog = this.page(user).locator("dialog");
    if ((await dialog.count()) === 0) return;
    await dialog.locator("details").evaluateAll((all) => all.forEach((one) => one.setAttribute("open", "")));
    for (const [field, value] of Object.entries(values)) {
      const input = dialog.locator(`[name="${field}"]`);
      if ((await input.evaluate(({ tagName }) => tagName)) === "SELECT") await input.selectOption({ label: value });
      else await input.fill(value);
    }
    await this.#complete(dialog);
    await dialog.locator("button[data-action]").first().click();
  }

  /** Fills what a dialog still asks for: with its first value, its least number or a word. */
  async #complete(dialog: Locator): Promise<void> {
    for (const input of await dialog.locator(":is(input, select):required:enabled").all()) {
      const values = await input.locator("option").evaluateAll((all) => all.map((option) => (option as HTMLOptionElement).value));
      if ((await input.inputValue()) !== "") continue;
      if (values.length > 0) await input.selectOption(values.find((value) => value !== "")!);
      else await input.pressSequentially((await input.getAttribute("min")) ?? "word");
    }
  }

  /** Presses a button of Foundry's own. */
  async control(user: User, action: string): Promise<void> {
    await this.page(user).evaluate(([id, name]) => void (window as any).game.combats.get(id)[name](), [combat, action] as const);
    await this.page(user).waitForTimeout(50);
  }

  /** Changes a document as a user does in Foundry. */
  async change(user: User, path: string, changes: object): Promise<void> {
    await this.page(user).evaluate(([target, data]) => {
      const [type, id, row] = target.split(".") as [string, string, string?];
      const doc = (window as any).game[type].get(id);
      return (row === undefined ? doc : row === "actor" ? doc.actor : doc.combatants.get(row)).update(data).then(() => undefined);
    }, [path, changes] as const);
  }

  /** Links the combat and starts it. */
  async begin(): Promise<void> {
    await this.control("gm", "startCombat");
    await this.settled();
    const started = async () => (await this.read("gm")).status !== "setup";
    await until("the fight starts", async () => {
      await this.answer("gm");
      return started();
    });
    await this.settled();
  }

  /** Every page shows its token's view: rows in order, who acts, the options; and the Combat has round and turn. */
  async check(): Promise<void> {
    await this.settled();
    await this.#each(async (user, page) => {
      const view = await this.read(user);
      const shown = await page.locator("[data-combatant-id]").evaluateAll((rows) =>
        rows.map((row) => ({ id: (row as HTMLElement).dataset["combatantId"]!, acts: row.classList.contains("turnkeeper-current") })));
      const known: string[] = view.order.map((entry: any) => entry.combatant).filter(Boolean);
      const acting = shown.filter(({ acts }) => acts).map(({ id }) => id);
      assert.deepEqual(acting.sort(), [...view.current].sort(), `${user} sees who acts`);
      const firsts = known.filter((id) => !view.order.some((one: any, _: number, all: any[]) => one.combatant === id && all.filter((other) => other.combatant === id).length > 1));
      assert.deepEqual(shown.map(({ id }) => id).filter((id) => firsts.includes(id)), firsts, `${user} sees the order`);
      const { items } = await this.read(user, "/options");
      const legal: string[] = items.filter((item: any) => item.group !== "tools").map((item: any) => item.label);
      for (const label of await this.labels(user)) assert(legal.some((one) => label.startsWith(one)), `${user} may not: ${label}`);
      assert.equal((await this.labels(user)).length > 0, legal.length > 0, `${user} sees what is legal`);
    });
    if (!this.pages.has("gm") && !this.pages.has("assistant")) return;
    const { round, current, status } = await this.read(this.pages.has("gm") ? "gm" : "assistant");
    await until("Foundry's combat follows", async () => {
      const data = this.hub.find("Combat", combat);
      const turn = await [...this.pages.values()][0]!.evaluate((id) => (window as any).game.combats.get(id).combatant?.id ?? null, combat);
      return data["round"] === (status === "setup" ? 0 : Math.max(1, round)) && (current.length === 0 || current.includes(turn));
    });
  }

  async #each(look: (user: User, page: Page) => Promise<void>): Promise<void> {
    await Promise.all([...this.pages].map(([user, page]) => look(user, page)));
  }

  async screenshots(name: string): Promise<void> {
    await mkdir(`${root}screenshots`, { recursive: true });
    for (const [user, page] of this.pages) await page.screenshot({ path: `${root}screenshots/${name}-${user}.png` });
  }

  /** The events of the log of a type, as the game master reads it. */
  async events(type: string): Promise<any[]> {
    const log = await this.read(this.pages.has("gm") ? "gm" : "assistant", "/events?limit=1000");
    return log.items.flatMap((entry: any) => entry.events).filter((event: any) => event.type === type);
  }
}

/** Remembers every secret that the page shows, however briefly, or gets from the server. */
function watch(words: string[]): void {
  const shown = ((window as any).shownSecrets = [] as string[]);
  const look = (where: string, text: string) => {
    for (const word of words) if (text.includes(word) && !shown.includes(`${word} ${where}`)) shown.push(`${word} ${where}`);
  };
  new MutationObserver(() => look("on the page", document.body.outerHTML))
    .observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  const real = window.fetch;
  window.fetch = async (...request) => {
    const answer = await real(...request);
    void (async () => {
      const reader = answer.clone().body!.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) look("in an answer", part.value);
    })().catch(() => undefined);
    return answer;
  };
}

export async function until(what: string, test: () => Promise<boolean>, seconds = 30): Promise<void> {
  const end = Date.now() + seconds * 1000;
  while (!(await test())) {
    if (Date.now() > end) assert.fail(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
