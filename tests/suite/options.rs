//! What is legal in large fights: listed as exactly as in small ones, at a cost that grows with the
//! fight.

use crate::support::legal_commands::{completed, listed};
use crate::support::table::Table;
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeSet;
use turnkeeper::engine::{Refusal, Request, SeededDice, Viewer};
use turnkeeper::rulesets::custom::Preset;
use turnkeeper::vocabulary::{LegalCommand, Values};

/// A started fight of `size` combatants. Some are out of it, and under EXP some have no mental
/// attack.
fn fight(ruleset: &str, size: usize) -> Table {
    let combatants: Vec<Value> = (0..size)
        .map(|n| {
            let side = if n % 2 == 0 { "players" } else { "monsters" };
            let mut combatant = json!({"id": format!("c{n}"), "side": side});
            if n % 7 == 3 {
                combatant["conditions"] = json!(["unconscious"]);
            }
            match ruleset {
                "exp" if n % 5 != 4 => combatant["mstr"] = json!(3),
                "venture" if n >= size / 2 => combatant["worthy_foe"] = json!(false),
                _ => {}
            }
            combatant
        })
        .collect();
    // Who is no Worthy Foe joins a Venture fight that goes on already.
    let first = if ruleset == "venture" { size / 2 } else { size };
    let mut table = Table::create(json!({"ruleset": ruleset, "combatants": combatants[..first]}));
    table.accept(json!({"type": "start"}));
    for combatant in &combatants[first..] {
        table.accept(json!({"type": "add_combatant", "details": combatant}));
    }
    if ruleset == "dc20" {
        // Nobody attacks before the first turn.
        let legal_commands = table.legal_commands();
        let first = legal_commands
            .iter()
            .find(|option| option.command["type"] == "claim" || option.command["type"] == "assign");
        let first = completed(first.expect("a turn to be taken"));
        table.accept(first.clone());
        if first["type"] == "claim" {
            // Nobody else wants the turn.
            table.accept(json!({"type": "resolve"}));
        }
    }
    table
}

fn accepted(table: &Table, command: &Value) -> bool {
    let request = Request::read(command.clone()).expect("a request");
    table
        .game
        .decide(&[], &request, &mut SeededDice::new([1; 32]), &|| false)
        .is_ok()
}

/// The lists that choices refer to, by name.
fn shared(legal_commands: &[LegalCommand]) -> BTreeSet<String> {
    let choices = legal_commands.iter().flat_map(|option| &option.choices);
    let names = choices.filter_map(|choice| match &choice.values {
        Values::Shared(shared) => Some(shared.name.clone()),
        _ => None,
    });
    names.collect()
}

#[test]
fn shared_lists_hold_exactly_what_is_accepted() {
    for (ruleset, verb, field) in [
        ("exp", "mental_attack", "target"),
        ("exp", "mental_duel", "opponent"),
        ("venture", "adjust", "source"),
        ("venture", "settle", "loser"),
        ("dc20", "attack", "target"),
    ] {
        let table = fight(ruleset, 60);
        let legal_commands = table.legal_commands();
        assert!(!shared(&legal_commands).is_empty(), "{ruleset} {verb}");
        let (mut legal, mut refused) = (0, 0);
        for actor in 0..60 {
            for value in 0..60 {
                let command = json!({"type": verb, "combatant": format!("c{actor}"), field: format!("c{value}")});
                let accepted = accepted(&table, &command);
                assert_eq!(
                    listed(&legal_commands, &command),
                    accepted,
                    "{ruleset}: {command}"
                );
                if accepted { legal += 1 } else { refused += 1 }
            }
        }
        assert!(
            legal > 0,
            "{ruleset} {verb}: {legal} legal, {refused} refused"
        );
    }
}

#[test]
fn short_lists_stand_in_their_own_choice() {
    for ruleset in ["exp", "venture", "dc20"] {
        let legal_commands = fight(ruleset, 3).legal_commands();
        assert_eq!(shared(&legal_commands), BTreeSet::new(), "{ruleset}");
    }
}

/// How many trials the options of a fight take.
fn trials(table: &Table) -> usize {
    let asked = Cell::new(0);
    let count = || {
        asked.set(asked.get() + 1);
        false
    };
    table.game.options(&Viewer::gm("gm"), 0, &count);
    asked.get()
}

#[test]
fn trials_and_bytes_grow_with_the_fight_and_not_with_its_square() {
    for ruleset in ["exp", "venture", "dc20"] {
        let (small, large) = (fight(ruleset, 50), fight(ruleset, 200));
        let (few, many) = (trials(&small), trials(&large));
        assert!(
            many <= 5 * few,
            "{ruleset}: {few} trials for 50 and {many} for 200"
        );
        let legal_commands = large.legal_commands();
        let bytes = serde_json::to_string(&legal_commands).expect("JSON").len();
        assert!(bytes < 320_000, "{ruleset}: {bytes} bytes for 200");
    }
}

/// A fight of `size` combatants, every third of them hidden, at moments from its creation to its
/// end.
fn moments(creation: &Value, size: usize) -> Vec<(&'static str, Table)> {
    let combatants = (0..size).map(|n| {
        let side = if n % 2 == 0 { "players" } else { "monsters" };
        json!({"id": format!("c{n}"), "side": side, "hidden": n % 3 == 2})
    });
    let mut creation = creation.clone();
    creation["combatants"] = combatants.collect();
    let mut table = Table::create(creation);
    let mut moments = vec![("created", table.clone())];
    table.accept(json!({"type": "start"}));
    moments.push(("started", table.clone()));
    for _ in 0..8 {
        let legal_commands = table.legal_commands();
        table.accept(completed(
            legal_commands.first().expect("something is legal"),
        ));
    }
    moments.push(("going on", table.clone()));
    for n in (0..size).step_by(2) {
        table.accept(
            json!({"type": "set_condition", "target": format!("c{n}"), "condition": "unconscious"}),
        );
    }
    moments.push(("half of them out", table.clone()));
    table.accept(json!({"type": "end_encounter"}));
    moments.push(("ended", table));
    moments
}

#[test]
fn at_every_moment_trials_grow_with_the_fight() {
    let custom =
        Preset::ALL.map(|(preset, _)| json!({"ruleset": "custom", "options": {"preset": preset}}));
    let others = [
        "round-robin",
        "active-initiative",
        "exp",
        "seize",
        "venture",
        "dc20",
    ];
    for creation in others
        .map(|ruleset| json!({"ruleset": ruleset}))
        .into_iter()
        .chain(custom)
    {
        let (small, large) = (moments(&creation, 16), moments(&creation, 64));
        for ((moment, small), (_, large)) in small.iter().zip(&large) {
            let (few, many) = (trials(small), trials(large));
            assert!(
                many <= 6 * few,
                "{creation}, {moment}: {few} trials for 16 and {many} for 64"
            );
        }
    }
}

#[test]
fn trials_grow_with_those_who_have_brought_dice_before_venture_starts() {
    let joined = |count| {
        let combatants: Vec<Value> = (0..count)
            .map(|n| json!({"id": format!("c{n}"), "side": "players"}))
            .collect();
        let mut table = Table::create(json!({"ruleset": "venture", "combatants": combatants}));
        for commands in (0..count).collect::<Vec<_>>().chunks(50) {
            let join = |n: &usize| json!({"type": "join_battle", "combatant": format!("c{n}"), "successes": 3});
            table.accept(commands.iter().map(join).collect());
        }
        trials(&table)
    };
    let (few, many) = (joined(16), joined(64));
    assert!(many <= 5 * few, "{few} trials for 16 and {many} for 64");
}

#[test]
fn deciding_stops_before_the_next_command() {
    let table = fight("venture", 4);
    let notes: Vec<Value> = (0..50)
        .map(|n| json!({"type": "note", "text": format!("{n}")}))
        .collect();
    let request = Request::read(json!(notes)).expect("a request");
    let asked = Cell::new(0);
    let tenth = || {
        asked.set(asked.get() + 1);
        asked.get() == 10
    };
    let stopped = table
        .game
        .decide(&[], &request, &mut SeededDice::new([1; 32]), &tenth);
    assert_eq!((stopped.err(), asked.get()), (Some(Refusal::Stopped), 10));
}

#[test]
fn redaction_stops_before_the_next_event() {
    let table = Table::create(
        json!({"ruleset": "round-robin", "combatants": [{"id": "shade", "hidden": true}]}),
    );
    let notes: Vec<Value> = (0..50)
        .map(|n| json!({"type": "note", "text": format!("{n}")}))
        .collect();
    let request = Request::read(json!(notes)).expect("a request");
    let asked = Cell::new(0);
    // All 50 are decided by then.
    let sixtieth = || {
        asked.set(asked.get() + 1);
        asked.get() == 60
    };
    let stopped = table
        .game
        .decide(&[], &request, &mut SeededDice::new([1; 32]), &sixtieth);
    assert_eq!((stopped.err(), asked.get()), (Some(Refusal::Stopped), 60));
}

#[test]
fn what_is_listed_grows_no_faster_than_the_encounter_does() {
    let size = |count: usize| {
        let group = |n: usize| json!({"id": format!("g{n}"), "side": "monsters", "members": ["one", "two"]});
        let combatants: Vec<Value> = (0..count).map(group).collect();
        let legal_commands =
            Table::create(json!({"ruleset": "round-robin", "combatants": combatants}))
                .legal_commands();
        assert!(listed(
            &legal_commands,
            &json!({"type": "damage", "target": "g7", "amount": 1, "source": "g9"})
        ));
        serde_json::to_vec(&legal_commands)
            .expect("legal_commands are JSON")
            .len()
    };
    let (half, full) = (size(250), size(500));
    assert!(
        full < half * 5 / 2,
        "{half} bytes for 250 groups, {full} for 500"
    );
}
