//! What other trackers got wrong, tried in every ruleset: retried commands, removals, newcomers,
//! the last one standing.
//!
//! A judge also holds every fight against the properties.

use crate::properties::chance::Chance;
use crate::properties::judge::{Action, Judge};
use crate::support::table::{RULESETS, Table};
use crate::support::{shows, sized};
use serde_json::{Value, json};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use turnkeeper::vocabulary::LegalCommand;

/// A fight of `size` combatants on two sides, not started.
fn gathered(ruleset: &str, size: usize) -> Judge {
    let combatant = |n: usize| {
        let side = if n % 2 == 1 { "players" } else { "monsters" };
        json!({"id": format!("c{n}"), "side": side, "hp": {"current": 10}})
    };
    let combatants: Vec<Value> = (1..=size).map(combatant).collect();
    let judge = Judge::new(&json!({"ruleset": ruleset, "combatants": combatants}));
    judge
        .unwrap_or_else(|breach| panic!("{ruleset}: {breach:?}"))
        .expect("plain combatants are accepted")
}

fn send(judge: &mut Judge, command: Value) -> bool {
    let action = Action {
        command,
        dice: 1,
        advance: true,
    };
    judge
        .act(&action)
        .unwrap_or_else(|breach| panic!("{breach:#?}\n{}", judge.view))
}

fn must(judge: &mut Judge, command: Value) {
    assert!(
        send(judge, command.clone()),
        "{command} was refused: {}",
        judge.view
    );
}

/// Sends something that is awaited, at random; false where nothing of the ruleset's own is.
fn go_on(judge: &mut Judge, chance: &mut Chance) -> bool {
    let awaited = judge.view["pending"]["commands"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let taking = |verb: &Value| awaited.contains(verb) && judge.own(verb);
    let legal_commands: Vec<_> = judge
        .legal_commands
        .iter()
        .filter(|o| taking(&o.command["type"]))
        .collect();
    let Some(command) = chance
        .pick(&legal_commands)
        .map(|option| chance.fill(option))
    else {
        return false;
    };
    must(judge, command);
    true
}

/// Tries every ruleset, and names all that fail.
fn every_ruleset(tried: impl Fn(&'static str)) {
    let ids = RULESETS.iter().map(|ruleset| ruleset.manifest.id);
    let failed: Vec<_> = ids
        .filter(|id| catch_unwind(AssertUnwindSafe(|| tried(id))).is_err())
        .collect();
    assert!(failed.is_empty(), "it fails in {failed:?}");
}

/// How many combatants a fight has, and how many commands are sent after its start: each size and
/// nearly each number of commands once, or at full size all pairs.
fn shapes_of_fights() -> Vec<(usize, usize)> {
    let (sizes, steps) = ([1, 2, 3, 5], [1, 2, 3, 4, 6, 9]);
    let all = sizes
        .iter()
        .flat_map(|size| steps.iter().map(|steps| (*size, *steps)));
    all.step_by(sized(5, 1)).collect()
}

/// Every ruleset in fights of 1 to 5 combatants, a few commands after their start: fights of all
/// shapes.
fn every_fight(tried: impl Fn(&mut Judge, &mut Chance)) {
    every_ruleset(|ruleset| {
        for (size, steps) in shapes_of_fights() {
            let mut judge = gathered(ruleset, size);
            let mut chance = Chance::new((size * 100 + steps) as u64);
            for _ in 0..steps {
                go_on(&mut judge, &mut chance);
            }
            tried(&mut judge, &mut chance);
        }
    });
}

fn current(judge: &Judge) -> Vec<String> {
    let current = judge.view["current"].as_array().into_iter().flatten();
    current
        .filter_map(|id| id.as_str().map(str::to_owned))
        .collect()
}

fn finish(judge: &mut Judge, seed: u64) {
    judge
        .finish_round(seed)
        .unwrap_or_else(|breach| panic!("{breach:#?}\n{}", judge.view));
}

/// Plays on until it is `id`'s turn (or it was, where a turn may end as soon as it begins), with
/// what is awaited and what `id` itself may do (such as to join in); false where that takes more
/// than three rounds.
fn acts(judge: &mut Judge, chance: &mut Chance, id: &str) -> bool {
    let last = judge.view["round"].as_u64().unwrap_or(0) + 3;
    let mut tried: Vec<Value> = Vec::new();
    while judge.view["round"].as_u64().unwrap_or(0) < last {
        let acted = |c: &Value| c["id"] == id && c["acted"] == true;
        let had = judge.view["combatants"]
            .as_array()
            .is_some_and(|all| all.iter().any(acted));
        if had || current(judge).iter().any(|c| c == id) {
            return true;
        }
        let new =
            |o: &&LegalCommand| o.command["combatant"] == id && !tried.contains(&o.command["type"]);
        match judge
            .legal_commands
            .iter()
            .filter(|o| judge.own(&o.command["type"]))
            .find(new)
            .map(|option| chance.fill(option))
        {
            Some(command) => {
                tried.push(command["type"].clone());
                must(judge, command);
            }
            None if !go_on(judge, chance) => return false,
            None => {}
        }
    }
    false
}

#[test]
fn a_retried_end_of_turn_skips_nobody() {
    let retried = Cell::new(0);
    every_fight(|judge, chance| {
        for _ in 0..10 {
            let ends: Vec<_> = judge
                .legal_commands
                .iter()
                .filter(|o| o.command["type"] == "end_turn")
                .cloned()
                .collect();
            let Some(end) = chance.pick(&ends) else {
                go_on(judge, chance);
                continue;
            };
            let (end, round) = (chance.fill(end), judge.view["round"].clone());
            must(judge, end.clone());
            // Where one who ends a round begins the next, the same words are another turn's end.
            if judge.view["round"] == round {
                assert!(
                    !send(judge, end.clone()),
                    "{end} was accepted twice: {}",
                    judge.view
                );
                retried.set(retried.get() + 1);
            }
        }
    });
    assert!(
        retried.get() >= sized(50, 300),
        "only {} retries were tried",
        retried.get()
    );
}

#[test]
fn a_removed_combatant_takes_nobody_elses_turn_along() {
    every_fight(|judge, _| {
        let (before, acting) = (judge.view.clone(), current(judge));
        for id in judge.ids() {
            let mut judge = judge.clone();
            must(
                &mut judge,
                json!({"type": "remove_combatant", "combatant": id}),
            );
            let after = &judge.view;
            assert!(!judge.ids().contains(&id));
            assert_eq!(
                after["status"], before["status"],
                "removing {id} ended {before}"
            );
            let others = acting.iter().filter(|c| **c != id);
            for other in others {
                assert!(
                    current(&judge).contains(other),
                    "removing {id} took {other}'s turn: {before} -> {after}"
                );
            }
            if !acting.is_empty() && !acting.contains(&id) {
                assert_eq!(
                    after["round"], before["round"],
                    "removing {id} ended the round: {before}"
                );
            }
            finish(&mut judge, 1);
        }
    });
}

#[test]
fn a_newcomer_moves_nobodys_turn_and_acts_within_the_next_round() {
    every_fight(|judge, chance| {
        let (before, acting) = (judge.view.clone(), current(judge));
        must(
            judge,
            json!({"type": "add_combatant", "details": {"id": "late", "side": "monsters"}}),
        );
        if !acting.is_empty() {
            assert_eq!(
                (&judge.view["current"], &judge.view["round"]),
                (&before["current"], &before["round"])
            );
        }
        assert!(
            acts(judge, chance, "late"),
            "the newcomer never acts: {before} -> {}",
            judge.view
        );
    });
}

#[test]
fn with_everybody_defeated_or_gone_the_fight_waits_for_a_newcomer() {
    every_fight(|judge, chance| {
        for gone in [false, true] {
            let mut judge = judge.clone();
            if !judge.running() {
                return;
            }
            let mut ids = judge.ids();
            while !ids.is_empty() {
                let id = ids.remove(chance.below(ids.len()));
                let condition = if chance.percent(50) {
                    "dead"
                } else {
                    "defeated"
                };
                must(
                    &mut judge,
                    match gone {
                        true => json!({"type": "remove_combatant", "combatant": id}),
                        false => {
                            json!({"type": "set_condition", "target": id, "condition": condition})
                        }
                    },
                );
            }
            if gone {
                assert_eq!(judge.view["current"], json!([]));
                // Under DC20 the empty turns keep their places.
                let order = judge.view["order"].as_array().into_iter().flatten();
                assert!(
                    order.clone().all(|row| row["combatant"].is_null()),
                    "{order:?}"
                );
            }
            for _ in 0..20 {
                if !go_on(&mut judge, chance) {
                    break;
                }
            }
            assert_eq!(
                judge.view["current"],
                json!([]),
                "somebody who is defeated still acts: {}",
                judge.view
            );
            assert!(judge.running(), "the fight ended by itself");
            must(
                &mut judge,
                json!({"type": "add_combatant", "details": {"id": "late", "side": "players"}}),
            );
            assert!(
                acts(&mut judge, chance, "late"),
                "the newcomer never acts: {}",
                judge.view
            );
            finish(&mut judge, 1);
            finish(&mut judge, 2);
        }
    });
}

#[test]
fn with_nobody_in_the_fight_the_start_waits_for_a_newcomer() {
    every_ruleset(|ruleset| {
        let mut judge = gathered(ruleset, 2);
        for id in ["c1", "c2"] {
            must(
                &mut judge,
                json!({"type": "set_condition", "target": id, "condition": "dead"}),
            );
        }
        assert_eq!(judge.view["pending"]["decision"], "newcomer", "{ruleset}");
        must(
            &mut judge,
            json!({"type": "add_combatant", "details": {"id": "late", "side": "players"}}),
        );
        assert_ne!(judge.view["pending"]["decision"], "newcomer", "{ruleset}");
    });
}

#[test]
fn one_alone_goes_from_round_to_round() {
    every_ruleset(|ruleset| {
        let mut judge = gathered(ruleset, 1);
        let mut chance = Chance::new(1);
        go_on(&mut judge, &mut chance);
        for seed in 0..5 {
            let round = judge.view["round"].as_u64().expect("a round");
            finish(&mut judge, seed);
            assert_eq!(
                judge.view["round"].as_u64(),
                Some(round + 1),
                "{}",
                judge.view
            );
        }
    });
}

#[test]
fn an_effect_that_counts_the_turns_of_one_who_is_gone_or_dead_still_ends() {
    every_fight(|judge, chance| {
        if !judge.running() || judge.ids().len() < 3 {
            return;
        }
        let ids = judge.ids();
        for (moment, leaves) in [
            ("turn_start", true),
            ("turn_start", false),
            ("turn_end", true),
            ("turn_end", false),
        ] {
            let mut judge = judge.clone();
            let who = chance.pick(&ids).expect("somebody");
            let expires = json!({"at": moment, "of": who, "turns": 2});
            must(
                &mut judge,
                json!({"type": "add_effect", "effect": {"name": "Bless", "expires": expires}}),
            );
            must(
                &mut judge,
                match leaves {
                    true => json!({"type": "remove_combatant", "combatant": who}),
                    false => json!({"type": "set_condition", "target": who, "condition": "dead"}),
                },
            );
            for seed in 0..4 {
                finish(&mut judge, seed);
            }
            assert_eq!(
                judge.view["effects"],
                json!([]),
                "it lasts for ever after {who} is gone: {}",
                judge.view
            );
        }
    });
}

#[test]
fn a_note_changes_nothing_but_the_version() {
    every_fight(|judge, _| {
        let fight = |judge: &Judge| {
            let mut document: Value =
                serde_json::from_slice(&judge.table.document().expect("a document")).expect("JSON");
            let version = document["encounter"]["version"].take();
            document["history"].take();
            (document, version)
        };
        let (before, version) = fight(judge);
        must(
            judge,
            json!({"type": "note", "text": "the torch burns low"}),
        );
        let (after, next) = fight(judge);
        assert_eq!(before, after);
        assert_eq!(next.as_u64(), version.as_u64().map(|v| v + 1));
    });
}

#[test]
fn a_list_is_carried_out_whole_or_not_at_all() {
    every_fight(|judge, chance| {
        let note = json!({"type": "note", "text": "one"});
        let mut list = vec![note.clone()];
        let awaited: Vec<_> = judge
            .legal_commands
            .iter()
            .filter(|o| judge.own(&o.command["type"]))
            .collect();
        list.extend(chance.pick(&awaited).map(|option| chance.fill(option)));
        list.push(json!({"type": "damage", "target": "nobody", "amount": 1}));
        let mut table = judge.table.clone();
        let before = table.document();
        let refused = table.refuse(json!(list));
        let field = format!("{}.target", list.len() - 1);
        assert_eq!(
            (refused.code.as_str(), refused.field),
            ("unknown_combatant", Some(field))
        );
        assert_eq!(table.document(), before, "half a list was carried out");
        list.pop();
        let events = table.accept(json!(list));
        assert_eq!(events.first().map(String::as_str), Some("noted"));
        assert_eq!(
            table.game.version(),
            judge.table.game.version() + 1,
            "a list is one transition"
        );
    });
}

#[test]
fn an_encounter_that_has_ended_takes_notes_and_a_way_back_and_nothing_else() {
    shows(&["TK-1"]);
    every_fight(|judge, chance| {
        let legal_commands = judge.legal_commands.clone();
        must(judge, json!({"type": "end_encounter"}));
        let view = &judge.view;
        assert_eq!(
            (&view["status"], &view["pending"], &view["current"]),
            (&json!("ended"), &Value::Null, &json!([]))
        );
        let verbs: Vec<&Value> = judge
            .legal_commands
            .iter()
            .map(|o| &o.command["type"])
            .collect();
        assert_eq!(
            verbs,
            vec!["note", "undo"],
            "an encounter that has ended legal_commands more than notes and a way back"
        );
        let mut table = judge.table.clone();
        let open = ["note", "undo", "redo"];
        for option in legal_commands
            .iter()
            .filter(|option| open.iter().all(|verb| option.command["type"] != *verb))
        {
            let refused = table.refuse(chance.fill(option));
            assert_eq!(
                (refused.code.as_str(), refused.rule.as_deref()),
                ("encounter_ended", Some("TK-1"))
            );
        }
        must(judge, json!({"type": "note", "text": "they lived"}));
    });
}

#[test]
fn an_encounter_holds_so_many_and_no_more() {
    shows(&["TK-4"]);
    every_ruleset(|ruleset| {
        let combatants: Vec<Value> = (1..=500).map(|n| json!({"id": format!("c{n}")})).collect();
        let creation = json!({"ruleset": ruleset, "combatants": combatants});
        let mut table = Table::create(creation.clone());
        let refused = table.refuse(json!({"type": "add_combatant", "details": {"id": "late"}}));
        assert_eq!(
            (refused.code.as_str(), refused.rule.as_deref()),
            ("too_many_combatants", Some("TK-4"))
        );
        let mut larger = creation;
        larger["combatants"]
            .as_array_mut()
            .expect("combatants")
            .push(json!({"id": "late"}));
        assert_eq!(
            Table::try_create(larger)
                .err()
                .and_then(|refused| refused.field)
                .as_deref(),
            Some("combatants.500")
        );
        let fog =
            json!({"type": "add_effect", "effect": {"name": "Fog", "expires": {"at": "removed"}}});
        for _ in 0..10 {
            table.accept(json!(vec![fog.clone(); 50]));
        }
        assert_eq!(table.refuse(fog).rule.as_deref(), Some("TK-4"));
    });
}

#[test]
fn the_game_master_sets_the_turn_only_of_one_who_can_act_in_a_fight_that_goes_on() {
    shows(&["TK-5"]);
    every_ruleset(|ruleset| {
        let judge = gathered(ruleset, 3);
        let over = |id: &str| json!({"type": "override", "combatant": id});
        assert_eq!(
            judge.table.clone().refuse(over("c1")).rule.as_deref(),
            Some("TK-5")
        );
    });
    every_fight(|judge, chance| {
        if !judge.running() {
            return;
        }
        let ids = judge.ids();
        let (dead, chosen) = (
            chance.pick(&ids).cloned().expect("somebody"),
            chance.pick(&ids).expect("somebody"),
        );
        must(
            &mut judge.clone(),
            json!({"type": "override", "combatant": chosen}),
        );
        if *chosen != dead {
            must(
                judge,
                json!({"type": "set_condition", "target": dead, "condition": "dead"}),
            );
            let refused = judge
                .table
                .clone()
                .refuse(json!({"type": "override", "combatant": dead}));
            assert_eq!(
                (refused.code.as_str(), refused.rule.as_deref()),
                ("not_active", Some("TK-5"))
            );
            must(judge, json!({"type": "override", "combatant": chosen}));
            assert_eq!(
                current(judge),
                vec![chosen.clone()],
                "the game master's word did not hold: {}",
                judge.view
            );
            finish(judge, 1);
        }
    });
}
