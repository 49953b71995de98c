//! Plays the files of `tests/hidden`, one for each ruleset: the same play with hidden combatants
//! and without them shows the same.

use super::secrecy::{Even, Sight, Stage, alike};
use crate::support::sources::{read, stem};
use rstest::rstest;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use turnkeeper::engine::{Decided, Viewer};
use turnkeeper::vocabulary::Dice;

/// One play. A combatant may be written as its id, its side and a condition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Play {
    name: String,
    #[allow(dead_code, reason = "it is for the reader")]
    why: Option<String>,
    #[serde(default)]
    options: Value,
    seen: Vec<Value>,
    hidden: Vec<Value>,
    steps: Vec<Step>,
}

/// One command, written as JSON or as its type and its combatant, and what is seen after it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[allow(dead_code, reason = "it is for the reader")]
    why: Option<String>,
    /// It happens in both plays and looks the same.
    open: Option<Value>,
    /// The dice of `open` in the play with the hidden: they roll too.
    #[serde(default)]
    with: Vec<u16>,
    /// The dice of `open` in the play without the hidden.
    #[serde(default)]
    without: Vec<u16>,
    /// It happens only where there are hidden combatants; only the game master knows of it.
    secret: Option<Value>,
    /// It gives a hidden combatant the turn, or asks for one: viewers read that somebody acts. From
    /// here on the play goes on without the other one.
    someone: Option<Value>,
    /// It happens only in the play with the hidden.
    hidden_only: Option<Value>,
    /// The types of the events that viewers read.
    events: Option<Vec<String>>,
    /// The names of the turns that viewers see.
    slots: Option<Vec<String>>,
    /// The names of all turns.
    all_slots: Option<Vec<String>>,
    /// Parts of the encounter as viewers read it.
    #[serde(default)]
    shows: Vec<String>,
    /// What the encounter as viewers read it does not hold.
    #[serde(default)]
    hides: Vec<String>,
}

/// Dice that fall as written, and all alike where nothing is written.
struct Written(Vec<u16>);

impl Dice for Written {
    fn roll(&mut self, sides: u16) -> u16 {
        if self.0.is_empty() {
            Even(9).roll(sides)
        } else {
            self.0.remove(0)
        }
    }
}

fn combatant(written: &Value, hidden: bool) -> Value {
    let mut combatant = match written
        .as_str()
        .map(|text| text.split(' ').collect::<Vec<_>>())
        .as_deref()
    {
        Some([id, side, conditions @ ..]) => {
            json!({"id": id, "side": side, "conditions": conditions})
        }
        _ => written.clone(),
    };
    if hidden {
        combatant["hidden"] = json!(true);
    }
    combatant
}

fn command(written: &Value) -> Value {
    match written
        .as_str()
        .map(|text| text.split_once(' ').unwrap_or((text, "")))
    {
        Some((verb, "")) => json!({"type": verb}),
        Some((verb, who)) => json!({"type": verb, "combatant": who}),
        None => written.clone(),
    }
}

/// What becomes of a command, which must be accepted.
fn send(stage: &Stage, command: &Value, dice: &[u16]) -> (Stage, Decided) {
    let sent = stage.send(command, &mut Written(dice.to_vec()));
    let (next, decided) = sent.unwrap_or_else(|| panic!("{command} is refused"));
    stage.folds(&decided);
    (next, decided)
}

fn slots(view: &str) -> Vec<String> {
    let view: Value = serde_json::from_str(view).expect("JSON");
    let slots = view["state"]["slots"].as_array().expect("turns");
    slots
        .iter()
        .filter_map(|slot| slot["id"].as_str().map(str::to_owned))
        .collect()
}

impl Step {
    /// Takes the step in the play with the hidden and the one without them; what viewers of the
    /// first see.
    fn take(&self, with: &mut Stage, without: &mut Stage) -> Vec<Sight> {
        let command = [&self.open, &self.secret, &self.someone, &self.hidden_only]
            .into_iter()
            .flatten()
            .next()
            .map(command);
        let command = command.expect("a command");
        let (next, decided) = send(with, &command, &self.with);
        let shown = next.sights(Some((&decided, &command)));
        if self.open.is_some() || self.secret.is_some() {
            assert!(
                !next.someone(with, &decided),
                "{command} gives a hidden combatant the turn"
            );
            let (expected, seen) = if self.open.is_some() {
                let (other, decided) = send(without, &command, &self.without);
                *without = other;
                (without.sights(Some((&decided, &command))), shown.clone())
            } else {
                *without = without.noted();
                (without.sights(None), next.sights(None))
            };
            assert_eq!(alike(&seen, &expected), Ok(()), "after {command}");
        }
        for sight in shown.iter().filter(|_| self.someone.is_some()) {
            assert!(
                sight.view.contains("\"decision\":\"someone_acts\""),
                "after {command} players do not see that someone acts; if that is right, the step is \
                 \"hidden_only\". They see {}",
                sight.view
            );
            let Some((_, events)) = &sight.entry else {
                panic!(
                    "after {command} players read of nothing, and see what they saw before: the \
                     step is \"secret\" or \"hidden_only\""
                );
            };
            assert!(
                events.contains("someone_acts") && !events.contains("\"h"),
                "{events}"
            );
        }
        *with = next;
        shown
    }

    /// Looks at what is seen after the step.
    fn check(&self, with: &Stage, sight: &Sight) {
        let events: Value = sight.entry.as_ref().map_or(json!([]), |entry| {
            serde_json::from_str(&entry.1).expect("JSON")
        });
        let types: Vec<&str> = events
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|event| event["type"].as_str())
            .collect();
        if let Some(expected) = &self.events {
            assert_eq!(types, *expected);
        }
        if let Some(expected) = &self.slots {
            assert_eq!(slots(&sight.view), *expected);
        }
        if let Some(expected) = &self.all_slots {
            assert_eq!(
                slots(with.game.view(&Viewer::gm("gm")).expect("a view").get()),
                *expected
            );
        }
        assert!(
            self.shows.iter().all(|part| sight.view.contains(part)),
            "{:?} in {}",
            self.shows,
            sight.view
        );
        assert!(
            !self.hides.iter().any(|part| sight.view.contains(part)),
            "{:?} in {}",
            self.hides,
            sight.view
        );
    }
}

impl Play {
    /// The scene before the first step, with these combatants.
    fn stage(&self, ruleset: &str, combatants: &[Value]) -> Stage {
        let mut creation = json!({"ruleset": ruleset, "combatants": combatants});
        if !self.options.is_null() {
            creation["options"] = self.options.clone();
        }
        Stage::create(&creation).expect("a sound creation")
    }

    fn check(&self, ruleset: &str) {
        let seen: Vec<Value> = self.seen.iter().map(|one| combatant(one, false)).collect();
        let hidden = self.hidden.iter().map(|one| combatant(one, true));
        // The hidden come first: an order of joining could show them.
        let all: Vec<Value> = hidden.chain(seen.clone()).collect();
        let mut with = self.stage(ruleset, &all);
        let mut without = self.stage(ruleset, &seen);
        let same = alike(&with.sights(None), &without.sights(None));
        assert_eq!(same, Ok(()), "at the creation");
        for step in &self.steps {
            let sights = step.take(&mut with, &mut without);
            step.check(&with, &sights[0]);
        }
    }
}

/// One test for each file.
#[rstest]
fn a_play_with_a_hidden_combatant_is_seen_as_the_play_without(
    #[files("*.json")]
    #[base_dir = "tests/hidden"]
    file: PathBuf,
) {
    let plays: Vec<Play> = serde_json::from_str(&read(&file)).expect("plays");
    for play in plays {
        println!("{}", play.name);
        play.check(&stem(&file));
    }
}
