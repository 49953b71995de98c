//! Properties that hold in every ruleset, over random play: legal is what is accepted, the log
//! folds to the state, a refusal changes nothing and says why, turns and rounds begin and end once,
//! and somebody who exists is always awaited.
//!
//! `TURNKEEPER_PLAYS` sets how many fights each ruleset plays, `TURNKEEPER_ONLY` plays only
//! rulesets whose id holds it, and `TURNKEEPER_SEED` plays one fight again.

pub mod chance;
mod changes;
pub mod definitions;
mod fields;
mod gone;
mod history;
pub mod judge;
mod least;
mod player;
mod recorded;
pub mod secrecy;
mod signature;
mod swap;
mod teams;
mod turns;

use crate::support::setting;
use crate::support::table::RULESETS;
use judge::{Breach, Judge};
use player::{Played, Subject};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The fights of one ruleset where nothing else is said.
const PLAYS: u64 = 25;

/// The rulesets whose id contains `TURNKEEPER_ONLY`.
pub fn subjects() -> impl Iterator<Item = Subject> {
    let only = std::env::var("TURNKEEPER_ONLY").unwrap_or_default();
    RULESETS
        .iter()
        .filter(move |ruleset| ruleset.manifest.id.contains(&only))
        .map(Subject::of)
}

/// The numbers of the plays of each ruleset: all below `default` or `TURNKEEPER_PLAYS`, or only
/// `TURNKEEPER_SEED`.
fn numbers(default: u64) -> Vec<u64> {
    match setting("TURNKEEPER_SEED") {
        Some(seed) => vec![seed],
        None => (0..setting("TURNKEEPER_PLAYS").unwrap_or(default)).collect(),
    }
}

#[test]
fn the_properties_hold_in_every_ruleset() {
    let breaches: Vec<String> = subjects().flat_map(|subject| breaches(&subject)).collect();
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

/// Plays on every core; the first breach of each property.
fn breaches(subject: &Subject) -> Vec<String> {
    let numbers = numbers(PLAYS);
    let next = AtomicUsize::new(0);
    let found: Mutex<BTreeMap<&'static str, Vec<(u64, Played)>>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let played = subject.play(number & 0xffff_ffff, *number);
                    if let Some(breach) = &played.breach {
                        found
                            .lock()
                            .expect("no panic")
                            .entry(breach.property)
                            .or_default()
                            .push((*number, played));
                    }
                }
            });
        }
    });
    let found = found.into_inner().expect("no panic").into_values();
    let shortest = |plays: Vec<(u64, Played)>| {
        let count = plays.len();
        let (seed, played) = plays
            .into_iter()
            .min_by_key(|(_, played)| played.actions.len())
            .expect("a play");
        report(subject, count, seed, played)
    };
    found.map(shortest).collect()
}

/// A breach for people, with the shortest play that shows it.
fn report(subject: &Subject, count: usize, seed: u64, mut played: Played) -> String {
    let breach = shrink(&mut played);
    let steps: Vec<String> = played
        .actions
        .iter()
        .map(|action| {
            format!(
                "    {}{}",
                if action.advance { "" } else { "(tried) " },
                action.command
            )
        })
        .collect();
    let creation =
        json!({"combatants": played.creation["combatants"], "options": played.creation["options"]});
    let (id, Breach { property, detail }, steps) = (subject.id, breach, steps.join("\n"));
    format!(
        "{id}: \"{property}\" fails in {count} plays (TURNKEEPER_ONLY={id} TURNKEEPER_SEED={seed})\n  {detail}\n  create {creation}\n{steps}\n"
    )
}

/// The first breach of a play that is played again.
fn again(played: &Played) -> Option<Breach> {
    let run = || -> Result<(), Breach> {
        let Some(mut judge) = Judge::new(&played.creation)? else {
            return Ok(());
        };
        for action in &played.actions {
            judge.act(action)?;
        }
        judge.finish_round(played.finish)
    };
    run().err()
}

/// Leaves out every action, every combatant and every option without which the same property is
/// still broken.
fn shrink(played: &mut Played) -> Breach {
    let mut breach = played.breach.clone().expect("a breach");
    loop {
        let before = (played.actions.len(), played.creation.clone());
        for i in (0..played.actions.len()).rev() {
            let kept = played.actions.clone();
            played.actions.remove(i);
            match again(played).filter(|b| b.property == breach.property) {
                Some(same) => breach = same,
                None => played.actions = kept,
            }
        }
        for i in (0..played.creation["combatants"].as_array().map_or(0, Vec::len)).rev() {
            let kept = played.creation.clone();
            played.creation["combatants"]
                .as_array_mut()
                .expect("combatants")
                .remove(i);
            match again(played).filter(|b| b.property == breach.property) {
                Some(same) => breach = same,
                None => played.creation = kept,
            }
        }
        let mut lines = Vec::new();
        definitions::pointers(&played.creation["options"], "/options", &mut lines);
        for line in lines.iter().rev() {
            let kept = played.creation.clone();
            remove(&mut played.creation, line);
            match again(played).filter(|b| b.property == breach.property) {
                Some(same) => breach = same,
                None => played.creation = kept,
            }
        }
        if before == (played.actions.len(), played.creation.clone()) {
            return breach;
        }
    }
}

/// Removes what stands at a pointer.
fn remove(value: &mut Value, pointer: &str) {
    let Some((outer, name)) = pointer.rsplit_once('/') else {
        return;
    };
    match value.pointer_mut(outer) {
        Some(Value::Object(fields)) => _ = fields.remove(name),
        Some(Value::Array(items)) => {
            if let Some(at) = name.parse().ok().filter(|at| *at < items.len()) {
                items.remove(at);
            }
        }
        _ => {}
    }
}
