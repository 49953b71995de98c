// A real server that can be killed and started again, and a proxy before it that can cut connections.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export class Server {
  private process?: ChildProcess;
  port = 0;

  private constructor(private readonly directory: string, private readonly settings: Record<string, string>) {}

  static async start(settings: Record<string, string> = {}): Promise<Server> {
    const server = new Server(await mkdtemp(join(tmpdir(), "turnkeeper-")), settings);
    await server.run();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async run(): Promise<void> {
    const program = process.env["TURNKEEPER"];
    if (!program) throw new Error("TURNKEEPER is the path of the server's program");
    const args = ["--listen", `127.0.0.1:${this.port}`, "--data", join(this.directory, "store")];
    const child = spawn(program, args, { env: { ...process.env, ...this.settings }, stdio: ["ignore", "pipe", "ignore"] });
    this.process = child;
    for await (const line of createInterface(child.stdout)) {
      const port = / serves on .*:(\d+)/.exec(line)?.[1];
      if (!port) continue;
      this.port = Number(port);
      child.stdout.resume();
      return;
    }
    throw new Error("the server does not start");
  }

  async kill(): Promise<void> {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exit;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.run();
  }

  /** Keeps a copy of the store as it is now. */
  async save(): Promise<void> {
    await this.kill();
    // The socket for backups is no file, and the next start makes it again.
    const filter = (path: string) => !path.endsWith(".sock");
    await cp(join(this.directory, "store"), join(this.directory, "saved"), { recursive: true, filter });
    await this.run();
  }

  /** Goes back to the copy. */
  async restore(): Promise<void> {
    await this.kill();
    await rm(join(this.directory, "store"), { recursive: true });
    await cp(join(this.directory, "saved"), join(this.directory, "store"), { recursive: true });
    await this.run();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Passes connections on to a server. `answered` is called with each part of an answer, and says whether it is cut off instead. */
export class Proxy {
  private readonly open = new Set<Socket>();
  private readonly listener = createServer((client) => {
    const upstream = connect(this.server.port, "127.0.0.1");
    this.open.add(client);
    const end = () => {
      this.open.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    client.on("data", (data) => upstream.write(data));
    upstream.on("data", (data) => {
      if (!this.answered(data)) return client.write(data);
      this.cuts++;
      return client.write(data.subarray(0, Math.floor(this.part() * data.length)), end);
    });
  });
  answered: (data: Buffer) => boolean = () => false;
  /** Which part of an answer arrives before it is cut, from 0 up to 1. */
  part: () => number = Math.random;
  cuts = 0;

  private constructor(private readonly server: Server) {}

  static async before(server: Server): Promise<Proxy> {
    const proxy = new Proxy(server);
    await once(proxy.listener.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  /** Cuts connections: all, or each with a chance. */
  cut(chance = 1): void {
    for (const client of this.open) {
      if (Math.random() >= chance) continue;
      this.cuts++;
      client.resetAndDestroy();
    }
  }

  async stop(): Promise<void> {
    for (const client of this.open) client.destroy();
    this.listener.close();
    await once(this.listener, "close");
  }
}
