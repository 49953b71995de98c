//! Long computations: on threads of their own, with bounded queues, and stopped when their caller
//! is dropped.
//!
//! Encounters take turns: each has a queue of its own, so that the many tasks of one delay a task of
//! another by one task at most.

use super::AppError;
use crate::engine::Stop;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

/// Maximum waiting tasks of an encounter for each thread, not counting those that are never refused.
const WAITING: usize = 16;
/// Maximum waiting tasks of all encounters for each thread, not counting those that are never refused.
const WAITING_IN_ALL: usize = 256;

/// What happens to a task that finds a full queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenFull {
    /// It is refused with [`AppError::Busy`].
    Refuse,
    /// It waits all the same. For a task whose refusal would lose something, such as what follows a
    /// commit.
    Wait,
}

/// Threads for long work, and a queue for each encounter.
pub(super) struct Workers(Arc<Turns>);

struct Turns {
    threads: usize,
    queues: Mutex<Queues>,
}

struct Queues {
    free_threads: usize,
    /// The waiting tasks of each encounter that has any.
    waiting: HashMap<Arc<str>, VecDeque<Waiting>>,
    /// These encounters, the one whose turn is next at the front.
    encounters: VecDeque<Arc<str>>,
}

/// A task that waits for a turn.
struct Waiting {
    turn: oneshot::Sender<Turn>,
    when_full: WhenFull,
}

impl Waiting {
    /// Whether its caller was dropped.
    fn has_left(&self) -> bool {
        self.turn.is_closed()
    }

    /// Whether it takes a place that others may be refused for.
    fn takes_place(&self) -> bool {
        self.when_full == WhenFull::Refuse && !self.has_left()
    }
}

/// A thread's turn. Dropping it gives the turn to the next task.
struct Turn(Option<Arc<Turns>>);

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            turns.pass_on();
        }
    }
}

impl Turns {
    /// Takes a free thread, or a place in the encounter's queue.
    fn enqueue(
        self: &Arc<Self>,
        encounter: &str,
        when_full: WhenFull,
    ) -> Result<oneshot::Receiver<Turn>, AppError> {
        let (sender, receiver) = oneshot::channel();
        let mut queues = self.queues.lock();
        if queues.free_threads > 0 {
            queues.free_threads -= 1;
            // The receiver is here, so this cannot fail.
            let _ = sender.send(Turn(Some(self.clone())));
            return Ok(receiver);
        }
        if when_full == WhenFull::Refuse && queues.are_full(encounter, self.threads) {
            return Err(AppError::Busy);
        }
        let waiting = Waiting {
            turn: sender,
            when_full,
        };
        queues.add(encounter, waiting);
        Ok(receiver)
    }

    /// Gives a turn that has ended to the next task that still waits, or frees the thread.
    fn pass_on(self: Arc<Self>) {
        let mut turn = Turn(Some(self.clone()));
        loop {
            let next = self.queues.lock().next();
            let Some(waiting) = next else {
                turn.0 = None;
                return;
            };
            match waiting.turn.send(turn) {
                Ok(()) => return,
                // Its caller was dropped.
                Err(unused) => turn = unused,
            }
        }
    }
}

impl Queues {
    fn are_full(&self, encounter: &str, threads: usize) -> bool {
        let own = self.waiting.get(encounter).map_or(0, places);
        // An encounter that waits for nothing is not kept out by what others wait for.
        if own == 0 {
            return false;
        }
        if own >= threads.saturating_mul(WAITING) {
            return true;
        }
        let all: usize = self.waiting.values().map(places).sum();
        all >= threads.saturating_mul(WAITING_IN_ALL)
    }

    fn add(&mut self, encounter: &str, waiting: Waiting) {
        if let Some(own) = self.waiting.get_mut(encounter) {
            own.retain(|earlier| !earlier.has_left());
            own.push_back(waiting);
            return;
        }
        let encounter: Arc<str> = encounter.into();
        self.waiting
            .insert(encounter.clone(), VecDeque::from([waiting]));
        self.encounters.push_back(encounter);
    }

    /// The next task: the first one of the encounter whose turn it is. Without one the thread is free.
    fn next(&mut self) -> Option<Waiting> {
        while let Some(encounter) = self.encounters.pop_front() {
            let own = self.waiting.get_mut(&encounter);
            let first = own.and_then(VecDeque::pop_front);
            if self
                .waiting
                .get(&encounter)
                .is_some_and(|own| !own.is_empty())
            {
                self.encounters.push_back(encounter);
            } else {
                self.waiting.remove(&encounter);
            }
            if first.is_some() {
                return first;
            }
        }
        self.free_threads += 1;
        None
    }
}

/// The places that the tasks of a queue take.
fn places(queue: &VecDeque<Waiting>) -> usize {
    queue.iter().filter(|waiting| waiting.takes_place()).count()
}

impl Workers {
    /// The tasks that wait.
    pub fn waiting(&self) -> usize {
        let queues = self.0.queues.lock();
        queues.waiting.values().map(VecDeque::len).sum()
    }

    /// This many threads.
    pub fn new(threads: usize) -> Self {
        let queues = Queues {
            free_threads: threads,
            waiting: HashMap::new(),
            encounters: VecDeque::new(),
        };
        Self(Arc::new(Turns {
            threads,
            queues: Mutex::new(queues),
        }))
    }

    /// Runs a task of an encounter in its turn. Its [`Stop`] turns true when the caller is dropped.
    pub async fn run<T: Send + 'static>(
        &self,
        encounter: &str,
        when_full: WhenFull,
        work: impl FnOnce(Stop<'_>) -> T + Send + 'static,
    ) -> Result<T, AppError> {
        let turn = self.0.enqueue(encounter, when_full)?.await;
        let turn = turn.map_err(|error| AppError::Internal(error.to_string()))?;
        let caller = Arc::new(());
        let waiting = Arc::downgrade(&caller);
        let done = spawn_blocking(move || {
            // The turn lasts until the work has ended, also without a caller.
            let _turn = turn;
            work(&|| waiting.strong_count() == 0)
        });
        let done = done
            .await
            .map_err(|error| AppError::Internal(error.to_string()));
        drop(caller);
        done
    }

    /// As [`run`](Self::run), but on this thread if the work is `small`.
    pub async fn run_unless<T: Send + 'static>(
        &self,
        small: bool,
        encounter: &str,
        when_full: WhenFull,
        work: impl FnOnce(Stop<'_>) -> T + Send + 'static,
    ) -> Result<T, AppError> {
        if small {
            Ok(work(&|| false))
        } else {
            self.run(encounter, when_full, work).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;
    use tokio::task::{JoinHandle, yield_now};

    /// Work that reports its start and goes on until it is stopped.
    fn endless(begun: mpsc::Sender<()>) -> impl FnOnce(Stop<'_>) + Send + 'static {
        move |stop| {
            begun.send(()).expect("a receiver");
            while !stop() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    /// Occupies the one thread until the caller is aborted.
    async fn occupied(workers: &Arc<Workers>) -> JoinHandle<Result<(), AppError>> {
        let (begun, first) = mpsc::channel();
        let busy = workers.clone();
        let caller =
            tokio::spawn(async move { busy.run("busy", WhenFull::Refuse, endless(begun)).await });
        yield_now().await;
        tokio::task::spawn_blocking(move || first.recv().expect("it begins"))
            .await
            .expect("no panic");
        caller
    }

    /// Puts tasks into the queue of an encounter, which write the encounter's name into `done`.
    async fn waiting(
        workers: &Arc<Workers>,
        encounter: &'static str,
        count: usize,
        when_full: WhenFull,
        done: &mpsc::Sender<&'static str>,
    ) -> Vec<JoinHandle<Result<(), AppError>>> {
        let mut callers = Vec::new();
        for _ in 0..count {
            let (workers, done) = (workers.clone(), done.clone());
            let work = move |_: Stop<'_>| done.send(encounter).expect("a receiver");
            callers.push(tokio::spawn(async move {
                workers.run(encounter, when_full, work).await
            }));
            yield_now().await;
        }
        callers
    }

    #[tokio::test]
    async fn work_beyond_a_full_queue_is_refused_unless_it_waits_and_stops_without_a_caller() {
        let workers = Arc::new(Workers::new(1));
        let running = occupied(&workers).await;
        let (done, order) = mpsc::channel();
        let callers = waiting(&workers, "a", WAITING, WhenFull::Refuse, &done).await;
        assert!(matches!(
            workers.run("a", WhenFull::Refuse, |_| ()).await,
            Err(AppError::Busy)
        ));
        let patient = waiting(&workers, "a", 100, WhenFull::Wait, &done).await;
        assert!(patient.iter().all(|caller| !caller.is_finished()));
        for caller in callers.iter().chain(&patient) {
            caller.abort();
        }
        yield_now().await;
        let again = waiting(&workers, "a", WAITING, WhenFull::Refuse, &done).await;
        assert!(
            again.iter().all(|caller| !caller.is_finished()),
            "callers that left hold no place"
        );
        running.abort();
        for caller in again {
            assert!(caller.await.expect("no panic").is_ok());
        }
        assert_eq!(order.try_iter().count(), WAITING);
        assert_eq!(
            workers
                .run("b", WhenFull::Refuse, |_| 7)
                .await
                .expect("room"),
            7
        );
    }

    #[tokio::test]
    async fn only_callers_that_are_there_and_may_be_refused_take_places() {
        let workers = Arc::new(Workers::new(1));
        let running = occupied(&workers).await;
        let (done, _order) = mpsc::channel();
        let _patient = waiting(&workers, "a", WAITING_IN_ALL, WhenFull::Wait, &done).await;
        let mut callers = waiting(&workers, "a", WAITING, WhenFull::Refuse, &done).await;
        let others = [
            "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q",
        ];
        for encounter in others {
            callers.extend(waiting(&workers, encounter, WAITING, WhenFull::Refuse, &done).await);
        }
        assert_eq!(callers.len(), WAITING_IN_ALL);
        callers.extend(waiting(&workers, "b", 1, WhenFull::Refuse, &done).await);
        assert!(
            callers.iter().all(|caller| !caller.is_finished()),
            "those that wait all the same take no place"
        );
        let full = workers.run("b", WhenFull::Refuse, |_| ()).await;
        assert!(matches!(full, Err(AppError::Busy)), "all places are taken");
        for caller in callers.iter().take(2) {
            caller.abort();
        }
        yield_now().await;
        let again = waiting(&workers, "b", 1, WhenFull::Refuse, &done).await;
        assert!(
            again.iter().all(|caller| !caller.is_finished()),
            "callers of other encounters that left take no place"
        );
        running.abort();
    }

    #[tokio::test]
    async fn encounters_take_turns_however_much_waits_at_one_of_them() {
        let workers = Arc::new(Workers::new(1));
        let running = occupied(&workers).await;
        let (done, order) = mpsc::channel();
        let mut callers = waiting(&workers, "crowded", 60, WhenFull::Wait, &done).await;
        callers.extend(waiting(&workers, "quiet", 2, WhenFull::Refuse, &done).await);
        running.abort();
        for caller in callers {
            assert!(caller.await.expect("no panic").is_ok());
        }
        let order: Vec<_> = order.try_iter().collect();
        assert_eq!(
            order.get(..4),
            Some(&["crowded", "quiet", "crowded", "quiet"][..])
        );
        assert_eq!(order.len(), 62);
    }
}
