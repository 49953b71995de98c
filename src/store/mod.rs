//! Where encounters are kept: one trait, two real stores, one conformance suite over both.
//!
//! A store knows nothing about rules. It keeps, for each encounter, one document, one log of entries and the answers that
//! were given under idempotency keys, and it changes them only by comparing and setting in one step.

use async_trait::async_trait;
use bytes::Bytes;

/// A store that encounters can be kept in. Every call either happens whole or not at all.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Keeps a new encounter under `id`; if one is there already nothing changes and it is returned.
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Created, StoreError>;

    /// Reads the document of `id` and, in the same round trip, the answer recorded under `key`.
    ///
    /// With `known` (the revision that the caller has a copy of) an unchanged document is not sent again.
    async fn load(&self, id: &str, known: Option<u64>, key: Option<&KeyDigest>) -> Result<Loaded, StoreError>;

    /// Replaces the document if its revision is still `commit.expected`, appends the log entry, records the answer,
    /// renews every expiry and tells the followers: one step, one round trip.
    ///
    /// A recorded answer under the commit's key wins over everything else, so that a repeated request is never applied twice.
    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError>;

    /// Reads log entries with a version above `after`, oldest first: at most `limit` of them and about `max_bytes` of bytes
    /// (always at least one entry where there is one).
    async fn log(&self, id: &str, after: u64, limit: usize, max_bytes: usize) -> Result<LogPage, StoreError>;

    /// Removes the encounter and all that belongs to it; false when there was none.
    async fn delete(&self, id: &str) -> Result<bool, StoreError>;

    /// 32 random bytes, made once for this store and the same ever after, for all processes on it.
    async fn salt(&self) -> Result<[u8; 32], StoreError>;

    /// Whether the store answers now.
    async fn ready(&self) -> Result<(), StoreError>;

    /// Finishes what was acknowledged, before the process ends.
    async fn close(&self);
}

/// SHA-256 of an idempotency key and of whatever scopes it; never the key itself.
pub type KeyDigest = [u8; 32];

/// What a new encounter starts with: revision 1, version 0, an empty log.
#[derive(Debug, Clone)]
pub struct NewEncounter {
    /// The current document.
    pub document: Bytes,
    /// The document that the log is folded from; the same bytes at creation.
    pub base: Bytes,
}

/// What became of [`Store::create`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// Kept at revision 1.
    New,
    /// There was one under this id: its base as it was at its creation.
    Existing {
        /// The base document.
        base: Bytes,
    },
}

/// What [`Store::load`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loaded {
    /// No such encounter, or one that has expired.
    Missing,
    /// The encounter as it is now.
    Found(Found),
}

/// An encounter as [`Store::load`] read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Counts every write of the document, by one.
    pub revision: u64,
    /// The version of the newest log entry; 0 when the log is empty.
    pub version: u64,
    /// None when the caller's known revision is still the current one.
    pub document: Option<Bytes>,
    /// The answer recorded under the given key, not older than a day.
    pub answer: Option<Bytes>,
}

/// One write of an encounter.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The revision that the new document was decided against; the next one is `expected + 1`.
    pub expected: u64,
    /// The new document.
    pub document: Bytes,
    /// The log entry that this write adds, if it adds one (writes of tokens do not).
    pub entry: Option<Entry>,
    /// The answer to keep for a day under a key.
    pub answer: Option<(KeyDigest, Bytes)>,
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// One above the entry before it; the first is 1.
    pub version: u64,
    /// The entry as it is kept, opaque to the store.
    pub bytes: Bytes,
}

/// What became of [`Store::commit`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// Written and durable as far as the store promises durability.
    Done,
    /// Another writer came first: the encounter as it is now, nothing written.
    Conflict(Found),
    /// The key was used before: the answer recorded then, nothing written.
    Replayed(Bytes),
    /// There is no such encounter (any more), nothing written.
    Missing,
}

/// A page of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPage {
    /// The base's version: entries up to it are folded away and cannot be read. 0 at creation.
    pub base_version: u64,
    /// The newest version there is.
    pub version: u64,
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
}

/// Why a store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Out of reach or too slow just now; whether a write happened is not known unless an idempotency key tells.
    #[error("the store is away: {0}")]
    Away(String),
    /// It answered with something that this program did not write.
    #[error("the store holds something unreadable: {0}")]
    Corrupt(String),
    /// No such encounter.
    #[error("no such encounter")]
    Missing,
}
