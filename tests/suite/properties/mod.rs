//! The laws that hold in every ruleset, over random play: legal is what is accepted, the log folds to the state, a refusal
//! changes nothing and tells why, turns and rounds begin and end once, and somebody who exists is always awaited.
//!
//! `TURNKEEPER_PLAYS` sets how many fights each ruleset plays, `TURNKEEPER_ONLY` plays only rulesets whose id holds it, and
//! `TURNKEEPER_SEED` plays one fight again.

pub mod chance;
mod fields;
mod hidden;
mod history;
pub mod judge;
mod player;
pub mod secrecy;
mod turns;

use crate::support::setting;
use crate::support::table::RULESETS;
use judge::{Breach, Judge};
use player::{Played, Subject, Tally};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The fights of one ruleset where nothing else is said.
const PLAYS: u64 = 25;

#[test]
fn the_laws_hold_in_every_ruleset() {
    let only = std::env::var("TURNKEEPER_ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for ruleset in RULESETS.iter().filter(|r| r.manifest().id.contains(&only)) {
        let subject = Subject::of(ruleset);
        let (tally, breaches) = match setting("TURNKEEPER_SEED") {
            Some(seed) => judge(&subject, vec![(seed & 0xffff_ffff, seed)]),
            None => judge(&subject, (0..setting("TURNKEEPER_PLAYS").unwrap_or(PLAYS)).map(|n| (n, n)).collect()),
        };
        println!(
            "{}: {} fights, {} commands, {} accepted, {} refused, {} rounds",
            subject.id,
            tally.plays,
            tally.accepted + tally.refused,
            tally.accepted,
            tally.refused,
            tally.rounds
        );
        wrong.extend(breaches);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Plays these fights on every core; the breaches, the first of each law.
fn judge(subject: &Subject, fights: Vec<(u64, u64)>) -> (Tally, Vec<String>) {
    let next = AtomicU64::new(0);
    let total = Mutex::new(Tally::default());
    let found: Mutex<BTreeMap<&'static str, (usize, u64, Played)>> = Mutex::default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some((number, seed)) = fights.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                    let played = subject.play(*number, *seed);
                    let mut total = total.lock().expect("a tally");
                    total.plays += played.tally.plays;
                    total.accepted += played.tally.accepted;
                    total.refused += played.tally.refused;
                    total.rounds += played.tally.rounds;
                    drop(total);
                    let Some(law) = played.breach.as_ref().map(|b| b.law) else { continue };
                    let mut found = found.lock().expect("the breaches");
                    match found.get_mut(law) {
                        Some((count, first, kept)) => {
                            *count += 1;
                            if played.actions.len() < kept.actions.len() {
                                (*first, *kept) = (*seed, played);
                            }
                        }
                        None => _ = found.insert(law, (1, *seed, played)),
                    }
                }
            });
        }
    });
    let found = found.into_inner().expect("the breaches");
    let told = found.into_iter().map(|(law, (count, seed, played))| tell(subject, law, count, seed, played));
    (total.into_inner().expect("a tally"), told.collect())
}

/// A breach for people, with the shortest play that shows it.
fn tell(subject: &Subject, law: &str, count: usize, seed: u64, mut played: Played) -> String {
    let breach = shrink(&mut played);
    let steps: Vec<String> = played
        .actions
        .iter()
        .map(|action| format!("    {}{}", if action.advance { "" } else { "(tried) " }, action.command))
        .collect();
    let creation = json!({"combatants": played.creation["combatants"], "options": played.creation["options"]});
    format!(
        "{}: LAW \"{law}\" broken in {count} fights (TURNKEEPER_ONLY={} TURNKEEPER_SEED={seed})\n  {}\n  create {creation}\n{}\n",
        subject.id,
        subject.id,
        breach.detail,
        steps.join("\n")
    )
}

/// The first breach of a play that is played again.
fn again(played: &Played) -> Option<Breach> {
    let run = || -> Result<(), Breach> {
        let Some(mut judge) = Judge::new(&played.creation)? else { return Ok(()) };
        for action in &played.actions {
            judge.act(action)?;
        }
        judge.finish_round(played.finish).map(|_| ())
    };
    run().err()
}

/// Leaves out every action and every combatant without whom the same law is still broken.
fn shrink(played: &mut Played) -> Breach {
    let mut breach = played.breach.clone().expect("a breach");
    loop {
        let before = (played.actions.len(), played.creation.clone());
        for i in (0..played.actions.len()).rev() {
            let kept = played.actions.clone();
            played.actions.remove(i);
            match again(played).filter(|b| b.law == breach.law) {
                Some(same) => breach = same,
                None => played.actions = kept,
            }
        }
        for i in (0..played.creation["combatants"].as_array().map_or(0, Vec::len)).rev() {
            let kept = played.creation.clone();
            played.creation["combatants"].as_array_mut().expect("combatants").remove(i);
            match again(played).filter(|b| b.law == breach.law) {
                Some(same) => breach = same,
                None => played.creation = kept,
            }
        }
        if before == (played.actions.len(), played.creation.clone()) {
            return breach;
        }
    }
}
