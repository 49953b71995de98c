//! Long computations: on threads of their own, with a bounded queue, and stopped when their caller is dropped.

use super::AppError;
use crate::engine::Stop;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Maximum waiting tasks for each thread.
const WAITING: usize = 16;

/// Threads for long work, and a queue.
pub(super) struct Workers {
    threads: Arc<Semaphore>,
    /// One permit for each task that waits or runs.
    queue: Arc<Semaphore>,
}

impl Workers {
    /// This many threads.
    pub fn new(threads: usize) -> Self {
        let queue = threads.saturating_mul(WAITING.saturating_add(1));
        Self { threads: Arc::new(Semaphore::new(threads)), queue: Arc::new(Semaphore::new(queue)) }
    }

    /// Runs a task, or returns [`AppError::Busy`] if the queue is full. Its [`Stop`] turns true when the caller is dropped.
    pub async fn run<T: Send + 'static>(
        &self, work: impl FnOnce(Stop<'_>) -> T + Send + 'static,
    ) -> Result<T, AppError> {
        let queued = self.queue.clone().try_acquire_owned().map_err(|_| AppError::Busy)?;
        let closed = |error: tokio::sync::AcquireError| AppError::Internal(error.to_string());
        let thread = self.threads.clone().acquire_owned().await.map_err(closed)?;
        let caller = Arc::new(());
        let waiting = Arc::downgrade(&caller);
        let done = spawn_blocking(move || {
            // The permits last until the work has ended, also without a caller.
            let _permits = (queued, thread);
            work(&|| waiting.strong_count() == 0)
        });
        let done = done.await.map_err(|error| AppError::Internal(error.to_string()));
        drop(caller);
        done
    }

    /// As [`run`](Self::run), but on this thread if the work is `small`.
    pub async fn run_unless<T: Send + 'static>(
        &self, small: bool, work: impl FnOnce(Stop<'_>) -> T + Send + 'static,
    ) -> Result<T, AppError> {
        if small { Ok(work(&|| false)) } else { self.run(work).await }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;
    use tokio::task::yield_now;

    /// Work that reports its start and goes on until it is stopped.
    fn endless(begun: mpsc::Sender<()>) -> impl FnOnce(Stop<'_>) + Send + 'static {
        move |stop| {
            begun.send(()).expect("a receiver");
            while !stop() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    #[tokio::test]
    async fn work_beyond_a_full_queue_is_refused_and_stops_without_a_caller() {
        let workers = Arc::new(Workers::new(1));
        let (begun, first) = mpsc::channel();
        let mut callers = Vec::new();
        for _ in 0..=WAITING {
            let (workers, begun) = (workers.clone(), begun.clone());
            callers.push(tokio::spawn(async move { workers.run(endless(begun)).await }));
            yield_now().await;
        }
        tokio::task::spawn_blocking(move || first.recv().expect("it begins")).await.expect("no panic");
        assert!(matches!(workers.run(|_| ()).await, Err(AppError::Busy)));
        assert!(workers.run_unless(true, |_| ()).await.is_ok(), "small work needs no room in the queue");
        for caller in &callers {
            caller.abort();
        }
        for caller in callers {
            assert!(caller.await.is_err_and(|error| error.is_cancelled()));
        }
        // With one thread this is done only after the work before it has ended.
        assert_eq!(workers.run(|_| 7).await.expect("room"), 7);
    }
}
