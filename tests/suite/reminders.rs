//! Effects that begin later, remind, and apply again and again.

use crate::support::table::{RULESETS, Table};
use serde_json::{Value, json};
use turnkeeper::vocabulary::{Group, LegalCommand};

/// How many rounds are played.
const ROUNDS: u64 = 4;

fn effect(name: &str, target: &str, rest: &Value) -> Value {
    let mut effect = json!({"name": name, "target": target, "expires": {"at": "removed"}});
    let fields = rest.as_object().expect("an object");
    effect
        .as_object_mut()
        .expect("an object")
        .extend(fields.clone());
    json!({"type": "add_effect", "effect": effect})
}

/// The events of a fight of two and two with these effects, round after round.
fn played(ruleset: &str, effects: &[Value]) -> Vec<Value> {
    let hp = json!({"current": 500, "max": 1000});
    let combatant = |id: &str, side: &str| json!({"id": id, "name": id, "side": side, "hp": hp});
    let combatants = json!([
        combatant("ann", "players"),
        combatant("bo", "players"),
        combatant("orc", "monsters"),
        combatant("wolf", "monsters"),
    ]);
    let mut table = Table::create(json!({"ruleset": ruleset, "combatants": combatants}));
    let mut events = Vec::new();
    let mut send = |table: &mut Table, command: Value| {
        let sent = table.send(command.clone());
        events.extend(sent.unwrap_or_else(|refused| panic!("{ruleset}: {command}: {refused:?}")));
    };
    for effect in effects {
        send(&mut table, effect.clone());
    }
    for _ in 0..300 {
        if table.at("round").as_u64() == Some(ROUNDS) {
            return events;
        }
        let options = table.legal_commands();
        let mut usual = options.iter().filter(|option| option.primary);
        let resolve = options.iter().find(|option| option.verb() == "resolve");
        let usual = resolve.or_else(|| usual.next());
        let usual = usual.or_else(|| options.iter().find(|o| o.group == Group::Decision));
        let command = usual.and_then(LegalCommand::completed);
        send(&mut table, command.expect("an option"));
    }
    panic!("{ruleset}: {}", table.view());
}

fn of(events: &[Value], kind: &str, field: &str, id: &str) -> usize {
    let fits = |event: &&Value| event["type"] == kind && (id.is_empty() || event[field] == id);
    events.iter().filter(fits).count()
}

#[test]
fn what_an_effect_reminds_of_comes_with_each_of_its_moments() {
    for ruleset in RULESETS.iter().map(|ruleset| ruleset.manifest.id) {
        let events = played(
            ruleset,
            &[
                effect(
                    "Burning",
                    "orc",
                    &json!({"reminder": {"due": {"at": "round_end", "rounds": 1}, "damage": 3, "automatic": true}}),
                ),
                effect(
                    "Troll blood",
                    "ann",
                    &json!({"reminder": {"due": {"at": "turn_start"}, "heal": 5}}),
                ),
                effect(
                    "Every other",
                    "bo",
                    &json!({"reminder": {"due": {"at": "turn_end", "turns": 2}, "every": 2}}),
                ),
                effect(
                    "Later",
                    "wolf",
                    &json!({"begins": {"at": "round_end", "rounds": 2}, "expires": {"at": "round_end", "rounds": 1}}),
                ),
            ],
        );
        let count = |kind: &str, field: &str, id: &str| of(&events, kind, field, id);
        // Before the first round nothing counts.
        let is_round = |event: &&Value| event["type"] == "round_ended" && event["round"] != 0;
        let rounds = events.iter().filter(is_round).count();
        assert!(rounds >= 3, "{ruleset}: {rounds} rounds");
        for (kind, field) in [("effect_due", "effect_id"), ("effect_applied", "effect_id")] {
            assert_eq!(count(kind, field, "burning"), rounds, "{ruleset}: {kind}");
        }
        assert_eq!(count("damaged", "combatant", "orc"), rounds, "{ruleset}");
        let starts = count("turn_started", "combatant", "ann");
        assert_eq!(
            count("effect_due", "effect_id", "troll-blood"),
            starts,
            "{ruleset}"
        );
        assert_eq!(
            count("effect_applied", "effect_id", "troll-blood"),
            0,
            "{ruleset}"
        );
        let ends = count("turn_ended", "combatant", "bo");
        assert_eq!(
            count("effect_due", "effect_id", "every-other"),
            ends / 2,
            "{ruleset}"
        );
        assert_eq!(count("effect_begun", "effect_id", "later"), 1, "{ruleset}");
        let place = |kind: &str| {
            events
                .iter()
                .position(|event| event["type"] == kind && event["effect_id"] == "later")
        };
        assert!(place("effect_begun") < place("effect_ended"), "{ruleset}");
    }
}

#[test]
fn the_game_master_applies_what_is_due_and_a_die_brings_it_back() {
    for ruleset in RULESETS.iter().map(|ruleset| ruleset.manifest.id) {
        let combatants = json!([{"id": "ann", "hp": {"current": 5, "max": 9}}, {"id": "orc", "side": "monsters"}]);
        let mut table = Table::create(json!({"ruleset": ruleset, "combatants": combatants}));
        let recharge = json!({"due": {"at": "turn_start"}, "recharge": {"sides": 6, "from": 5}});
        let heal = json!({"due": {"at": "round_end", "rounds": 1}, "heal": 3});
        table.accept(effect("Breath", "orc", &json!({"reminder": recharge})));
        table.accept(effect("Moss", "ann", &json!({"reminder": heal})));
        table.accept(effect(
            "Plain",
            "ann",
            &json!({"reminder": {"due": {"at": "turn_end"}}}),
        ));
        table.accept(effect(
            "Soon",
            "ann",
            &json!({"begins": {"at": "turn_end"}, "reminder": heal}),
        ));
        let apply = |id: &str| json!({"type": "apply_effect", "effect_id": id});
        let mut rolled = apply("breath");
        rolled["roll"] = json!(7);
        assert_eq!(table.refuse(rolled.clone()).field.as_deref(), Some("roll"));
        rolled["roll"] = json!(4);
        table.accept(rolled.clone());
        assert_eq!(table.at("effects.0.id"), "breath", "{ruleset}");
        rolled["roll"] = json!(5);
        let events = table.accept(rolled);
        assert_eq!(events, ["effect_applied", "effect_ended"], "{ruleset}");
        table.accept(apply("moss"));
        assert_eq!(table.at("combatants.ann.hp.current"), 8, "{ruleset}");
        let mut rolled = apply("moss");
        rolled["roll"] = json!(1);
        assert_eq!(table.refuse(rolled).field.as_deref(), Some("roll"));
        for nothing in ["plain", "soon"] {
            assert_eq!(
                table.refuse(apply(nothing)).code,
                "nothing_to_apply",
                "{ruleset}"
            );
        }
        assert_eq!(
            table.refuse(apply("none")).code,
            "unknown_effect",
            "{ruleset}"
        );
    }
}
