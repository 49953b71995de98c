//! Encounters in one file, for one process: nothing to install, nothing lost at a restart.
//!
//! Reads take a snapshot and never wait. One thread does all writes, many in one durable
//! transaction. A write returns only after it is on the disk.

mod backup;
mod check;
mod clock;
mod file;
mod overlay;
mod quota;
mod reserve;
mod schema;
mod sealed;
mod step;
mod tables;
mod writer;

pub use self::backup::back_up;
pub use self::check::{Report, check_file};
pub use self::file::file_in;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use redb::{ReadTransaction, ReadableDatabase};
use tokio::sync::{broadcast, oneshot};

use self::check::{DamageCell, check_later};
use self::clock::{Millis, Running, StoreClock, running};
use self::file::{DatabaseFile, cannot_open, panic_text};
use self::quota::Windows;
use self::reserve::Reserve;
use self::schema::{ANSWERS, BASES, DOCUMENTS, LISTED, LOG, META, OWNERS, SALT};
use self::sealed::{Row, row};
use self::step::{Step, StepError, if_sound};
use self::tables::{Tables, no_base};
use self::writer::{Job, SendResult, WriteThread};
use super::{
    Base, Commit, Committed, Entry, Found, KeyDigest, ListedEncounter, Listing, NOTICES,
    NewEncounter, Notice, QuotaGrant, Store, StoreConfig, StoreError, StoredPage, check_gapless,
    listed_id, millis,
};

/// Maximum queued writes; more are refused at once.
const QUEUE: usize = 1024;
/// The time for which a failed check of the disk is not repeated: each one reopens the file.
const FULL_FOR: Duration = Duration::from_secs(5);

/// A store in one file, for one process.
pub struct EmbeddedStore {
    file: Arc<DatabaseFile>,
    /// The queue of the writing thread, and that thread; None only while the store is dropped.
    writer: Option<(SyncSender<Job>, JoinHandle<()>)>,
    notices: broadcast::Sender<Notice>,
    config: StoreConfig,
    clock: Arc<StoreClock>,
    damage: Arc<DamageCell>,
    /// Whether the last write failed for want of room.
    disk_full: Arc<AtomicBool>,
    /// When the newest check of the full disk failed, and how.
    failed_check: Mutex<Option<(Instant, StoreError)>>,
    windows: Windows,
}

impl EmbeddedStore {
    /// Opens the store in `directory`, and creates that if it is missing.
    ///
    /// After a crash this checks the whole file first.
    ///
    /// # Errors
    /// When the file cannot be opened, or another process uses it.
    pub fn open(directory: impl AsRef<Path>, config: StoreConfig) -> Result<Self, String> {
        Self::open_at(directory.as_ref(), config, running())
    }

    /// Opens the store with a source of time.
    fn open_at(directory: &Path, config: StoreConfig, running: Running) -> Result<Self, String> {
        let file = Arc::new(DatabaseFile::open(directory)?);
        let (sender, jobs) = sync_channel(QUEUE);
        let notices = broadcast::Sender::new(NOTICES);
        let clock = Arc::new(StoreClock::from(file.kept_time()?, running));
        let writer = WriteThread::new(
            file.clone(),
            jobs,
            notices.clone(),
            config,
            clock.clone(),
            Reserve::in_directory(directory),
        );
        let disk_full = writer.disk_full.clone();
        let damage = Arc::new(DamageCell::default());
        check_later(file.clone(), damage.clone()).map_err(|error| cannot_open(directory, error))?;
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || writer.run());
        let thread = thread.map_err(|error| cannot_open(directory, error))?;
        Ok(Self {
            file,
            writer: Some((sender, thread)),
            notices,
            config,
            clock,
            damage,
            disk_full,
            failed_check: Mutex::default(),
            windows: Windows::default(),
        })
    }

    /// Lets [`back_up`] copy this store, which `directory` contains, for as long as the process
    /// runs.
    ///
    /// # Errors
    /// When there can be no socket in the directory, as when its path is too long.
    pub fn serve_backups(&self, directory: &Path) -> std::io::Result<()> {
        backup::serve(directory, self.file.clone())
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
        match result.await {
            Ok(Err(StoreError::Corrupt(fault))) => {
                self.damage.note(&fault);
                Err(StoreError::Corrupt(fault))
            }
            Ok(result) => result,
            Err(_) => Err(StoreError::Unavailable(
                failure.await.unwrap_or_else(|_| "not written".to_owned()),
            )),
        }
    }

    /// Writes, to see whether the full disk has room again.
    async fn check_room(&self) -> Result<(), StoreError> {
        if let Some((failed_at, error)) = &*self.failed_check.lock()
            && failed_at.elapsed() < FULL_FOR
        {
            return Err(error.clone());
        }
        let checked = self.write(|tables| Ok(tables.keep_time()?)).await;
        if let Err(error) = &checked {
            *self.failed_check.lock() = Some((Instant::now(), error.clone()));
        }
        checked
    }

    /// Reads from a snapshot, on the caller's own thread: switching threads would cost more than
    /// the read.
    fn read<T>(&self, work: impl FnOnce(&ReadTransaction) -> Step<T>) -> Result<T, StoreError> {
        let database = self.file.database()?;
        // The database panics on some damaged pages.
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&database.begin_read()?)));
        let error = match outcome {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(StepError::Refused(refusal))) => refusal,
            // Damaged data stays damaged; any other error may pass.
            Ok(Err(StepError::Failed(redb::Error::Corrupted(text)))) => StoreError::Corrupt(text),
            Ok(Err(StepError::Failed(other))) => StoreError::Unavailable(other.to_string()),
            Err(panic) => StoreError::Corrupt(panic_text(&*panic)),
        };
        if let StoreError::Corrupt(fault) = &error {
            self.damage.note(fault);
        }
        Err(error)
    }
}

impl Drop for EmbeddedStore {
    /// Waits until queued writes are done and the file is closed, so that it can be opened again at
    /// once.
    fn drop(&mut self) {
        self.damage.stop_looking();
        if let Some((jobs, thread)) = self.writer.take() {
            drop(jobs);
            // The thread catches panics; a drop must not add another one.
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
        self.read(|reading| {
            let documents = reading.open_table(DOCUMENTS)?;
            let now = self.clock.now();
            let found = row(&documents, id)?
                .filter(|found| found.value().2 > now)
                .ok_or(StoreError::Missing)?;
            let (revision, version, _, _, document, log_bytes) = found.value();
            let mut answer = None;
            if let Some(digest) = key
                && let Some(recorded) = row(&reading.open_table(ANSWERS)?, (id, digest))?
                && recorded
                    .value()
                    .0
                    .saturating_add(millis(self.config.answers))
                    > now
            {
                answer = Some(Bytes::copy_from_slice(recorded.value().1));
            }
            let document = (known != Some(revision)).then(|| Bytes::copy_from_slice(document));
            Ok(Found {
                revision,
                version,
                log_bytes,
                document,
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
            let version = living(reading, id, self.clock.now())?;
            let bases = reading.open_table(BASES)?;
            let base_version = row(&bases, id)?.ok_or_else(|| no_base(id))?.value().0;
            let mut page = StoredPage {
                base_version,
                version,
                entries: Vec::new(),
            };
            let mut room = max_bytes;
            let log = reading.open_table(LOG)?;
            for entry in log
                .range((id, after.saturating_add(1))..=(id, u64::MAX))?
                .take(limit)
            {
                let (key, sealed) = entry?;
                let entry = Row::check::<(&str, u64)>("log", &key.value(), sealed)?;
                let bytes = entry.value();
                if bytes.len() > room && !page.entries.is_empty() {
                    break;
                }
                room = room.saturating_sub(bytes.len());
                page.entries.push(Entry {
                    version: key.value().1,
                    bytes: Bytes::copy_from_slice(bytes),
                });
            }
            check_gapless(&page, after, limit)?;
            Ok(page)
        })
    }

    async fn base(&self, id: &str) -> Result<Base, StoreError> {
        self.read(|reading| {
            living(reading, id, self.clock.now())?;
            let bases = reading.open_table(BASES)?;
            let base = row(&bases, id)?.ok_or_else(|| no_base(id))?;
            let (version, document) = base.value();
            Ok(Base {
                version,
                document: Bytes::copy_from_slice(document),
            })
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
            let (listed, documents) = (reading.open_table(LISTED)?, reading.open_table(DOCUMENTS)?);
            let (now, mut listing, mut room) = (self.clock.now(), Listing::default(), max_bytes);
            // Positions begin with digits, so all sort below this.
            let end = before.unwrap_or("~");
            let mut last = None;
            for place in listed.range((application, "")..(application, end))?.rev() {
                let place = place?.0;
                let (_, position) = place.value();
                let id = listed_id(position).unwrap_or_default();
                // A damaged one must not hide the others.
                let Some(document) =
                    if_sound(row(&documents, id))?.filter(|row| row.value().2 > now)
                else {
                    continue;
                };
                let document = document.value().4;
                if listing.items.len() >= limit
                    || document.len() > room && !listing.items.is_empty()
                {
                    listing.next = last;
                    break;
                }
                room = room.saturating_sub(document.len());
                last = Some(position.to_owned());
                listing.items.push(ListedEncounter {
                    id: id.to_owned(),
                    document: Bytes::copy_from_slice(document),
                });
            }
            Ok(listing)
        })
    }

    async fn application(&self, id: &str) -> Result<Option<String>, StoreError> {
        self.read(|reading| {
            let application =
                row(&reading.open_table(OWNERS)?, id)?.map(|owner| owner.value().0.to_owned());
            living(reading, id, self.clock.now())?;
            Ok(application)
        })
    }

    async fn acquire_quota(
        &self,
        bucket: &str,
        want: u32,
        quota: u32,
        window: Duration,
    ) -> Result<QuotaGrant, StoreError> {
        // A closed file means that the store is unavailable, although the windows are in memory.
        drop(self.file.database()?);
        Ok(self.windows.acquire_quota(bucket, want, quota, window))
    }

    async fn delete(&self, id: &str) -> Result<(), StoreError> {
        let name = id.to_owned();
        match self.write(move |tables| tables.delete(&name)).await {
            Err(StoreError::Unavailable(_)) if self.disk_full.load(Ordering::Relaxed) => {
                let name = id.to_owned();
                self.queue(move |tables| tables.delete(&name), true).await
            }
            deleted => deleted,
        }
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        self.read(|reading| {
            let meta = reading.open_table(META)?;
            let salt = row(&meta, SALT)?.and_then(|salt| salt.value().try_into().ok());
            Ok(salt.ok_or_else(|| StoreError::Corrupt("the salt is not 32 bytes".to_owned()))?)
        })
    }

    fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        if self.disk_full.load(Ordering::Relaxed) {
            self.check_room().await?;
        }
        self.read(|_| Ok(()))
    }

    fn damage(&self) -> Option<String> {
        self.damage.summary()
    }

    fn file_bytes(&self) -> Option<u64> {
        self.file.bytes()
    }
}

/// The version of an encounter that has not expired.
fn living(reading: &ReadTransaction, id: &str, now: Millis) -> Step<u64> {
    let documents = reading.open_table(DOCUMENTS)?;
    let found = row(&documents, id)?.filter(|found| found.value().2 > now);
    Ok(found.ok_or(StoreError::Missing)?.value().1)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let kept = store.write(|tables| Ok(tables.keep_layout(9)?)).await;
        kept.unwrap();
        drop(store);
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
                Err(redb::Error::Io(std::io::Error::from(std::io::ErrorKind::StorageFull)).into())
            });
            assert!(matches!(full.await, Err(StoreError::Unavailable(_))));
            let panicking = store.write(move |tables| -> Step<()> {
                let half = tables.commit("e", &commit(revision))?;
                panic!("after {half:?}");
            });
            assert!(matches!(panicking.await, Err(StoreError::Unavailable(_))));
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
    async fn a_full_disk_is_checked_once_in_some_seconds() {
        let directory = tempfile::TempDir::new().unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        let full = async || {
            let failed = store.write(|_| -> Step<()> {
                Err(redb::Error::Io(std::io::Error::from(std::io::ErrorKind::StorageFull)).into())
            });
            failed.await.unwrap_err();
        };
        full().await;
        store.ready().await.unwrap();
        // A file that does not open fails like one without room.
        let (path, aside) = (file_in(directory.path()), directory.path().join("aside"));
        std::fs::rename(&path, &aside).unwrap();
        full().await;
        store.ready().await.unwrap_err();
        std::fs::rename(&aside, &path).unwrap();
        let refused = store.ready().await;
        assert!(
            matches!(refused, Err(StoreError::Unavailable(_))),
            "{refused:?}"
        );
        // A write that succeeds shows that there is room.
        store.create("e", new(None)).await.unwrap();
        store.ready().await.unwrap();
    }

    #[tokio::test]
    async fn the_check_goes_on_after_the_file_was_closed_for_a_while() {
        let directory = tempfile::TempDir::new().unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        store.create("e", new(None)).await.unwrap();
        assert_eq!(store.commit("e", commit(1)).await.unwrap(), Committed::Done);
        drop(store);
        let path = file_in(directory.path());
        let mut bytes = std::fs::read(&path).unwrap();
        let places: Vec<usize> = (0..bytes.len() - 5)
            .filter(|at| bytes[*at..].starts_with(b"entry"))
            .collect();
        for at in places {
            bytes[at] ^= 1;
        }
        std::fs::write(&path, bytes).unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        let aside = directory.path().join("aside");
        std::fs::rename(&path, &aside).unwrap();
        store.file.close();
        sleep(check::DELAY + Duration::from_secs(1)).await;
        std::fs::rename(&aside, &path).unwrap();
        // A write opens the file again.
        store.create("other", new(None)).await.unwrap();
        let found = async {
            while store.damage().is_none() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(10), found)
            .await
            .expect("the damage is found");
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
            // Document, base, first base, two entries, four answers and their times, expiry, list
            // and owner; and the store's layout, salt and time.
            assert_eq!(rows(&store).await, 19);
            if id == "deleted" {
                store.delete(id).await.unwrap();
                assert_eq!(rows(&store).await, 3);
            }
        }
        swept(&store, 3).await;
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
        // Document, base, entry, answer and its time; and the store's layout, salt and time.
        assert_eq!(rows(&store).await, 8);
        swept(&store, 6).await;
        let file = || std::fs::read(directory.path().join("turnkeeper.redb")).unwrap();
        let before = file();
        sleep(Duration::from_millis(500)).await;
        assert!(file() == before, "it was written in several pauses");
    }
}
