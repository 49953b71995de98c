//! The only thread that writes to the database file.
//!
//! An fsync costs far more than a commit, so the commits that queue up during one fsync share the
//! next transaction.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use redb::{ReadableDatabase, ReadableTable};
use tokio::sync::{broadcast, oneshot};

use super::clock::{Millis, StoreClock};
use super::file::{DatabaseFile, panic_text};
use super::reserve::{Reserve, is_full};
use super::schema::{ANSWERED, EXPIRY};
use super::tables::Tables;
use crate::store::{Notice, StoreConfig, millis};

/// Maximum writes in one transaction.
const BATCH: usize = 256;
/// Pause between two sweeps if there is more to sweep.
const SHORT_PAUSE: Duration = Duration::from_millis(20);
/// Pause between two attempts to open a file that failed.
const REOPEN: Duration = Duration::from_secs(1);
/// The time after which a transaction also keeps the store's time.
const KEEP_TIME: Millis = 60 * 1000;
/// The time after which that alone is worth a transaction.
const KEEP_TIME_AT_REST: Millis = 60 * 60 * 1000;

/// A queued write.
pub(super) struct Job {
    /// Writes; an error fails the whole transaction. Returns how to send the result, once the
    /// transaction is durable.
    pub(super) work: Work,
    /// Gets the reason if the transaction fails, once the file is open again.
    pub(super) failed: oneshot::Sender<String>,
    /// Whether it frees room, and has failed for want of it.
    pub(super) from_reserve: bool,
}

type Work = Box<dyn FnOnce(&mut Tables<'_>) -> Result<SendResult, redb::Error> + Send>;
pub(super) type SendResult = Box<dyn FnOnce() + Send>;

/// What the writing thread owns.
pub(super) struct WriteThread {
    file: Arc<DatabaseFile>,
    jobs: Receiver<Job>,
    notices: broadcast::Sender<Notice>,
    config: StoreConfig,
    clock: Arc<StoreClock>,
    /// The time that the file has.
    kept: Cell<Millis>,
    reserve: Reserve,
    /// Whether the last transaction failed for want of room.
    pub(super) disk_full: Arc<AtomicBool>,
}

impl WriteThread {
    pub(super) fn new(
        file: Arc<DatabaseFile>,
        jobs: Receiver<Job>,
        notices: broadcast::Sender<Notice>,
        config: StoreConfig,
        clock: Arc<StoreClock>,
        reserve: Reserve,
    ) -> Self {
        let kept = Cell::new(clock.now());
        Self {
            file,
            jobs,
            notices,
            config,
            clock,
            kept,
            reserve,
            disk_full: Arc::default(),
        }
    }

    /// Works until the queue is closed and empty, then closes the file.
    pub(super) fn run(self) {
        self.reserve.fill();
        let mut sweep_at = Instant::now() + self.pause();
        loop {
            let left = sweep_at.saturating_duration_since(Instant::now());
            match self.jobs.recv_timeout(left) {
                Ok(first) => {
                    let mut batch = vec![first];
                    batch.extend(self.jobs.try_iter().take(BATCH - 1));
                    self.write(batch);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if Instant::now() >= sweep_at {
                let more = self.sweep();
                self.reserve.fill();
                let pause = if more { SHORT_PAUSE } else { self.pause() };
                sweep_at = Instant::now() + pause;
            }
        }
        // After a failure the next process goes on from an earlier time.
        let _ = self.transact(|tables| tables.keep_time());
        self.file.close();
    }

    /// The pause between two sweeps; shorter for short lives, and while the file is closed.
    fn pause(&self) -> Duration {
        let shortest = self
            .config
            .ttl
            .map_or(self.config.answers, |ttl| ttl.min(self.config.answers));
        let pause = (shortest / 2).clamp(Duration::from_millis(50), Duration::from_secs(60));
        if self.file.database().is_ok() {
            pause
        } else {
            pause.min(REOPEN)
        }
    }

    fn write(&self, jobs: Vec<Job>) {
        let (from_reserve, others): (Vec<Job>, Vec<Job>) =
            jobs.into_iter().partition(|job| job.from_reserve);
        if !from_reserve.is_empty() {
            self.with_reserve(|| self.write_together(from_reserve));
        }
        if !others.is_empty() {
            self.write_together(others);
        }
    }

    /// Does all jobs in one transaction, and sends their results.
    fn write_together(&self, jobs: Vec<Job>) {
        let (work, failed): (Vec<_>, Vec<_>) =
            jobs.into_iter().map(|job| (job.work, job.failed)).unzip();
        let done = self.transact(|tables| {
            let mut results = Vec::with_capacity(work.len());
            for work in work {
                results.push(work(tables)?);
            }
            Ok(results)
        });
        match done {
            Ok(results) => {
                for send in results {
                    send();
                }
            }
            Err(reason) => {
                for failed in failed {
                    // Fails only if the caller has left.
                    let _ = failed.send(reason.clone());
                }
            }
        }
    }

    /// Does something that frees room, with the room that is kept for it.
    fn with_reserve<T>(&self, work: impl FnOnce() -> T) -> T {
        self.reserve.release();
        let done = work();
        self.reserve.fill();
        done
    }

    /// Removes a part of what has expired; true when there may be more.
    fn sweep(&self) -> bool {
        if !self.due().unwrap_or(true) {
            return false;
        }
        let swept = self.transact(|tables| tables.sweep());
        let swept = match swept {
            Err(_) if self.disk_is_full() => {
                self.with_reserve(|| self.transact(|tables| tables.sweep()))
            }
            swept => swept,
        };
        swept.unwrap_or(false)
    }

    fn disk_is_full(&self) -> bool {
        self.disk_full.load(Ordering::Relaxed)
    }

    /// Checks whether anything has expired, since an idle write transaction would cost an fsync.
    fn due(&self) -> Result<bool, Box<dyn std::error::Error>> {
        let reading = self.file.database()?.begin_read()?;
        let now = self.clock.now();
        let expired = reading
            .open_table(EXPIRY)?
            .first()?
            .is_some_and(|(key, _)| key.value().0 <= now);
        let last = now.checked_sub(millis(self.config.answers));
        let ended = reading
            .open_table(ANSWERED)?
            .first()?
            .is_some_and(|(key, _)| Some(key.value().0) <= last);
        Ok(expired || ended || now.saturating_sub(self.kept.get()) >= KEEP_TIME_AT_REST)
    }

    /// Runs `work` in one durable transaction. After a failure the file is reopened, because redb
    /// refuses all work after an I/O error.
    pub(super) fn transact<T>(
        &self,
        work: impl FnOnce(&mut Tables<'_>) -> Result<T, redb::Error>,
    ) -> Result<T, String> {
        if self.file.database().is_err() {
            self.file.reopen()?;
        }
        let failure = match catch_unwind(AssertUnwindSafe(|| self.commit(work))) {
            Ok(Ok(result)) => {
                self.disk_full.store(false, Ordering::Relaxed);
                return Ok(result);
            }
            Ok(Err(error)) => {
                self.disk_full.store(is_full(&error), Ordering::Relaxed);
                error.to_string()
            }
            Err(panic) => format!("the embedded database panicked: {}", panic_text(&*panic)),
        };
        tracing::error!(%failure, "a write to the embedded store failed; reopening the file");
        self.file.close();
        if let Err(error) = self.file.reopen() {
            tracing::error!(%error, "the embedded store stays closed for now");
        }
        Err(failure)
    }

    fn commit<T>(
        &self,
        work: impl FnOnce(&mut Tables<'_>) -> Result<T, redb::Error>,
    ) -> Result<T, redb::Error> {
        let database = self
            .file
            .database()
            .map_err(|_| redb::Error::DatabaseClosed)?;
        let transaction = database.begin_write()?;
        let now = self.clock.now();
        let mut tables = Tables::open(
            &transaction,
            now,
            self.config.ttl.map(millis),
            millis(self.config.answers),
        )?;
        let result = work(&mut tables)?;
        let keep_time = tables.time_counts || now.saturating_sub(self.kept.get()) >= KEEP_TIME;
        if keep_time {
            tables.keep_time()?;
        }
        let notices = std::mem::take(&mut tables.notices);
        drop(tables);
        transaction.commit()?;
        if keep_time {
            self.kept.set(now);
        }
        for notice in notices {
            // Fails only without receivers.
            let _ = self.notices.send(notice);
        }
        Ok(result)
    }
}
