//! What a definition of `custom` promises for every fight under it.

use crate::properties::chance::Chance;
use crate::properties::definitions;
use crate::support::table::{RULESETS, Table, meta};
use serde_json::{Value, json};
use turnkeeper::engine::Refusal;
use turnkeeper::json::read;
use turnkeeper::rulesets::custom::Preset;

/// The fights of random definitions that are played by `resolve`.
const PLAYS: u64 = 30;

fn fight(options: &Value, combatants: Value) -> Table {
    Table::create(json!({"ruleset": "custom", "options": options, "combatants": combatants}))
}

/// The path and message of the first mistake of a creation, if it is refused.
fn mistake(creation: Value) -> Option<(String, String)> {
    let creation = read(&creation).expect("a creation");
    match RULESETS.create(meta(Vec::new()), creation) {
        Err(Refusal::Fields(errors)) => {
            let first = errors.into_iter().next().expect("a mistake");
            Some((first.path, first.message))
        }
        _ => None,
    }
}

/// Sends `resolve` alone for three rounds, and returns whether any turn has started.
fn resolve_three_rounds(options: &Value, numbers: &Value) -> bool {
    let combatants = json!([
        {"id": "ann", "side": "players", "numbers": numbers},
        {"id": "bo", "side": "players"},
        {"id": "orc", "side": "monsters", "numbers": numbers},
    ]);
    let mut table = fight(options, combatants);
    let mut acted = false;
    let mut body = json!({"type": "start"});
    for _ in 0..2000 {
        let events = table.accept(body);
        acted |= events.iter().any(|event| event == "turn_started");
        if table.at("round").as_u64() > Some(3) {
            return acted;
        }
        body = json!({"type": "resolve"});
    }
    panic!("resolve alone does not end three rounds of {options}");
}

#[test]
fn resolve_alone_plays_every_definition() {
    for preset in Preset::ALL {
        assert!(
            resolve_three_rounds(&json!({"preset": preset}), &json!({})),
            "{preset:?}"
        );
    }
    let passing = json!({"definition": {"order": ["choice"], "declare": {"choices": ["fast", "slow"], "passing": true}}});
    assert!(
        resolve_three_rounds(&passing, &json!({})),
        "combatants that may pass"
    );
    for seed in 0..PLAYS {
        let options = definitions::options(&mut Chance::new(seed));
        resolve_three_rounds(&options, &json!({"advantage": 1, "legendary": 1}));
    }
}

#[test]
fn more_turns_and_dice_than_a_log_entry_holds_are_refused_at_creation() {
    let options =
        |turns: u8, dice: &str| json!({"definition": {"turns": turns, "score": {"dice": dice}}});
    let combatants = |hp: bool| {
        let mut combatants = Vec::new();
        for n in 0..500 {
            let id = format!("c{n}");
            let mut combatant = json!({"id": id, "side": "monsters"});
            if hp {
                combatant["hp"] = json!({"current": 9});
            }
            combatants.push(combatant);
        }
        json!(combatants)
    };
    let creation = |turns, dice, hp| json!({"ruleset": "custom", "options": options(turns, dice), "combatants": combatants(hp)});
    for (turns, dice, hp) in [(10, "9d100", true), (7, "1d20", true)] {
        let (path, message) = mistake(creation(turns, dice, hp)).expect("it is refused");
        assert_eq!(path, "combatants");
        assert!(message.contains("turns and dice"), "{message}");
    }
    for (turns, dice, hp) in [(10, "9d100", false), (4, "1d20", true), (1, "9d100", true)] {
        let mut table = fight(&options(turns, dice), combatants(hp));
        table.accept(json!({"type": "start"}));
    }
}

#[test]
fn what_changes_places_and_breaks_ties_counts_for_the_log_entry_of_a_roll() {
    let combatants = |turns: u8| {
        let combatant = |n: usize| {
            let hp = json!({"current": 1, "max": 1000});
            json!({"id": format!("combat{n}"), "conditions": ["x"], "hp": hp, "hidden": n == 0, "numbers": {"turns": turns}})
        };
        json!((0..500).map(combatant).collect::<Vec<_>>())
    };
    let changes = json!({"wounds": {"by": -100}, "conditions": {"x": -1000}});
    let rolls_off = json!({"numbers": {"turns": 1}, "turns": "turns", "order": ["foe", "-die"]});
    for (definition, turns) in [
        (
            json!({"numbers": {"turns": 1}, "turns": "turns", "score": {"dice": "1d20"}, "changes": changes}),
            [3, 6],
        ),
        (rolls_off, [4, 6]),
    ] {
        let options = json!({"definition": definition});
        let [enough, too_many] = turns;
        let creation =
            json!({"ruleset": "custom", "options": options, "combatants": combatants(too_many)});
        let (path, message) = mistake(creation).expect("it is refused");
        assert_eq!(path, "combatants", "{message}");
        let mut table = fight(&options, combatants(enough));
        table.accept(json!({"type": "start"}));
    }
}

#[test]
fn the_table_and_the_decision_name_the_choice_the_step_and_the_lap() {
    let options = json!({"definition": {
        "turns": 2, "order": ["lap", "-choice"], "declare": {"choices": ["slow", "very_fast"]},
        "together": {"steps": [{"name": "first_move"}, {}]},
    }});
    let mut table = fight(&options, json!([{"id": "ann"}]));
    table.accept(json!({"type": "start"}));
    assert!(
        table
            .game
            .text()
            .contains(", round 1, first move step, lap 1\n")
    );
    assert_eq!(table.at("pending.slot"), "first move step");
    let one = json!({"definition": {"order": ["-choice"], "declare": {"choices": ["slow", "very_fast"]}}});
    let mut table = fight(&one, json!([{"id": "ann"}, {"id": "bo"}]));
    table.accept(json!([
        {"type": "start"},
        {"type": "declare", "combatant": "bo", "choice": "very_fast"},
        {"type": "resolve"},
    ]));
    let text = table.game.text();
    assert!(text.contains(", round 1, very fast\n"), "{text}");
    assert_eq!(table.at("pending.slot"), "very fast");
}
