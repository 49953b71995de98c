//! Every decision that an encounter awaits is in the ruleset's manifest, with the commands that
//! answer it and `resolve` if that does, and every decision of a manifest is awaited somewhere.

use crate::support::openapi::{AllSchemas, ruleset_manifest};
use crate::support::sources::files;
use crate::support::table::{Table, seeded};
use crate::transcripts;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use turnkeeper::engine::{AnyEncounter, Request};
use turnkeeper::vocabulary::{Decision, Time};

/// The decisions of one ruleset: those of its manifest, and those that were awaited.
struct Decisions {
    listed: Vec<Decision>,
    awaited: BTreeSet<&'static str>,
    wrong: BTreeSet<String>,
}

impl Decisions {
    /// Compares what an encounter awaits with the manifest, also as a spectator sees it.
    fn hold(&mut self, encounter: &dyn AnyEncounter) {
        self.hold_resolve(encounter);
        for pending in [
            encounter.brief().pending,
            encounter.redacted(&[]).brief().pending,
        ] {
            let Some(pending) = pending else {
                continue;
            };
            self.awaited.insert(pending.decision);
            let listed = self
                .listed
                .iter()
                .find(|listed| listed.id == pending.decision);
            let Some(listed) = listed else {
                self.wrong
                    .insert(format!("{} is not listed", pending.decision));
                continue;
            };
            for command in pending.commands {
                if !listed.commands.contains(&command) {
                    self.wrong
                        .insert(format!("{} does not list {command}", listed.id));
                }
            }
        }
    }

    /// Lets the game master resolve what an encounter awaits, and compares that with the manifest.
    fn hold_resolve(&mut self, encounter: &dyn AnyEncounter) {
        let Some(pending) = encounter.brief().pending else {
            return;
        };
        let resolve = Request::read(json!({"type": "resolve"})).expect("a request");
        let resolved = encounter.decide(&[], &resolve, Time::default(), &mut seeded(0), &|| false);
        let mut listed = self.listed.iter();
        let listed = listed.find(|listed| listed.id == pending.decision);
        let lists_it = listed.is_some_and(|listed| listed.commands.contains(&"resolve"));
        if resolved.is_ok() && !lists_it {
            self.wrong
                .insert(format!("{} does not list resolve", pending.decision));
        }
    }

    /// Plays commands, each with the number of its dice. Refusals change nothing.
    fn play(&mut self, creation: Value, commands: &[(Value, u64)]) {
        let Ok(table) = Table::try_create(creation) else {
            return;
        };
        let mut encounter = table.game;
        self.hold(&*encounter);
        for (command, dice) in commands {
            let Ok(request) = Request::read(command.clone()) else {
                continue;
            };
            let decided =
                encounter.decide(&[], &request, Time::default(), &mut seeded(*dice), &|| {
                    false
                });
            let Ok(decided) = decided else {
                continue;
            };
            encounter = decided.next;
            self.hold(&*encounter);
        }
    }
}

#[test]
fn every_decision_is_in_the_manifest_and_awaited() {
    let mut all = BTreeMap::new();
    for schemas in &AllSchemas::shipped().0 {
        let decisions = Decisions {
            listed: ruleset_manifest(schemas).decisions,
            awaited: BTreeSet::new(),
            wrong: BTreeSet::new(),
        };
        all.insert(schemas.manifest.id, decisions);
    }
    for (id, decisions) in &mut all {
        for (_, transcript) in transcripts::of(id) {
            let mut commands = Vec::new();
            for (number, step) in (1..).zip(transcript["steps"].as_array().into_iter().flatten()) {
                if let Some(sent) = step.get("send") {
                    commands.push((sent.clone(), number));
                }
            }
            decisions.play(transcript["create"].clone(), &commands);
        }
    }
    for (creation, commands) in recorded() {
        let id = creation["ruleset"].as_str().expect("a ruleset").to_owned();
        if let Some(decisions) = all.get_mut(id.as_str()) {
            decisions.play(creation, &commands);
        }
    }
    let mut wrong = Vec::new();
    for (id, decisions) in all {
        for listed in &decisions.listed {
            if !decisions.awaited.contains(listed.id) {
                wrong.push(format!(
                    "{id}: {} is awaited in no transcript and no recorded play",
                    listed.id
                ));
            }
        }
        wrong.extend(decisions.wrong.iter().map(|what| format!("{id}: {what}")));
    }
    assert!(wrong.is_empty(), "decisions:\n  {}", wrong.join("\n  "));
}

/// The recorded plays: each creation with its commands.
fn recorded() -> Vec<(Value, Vec<(Value, u64)>)> {
    let mut plays = Vec::new();
    for (_, text) in files("tests/plays", "jsonl") {
        for line in text.lines() {
            let mut line: Value = serde_json::from_str(line).expect("a line of a play");
            if line["create"].is_object() {
                plays.push((line["create"].take(), Vec::new()));
            } else if let Some((_, commands)) = plays.last_mut() {
                let dice = line["dice"].as_u64().expect("a number");
                commands.push((line["send"].take(), dice));
            }
        }
    }
    plays
}

#[test]
fn commands_that_answer_decisions_exist() {
    for schemas in &AllSchemas::shipped().0 {
        let manifest = ruleset_manifest(schemas);
        for decision in &manifest.decisions {
            for command in decision.commands {
                let exists = manifest.commands.iter().any(|known| known.kind == *command);
                let id = manifest.manifest.id;
                assert!(exists, "{id}: {} names no command {command}", decision.id);
            }
        }
    }
}
