//! Loading and writing encounters.
//!
//! The cache of the encounters that this process used last saves reading and parsing; it is never
//! authoritative. Each read asks the store, which sends the document only if it has changed. A
//! write is decided on the cached encounter, and takes effect only if the store's compare-and-set
//! succeeds.

use super::change::{Change, Repeated, Written};
use super::idempotency::IdempotencyKey;
use super::token::{BearerToken, Sender};
use super::{App, AppError, MAX_DOCUMENT};
use crate::engine::{AnyEncounter, Role, Viewer};
use crate::measure;
use crate::store::{Commit, Committed, Found, KeyDigest, StoreError};
use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::future::ready;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// An encounter at one revision.
#[derive(Clone)]
pub(super) struct CacheEntry {
    /// The random number that names its last write (see [`Commit::revision`]); not its version.
    pub revision: u64,
    /// The encounter.
    pub encounter: Arc<dyn AnyEncounter>,
    /// The size of its document in bytes.
    pub size: usize,
    /// The bytes of its log.
    pub log_bytes: u64,
    /// Whether the log should have been compacted, and this process could not.
    pub compaction_failed: bool,
}

pub(super) type EncounterCache = Cache<Arc<str>, CacheEntry, ByWeight>;

#[derive(Clone)]
pub(super) struct ByWeight;

impl Weighter<Arc<str>, CacheEntry> for ByWeight {
    fn weight(&self, _: &Arc<str>, entry: &CacheEntry) -> u64 {
        // In memory an encounter takes a small multiple of its document.
        (entry.size as u64).saturating_mul(3).saturating_add(512)
    }
}

/// A cache of about `memory` bytes; with 0 it keeps nothing.
pub(super) fn encounter_cache(memory: u64) -> EncounterCache {
    const TYPICAL: u64 = 16 * 1024;
    let items = usize::try_from(memory / TYPICAL)
        .unwrap_or(usize::MAX)
        .clamp(16, 1 << 20);
    Cache::with_weighter(items, memory, ByWeight)
}

impl App {
    /// The encounter now, and the viewer that `token` stands for.
    pub(super) async fn authenticate(
        &self,
        id: &str,
        token: &BearerToken,
    ) -> Result<(Arc<dyn AnyEncounter>, Viewer), AppError> {
        let encounter = self.current(id).await?;
        let viewer = token.viewer(encounter.meta())?;
        Ok((encounter, viewer))
    }

    /// The encounter now.
    pub(super) async fn current(&self, id: &str) -> Result<Arc<dyn AnyEncounter>, AppError> {
        Ok(self.current_entry(id).await?.encounter)
    }

    /// The encounter now, with its revision.
    pub(super) async fn current_entry(&self, id: &str) -> Result<CacheEntry, AppError> {
        let known = self.cache.get(id);
        Ok(self.fetch(id, known.as_ref(), None).await?.0)
    }

    /// The role that a token has in an encounter.
    pub async fn role(&self, id: &str, token: &BearerToken) -> Result<Role, AppError> {
        Ok(self.authenticate(id, token).await?.1.role)
    }

    /// The role that a token had when this process used the encounter last. Asks no store.
    pub fn cached_role(&self, id: &str, token: &BearerToken) -> Option<Role> {
        let cached = self.cache.get(id)?;
        let viewer = token.viewer(cached.encounter.meta()).ok()?;
        Some(viewer.role)
    }

    /// Reads the encounter, and the record under `key`. The encounter has the revision of
    /// `known` if it has not changed since.
    pub(super) async fn fetch(
        &self,
        id: &str,
        known: Option<&CacheEntry>,
        key: Option<&KeyDigest>,
    ) -> Result<(CacheEntry, Option<Bytes>), AppError> {
        let revision = known.map(|known| known.revision);
        match self.store.load(id, revision, key).await {
            Ok(found) => {
                measure::cache_read(found.document.is_none());
                self.cache_found(id, known, found)
            }
            Err(error) => Err(self.failed(id, error)),
        }
    }

    /// Parses what the store found, and caches it.
    fn cache_found(
        &self,
        id: &str,
        known: Option<&CacheEntry>,
        found: Found,
    ) -> Result<(CacheEntry, Option<Bytes>), AppError> {
        let Found {
            revision,
            log_bytes,
            document,
            answer: record,
            ..
        } = found;
        let Some(document) = document else {
            let Some(known) = known else {
                let reason = "the store left the document out".to_owned();
                return Err(AppError::Internal(reason));
            };
            return Ok((known.clone(), record));
        };
        let current = CacheEntry {
            revision,
            encounter: self.rulesets.load(&document)?,
            size: document.len(),
            log_bytes,
            compaction_failed: false,
        };
        self.cache.insert(id.into(), current.clone());
        Ok((current, record))
    }

    /// The error of a call to the store about an encounter; a missing encounter leaves the cache.
    fn failed(&self, id: &str, error: StoreError) -> AppError {
        if matches!(error, StoreError::Missing) {
            self.cache.remove(id);
        }
        error.into()
    }
}

/// Maximum retries after a lost compare-and-set. Of ten equally busy processes each loses nine
/// tenths of the races; even then one write in a thousand fails.
const TRIES: usize = 64;
/// Number of locks. Encounters may share one, which costs a wait; a fixed number needs no clean-up.
const LOCKS: usize = 4096;
/// Timeout of waiting for a lock: longer than the store takes for one answer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The locks of encounters within this process, so that its own writes do not lose races against
/// each other.
pub(super) struct WriteLocks {
    hasher: RandomState,
    /// Each with the time of the last failure of the store while it was held.
    locks: Box<[Mutex<Option<Instant>>]>,
}

impl WriteLocks {
    pub fn new() -> Self {
        Self {
            hasher: RandomState::new(),
            locks: (0..LOCKS).map(|_| Mutex::default()).collect(),
        }
    }
}

impl App {
    /// Runs a write of an encounter as the only one in this process. When the store is unavailable,
    /// the waiting writes fail with it, instead of each waiting for the store again.
    pub(super) async fn with_lock<T>(
        &self,
        id: &str,
        write: impl Future<Output = Result<T, AppError>>,
    ) -> Result<T, AppError> {
        let asked = Instant::now();
        let index = self.locks.hasher.hash_one(id) as usize % LOCKS;
        let lock = self.locks.locks.get(index).ok_or(AppError::Contended)?;
        let Ok(mut failed) = timeout(LOCK_TIMEOUT, lock.lock()).await else {
            return Err(AppError::Contended);
        };
        if failed.is_some_and(|at| at >= asked) {
            // Not `Unavailable`: this write has not reached the store, so it changed nothing.
            return Err(AppError::StoreRefuses(
                "it failed the request before this one".to_owned(),
            ));
        }
        let result = write.await;
        if let Err(AppError::Unavailable(_) | AppError::StoreRefuses(_)) = result {
            // After `Unavailable` the write may have happened, so the next one reads what the store
            // has. After either the writes that wait for this lock fail too.
            self.cache.remove(id);
            *failed = Some(Instant::now());
        }
        result
    }

    /// Writes an encounter as the only one in this process, with a decision that waits for nothing:
    /// see [`compare_and_set`](Self::compare_and_set).
    pub(super) async fn write<A>(
        &self,
        id: &str,
        sender: &Sender,
        key: Option<&IdempotencyKey>,
        decide: impl Fn(&dyn AnyEncounter, Viewer) -> Result<Change<A>, AppError>,
    ) -> Result<Written<A>, AppError> {
        let written = self.compare_and_set(id, sender, key, |encounter, viewer| {
            ready(decide(&*encounter, viewer))
        });
        self.with_lock(id, written).await
    }

    /// Decides a write with `decide` and commits it, again on the newest encounter when another
    /// process was first. Under a `key` it happens at most once.
    ///
    /// The first decision may be made on a stale copy. So an accepted write is committed at the
    /// revision of that copy, and a refusal is returned only after the store has said that the copy
    /// is current.
    ///
    /// The caller has the lock of the encounter.
    pub(super) async fn compare_and_set<A, F: Future<Output = Result<Change<A>, AppError>>>(
        &self,
        id: &str,
        sender: &Sender,
        key: Option<&IdempotencyKey>,
        decide: impl Fn(Arc<dyn AnyEncounter>, Viewer) -> F,
    ) -> Result<Written<A>, AppError> {
        let digest = key.map(|key| key.digest(id, sender));
        // A refusal is final if the store has said that the copy is current.
        let (mut current, mut refusal_is_final) = match self.cache.get(id) {
            Some(cached) => {
                measure::cache_read(true);
                (cached, false)
            }
            // A record under the key is rare: the commit, or a read before a refusal, finds it.
            None => (self.fetch(id, None, None).await?.0, key.is_none()),
        };
        for _ in 0..TRIES {
            let decided = async {
                let viewer = sender.viewer(current.encounter.meta())?;
                let change = decide(current.encounter.clone(), viewer).await?;
                let document = document_within_limit(&*change.encounter)?;
                Ok((change, document))
            };
            let (change, document) = match decided.await {
                Ok(decided) => decided,
                Err(refusal) if refusal_is_final => return Err(refusal),
                Err(refusal) => {
                    let (newest, record) = self
                        .recheck_refusal(id, &current, digest.as_ref(), refusal)
                        .await?;
                    if let Some(record) = record {
                        return Self::repeated(newest.encounter, sender, key, &record);
                    }
                    current = newest;
                    refusal_is_final = true;
                    continue;
                }
            };
            let compaction = self.compaction(&current, change.entry.as_ref()).await;
            let next = CacheEntry {
                revision: rand::random(),
                encounter: change.encounter,
                size: document.len(),
                log_bytes: compaction.log_bytes,
                compaction_failed: compaction.failed,
            };
            let commit = Commit {
                expected: current.revision,
                revision: next.revision,
                document,
                entry: change.entry,
                answer: digest.zip(key.map(|key| key.stored(&change.record))),
                new_base: compaction.new_base,
                log_bytes: next.log_bytes,
            };
            let committed = match self.store.commit(id, commit).await {
                Ok(committed) => committed,
                Err(error) => return Err(self.failed(id, error)),
            };
            match committed {
                Committed::Done => {
                    self.cache.insert(id.into(), next);
                    return Ok(Written::Applied(change.answer));
                }
                Committed::Anew => {
                    // The store knows the bytes of its log.
                    self.cache.remove(id);
                    return Ok(Written::Applied(change.answer));
                }
                Committed::Conflict(found) => {
                    current = self.cache_found(id, None, found)?.0;
                    refusal_is_final = true;
                }
                Committed::Replayed(record) => {
                    // The record may be of a later version than this copy, and the token may have
                    // ended since.
                    let newest = self.fetch(id, Some(&current), None).await?.0;
                    return Self::repeated(newest.encounter, sender, key, &record);
                }
            }
        }
        Err(AppError::Contended)
    }

    /// What the store has after a decision on `current` was refused: a newer encounter, or a record
    /// under the key. Returns the refusal if it has neither.
    async fn recheck_refusal(
        &self,
        id: &str,
        current: &CacheEntry,
        digest: Option<&KeyDigest>,
        refusal: AppError,
    ) -> Result<(CacheEntry, Option<Bytes>), AppError> {
        let (newest, record) = self.fetch(id, Some(current), digest).await?;
        if record.is_none() && newest.revision == current.revision {
            return Err(refusal);
        }
        Ok((newest, record))
    }

    /// What was recorded under the key, if the sender may still write.
    fn repeated<A>(
        encounter: Arc<dyn AnyEncounter>,
        sender: &Sender,
        key: Option<&IdempotencyKey>,
        record: &Bytes,
    ) -> Result<Written<A>, AppError> {
        let viewer = sender.viewer(encounter.meta())?;
        let Some(key) = key else {
            let reason = "an answer to a request without a key".to_owned();
            return Err(AppError::Internal(reason));
        };
        Ok(Written::Repeated(Repeated {
            record: key.recorded(record)?,
            encounter,
            viewer,
        }))
    }
}

/// The document of an encounter, unless it is too large to store.
pub(super) fn document_within_limit(encounter: &dyn AnyEncounter) -> Result<Bytes, AppError> {
    let document = encounter.document()?;
    if document.len() > MAX_DOCUMENT {
        return Err(AppError::TooLarge {
            size: document.len(),
        });
    }
    Ok(document.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Meta, Rulesets};
    use crate::json::read;
    use serde_json::json;

    #[test]
    fn the_cache_keeps_as_many_encounters_as_fit_into_its_memory() {
        let rulesets = Rulesets::shipped();
        let ruleset = rulesets.iter().next().expect("a ruleset").manifest.id;
        let creation = read(&json!({"ruleset": ruleset})).expect("a creation");
        let encounter = rulesets
            .create(Meta::default(), creation)
            .expect("an encounter");
        let kept = |memory| {
            let cache = encounter_cache(memory);
            for revision in 0..1000 {
                let entry = CacheEntry {
                    revision,
                    encounter: encounter.clone(),
                    size: 10_000,
                    log_bytes: 0,
                    compaction_failed: false,
                };
                cache.insert(revision.to_string().into(), entry);
            }
            cache.len()
        };
        // Three times the document each, and a little more.
        assert!(
            (10..=34).contains(&kept(1 << 20)),
            "{} in a mebibyte",
            kept(1 << 20)
        );
        assert_eq!((kept(0), kept(1 << 30)), (0, 1000));
    }
}
