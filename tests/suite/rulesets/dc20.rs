//! DC20: what takes many encounters to show.

use crate::support::shows;
use crate::support::table::Table;
use serde_json::{Value, json};

/// The published table of easy encounters, by level; a normal one is 2 above, a hard one 4.
const EASY: [i64; 20] = [
    11, 11, 12, 12, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18, 20, 20, 21, 21, 22, 22,
];

fn fight(pcs: usize, level: usize) -> Table {
    let pc = |n: usize| json!({"id": format!("pc{n}"), "side": "players", "level": level});
    let mut combatants: Vec<Value> = (1..=pcs).map(pc).collect();
    combatants.push(json!({"id": "orc", "side": "monsters"}));
    Table::create(json!({"ruleset": "dc20", "combatants": combatants}))
}

#[test]
fn the_encounter_dc_is_that_of_the_table_at_every_level_and_difficulty() {
    shows(&["DC-1"]);
    for (level, easy) in (1..).zip(EASY) {
        for (difficulty, dc) in [("easy", easy), ("normal", easy + 2), ("hard", easy + 4)] {
            let mut given = fight(1, 1);
            given.accept(json!({"type": "start", "level": level, "difficulty": difficulty}));
            assert_eq!(given.at("state.dc"), dc, "level {level}, {difficulty}");
            let mut by_the_characters = fight(1, level);
            by_the_characters.accept(json!({"type": "start", "difficulty": difficulty}));
            assert_eq!(
                by_the_characters.at("state.dc"),
                dc,
                "characters of level {level}, {difficulty}"
            );
        }
    }
}

#[test]
fn the_party_wins_the_first_turn_with_half_of_its_members_and_never_with_fewer() {
    shows(&["DC-13", "DC-14"]);
    for pcs in 1..=6 {
        for successes in 0..=pcs {
            let mut fight = fight(pcs, 1);
            let rolls: serde_json::Map<String, Value> = (1..=pcs)
                .map(|n| (format!("pc{n}"), json!(if n <= successes { 15 } else { 5 })))
                .collect();
            fight.accept(json!({"type": "start", "dc": 13, "rolls": rolls}));
            let won = fight.at("state.winner") == "pc";
            assert_eq!(won, successes >= pcs.div_ceil(2), "{successes} of {pcs}");
        }
    }
}

#[test]
fn there_are_as_many_turns_of_each_team_as_characters_and_they_alternate() {
    shows(&["DC-15", "DC-16"]);
    for pcs in 1..=6 {
        for (roll, order) in [(15, ["pc", "enemy"]), (5, ["enemy", "pc"])] {
            let mut fight = fight(pcs, 1);
            let rolls: serde_json::Map<String, Value> =
                (1..=pcs).map(|n| (format!("pc{n}"), json!(roll))).collect();
            fight.accept(json!({"type": "start", "dc": 13, "rolls": rolls}));
            let slots = fight.at("state.slots");
            let team = |slot: &Value| if slot["team"] == "pc" { "pc" } else { "enemy" };
            let teams: Vec<&str> = slots.as_array().expect("slots").iter().map(team).collect();
            assert_eq!(teams, order.repeat(pcs));
        }
    }
}

#[test]
fn a_natural_20_meets_and_a_natural_1_misses_the_dc_of_ones_own_level_for_every_legal_agility() {
    shows(&["DC-9", "DC-9a"]);
    for level in 1..=20 {
        for (agility, difficulty, roll, success) in [(-2, "hard", 20, true), (5, "easy", 1, false)]
        {
            let pc = json!({"id": "ann", "side": "players", "level": level, "agility": agility});
            let mut fight = Table::create(json!({"ruleset": "dc20", "combatants": [pc]}));
            fight
                .accept(json!({"type": "start", "difficulty": difficulty, "rolls": {"ann": roll}}));
            assert_eq!(
                fight.at("combatants.ann.check.success"),
                success,
                "level {level}"
            );
        }
    }
}
