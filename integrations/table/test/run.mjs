// All tests of the page, with one server and one browser.

import { after, before } from "node:test";
import { Server, Wire, chromium } from "./harness.mjs";
import { act } from "./act.mjs";
import { decide } from "./decide.mjs";
import { forms } from "./forms.mjs";
import { live } from "./live.mjs";
import { look } from "./look.mjs";
import { play } from "./play.mjs";
import { share } from "./share.mjs";
import { start } from "./start.mjs";

const server = await Server.start();
const wire = await Wire.before(server);
let browser;

before(async () => {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
});

after(async () => {
  await browser?.close();
  wire.close();
  await server.stop();
});

const tools = { browser: () => browser, server, wire };
look(tools);
act(tools);
share(tools);
live(tools);
decide(tools);
forms(tools);
play(tools);
start(tools);
