//! Since when the turn and the decision are what they are.

use crate::properties::chance::Chance;
use crate::support::table::{RULESETS, Table, owned, time_after};
use serde_json::{Value, json};
use turnkeeper::vocabulary::{CombatantId, OwnCombatant};

/// The time of the next command.
fn next(table: &Table) -> Value {
    serde_json::to_value(time_after(&*table.game)).expect("JSON")
}

/// What the owner of these combatants sees of it.
fn seen_by(table: &Table, own: &[OwnCombatant]) -> Value {
    let seen = table.game.redacted(own).brief();
    serde_json::to_value(seen.since).expect("JSON")
}

fn named(id: &str) -> CombatantId {
    CombatantId::new(id).expect("an id")
}

/// Three heroes and two foes.
fn fight(ruleset: &str) -> Table {
    Table::create(
        json!({"ruleset": ruleset, "turn_seconds": 60, "combatants": [
            {"id": "ann", "side": "players"}, {"id": "bob", "side": "players"}, {"id": "cai", "side": "players"},
            {"id": "orc", "side": "monsters", "hp": {"current": 500}}, {"id": "rat", "side": "monsters"},
        ]}),
    )
}

/// Sends commands that change no turn, and takes them back.
fn send_idle(table: &mut Table) {
    for idle in [
        json!({"type": "note", "text": "rain"}),
        json!({"type": "update_combatant", "combatant": "orc", "changes": {"notes": "old"}}),
        json!({"type": "update_encounter", "turn_seconds": 30}),
    ] {
        let before = table.view();
        table.accept(idle);
        let after = table.view();
        assert_eq!(after["since"], before["since"], "{before} {after}");
        table.accept(json!({"type": "undo"}));
        assert_eq!(
            table.at("since"),
            before["since"],
            "{before} {}",
            table.view()
        );
    }
}

#[test]
fn it_changes_with_the_turn_and_the_decision_in_every_ruleset_and_with_nothing_else() {
    for ruleset in RULESETS.iter().map(|ruleset| ruleset.manifest.id) {
        let mut moves = 0;
        for play in 0..2 {
            let mut chance = Chance::new(play);
            let mut table = fight(ruleset);
            for _ in 0..30 {
                send_idle(&mut table);
                let before = table.view();
                let answers = before["pending"]["commands"].as_array();
                let mut options = table.legal_commands();
                options
                    .retain(|option| answers.is_some_and(|c| c.contains(&option.command["type"])));
                let Some(option) = chance.pick(&options) else {
                    break;
                };
                let at = next(&table);
                let Ok(events) = table.send(chance.fill(option)) else {
                    continue;
                };
                let moved = events.iter().any(|event| event["type"] == "turn_started")
                    || before["current"] != table.at("current")
                    || before["pending"]["decision"] != table.view()["pending"]["decision"];
                if moved {
                    moves += 1;
                    assert_eq!(table.at("since"), at, "{ruleset}");
                }
                assert_eq!(seen_by(&table, &[]), table.at("since"), "{ruleset}");
            }
        }
        assert!(moves > 10, "{ruleset}: {moves}");
    }
}

#[test]
fn it_tells_no_viewer_of_turns_that_it_does_not_see() {
    let mut table = Table::create(
        json!({"ruleset": "custom", "options": {"preset": "d20"}, "combatants": [
            {"id": "ann", "side": "players", "initiative": 20},
            {"id": "imp", "side": "monsters", "initiative": 15, "hidden": true},
            {"id": "orc", "side": "monsters", "initiative": 10, "hidden": true},
            {"id": "bob", "side": "players", "initiative": 5},
        ]}),
    );
    let imp = owned(&*table.game, &[named("imp")]);
    let bob = owned(&*table.game, &[named("bob")]);
    let end = |who: &str| json!({"type": "end_turn", "combatant": who});
    table.accept(json!({"type": "start"}));
    assert_eq!(seen_by(&table, &[]), table.at("since"));
    let imps = next(&table);
    table.accept(end("ann"));
    assert_eq!(table.at("current"), json!(["imp"]));
    assert_eq!(seen_by(&table, &[]), imps);
    let orcs = next(&table);
    table.accept(end("imp"));
    assert_eq!(table.at("current"), json!(["orc"]));
    assert_eq!(table.at("since"), orcs);
    assert_eq!(
        seen_by(&table, &[]),
        imps,
        "a viewer learns when the orc began"
    );
    assert_eq!(
        seen_by(&table, &bob),
        imps,
        "a player learns when the orc began"
    );
    assert_eq!(
        seen_by(&table, &imp),
        Value::Null,
        "who sees more than others is told nothing"
    );
    let bobs = next(&table);
    table.accept(end("orc"));
    assert_eq!(table.at("since"), bobs);
    assert_eq!(seen_by(&table, &[]), bobs);
    // Its turn starts once more.
    let again = next(&table);
    table.accept(json!({"type": "undo"}));
    assert_eq!(table.at("since"), again);
    assert_eq!(seen_by(&table, &[]), again);
}

#[test]
fn a_revealed_combatant_keeps_the_time_that_viewers_know() {
    let mut table = Table::create(
        json!({"ruleset": "custom", "options": {"preset": "d20"}, "combatants": [
            {"id": "imp", "side": "monsters", "initiative": 15, "hidden": true},
            {"id": "orc", "side": "monsters", "initiative": 10, "hidden": true},
            {"id": "bob", "side": "players", "initiative": 5},
        ]}),
    );
    table.accept(json!({"type": "start"}));
    let start = seen_by(&table, &[]);
    table.accept(json!({"type": "end_turn", "combatant": "imp"}));
    let orcs = table.at("since");
    table.accept(
        json!({"type": "update_combatant", "combatant": "imp", "changes": {"hidden": false}}),
    );
    assert_eq!(seen_by(&table, &[]), start);
    let revealed = next(&table);
    table.accept(
        json!({"type": "update_combatant", "combatant": "orc", "changes": {"hidden": false}}),
    );
    assert_eq!(table.at("since"), orcs);
    assert_eq!(seen_by(&table, &[]), revealed);
    table.accept(json!({"type": "note", "text": "rain"}));
    assert_eq!(
        seen_by(&table, &[]),
        revealed,
        "nothing is hidden, and the time of the game master's leaks"
    );
}
