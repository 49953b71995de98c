// Passes on what a tab asks the server, and keeps it: the requests, and every byte of the answers.
import { once } from "node:events";
import { createServer, request } from "node:http";

export class Recorder {
  requests = [];
  answers = [];

  constructor(server) {
    this.listener = createServer((incoming, outgoing) => {
      if (incoming.method !== "OPTIONS") this.requests.push(`${incoming.method} ${incoming.url.replace(/encounters\/[^/]*/, "encounters/ID")}`);
      // Compressed answers could not be searched.
      const { "accept-encoding": _, ...headers } = incoming.headers;
      const passed = request(server.url + incoming.url, { method: incoming.method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers);
        outgoing.flushHeaders();
        answer.on("data", (part) => this.answers.push(part)).pipe(outgoing);
      });
      outgoing.on("close", () => passed.destroy());
      passed.on("error", () => outgoing.destroy());
      incoming.pipe(passed);
    });
  }

  async listen() {
    await once(this.listener.listen(0, "127.0.0.1"), "listening");
    this.url = `http://127.0.0.1:${this.listener.address().port}`;
    return this;
  }

  get text() {
    return Buffer.concat(this.answers).toString();
  }

  stop() {
    this.listener.close();
    this.listener.closeAllConnections();
  }
}
