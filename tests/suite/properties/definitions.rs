//! Random definitions of `custom`: sound ones to play under, and broken ones, each of which is
//! refused with a path.

use super::chance::Chance;
use super::judge::{Action, Judge};
use crate::support::table::{RULESETS, Table, meta};
use crate::support::{setting, sized};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use turnkeeper::engine::Refusal;
use turnkeeper::json::read;
use turnkeeper::rulesets::custom::Preset;

/// The numbers of every random definition, which are those of the default options.
pub const NUMBERS: [&str; 4] = ["dex", "advantage", "count", "legendary"];

/// A number that no combatant brings: what needs it fits nobody.
const NEVER: &str = "never";

/// How many broken definitions are sent where nothing else is said.
const BROKEN: u64 = 300;

/// The numbers that a combatant brings.
pub fn numbers(chance: &mut Chance) -> Value {
    let mut numbers = Map::new();
    for name in NUMBERS {
        let often = if name == "count" { 10 } else { 40 };
        if chance.percent(often) {
            numbers.insert(name.to_owned(), chance.number(-1, 3).into());
        }
    }
    Value::Object(numbers)
}

/// A preset with other names for its numbers.
fn preset(chance: &mut Chance) -> Value {
    let json = chance.pick(&Preset::ALL).expect("a preset").definition();
    let renamed = [
        ("check", "dex"),
        ("speed", "dex"),
        ("turns", "advantage"),
        ("villain", "legendary"),
    ];
    let mut text = json.replace("\"turns\": \"turns\"", "\"turns\": \"advantage\"");
    for (from, to) in renamed {
        text = text.replace(&format!("[\"{from}\"]"), &format!("[\"{to}\"]"));
        for line in ["max", "has"] {
            text = text.replace(
                &format!("\"{line}\": \"{from}\""),
                &format!("\"{line}\": \"{to}\""),
            );
        }
    }
    let mut definition: Value = serde_json::from_str(&text).expect("JSON");
    definition["numbers"] = json!({"dex": 0, "advantage": chance.below(2), "count": 0, "legendary": chance.below(2), "seat": 0, NEVER: 0});
    definition
}

/// Options with a definition that is sound, as far as `accepted` says.
pub fn options(chance: &mut Chance) -> Value {
    loop {
        let definition = mutated(chance);
        if accepted(&definition) {
            return json!({"definition": definition});
        }
    }
}

/// The same without cards: the cards of hidden combatants are gone from the deck, which others may
/// notice.
pub fn without_cards(chance: &mut Chance) -> Value {
    loop {
        let options = options(chance);
        if options["definition"]["score"]["deck"].is_null() {
            return options;
        }
    }
}

/// A preset with some lines changed at random: it may be broken.
fn mutated(chance: &mut Chance) -> Value {
    let mut definition = preset(chance);
    for _ in 0..chance.below(6) {
        let (line, value) = line(chance);
        definition[line] = value;
    }
    if definition["score"].is_object() {
        change_score(chance, &mut definition);
    }
    if definition["turns"] == "by_tick" {
        definition["order"] = json!(["score"]);
    } else if chance.percent(40) {
        definition["order"] = order(chance);
    }
    if chance.percent(50) {
        let [reactions, pools] = reactions(chance);
        definition["reactions"] = reactions;
        definition["pools"] = pools;
    }
    if chance.percent(8) && definition["pools"]["own"].is_object() {
        definition["turn_cost"] = json!({"pool": "own", "cost": [1, 2]});
    }
    definition
        .as_object_mut()
        .expect("an object")
        .retain(|_, line| !line.is_null());
    definition
}

/// Keys of an order.
fn order(chance: &mut Chance) -> Value {
    let mut keys = Vec::new();
    let often = [
        ("lap", 25),
        ("seat", 15),
        ("again", 12),
        ("again_across_rounds", 6),
        ("-choice", 12),
        ("side", 15),
        ("foe", 10),
    ];
    for (key, often) in often {
        if chance.percent(often) {
            keys.push(json!(key));
        }
    }
    let mut one = |words: &[&'static str]| chance.pick(words).copied().unwrap_or_default();
    let mut rest = vec![one(&["-score", "-score", "score", "-dex", ""])];
    for words in [
        ["late", "", ""],
        ["dex", "-dex", ""],
        ["foe", "-foe", ""],
        ["-die", "die", ""],
        ["again", "choice", ""],
        ["-outnumbered", "segment", ""],
    ] {
        rest.push(one(&words));
    }
    for key in rest.into_iter().filter(|key| !key.is_empty()) {
        let timed = [
            json!({"key": key, "round": 1}),
            json!({"key": key, "from_round": 2}),
            json!({"key": key, "lap": 1}),
        ];
        let at_times = chance.percent(15) && !keys.is_empty();
        let timed = chance.pick(&timed).cloned().filter(|_| at_times);
        keys.push(timed.unwrap_or(json!(key)));
    }
    json!(keys)
}

/// Gives a definition some of what changes an initiative, and turns that cost it.
fn change_score(chance: &mut Chance, definition: &mut Value) {
    let further = [("more_dice", json!("dex"))]
        .into_iter()
        .chain([("swap", json!({"with": "side"}))])
        .chain([("swap", json!({"when": "own_turn"}))])
        .chain([("swap", json!({"when": "round_start", "with": "side"}))])
        .chain([("swap", json!({"agrees": true, "who": {"side": "players"}}))]);
    for (line, value) in further {
        if chance.percent(12) {
            definition["score"][line] = value;
        }
    }
    let changes = [
        ("further_turn", json!(0)),
        ("wounds", json!({"each": 3, "by": -1})),
        ("wounds", json!({"by": 2})),
        ("conditions", json!({"marked": -4, "unconscious": 3})),
    ];
    for (line, value) in changes {
        if chance.percent(12) {
            definition["changes"][line] = value;
        }
    }
    let costs = [
        ("while_score", json!({"cost": [2, 5]})),
        ("while_score", json!({"cost": [1, 5], "usual": 3})),
        ("by_tick", json!({"cost": [1, 5], "ticks": 3})),
    ];
    for (turns, cost) in costs {
        if chance.percent(12) {
            definition["turns"] = json!(turns);
            definition["turn_cost"] = cost;
        }
    }
}

/// One line of a definition.
fn line(chance: &mut Chance) -> (&'static str, Value) {
    let mut one = |values: &[Value]| chance.pick(values).cloned().unwrap_or_default();
    let reroll = one(&[json!(false), json!(true)]);
    let per = one(&[
        json!("combatant"),
        json!("group"),
        json!("side"),
        json!("side"),
    ]);
    let score = one(&[
        Value::Null,
        json!({"dice": "1d6"}),
        json!({"dice": "2d6", "add": ["dex"], "reroll": reroll}),
        json!({"dice": "2d6", "fixed": "count"}),
        json!({"dice": "1d20", "add": ["dex", 1], "advantage": "advantage", "per": per, "reroll": reroll}),
        json!({"dice": "1d8", "choices": {"a": {"dice": "1d4"}, "b": {"add": ["dex"]}}, "reroll": true}),
        json!({"dice": "1d4", "fixed": "count", "per": per, "reroll": reroll, "foes": {"add": ["dex"]}}),
        json!({"deck": {"reshuffle": "joker"}, "per": per, "reroll": true}),
        json!({"deck": {"size": 10, "keep": "choose", "redraw": 2}, "advantage": "advantage", "reroll": reroll}),
        json!({"deck": {"size": 6, "redraw": "dex", "reshuffle": "round"}, "advantage": "advantage", "reroll": true}),
    ]);
    let [together, who] = [together(chance), who(chance)];
    let mut one = |values: &[Value]| chance.pick(values).cloned().unwrap_or_default();
    let lines = [
        (
            "turns",
            one(&[json!(0), json!(1), json!(2), json!(3), json!("advantage")]),
        ),
        ("score", score),
        ("who", who),
        ("together", together),
        (
            "chooser",
            one(&[json!("candidates"), json!("last"), json!("side")]),
        ),
        (
            "declare",
            one(&[
                Value::Null,
                json!({"choices": ["a", "b"]}),
                json!({"choices": ["a", "b"], "who": {"side": "players"}}),
                json!({"choices": ["a", "b"], "passing": true}),
            ]),
        ),
        (
            "surprise",
            one(&[
                json!("none"),
                json!("skips"),
                json!("disadvantage"),
                json!("yields"),
            ]),
        ),
        (
            "unconscious",
            one(&[json!("stays"), json!("moves"), json!("skips")]),
        ),
        (
            "join",
            one(&[json!("place"), json!("next_round"), json!("last")]),
        ),
    ];
    lines[chance.below(lines.len())].clone()
}

/// Some reactions, and a pool of each kind that may pay for them.
fn reactions(chance: &mut Chance) -> [Value; 2] {
    let mut reactions = Map::new();
    for name in ["r1", "r2", "r3"] {
        if chance.percent(60) {
            reactions.insert(name.to_owned(), reaction(chance));
        }
    }
    if chance.percent(40) {
        reactions.insert("hold".to_owned(), delay(chance));
    }
    if chance.percent(50) {
        let aim =
            json!({"prepare": "ready", "when": "any", "cost": {"pool": "table", "points": [0, 2]}});
        reactions.insert("aim".to_owned(), aim);
    }
    let mut one = |values: &[Value]| chance.pick(values).cloned().unwrap_or_default();
    let gain = one(&[
        json!({"own_turn": "max"}),
        json!({"round": "max"}),
        json!({"round": 1, "own_turn": "legendary"}),
        json!({}),
    ]);
    let pools = json!({
        "own": {"max": one(&[json!(1), json!(2), json!("legendary")]), "gain": gain},
        "side": {"of": "side", "max": one(&[json!(1), json!("outnumbered")]), "gain": one(&[json!({"round": "max"}), json!({"round": 2}), json!({})])},
        "table": {"of": "table", "max": 3},
    });
    [Value::Object(reactions), pools]
}

fn reaction(chance: &mut Chance) -> Value {
    let who = who(chance);
    let mut one = |values: &[Value]| chance.pick(values).cloned().unwrap_or_default();
    let mut reaction = json!({
        "who": who,
        "when": one(&[json!("gap"), json!("turn"), json!("any"), json!("round_start")]),
        "prepare": one(&[json!("none"), json!("ready")]),
        "silent": one(&[json!(false), json!(false), json!(true)]),
        "gives": one(&[json!("action"), json!("turn"), json!("own_turn"), json!("skip")]),
        "cost": {
            "turn": one(&[json!(false), json!(false), json!(true)]),
            "initiative": one(&[json!(0), json!(0), json!(0), json!(3)]),
        },
    });
    let pool = one(&[
        Value::Null,
        json!("own"),
        json!("side"),
        json!("table"),
        json!("table"),
    ]);
    if !pool.is_null() {
        reaction["cost"]["pool"] = pool;
        reaction["cost"]["points"] = one(&[json!([1, 1]), json!([0, 1]), json!([1, 2])]);
    }
    if reaction["gives"] == "own_turn" {
        reaction["cost"]["turn"] = json!(false);
    }
    if reaction["gives"] == "skip" {
        reaction["when"] = json!("gap");
        reaction["prepare"] = json!("none");
        reaction["silent"] = json!(false);
    }
    reaction
}

fn delay(chance: &mut Chance) -> Value {
    let mut one = |values: &[Value]| chance.pick(values).cloned().unwrap_or_default();
    json!({
        "prepare": "delay",
        "who": one(&[json!({}), json!({}), json!({"side": "players"})]),
        "lasts": one(&[json!("place"), json!("round"), json!("used")]),
        "moves": one(&[json!(false), json!(true)]),
        "when": one(&[json!("gap"), json!("turn"), json!("any")]),
    })
}

fn together(chance: &mut Chance) -> Value {
    let values = [
        Value::Null,
        Value::Null,
        json!({}),
        json!({"steps": [{"name": "x"}, {"name": "y", "who": {"side": "foes"}}]}),
        json!({"steps": [{"name": "x", "who": {"side": "foes"}}]}),
        json!({"steps": [{"name": "x", "who": {"has": NEVER}}, {"name": "y", "who": {"has": "dex"}}]}),
        json!({"steps": [{"name": "x", "who": {"has": NEVER}}]}),
    ];
    chance.pick(&values).cloned().unwrap_or_default()
}

fn who(chance: &mut Chance) -> Value {
    let values = [
        json!({}),
        json!({}),
        json!({"side": "players"}),
        json!({"side": "foes"}),
        json!({"has": "dex"}),
        json!({"has": NEVER}),
        json!({"declared": ["a"]}),
    ];
    chance.pick(&values).cloned().unwrap_or_default()
}

/// Why an encounter under this definition is refused, with the paths; nothing where it is accepted.
fn refusal(definition: &Value) -> Option<Vec<(String, String)>> {
    let creation = json!({"ruleset": "custom", "options": {"definition": definition}});
    match RULESETS.create(meta(Vec::new()), read(&creation).expect("a creation")) {
        Ok(_) => None,
        Err(Refusal::Fields(errors)) => Some(
            errors
                .into_iter()
                .map(|error| (error.path, error.message))
                .collect(),
        ),
        Err(other) => panic!("{definition}: {other:?}"),
    }
}

fn accepted(definition: &Value) -> bool {
    refusal(definition).is_none()
}

/// The pointers to every value within a definition.
pub fn pointers(value: &Value, to: &str, all: &mut Vec<String>) {
    let escaped = |name: &str| name.replace('~', "~0").replace('/', "~1");
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (escaped(name), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, value)| (i.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (name, value) in inner {
        let to = format!("{to}/{name}");
        all.push(to.clone());
        pointers(value, &to, all);
    }
}

/// Lines that are wrong over any definition, and the path of the mistake.
fn wrong_lines() -> Vec<(Value, &'static str)> {
    vec![
        (json!({"turns": "luck"}), "turns"),
        (
            json!({"score": null, "order": ["side"], "chooser": "side"}),
            "chooser",
        ),
        (json!({"chooser": "last", "together": {}}), "chooser"),
        (
            json!({"together": {"steps": [{}, {}, {}, {}, {}, {}, {}, {}, {}]}}),
            "together.steps",
        ),
        (json!({"who": {"declared": ["run"]}}), "who.declared.0"),
        (json!({"who": {"has": "luck"}}), "who.has"),
        (json!({"declare": null, "order": ["choice"]}), "order.0"),
        (
            json!({"declare": {"choices": ["a", "b"], "passing": true}, "order": []}),
            "declare.passing",
        ),
        (
            json!({"order": [{"key": "-score", "lap": 11}]}),
            "order.0.lap",
        ),
        (
            json!({"order": ["-dex", {"key": "seat"}], "numbers": {"seat": 0}}),
            "order.1",
        ),
        (
            json!({"order": [{"key": "seat", "round": 1}], "numbers": {"seat": 0}}),
            "order.0",
        ),
        (
            json!({"score": {"per": "side"}, "order": ["-score", "-dex", "-die"]}),
            "order.2",
        ),
        (
            json!({"score": {"per": "side"}, "order": ["-score", "late"]}),
            "order.1",
        ),
        (
            json!({"reactions": {"d": {"prepare": "delay"}}, "order": ["side"], "score": null}),
            "reactions.d.prepare",
        ),
        (
            json!({"reactions": {"d": {"prepare": "delay"}, "e": {"prepare": "delay"}}}),
            "reactions",
        ),
        (
            json!({"reactions": {"d": {"prepare": "delay", "moves": true}}, "score": {"reroll": true}}),
            "reactions.d.moves",
        ),
        (
            json!({"reactions": {"d": {"moves": true, "prepare": "none"}}}),
            "reactions.d.moves",
        ),
        (
            json!({"reactions": {"d": {"silent": true, "when": "round_start", "prepare": "none"}}}),
            "reactions.d.silent",
        ),
        (
            json!({"turns": "unlimited", "order": ["side"], "score": null, "turn_cost": null}),
            "turns",
        ),
        (
            json!({"turns": "by_tick", "turn_cost": {"pool": null}, "score": {}, "order": ["-score"]}),
            "order",
        ),
        (
            json!({"turn_cost": {"pool": "p", "cost": [2, 3]}, "pools": {"p": {"max": 1}}}),
            "turn_cost.cost",
        ),
        (
            json!({"reactions": {"d": {"lasts": "round"}}}),
            "reactions.d.lasts",
        ),
        (
            json!({"reactions": {"d": {"prepare": "delay", "gives": "turn"}}}),
            "reactions.d.gives",
        ),
        (
            json!({"reactions": {"d": {"prepare": "delay", "cost": {"turn": true}}}}),
            "reactions.d.cost",
        ),
        (
            json!({"reactions": {"r": {"gives": "own_turn", "cost": {"turn": true}}}}),
            "reactions.r.cost.turn",
        ),
        (
            json!({"reactions": {"r": {"cost": {"points": [2, 3], "pool": null}}}}),
            "reactions.r.cost.points",
        ),
        (
            json!({"reactions": {"r": {"cost": {"pool": "gold"}}}}),
            "reactions.r.cost.pool",
        ),
        (
            json!({"reactions": {"r": {"cost": {"pool": "p", "points": [3, 3]}}}, "pools": {"p": {"max": 2}}}),
            "reactions.r.cost.points",
        ),
        (
            json!({"reactions": {"r": {"gives": "skip"}}, "order": ["again"], "together": {}}),
            "reactions.r.gives",
        ),
        (
            json!({"reactions": {"r": {"cost": {"initiative": 1}}}, "score": null, "order": null}),
            "reactions.r.cost.initiative",
        ),
        (
            json!({"reactions": {"r": {"cost": {"initiative": 1}}}, "score": {}, "order": ["seat", "-score"], "numbers": {"seat": 0}}),
            "reactions.r.cost.initiative",
        ),
        (
            json!({"reactions": {"r": {"gives": "skip", "prepare": "ready"}}}),
            "reactions.r.prepare",
        ),
        (
            json!({"reactions": {"r": {"gives": "skip", "silent": true, "prepare": null, "when": null}}}),
            "reactions.r.silent",
        ),
        (
            json!({"reactions": {"r": {"prepare": "delay", "silent": true}}}),
            "reactions.r.silent",
        ),
        (
            json!({"turns": 0, "reactions": {"r": {"gives": "own_turn"}}}),
            "reactions.r.gives",
        ),
        (
            json!({"surprise": "disadvantage", "score": null}),
            "surprise",
        ),
        (json!({"surprise": "yields", "score": null}), "surprise"),
        (
            json!({"unconscious": "moves", "order": ["side"], "score": null}),
            "unconscious",
        ),
        (json!({"score": {"deck": {}, "add": [1]}}), "score.add"),
        (
            json!({"score": {"deck": {"size": 10, "reshuffle": "joker"}}}),
            "score.deck.reshuffle",
        ),
        (
            json!({"score": {"deck": {"redraw": "luck"}}}),
            "score.deck.redraw",
        ),
        (
            json!({"score": {"deck": {"keep": "choose"}}, "order": ["seat", "-score"]}),
            "score.deck.keep",
        ),
        (
            json!({"score": {"deck": {}}, "turns": "while_score", "turn_cost": {}}),
            "score.deck",
        ),
        (
            json!({"score": {"more_dice": "luck", "dice": "1d6"}}),
            "score.more_dice",
        ),
        (
            json!({"score": {"more_dice": "dex", "dice": null}, "numbers": {"dex": 0}}),
            "score.more_dice",
        ),
        (json!({"score": {"add": ["luck"]}}), "score.add.0"),
        (json!({"order": ["-luck"]}), "order.0"),
        (json!({"order": ["foe", "-score", "-foe"]}), "order.2"),
        (
            json!({"changes": {"wounds": {}}, "order": ["seat", "-score"], "numbers": {"seat": 0}}),
            "changes.wounds",
        ),
        (
            json!({"score": {"per": "side", "fixed": "dex"}}),
            "score.fixed",
        ),
        (json!({"score": {"dice": "20"}}), "score.dice"),
        (json!({"score": {"dice": "10d6"}}), "score.dice"),
        (json!({"declare": {"choices": ["run"]}}), "declare.choices"),
        (
            json!({"declare": {"choices": ["run", "run"]}}),
            "declare.choices.1",
        ),
        (
            json!({"pools": {"p": {"of": "table", "gain": {"own_turn": "max"}}}}),
            "pools.p.gain.own_turn",
        ),
        (
            json!({"pools": {"p": {"of": "table", "max": "dex", "gain": {}}}}),
            "pools.p.max",
        ),
        (
            json!({"reactions": {"r": {"cost": {"points": [2, 1]}}}}),
            "reactions.r.cost.points",
        ),
        (
            json!({"reactions": {"r": {"cost": {"points": [1]}}}}),
            "reactions.r.cost.points",
        ),
        (
            json!({"pools": {"p": {"max": "outnumbered"}}}),
            "pools.p.max",
        ),
        (
            json!({"pools": {"p": {"of": "side", "max": "dex"}}}),
            "pools.p.max",
        ),
        (
            json!({"numbers": {"outnumbered": 0}}),
            "numbers.outnumbered",
        ),
        (
            json!({"reactions": {"a": {}, "b": {}, "c": {}, "d": {}, "e": {}, "f": {}, "g": {}}}),
            "reactions",
        ),
        (
            json!({"pools": {"a": {}, "b": {}, "c": {}, "d": {}, "e": {}}}),
            "pools",
        ),
        (
            json!({"turns": "while_score", "turn_cost": {}, "together": {}, "chooser": null}),
            "turns",
        ),
        (
            json!({"turns": "by_tick", "turn_cost": {}, "order": ["score"], "who": {"side": "players"}}),
            "who",
        ),
        (
            json!({"turn_cost": {"pool": null}, "turns": 2}),
            "turn_cost",
        ),
        (json!({"turn_cost": {"pool": "gold"}}), "turn_cost.pool"),
        (json!({"turns": "while_score", "turn_cost": null}), "turns"),
        (
            json!({"turns": "while_score", "turn_cost": {}, "score": {}, "order": ["score"]}),
            "turns",
        ),
        (
            json!({"turns": "while_score", "turn_cost": {}, "reactions": {"d": {"prepare": "delay"}}}),
            "reactions.d.prepare",
        ),
        (
            json!({"score": {"per": "side"}, "changes": {"wounds": {}}}),
            "changes.wounds",
        ),
        (
            json!({"score": {"per": "side"}, "changes": {"conditions": {"slow": -1}}}),
            "changes.conditions",
        ),
        (json!({"score": {"per": "side", "swap": {}}}), "score.swap"),
        (
            json!({"score": {"swap": {"who": {"has": "luck"}}}}),
            "score.swap.who.has",
        ),
        (
            json!({"changes": {"conditions": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1}}}),
            "changes.conditions",
        ),
        (
            json!({"score": {"reroll": true}, "turns": "by_tick", "turn_cost": {}, "order": ["score"]}),
            "score.reroll",
        ),
        (
            json!({"turns": null, "turn_cost": {"ticks": 3}, "order": ["-score"]}),
            "turn_cost.ticks",
        ),
        (json!({"turn_cost": {"cost": [3, 2]}}), "turn_cost.cost"),
        (
            json!({"turn_cost": {"cost": [2, 5], "usual": 1}}),
            "turn_cost.usual",
        ),
        (json!({"numbers": {"die": 0}}), "numbers.die"),
        (json!({"order": ["-lap", "score"], "turns": 2}), "order.0"),
        (json!({"order": ["foe score"]}), "order.0"),
        (
            json!({"score": {"dice": "1d20"}, "order": ["foe"]}),
            "order",
        ),
        (json!({"order": ["-Score", "score"]}), "order.1"),
        (
            json!({"changes": {"wounds": {}}, "order": ["-dex"]}),
            "changes.wounds",
        ),
        (json!({"score": null, "order": ["-score", "-dex"]}), "order"),
        (json!({"numbers": {"max": 0}}), "numbers.max"),
        (json!({"numbers": {"segment": 0}}), "numbers.segment"),
        (
            json!({"order": [{"key": "-dex", "lap": 1}, "lap"]}),
            "order.0.lap",
        ),
        (
            json!({"order": ["lap", {"key": "-dex", "round": 1, "from_round": 2}]}),
            "order.1.from_round",
        ),
        (
            json!({"order": ["again", "again_across_rounds"], "score": null}),
            "order.1",
        ),
        (json!({"order": ["-side"]}), "order.0"),
        (
            json!({"score": {"per": "side"}, "order": ["-score", "side"]}),
            "order.1",
        ),
        (
            json!({"score": {"per": "side"}, "order": ["-score", "-dex"], "reactions": {"r": {"cost": {"initiative": 5}}}}),
            "reactions.r.cost.initiative",
        ),
        (
            json!({"order": ["again", "-dex"], "reactions": {"d": {"prepare": "delay", "moves": true}}}),
            "reactions.d.moves",
        ),
        (
            json!({"order": ["side", "-dex"], "unconscious": "moves"}),
            "unconscious",
        ),
        (
            json!({"score": {"swap": {}}, "order": ["side"]}),
            "score.swap",
        ),
        (
            json!({"declare": {"choices": ["a", "b"], "passing": true}, "order": ["choice"], "who": {"declared": ["a"]}}),
            "who.declared",
        ),
        (
            json!({"declare": {"choices": ["a", "b"], "passing": true}, "order": ["choice"], "together": {}}),
            "declare.passing",
        ),
        (
            json!({"turns": "unlimited", "order": ["-dex"], "score": null}),
            "turns",
        ),
        (
            json!({"turns": "unlimited", "reactions": {"r": {"cost": {"turn": true}}}}),
            "reactions.r.cost.turn",
        ),
        (
            json!({"score": {"choices": {"run": {}}, "reroll": true}}),
            "score.choices.run",
        ),
        (
            json!({"score": {"choices": {"a": {}}, "reroll": false}, "declare": {"choices": ["a", "b"]}}),
            "score.choices",
        ),
        (
            json!({"turns": "by_tick", "turn_cost": {"cost": [1, 3]}, "order": ["lap", "score"]}),
            "order",
        ),
        (
            json!({"score": {"per": "combatant"}, "order": ["-dex"], "reactions": {"r": {"cost": {"initiative": 5}}}}),
            "reactions.r.cost.initiative",
        ),
        (json!({"script": "1 + 1"}), "script"),
    ]
}

fn lay(value: &mut Value, patch: &Value) {
    match (value, patch) {
        (Value::Object(fields), Value::Object(patch)) => {
            for (name, patch) in patch {
                if patch.is_null() {
                    fields.remove(name);
                } else {
                    lay(fields.entry(name.clone()).or_insert(Value::Null), patch);
                }
            }
        }
        (value, patch) => *value = patch.clone(),
    }
}

#[test]
fn each_broken_definition_is_refused_with_the_path_of_its_mistake() {
    let count = setting("TURNKEEPER_PLAYS").unwrap_or(BROKEN);
    let (lines, mut slowest) = (wrong_lines(), Duration::ZERO);
    for seed in 0..count {
        let mut chance = Chance::new(seed);
        let mut definition = options(&mut chance)["definition"].take();
        let at = usize::try_from(seed).expect("a small number");
        let expected = if at.is_multiple_of(2) {
            let (patch, path) = &lines[at / 2 % lines.len()];
            lay(&mut definition, patch);
            (*path).to_owned()
        } else {
            let mut all = Vec::new();
            pointers(&definition, "", &mut all);
            // A title may be any text.
            all.retain(|pointer| !pointer.starts_with("/titles/"));
            let pointer = chance.pick(&all).expect("a line");
            let nonsense = [
                json!({"?": 1}),
                json!([[7]]),
                json!(-100_000),
                json!("Not a word!"),
            ];
            *definition.pointer_mut(pointer).expect("a value") =
                chance.pick(&nonsense).expect("one").clone();
            pointer.trim_start_matches('/').replace('/', ".")
        };
        let begun = Instant::now();
        let errors = refusal(&definition)
            .unwrap_or_else(|| panic!("seed {seed}: it is accepted: {definition}"));
        slowest = slowest.max(begun.elapsed());
        let path = format!("options.definition.{expected}");
        let named = errors
            .iter()
            .any(|(found, message)| found.starts_with(&path) && !message.is_empty());
        assert!(
            named,
            "seed {seed}: {path} is not among {errors:?} for {definition}"
        );
    }
    // `--nocapture` shows it; a busy machine is no failure.
    println!("the slowest of {count} refusals took {slowest:?}");
}

#[test]
fn a_definition_is_shown_as_it_was_written_and_reads_back() {
    for seed in 0..50 {
        let mut chance = Chance::new(seed);
        let options = options(&mut chance);
        let create =
            |options: &Value| Table::create(json!({"ruleset": "custom", "options": options}));
        let shown = create(&options).at("options");
        assert_eq!(shown, options);
        assert_eq!(create(&shown).at("options"), options);
    }
    for preset in Preset::ALL {
        let named = Table::create(json!({"ruleset": "custom", "options": {"preset": preset}}))
            .at("options");
        let written: Value = serde_json::from_str(preset.definition()).expect("JSON");
        assert_eq!(named["definition"], written);
    }
}

#[test]
fn every_mistake_of_a_definition_is_named() {
    let definition = json!({"turns": "luck", "order": ["-luck", "choice"], "unconscious": "moves", "together": {}});
    let paths: Vec<_> = refusal(&definition)
        .expect("it is refused")
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    let expected = ["turns", "order.0", "order.1", "unconscious"]
        .map(|path| format!("options.definition.{path}"));
    assert_eq!(paths, expected);
    let long = json!({"reactions": {"r": {"cost": {"points": [0, 1, 2]}}}});
    let (path, message) = refusal(&long).expect("it is refused").remove(0);
    assert!(
        path.ends_with("reactions.r.cost.points") && message.contains("got a list of 3"),
        "{path}: {message}"
    );
}

#[test]
fn an_initiative_that_cannot_be_compared_is_refused_at_its_line() {
    let order = json!(["-score", "-die"]);
    let sound = json!({"dice": "1d20", "foes": {"dice": "1d12"}});
    assert!(accepted(&json!({"score": sound, "order": order})));
    let unlike = json!({"dice": "1d20", "foes": {"add": [1]}});
    assert!(accepted(&json!({"score": unlike, "order": order})));
    for (score, line) in [
        (json!({"dice": "1d20", "add": ["luck"]}), "add.0"),
        (json!({"deck": {}, "foes": {}}), "foes"),
        (json!({"deck": {}, "dice": "1d20"}), "dice"),
        (json!({"deck": {}, "add": [1]}), "add"),
    ] {
        let paths: Vec<_> = refusal(&json!({"score": score}))
            .expect("refused")
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        assert_eq!(
            paths,
            [format!("options.definition.score.{line}")],
            "{score}"
        );
    }
}

#[test]
fn a_definition_under_which_nobody_can_act_is_refused() {
    let players = json!({"side": "players"});
    let foes = json!({"side": "foes"});
    let fear = json!({"fear": {"gives": "turn"}});
    let costs = |score: Value| {
        let changes = json!({"wounds": score["wounds"], "conditions": score["conditions"]});
        let mut costs =
            json!({"turns": "while_score", "turn_cost": {}, "score": {}, "changes": {}});
        lay(&mut costs["changes"], &changes);
        lay(&mut costs["score"], &score);
        for line in ["wounds", "conditions"] {
            costs["score"]
                .as_object_mut()
                .expect("an object")
                .remove(line);
        }
        costs
    };
    for (definition, line) in [
        (costs(json!({})), "turns"),
        (costs(json!({"add": [-5, 5]})), "turns"),
        (json!({"turns": 0}), "turns"),
        (
            json!({"who": players, "together": {"steps": [{"who": foes}]}}),
            "who",
        ),
        (
            json!({"declare": {"choices": ["a", "b"], "who": players},
                "who": {"side": "foes", "declared": ["a", "b"]}}),
            "who",
        ),
    ] {
        let found = refusal(&definition).expect("it is refused");
        let (path, message) = &found[0];
        assert_eq!(*path, format!("options.definition.{line}"), "{definition}");
        assert!(
            message.starts_with("No combatant can ever act"),
            "{message}"
        );
        let mut bought = definition.clone();
        bought["reactions"] = fear.clone();
        assert!(accepted(&bought), "a bought turn is one: {bought}");
    }
    for score in [
        json!({"dice": "1d6", "add": [-5]}),
        json!({"add": [1]}),
        json!({"foes": {"dice": "1d4"}}),
        json!({"conditions": {"quick": 3}}),
        json!({"wounds": {"by": 1}}),
    ] {
        assert!(accepted(&costs(score.clone())), "{score}");
    }
    let clock = json!({"turns": "by_tick", "turn_cost": {}, "score": {}, "order": ["score"]});
    assert!(accepted(&clock), "ticks need not be above 0");
    let only_players = json!({"who": {"side": "players"}, "turns": "while_score", "turn_cost": {}, "score": {"foes": {"dice": "1d4"}}});
    assert!(!accepted(&only_players), "only foes rise above 0");
}

#[test]
fn every_preset_plays_round_after_round_by_its_options_alone() {
    let count = sized(8, 50) as u64;
    for preset in Preset::ALL {
        let combatants = json!([{"id": "ann", "side": "players"}, {"id": "bo", "side": "players"}, {"id": "orc", "side": "monsters"}]);
        let creation =
            json!({"ruleset": "custom", "options": {"preset": preset}, "combatants": combatants});
        let judge = Judge::new(&creation).unwrap_or_else(|breach| panic!("{breach:?}"));
        let mut judge = judge.expect("a preset is sound");
        let start = Action {
            command: json!({"type": "start"}),
            dice: 1,
            advance: true,
        };
        judge
            .act(&start)
            .unwrap_or_else(|breach| panic!("{preset:?}: {breach:?}"));
        let rounds = (0..count).map(|seed| {
            judge
                .finish_round(seed)
                .unwrap_or_else(|breach| panic!("{preset:?}: {breach:?}\n{}", judge.view));
            judge.view["round"].as_u64().expect("a round")
        });
        let rounds: Vec<u64> = rounds.collect();
        assert!(
            rounds.iter().zip(rounds.iter().skip(1)).all(|(a, b)| a < b),
            "{preset:?}: {rounds:?}"
        );
    }
}

#[test]
fn combatants_of_one_name_have_buttons_that_tell_them_apart() {
    let wolf = |id: &str| json!({"id": id, "name": "Wolf", "side": "monsters"});
    let creation = json!({"ruleset": "custom", "options": {"definition": {}},
        "combatants": [wolf("grey"), wolf("white"), {"id": "ann", "side": "players"}]});
    let judge = Judge::new(&creation).unwrap_or_else(|breach| panic!("{breach:?}"));
    let mut judge = judge.expect("it is sound");
    let start = Action {
        command: json!({"type": "start"}),
        dice: 1,
        advance: true,
    };
    judge
        .act(&start)
        .unwrap_or_else(|breach| panic!("{breach:?}"));
    let begins = judge
        .legal_commands
        .iter()
        .filter(|option| option.command["type"] == "begin_turn");
    let labels: Vec<&str> = begins.map(|option| option.label.as_str()).collect();
    let expected = [
        "Wolf #1: start turn",
        "Wolf #2: start turn",
        "ann: start turn",
    ];
    assert_eq!(labels, expected);
}
