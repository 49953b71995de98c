//! EncounterCache of encounters that this process saw last: they save a read and its parsing, and decide nothing.

use crate::engine::Game;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// An encounter at one revision.
#[derive(Clone)]
pub struct CacheEntry {
    /// The revision that it has in the store.
    pub revision: u64,
    /// The encounter.
    pub game: Arc<dyn Game>,
    /// The bytes of its document.
    pub(super) size: usize,
}

/// What the process remembers, bounded by weight; the least useful goes first.
pub(super) struct EncounterCache(Option<Cache<Arc<str>, CacheEntry, ByWeight>>);

#[derive(Clone)]
struct ByWeight;

impl Weighter<Arc<str>, CacheEntry> for ByWeight {
    fn weight(&self, _: &Arc<str>, held: &CacheEntry) -> u64 {
        // In memory an encounter takes a small multiple of its document.
        (held.size as u64).saturating_mul(3).saturating_add(512)
    }
}

impl EncounterCache {
    /// Room for about `memory` bytes.
    pub fn new(memory: u64) -> Self {
        const TYPICAL: u64 = 16 * 1024;
        let items = usize::try_from(memory / TYPICAL).unwrap_or(usize::MAX).clamp(16, 1 << 20);
        Self((memory > 0).then(|| Cache::with_weighter(items, memory, ByWeight)))
    }

    pub fn get(&self, id: &str) -> Option<CacheEntry> {
        self.0.as_ref()?.get(id)
    }

    pub fn keep(&self, id: &str, held: CacheEntry) {
        if let Some(cache) = &self.0 {
            cache.insert(id.into(), held);
        }
    }

    pub fn forget(&self, id: &str) {
        if let Some(cache) = &self.0 {
            cache.remove(id);
        }
    }
}
