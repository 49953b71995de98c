//! The time of a store: it runs while the store is open, whatever the machine's clock says.
//!
//! Clocks of machines are wrong now and then, mostly just after a start: counted by them, an
//! encounter could end years too early. So the store keeps its own time in the file, and goes on
//! from there when it is opened again.

use std::time::{Duration, Instant};

use crate::store::millis;

/// Milliseconds of a store's time. The first store began at 0.
pub(super) type Millis = u64;

/// The time of an open store.
pub(super) struct StoreClock {
    opened_at: Millis,
    /// How long the store has been open.
    running: Running,
}

/// Says how much time has passed since it was made.
pub(super) type Running = Box<dyn Fn() -> Duration + Send + Sync>;

impl StoreClock {
    /// Goes on from the time that the store kept.
    pub(super) fn from(kept: Millis, running: Running) -> Self {
        Self {
            opened_at: kept,
            running,
        }
    }

    pub(super) fn now(&self) -> Millis {
        self.opened_at.saturating_add(millis((self.running)()))
    }
}

/// The time that the process runs from here on.
pub(super) fn running() -> Running {
    let began = Instant::now();
    Box::new(move || began.elapsed())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::store::embedded::EmbeddedStore;
    use crate::store::embedded::tests::{commit, new};
    use crate::store::{Committed, Store, StoreConfig, StoreError};

    const DAY: u64 = 24 * 60 * 60 * 1000;

    /// A store in a directory that is opened and closed, with a time that runs as the test says.
    struct Restarted {
        directory: tempfile::TempDir,
        passed: Arc<AtomicU64>,
    }

    impl Restarted {
        fn new() -> Self {
            Self {
                directory: tempfile::TempDir::new().expect("a directory"),
                passed: Arc::default(),
            }
        }

        /// Opens the store in a new process.
        fn open(&self) -> EmbeddedStore {
            self.passed.store(0, Ordering::SeqCst);
            let passed = self.passed.clone();
            let running = Box::new(move || Duration::from_millis(passed.load(Ordering::SeqCst)));
            EmbeddedStore::open_at(self.directory.path(), StoreConfig::default(), running)
                .expect("a store")
        }

        /// Lets time pass.
        fn pass(&self, time: u64) {
            self.passed.fetch_add(time, Ordering::SeqCst);
        }
    }

    async fn is_there(store: &EmbeddedStore) -> bool {
        match store.load("e", None, None).await {
            Ok(_) => true,
            Err(StoreError::Missing) => false,
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn an_encounter_lives_for_its_time_while_the_store_is_open_and_through_restarts() {
        let stand = Restarted::new();
        let store = stand.open();
        store.create("e", new(None)).await.unwrap();
        stand.pass(10 * DAY);
        assert_eq!(store.commit("e", commit(1)).await.unwrap(), Committed::Done);
        stand.pass(13 * DAY);
        assert!(is_there(&store).await);
        drop(store);
        // How long it is closed makes no difference, nor does a restart.
        for _ in 0..4 {
            let store = stand.open();
            stand.pass(4 * DAY);
            assert!(is_there(&store).await);
        }
        let store = stand.open();
        stand.pass(DAY - 1);
        assert!(is_there(&store).await);
        stand.pass(1);
        assert!(!is_there(&store).await);
        drop(store);
        assert!(!is_there(&stand.open()).await);
    }

    #[tokio::test]
    async fn a_commit_keeps_the_time_for_a_process_that_is_killed() {
        let stand = Restarted::new();
        let store = stand.open();
        store.create("e", new(None)).await.unwrap();
        stand.pass(10 * DAY);
        store.create("other", new(None)).await.unwrap();
        let copy = tempfile::TempDir::new().unwrap();
        for name in ["turnkeeper.db", "turnkeeper.db-wal"] {
            let file = stand.directory.path().join(name);
            std::fs::copy(file, copy.path().join(name)).unwrap();
        }
        // The file as a kill leaves it.
        let store_of_the_next = EmbeddedStore::open_at(
            copy.path(),
            StoreConfig::default(),
            Box::new(|| Duration::ZERO),
        );
        let next = store_of_the_next.expect("a store");
        assert_eq!(next.clock.now(), 10 * DAY);
    }

    #[tokio::test]
    async fn a_list_is_in_order_after_a_kill() {
        let stand = Restarted::new();
        let store = stand.open();
        stand.pass(5000);
        store.create("first", new(Some("table"))).await.unwrap();
        let copy = tempfile::TempDir::new().unwrap();
        for name in ["turnkeeper.db", "turnkeeper.db-wal"] {
            let file = stand.directory.path().join(name);
            std::fs::copy(file, copy.path().join(name)).unwrap();
        }
        let (config, still) = (
            StoreConfig::default(),
            Box::new(|| Duration::from_millis(1)),
        );
        let next = EmbeddedStore::open_at(copy.path(), config, still).expect("a store");
        next.create("second", new(Some("table"))).await.unwrap();
        let listed = next.list("table", None, 10, 1000).await.unwrap();
        let ids: Vec<_> = listed.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids, ["second", "first"]);
    }
}
