//! Encounters in one file beside the program, for one process: nothing to install, nothing lost at a restart.
//!
//! Reads take a snapshot and wait for nobody. All writes go through one thread that does many of them in one durable
//! transaction; a write is answered only after it is on the disk.

mod file;
mod tables;
mod windows;
mod writer;

use std::path::Path;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use redb::{ReadTransaction, ReadableDatabase};
use tokio::sync::{broadcast, oneshot};

use self::file::File;
use self::tables::{ANSWERS, BASES, DOCUMENTS, LISTED, LOG, META, SALT, Step, Tables, no_base};
use self::windows::Windows;
use self::writer::{Order, Task, Writer, millis};
use super::{
    Base, Commit, Committed, Created, Entry, Found, KeyDigest, ListReference, Listing, Loaded, LogPage, NOTICES,
    NewEncounter, Notice, OpenError, QuotaGrant, Store, StoreConfig, StoreError, check_gapless, listed_id, now,
};

/// So many writes may wait; more are refused at once, rather than answered too late.
const QUEUE: usize = 1024;

/// A store in one file, for one process.
pub struct EmbeddedStore {
    file: Arc<File>,
    orders: SyncSender<Order>,
    notices: broadcast::Sender<Notice>,
    config: StoreConfig,
    windows: Windows,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl EmbeddedStore {
    /// Opens the store in `directory`, which is made if it is missing.
    ///
    /// After a crash this checks the whole file first. A second process is refused with
    /// [`OpenError::InUse`].
    pub fn open(directory: impl AsRef<Path>, config: StoreConfig) -> Result<Self, OpenError> {
        let file = Arc::new(File::open(directory.as_ref())?);
        let (orders, queue) = sync_channel(QUEUE);
        let notices = broadcast::Sender::new(NOTICES);
        let writer = Writer { file: file.clone(), orders: queue, notices: notices.clone(), config };
        writer
            .prepare()
            .map_err(|reason| OpenError::File { path: directory.as_ref().display().to_string(), reason })?;
        let thread =
            std::thread::Builder::new().name("store".to_owned()).spawn(move || writer.run()).map_err(|error| {
                OpenError::File { path: directory.as_ref().display().to_string(), reason: error.to_string() }
            })?;
        Ok(Self { file, orders, notices, config, windows: Windows::default(), thread: Mutex::new(Some(thread)) })
    }

    /// Has the writer do `work` and waits until it is durable.
    async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnMut(&mut Tables<'_>) -> Step<T> + Send + 'static,
    {
        let (task, answer) = Task::new(work);
        self.orders.try_send(Order::Do(Box::new(task))).map_err(|error| match error {
            TrySendError::Full(_) => StoreError::Unavailable(format!("{QUEUE} writes are waiting already")),
            TrySendError::Disconnected(_) => closed(),
        })?;
        answer.await.map_err(|_| closed())?
    }

    /// Reads from a snapshot, on the caller's own thread: a few microseconds, while handing it to another thread and back
    /// would cost more than the read.
    fn read<T>(&self, work: impl FnOnce(&ReadTransaction) -> Step<T>) -> Result<T, StoreError> {
        let database = self.file.database()?;
        let outcome = database.begin_read().map_err(redb::Error::from).and_then(|reading| work(&reading));
        outcome.unwrap_or_else(|error| Err(unreadable(error)))
    }
}

impl Drop for EmbeddedStore {
    /// Waits for what is queued and for the file to be closed, so that it can be opened again at once.
    fn drop(&mut self) {
        let (tell, _) = oneshot::channel();
        // Fails only when the thread has ended.
        let _ = self.orders.send(Order::Close(tell));
        let thread = self.thread.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(thread) = thread {
            // It catches its panics; were there one all the same, dropping must not add another.
            let _ = thread.join();
        }
    }
}

#[async_trait]
impl Store for EmbeddedStore {
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Created, StoreError> {
        self.import(id, new, 0, Vec::new()).await
    }

    async fn import(
        &self, id: &str, new: NewEncounter, base_version: u64, entries: Vec<Entry>,
    ) -> Result<Created, StoreError> {
        let id = id.to_owned();
        self.write(move |tables| tables.create(&id, &new, base_version, &entries)).await
    }

    async fn load(&self, id: &str, known: Option<u64>, key: Option<&KeyDigest>) -> Result<Loaded, StoreError> {
        self.read(|reading| {
            let documents = reading.open_table(DOCUMENTS)?;
            let Some(row) = documents.get(id)? else {
                return Ok(Ok(Loaded::Missing));
            };
            let (revision, version, expires, _, document) = row.value();
            let now = now();
            if expires <= now {
                return Ok(Ok(Loaded::Missing));
            }
            let mut answer = None;
            if let Some(digest) = key
                && let Some(row) = reading.open_table(ANSWERS)?.get((id, digest))?
                && row.value().0.saturating_add(millis(self.config.answers)) > now
            {
                answer = Some(Bytes::copy_from_slice(row.value().1));
            }
            let document = (known != Some(revision)).then(|| Bytes::copy_from_slice(document));
            Ok(Ok(Loaded::Found(Found { revision, version, document, answer })))
        })
    }

    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError> {
        let id = id.to_owned();
        self.write(move |tables| tables.commit(&id, &commit)).await
    }

    async fn log(&self, id: &str, after: u64, limit: usize, max_bytes: usize) -> Result<LogPage, StoreError> {
        self.read(|reading| {
            let Some(version) = living(reading, id)? else {
                return Ok(Err(StoreError::Missing));
            };
            let Some(base) = reading.open_table(BASES)?.get(id)?.map(|row| row.value().0) else {
                return Ok(Err(no_base(id)));
            };
            let mut page = LogPage { base_version: base, version, entries: Vec::new() };
            let mut room = max_bytes;
            let log = reading.open_table(LOG)?;
            for row in log.range((id, after.saturating_add(1))..=(id, u64::MAX))?.take(limit) {
                let (key, bytes) = row?;
                let bytes = bytes.value();
                if bytes.len() > room && !page.entries.is_empty() {
                    break;
                }
                room = room.saturating_sub(bytes.len());
                page.entries.push(Entry { version: key.value().1, bytes: Bytes::copy_from_slice(bytes) });
            }
            Ok(check_gapless(&page, after, limit).map(|()| page))
        })
    }

    async fn base(&self, id: &str) -> Result<Base, StoreError> {
        self.read(|reading| {
            if living(reading, id)?.is_none() {
                return Ok(Err(StoreError::Missing));
            }
            let bases = reading.open_table(BASES)?;
            let row = bases.get(id)?.ok_or_else(|| no_base(id));
            Ok(row.map(|row| {
                let (version, document) = row.value();
                Base { version, document: Bytes::copy_from_slice(document) }
            }))
        })
    }

    async fn list(
        &self, application: &str, before: Option<&str>, limit: usize, max_bytes: usize,
    ) -> Result<Listing, StoreError> {
        self.read(|reading| {
            let (listed, documents) = (reading.open_table(LISTED)?, reading.open_table(DOCUMENTS)?);
            let (now, mut listing, mut room) = (now(), Listing::default(), max_bytes);
            // No place sorts above it: they begin with digits.
            let end = before.unwrap_or("~");
            let mut last = None;
            for row in listed.range((application, "")..(application, end))?.rev() {
                let row = row?;
                let (_, place) = row.0.value();
                let id = listed_id(place).unwrap_or_default();
                let Some(document) = documents.get(id)?.filter(|row| row.value().2 > now) else { continue };
                let document = document.value().4;
                if listing.items.len() >= limit || document.len() > room && !listing.items.is_empty() {
                    listing.next = last;
                    break;
                }
                room = room.saturating_sub(document.len());
                last = Some(place.to_owned());
                listing.items.push(ListReference { id: id.to_owned(), document: Bytes::copy_from_slice(document) });
            }
            Ok(Ok(listing))
        })
    }

    async fn acquire_quota(
        &self, bucket: &str, want: u32, quota: u32, window: Duration,
    ) -> Result<QuotaGrant, StoreError> {
        // The file being closed is the store being away, although nothing of this lies in it.
        self.file.database()?;
        Ok(self.windows.acquire_quota(bucket, want, quota, window))
    }

    async fn delete(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.write(move |tables| tables.delete(&id)).await
    }

    async fn salt(&self) -> Result<[u8; 32], StoreError> {
        self.read(|reading| {
            let meta = reading.open_table(META)?;
            let salt = meta.get(SALT)?.and_then(|row| row.value().try_into().ok());
            Ok(salt.ok_or_else(|| StoreError::Corrupt("the salt is not 32 bytes".to_owned())))
        })
    }

    fn commits(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.read(|_| Ok(Ok(())))
    }

    async fn close(&self) {
        let (tell, told) = oneshot::channel();
        let mut order = Order::Close(tell);
        while let Err(TrySendError::Full(back)) = self.orders.try_send(order) {
            order = back;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // An error means that the thread has ended already.
        let _ = told.await;
    }
}

/// The version of an encounter that has not expired.
fn living(reading: &ReadTransaction, id: &str) -> Result<Option<u64>, redb::Error> {
    let row = reading.open_table(DOCUMENTS)?.get(id)?;
    Ok(row.and_then(|row| {
        let (_, version, expires, ..) = row.value();
        (expires > now()).then_some(version)
    }))
}

fn closed() -> StoreError {
    StoreError::Unavailable("the embedded store is closed".to_owned())
}

/// What cannot be right in the file is its fault; anything else may pass.
fn unreadable(error: redb::Error) -> StoreError {
    match error {
        redb::Error::Corrupted(text) => StoreError::Corrupt(text),
        other => StoreError::Unavailable(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(expected: u64) -> Commit {
        let entry = Some(Entry { version: expected, bytes: Bytes::from("entry") });
        let answer = Some(([expected as u8; 32], Bytes::from("answer")));
        let (revision, document) = (expected + 1, Bytes::from("document"));
        Commit { expected, revision, document, entry, answer, rebase: None }
    }

    fn new() -> NewEncounter {
        let application = Some("table".to_owned());
        NewEncounter { revision: 1, document: Bytes::from("document"), base: Bytes::from("base"), application }
    }

    #[tokio::test]
    async fn a_failed_transaction_is_told_and_the_store_goes_on() {
        let directory = tempfile::TempDir::new().unwrap();
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap();
        store.create("e", new()).await.unwrap();
        for revision in 1..4 {
            let full = store.write(move |tables| -> Step<()> {
                let half = tables.commit("e", &commit(revision))?.unwrap();
                assert_eq!(half, Committed::Done);
                Err(redb::Error::Io(std::io::Error::from(std::io::ErrorKind::StorageFull)))
            });
            assert!(matches!(full.await, Err(StoreError::Unavailable(_))));
            let panicking = store.write(move |tables| -> Step<()> {
                let half = tables.commit("e", &commit(revision))?.unwrap();
                panic!("after {half:?}");
            });
            assert!(matches!(panicking.await, Err(StoreError::Unavailable(_))));
            let Loaded::Found(encounter) = store.load("e", None, None).await.unwrap() else { panic!("it is gone") };
            assert_eq!(encounter.revision, revision, "nothing of a failed transaction is kept");
            assert_eq!(store.commit("e", commit(revision)).await.unwrap(), Committed::Done);
        }
    }

    #[tokio::test]
    async fn neither_deleting_nor_expiring_leaves_a_row_behind() {
        let directory = tempfile::TempDir::new().unwrap();
        let ttl = Some(std::time::Duration::from_millis(400));
        let store = EmbeddedStore::open(directory.path(), StoreConfig { ttl, ..StoreConfig::default() }).unwrap();
        let rows = || store.write(|tables| tables.rows());
        for id in ["deleted", "expired"] {
            store.create(id, new()).await.unwrap();
            for revision in 1..4 {
                assert_eq!(store.commit(id, commit(revision)).await.unwrap(), Committed::Done);
            }
            let rebase = Some(Base { version: 2, document: Bytes::from("later") });
            let commit = Commit { rebase, ..commit(4) };
            assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
            // Document, base, first base, two entries, four answers and their times, expiry, list and owner; and the salt.
            assert_eq!(rows().await.unwrap(), 17);
            if id == "deleted" {
                assert!(store.delete(id).await.unwrap());
                assert_eq!(rows().await.unwrap(), 1);
            }
        }
        let until = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while rows().await.unwrap() > 1 {
            assert!(std::time::Instant::now() < until, "{} rows are left", rows().await.unwrap());
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}
