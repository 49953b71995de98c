//! Looks for damage in all rows of a file: beside a server that runs, and for `turnkeeper check`.

use super::file::{Access, connect};
use super::rows::{BaseRow, EncounterRow, check_answers, entries, value};
use super::schema::shown;
use super::step::{Step, StepError, is_damage};
use super::tables::{SALT, TIME};
use crate::store::StoreError;
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Faults that are remembered; more of them would say nothing new.
const REMEMBERED: usize = 1000;
/// The time before a server reads its whole file, and before it tries that again.
const DELAY: Duration = Duration::from_secs(2);
/// The bytes that it reads before it makes way for requests.
const PORTION: usize = 1024 * 1024;
const PAUSE: Duration = Duration::from_millis(20);
/// Entries of a log that are read at a time.
const ENTRIES: usize = 256;

/// The damage that a process has found in its file.
#[derive(Default)]
pub(super) struct DamageCell {
    faults: Mutex<BTreeSet<String>>,
    /// No longer looked for, because the store is closed.
    closed: AtomicBool,
}

impl DamageCell {
    /// Logs a fault when it is found for the first time.
    pub(super) fn note(&self, fault: &str) {
        let mut faults = self.faults.lock();
        if faults.len() < REMEMBERED && faults.insert(fault.to_owned()) {
            tracing::error!(%fault, "the store's file is damaged: put a backup in its place");
        }
    }

    /// A sentence for operators, if there is any damage.
    pub(super) fn summary(&self) -> Option<String> {
        let count = self.faults.lock().len();
        let places = if count == 1 {
            "in one place".to_owned()
        } else {
            format!("in {count} places")
        };
        (count > 0).then(|| {
            format!("The store's file is damaged {places}; the log names them. Restore a backup.")
        })
    }

    pub(super) fn stop_looking(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// Checks the file of a server that has just started, on a thread of its own, slowly enough for
/// requests to go on beside it.
pub(super) fn check_later(
    reading: Connection,
    damage: Arc<DamageCell>,
) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new()
        .name("check".to_owned())
        .spawn(move || check_slowly(&reading, &damage))
}

fn check_slowly(reading: &Connection, damage: &DamageCell) {
    while pause(damage) {
        let mut read = 0;
        let checked = check(
            reading,
            &mut |bytes| {
                read += bytes;
                if read >= PORTION {
                    read = 0;
                    std::thread::sleep(PAUSE);
                }
                !damage.is_closed()
            },
            &mut |fault| damage.note(fault),
        );
        if let Some(encounters) = checked {
            let faults = damage.faults.lock().len();
            tracing::info!(encounters, faults, "checked the store's file");
            return;
        }
    }
}

/// Waits before a check; false if the store is closed.
fn pause(damage: &DamageCell) -> bool {
    let mut slept = Duration::ZERO;
    while slept < DELAY {
        if damage.is_closed() {
            return false;
        }
        std::thread::sleep(PAUSE);
        slept += PAUSE;
    }
    true
}

/// Reads all rows, an encounter in a snapshot. `rest` learns how many bytes were read, and says
/// whether to go on; `found` learns each fault. Returns the number of encounters; None if it did
/// not come to the end.
fn check(
    reading: &Connection,
    rest: &mut dyn FnMut(usize) -> bool,
    found: &mut dyn FnMut(&str),
) -> Option<usize> {
    let mut encounters = 0;
    let mut last = String::new();
    loop {
        // One snapshot for both steps: an encounter that is deleted between them is not damage.
        let snapshot = reading.unchecked_transaction().ok()?;
        match attempt(next_encounter(&snapshot, &last)) {
            Ok(Some(id)) => last = id,
            Ok(None) => break,
            Err(Fault::Damage(fault)) => {
                found(&format!(
                    "the encounters cannot be read to their end: {fault}"
                ));
                break;
            }
            Err(Fault::Unavailable) => return None,
        }
        encounters += 1;
        let bytes = match attempt(check_encounter(&snapshot, &last)) {
            Ok(bytes) => bytes,
            Err(Fault::Damage(fault)) => {
                found(&format!("encounter {}: {fault}", shown(&last)));
                0
            }
            Err(Fault::Unavailable) => return None,
        };
        drop(snapshot);
        if !rest(bytes) {
            return None;
        }
    }
    match attempt(check_meta(reading)) {
        Ok(()) => {}
        Err(Fault::Damage(fault)) => found(&fault),
        Err(Fault::Unavailable) => return None,
    }
    Some(encounters)
}

/// What a check has found.
pub struct Report {
    /// How many encounters there are.
    pub encounters: usize,
    /// What is damaged, in sentences.
    pub faults: Vec<String>,
}

/// Checks a file, also while a server runs on it: SQLite's own check of all its pages, then all rows.
/// The file stays as it is.
///
/// # Errors
/// When it cannot be opened at all.
pub fn check_file(path: &Path) -> Result<Report, String> {
    let reading = connect(path, Access::Read)?;
    let mut faults = Vec::new();
    let encounters = check(&reading, &mut |_| true, &mut |fault| {
        faults.push(fault.to_owned());
    });
    if encounters.is_none() {
        faults.push("the rows cannot be read to their end".to_owned());
    }
    if let Err(error) = check_pages(&reading, &mut faults) {
        faults.push(format!("its pages: {error}"));
    }
    Ok(Report {
        encounters: encounters.unwrap_or_default(),
        faults,
    })
}

/// SQLite's own check.
fn check_pages(reading: &Connection, faults: &mut Vec<String>) -> rusqlite::Result<()> {
    reading.pragma_query(None, "integrity_check", |row| {
        let found: String = row.get(0)?;
        if found != "ok" {
            faults.push(format!("its pages: {found}"));
        }
        Ok(())
    })
}

enum Fault {
    Damage(String),
    /// The file could not be read.
    Unavailable,
}

fn attempt<T>(read: Step<T>) -> Result<T, Fault> {
    match read {
        Ok(value) => Ok(value),
        Err(StepError::Refused(StoreError::Corrupt(fault))) => Err(Fault::Damage(fault)),
        Err(StepError::Failed(error)) if is_damage(&error) => Err(Fault::Damage(error.to_string())),
        Err(error) => {
            tracing::debug!(%error, "the store's file is not checked");
            Err(Fault::Unavailable)
        }
    }
}

/// The encounter after `last` in the order of ids.
fn next_encounter(reading: &Connection, last: &str) -> Step<Option<String>> {
    let sql = "SELECT id FROM encounters WHERE id > ? ORDER BY id LIMIT 1";
    let mut statement = reading.prepare_cached(sql)?;
    let next: Option<String> = statement.query_row([last], |row| row.get(0)).optional()?;
    if next.as_deref().is_some_and(|id| id <= last) {
        return Err(StoreError::Corrupt("its rows are not in their order".to_owned()).into());
    }
    Ok(next)
}

/// Reads all that belongs to an encounter; returns how many bytes that was.
fn check_encounter(reading: &Connection, id: &str) -> Step<usize> {
    let Some(encounter) = EncounterRow::read(reading, id, |_| true)? else {
        return Err(StoreError::Corrupt("it is not found under its id".to_owned()).into());
    };
    let BaseRow { base, first } = BaseRow::read(reading, id)?;
    let mut bytes = [encounter.document, Some(base.document), first]
        .into_iter()
        .flatten()
        .map(|part| part.len())
        .sum();
    let mut newest = base.version;
    loop {
        let read = entries(reading, id, newest, ENTRIES, PORTION)?;
        if read.is_empty() {
            break;
        }
        for entry in read {
            newest = newest.saturating_add(1);
            if entry.version != newest {
                return Err(StoreError::Corrupt(format!("log entry {newest} is missing")).into());
            }
            bytes += entry.bytes.len();
        }
    }
    if newest != encounter.version {
        let reason = format!("its log ends at {newest} instead of {}", encounter.version);
        return Err(StoreError::Corrupt(reason).into());
    }
    check_answers(reading, id)?;
    Ok(bytes)
}

/// Reads what belongs to no single encounter.
fn check_meta(reading: &Connection) -> Step<()> {
    value::<32>(reading, SALT)?;
    value::<8>(reading, TIME)?;
    Ok(())
}
