//! Several targets of one command.

use crate::support::table::{RULESETS, Table, owned, player};
use serde_json::{Value, json};
use turnkeeper::vocabulary::CombatantId;

/// A fight of so many combatants before its start.
fn fight(ruleset: &str, size: usize) -> Table {
    let combatant = |n: usize| {
        let side = if n.is_multiple_of(2) {
            "players"
        } else {
            "monsters"
        };
        let mut combatant = json!({"id": format!("c{n}"), "side": side});
        if !n.is_multiple_of(3) {
            combatant["hp"] = json!({"current": 5 + n % 7, "max": 12});
        }
        combatant
    };
    let combatants: Vec<Value> = (0..size).map(combatant).collect();
    Table::create(json!({"ruleset": ruleset, "combatants": combatants}))
}

fn rulesets() -> Vec<&'static str> {
    RULESETS.iter().map(|ruleset| ruleset.manifest.id).collect()
}

#[test]
fn several_targets_are_what_a_list_of_commands_is() {
    let targets = ["c5", "c0", "c4", "c2", "c7", "c1"];
    for ruleset in rulesets() {
        for start in [false, true] {
            let mut fight = fight(ruleset, 9);
            if start {
                fight.accept(json!({"type": "start"}));
            }
            for rest in [
                json!({"type": "damage", "amount": 7, "source": "c2"}),
                json!({"type": "heal", "amount": 4}),
                json!({"type": "set_condition", "condition": "dead"}),
                json!({"type": "clear_condition", "condition": "dead"}),
            ] {
                let with = |field: &str, value: Value| {
                    let mut command = rest.clone();
                    command[field] = value;
                    command
                };
                let one_by_one = targets.map(|target| with("target", json!(target)));
                let mut other = fight.clone();
                fight.accept(with("targets", json!(targets)));
                other.accept(json!(one_by_one));
                assert_eq!(fight.view(), other.view(), "{ruleset}: {rest}");
            }
        }
    }
}

#[test]
fn the_whole_fight_is_hit_by_one_command_and_one_undo_takes_it_back() {
    for ruleset in rulesets() {
        let mut fight = fight(ruleset, 500);
        let all: Vec<String> = (0..500).map(|n| format!("c{n}")).collect();
        let before = fight.view();
        for command in [
            json!({"type": "damage", "targets": all, "amount": 6}),
            json!({"type": "set_condition", "targets": all, "condition": "burning"}),
            json!({"type": "add_effect", "effect": {"name": "Fire", "targets": all, "expires": {"at": "round_end", "rounds": 2}}}),
        ] {
            fight.accept(command);
            fight.accept(json!({"type": "undo"}));
            let mut after = fight.view();
            after["version"] = before["version"].clone();
            assert_eq!(after, before, "{ruleset}");
        }
    }
}

#[test]
fn a_player_learns_nothing_by_naming_one_that_is_hidden_among_several() {
    for ruleset in rulesets() {
        let mut fight = Table::create(json!({"ruleset": ruleset, "combatants": [
            {"id": "ann"}, {"id": "orc", "side": "monsters", "hidden": true},
        ]}));
        let ann = player("ann", owned(&*fight.game, &[CombatantId::fixed("ann")]));
        let mut names = Vec::new();
        for other in ["orc", "elf"] {
            let effect = json!({"name": "Curse", "source": "ann", "targets": ["ann", other], "expires": {"at": "removed"}});
            let request =
                turnkeeper::engine::Request::read(json!({"type": "add_effect", "effect": effect}));
            let request = request.expect("a request");
            let refused = fight.game.examine(&ann.combatants, &request, &|| false);
            names.push(format!("{refused:?}").replace(other, "them"));
        }
        assert!(
            names[0].contains("effect.targets.1"),
            "{ruleset}: {}",
            names[0]
        );
        assert_eq!(names[0], names[1], "{ruleset}");
        fight.accept(json!({"type": "note", "text": "still here"}));
    }
}
