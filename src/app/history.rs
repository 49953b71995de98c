//! Earlier states: of the newest checkpoint before them, and the log since.

use super::{App, AppError, BearerToken, CacheEntry};
use crate::engine::{CHECKPOINTS, Game, LogEntry, Viewer};
use crate::store::{Base, Entry};
use std::sync::Arc;

/// So many bytes of the log are read at a time, about.
const READ: usize = 4 * 1024 * 1024;
/// So often a state is looked for again because the log's beginning moved meanwhile.
const TRIES: usize = 4;

impl App {
    /// The encounter as it was at version `at`, or as it is now, as the holder of `token` may see it, and who that is.
    pub async fn read(
        &self, id: &str, token: &BearerToken, at: Option<u64>,
    ) -> Result<(Arc<dyn Game>, Viewer), AppError> {
        let (held, viewer) = self.admit(id, token).await?;
        let game = self.state_at(&held, at.unwrap_or(held.game.version())).await?;
        Ok((viewer.sight_of(&game), viewer))
    }

    /// The encounter as it was at `version`, under its present meta.
    pub(super) async fn state_at(&self, held: &CacheEntry, version: u64) -> Result<Arc<dyn Game>, AppError> {
        let current = held.game.version();
        if version == current {
            return Ok(held.game.clone());
        }
        if version > current {
            return Err(AppError::FutureVersion { current });
        }
        for _ in 0..TRIES {
            if let Some(game) = self.look_back(held, version).await? {
                return Ok(game);
            }
        }
        Err(AppError::Contended)
    }

    /// As [`state_at`](Self::state_at); None when the log's beginning moved meanwhile.
    async fn look_back(&self, held: &CacheEntry, version: u64) -> Result<Option<Arc<dyn Game>>, AppError> {
        // The entry before which there may be nothing of use: the newest version at which there should be a checkpoint.
        let mut first = version - version % CHECKPOINTS;
        loop {
            let (game, base) = self.fold_from(held, first, version).await?;
            if game.is_some() {
                return Ok(game);
            }
            if base.saturating_add(1) >= first {
                return self.fold_from_base(held, base, version).await;
            }
            first = first.saturating_sub(CHECKPOINTS);
        }
    }

    /// Folds the entries `first` to `version`, from the newest checkpoint among them; None where they have none. Also answers the
    /// version of the log's base.
    async fn fold_from(
        &self, held: &CacheEntry, first: u64, version: u64,
    ) -> Result<(Option<Arc<dyn Game>>, u64), AppError> {
        let (mut game, mut after): (Option<Arc<dyn Game>>, _) = (None, first.saturating_sub(1));
        loop {
            let (entries, base) = self.stretch(&held.game.meta().id, after, version).await?;
            let last = entries.last().map_or(version, |entry| entry.version);
            let newest = entries.iter().rposition(|entry| entry.checkpoint.is_some());
            if let Some(checkpoint) = newest.and_then(|at| entries.get(at)?.checkpoint.as_deref()) {
                game = Some(held.game.recall(checkpoint)?);
            }
            for entry in entries.iter().skip(newest.map_or(0, |at| at + 1)) {
                game = game.map(|game| game.fold(entry)).transpose()?;
            }
            if last >= version {
                return Ok((game, base));
            }
            after = last;
        }
    }

    /// Folds from the base, which is expected at version `expected`.
    async fn fold_from_base(
        &self, held: &CacheEntry, expected: u64, version: u64,
    ) -> Result<Option<Arc<dyn Game>>, AppError> {
        let id = &held.game.meta().id;
        let Base { version: mut at, document } = self.store.base(id).await?;
        if at != expected {
            return Ok(None);
        }
        let mut game = self.rulesets.load(&document)?.with_meta(held.game.meta().clone());
        while at < version {
            let (entries, base) = self.stretch(id, at, version).await?;
            if base != expected {
                return Ok(None);
            }
            for entry in &entries {
                game = game.fold(entry)?;
                at = entry.version;
            }
        }
        Ok(Some(game))
    }

    /// Log entries above `after` and up to `version`, some or all of them, and the version of the log's base.
    async fn stretch(&self, id: &str, after: u64, version: u64) -> Result<(Vec<LogEntry>, u64), AppError> {
        let limit = usize::try_from(version.saturating_sub(after)).unwrap_or(usize::MAX);
        let page = self.store.log(id, after, limit, READ).await?;
        if version < page.base_version {
            return Err(AppError::Pruned { oldest: page.base_version });
        }
        let entries: Vec<LogEntry> = page.entries.iter().map(entry).collect::<Result<_, _>>()?;
        let entries: Vec<LogEntry> = entries.into_iter().filter(|entry| entry.version <= version).collect();
        if entries.is_empty() && after.max(page.base_version) < version {
            return Err(AppError::Internal(format!("the log ends before version {version}")));
        }
        Ok((entries, page.base_version))
    }

    /// The base that the log is to have from `version` on, where it is time to fold its oldest entries into one: whenever there is
    /// a new checkpoint, down to the oldest checkpoint that leaves as many entries as are to be kept.
    pub(super) async fn new_base(&self, held: &CacheEntry, version: u64) -> Result<Option<Base>, AppError> {
        if self.keep == 0 || !version.is_multiple_of(CHECKPOINTS) {
            return Ok(None);
        }
        let target = version.saturating_sub(self.keep);
        let target = target - target % CHECKPOINTS;
        if target == 0 {
            return Ok(None);
        }
        match self.state_at(held, target).await {
            Ok(game) => Ok(Some(Base { version: target, document: game.document()?.into() })),
            // It was folded further already, when less was to be kept.
            Err(AppError::Pruned { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Reads an entry of the log.
pub(super) fn entry(stored: &Entry) -> Result<LogEntry, AppError> {
    serde_json::from_slice(&stored.bytes)
        .map_err(|error| AppError::Internal(format!("log entry {} is unreadable: {error}", stored.version)))
}
