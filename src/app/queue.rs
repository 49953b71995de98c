//! One writer at a time for each encounter within this process, so that a busy one does not lose races against itself.
//!
//! Between processes the store's compare-and-set decides; this only saves the attempts that would lose.

use super::AppError;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::timeout;

/// Two encounters share a queue now and then: that costs a wait, and a fixed number of queues needs no tidying up.
const QUEUES: usize = 4096;
/// Longer than the store may take for one answer.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) struct Queues {
    hasher: RandomState,
    queues: Box<[Queue]>,
}

#[derive(Default)]
struct Queue {
    turn: Mutex<()>,
    failures: AtomicU64,
}

/// The right to write, until it is dropped.
pub(super) struct LockGuard<'a> {
    queue: &'a Queue,
    _guard: MutexGuard<'a, ()>,
}

impl Queues {
    pub fn new() -> Self {
        Self { hasher: RandomState::new(), queues: (0..QUEUES).map(|_| Queue::default()).collect() }
    }

    /// Waits for the turn to write `id`. Whoever waited while the store did not answer the writer before fails with it,
    /// instead of waiting as long once more.
    pub async fn enter(&self, id: &str) -> Result<LockGuard<'_>, AppError> {
        let slot = self.hasher.hash_one(id) as usize % QUEUES;
        let queue = self.queues.get(slot).ok_or(AppError::Contended)?;
        if let Ok(guard) = queue.turn.try_lock() {
            return Ok(LockGuard { queue, _guard: guard });
        }
        let failures = queue.failures.load(Ordering::Acquire);
        let guard = timeout(PATIENCE, queue.turn.lock()).await.map_err(|_| AppError::Contended)?;
        if queue.failures.load(Ordering::Acquire) != failures {
            return Err(AppError::Unavailable("it did not answer the request before this one".to_owned()));
        }
        Ok(LockGuard { queue, _guard: guard })
    }
}

impl LockGuard<'_> {
    /// Tells those who wait that the store is away.
    pub fn failed(&self) {
        self.queue.failures.fetch_add(1, Ordering::Release);
    }
}
