//! Recorded plays: what comes of a command does not change unnoticed.
//!
//! `tests/plays/RULESET.jsonl` holds plays at random, each a line with its creation and a line for
//! each command: what was told, or why it was refused, and digests of what the game master, a
//! player and an onlooker see and may do then. `TURNKEEPER_BLESS=1` writes what comes of the same
//! commands now; for a file that is missing, new plays are made.

use super::chance::Chance;
use super::player::Subject;
use super::secrecy::{Sight, Stage};
use super::subjects;
use crate::support::legal_commands::repeated_label;
use crate::support::sources::{path, read};
use crate::support::table::{Refused, seeded, sentences_of, without_sentences};
use rstest::rstest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::{Debug, Write};
use std::path::PathBuf;
use turnkeeper::engine::{Decided, OptionsFilter, Request, Viewer};
use turnkeeper::vocabulary::Time;

/// The plays of a new file.
const PLAYS: u64 = 10;
/// The plays of a new file for definitions, of which each play has its own.
const DEFINITIONS: u64 = 40;
/// The refusals of one kind in a new file.
const ALIKE: usize = 3;

/// A line of a file.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Play {
        create: Value,
    },
    Step {
        send: Value,
        dice: u64,
        answer: String,
        shows: String,
    },
}

fn digest(seen: &impl Debug) -> String {
    Sha256::digest(format!("{seen:?}"))
        .iter()
        .take(3)
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Sends a command; the answer, and the stage after it.
fn send(stage: &Stage, command: &Value, dice: u64) -> Result<(Stage, Decided), Refused> {
    let request = Request::read(command.clone())?;
    let decided = stage
        .game
        .decide(&[], &request, Time::default(), &mut seeded(dice), &|| false)?;
    Ok((stage.after(&decided), decided))
}

/// What comes of a command, and the kind of a refusal.
fn step(stage: &mut Stage, command: &Value, dice: u64) -> (String, String, Option<String>) {
    let refusals = digest(&stage.refusals(command));
    match send(stage, command, dice) {
        Err(Refused {
            code,
            rule,
            field,
            detail,
        }) => {
            let ground = rule.or(field).unwrap_or_default();
            let kind = format!(
                "{code} {}",
                ground.trim_end_matches(|c: char| c.is_ascii_digit())
            );
            (format!("{code} ({ground}): {detail}"), refusals, Some(kind))
        }
        Ok((next, decided)) => {
            let gm = Viewer::gm("gm");
            let view = next.game.view(&gm).expect("a view");
            let options = next.game.options(&gm, &OptionsFilter::all(), 0, &|| false);
            assert_eq!(repeated_label(&options), None, "after {command}");
            let options = serde_json::to_string(&options).expect("options");
            let all = (
                view.get(),
                next.game.text(),
                options,
                next.game.brief(),
                without_sentences(decided.events.get()),
            );
            let sights = next.sights(Some((&decided, command)));
            let shows = format!(
                "{} {} {} {refusals}",
                digest(&all),
                digest(&bare(&sights[0])),
                digest(&bare(&sights[1]))
            );
            *stage = next;
            (sentences_of(&decided.events).join(" "), shows, None)
        }
    }
}

/// A sight without the sentences of its events: a play tells those apart.
fn bare(sight: &Sight) -> Sight {
    let mut sight = sight.clone();
    if let Some((_, events)) = &mut sight.entry {
        *events = without_sentences(events);
    }
    sight
}

/// New plays.
fn made(subject: &Subject) -> Vec<Line> {
    let (mut lines, mut kinds) = (Vec::new(), BTreeMap::<String, usize>::new());
    for seed in 0..if subject.id == "custom" {
        DEFINITIONS
    } else {
        PLAYS
    } {
        let mut chance = Chance::new(seed);
        let mut played = subject.play(40 + seed, chance.seed());
        let combatants = played.creation["combatants"]
            .as_array_mut()
            .expect("combatants");
        for one in combatants
            .iter_mut()
            .skip(2)
            .filter(|_| seed % 2 == 1 && chance.percent(40))
        {
            one["hidden"] = true.into();
        }
        let Some(mut stage) = Stage::create(&played.creation) else {
            continue;
        };
        lines.push(Line::Play {
            create: played.creation,
        });
        for action in played.actions {
            let mut next = stage.clone();
            let (answer, shows, refused) = step(&mut next, &action.command, action.dice);
            let kept = match refused {
                None => action.advance,
                Some(kind) => {
                    let alike = kinds.entry(kind).or_default();
                    *alike += 1;
                    *alike <= ALIKE
                }
            };
            if kept {
                lines.push(Line::Step {
                    send: action.command,
                    dice: action.dice,
                    answer,
                    shows,
                });
                stage = next;
            }
        }
    }
    lines
}

/// What comes of the same commands now.
fn replayed(recorded: &str) -> Vec<Line> {
    let mut stage = None;
    let mut replay = |line| match line {
        Line::Play { create } => {
            stage = Stage::create(&create);
            Line::Play { create }
        }
        Line::Step { send, dice, .. } => {
            let stage = stage.as_mut().expect("a creation that is accepted");
            let (answer, shows, _) = step(stage, &send, dice);
            Line::Step {
                send,
                dice,
                answer,
                shows,
            }
        }
    };
    let lines = recorded
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of a play"));
    lines.map(&mut replay).collect()
}

fn write(lines: &[Line]) -> String {
    lines
        .iter()
        .map(|line| serde_json::to_string(line).expect("JSON") + "\n")
        .collect()
}

/// One test for each file.
#[rstest]
fn what_comes_of_recorded_plays_is_as_it_was(
    #[files("*.jsonl")]
    #[base_dir = "tests/plays"]
    file: PathBuf,
) {
    let now = write(&replayed(&read(&file)));
    if std::env::var_os("TURNKEEPER_BLESS").is_some() {
        std::fs::write(&file, now).expect("a file that can be written");
        return;
    }
    let recorded = read(&file);
    for (number, (was, is)) in (1..).zip(recorded.lines().zip(now.lines())) {
        assert!(
            was == is,
            "line {number}: recorded was\n  {was}\nand now it is\n  {is}\n\
             TURNKEEPER_BLESS=1 tests/run recorded writes what comes of these commands now"
        );
    }
}

#[test]
fn each_ruleset_has_recorded_plays() {
    for subject in subjects() {
        let file = path(&format!("tests/plays/{}.jsonl", subject.id));
        if file.exists() {
            continue;
        }
        let bless = std::env::var_os("TURNKEEPER_BLESS").is_some();
        assert!(
            bless,
            "{} is missing: TURNKEEPER_BLESS=1 tests/run recorded writes it",
            file.display()
        );
        std::fs::write(&file, write(&made(&subject))).expect("a file that can be written");
    }
}
