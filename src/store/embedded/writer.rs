//! The only thread that writes to the database file.
//!
//! An fsync costs far more than a commit, so the commits that queue up during one fsync share the
//! next transaction.

use super::check::DamageCell;
use super::clock::{Millis, StoreClock};
use super::file::{LOG, PATIENCE, beside};
use super::reserve::{Reserve, SIZE};
use super::step::{is_full, store_error};
use super::tables::Tables;
use crate::store::{Notice, StoreConfig, StoreError, millis};
use rusqlite::{Connection, TransactionBehavior, params};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::{broadcast, oneshot};

/// Maximum writes in one transaction.
const BATCH: usize = 256;
/// Pause before the first sweep.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Pause between two sweeps if there is more to sweep.
const SHORT_PAUSE: Duration = Duration::from_millis(20);
/// The part of the reserve that a deletion may take.
const MARGIN: u64 = 512 * 1024;
/// Maximum free pages of the file that go back to the disk at a time. Moving others into their place
/// writes less than the reserve has.
const RETURNED: u32 = 64;
/// The bytes from which on a log is large: usual ones have 1 MB.
const LARGE_LOG: u64 = 64 * 1024 * 1024;
/// The time after which a transaction also keeps the store's time.
const KEEP_TIME: Millis = 60 * 1000;
/// The time after which that alone is worth a transaction.
const KEEP_TIME_AT_REST: Millis = 60 * 60 * 1000;

/// A queued write.
pub(super) struct Job {
    /// Writes; an error fails the whole transaction. Returns how to send the result, once the
    /// transaction is durable.
    pub(super) work: Work,
    /// Gets the reason if the transaction fails.
    pub(super) failed: oneshot::Sender<StoreError>,
    /// Whether it frees room, and has failed for want of it.
    pub(super) from_reserve: bool,
}

type Work = Box<dyn FnOnce(&mut Tables<'_>) -> rusqlite::Result<SendResult> + Send>;
pub(super) type SendResult = Box<dyn FnOnce() + Send>;

/// What the writing thread owns.
pub(super) struct WriteThread {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) damage: Arc<DamageCell>,
    /// Damaged encounters that no sweep removes.
    pub(super) passed: HashSet<String>,
    pub(super) jobs: Receiver<Job>,
    pub(super) notices: broadcast::Sender<Notice>,
    pub(super) config: StoreConfig,
    pub(super) clock: Arc<StoreClock>,
    /// The time that the file has.
    pub(super) kept: Millis,
    pub(super) reserve: Reserve,
}

/// How a transaction of jobs ended.
#[derive(PartialEq, Eq)]
enum BatchEnd {
    Done,
    DiskFull,
    Failed,
}

impl WriteThread {
    /// Works until the queue is closed and empty, then closes the file.
    pub(super) fn run(mut self) {
        // The first answers do not wait for the reserve.
        let mut sweep_at = Instant::now() + self.pause().min(FIRST_PAUSE);
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
    }

    /// The pause between two sweeps; shorter for short lives.
    fn pause(&self) -> Duration {
        let StoreConfig { ttl, answers } = self.config;
        let shortest = ttl.map_or(answers, |ttl| ttl.min(answers));
        (shortest / 2).clamp(Duration::from_millis(50), Duration::from_secs(60))
    }

    fn write(&mut self, jobs: Vec<Job>) {
        let (from_reserve, others): (Vec<Job>, Vec<Job>) =
            jobs.into_iter().partition(|job| job.from_reserve);
        if !from_reserve.is_empty() {
            self.with_reserve(|writer| writer.write_together(from_reserve));
        }
        if !others.is_empty() && self.write_together(others) == BatchEnd::DiskFull {
            self.make_room();
        }
        self.begin_log_anew();
    }

    /// Does all jobs in one transaction, and sends their results. One that meets damage fails alone.
    fn write_together(&mut self, jobs: Vec<Job>) -> BatchEnd {
        let (work, failed): (Vec<_>, Vec<_>) =
            jobs.into_iter().map(|job| (job.work, job.failed)).unzip();
        let done = self.transact(|tables| {
            let mut results = Vec::with_capacity(work.len());
            for work in work {
                results.push(tables.step(work)?);
            }
            Ok(results)
        });
        let results = match done {
            Ok(results) => results,
            Err(error) => {
                let reason = store_error(&error);
                for failed in failed {
                    // Fails only if the caller has left.
                    let _ = failed.send(reason.clone());
                }
                return if is_full(&error) {
                    BatchEnd::DiskFull
                } else {
                    BatchEnd::Failed
                };
            }
        };
        for (result, failed) in results.into_iter().zip(failed) {
            match result {
                Ok(send) => send(),
                Err(reason) => _ = failed.send(reason),
            }
        }
        BatchEnd::Done
    }

    /// Does something that frees room, with the room that is kept for it, and gives what is free in the
    /// file back to the disk: else the log of writes would have no room, however much were deleted.
    fn with_reserve<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.reserve.release();
        let done = work(self);
        self.empty_log(SIZE - MARGIN);
        match return_pages(&self.connection) {
            Ok(()) => self.empty_log(0),
            Err(error) => tracing::warn!(%error, "the file of the store stays as large as it is"),
        }
        self.reserve.fill();
        done
    }

    /// Makes what room there is to be made without deleting anything, for the writes to come.
    fn make_room(&mut self) {
        if self.free_pages().is_ok_and(|free| free >= RETURNED) {
            self.with_reserve(|_| ());
        } else {
            // Pages that are free in the file take the place of the log's.
            self.empty_log(0);
        }
    }

    fn free_pages(&self) -> rusqlite::Result<u32> {
        self.connection
            .pragma_query_value(None, "freelist_count", |row| row.get(0))
    }

    /// Writes the log back into the file and empties it, if the file then grows by no more than `room`:
    /// a disk that gets full by it would have no room for deletions.
    fn empty_log(&self, room: u64) {
        let emptied = self.growth().and_then(|growth| {
            if growth <= room {
                self.connection
                    .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
            }
            Ok(())
        });
        if let Err(error) = emptied {
            tracing::warn!(%error, "the log of writes stays as it is");
        }
    }

    /// The bytes that the file grows by when its log is written back.
    fn growth(&self) -> rusqlite::Result<u64> {
        let pragma = |name| {
            self.connection
                .pragma_query_value(None, name, |row| row.get::<_, u32>(0))
        };
        let whole = u64::from(pragma("page_count")?) * u64::from(pragma("page_size")?);
        let now = std::fs::metadata(&self.path).map_or(0, |about| about.len());
        Ok(whole.saturating_sub(now))
    }

    /// Lets a log that has grown large begin anew: reads that always overlap keep it from that.
    fn begin_log_anew(&self) {
        let log = beside(&self.path, LOG);
        if std::fs::metadata(log).is_ok_and(|about| about.len() > LARGE_LOG) {
            // It is tried again after the next writes, and waits for no reader.
            let _ = self.connection.busy_timeout(Duration::ZERO);
            let _ = self
                .connection
                .execute_batch("PRAGMA wal_checkpoint(RESTART)");
            let _ = self.connection.busy_timeout(PATIENCE);
        }
    }

    /// Removes a part of what has expired; true when there may be more.
    fn sweep(&mut self) -> bool {
        if !self.due().unwrap_or(true) {
            return false;
        }
        let mut passed = std::mem::take(&mut self.passed);
        let mut sweep = |writer: &mut Self| writer.transact(|tables| tables.sweep(&mut passed));
        let swept = match sweep(self) {
            Err(error) if is_full(&error) => self.with_reserve(sweep),
            swept => swept,
        };
        self.passed = passed;
        let Ok(swept) = swept else {
            return false;
        };
        for fault in &swept.faults {
            self.damage.note(fault);
        }
        swept.more
    }

    /// Checks whether anything has expired, since an idle write transaction would cost an fsync.
    fn due(&self) -> rusqlite::Result<bool> {
        let now = self.clock.now();
        if now.saturating_sub(self.kept) >= KEEP_TIME_AT_REST {
            return Ok(true);
        }
        let since = now.checked_sub(millis(self.config.answers));
        let sql = "SELECT EXISTS (SELECT 1 FROM encounters WHERE expires <= ?)
                   OR EXISTS (SELECT 1 FROM answers WHERE at <= ?)";
        let times = params![now.cast_signed(), since.map(Millis::cast_signed)];
        self.connection
            .prepare_cached(sql)?
            .query_row(times, |row| row.get(0))
    }

    /// Runs `work` in one durable transaction.
    fn transact<T>(
        &mut self,
        work: impl FnOnce(&mut Tables<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let done = self.commit(work);
        if let Err(failure) = &done {
            tracing::error!(%failure, "a write to the embedded store failed");
        }
        done
    }

    fn commit<T>(
        &mut self,
        work: impl FnOnce(&mut Tables<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let now = self.clock.now();
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let mut tables = Tables {
            transaction: &transaction,
            now,
            ttl: self.config.ttl.map(millis),
            keep: millis(self.config.answers),
            notices: Vec::new(),
            time_counts: false,
        };
        let result = work(&mut tables)?;
        let keep_time = tables.time_counts || now.saturating_sub(self.kept) >= KEEP_TIME;
        if keep_time {
            tables.keep_time()?;
        }
        let notices = std::mem::take(&mut tables.notices);
        transaction.commit()?;
        if keep_time {
            self.kept = now;
        }
        for notice in notices {
            // Fails only without receivers.
            let _ = self.notices.send(notice);
        }
        Ok(result)
    }
}

/// Cuts off free pages of the file; the disk has them once the log is written back.
fn return_pages(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({RETURNED})"))?;
    let mut pages = statement.query([])?;
    // Each step returns one page.
    while pages.next()?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreConfig;
    use crate::store::embedded::EmbeddedStore;

    #[test]
    fn free_pages_of_the_file_go_back_to_the_disk_a_part_at_a_time() {
        let directory = tempfile::TempDir::new().unwrap();
        drop(EmbeddedStore::open(directory.path(), StoreConfig::default()).unwrap());
        let file = Connection::open(super::super::file_in(directory.path())).unwrap();
        let pages = || -> u32 {
            file.pragma_query_value(None, "page_count", |row| row.get(0))
                .unwrap()
        };
        let before = pages();
        let fill = "INSERT INTO meta VALUES ('long', zeroblob(1000000), 0)";
        file.execute(fill, []).unwrap();
        let filled = pages();
        file.execute("DELETE FROM meta WHERE name = 'long'", [])
            .unwrap();
        assert_eq!(pages(), filled, "the pages are free and in the file");
        return_pages(&file).unwrap();
        assert_eq!(pages(), filled - RETURNED);
        while pages() > before {
            let last = pages();
            return_pages(&file).unwrap();
            assert!(pages() < last, "{last} pages, {before} at first");
        }
    }
}
