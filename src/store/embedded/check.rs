//! Looks for damage in all rows of a file: beside a server that runs, and for `turnkeeper check`.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use redb::{
    Database, Key, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, Value,
};

use super::file::{DatabaseFile, open_unchanged, panic_text};
use super::schema::{
    ANSWERED, ANSWERS, BASES, CREATED, DOCUMENTS, EXPIRY, LISTED, LOG, META, OWNERS, SALT,
    kept_time,
};
use super::sealed::{Row, row, shown};
use super::step::{Step, StepError};
use super::tables::no_base;
use crate::store::{KeyDigest, StoreError};

/// Faults that are remembered; more of them would say nothing new.
const REMEMBERED: usize = 1000;
/// The time before a server reads its whole file, and before it tries that again.
pub(super) const DELAY: Duration = Duration::from_secs(2);
/// The bytes that it reads before it makes way for requests.
const PORTION: usize = 1024 * 1024;
const PAUSE: Duration = Duration::from_millis(20);

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
/// requests to go on beside it. Begins anew after a pause if the file is closed meanwhile, also if
/// it is opened again at once.
pub(super) fn check_later(file: Arc<DatabaseFile>, damage: Arc<DamageCell>) -> std::io::Result<()> {
    std::thread::Builder::new()
        .name("check".to_owned())
        .spawn(move || check_slowly(&file, &damage))
        .map(drop)
}

fn check_slowly(file: &DatabaseFile, damage: &DamageCell) {
    while pause(damage) {
        let mut read = 0;
        let checked = check(
            || Ok(file.database()?.begin_read()?),
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
pub(super) fn check(
    begin: impl Fn() -> Step<ReadTransaction>,
    rest: &mut dyn FnMut(usize) -> bool,
    found: &mut dyn FnMut(&str),
) -> Option<usize> {
    let mut encounters = 0;
    let mut last: Option<String> = None;
    loop {
        // One snapshot for both steps: an encounter that is deleted between them is not damage.
        let next = attempt(|| {
            let reading = begin()?;
            Ok(next_encounter(&reading, last.as_deref())?.map(|id| (reading, id)))
        });
        let (reading, id) = match next {
            Ok(None) => break,
            Ok(Some(found)) => found,
            Err(Fault::Damage(fault)) => {
                found(&format!(
                    "the table documents cannot be read to its end: {fault}"
                ));
                break;
            }
            Err(Fault::Unavailable) => return None,
        };
        encounters += 1;
        let bytes = match attempt(|| check_encounter(&reading, &id)) {
            Ok(bytes) => bytes,
            Err(Fault::Damage(fault)) => {
                found(&format!("encounter {}: {fault}", shown(&id)));
                0
            }
            Err(Fault::Unavailable) => return None,
        };
        drop(reading);
        last = Some(id);
        if !rest(bytes) {
            return None;
        }
    }
    match attempt(|| check_rest(&begin()?)) {
        Ok(()) => Some(encounters),
        Err(Fault::Damage(fault)) => {
            found(&fault);
            Some(encounters)
        }
        Err(Fault::Unavailable) => None,
    }
}

/// What a check has found.
pub struct Report {
    /// How many encounters there are.
    pub encounters: usize,
    /// What is damaged, in sentences.
    pub faults: Vec<String>,
}

/// Reads all rows of a database that nothing else uses.
pub(super) fn report(database: &Database) -> Report {
    let mut faults = Vec::new();
    let encounters = check(|| Ok(database.begin_read()?), &mut |_| true, &mut |fault| {
        faults.push(fault.to_owned());
    });
    if encounters.is_none() {
        faults.push("the rows cannot be read to their end".to_owned());
    }
    Report {
        encounters: encounters.unwrap_or_default(),
        faults,
    }
}

/// Checks a file that no server has open: first the checksums of its pages, then all rows. The file
/// stays as it is.
///
/// # Errors
/// When it cannot be opened at all.
pub fn check_file(path: &Path) -> Result<Report, String> {
    let mut database = open_unchanged(path)?;
    let pages = match catch_unwind(AssertUnwindSafe(|| database.check_integrity())) {
        Ok(Ok(true)) => None,
        Ok(Ok(false)) => Some("checksums of its pages are wrong".to_owned()),
        Ok(Err(error)) => Some(format!("its pages: {error}")),
        Err(panic) => Some(format!("its pages: {}", panic_text(&*panic))),
    };
    // A failed check of the pages closes the database for the rows.
    let mut report = if pages.is_some() {
        report(&open_unchanged(path)?)
    } else {
        report(&database)
    };
    report.faults.extend(pages);
    Ok(report)
}

enum Fault {
    Damage(String),
    /// The file could not be read, or is closed.
    Unavailable,
}

/// Reads with what the database does on damaged files in mind.
fn attempt<T>(read: impl FnOnce() -> Step<T>) -> Result<T, Fault> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(
            StepError::Refused(StoreError::Corrupt(fault))
            | StepError::Failed(redb::Error::Corrupted(fault)),
        )) => Err(Fault::Damage(fault)),
        Ok(Err(error)) => {
            tracing::debug!(%error, "the store's file is not checked");
            Err(Fault::Unavailable)
        }
        Err(panic) => Err(Fault::Damage(panic_text(&*panic))),
    }
}

/// The encounter after `last` in the order of ids.
fn next_encounter(reading: &ReadTransaction, last: Option<&str>) -> Step<Option<String>> {
    let documents = reading.open_table(DOCUMENTS)?;
    let after = last.map_or(Bound::Unbounded, Bound::Excluded);
    let next = documents
        .range::<&str>((after, Bound::Unbounded))?
        .next()
        .transpose()?;
    let Some((key, _)) = next else {
        return Ok(None);
    };
    let id = key.value();
    if last.is_some_and(|last| id <= last) {
        return Err(StoreError::Corrupt("its rows are not in their order".to_owned()).into());
    }
    Ok(Some(id.to_owned()))
}

/// Reads all that belongs to an encounter; returns how many bytes that was.
fn check_encounter(reading: &ReadTransaction, id: &str) -> Step<usize> {
    let documents = reading.open_table(DOCUMENTS)?;
    let Some(document) = row(&documents, id)? else {
        return Err(
            StoreError::Corrupt("its document is not found under its id".to_owned()).into(),
        );
    };
    let (_, version, _, _, document, _) = document.value();
    let bases = reading.open_table(BASES)?;
    let base = row(&bases, id)?.ok_or_else(|| no_base(id))?;
    let mut bytes = document.len() + base.value().1.len();
    let created = reading.open_table(CREATED)?;
    row(&created, id)?;
    let log = reading.open_table(LOG)?;
    let mut newest = base.value().0;
    for entry in log.range((id, newest.saturating_add(1))..=(id, u64::MAX))? {
        let (key, sealed) = entry?;
        let entry = Row::check::<(&str, u64)>("log", &key.value(), sealed)?;
        bytes += entry.value().len();
        newest = newest.saturating_add(1);
        if key.value().1 != newest {
            return Err(StoreError::Corrupt(format!("log entry {newest} is missing")).into());
        }
    }
    if newest != version {
        return Err(
            StoreError::Corrupt(format!("its log ends at {newest} instead of {version}")).into(),
        );
    }
    let answers = reading.open_table(ANSWERS)?;
    for answer in answers.range((id, &[0; 32])..=(id, &[0xff; 32]))? {
        let (key, sealed) = answer?;
        Row::check::<(&str, &KeyDigest)>("answers", &key.value(), sealed)?;
    }
    let owners = reading.open_table(OWNERS)?;
    if let Some(owner) = row(&owners, id)?
        && reading.open_table(LISTED)?.get(owner.value())?.is_none()
    {
        return Err(
            StoreError::Corrupt("it is missing in its application's list".to_owned()).into(),
        );
    }
    Ok(bytes)
}

/// Reads what belongs to no single encounter.
fn check_rest(reading: &ReadTransaction) -> Step<()> {
    let meta = reading.open_table(META)?;
    row(&meta, SALT)?;
    kept_time(reading).map_err(StoreError::Corrupt)?;
    read_through(reading, ANSWERED)?;
    read_through(reading, EXPIRY)?;
    read_through(reading, LISTED)
}

fn read_through<K: Key + 'static, V: Value + 'static>(
    reading: &ReadTransaction,
    table: TableDefinition<'static, K, V>,
) -> Step<()> {
    for entry in reading.open_table(table)?.iter()? {
        // Parsing the key is the check.
        entry?.0.value();
    }
    Ok(())
}
