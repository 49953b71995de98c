// Forms from schemas, and commands from filled forms.
import assert from "node:assert/strict";
import { test } from "node:test";
import { filled, formsOf, modal } from "./forms.mjs";
import { readCombatants, wordsOf } from "./lines.mjs";

const name = (value, title) => ({ const: value, title });
const FEW = { oneOf: [name("ann", "Ann"), name("orc-1", "Orc 1"), name("orc-2", "Orc 2")] };
const MANY = { oneOf: Array.from({ length: 30 }, (_, place) => name(`c${place}`, `Wolf ${place}`)) };
const NUMBER = { type: "integer", minimum: 1, maximum: 20 };

const option = (...choices) => ({ label: "Act", complete: choices.every(([, required]) => !required), command: { type: "act" }, choices: choices.map(([field, required, schema, more]) => ({ field, title: field, required, schema, ...more })) });
/** Submits a form: a text for an input, a list for a menu. */
const submit = (one, form, ...values) => filled(one, form, values.map((value, place) => ({ component: { custom_id: String(place), ...(Array.isArray(value) ? { values: value } : { value }) } })));
const only = (one, defs) => {
  const forms = formsOf(one, defs);
  assert.equal(forms.length, 1);
  return forms[0];
};

test("menus, numbers and texts", () => {
  const one = option(["target", true, { $ref: "#/$defs/foes", not: { const: "ann" } }], ["amount", true, NUMBER], ["sure", false, { type: "boolean" }], ["why", false, { type: "string", maxLength: 50 }]);
  const form = only(one, { foes: FEW });
  const { data } = modal("x", form);
  assert.equal(data.title, "Act");
  assert.deepEqual(data.components[0].component.options, [{ label: "Orc 1", value: '"orc-1"' }, { label: "Orc 2", value: '"orc-2"' }]);
  assert.deepEqual(data.components.map(({ component }) => [component.required, component.placeholder]), [[true, undefined], [true, "1 to 20"], [false, ""], [false, undefined]]);
  assert.deepEqual(submit(one, form, ['"orc-2"'], " 7 ", "", ["false"]), { type: "act", target: "orc-2", amount: 7, sure: false });
  assert.throws(() => submit(one, form, ['"ann"'], "7"), /no longer possible/);
  assert.throws(() => submit(one, form, ['"orc-1"'], "7.5"), /^Error: amount: "7.5" is not a whole number\. Use 1 to 20\.$/);
  assert.throws(() => submit(one, form, [], "7"), /target is missing/);
  assert.deepEqual(one.command, { type: "act" }, "the option stays as it is");
});

test("more names than a menu takes are typed", () => {
  const one = option(["target", true, MANY], ["others", false, { type: "array", items: MANY }]);
  const form = only(one);
  assert.deepEqual(submit(one, form, "wolf 3", "Wolf 29, wolf 4"), { type: "act", target: "c3", others: ["c29", "c4"] });
  assert.throws(() => submit(one, form, "Wolf 2x", ""), /"Wolf 2x" fits 0 names\. Type one of: Wolf 0, .*Wolf 24, and others\.$/);
  assert.throws(() => submit(one, form, "wolf", ""), /fits 30 names/);
});

test("pairs, lists and items", () => {
  const rolls = { type: "object", propertyNames: FEW, additionalProperties: NUMBER };
  const attacked = { type: "array", items: { type: "object", properties: { combatant: FEW, loses: { ...NUMBER, title: "Loses" } }, required: ["combatant"] } };
  const one = option(["rolls", false, rolls], ["dice", false, { type: "array", items: NUMBER }], ["surprised", false, { type: "array", items: FEW }], ["attacked", false, attacked]);
  const form = only(one);
  assert.deepEqual(submit(one, form, "Ann 12; Orc 1: 3", "1, 2 3", ['"ann"', '"orc-1"'], "Orc 1, Orc 2 4"), {
    type: "act", rolls: { ann: 12, "orc-1": 3 }, dice: [1, 2, 3], surprised: ["ann", "orc-1"], attacked: [{ combatant: "orc-1" }, { combatant: "orc-2", loses: 4 }],
  });
  assert.throws(() => submit(one, form, "Ann"), /"Ann" is not a name with its number\. A name and a number from 1 to 20, such as Ann 1\./);
});

test("objects, one of several shapes, and more fields than a form takes", () => {
  const at = (word) => ({ oneOf: [name(word, word)] });
  const effect = {
    type: "object", required: ["name", "expires"],
    properties: {
      name: { type: "string", title: "Name" },
      expires: { title: "Expires", anyOf: [
        { type: "object", title: "For a number of rounds", required: ["at", "rounds"], properties: { at: at("round_end"), rounds: { ...NUMBER, title: "Rounds" } } },
        { type: "object", title: "Until you end it", required: ["at"], properties: { at: at("removed") } },
      ] },
      ...Object.fromEntries(["a", "b", "c", "d"].map((field) => [field, { type: "boolean", title: field }])),
    },
  };
  const one = option(["effect", true, effect]);
  const forms = formsOf(one);
  assert.deepEqual(forms.map(({ name }) => name), ["Act for a number of rounds…", "Act for a number of rounds, with d…", "Act until you end it…"]);
  assert.deepEqual(forms.map(({ about }) => about), ["Name, Rounds, a, b, c", "Name, Rounds, d", "Name, a, b, c, d"]);
  assert.deepEqual(submit(one, forms[1], "Bless", "3", ["true"]), { type: "act", effect: { name: "Bless", expires: { at: "round_end", rounds: 3 }, d: true } });
  assert.deepEqual(submit(one, forms[2], "Bless"), { type: "act", effect: { name: "Bless", expires: { at: "removed" } } });
  const optional = option(["changes", true, { type: "object", properties: { hidden: { type: "boolean" } }, required: [] }]);
  assert.deepEqual(submit(optional, only(optional), []), { type: "act", changes: {} });
});

test("a yes or no comes after the other fields that may stay out", () => {
  const whose = ["effect", true, { type: "object", required: ["name"], properties: { hidden: { type: "boolean" }, name: { type: "string" }, of: FEW, source: FEW, target: FEW, turns: NUMBER } }];
  assert.deepEqual(formsOf(option(whose)).map(({ about }) => about), ["name, of, source, target, turns", "name, hidden"]);
});

test("the forms of an option have names of their own, also beside its button", () => {
  const five = ["HP", "Side", "Hidden", "Dice", "Whose turn", "Last"].map((field) => [field, false, NUMBER]);
  assert.deepEqual(formsOf(option(...five)).map(({ name }) => name), ["Act, with HP, side, hidden, dice and whose turn…", "Act, with last…"]);
  const long = { ...option(...five), label: `${"x".repeat(90)}: act` };
  const names = formsOf(long).map(({ name }) => name);
  assert.ok(names.every((name) => name.length <= 100 && name.endsWith("…")), JSON.stringify(names));
  assert.equal(new Set(names).size, 2);
});

test("what Discord has no input for is left out, and an option that needs it is not offered", () => {
  const odd = { type: "array", items: { type: "array", items: NUMBER } };
  assert.deepEqual(formsOf(option(["odd", true, odd])), []);
  const six = ["a", "b", "c", "d", "e", "f"].map((field) => [field, true, NUMBER]);
  assert.deepEqual(formsOf(option(...six)), []);
  assert.deepEqual(formsOf(option()), []);
  const one = option(["odd", false, odd], ["last", false, NUMBER, { advanced: true }], ["first", false, NUMBER]);
  assert.equal(only(one).about, "first, last");
});

test("lines of combatants", () => {
  const manifest = { combatant: { properties: { name: { type: "string" }, dex_modifier: { type: "integer" }, legendary: { type: "boolean" } } } };
  const words = wordsOf(manifest, { numbers: { Speed: 0 } });
  const read = (text) => readCombatants(text, "monsters", words);
  assert.deepEqual(read("Lord Vex hp 30/40 dex -2 speed 3 legendary"), [{ side: "monsters", name: "Lord Vex", hp: { current: 30, max: 40 }, dex_modifier: -2, numbers: { Speed: 3 }, legendary: true }]);
  assert.deepEqual(read("Guard 2 hp 5; 2 Wolf,\n3 ").map((one) => one.name), ["Guard 2", "Wolf 1", "Wolf 2", "3"]);
  assert.deepEqual(read(" , "), []);
  assert.throws(() => read("Ann hp 3 luck 2"), /"luck" in "Ann hp 3 luck 2" is not a word of this game with its number\. Words: hp, dex_modifier, legendary, speed\./);
  assert.throws(() => read("0 Wolf"), /"0 Wolf" is 0 of a kind\. Use 1 to 50\./);
});
