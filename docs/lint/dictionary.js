// The rules of how Turnkeeper writes, as patterns. `in` names the kinds of text that a rule holds for; without it, for all of them:
// `page` (documentation), `description` (documents and manifests), `error`, `label` and `event`. `bad` and `good` are examples that `check` tries.
"use strict";

/** Where a sentence begins: at the start of a paragraph, or after the end of another one. */
const START = String.raw`(?:^|(?<=[.!?:]["'”)\]]*\s))`;

module.exports = [
  {
    id: "R1", say: "Name the thing with a noun.", in: ["page", "description"],
    pattern: new RegExp(START + String.raw`(?:What|Who|Whose|Whom|Whether)\b(?=[^.!?]*(?:[.!]|$))(?![^.!]*\?)`, "g"),
    bad: ["What is left.", "It ends. Whose turn it is.", "Whether nobody can act"], good: ["Remaining hit points.", "Who acts next?", "Say what is left."],
  },
  {
    id: "R2", say: "\"where\" is a place. Write if, when or only if.",
    pattern: /\bwhere (?:it|they|nobody|somebody|anybody|everybody|there|an?|the|some|one|no|none|that|this|these|you|its|nothing|several)\b/gi,
    bad: ["where nobody acts", "Where there is one"], good: ["if no combatant acts", "see where to read on"],
  },
  {
    id: "R3", say: "Name them: no combatant, a player, all clients.", pattern: /\b(?:nobody|somebody|everybody|anybody)\b/gi,
    bad: ["Nobody is left"], good: ["No combatant can act"],
  },
  {
    id: "R5", say: "State the problem, then the remedy.", in: ["error"], pattern: /^(?:[\w.]+: )?there (?:is no|are)\b/gi,
    bad: ["there is no such pool: there are [a]", "foo: there is no such field"], good: ["Unknown pool \"x\". Pools: a, b."],
  },
  {
    id: "R7", say: "No parentheses in a label.", in: ["label"], pattern: /[()]/g, bad: ["Start the scene (first)"], good: ["Start: choose who goes first"],
  },
  {
    id: "R7", say: "No names of fields or codes.", in: ["label", "event"], pattern: /\b[a-z]+_[a-z_]+\b/g, bad: ["roll_unit begins"], good: ["The unit begins"],
  },
  {
    id: "R8", say: "\"is to be\": name the actor, or use must.", pattern: /\b(?:is|are|was|were) to be\b/gi, bad: ["The next is to be named"], good: ["Ann chooses next"],
  },
  { id: "R8", say: "\"for good\": permanently.", pattern: /\bfor good\b/gi, bad: ["gone for good"], good: ["gone permanently"] },
  { id: "R8", say: "\"no JSON\": not JSON, invalid JSON.", pattern: /\b(?:is|are|was) no (?:JSON|HTTP)\b/g, bad: ["the body is no JSON"], good: ["Invalid JSON", "has no JSON body"] },
  { id: "R8", say: "\"go on\": continue.", pattern: /\b(?:go|goes|going|went|gone) on\b(?! (?:the|a|an|its|your|one) (?:server|machine|line|page))/gi, bad: ["The fight goes on"], good: ["The fight continues"] },
  { id: "R8", say: "\"that is left\": remaining.", pattern: /\bthat (?:is|are|was|were) left\b/gi, bad: ["The hit points that are left"], good: ["Remaining hit points"] },
  { id: "R8", say: "\"an end\": an expiry.", pattern: /\b(?:without|has|have|gives?(?: \w+ \w+)?) an end\b/gi, bad: ["a token without an end", "gives a token an end"], good: ["a token that never expires", "at an end"] },
  { id: "R8", say: "\"beside\": next to, besides, or with.", pattern: /\bbeside\b/gi, bad: ["beside the order"], good: ["besides that", "next to the order"] },
  { id: "R8", say: "\"has it go\": sends or makes.", pattern: /\bha(?:s|ve) (?:it|them|him|her) (?:go|act|end)\b/gi, bad: ["the game master has it go"], good: ["the game master sends return"] },
  { id: "R8", say: "\"stands\": is.", pattern: /\b(?:stands? (?:there|here|in|at|once|for itself|under|below|above|before|behind)|as it stands|as they stand)\b/gi, bad: ["the rest stands there", "send it as it stands"], good: ["the rest is there", "FOE stands for it"] },
  { id: "R10", say: "Begin a page with a noun phrase or an imperative.", in: ["page"], pattern: new RegExp(START + String.raw`You (?:want|write|would like|need) to\b|^You (?:want|write)\b`, "g"), bad: ["You want to know how much it holds."], good: ["Capacity and cost."] },
];
