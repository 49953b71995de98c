//! The only thread that writes: it takes what is queued, does it in one transaction and answers when that is durable.
//!
//! An fsync costs far more than a commit's own work, so the commits that queue up during one share the next.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use redb::{Database, ReadableDatabase, ReadableTable};
use tokio::sync::{broadcast, oneshot};

use super::file::File;
use super::tables::{ANSWERED, EXPIRY, Millis, Step, Tables};
use crate::store::{Notice, StoreConfig, StoreError, now};

/// So many jobs share a transaction at most.
const BATCH: usize = 256;
/// Between two attempts to open a file that failed.
const REOPEN: Duration = Duration::from_secs(1);

pub(super) fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

/// What the writer is asked for.
pub(super) enum Order {
    /// A step in a transaction.
    Do(Box<dyn Job>),
    /// Finish what came before, close the file, tell, and stop.
    Close(oneshot::Sender<()>),
}

/// A step whose outcome somebody waits for.
pub(super) trait Job: Send {
    /// Does it; an error fails the whole transaction.
    fn apply(&mut self, tables: &mut Tables<'_>) -> Result<(), redb::Error>;

    /// Tells the outcome, now that the transaction is durable or has failed for this reason.
    fn finish(self: Box<Self>, failure: Option<&str>);
}

/// A [`Job`] made of a function and the way back to whoever waits.
pub(super) struct Task<T, W> {
    work: W,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, W> Task<T, W> {
    pub(super) fn new(work: W) -> (Self, oneshot::Receiver<Result<T, StoreError>>) {
        let (reply, answer) = oneshot::channel();
        (Self { work, outcome: None, reply }, answer)
    }
}

impl<T: Send, W: FnMut(&mut Tables<'_>) -> Step<T> + Send> Job for Task<T, W> {
    fn apply(&mut self, tables: &mut Tables<'_>) -> Result<(), redb::Error> {
        self.outcome = Some((self.work)(tables)?);
        Ok(())
    }

    fn finish(self: Box<Self>, failure: Option<&str>) {
        let outcome = match (failure, self.outcome) {
            (None, Some(outcome)) => outcome,
            (failure, _) => Err(StoreError::Unavailable(failure.unwrap_or("not written").to_owned())),
        };
        // Whoever does not wait any more does not want to know.
        let _ = self.reply.send(outcome);
    }
}

/// The thread's own things.
pub(super) struct Writer {
    pub(super) file: Arc<File>,
    pub(super) orders: Receiver<Order>,
    pub(super) notices: broadcast::Sender<Notice>,
    pub(super) config: StoreConfig,
}

impl Writer {
    /// Makes the tables and the salt where they are missing, before anybody reads.
    pub(super) fn prepare(&self) -> Result<(), String> {
        self.transact(|tables| tables.prepare())
    }

    /// Works until told to close, or until nobody is left who could give an order; then closes the file.
    pub(super) fn run(self) {
        let mut sweep_at = Instant::now() + self.pause();
        let done = loop {
            let mut jobs = Vec::new();
            let mut done = None;
            match self.orders.recv_timeout(sweep_at.saturating_duration_since(Instant::now())) {
                Ok(Order::Do(job)) => jobs.push(job),
                Ok(Order::Close(tell)) => break Some(tell),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break None,
            }
            while !jobs.is_empty() && jobs.len() < BATCH {
                match self.orders.try_recv() {
                    Ok(Order::Do(job)) => jobs.push(job),
                    Ok(Order::Close(tell)) => {
                        done = Some(tell);
                        break;
                    }
                    Err(_) => break,
                }
            }
            if !jobs.is_empty() {
                self.write(jobs);
            }
            if done.is_some() {
                break done;
            }
            if Instant::now() >= sweep_at {
                let more = self.sweep();
                sweep_at = Instant::now() + if more { Duration::from_millis(20) } else { self.pause() };
            }
        };
        self.file.close();
        if let Some(tell) = done {
            let _ = tell.send(());
        }
    }

    /// Between two sweeps; short lives are swept sooner. While the file is closed, also between two attempts to open it.
    fn pause(&self) -> Duration {
        let shortest = self.config.ttl.map_or(self.config.answers, |ttl| ttl.min(self.config.answers));
        let pause = (shortest / 2).clamp(Duration::from_millis(50), Duration::from_secs(60));
        if self.file.database().is_ok() { pause } else { pause.min(REOPEN) }
    }

    fn write(&self, mut jobs: Vec<Box<dyn Job>>) {
        let outcome = self.transact(|tables| jobs.iter_mut().try_for_each(|job| job.apply(tables)));
        let failure = outcome.err();
        for job in jobs {
            job.finish(failure.as_deref());
        }
    }

    /// Removes a part of what has expired; true when there may be more.
    fn sweep(&self) -> bool {
        let due = self.due().unwrap_or(true);
        due && self.transact(|tables| tables.sweep()).unwrap_or(false)
    }

    /// Whether there is anything to sweep: a write transaction costs an fsync, looking costs nothing.
    fn due(&self) -> Result<bool, Box<dyn std::error::Error>> {
        let reading = self.file.database()?.begin_read()?;
        let now = now();
        let expiry = reading.open_table(EXPIRY)?;
        let first = expiry.first()?;
        if first.is_some_and(|(key, _)| key.value().0 <= now) {
            return Ok(true);
        }
        let answered = reading.open_table(ANSWERED)?;
        let first = answered.first()?;
        let old = now.saturating_sub(millis(self.config.answers));
        Ok(first.is_some_and(|(key, _)| key.value().0 <= old))
    }

    /// Does `work` in one durable transaction, or nothing of it; after a failure the file is opened afresh, because
    /// redb refuses everything after an I/O error.
    fn transact<T>(&self, work: impl FnOnce(&mut Tables<'_>) -> Result<T, redb::Error>) -> Result<T, String> {
        let database = match self.file.database() {
            Ok(database) => database,
            Err(_) => {
                self.file.reopen().map_err(|error| error.to_string())?;
                self.file.database().map_err(|error| error.to_string())?
            }
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| self.commit(&database, work)));
        drop(database);
        let failure = match outcome {
            Ok(Ok((result, notices))) => {
                for notice in notices {
                    // A send without receivers fails and loses nothing.
                    let _ = self.notices.send(notice);
                }
                return Ok(result);
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the embedded database panicked".to_owned(),
        };
        tracing::error!(%failure, "a write to the embedded store failed; opening it afresh");
        self.file.close();
        if let Err(error) = self.file.reopen() {
            tracing::error!(%error, "the embedded store stays closed for now");
        }
        Err(failure)
    }

    fn commit<T>(
        &self, database: &Database, work: impl FnOnce(&mut Tables<'_>) -> Result<T, redb::Error>,
    ) -> Result<(T, Vec<Notice>), redb::Error> {
        let transaction = database.begin_write()?;
        let mut tables = Tables::open(&transaction, now(), self.config.ttl.map(millis), millis(self.config.answers))?;
        let result = work(&mut tables)?;
        let notices = std::mem::take(&mut tables.notices);
        drop(tables);
        transaction.commit()?;
        Ok((result, notices))
    }
}
