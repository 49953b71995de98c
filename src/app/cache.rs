//! Loading encounters, and the cache of those that this process used last.
//!
//! The cache saves reading and parsing; it never decides what is true. Each read asks the store, which sends the document only if it
//! has changed.

use super::{App, AppError, BearerToken};
use crate::engine::{Game, Viewer};
use crate::store::{Found, KeyDigest, StoreError};
use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// An encounter at one revision.
#[derive(Clone)]
pub(super) struct CacheEntry {
    /// Its revision in the store.
    pub revision: u64,
    /// The encounter.
    pub game: Arc<dyn Game>,
    /// The size of its document in bytes.
    pub size: usize,
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
    let items = usize::try_from(memory / TYPICAL).unwrap_or(usize::MAX).clamp(16, 1 << 20);
    Cache::with_weighter(items, memory, ByWeight)
}

/// The result of a read.
pub(super) struct Fetched {
    /// The encounter now.
    pub current: CacheEntry,
    /// Whether it differs from the known copy.
    pub changed: bool,
    /// The answer recorded under the given key.
    pub answer: Option<Bytes>,
}

impl App {
    /// The encounter now, and the viewer that `token` stands for.
    pub(super) async fn admit(&self, id: &str, token: &BearerToken) -> Result<(Arc<dyn Game>, Viewer), AppError> {
        let game = self.current(id).await?;
        let viewer = token.viewer(game.meta())?;
        Ok((game, viewer))
    }

    /// The encounter now.
    pub(super) async fn current(&self, id: &str) -> Result<Arc<dyn Game>, AppError> {
        let known = self.cache.get(id);
        Ok(self.fetch(id, known.as_ref(), None).await?.current.game)
    }

    /// Reads the encounter, and the answer under `key`.
    pub(super) async fn fetch(
        &self, id: &str, known: Option<&CacheEntry>, key: Option<&KeyDigest>,
    ) -> Result<Fetched, AppError> {
        let found = self.store.load(id, known.map(|known| known.revision), key).await;
        self.cache_found(id, known, found.map_err(|error| self.failed(id, error))?)
    }

    /// Parses what the store found, and caches it.
    pub(super) fn cache_found(&self, id: &str, known: Option<&CacheEntry>, found: Found) -> Result<Fetched, AppError> {
        let Found { revision, document, answer, .. } = found;
        let Some(document) = document else {
            let known = known.ok_or_else(|| AppError::Internal("the store left the document out".to_owned()))?;
            return Ok(Fetched { current: known.clone(), changed: false, answer });
        };
        let current = CacheEntry { revision, game: self.rulesets.load(&document)?, size: document.len() };
        self.cache.insert(id.into(), current.clone());
        Ok(Fetched { current, changed: true, answer })
    }

    /// The error of a call to the store about an encounter; a missing encounter leaves the cache.
    pub(super) fn failed(&self, id: &str, error: StoreError) -> AppError {
        if matches!(error, StoreError::Missing) {
            self.cache.remove(id);
        }
        error.into()
    }
}
