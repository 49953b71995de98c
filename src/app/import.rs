//! Import of logs.
//!
//! A log is folded again from its base. That checks shapes, versions and bounds, and that each
//! checkpoint is the state that the log leads to, but for an undo or redo that restores a version
//! older than the base. The rules are not checked again: a log does not hold all commands and dice,
//! and a game master may give the turn to anyone (`override`). So the base, the events, and the
//! time, sender and commands of an entry are taken on trust.
//!
//! Whatever a log says, the memory that an import takes is a small multiple of its bytes: entries
//! are read one by one and into their types, and a state is kept only if the log itself holds it in
//! full.

use super::budget::Client;
use super::encounters::new_meta;
use super::transfer::{ExportedLog, FORMAT};
use super::work::WhenFull;
use super::{App, AppError, Application, CreatedEncounter, IdempotencyKey, MAX_DOCUMENT};
use crate::engine::{AnyEncounter, LogEntry, Meta, Refusal, Request, Rulesets, SCHEMA, Stop};
use crate::json::{FieldError, each_item, json_text, read_json};
use crate::store::Entry;
use crate::vocabulary::Time;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

/// The queue in which files wait: exported logs and those of other trackers.
pub(super) const IMPORTS: &str = "imports";
/// Maximum bytes of an entry: its checkpoint, and as much again for what happened in all its forms.
const MAX_ENTRY: usize = 2 * MAX_DOCUMENT;
/// Maximum version of an imported encounter. JSON and the stores count exactly up to 2^53, and this
/// leaves room to play on.
const MAX_VERSION: u64 = (1 << 53) - (1 << 32);
/// Bytes by which entries may grow beyond twice the log's. They grow where a log has not kept what
/// viewers read.
const GROWTH: usize = 1024 * 1024;
/// Bytes by which two states may differ in length that differ in their version alone.
const VERSION_DIGITS: usize = 32;

const IMPOSSIBLE: &str = "This undo or redo is not possible at this place in the log.";

/// The event of an undo or redo.
#[derive(Deserialize)]
struct RewindEvent {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    to_version: Option<u64>,
}

/// What an entry says of a state that it restores.
#[derive(Deserialize)]
struct RewindEntry<'j> {
    #[serde(borrow)]
    events: &'j RawValue,
    #[serde(borrow)]
    checkpoint: Option<&'j RawValue>,
}

impl App {
    /// Creates an encounter from an exported log in JSON, with a token of its own, once for each
    /// idempotency key. The answer takes room of `client`'s.
    pub async fn import(
        self: &Arc<Self>,
        log: Bytes,
        key: Option<&IdempotencyKey>,
        application: Option<Application>,
        client: &Client,
    ) -> Result<CreatedEncounter, AppError> {
        let secrets = self.secrets(key, application.as_deref()).await?;
        let (meta, token) = new_meta(None, key, &secrets)?;
        let app = self.clone();
        let fold = self.imports.run(IMPORTS, WhenFull::Refuse, move |stop| {
            fold_import(&app.rulesets, meta, &log, stop)
        });
        let fold = fold.await??;
        let room = self.room_for_creation(&*fold.encounter, client)?;
        let (encounter, replayed) = self
            .persist(fold.base, fold.encounter, fold.entries, key, application)
            .await?;
        Ok(CreatedEncounter {
            encounter,
            token,
            tokens: Vec::new(),
            replayed,
            room,
        })
    }
}

/// Folds a log from its base. Asks `stop` before each entry.
fn fold_import(
    rulesets: &Rulesets,
    meta: Meta,
    json: &[u8],
    stop: Stop<'_>,
) -> Result<ImportFold, AppError> {
    let log: ExportedLog = read_json(json_text(json)?)?;
    if !log.entries.get().starts_with('[') {
        return Err(FieldError::malformed("entries", "Expected a list.").into());
    }
    check_head(&log)?;
    let base = read_base(rulesets, meta, &log)?;
    let mut fold = ImportFold {
        encounter: base.clone(),
        base,
        entries: Vec::new(),
        room: json.len().saturating_mul(2).saturating_add(GROWTH),
        claimed: rewind_targets(&log.entries),
        states: HashMap::new(),
    };
    each_item(&log.entries, |place, raw| {
        if stop() {
            return Err(Refusal::Stopped.into());
        }
        let path = format!("entries.{place}");
        fold.keep_state(&path)?;
        let entry = fold.read(raw, stop).map_err(|error| error.within(&path))?;
        fold.add(entry)
            .map_err(|error| AppError::Inconsistent(error.within(&path)))
    })?;
    if fold.encounter.version() != log.version {
        let detail = format!("The entries end at version {}.", fold.encounter.version());
        return Err(inconsistent("version", detail));
    }
    Ok(fold)
}

/// Refuses another format and versions that are too large.
fn check_head(log: &ExportedLog) -> Result<(), AppError> {
    if log.format != FORMAT {
        return Err(inconsistent(
            "format",
            format!("Not an exported log: this must be {FORMAT:?}."),
        ));
    }
    if log.schema != SCHEMA {
        return Err(inconsistent(
            "schema",
            format!("This server reads schema {SCHEMA}, not {}.", log.schema),
        ));
    }
    for (path, version) in [("version", log.version), ("base.version", log.base.version)] {
        if version > MAX_VERSION {
            return Err(inconsistent(
                path,
                format!("Expected a version of at most {MAX_VERSION}."),
            ));
        }
    }
    Ok(())
}

/// The encounter that the log begins with.
fn read_base(
    rulesets: &Rulesets,
    meta: Meta,
    log: &ExportedLog,
) -> Result<Arc<dyn AnyEncounter>, AppError> {
    let document = &log.base.document;
    check_size(document, MAX_DOCUMENT)
        .map_err(|error| AppError::Inconsistent(error.within("base.document")))?;
    rulesets
        .validate_checkpoint(document)
        .map_err(|error| error.within("base.document"))?;
    let base = rulesets.restore(meta, document.get().as_bytes());
    let base = base.map_err(|error| inconsistent("base.document", error.to_string()))?;
    base.check()
        .map_err(|wrong| inconsistent("base.document", wrong))?;
    if base.ruleset() != log.ruleset {
        return Err(inconsistent(
            "ruleset",
            format!("The base belongs to the ruleset {}.", base.ruleset()),
        ));
    }
    if base.version() != log.base.version {
        return Err(inconsistent(
            "base.version",
            format!("The base is at version {}.", base.version()),
        ));
    }
    Ok(base)
}

fn inconsistent(path: &str, detail: impl Into<String>) -> AppError {
    AppError::Inconsistent(FieldError::meaningless(path, detail))
}

fn check_size(json: &RawValue, most: usize) -> Result<(), FieldError> {
    let size = json.get().len();
    if size > most {
        return Err(FieldError::meaningless(
            "",
            format!("Too large: {size} bytes. The maximum is {most}."),
        ));
    }
    Ok(())
}

/// The versions that undos and redos restore, each with the bytes of the longest state that one of
/// them carries. Ends where the fold will end: at what is no entry.
fn rewind_targets(entries: &RawValue) -> HashMap<u64, usize> {
    let mut targets = HashMap::new();
    let _ = each_item(entries, |_, raw| -> Result<(), FieldError> {
        let entry = serde_json::from_str::<RewindEntry<'_>>(raw.get());
        let entry = entry.map_err(|error| FieldError::malformed("", error.to_string()))?;
        let Some(checkpoint) = entry.checkpoint else {
            return Ok(());
        };
        if let Some(to_version) = rewind_event(entry.events).and_then(|event| event.to_version) {
            let longest: &mut usize = targets.entry(to_version).or_default();
            *longest = state_size(checkpoint).max(*longest);
        }
        Ok(())
    });
    targets
}

/// The state in a checkpoint.
#[derive(Deserialize)]
struct CheckpointState<'j> {
    #[serde(borrow)]
    encounter: &'j RawValue,
}

/// The bytes of the state in a checkpoint.
fn state_size(checkpoint: &RawValue) -> usize {
    let read = serde_json::from_str::<CheckpointState<'_>>(checkpoint.get());
    read.map_or(0, |checkpoint| checkpoint.encounter.get().len())
}

/// The undo or redo that is the only event of an entry.
fn rewind_event(events: &RawValue) -> Option<RewindEvent> {
    let (event,): (RewindEvent,) = serde_json::from_str(events.get()).ok()?;
    (event.kind == "undone" || event.kind == "redone").then_some(event)
}

/// An entry that was read.
struct NextEntry {
    entry: LogEntry,
    /// The encounter after it; None if it is an undo or redo.
    encounter: Option<Arc<dyn AnyEncounter>>,
}

/// A log that is being folded.
struct ImportFold {
    base: Arc<dyn AnyEncounter>,
    encounter: Arc<dyn AnyEncounter>,
    entries: Vec<Entry>,
    /// The bytes that further entries may take.
    room: usize,
    /// The versions that undos and redos restore, with the bytes of the state that they carry.
    claimed: HashMap<u64, usize>,
    /// Their states, as far as the fold has come.
    states: HashMap<u64, Arc<dyn AnyEncounter>>,
}

impl ImportFold {
    /// Keeps the present state if an entry to come restores it. That entry holds the whole state
    /// again, so a log is as long as the states that are kept for it.
    fn keep_state(&mut self, path: &str) -> Result<(), AppError> {
        let version = self.encounter.version();
        let Some(claimed) = self.claimed.get(&version) else {
            return Ok(());
        };
        let checkpoint = self
            .encounter
            .checkpoint()
            .map_err(|error| inconsistent(path, error.to_string()))?;
        if state_size(&checkpoint) <= claimed.saturating_add(VERSION_DIGITS) {
            self.states.insert(version, self.encounter.clone());
        }
        Ok(())
    }

    /// Reads the next entry.
    fn read(&self, raw: &RawValue, stop: Stop<'_>) -> Result<NextEntry, Refusal> {
        check_size(raw, MAX_ENTRY)?;
        let mut entry: LogEntry = read_json(raw.get())?;
        let encounter = self.encounter.import_entry(&mut entry, stop)?;
        Ok(NextEntry { entry, encounter })
    }

    /// Checks and folds the next entry.
    fn add(&mut self, next: NextEntry) -> Result<(), FieldError> {
        next.entry.check_texts()?;
        let Ok(at) = next.entry.at.parse() else {
            return Err(FieldError::meaningless(
                "at",
                "Expected a time such as 2026-01-31T19:30:00Z.",
            ));
        };
        self.fold(next, at)
            .map_err(|wrong| FieldError::meaningless("", wrong.to_string()))
    }

    fn fold(&mut self, next: NextEntry, at: Time) -> Result<(), Box<dyn Error>> {
        let NextEntry {
            mut entry,
            encounter,
        } = next;
        let expected = self.encounter.version().saturating_add(1);
        if entry.version != expected {
            return Err(format!("Expected version {expected}, got {}.", entry.version).into());
        }
        let encounter = match (rewind_event(&entry.events), &entry.checkpoint) {
            (Some(event), Some(checkpoint)) => self.rewound(&event, checkpoint, at)?,
            _ => match encounter {
                Some(encounter) => encounter,
                None => self.encounter.fold(&entry)?,
            },
        };
        if encounter.version() != entry.version {
            return Err("The checkpoint has another version than its entry.".into());
        }
        if let Some(checkpoint) = &entry.checkpoint {
            // In this program's form, so that they compare byte for byte.
            let (own, stated) = (
                encounter.checkpoint()?,
                self.encounter.restore(checkpoint)?.checkpoint()?,
            );
            if own.get() != stated.get() {
                return Err(
                    "The checkpoint is not the state that the entries before it lead to.".into(),
                );
            }
            entry.checkpoint = Some(own);
        }
        encounter.check()?;
        let bytes: Bytes = serde_json::to_vec(&entry)?.into();
        let room = self.room.checked_sub(bytes.len());
        self.room = room.ok_or(
            "The entries are too long for viewers. Import the log exactly as it was exported.",
        )?;
        self.entries.push(Entry {
            version: entry.version,
            bytes,
        });
        self.encounter = encounter;
        Ok(())
    }

    /// The state after an undo or redo: by the log so far, or by its checkpoint if it restores a
    /// version older than the log.
    fn rewound(
        &self,
        event: &RewindEvent,
        checkpoint: &RawValue,
        at: Time,
    ) -> Result<Arc<dyn AnyEncounter>, Box<dyn Error>> {
        let command = match event.kind.as_str() {
            "undone" => json!({"type": "undo", "to_version": event.to_version}),
            _ => json!({"type": "redo"}),
        };
        let Ok(request) = Request::read(command) else {
            return Err(IMPOSSIBLE.into());
        };
        let Ok(rewind) = self.encounter.rewind_target(&request) else {
            return Err(IMPOSSIBLE.into());
        };
        let rewind = match rewind {
            Some(rewind) if Some(rewind.to_version) == event.to_version => rewind,
            _ => {
                let wrong = "to_version is not the version that this undo or redo restores";
                return Err(wrong.into());
            }
        };
        if rewind.to_version < self.base.version() {
            return Ok(self.encounter.restore(checkpoint)?);
        }
        let past = self.states.get(&rewind.to_version);
        let past =
            past.ok_or("it does not restore the state that the log holds at that version")?;
        Ok(self.encounter.rewind(&[], &rewind, &**past, at)?.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::now;
    use crate::engine::{MAX_COMMANDS, SeededDice};
    use crate::json::read;
    use serde_json::Value;
    use std::cell::Cell;

    /// An exported log with this number of notes.
    fn log(rulesets: &Rulesets, notes: u64) -> Vec<u8> {
        let ruleset = rulesets.iter().next().expect("a ruleset").manifest.id;
        let creation = read(&json!({"ruleset": ruleset})).expect("a creation");
        let encounter = rulesets
            .create(Meta::default(), creation)
            .expect("an encounter");
        let base = json!({"version": 0, "document": encounter.checkpoint().expect("JSON")});
        let request = Request::read(json!({"type": "note", "text": "x"})).expect("a request");
        let events = encounter
            .decide(&[], &request, now(), &mut SeededDice::new([0; 32]), &|| {
                false
            })
            .expect("legal")
            .events;
        let entry = |version| json!({"version": version, "at": now().to_string(), "token": "gm", "commands": ["note"], "events": events});
        let entries: Vec<Value> = (1..=notes).map(entry).collect();
        let log = json!({"format": FORMAT, "schema": SCHEMA, "ruleset": ruleset, "version": notes, "base": base, "entries": entries});
        log.to_string().into_bytes()
    }

    #[test]
    fn the_size_of_a_state_is_that_of_its_part_of_the_checkpoint() {
        let rulesets = Rulesets::shipped();
        let ruleset = rulesets.iter().next().expect("a ruleset").manifest.id;
        let creation = read(&json!({"ruleset": ruleset})).expect("a creation");
        let encounter = rulesets.create(Meta::default(), creation).expect("legal");
        let checkpoint = encounter.checkpoint().expect("JSON");
        let parts: Value = serde_json::from_str(checkpoint.get()).expect("JSON");
        let state = parts["encounter"].to_string().len();
        assert_eq!(state_size(&checkpoint), state);
    }

    #[test]
    fn an_entry_is_as_large_as_a_request_makes_one_and_no_larger() {
        let rulesets = Rulesets::shipped();
        let log: Value = serde_json::from_slice(&log(&rulesets, 1)).expect("JSON");
        let refused = |field: &str, value: Value| {
            let mut log = log.clone();
            log["entries"][0][field] = value;
            fold_import(
                &rulesets,
                Meta::default(),
                log.to_string().as_bytes(),
                &|| false,
            )
            .err()
            .map(|error| format!("{error:?}"))
        };
        let many = |text: &str, count: usize| json!(vec![text; count]);
        for (field, largest, larger) in [
            ("token", json!("x".repeat(64)), json!("x".repeat(65))),
            (
                "commands",
                many("note", MAX_COMMANDS),
                many("note", MAX_COMMANDS + 1),
            ),
            ("commands", json!(["x".repeat(64)]), json!(["x".repeat(65)])),
        ] {
            assert_eq!(refused(field, largest), None, "{field}");
            let said = refused(field, larger).expect("a refusal");
            assert!(said.contains("at most"), "{field}: {said}");
        }
    }

    #[test]
    fn an_import_stops_before_the_next_entry_when_it_is_told_to() {
        let rulesets = Rulesets::shipped();
        let json = log(&rulesets, 9);
        assert_eq!(
            fold_import(&rulesets, Meta::default(), &json, &|| false)
                .expect("a log")
                .entries
                .len(),
            9
        );
        let asked = Cell::new(0);
        let third = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let stopped = fold_import(&rulesets, Meta::default(), &json, &third)
            .err()
            .expect("stopped");
        assert!(
            matches!(stopped, AppError::Refused(Refusal::Stopped)),
            "{stopped:?}"
        );
        assert_eq!(asked.get(), 3);
    }
}
