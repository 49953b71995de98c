//! The stores: one conformance suite for all, and the faults of each.

mod answers;
mod conformance;
mod damage;
mod embedded;
mod lists;
mod redis;
mod redis_faults;
mod revisions;
mod scripts;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use turnkeeper::store::{Base, Commit, Committed, Entry, NewEncounter, Store, StoreConfig};

/// A backend that stores can be opened on.
pub trait Stand {
    /// `count` stores over the same encounters; the same store several times if the backend allows
    /// only one.
    fn stores(&self, count: usize, config: StoreConfig) -> Vec<Arc<dyn Store>>;

    fn store(&self, config: StoreConfig) -> Arc<dyn Store> {
        self.stores(1, config).remove(0)
    }
}

pub fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

pub fn new(text: &str) -> NewEncounter {
    imported(text, text, 0, &[])
}

/// A new encounter with a log: its document, its base at `base_version`, and log entries `entry
/// VERSION`.
pub fn imported(document: &str, base: &str, base_version: u64, versions: &[u64]) -> NewEncounter {
    let base = Base {
        version: base_version,
        document: bytes(base),
    };
    let entries = versions.iter().map(|version| entry(*version)).collect();
    NewEncounter {
        revision: 1,
        document: bytes(document),
        base,
        entries,
        application: None,
    }
}

/// The log entry `entry VERSION`.
pub fn entry(version: u64) -> Entry {
    Entry {
        version,
        bytes: bytes(&format!("entry {version}")),
    }
}

/// A write with only a document. Its revision is one above `expected`, not random as in the
/// program.
pub fn unlogged(expected: u64, document: &str) -> Commit {
    let revision = expected.wrapping_add(1);
    Commit {
        expected,
        revision,
        document: bytes(document),
        entry: None,
        answer: None,
        new_base: None,
        log_bytes: 0,
    }
}

/// A write with a document and a log entry `entry VERSION`.
pub fn logged(expected: u64, document: &str, version: u64) -> Commit {
    Commit {
        entry: Some(entry(version)),
        ..unlogged(expected, document)
    }
}

pub fn rebased(commit: Commit, version: u64, document: &str) -> Commit {
    Commit {
        new_base: Some(Base {
            version,
            document: bytes(document),
        }),
        ..commit
    }
}

pub fn answered(commit: Commit, key: u8, answer: &str) -> Commit {
    Commit {
        answer: Some(([key; 32], bytes(answer))),
        ..commit
    }
}

/// Creates `id` and gives it log entries 1 to `entries`.
pub async fn filled(store: &dyn Store, id: &str, entries: u64) {
    store.create(id, new("v0")).await.expect("a new encounter");
    for version in 1..=entries {
        let committed = store
            .commit(id, logged(version, &format!("v{version}"), version))
            .await;
        assert_eq!(committed.expect("a store that answers"), Committed::Done);
    }
}

/// All log entries, read in pages.
pub async fn whole_log(store: &dyn Store, id: &str, after: u64) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    loop {
        let last = entries.last().map_or(after, |entry| entry.version);
        let page = store
            .log(id, last, 100, 1 << 20)
            .await
            .expect("a page of the log");
        if page.entries.is_empty() {
            return entries;
        }
        entries.extend(page.entries);
    }
}

/// Waits until `check` is true, at most 10 seconds.
pub async fn eventually<F: Future<Output = bool>>(what: &str, check: impl FnMut() -> F) {
    crate::support::eventually(what, Duration::from_secs(10), check).await;
}
