//! What the shared commands do in every ruleset: hit points at their ends, and what effects may name and when they end.

use crate::support::table::{RULESETS, Table};
use serde_json::{Value, json};

/// Encounters of every ruleset, not started, with ann who has 6 of 10 hit points and a group whose member has 2 of 5.
fn tables() -> impl Iterator<Item = (&'static str, &'static str, Table)> {
    RULESETS.iter().map(|ruleset| {
        let manifest = ruleset.manifest();
        let table = Table::create(json!({"ruleset": manifest.id, "combatants": [
            {"id": "ann", "side": "players", "hp": {"current": 6, "max": 10}},
            {"id": "bob", "side": "players", "hp": {"current": 6}},
            {"id": "orcs", "side": "monsters", "members": [{"id": "one", "hp": {"current": 2, "max": 5}}]}]}));
        (manifest.id, manifest.down, table)
    })
}

fn effect(fields: Value) -> Value {
    let mut effect = json!({"name": "Bless", "expires": {"at": "removed"}});
    effect.as_object_mut().expect("an object").extend(fields.as_object().expect("fields").clone());
    json!({"type": "add_effect", "effect": effect})
}

#[test]
fn healing_ends_at_the_maximum() {
    for (ruleset, _, mut table) in tables() {
        table.accept(json!({"type": "heal", "target": "ann", "amount": 3}));
        assert_eq!(table.at("combatants.ann.hp.current"), 9, "{ruleset}");
        let events = table.send(json!({"type": "heal", "target": "ann", "amount": 100})).expect("it is legal");
        assert_eq!((&events[0]["amount"], &events[0]["hp"]), (&json!(100), &json!(10)), "{ruleset}");
        assert_eq!(table.at("combatants.ann.hp.current"), 10, "{ruleset}");
        table.accept(json!({"type": "heal", "target": "orcs", "member": "one", "amount": 4}));
        assert_eq!(table.at("combatants.orcs.members.one.hp.current"), 5, "{ruleset}");
        table.accept(
            json!([{"type": "damage", "target": "bob", "amount": 1}, {"type": "heal", "target": "bob", "amount": 4}]),
        );
        assert_eq!(table.at("combatants.bob.hp.current"), 6, "{ruleset}: without a maximum it is what bob came with");
    }
}

#[test]
fn damage_that_takes_no_hit_point_takes_nobody_down_again() {
    for (ruleset, down, mut table) in tables() {
        table.accept(json!({"type": "damage", "target": "ann", "amount": 6}));
        assert_eq!(table.at("combatants.ann.conditions"), json!([down]), "{ruleset}");
        table.accept(json!({"type": "clear_condition", "target": "ann", "condition": down}));
        for amount in [0, 4] {
            let events = table.accept(json!({"type": "damage", "target": "ann", "amount": amount}));
            assert_eq!(events, ["damaged"], "{ruleset}: {amount}");
            assert_eq!(table.at("combatants.ann.conditions"), json!([]), "{ruleset}: {amount}");
        }
        let member = |verb: &str| json!({"type": verb, "target": "orcs", "member": "one"});
        let with = |mut command: Value, field: &str, value: Value| {
            command[field] = value;
            command
        };
        table.accept(with(member("damage"), "amount", json!(2)));
        table.accept(with(member("clear_condition"), "condition", json!("defeated")));
        table.accept(with(member("damage"), "amount", json!(0)));
        assert_eq!(table.at("combatants.orcs.members.one.conditions"), json!([]), "{ruleset}");
    }
}

#[test]
fn an_effect_names_nobody_who_is_not_there() {
    for (ruleset, _, mut table) in tables() {
        for (field, fields) in [
            ("effect.source", json!({"source": "nobody"})),
            ("effect.source", json!({"source": "nobody", "target": "ann"})),
            ("effect.target", json!({"source": "ann", "target": "nobody"})),
            ("effect.expires.of", json!({"source": "ann", "expires": {"at": "turn_end", "of": "nobody"}})),
        ] {
            let refused = table.refuse(effect(fields.clone()));
            let reason = (refused.code.as_str(), refused.field.as_deref());
            assert_eq!(reason, ("unknown_combatant", Some(field)), "{ruleset}: {fields}");
        }
        table.accept(effect(json!({"source": "ann", "target": "bob"})));
    }
}

#[test]
fn an_effect_until_the_encounters_end_ends_with_it() {
    for (ruleset, _, mut table) in tables() {
        table.accept(effect(json!({"id": "fog", "expires": {"at": "encounter_end"}})));
        table.accept(effect(json!({"id": "curse", "target": "ann", "expires": {"at": "encounter_end"}})));
        table.accept(effect(json!({"id": "scar"})));
        assert_eq!(table.at("effects.*.id"), json!(["fog", "curse", "scar"]), "{ruleset}");
        let events = table.send(json!({"type": "end_encounter"})).expect("it is legal");
        let ended: Vec<&Value> = events.iter().filter(|e| e["type"] == "effect_ended").map(|e| &e["effect"]).collect();
        assert_eq!(ended, ["fog", "curse"], "{ruleset}");
        assert_eq!(table.at("effects.*.id"), json!(["scar"]), "{ruleset}: this one ends where it is removed");
    }
}
