// A real server on a data directory, which can be killed and started again on the same port.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export class Server {
  url = "";
  #process: ChildProcess | undefined;
  #address = "127.0.0.1:0";

  private constructor(private readonly directory: string, private readonly settings: Record<string, string>) {}

  static async start(settings: Record<string, string> = {}): Promise<Server> {
    const server = new Server(await mkdtemp(join(tmpdir(), "turnkeeper-foundry-")), settings);
    await server.run();
    return server;
  }

  async run(): Promise<void> {
    const program = process.env["TURNKEEPER"];
    if (!program) throw new Error("TURNKEEPER is the path of the server's program");
    const child = spawn(program, ["--listen", this.#address, "--data", join(this.directory, "store")], {
      env: { ...process.env, ...this.settings }, stdio: ["ignore", "pipe", "ignore"],
    });
    this.#process = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const address = / serves on http:\/\/(\S+)/.exec(line)?.[1];
      if (!address) continue;
      this.#address = address;
      this.url = `http://${address}`;
      child.stdout.resume();
      return;
    }
    throw new Error("the server does not start");
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}
