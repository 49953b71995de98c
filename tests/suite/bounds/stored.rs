//! How long the lists and how large the numbers of a stored encounter may be: an import brings one
//! from elsewhere.

use crate::support::table::{RULESETS, Table};
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use turnkeeper::engine::Rulesets;

/// The whole numbers that every client can read exactly.
const EXACT: RangeInclusive<i64> = -9_007_199_254_740_992..=9_007_199_254_740_992;
/// Totals of `custom`, which have hundredths.
const TOTAL: RangeInclusive<i64> = -1_000_000_000_000..=1_000_000_000_000;

/// A list, map or number of a stored encounter.
#[derive(Debug)]
struct Bound {
    /// The way to the value that is replaced, below the encounter.
    at: &'static str,
    /// The new value, in which `"*"` stands for the list, map or number.
    value: Value,
    /// What there are many of.
    many: Many,
    /// How many, or the number.
    allowed: RangeInclusive<i64>,
}

#[derive(Debug)]
enum Many {
    /// Items of a list; `#` stands for the number of one.
    Items(Value),
    /// Fields of a map, with their value.
    Fields(Value),
    /// No items: the number itself.
    Number,
}

fn list(at: &'static str, most: i64, item: Value) -> Bound {
    Bound::new(at, Many::Items(item), 0..=most)
}

fn map(at: &'static str, most: i64, value: Value) -> Bound {
    Bound::new(at, Many::Fields(value), 0..=most)
}

fn number(at: &'static str, allowed: RangeInclusive<i64>) -> Bound {
    Bound::new(at, Many::Number, allowed)
}

impl Bound {
    fn new(at: &'static str, many: Many, allowed: RangeInclusive<i64>) -> Self {
        let value = json!("*");
        Self {
            at,
            value,
            many,
            allowed,
        }
    }

    /// The same in this value, which stands there instead.
    fn within(self, value: Value) -> Self {
        Self { value, ..self }
    }

    /// So many items or fields, or the number.
    fn filled(&self, count: i64) -> Value {
        match &self.many {
            Many::Items(item) => {
                let item = item.to_string();
                let numbered = |n: i64| item.replace('#', &n.to_string());
                let items: Vec<String> = (0..count).map(numbered).collect();
                serde_json::from_str(&format!("[{}]", items.join(","))).expect("items")
            }
            Many::Fields(value) => {
                let field = |n| (format!("n{n}"), value.clone());
                Value::Object((0..count).map(field).collect())
            }
            Many::Number => count.into(),
        }
    }

    /// Whether a stored encounter may have so many there.
    fn allows(&self, document: &Value, count: i64) -> bool {
        let filled = self.filled(count).to_string();
        let value = self.value.to_string().replace("\"*\"", &filled);
        let mut changed = document.clone();
        let mut place = &mut changed["encounter"];
        for step in self.at.split('/') {
            place = match step.parse::<usize>() {
                Ok(item) => &mut place[item],
                Err(_) => &mut place[step],
            };
        }
        *place = serde_json::from_str(&value).expect("JSON");
        let loaded = RULESETS.load(changed.to_string().as_bytes());
        loaded.is_ok_and(|encounter| encounter.check().is_ok())
    }
}

/// The bounds of a ruleset's own state.
fn bounds(ruleset: &str) -> Vec<Bound> {
    let die = json!({"sides": 20, "face": 7, "given": false});
    match ruleset {
        "active-initiative" => vec![
            number("combatants/0/state/own_die", 1..=20).within(json!({"sides": 20, "face": "*", "given": true})),
            list("state/turns", 500, json!({"combatant": "t#", "way": {"opened": {}}})),
            number("state/phase", EXACT).within(json!({"window": {"nominee": "c", "way": {"rolled": {"die": die, "total": "*"}}}})),
            list("state/phase", 500, json!("t#")).within(json!({"window": {"nominee": "c", "way": {"rolled": {"die": die, "total": 7, "tied": "*"}}}})),
            list("state/phase", 500, json!("t#")).within(json!({"window": {"nominee": "c", "way": {"rolled": {"die": die, "total": 7, "rolled_off": "*"}}}})),
        ],
        "exp" => vec![
            list("state/asked", 500, json!("t#")),
            list("state/jumps", 500, json!({"combatant": "t#", "components": ["move"]})),
            list("state/jumps", 2, json!("move")).within(json!([{"combatant": "c", "components": "*"}])),
            list("state/jumps", 0, json!("t#")).within(json!([{"combatant": "c", "components": ["move"], "asked_anew": "*"}])),
            list("state/failed", 500, json!("t#")),
            list("state/kept", 500, json!("t#")),
            list("state/duel", 2, json!("t#")),
            list("state/ranking", 500, json!({"id": "t#", "combatants": ["t#"], "die": die, "bonus": 0, "total": 7, "digits": []})),
            list("state/ranking", 500, json!("t#")).within(json!([{"id": "t", "combatants": "*", "die": die, "bonus": 0, "total": 7, "digits": []}])),
            list("state/ranking", 16, json!({"sides": 10, "face": 7, "given": false})).within(json!([{"id": "t", "combatants": ["t"], "die": die, "bonus": 0, "total": 7, "digits": "*"}])),
            list("combatants/0/state/own_roll", 16, json!(7)).within(json!({"die": {"sides": 20, "face": 7, "given": true}, "tie_dice": "*"})),
        ],
        "seize" => vec![
            number("combatants/0/state/own_die", 1..=20).within(json!({"sides": 20, "face": "*", "given": true})),
            list("state/turns", 500, json!({"combatant": "t#", "way": {"overridden": {}}})),
            list("state/turns", 500, json!("t#")).within(json!([{"combatant": "c", "way": {"seized": {"bonus": 1, "tied": "*"}}}])),
            list("state/turns", 2, json!(die)).within(json!([{"combatant": "c", "way": {"rolled": {"dice": "*", "bonus": 0, "total": 7, "meaning": "plain"}}}])),
            list("state/turns", 500, json!({"combatants": ["t#"], "same_bonus": false})).within(json!([{"combatant": "c", "way": {"rolled": {"dice": [], "bonus": 0, "total": 7, "meaning": "plain", "equals": "*"}}}])),
            list("state/turns", 500, json!("t#")).within(json!([{"combatant": "c", "way": {"rolled": {"dice": [], "bonus": 0, "total": 7, "meaning": "plain", "equals": [{"combatants": "*", "same_bonus": false}]}}}])),
            list("state/queue", 500, json!({"combatant": "t#", "bonus": 1, "window": 1})),
            list("state/queue", 500, json!("t#")).within(json!([{"combatant": "c", "bonus": 1, "window": 1, "tied": "*"}])),
        ],
        "venture" => vec![
            number("state/tick", -20..=20),
            number("combatants/0/state/initiative", -20..=20),
            number("combatants/0/state/recovery_tokens", 0..=4),
            list("combatants/0/state/start_effects", 8, json!({"name": "t#", "initiative": 1, "motes": 0})),
            list("combatants/0/state/timed_changes", 8, json!({"initiative": 1, "turns": 1})),
            list("combatants/0/state/join_battle", 80, json!({"sides": 10, "face": 7, "given": false})).within(json!({"dice_pool": {"approach": "default", "attribute": "wits", "ability": "awareness"}, "successes": 1, "dice": "*"})),
        ],
        "dc20" => vec![
            list("state/acting", 500, json!("t#")),
            list("state/enemy_teams", 8, json!("t#")),
            list("state/unseen_teams", 8, json!("t#")),
            list("state/slots", 500, json!({"id": "p#", "team": "pc", "occupants": []})),
            number("state/slots", 1..=16).within(json!([{"id": "e1", "team": {"enemy": "*"}, "occupants": []}])),
            list("state/slots", 500, json!("t#")).within(json!([{"id": "p1", "team": "pc", "occupants": "*"}])),
            list("state/claims", 500, json!({"combatant": "t#", "share": true})),
            list("state/passed", 500, json!("t#")),
            list("combatants/0/state/check", 6, json!(die)).within(json!({"dice": "*", "natural": 7, "bonus": 0, "total": 7, "success": true, "critical": "none"})),
        ],
        "custom" => vec![
            list("state/places", 5000, json!({"combatant": "t#", "turn": 0, "done": false, "moved": false, "initiative_score": {"key": [], "total": 0, "bonus": 0}})),
            number("state/places", TOTAL).within(json!([{"combatant": "t", "turn": 0, "done": false, "moved": false, "initiative_score": {"key": [], "total": "*", "bonus": 0}}])),
            list("state/places", 8, json!(1)).within(json!([{"combatant": "t", "turn": 0, "done": false, "moved": false, "initiative_score": {"key": "*", "total": 0, "bonus": 0}}])),
            list("state/places", 72, json!(die)).within(json!([{"combatant": "t", "turn": 0, "done": false, "moved": false, "initiative_score": {"key": [], "total": 0, "bonus": 0, "dice": "*"}}])),
            number("state/places", TOTAL).within(json!([{"combatant": "t", "turn": 0, "done": false, "moved": false, "initiative_score": {"key": [], "total": 0, "bonus": 0, "changes": {"by_turns": "*"}}}])),
            number("state/first_seat", -1000..=1000),
            list("state/sides", 1000, json!({"side": "t#", "seen": true, "first": false, "yields": false})),
            list("state/sides", 8, json!(1)).within(json!([{"side": "t", "seen": true, "first": false, "yields": false, "initiative_score": {"key": "*", "total": 0, "bonus": 0}}])),
            list("state/turns", 8, json!({"combatants": ["t#"], "done": [], "step": 0, "origin": "normal"})),
            list("state/turns", 500, json!("t#")).within(json!([{"combatants": "*", "done": [], "step": 0, "origin": "normal"}])),
            list("state/turns", 500, json!("t#")).within(json!([{"combatants": ["t"], "done": "*", "step": 0, "origin": "normal"}])),
            list("state/mode", 500, json!("t#")).within(json!({"gap": {"passed": "*", "at": "after_turn"}})),
            number("combatants/0/state/turns_left", 0..=20),
            list("state/cards", 100, json!("qs")),
            map("state/sides", 4, json!(1)).within(json!([{"side": "t", "seen": true, "first": false, "yields": false, "pools": "*"}])),
            list("state/skipped", 1000, json!("t#")),
            map("state/pools", 4, json!(1)),
            map("combatants/0/stats", 12, json!(1)).within(json!({"numbers": "*"})),
            map("combatants/0/state/pools", 4, json!(1)),
            list("combatants/0/state/counted", 1000, json!("t#")),
            list("combatants/0/state/used", 6, json!("t#")),
            list("combatants/0/state/readied_reactions", 6, json!("t#")),
        ],
        unknown => panic!("{unknown} has no bounds"),
    }
}

/// The state of a combatant as it is before the start, which a document leaves out.
fn combatant_state(ruleset: &str) -> Value {
    match ruleset {
        "active-initiative" => json!({"hurt": false, "interrupted": false, "passed": false}),
        "exp" => {
            json!({"move_status": "pending", "act_status": "pending", "asked": false, "keeps_waiting": false})
        }
        "seize" => json!({"skips_round_1": false, "extra_action": false, "hurt": false}),
        "venture" => {
            json!({"initiative": 0, "free_action": "open", "crashed": false, "recovery_tokens": 0, "onslaught": 0, "delaying": false, "actions_taken": 0, "flurrying": false, "attacked": false, "moved": false, "follow_up": false})
        }
        "dc20" => {
            json!({"action_point_pool": {"current": 0, "max": 0}, "delayed": false, "inspiration_die": false, "round_one_adv": false, "attacked_with_adv": false, "legendary_points": 0, "legendary_points_spent": 0})
        }
        "custom" => {
            json!({"turns_left": 0, "turns_taken": 0, "delaying": false, "has_declared": false, "surprised": false})
        }
        unknown => panic!("{unknown} has no state of combatants"),
    }
}

#[test]
fn a_state_from_elsewhere_holds_no_more_than_play_could_make() {
    for ruleset in Rulesets::shipped().iter() {
        let id = ruleset.manifest.id;
        let table = Table::create(json!({"ruleset": id, "combatants": [{"id": "c"}]}));
        let document = table.game.document().expect("a document");
        let mut document: Value = serde_json::from_slice(&document).expect("JSON");
        document["encounter"]["combatants"][0]["state"] = combatant_state(id);
        for bound in bounds(id) {
            let (least, most) = (*bound.allowed.start(), *bound.allowed.end());
            assert!(bound.allows(&document, least), "{id}, the least: {bound:?}");
            assert!(bound.allows(&document, most), "{id}, the most: {bound:?}");
            assert!(
                !bound.allows(&document, most + 1),
                "{id}, too much: {bound:?}"
            );
            let is_number = matches!(bound.many, Many::Number);
            assert!(
                !is_number || !bound.allows(&document, least - 1),
                "{id}, too little: {bound:?}"
            );
        }
    }
}
