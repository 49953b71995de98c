//! Where encounters are kept: one trait, two real stores, one conformance suite over both.
//!
//! A store knows no rules. For each encounter it keeps one document, one log of entries and the
//! answers given under idempotency keys. It changes them only by compare-and-set, in one step.

pub use measured::Measured;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::broadcast;

pub mod embedded;
mod measured;
pub mod redis;

/// The number of the layout of both stores: keys, fields, scripts and tables. Raise it with a change
/// by which this program and an earlier one would misread each other.
pub const LAYOUT: u32 = 1;

/// A store of encounters. Each call happens as a whole or not at all. Calls about an encounter that
/// does not exist, or has expired, return [`StoreError::Missing`].
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Keeps a new encounter under `id`. If one exists already, nothing changes, and its first base
    /// is returned.
    async fn create(&self, id: &str, new: NewEncounter) -> Result<Option<Bytes>, StoreError>;

    /// Reads the document of `id` and, in the same round trip, the answer recorded under `key`.
    ///
    /// An unchanged document is not sent again when `known` is its revision.
    async fn load(
        &self,
        id: &str,
        known: Option<u64>,
        key: Option<&KeyDigest>,
    ) -> Result<Found, StoreError>;

    /// Replaces the document if its revision is still `commit.expected`, appends the log entry,
    /// records the answer, renews the expiry and notifies followers: one step, one round trip.
    ///
    /// A recorded answer under the commit's key wins over everything else, so that a repeated
    /// request is never applied twice.
    async fn commit(&self, id: &str, commit: Commit) -> Result<Committed, StoreError>;

    /// Reads log entries above version `after`, oldest first: at most `limit` entries and about
    /// `max_bytes`, but at least one entry if there is any.
    async fn log(
        &self,
        id: &str,
        after: u64,
        limit: usize,
        max_bytes: usize,
    ) -> Result<StoredPage, StoreError>;

    /// Reads the document that the log is folded from.
    async fn base(&self, id: &str) -> Result<Base, StoreError>;

    /// Lists the encounters of an application, newest first, below the position `before`: at most
    /// `limit` encounters and about `max_bytes` of documents, but at least one if there is any.
    ///
    /// A page leaves out deleted encounters, so it may be short, even empty, although another page
    /// follows.
    async fn list(
        &self,
        application: &str,
        before: Option<&str>,
        limit: usize,
        max_bytes: usize,
    ) -> Result<Listing, StoreError>;

    /// The application that lists the encounter; None if none does.
    async fn application(&self, id: &str) -> Result<Option<String>, StoreError>;

    /// Takes up to `want` of the `quota` requests that `bucket` has in `window`, for all processes
    /// on this store together. The window begins with the first request. A call that is sent twice
    /// takes twice.
    async fn acquire_quota(
        &self,
        bucket: &str,
        want: u32,
        quota: u32,
        window: Duration,
    ) -> Result<QuotaGrant, StoreError>;

    /// Removes the encounter and everything that belongs to it.
    async fn delete(&self, id: &str) -> Result<(), StoreError>;

    /// 32 random bytes, the same for all processes on this store.
    ///
    /// Do not cache them: a Redis that has lost its data makes new ones, and all processes must
    /// follow.
    async fn salt(&self) -> Result<[u8; 32], StoreError>;

    /// Subscribes to the commits of every process on this store, from now on. Call it within a
    /// Tokio runtime.
    ///
    /// Notices may be lost: a notice says that reading is worthwhile, never what is true. After
    /// [`Notice::Resync`], and when the receiver lagged, anything may have changed.
    fn notices(&self) -> broadcast::Receiver<Notice>;

    /// Checks that the store takes writes.
    async fn ready(&self) -> Result<(), StoreError>;

    /// A sentence for operators about damaged data, if any was found.
    fn damage(&self) -> Option<String> {
        None
    }

    /// The bytes of the store's file, if it has one on this machine.
    fn file_bytes(&self) -> Option<u64> {
        None
    }
}

/// How long a store keeps its data.
#[derive(Debug, Clone, Copy)]
pub struct StoreConfig {
    /// Idle time after which an encounter expires, counted from its creation or newest commit. None
    /// = never.
    pub ttl: Option<Duration>,
    /// How long an answer is kept under its key, if its encounter lives as long.
    pub answers: Duration,
}

impl Default for StoreConfig {
    /// 30 days for encounters, 24 hours for answers.
    fn default() -> Self {
        let day = Duration::from_secs(24 * 60 * 60);
        Self {
            ttl: Some(30 * day),
            answers: day,
        }
    }
}

/// SHA-256 of an idempotency key with its token and encounter. The key itself is never stored.
pub type KeyDigest = [u8; 32];

/// A new encounter.
#[derive(Debug, Clone)]
pub struct NewEncounter {
    /// Its first revision: see [`Commit::revision`].
    pub revision: u64,
    /// The current document.
    pub document: Bytes,
    /// The base of the log.
    pub base: Base,
    /// The log since the base, without gaps. Empty unless the encounter is imported.
    pub entries: Vec<Entry>,
    /// The application that lists it. A repeated creation does not change it.
    pub application: Option<String>,
}

impl NewEncounter {
    /// The version of its document.
    fn version(&self) -> u64 {
        self.entries
            .last()
            .map_or(self.base.version, |entry| entry.version)
    }

    /// The bytes of its log.
    fn log_bytes(&self) -> u64 {
        bytes_of(&self.entries)
    }
}

/// A page of the encounters of an application.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The encounters, newest first.
    pub items: Vec<ListedEncounter>,
    /// The position below which the next page begins, if there may be one.
    pub next: Option<String>,
}

/// An encounter in the list of its application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEncounter {
    /// Its id.
    pub id: String,
    /// Its current document.
    pub document: Bytes,
}

/// The result of [`Store::acquire_quota`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaGrant {
    /// Requests that the caller may serve now.
    pub granted: u32,
    /// Requests left in the bucket.
    pub left: u32,
    /// Time until the window ends.
    pub ends_in: Duration,
}

/// The grant for a bucket that now counts `used` requests, `want` of them just added.
fn granted_quota(used: u64, want: u32, quota: u32, ends_in: Duration) -> QuotaGrant {
    let before = used.saturating_sub(want.into());
    let left_before = u64::from(quota).saturating_sub(before);
    let left = u64::from(quota).saturating_sub(used);
    QuotaGrant {
        granted: u32::try_from(left_before).map_or(want, |left| left.min(want)),
        left: u32::try_from(left).unwrap_or(quota),
        ends_in,
    }
}

/// Milliseconds since 1970.
fn now() -> u64 {
    millis(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default(),
    )
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The position of an encounter in the list of its application: its creation time in milliseconds
/// since 1970, then its id.
fn list_position(millis: u64, id: &str) -> String {
    format!("{millis:013}-{id}")
}

/// The id in a position such as [`Listing::next`]; None if the text is no position.
pub fn listed_id(text: &str) -> Option<&str> {
    let (millis, id) = text.split_once('-')?;
    (list_position(millis.parse().ok()?, id) == text).then_some(id)
}

/// An encounter as [`Store::load`] read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The revision of the newest write: see [`Commit::revision`].
    pub revision: u64,
    /// The version of the newest log entry; 0 when the log is empty.
    pub version: u64,
    /// The bytes of its log, as the newest write said.
    pub log_bytes: u64,
    /// None when the caller's known revision is still the current one.
    pub document: Option<Bytes>,
    /// The answer recorded under the given key.
    pub answer: Option<Bytes>,
}

/// One write of an encounter.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The revision that the new document was decided against.
    pub expected: u64,
    /// The revision that this write makes: a random number, unique among writes. A counter would
    /// repeat after the store has lost acknowledged writes, or after an encounter was deleted and
    /// created again. A stale copy would then pass for the new one.
    pub revision: u64,
    /// The new document.
    pub document: Bytes,
    /// The log entry of this write. Writes of tokens have none.
    pub entry: Option<Entry>,
    /// The answer to keep under a key.
    pub answer: Option<(KeyDigest, Bytes)>,
    /// A new base of the log. The same step drops the entries up to its version.
    pub new_base: Option<Base>,
    /// The bytes of all entries in the log after this write, kept for the next one.
    pub log_bytes: u64,
}

/// A document that the log is folded from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The version of the last entry that is folded into it; 0 at creation.
    pub version: u64,
    /// The document at that version.
    pub document: Bytes,
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// One above the entry before it; the first is 1.
    pub version: u64,
    /// The entry, opaque to the store.
    pub bytes: Bytes,
}

/// The bytes of log entries.
pub fn bytes_of(entries: &[Entry]) -> u64 {
    entries.iter().map(|entry| entry.bytes.len() as u64).sum()
}

/// The result of [`Store::commit`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// Written, and as durable as the store promises.
    Done,
    /// Written likewise. The log was lost before: it begins anew with this write, and the store has
    /// set its bytes.
    Anew,
    /// Another writer came first. Nothing was written; this is the encounter now.
    Conflict(Found),
    /// The key was used before. Nothing was written; this is the recorded answer.
    Replayed(Bytes),
}

/// A page of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPage {
    /// The version of the base. Entries up to it are compacted and cannot be read.
    pub base_version: u64,
    /// The newest version.
    pub version: u64,
    /// The entries, oldest first.
    pub entries: Vec<Entry>,
}

/// A change of an encounter by any process on the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A commit. The version is the old one when the commit added no log entry.
    Committed {
        /// The encounter.
        id: Arc<str>,
        /// Its version now.
        version: u64,
    },
    /// A deletion. Expiry is not announced.
    Deleted {
        /// The encounter.
        id: Arc<str>,
    },
    /// Notices may have been lost: read everything again that you follow.
    Resync,
}

/// Why a store could not do what was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Out of reach or too slow. Only an idempotency key shows whether a write happened.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// It answered that it does not write now: it is full, or cannot keep what it is given. Nothing
    /// was changed.
    #[error("the store refuses: {0}")]
    Refused(String),
    /// It holds something that this program did not write.
    #[error("the store holds something unreadable: {0}")]
    Corrupt(String),
    /// A program with another [`LAYOUT`] wrote it.
    #[error(
        "The store has layout {0}, and this program reads layout {LAYOUT}. Run the turnkeeper that \
         wrote it, or use another store."
    )]
    Foreign(u32),
    /// No such encounter.
    #[error("no such encounter")]
    Missing,
}

impl StoreError {
    /// The same error of a part of the store.
    fn of(self, part: &str) -> Self {
        match self {
            Self::Unavailable(reason) => Self::Unavailable(format!("{part}: {reason}")),
            Self::Refused(reason) => Self::Refused(format!("{part}: {reason}")),
            Self::Corrupt(reason) => Self::Corrupt(format!("{part}: {reason}")),
            Self::Foreign(_) | Self::Missing => self,
        }
    }
}

/// Maximum notices that wait for a receiver before it lags.
const NOTICES: usize = 1024;

/// Checks that a page has no gap, from the first entry that was asked for.
fn check_gapless(page: &StoredPage, after: u64, limit: usize) -> Result<(), StoreError> {
    let first = after.max(page.base_version);
    let mut expected = first;
    for entry in &page.entries {
        expected = expected.saturating_add(1);
        if entry.version != expected {
            return Err(StoreError::Corrupt(format!(
                "log entry {} where {expected} should be",
                entry.version
            )));
        }
    }
    if page.entries.is_empty() && first < page.version && limit > 0 {
        return Err(StoreError::Corrupt(format!(
            "no log entry {} of {}",
            first.saturating_add(1),
            page.version
        )));
    }
    Ok(())
}
