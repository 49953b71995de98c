//! Where encounters are kept: one trait, two real stores, one conformance suite over both.
//!
//! A store knows nothing about rules. It keeps, for each encounter, one document, one log of entries and the answers that
//! were given under idempotency keys, and it changes them only by comparing and setting in one step.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::broadcast;

pub mod embedded;
pub mod redis;

/// A store that encounters can be kept in. Every call either happens whole or not at all.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Keeps a new encounter under `id`; if one is there already nothing changes and it is returned.
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Created, StoreError>;

    /// Keeps a new encounter that brings its log along: `new.base` at version `base_version`, and the entries since, gapless;
    /// `new.document` is what they make of it. If one is there already nothing changes and it is returned.
    async fn import(
        &self, id: &str, new: NewEncounter, base_version: u64, entries: Vec<Entry>,
    ) -> Result<Created, StoreError>;

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
    /// (always at least one entry where there is one). [`StoreError::Missing`] when there is no such encounter.
    async fn log(&self, id: &str, after: u64, limit: usize, max_bytes: usize) -> Result<LogPage, StoreError>;

    /// Reads the document that the log is folded from: [`StoreError::Missing`] when there is no such encounter.
    async fn base(&self, id: &str) -> Result<Base, StoreError>;

    /// Lists the encounters of an application, newest first: those with a place below `before` (without it, from the newest on), at
    /// most `limit` of them and about `max_bytes` of documents (always at least one where there is one).
    ///
    /// Encounters that are gone are left out, so that a page may be short, even empty, although another one follows.
    async fn list(
        &self, application: &str, before: Option<&str>, limit: usize, max_bytes: usize,
    ) -> Result<Listing, StoreError>;

    /// Takes up to `want` of the `quota` requests that `bucket` has in `window`, for all processes on this store together. The
    /// window begins with the first request and is over by itself; a call that is repeated takes twice, never too little.
    async fn acquire_quota(
        &self, bucket: &str, want: u32, quota: u32, window: Duration,
    ) -> Result<QuotaGrant, StoreError>;

    /// Removes the encounter and all that belongs to it; false when there was none.
    async fn delete(&self, id: &str) -> Result<bool, StoreError>;

    /// 32 random bytes, made once for this store and the same ever after, for all processes on it.
    ///
    /// Ask again rather than keep them: a Redis that has lost everything makes new ones, and all processes must follow.
    async fn salt(&self) -> Result<[u8; 32], StoreError>;

    /// Follows what every process on this store commits, from now on.
    ///
    /// Nothing is promised to arrive: a notice says that reading is worthwhile, never what is true. After
    /// [`Notice::Resync`], and when the receiver lagged, anything may have changed. Call it within a Tokio runtime.
    fn commits(&self) -> broadcast::Receiver<Notice>;

    /// Whether the store answers now.
    async fn ready(&self) -> Result<(), StoreError>;

    /// Finishes what was acknowledged, before the process ends.
    async fn close(&self);
}

/// How long a store keeps what it is given.
#[derive(Debug, Clone, Copy)]
pub struct StoreConfig {
    /// Idle time after which an encounter is gone, counted from its creation or newest commit; None = never.
    pub ttl: Option<Duration>,
    /// How long an answer is kept under its key, if its encounter lives as long.
    pub answers: Duration,
}

impl Default for StoreConfig {
    /// 30 days for encounters, 24 hours for answers.
    fn default() -> Self {
        let day = Duration::from_secs(24 * 60 * 60);
        Self { ttl: Some(30 * day), answers: day }
    }
}

/// SHA-256 of an idempotency key and of whatever scopes it; never the key itself.
pub type KeyDigest = [u8; 32];

/// What a new encounter starts with, besides version 0 and an empty log.
#[derive(Debug, Clone)]
pub struct NewEncounter {
    /// Its first revision: see [`Commit::revision`].
    pub revision: u64,
    /// The current document.
    pub document: Bytes,
    /// The document that the log is folded from; the same bytes at creation.
    pub base: Bytes,
    /// The application that it is listed for, where one has created it. Creating it again changes nothing about that.
    pub application: Option<String>,
}

/// A page of the encounters of an application.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The encounters, newest first.
    pub items: Vec<ListReference>,
    /// The place that the next page goes on below, where something may follow.
    pub next: Option<String>,
}

/// An encounter in the list of its application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListReference {
    /// Its id.
    pub id: String,
    /// Its current document.
    pub document: Bytes,
}

/// What [`Store::acquire_quota`] gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaGrant {
    /// So many requests may be served now.
    pub granted: u32,
    /// So many are left for others, and for later.
    pub left: u32,
    /// Until the window is over.
    pub ends_in: Duration,
}

/// Milliseconds since 1970, by the clock on the wall.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The place of an encounter in the list of its application: the time of its creation in milliseconds since 1970, then its id.
fn place(millis: u64, id: &str) -> String {
    format!("{millis:013}-{id}")
}

/// The id in a place such as [`Listing::next`] has; None where the text is none.
pub fn listed_id(text: &str) -> Option<&str> {
    let (millis, id) = text.split_once('-')?;
    (place(millis.parse().ok()?, id) == text).then_some(id)
}

/// What becomes of a bucket that `used` requests were taken from, `want` of them just now.
fn granted_quota(used: u64, want: u32, quota: u32, ends_in: Duration) -> QuotaGrant {
    let before = used.saturating_sub(want.into());
    let granted = u64::from(quota).saturating_sub(before).min(want.into());
    let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    QuotaGrant { granted: narrow(granted), left: narrow(u64::from(quota).saturating_sub(used)), ends_in }
}

/// What became of [`Store::create`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// CachedJson at its first revision.
    New,
    /// There was one under this id: its base as it was at its creation.
    Existing {
        /// The base document; a later [`Commit::rebase`] has not changed it.
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
    /// The number of the newest write: see [`Commit::revision`].
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
    /// The revision that the new document was decided against.
    pub expected: u64,
    /// The revision that this write makes: a random number that no other write has. A counter would repeat after the store has lost
    /// acknowledged writes, or after an encounter was deleted and created again; a process with a copy of the old write would then take it
    /// for the new one.
    pub revision: u64,
    /// The new document.
    pub document: Bytes,
    /// The log entry that this write adds, if it adds one (writes of tokens do not).
    pub entry: Option<Entry>,
    /// The answer to keep for a day under a key.
    pub answer: Option<(KeyDigest, Bytes)>,
    /// A new base to fold the log from; the entries up to its version are dropped in the same step.
    pub rebase: Option<Base>,
}

/// A document and the version of the last log entry that is folded into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// 0 at creation; not above the encounter's version.
    pub version: u64,
    /// The document as it was at that version.
    pub document: Bytes,
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

/// Something happened to an encounter, in this process or another one on the same store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A commit; the version is the same as before when it added no log entry.
    Committed {
        /// The encounter.
        id: Arc<str>,
        /// Its version since.
        version: u64,
    },
    /// The encounter was deleted (one that merely expires is not announced).
    Deleted {
        /// The encounter.
        id: Arc<str>,
    },
    /// Notices may have been missed, or have begun only now: read again whatever you follow.
    Resync,
}

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address of a Redis that cannot be one.
    #[error("not a usable Redis URL: {0}")]
    Url(String),
    /// Another process works on the same files.
    #[error(
        "{0} is in use by another process; the embedded store serves one process only: stop the other one, \
         choose another directory, or set REDIS_URL to share a Redis between processes"
    )]
    InUse(String),
    /// The files cannot be opened.
    #[error("cannot open the embedded store {path}: {reason}")]
    File {
        /// The file or directory.
        path: String,
        /// What the system said.
        reason: String,
    },
}

/// Why a store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Out of reach or too slow just now; whether a write happened is not known unless an idempotency key tells.
    #[error("the store is away: {0}")]
    Unavailable(String),
    /// It answered with something that this program did not write.
    #[error("the store holds something unreadable: {0}")]
    Corrupt(String),
    /// No such encounter.
    #[error("no such encounter")]
    Missing,
}

/// So many notices may wait for a receiver before it lags.
const NOTICES: usize = 1024;

/// Checks that a page has the entries that it must have: gapless from the first that was asked for.
fn check_gapless(page: &LogPage, after: u64, limit: usize) -> Result<(), StoreError> {
    let first = after.max(page.base_version);
    let mut expected = first;
    for entry in &page.entries {
        expected = expected.saturating_add(1);
        if entry.version != expected {
            return Err(StoreError::Corrupt(format!("log entry {} where {expected} should be", entry.version)));
        }
    }
    if page.entries.is_empty() && first < page.version && limit > 0 {
        return Err(StoreError::Corrupt(format!("no log entry {} of {}", first.saturating_add(1), page.version)));
    }
    Ok(())
}
