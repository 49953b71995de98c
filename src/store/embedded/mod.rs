//! Encounters in one SQLite file, for one process: nothing to install, nothing lost at a restart.
//!
//! Reads take a snapshot and never wait. One thread does all writes, many in one durable
//! transaction. A write returns only after it is on the disk.

mod backup;
mod check;
mod clock;
mod file;
mod quota;
mod reserve;
mod rows;
mod schema;
mod step;
mod tables;
mod writer;

pub use self::backup::back_up;
pub use self::check::{Report, check_file};
pub use self::file::file_in;

use self::check::{DamageCell, check_later};
use self::clock::{Running, StoreClock, running};
use self::file::{Access, OpenFile, SameFiles, cannot_open, connect};
use self::quota::Windows;
use self::reserve::Reserve;
use self::rows::{BaseRow, EncounterRow, answer, entries, value};
use self::schema::shown;
use self::step::{Step, StepError, store_error};
use self::tables::{SALT, Tables};
use self::writer::{Job, SendResult, WriteThread};
use super::{
    Base, Commit, Committed, Found, KeyDigest, ListedEncounter, Listing, NOTICES, NewEncounter,
    Notice, QuotaGrant, Store, StoreConfig, StoreError, StoredPage, check_gapless, listed_id,
    millis,
};
use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use rusqlite::{Connection, params};
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, oneshot};

/// Maximum queued writes; more are refused at once.
const QUEUE: usize = 1024;
/// The time for which a write that succeeded shows that others do.
const READY_FOR: Duration = Duration::from_secs(1);
/// Maximum connections for reads that are kept for later ones.
const READERS: usize = 16;

/// A store in one file, for one process.
pub struct EmbeddedStore {
    path: PathBuf,
    /// Connections that read nothing now.
    readers: Mutex<Vec<Connection>>,
    /// The queue of the writing thread, and that thread; None only while the store is dropped.
    writer: Option<(SyncSender<Job>, JoinHandle<()>)>,
    notices: broadcast::Sender<Notice>,
    config: StoreConfig,
    clock: Arc<StoreClock>,
    damage: Arc<DamageCell>,
    /// The thread that looks for damage; None only while the store is dropped.
    check: Option<JoinHandle<()>>,
    windows: Windows,
    /// When a write last showed that the store takes writes.
    was_ready: Mutex<Option<Instant>>,
    /// The files that the process has opened.
    same: SameFiles,
    /// Held as long as the process serves the store.
    _lock: File,
}

impl EmbeddedStore {
    /// Opens the store in `directory`, and creates that if it is missing.
    ///
    /// # Errors
    /// When the file cannot be opened, or another process uses it.
    pub fn open(directory: impl AsRef<Path>, config: StoreConfig) -> Result<Self, String> {
        Self::open_at(directory.as_ref(), config, running())
    }

    /// Opens the store with a source of time.
    fn open_at(directory: &Path, config: StoreConfig, running: Running) -> Result<Self, String> {
        let reserve = Reserve::in_directory(directory);
        let OpenFile {
            connection,
            path,
            kept,
            same,
            lock,
        } = file::open(directory, &reserve)?;
        let clock = Arc::new(StoreClock::from(kept, running));
        let damage = Arc::new(DamageCell::default());
        let check = check_later(connect(&path, Access::Read)?, damage.clone())
            .map_err(|error| cannot_open(&path, error))?;
        let (sender, jobs) = sync_channel(QUEUE);
        let notices = broadcast::Sender::new(NOTICES);
        let writer = WriteThread {
            connection,
            path: path.clone(),
            damage: damage.clone(),
            passed: HashSet::new(),
            jobs,
            notices: notices.clone(),
            config,
            clock: clock.clone(),
            kept,
            reserve,
        };
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || writer.run())
            .map_err(|error| cannot_open(&path, error))?;
        Ok(Self {
            path,
            readers: Mutex::default(),
            writer: Some((sender, thread)),
            notices,
            config,
            clock,
            damage,
            check: Some(check),
            windows: Windows::default(),
            was_ready: Mutex::default(),
            same,
            _lock: lock,
        })
    }

    /// Has the writing thread do `work` and waits until it is durable.
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tables<'_>) -> Step<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.queue(work, false).await
    }

    /// Like [`EmbeddedStore::write`], with the room on the disk that is kept for deletions if
    /// `from_reserve`.
    async fn queue<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tables<'_>) -> Step<T> + Send + 'static,
        from_reserve: bool,
    ) -> Result<T, StoreError> {
        let (sender, result) = oneshot::channel();
        let (failed, failure) = oneshot::channel();
        let work = Box::new(move |tables: &mut Tables<'_>| {
            let outcome = match work(tables) {
                Ok(done) => Ok(done),
                Err(StepError::Refused(refusal)) => Err(refusal),
                Err(StepError::Failed(error)) => return Err(error),
            };
            Ok(Box::new(move || drop(sender.send(outcome))) as SendResult)
        });
        let job = Job {
            work,
            failed,
            from_reserve,
        };
        let sent = match &self.writer {
            Some((jobs, _)) => jobs.try_send(job),
            None => Err(TrySendError::Disconnected(job)),
        };
        sent.map_err(|error| match error {
            TrySendError::Full(_) => {
                StoreError::Unavailable(format!("{QUEUE} writes are waiting already"))
            }
            TrySendError::Disconnected(_) => {
                StoreError::Unavailable("the embedded store is closed".to_owned())
            }
        })?;
        let done = match result.await {
            Ok(done) => done,
            Err(_) => Err(failure
                .await
                .unwrap_or_else(|_| StoreError::Unavailable("not written".to_owned()))),
        };
        self.noted(done)
    }

    /// Reads from a snapshot, on the caller's own thread: switching threads would cost more than
    /// the read.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Step<T>) -> Result<T, StoreError> {
        let done = self.reader().and_then(|reader| {
            let done = snapshot(&reader, work);
            let mut readers = self.readers.lock();
            if readers.len() < READERS {
                readers.push(reader);
            }
            done
        });
        self.noted(done)
    }

    fn reader(&self) -> Result<Connection, StoreError> {
        match self.readers.lock().pop() {
            Some(reader) => Ok(reader),
            None => connect(&self.path, Access::Read).map_err(StoreError::Unavailable),
        }
    }

    /// Notes the damage that a read or write has met.
    fn noted<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::Corrupt(fault)) = &done {
            self.damage.note(fault);
        }
        done
    }
}

fn snapshot<T>(
    reader: &Connection,
    work: impl FnOnce(&Connection) -> Step<T>,
) -> Result<T, StoreError> {
    let snapshot = reader
        .unchecked_transaction()
        .map_err(|error| store_error(&error))?;
    work(&snapshot).map_err(|error| match error {
        StepError::Refused(refusal) => refusal,
        StepError::Failed(error) => store_error(&error),
    })
}

impl Drop for EmbeddedStore {
    /// Waits until queued writes are done and the file is closed, so that it can be opened again at
    /// once. The writing thread closes it last, and SQLite then writes back its log.
    fn drop(&mut self) {
        self.damage.stop_looking();
        self.readers.lock().clear();
        // A drop must not add a panic to that of a thread.
        if let Some(check) = self.check.take() {
            let _ = check.join();
        }
        if let Some((jobs, thread)) = self.writer.take() {
            drop(jobs);
            let _ = thread.join();
        }
    }
}

#[async_trait]
impl Store for EmbeddedStore {
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Option<Bytes>, StoreError> {
        let id = id.to_owned();
        self.write(move |tables| tables.create(&id, &new)).await
    }

    async fn load(
        &self,
        id: &str,
        known: Option<u64>,
        key: Option<&KeyDigest>,
    ) -> Result<Found, StoreError> {
        let now = self.clock.now();
        let since = now.checked_sub(millis(self.config.answers));
        self.read(|reading| {
            let differs = |revision| Some(revision) != known;
            let found = EncounterRow::living(reading, id, now, differs)?;
            let answer = match key {
                Some(digest) => answer(reading, id, digest, since)?,
                None => None,
            };
            Ok(Found {
                revision: found.revision,
                version: found.version,
                log_bytes: found.log_bytes,
                document: found.document,
                answer,
            })
        })
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError> {
        let id = id.to_owned();
        self.write(move |tables| tables.commit(&id, &commit)).await
    }

    async fn log(
        &self,
        id: &str,
        after: u64,
        limit: usize,
        max_bytes: usize,
    ) -> Result<StoredPage, StoreError> {
        self.read(|reading| {
            let found = EncounterRow::living(reading, id, self.clock.now(), |_| false)?;
            let page = StoredPage {
                base_version: BaseRow::read(reading, id)?.base.version,
                version: found.version,
                entries: entries(reading, id, after, limit, max_bytes)?,
            };
            check_gapless(&page, after, limit)?;
            Ok(page)
        })
    }

    async fn base(&self, id: &str) -> Result<Base, StoreError> {
        self.read(|reading| {
            EncounterRow::living(reading, id, self.clock.now(), |_| false)?;
            Ok(BaseRow::read(reading, id)?.base)
        })
    }

    async fn list(
        &self,
        application: &str,
        before: Option<&str>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Listing, StoreError> {
        self.read(|reading| {
            let (now, mut listing, mut room) = (self.clock.now(), Listing::default(), max_bytes);
            let sql = "SELECT position FROM encounters WHERE application = ? AND position < ?
                       ORDER BY position DESC";
            let mut statement = reading.prepare_cached(sql)?;
            // Positions begin with digits, so all sort below this.
            let mut rows = statement.query(params![application, before.unwrap_or("~")])?;
            let mut last = None;
            while let Some(row) = rows.next()? {
                let position: String = row.get("position")?;
                let id = listed_id(&position).unwrap_or_default();
                let document = match EncounterRow::living(reading, id, now, |_| true) {
                    // The index may be damaged, and name another's.
                    Ok(found) if found.is_listed(application, &position) => {
                        found.document.unwrap_or_default()
                    }
                    Ok(_) => {
                        let fault = "it is not listed where the list of its application says so";
                        self.damage
                            .note(&format!("encounter {}: {fault}", shown(id)));
                        continue;
                    }
                    // A damaged or expired one must not hide the others.
                    Err(StepError::Refused(refusal)) => {
                        if let StoreError::Corrupt(fault) = refusal {
                            self.damage.note(&fault);
                        }
                        continue;
                    }
                    Err(error) => return Err(error),
                };
                if listing.items.len() >= limit
                    || document.len() > room && !listing.items.is_empty()
                {
                    listing.next = last;
                    break;
                }
                room = room.saturating_sub(document.len());
                let id = id.to_owned();
                last = Some(position);
                listing.items.push(ListedEncounter { id, document });
            }
            Ok(listing)
        })
    }

    async fn application(&self, id: &str) -> Result<Option<String>, StoreError> {
        self.read(|reading| {
            let found = EncounterRow::living(reading, id, self.clock.now(), |_| false)?;
            Ok(found.listed.map(|(application, _)| application))
        })
    }

    async fn acquire_quota(
        &self,
        bucket: &str,
        want: u32,
        quota: u32,
        window: Duration,
    ) -> Result<QuotaGrant, StoreError> {
        Ok(self.windows.acquire_quota(bucket, want, quota, window))
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        let name = id.to_owned();
        match self.write(move |tables| tables.delete(&name)).await {
            Err(StoreError::Refused(_)) => {
                let name = id.to_owned();
                self.queue(move |tables| tables.delete(&name), true).await
            }
            deleted => deleted,
        }
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        self.read(|reading| value(reading, SALT))
    }

    fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.same.check().map_err(StoreError::Unavailable)?;
        // Each write syncs the disk, and anybody may ask.
        let was_ready = *self.was_ready.lock();
        if was_ready.is_some_and(|at| at.elapsed() < READY_FOR) {
            return Ok(());
        }
        self.write(|tables| Ok(tables.keep_time()?)).await?;
        *self.was_ready.lock() = Some(Instant::now());
        Ok(())
    }

    fn damage(&self) -> Option<String> {
        self.damage.summary()
    }

    fn file_bytes(&self) -> Option<u64> {
        Some(std::fs::metadata(&self.path).ok()?.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Entry;
    use tokio::time::{sleep, timeout};

    /// The next commit of an encounter that has had no other writes, with an answer under the key
    /// of its version.
    pub(super) fn commit(expected: u64) -> Commit {
        let entry = Some(Entry {
            version: expected,
            bytes: Bytes::from("entry"),
        });
        let answer = Some(([expected as u8; 32], Bytes::from("answer")));
        let (revision, document) = (expected + 1, Bytes::from("document"));
        Commit {
            expected,
            revision,
            document,
            entry,
            answer,
            new_base: None,
            log_bytes: 0,
        }
    }

    pub(super) fn new(application: Option<&str>) -> NewEncounter {
        let (document, base) = (
            Bytes::from("document"),
            Base {
                version: 0,
                document: Bytes::from("base"),
            },
        );
        NewEncounter {
            revision: 1,
            document,
            base,
            entries: Vec::new(),
            application: application.map(str::to_owned),
        }
    }

    async fn rows(store: &EmbeddedStore) -> u64 {
        store.write(|tables| tables.rows()).await.unwrap()
    }

    /// Waits until no more than this number of rows is left.
    async fn swept(store: &EmbeddedStore, left: u64) {
        let sweep = async {
            while rows(store).await > left {
                sleep(Duration::from_millis(20)).await;
            }
        };
        assert!(
            timeout(Duration::from_secs(10), sweep).await.is_ok(),
            "{} rows are left",
            rows(store).await
        );
    }

    #[tokio::test]
    async fn a_file_of_another_layout_is_refused_and_stays_as_it_is() {
        let directory = tempfile::TempDir::new().unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        drop(store);
        let file = Connection::open(file_in(directory.path())).unwrap();
        file.pragma_update(None, "user_version", 9).unwrap();
        drop(file);
        for _ in 0..2 {
            let refused = EmbeddedStore::open(directory.path(), StoreConfig::default());
            let words = refused.err().unwrap();
            let expected = "The store has layout 9, and this program reads layout 1";
            assert!(words.contains(expected), "{words}");
        }
    }

    #[tokio::test]
    async fn a_failed_transaction_is_reported_and_the_store_goes_on() {
        let directory = tempfile::TempDir::new().unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        store.create("e", new(None)).await.unwrap();
        for revision in 1..4 {
            let full = store.write(move |tables| -> Step<()> {
                let half = tables.commit("e", &commit(revision))?;
                assert_eq!(half, Committed::Done);
                let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
                Err(rusqlite::Error::SqliteFailure(full, None).into())
            });
            assert!(matches!(full.await, Err(StoreError::Refused(_))));
            let encounter = store.load("e", None, None).await.unwrap();
            assert_eq!(
                encounter.revision, revision,
                "nothing of a failed transaction is kept"
            );
            assert_eq!(
                store.commit("e", commit(revision)).await.unwrap(),
                Committed::Done
            );
        }
    }

    #[tokio::test]
    async fn neither_deleting_nor_expiring_leaves_a_row_behind() {
        let directory = tempfile::TempDir::new().unwrap();
        let ttl = Some(Duration::from_millis(400));
        let store = EmbeddedStore::open(
            directory.path(),
            StoreConfig {
                ttl,
                ..StoreConfig::default()
            },
        )
        .unwrap();
        for id in ["deleted", "expired"] {
            store.create(id, new(Some("table"))).await.unwrap();
            for revision in 1..4 {
                assert_eq!(
                    store.commit(id, commit(revision)).await.unwrap(),
                    Committed::Done
                );
            }
            let new_base = Some(Base {
                version: 2,
                document: Bytes::from("later"),
            });
            let commit = Commit {
                new_base,
                ..commit(4)
            };
            assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
            // Encounter, base, two entries and four answers.
            assert_eq!(rows(&store).await, 8);
            if id == "deleted" {
                store.delete(id).await.unwrap();
                assert_eq!(rows(&store).await, 0);
            }
        }
        swept(&store, 0).await;
    }

    #[tokio::test]
    async fn an_answer_that_is_too_old_leaves_no_row_and_a_store_at_rest_writes_nothing() {
        let directory = tempfile::TempDir::new().unwrap();
        let config = StoreConfig {
            ttl: None,
            answers: Duration::from_millis(300),
        };
        let store = EmbeddedStore::open(directory.path(), config).unwrap();
        store.create("e", new(None)).await.unwrap();
        assert_eq!(store.commit("e", commit(1)).await.unwrap(), Committed::Done);
        // Encounter, base, entry and answer.
        assert_eq!(rows(&store).await, 4);
        swept(&store, 3).await;
        let file = || {
            ["turnkeeper.db", "turnkeeper.db-wal"]
                .map(|name| std::fs::read(directory.path().join(name)).unwrap())
        };
        let before = file();
        sleep(Duration::from_millis(500)).await;
        assert!(file() == before, "it was written in several pauses");
    }

    /// A store in a directory, of which the file is changed as no program does it while it is closed.
    fn changed(directory: &Path, change: &str) -> EmbeddedStore {
        let file = Connection::open(file_in(directory)).unwrap();
        file.execute_batch(change).unwrap();
        drop(file);
        EmbeddedStore::open(directory, StoreConfig::default()).unwrap()
    }

    #[tokio::test]
    async fn a_sweep_removes_no_encounter_that_lives_and_passes_over_what_is_damaged() {
        let directory = tempfile::TempDir::new().unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        for id in ["a", "b", "c"] {
            store.create(id, new(None)).await.unwrap();
        }
        drop(store);
        // Two times that no program has written, as far as the checksums know.
        let change = "UPDATE encounters SET expires = 0 WHERE id IN ('a', 'b')";
        let store = changed(directory.path(), change);
        let mut passed = HashSet::new();
        let swept = store.write(move |tables| {
            let first = tables.sweep(&mut passed)?;
            let second = tables.sweep(&mut passed)?;
            Ok((first.faults.len(), second.faults.len(), tables.rows()?))
        });
        assert_eq!(swept.await.unwrap(), (2, 0, 6));
        store.load("c", None, None).await.unwrap();
    }

    #[tokio::test]
    async fn a_write_that_meets_damage_fails_alone() {
        let directory = tempfile::TempDir::new().unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        store.create("e", new(None)).await.unwrap();
        let damage = || {
            let corrupt = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            rusqlite::Error::SqliteFailure(corrupt, None)
        };
        let broken = store.write(move |tables| -> Step<()> {
            tables.commit("e", &commit(1))?;
            Err(damage().into())
        });
        let (broken, sound, third) = tokio::join!(
            broken,
            store.create("f", new(None)),
            store.commit("e", commit(1))
        );
        assert!(matches!(broken, Err(StoreError::Corrupt(_))), "{broken:?}");
        assert_eq!(sound.unwrap(), None);
        assert_eq!(third.unwrap(), Committed::Done);
        assert!(store.damage().is_some());
    }

    #[tokio::test]
    async fn a_list_tells_of_an_encounter_that_is_not_its_applications() {
        let directory = tempfile::TempDir::new().unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        for id in ["a", "b"] {
            store.create(id, new(Some("table"))).await.unwrap();
        }
        drop(store);
        let change = "UPDATE encounters SET application = 'other' WHERE id = 'b'";
        let store = changed(directory.path(), change);
        let listed = store.list("other", None, 10, 1000).await.unwrap();
        assert_eq!(listed.items, []);
        assert!(store.damage().is_some());
        assert_eq!(
            store
                .list("table", None, 10, 1000)
                .await
                .unwrap()
                .items
                .len(),
            1
        );
    }

    #[tokio::test]
    async fn a_store_whose_file_was_removed_is_not_ready() {
        let directory = tempfile::TempDir::new().unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        store.ready().await.unwrap();
        for name in ["turnkeeper.db-wal", "turnkeeper.lock", "turnkeeper.db"] {
            let (path, aside) = (directory.path().join(name), directory.path().join("aside"));
            std::fs::rename(&path, &aside).unwrap();
            let refused = store.ready().await;
            assert!(
                matches!(&refused, Err(StoreError::Unavailable(reason)) if reason.contains(name)),
                "{refused:?}"
            );
            std::fs::rename(&aside, &path).unwrap();
            store.ready().await.unwrap();
        }
    }
}
