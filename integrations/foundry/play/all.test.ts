// All plays, one after another, on one server and in one browser.
import "./rulesets.test.js";
import "./scenes.test.js";
import "./breaks.test.js";
