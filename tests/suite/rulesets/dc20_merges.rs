//! DC20: merges let the teams alternate again, wherever in the order characters share a turn.

use crate::properties::secrecy::{Even, Stage};
use crate::support::{shows, sized};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use turnkeeper::engine::Viewer;

/// A fight in which some characters share one turn, and every enemy has a turn of its own.
#[derive(Debug, Clone)]
struct Sharing {
    characters: usize,
    characters_first: bool,
    /// The numbers of the characters that share.
    sharers: Vec<usize>,
    /// Whether they delay to the turn of the last of them; else they claim the turn of the first
    /// together.
    by_delay: bool,
    /// The round in which the Enemy Turns are merged.
    merged_in: u64,
}

/// What a turn of the order was: a character's or an enemy's.
type Turns = Vec<(u64, char)>;

/// The turns from the merges on, for three more rounds.
fn turns_after_merges(sharing: &Sharing) -> Turns {
    let mut stage = begun(sharing);
    let (mut turns, mut merged) = (Turns::new(), false);
    loop {
        let view = seen(&stage);
        let round = view["round"].as_u64().expect("a round");
        if round == sharing.merged_in + 3 {
            return turns;
        }
        if view["state"]["phase"] == "claim" {
            stage = send(&stage, &claim(sharing, &view));
            continue;
        }
        let acting: Vec<&str> = view["state"]["acting"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let first = *acting.first().expect("a turn is going on");
        let shared = acting.len() == sharing.sharers.len() && first.starts_with('c');
        if shared && round == sharing.merged_in && !merged {
            stage = merge_all(stage, sharing);
            merged = true;
        }
        if merged {
            turns.push((round, first.chars().next().expect("a name")));
        }
        let delays = !shared
            && sharing.by_delay
            && round == 1
            && sharing.sharers.iter().any(|n| name(*n) == first);
        stage = if delays {
            let last = sharing.sharers.last().expect("a sharer");
            send(
                &stage,
                &json!({"type": "delay", "combatant": first, "slot": format!("p{last}")}),
            )
        } else {
            send(
                &stage,
                &json!({"type": "end_turn", "combatant": first, "all": true}),
            )
        };
    }
}

fn name(character: usize) -> String {
    format!("c{character}")
}

fn begun(sharing: &Sharing) -> Stage {
    let numbers = 1..=sharing.characters;
    let mut combatants: Vec<Value> = numbers
        .clone()
        .map(|n| json!({"id": name(n), "side": "players"}))
        .collect();
    combatants.extend(
        numbers
            .clone()
            .map(|n| json!({"id": format!("e{n}"), "side": "monsters"})),
    );
    let stage = Stage::create(&json!({"ruleset": "dc20", "combatants": combatants}))
        .expect("a sound creation");
    let roll = if sharing.characters_first { 15 } else { 5 };
    let rolls: Map<String, Value> = numbers.clone().map(|n| (name(n), json!(roll))).collect();
    let mut commands = vec![json!({"type": "start", "dc": 13, "rolls": rolls})];
    let assigned = numbers
        .map(|n| json!({"type": "assign", "combatant": format!("e{n}"), "slot": format!("e{n}")}));
    commands.extend(assigned);
    send(&stage, &json!(commands))
}

fn seen(stage: &Stage) -> Value {
    let view = stage.game.view(&Viewer::gm("gm")).expect("a view");
    serde_json::from_str(view.get()).expect("a view is JSON")
}

fn send(stage: &Stage, command: &Value) -> Stage {
    stage
        .send(command, &mut Even(4))
        .unwrap_or_else(|| panic!("{command} was refused: {}", seen(stage)))
        .0
}

/// The claim of the awaited turn: of the sharers together, or of the next character without a turn.
/// Then nobody else is waited for.
fn claim(sharing: &Sharing, view: &Value) -> Value {
    if !view["state"]["claims"].is_null() {
        return json!({"type": "resolve"});
    }
    let turn = view["state"]["slot"].as_str().expect("a turn");
    let together = !sharing.by_delay && turn == format!("p{}", sharing.sharers[0]);
    if together {
        let others: Vec<String> = sharing.sharers.iter().skip(1).map(|n| name(*n)).collect();
        return json!({"type": "claim", "combatant": name(sharing.sharers[0]), "others": others, "share": true});
    }
    let combatants = view["combatants"].as_array().expect("combatants");
    let free = combatants
        .iter()
        .find(|c| c["side"] == "players" && c["slot"].is_null())
        .expect("a character");
    json!({"type": "claim", "combatant": free["id"]})
}

/// As many merges as PC Turns are empty by sharing, and not one more.
fn merge_all(mut stage: Stage, sharing: &Sharing) -> Stage {
    let merge = json!({"type": "merge"});
    for _ in 1..sharing.sharers.len() {
        stage = send(&stage, &merge);
    }
    assert!(
        stage.send(&merge, &mut Even(4)).is_none(),
        "a merge too many: {sharing:?}"
    );
    stage
}

/// Every way in which some of these characters share one turn.
fn sharings(characters: usize) -> Vec<Sharing> {
    let mut sharings = Vec::new();
    for members in 0_u32..1 << characters {
        let sharers: Vec<usize> = (1..=characters)
            .filter(|n| members >> (n - 1) & 1 == 1)
            .collect();
        if sharers.len() < 2 {
            continue;
        }
        let neighbours = sharers.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        for by_delay in [true, false] {
            // Who claims a turn together follows on the characters before them.
            if !by_delay && !neighbours {
                continue;
            }
            for characters_first in [true, false] {
                for merged_in in [1, 2] {
                    let sharers = sharers.clone();
                    sharings.push(Sharing {
                        characters,
                        characters_first,
                        sharers,
                        by_delay,
                        merged_in,
                    });
                }
            }
        }
    }
    sharings
}

#[test]
fn after_the_merges_no_two_enemy_turns_follow_one_another_wherever_a_turn_is_shared() {
    shows(&["DC-16", "DC-25"]);
    let (mut shapes, mut played) = (HashSet::new(), 0);
    for sharing in (2..=sized(4, 6)).flat_map(sharings) {
        let turns = turns_after_merges(&sharing);
        let told: String = turns.iter().map(|(_, whose)| whose).collect();
        assert!(!told.contains("ee"), "{sharing:?}: {told}");
        // A turn that went round the order acts again one round later: from then on the teams
        // alternate.
        let settled = turns
            .iter()
            .filter(|(round, _)| *round > sharing.merged_in)
            .map(|(_, whose)| whose);
        let settled: String = settled.collect();
        assert!(!settled.contains("cc"), "{sharing:?}: {settled}");
        let kept = sharing.characters - sharing.sharers.len() + 1;
        assert_eq!(settled.len(), 2 * 2 * kept, "{sharing:?}: {settled}");
        shapes.insert((
            sharing.characters,
            sharing.characters_first,
            sharing.sharers,
            sharing.by_delay,
        ));
        played += 1;
    }
    assert_eq!(played, 2 * shapes.len());
}
