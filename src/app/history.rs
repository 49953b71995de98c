//! Earlier states, folded from the newest checkpoint before them, and the compaction of the log.

use super::log::parse_entry;
use super::{App, AppError, BearerToken};
use crate::engine::{CHECKPOINTS, Decided, Game, LogEntry, Viewer};
use crate::store::Base;
use std::sync::Arc;

/// Approximate maximum bytes of one read of the log.
const READ_BYTES: usize = 4 * 1024 * 1024;
/// Maximum attempts to read a state while the log is compacted.
const TRIES: usize = 4;

impl App {
    /// The encounter at version `at`, or now, as the holder of `token` may see it, and that viewer.
    pub async fn read(
        &self, id: &str, token: &BearerToken, at: Option<u64>,
    ) -> Result<(Arc<dyn Game>, Viewer), AppError> {
        let (current, viewer) = self.authenticate(id, token).await?;
        let game = self.state_at(&current, at.unwrap_or(current.version())).await?;
        Ok((viewer.view(&game), viewer))
    }

    /// The encounter as it was at `version`, with its present meta.
    pub(super) async fn state_at(&self, game: &Arc<dyn Game>, version: u64) -> Result<Arc<dyn Game>, AppError> {
        if version == game.version() {
            return Ok(game.clone());
        }
        if version > game.version() {
            return Err(AppError::FutureVersion { current: game.version() });
        }
        // Here the log should have a checkpoint, unless it was imported.
        let checkpoint = version - version % CHECKPOINTS;
        for _ in 0..TRIES {
            if checkpoint > 0
                && let Some(past) = self.fold(game, None, checkpoint - 1, version).await?
            {
                return Ok(past);
            }
            let Base { version: base_version, document } = self.store.base(&game.meta().id).await?;
            if version < base_version {
                return Err(AppError::Pruned { oldest: base_version });
            }
            let base = self.rulesets.load(&document)?.with_meta(game.meta().clone());
            if let Some(past) = self.fold(game, Some(base), base_version, version).await? {
                return Ok(past);
            }
        }
        Err(AppError::Contended)
    }

    /// The transition that made `version`, as it was decided.
    pub(super) async fn transition(&self, game: &Arc<dyn Game>, version: u64) -> Result<Decided, AppError> {
        let next = self.state_at(game, version).await?;
        let page = self.store.log(&game.meta().id, version.saturating_sub(1), 1, READ_BYTES).await?;
        let Some(entry) = page.entries.first().filter(|entry| entry.version == version) else {
            return Err(AppError::Pruned { oldest: page.base_version });
        };
        let LogEntry { events, texts, redactions, .. } = parse_entry(entry)?;
        Ok(Decided { next, events, texts, redactions, checkpoint: None })
    }

    /// Folds the entries above `after` up to `version`, from the newest checkpoint among them, otherwise from `start`. Returns
    /// None if there is neither, or if the log was compacted meanwhile.
    async fn fold(
        &self, game: &Arc<dyn Game>, start: Option<Arc<dyn Game>>, mut after: u64, version: u64,
    ) -> Result<Option<Arc<dyn Game>>, AppError> {
        let mut folded = start;
        while after < version {
            let limit = usize::try_from(version - after).unwrap_or(usize::MAX);
            let page = self.store.log(&game.meta().id, after, limit, READ_BYTES).await?;
            if version < page.base_version {
                return Err(AppError::Pruned { oldest: page.base_version });
            }
            if after < page.base_version {
                folded = None;
            }
            let entries = page.entries.iter().filter(|entry| entry.version <= version).map(parse_entry);
            let entries: Vec<LogEntry> = entries.collect::<Result<_, _>>()?;
            if entries.is_empty() && after.max(page.base_version) < version {
                return Err(AppError::Internal(format!("the log ends before version {version}")));
            }
            after = entries.last().map_or(version, |entry| entry.version);
            let newest = entries.iter().rposition(|entry| entry.checkpoint.is_some());
            if let Some(checkpoint) = newest.and_then(|at| entries.get(at)?.checkpoint.as_deref()) {
                folded = Some(game.restore(checkpoint)?);
            }
            for entry in entries.iter().skip(newest.map_or(0, |at| at + 1)) {
                folded = folded.map(|folded| folded.fold(entry)).transpose()?;
            }
        }
        Ok(folded)
    }

    /// The new base of the log, if `version` has a checkpoint: the newest older checkpoint that leaves at least `keep` entries.
    pub(super) async fn new_base(&self, game: &Arc<dyn Game>, version: u64) -> Result<Option<Base>, AppError> {
        let target = version.saturating_sub(self.keep);
        let target = target - target % CHECKPOINTS;
        if self.keep == 0 || !version.is_multiple_of(CHECKPOINTS) || target == 0 {
            return Ok(None);
        }
        match self.state_at(game, target).await {
            Ok(base) => Ok(Some(Base { version: target, document: base.document()?.into() })),
            // The log was compacted further already, with a lower `keep`.
            Err(AppError::Pruned { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
