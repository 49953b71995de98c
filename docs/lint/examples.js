// Tries each rule of the dictionary on its own examples.
"use strict";

const dictionary = require("./dictionary.js");

for (const { id, pattern, bad, good } of dictionary) {
  for (const text of bad) if (!text.match(pattern)) throw new Error(`${id} does not find ${JSON.stringify(text)}`);
  for (const text of good) if (text.match(pattern)) throw new Error(`${id} finds ${JSON.stringify(text)}`);
}
