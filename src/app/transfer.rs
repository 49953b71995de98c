//! Export and import of logs, in a format of their own.
//!
//! An import is folded again from its base. That checks shapes, versions and bounds, and that each checkpoint is the state that the log
//! leads to, but for an undo or redo that restores a version older than the base. The rules are not checked again: a log does not hold all
//! commands and dice, and a game master may give the turn to anyone (`override`). So the base, the events, and the time, sender and
//! commands of an entry are taken on trust.

use super::encounters::new_meta;
use super::log::MAX_PAGE;
use super::work::WhenFull;
use super::{App, AppError, Application, BearerToken, CreatedEncounter, IdempotencyKey, now, token::only_gm};
use crate::engine::{Game, LogEntry, MAX_COMMANDS, Meta, Refusal, Request, Rulesets, SCHEMA, Stop};
use crate::store::{Base, Entry};
use crate::vocabulary::{FieldError, parse, parse_except, read, read_fields};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use utoipa::ToSchema;

/// Maximum characters of an imported sentence, which may name every combatant with each of ten turns.
const MAX_TEXT: usize = 500_000;
/// The format of exported logs.
const FORMAT: &str = "turnkeeper-log";
/// The queue in which imports wait.
const IMPORTS: &str = "imports";
/// Maximum entries that are exported at a time.
const PAGE: usize = 500;

/// The whole log of an encounter. It gives the same state wherever it is imported.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedLog {
    /// The name of this format.
    #[schema(pattern = "^turnkeeper-log$")]
    format: String,
    /// The number of the shape of what it holds.
    #[schema(minimum = 1, maximum = 1)]
    schema: u32,
    /// The id of the ruleset.
    ruleset: String,
    /// When it was exported.
    #[serde(default)]
    #[schema(required = false, format = DateTime)]
    exported_at: String,
    /// The version that the log ends at.
    version: u64,
    /// The state that the log begins with.
    #[schema(inline)]
    base: BaseState,
    /// Every entry after the base.
    #[serde(default)]
    #[schema(required = true, value_type = Vec<LogEntry>)]
    entries: Vec<Box<RawValue>>,
}

/// The state that a log begins with.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BaseState {
    /// The version of this state.
    version: u64,
    /// The state as it is stored.
    #[schema(value_type = Object)]
    document: Box<RawValue>,
}

/// The event of an undo or redo.
#[derive(Deserialize)]
struct RewindEvent {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    to_version: Option<u64>,
}

/// An export in progress.
pub struct Export {
    app: Arc<App>,
    id: String,
    /// The JSON up to the first entry.
    pub opening: Bytes,
    after: u64,
    version: u64,
}

impl App {
    /// The log of an encounter, for the holder of `token`.
    pub async fn export(self: &Arc<Self>, id: &str, token: &BearerToken) -> Result<Export, AppError> {
        let (game, viewer) = self.authenticate(id, token).await?;
        only_gm(&viewer, "to export the encounter")?;
        let Base { version: after, document } = self.store.base(id).await?;
        let base = self.rulesets.load(&document)?;
        let version = game.version();
        let log = ExportedLog {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            ruleset: base.ruleset().to_owned(),
            exported_at: now(),
            version,
            base: BaseState { version: after, document: base.checkpoint()? },
            entries: Vec::new(),
        };
        let mut opening = serde_json::to_string(&log)?;
        // The entries are the last field, and empty: without the end, they can be streamed in.
        opening.truncate(opening.len() - "]}".len());
        let opening = opening.into();
        Ok(Export { app: self.clone(), id: id.to_owned(), opening, after, version })
    }
}

impl Export {
    /// The next entries, each a JSON object; none after the last. An error if they were compacted meanwhile.
    pub async fn next(&mut self) -> Result<Vec<Bytes>, AppError> {
        let left = usize::try_from(self.version.saturating_sub(self.after)).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(Vec::new());
        }
        let page = self.app.store.log(&self.id, self.after, left.min(PAGE), MAX_PAGE).await?;
        if self.after < page.base_version {
            return Err(AppError::Pruned { oldest: page.base_version });
        }
        self.after = page.entries.last().map_or(self.version, |entry| entry.version);
        Ok(page.entries.into_iter().map(|entry| entry.bytes).collect())
    }
}

impl App {
    /// Creates an encounter from an exported log in JSON, with a token of its own, once for each idempotency key. The answer takes room of
    /// `client`'s.
    pub async fn import(
        self: &Arc<Self>, log: Bytes, key: Option<&IdempotencyKey>, application: Option<Application>, client: &str,
    ) -> Result<CreatedEncounter, AppError> {
        let secrets = self.secrets(key, application.as_deref()).await?;
        let (meta, token) = new_meta(None, key, &secrets)?;
        let app = self.clone();
        let fold = self
            .imports
            .run(IMPORTS, WhenFull::Refuse, move |stop| fold_import(&app.rulesets, meta, &log, stop))
            .await??;
        let room = self.room_for_creation(&*fold.game, client)?;
        let (game, replayed) = self.persist(fold.base, fold.game, fold.entries, key, application).await?;
        Ok(CreatedEncounter { game, token, tokens: Vec::new(), replayed, room })
    }
}

/// Folds a log from its base. Asks `stop` before each entry.
fn fold_import(rulesets: &Rulesets, meta: Meta, json: &[u8], stop: Stop<'_>) -> Result<ImportFold, AppError> {
    let (fields, entries) = parse_except(json, Some("entries"))?;
    let log = read_log(fields, entries)?;
    if log.format != FORMAT || log.schema != SCHEMA {
        let (field, detail) = match log.format.as_str() {
            FORMAT => ("schema", format!("this program reads schema {SCHEMA}, not {}", log.schema)),
            _ => ("format", format!("an exported log says {FORMAT:?} here")),
        };
        return Err(inconsistent(field, detail));
    }
    let document = log.base.document.get();
    let checked = rulesets.validate_checkpoint(serde_json::from_str(document)?);
    checked.map_err(|error| error.within("base.document"))?;
    let base = rulesets.restore(meta, document.as_bytes());
    let base = base.map_err(|error| inconsistent("base.document", error.to_string()))?;
    base.check().map_err(|wrong| inconsistent("base.document", wrong))?;
    if base.ruleset() != log.ruleset {
        return Err(inconsistent("ruleset", format!("the base is one of {}", base.ruleset())));
    }
    if base.version() != log.base.version {
        return Err(inconsistent("base.version", format!("the base is at version {}", base.version())));
    }
    let rewind_states = rewind_versions(&log.entries).into_iter().map(|version| (version, None)).collect();
    let mut fold =
        ImportFold { game: base.clone(), base, entries: Vec::with_capacity(log.entries.len()), rewind_states };
    for (i, raw) in log.entries.iter().enumerate() {
        if stop() {
            return Err(Refusal::Stopped.into());
        }
        if let Some(target) = fold.rewind_states.get_mut(&fold.game.version()) {
            *target = Some(fold.game.clone());
        }
        let entry = fold.read(raw, stop).map_err(|error| error.within(&format!("entries.{i}")))?;
        fold.add(entry).map_err(|error| AppError::Inconsistent(error.within(&format!("entries.{i}"))))?;
    }
    if fold.game.version() != log.version {
        let detail = format!("the entries end at version {}", fold.game.version());
        return Err(inconsistent("version", detail));
    }
    Ok(fold)
}

/// Reads the other fields of a log, and takes the entries apart.
fn read_log(fields: Value, entries: Option<&RawValue>) -> Result<ExportedLog, FieldError> {
    let Value::Object(fields) = fields else {
        return Err(FieldError::malformed("", "an object is expected: a log as the export gives it"));
    };
    let log: ExportedLog = read_fields(&fields, &[])?;
    let entries = entries.ok_or_else(|| FieldError::malformed("entries", "missing field `entries`"))?;
    let entries = serde_json::from_str(entries.get());
    Ok(ExportedLog { entries: entries.map_err(|_| FieldError::malformed("entries", "a list is expected"))?, ..log })
}

fn inconsistent(path: &str, detail: impl Into<String>) -> AppError {
    AppError::Inconsistent(FieldError::meaningless(path, detail))
}

/// The versions that undos and redos in a log restore.
fn rewind_versions(entries: &[Box<RawValue>]) -> Vec<u64> {
    let entries = entries.iter().filter_map(|raw| serde_json::from_str::<LogEntry>(raw.get()).ok());
    entries.filter(|entry| entry.checkpoint.is_some()).filter_map(|entry| rewind_event(&entry)?.to_version).collect()
}

/// The undo or redo in an entry.
fn rewind_event(entry: &LogEntry) -> Option<RewindEvent> {
    let events: Vec<RewindEvent> = serde_json::from_str(entry.events.get()).ok()?;
    events.into_iter().find(|event| event.kind == "undone" || event.kind == "redone")
}

/// A log that is being folded.
struct ImportFold {
    base: Arc<dyn Game>,
    game: Arc<dyn Game>,
    entries: Vec<Entry>,
    /// The states that undos and redos restore, by version; None until the fold has reached it.
    rewind_states: HashMap<u64, Option<Arc<dyn Game>>>,
}

impl ImportFold {
    /// Reads the next entry.
    fn read(&self, raw: &RawValue, stop: Stop<'_>) -> Result<LogEntry, Refusal> {
        let mut entry: LogEntry = read(&parse(raw.get().as_bytes())?)?;
        self.game.import_entry(&mut entry, stop)?;
        Ok(entry)
    }

    /// Checks and folds the next entry.
    fn add(&mut self, entry: LogEntry) -> Result<(), FieldError> {
        let short = |text: &String| text.chars().count() <= 64;
        if !short(&entry.by) {
            return Err(FieldError::meaningless("by", "at most 64 characters are expected"));
        }
        if entry.commands.len() > MAX_COMMANDS || !entry.commands.iter().all(short) {
            let message = format!("at most {MAX_COMMANDS} commands are expected, each of at most 64 characters");
            return Err(FieldError::meaningless("commands", message));
        }
        if entry.texts.iter().any(|text| text.chars().count() > MAX_TEXT) {
            let message = format!("each text has at most {MAX_TEXT} characters");
            return Err(FieldError::meaningless("texts", message));
        }
        if entry.at.parse::<jiff::Timestamp>().is_err() {
            return Err(FieldError::meaningless("at", "a time such as 2026-01-31T19:30:00Z is expected"));
        }
        self.fold(entry).map_err(|wrong| FieldError::meaningless("", wrong.to_string()))
    }

    fn fold(&mut self, mut entry: LogEntry) -> Result<(), Box<dyn Error>> {
        if let Some(checkpoint) = &entry.checkpoint {
            // In this program's form, so that it compares byte for byte below.
            entry.checkpoint = Some(self.game.restore(checkpoint)?.checkpoint()?);
        }
        let expected = self.game.version().saturating_add(1);
        if entry.version != expected {
            return Err(format!("it has version {}, and {expected} is next", entry.version).into());
        }
        let game = self.game.fold(&entry)?;
        if game.version() != entry.version {
            return Err("checkpoint: it is that of another version".into());
        }
        if let Some(checkpoint) = &entry.checkpoint {
            let expected = match rewind_event(&entry) {
                None => Some(game.checkpoint()?),
                Some(event) => self.checkpoint_after(&event)?,
            };
            if expected.is_some_and(|expected| expected.get() != checkpoint.get()) {
                return Err("checkpoint: it is not the state that the entries before it lead to".into());
            }
        }
        game.check()?;
        self.entries.push(Entry { version: entry.version, bytes: serde_json::to_vec(&entry)?.into() });
        self.game = game;
        Ok(())
    }

    /// The state after an undo or redo, by the log so far; None if that state is older than the log.
    fn checkpoint_after(&self, event: &RewindEvent) -> Result<Option<Box<RawValue>>, Box<dyn Error>> {
        let command = match event.kind.as_str() {
            "undone" => json!({"type": "undo", "to_version": event.to_version}),
            _ => json!({"type": "redo"}),
        };
        let wrong = |_| "this undo or redo is not possible here".to_owned();
        let request = Request::read(command).map_err(wrong)?;
        let rewind =
            self.game.rewind_target(&request).map_err(wrong)?.filter(|r| Some(r.to_version) == event.to_version);
        let rewind = rewind.ok_or("to_version is not the version that this undo or redo restores")?;
        if rewind.to_version < self.base.version() {
            return Ok(None);
        }
        let past = self.rewind_states.get(&rewind.to_version).cloned().flatten();
        let past = past.ok_or("it restores a version that the log does not hold before it")?;
        Ok(self.game.rewind(&rewind, &*past)?.checkpoint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SeededDice;
    use std::cell::Cell;

    /// An exported log with this number of notes.
    fn log(rulesets: &Rulesets, notes: u64) -> Vec<u8> {
        let ruleset = rulesets.iter().next().expect("a ruleset").manifest.id;
        let creation = read(&json!({"ruleset": ruleset})).expect("a creation");
        let game = rulesets.create(Meta::default(), creation).expect("an encounter");
        let base = json!({"version": 0, "document": game.checkpoint().expect("JSON")});
        let request = Request::read(json!({"type": "note", "text": "x"})).expect("a request");
        let events = game.decide(&request, &mut SeededDice::new([0; 32]), &|| false).expect("legal").events;
        let entry = |version| json!({"version": version, "at": now(), "by": "gm", "commands": ["note"], "events": events, "texts": [""]});
        let entries: Vec<Value> = (1..=notes).map(entry).collect();
        let log = json!({"format": FORMAT, "schema": SCHEMA, "ruleset": ruleset, "version": notes, "base": base, "entries": entries});
        log.to_string().into_bytes()
    }

    #[test]
    fn an_entry_is_as_large_as_a_request_makes_one_and_no_larger() {
        let rulesets = Rulesets::shipped();
        let log: Value = serde_json::from_slice(&log(&rulesets, 1)).expect("JSON");
        let refused = |field: &str, value: Value| {
            let mut log = log.clone();
            log["entries"][0][field] = value;
            fold_import(&rulesets, Meta::default(), log.to_string().as_bytes(), &|| false)
                .err()
                .map(|error| format!("{error:?}"))
        };
        let many = |text: &str, count: usize| json!(vec![text; count]);
        for (field, largest, larger) in [
            ("by", json!("x".repeat(64)), json!("x".repeat(65))),
            ("commands", many("note", MAX_COMMANDS), many("note", MAX_COMMANDS + 1)),
            ("commands", json!(["x".repeat(64)]), json!(["x".repeat(65)])),
            ("texts", json!(["x".repeat(MAX_TEXT)]), json!(["x".repeat(MAX_TEXT + 1)])),
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
        assert_eq!(fold_import(&rulesets, Meta::default(), &json, &|| false).expect("a log").entries.len(), 9);
        let asked = Cell::new(0);
        let third = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let stopped = fold_import(&rulesets, Meta::default(), &json, &third).err().expect("stopped");
        assert!(matches!(stopped, AppError::Refused(Refusal::Stopped)), "{stopped:?}");
        assert_eq!(asked.get(), 3);
    }
}
