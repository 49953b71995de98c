//! Reading: every read asks the store, and gets the document only if it has changed.

use super::{App, AppError, BearerToken, CacheEntry, Expected, token::only_gm};
use crate::engine::Viewer;
use crate::store::{Found, KeyDigest, StoreError};
use bytes::Bytes;

/// What a read brought.
pub(super) struct Fetched {
    /// The encounter as it is.
    pub held: CacheEntry,
    /// Whether it is another one than the copy that was known.
    pub changed: bool,
    /// The answer recorded under the key that was asked for.
    pub answer: Option<Bytes>,
}

/// A page of the log.
pub struct Page {
    /// The entries, each a JSON object, oldest first.
    pub entries: Vec<Bytes>,
    /// The version up to which the log was read, where more follow.
    pub next: Option<u64>,
}

impl App {
    /// The encounter as it is now, and whoever `token` makes its holder in it: the one way in to everything but commands.
    pub(super) async fn admit(&self, id: &str, token: &BearerToken) -> Result<(CacheEntry, Viewer), AppError> {
        let known = self.copies.get(id);
        let held = self.fetch(id, known.as_ref(), None).await?.held;
        let viewer = token.viewer(held.game.meta())?;
        Ok((held, viewer))
    }

    /// At most `limit` log entries with a version above `after` (without it, from the oldest on), and about half a MiB of them, as the
    /// holder of `token` is told them. A player's or spectator's page leaves out entries of which it is told nothing, and so may hold
    /// fewer though more follow.
    pub async fn log(&self, id: &str, token: &BearerToken, after: Option<u64>, limit: usize) -> Result<Page, AppError> {
        let (held, viewer) = self.admit(id, token).await?;
        let current = held.game.version();
        if after.is_some_and(|after| after > current) {
            return Err(AppError::FutureVersion { current });
        }
        let (page, base) = self.page(id, &viewer, after.unwrap_or(0), limit).await?;
        if after.is_some_and(|after| after < base) {
            return Err(AppError::Pruned { oldest: base });
        }
        Ok(page)
    }

    /// Removes the encounter and all that belongs to it.
    ///
    /// `expected` is compared before the removal, not in one step with it: what another process commits in between is lost
    /// with the rest.
    pub async fn delete(&self, id: &str, token: &BearerToken, expected: Option<&Expected>) -> Result<(), AppError> {
        self.with_lock(id, self.remove(id, token, expected)).await
    }

    async fn remove(&self, id: &str, token: &BearerToken, expected: Option<&Expected>) -> Result<(), AppError> {
        let (held, viewer) = self.admit(id, token).await?;
        only_gm(&viewer, "to delete the encounter")?;
        expected.map_or(Ok(()), |expected| expected.check(&*held.game, &viewer))?;
        self.copies.forget(id);
        Ok(self.store.delete(id).await?)
    }

    /// The encounter as it is now; an unchanged one that is known is neither sent nor parsed again.
    pub(super) async fn fetch(
        &self, id: &str, known: Option<&CacheEntry>, key: Option<&KeyDigest>,
    ) -> Result<Fetched, AppError> {
        match self.store.load(id, known.map(|held| held.revision), key).await {
            Ok(found) => self.take(id, known, found),
            Err(error) => Err(self.failed(id, error)),
        }
    }

    /// The error of a call to the store about an encounter; a missing encounter leaves the cache.
    pub(super) fn failed(&self, id: &str, error: StoreError) -> AppError {
        if matches!(error, StoreError::Missing) {
            self.copies.forget(id);
        }
        error.into()
    }

    /// Makes an encounter of what the store found, and remembers it.
    pub(super) fn take(&self, id: &str, known: Option<&CacheEntry>, found: Found) -> Result<Fetched, AppError> {
        let Found { revision, document, answer, .. } = found;
        let (held, changed) = match (document, known) {
            (None, Some(known)) => (known.clone(), false),
            (None, None) => return Err(AppError::Internal("the store left the document out".to_owned())),
            (Some(document), _) => {
                let game = self.rulesets.load(&document)?;
                let held = CacheEntry { revision, game, size: document.len() };
                self.copies.keep(id, held.clone());
                (held, true)
            }
        };
        Ok(Fetched { held, changed, answer })
    }
}
