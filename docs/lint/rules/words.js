// The rule for textlint: holds the dictionary over each paragraph, without its code. The kind of a text is the name of its file before the
// first dot if a kind has that name, else `page`.
"use strict";

const { basename } = require("node:path");
const dictionary = require("../dictionary.js");

const KINDS = ["description", "error", "label", "event"];

function kindOf(path) {
  const name = basename(path).split(".")[0];
  return KINDS.includes(name) ? name : "page";
}

/** The text of a paragraph, with blanks for its code, so that places stay. */
function prose(node, source) {
  const begin = node.range[0];
  let text = source;
  const blank = (part) => {
    if (part.type === "Code" || part.type === "Html") {
      const [from, to] = part.range.map((place) => place - begin);
      text = text.slice(0, from) + "x".repeat(to - from) + text.slice(to);
    }
    for (const inner of part.children ?? []) blank(inner);
  };
  blank(node);
  return text.replaceAll("\n", " ");
}

module.exports = (context) => {
  const { Syntax, RuleError, report, getSource, getFilePath, locator } = context;
  const kind = kindOf(getFilePath() ?? "");
  const held = dictionary.filter((rule) => rule.in === undefined || rule.in.includes(kind));
  const check = (node) => {
    const text = prose(node, getSource(node));
    for (const { id, pattern, say } of held) {
      for (const found of text.matchAll(pattern)) {
        const padding = locator.at(found.index);
        report(node, new RuleError(`${id}: ${JSON.stringify(found[0])}. ${say}`, { padding }));
      }
    }
  };
  return { [Syntax.Paragraph]: check, [Syntax.Header]: check, [Syntax.TableCell]: check };
};
