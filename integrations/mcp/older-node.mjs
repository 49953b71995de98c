// Lets the suite of conformance start on Node.js before 22, whose `fs` has no `globSync`. The suite lists its own sources with it, which
// testing a server does not need.
import { register } from "node:module";
import * as fs from "node:fs";

if (!fs.globSync) register(new URL("older-node-hooks.mjs", import.meta.url));
