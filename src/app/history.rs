//! Earlier states, folded from the newest checkpoint before them, and the compaction of the log.

use super::log::parse_entry;
use super::storage::CacheEntry;
use super::{App, AppError, BearerToken};
use crate::engine::{CHECKPOINTS, Decided, Game, LogEntry, Viewer};
use crate::store::{Base, Entry};
use std::sync::Arc;

/// Approximate maximum bytes of one read of the log.
const READ_BYTES: usize = 4 * 1024 * 1024;
/// Maximum entries of one read of the log that looks for its surplus.
const CUT_ENTRIES: usize = 1000;
/// Maximum attempts to read a state while the log is compacted.
const TRIES: usize = 4;

/// What a write does to the beginning of the log.
pub(super) struct Compaction {
    /// The new base, if the log gets one.
    pub new_base: Option<Base>,
    /// The bytes of the log after the write.
    pub log_bytes: u64,
}

/// The first entries of a log.
struct Cut {
    /// The version of the last one.
    version: u64,
    bytes: u64,
}

impl App {
    /// The encounter at version `at`, or now, as the holder of `token` may see it, and that viewer.
    pub async fn read(
        &self,
        id: &str,
        token: &BearerToken,
        at: Option<u64>,
    ) -> Result<(Arc<dyn Game>, Viewer), AppError> {
        let (current, viewer) = self.authenticate(id, token).await?;
        let game = self
            .state_at(&current, at.unwrap_or(current.version()))
            .await?;
        Ok((viewer.view(&game), viewer))
    }

    /// The encounter as it was at `version`, with its present meta.
    pub(super) async fn state_at(
        &self,
        game: &Arc<dyn Game>,
        version: u64,
    ) -> Result<Arc<dyn Game>, AppError> {
        if version == game.version() {
            return Ok(game.clone());
        }
        if version > game.version() {
            return Err(AppError::FutureVersion {
                current: game.version(),
            });
        }
        // Here the log should have a checkpoint, unless it was imported.
        let checkpoint = version - version % CHECKPOINTS;
        for _ in 0..TRIES {
            if checkpoint > 0
                && let Some(past) = self.fold(game, None, checkpoint - 1, version).await?
            {
                return Ok(past);
            }
            let Base {
                version: base_version,
                document,
            } = self.store.base(&game.meta().id).await?;
            if version < base_version {
                return Err(AppError::Pruned {
                    oldest: base_version,
                });
            }
            let base = self
                .rulesets
                .load(&document)?
                .with_meta(game.meta().clone());
            if let Some(past) = self.fold(game, Some(base), base_version, version).await? {
                return Ok(past);
            }
        }
        Err(AppError::Contended)
    }

    /// The transition that made `version`, as it was decided.
    pub(super) async fn transition(
        &self,
        game: &Arc<dyn Game>,
        version: u64,
    ) -> Result<Decided, AppError> {
        let next = self.state_at(game, version).await?;
        let page = self
            .store
            .log(&game.meta().id, version.saturating_sub(1), 1, READ_BYTES)
            .await?;
        let Some(entry) = page
            .entries
            .first()
            .filter(|entry| entry.version == version)
        else {
            return Err(AppError::Pruned {
                oldest: page.base_version,
            });
        };
        let LogEntry {
            events,
            texts,
            redactions,
            ..
        } = parse_entry(entry)?;
        Ok(Decided {
            next,
            events,
            texts,
            redactions,
            checkpoint: None,
        })
    }

    /// Folds the entries above `after` up to `version`, from the newest checkpoint among them, otherwise from `start`. Returns
    /// None if there is neither, or if the log was compacted meanwhile.
    async fn fold(
        &self,
        game: &Arc<dyn Game>,
        start: Option<Arc<dyn Game>>,
        mut after: u64,
        version: u64,
    ) -> Result<Option<Arc<dyn Game>>, AppError> {
        let mut folded = start;
        while after < version {
            let limit = usize::try_from(version - after).unwrap_or(usize::MAX);
            let page = self
                .store
                .log(&game.meta().id, after, limit, READ_BYTES)
                .await?;
            if version < page.base_version {
                return Err(AppError::Pruned {
                    oldest: page.base_version,
                });
            }
            if after < page.base_version {
                folded = None;
            }
            let entries = page
                .entries
                .iter()
                .filter(|entry| entry.version <= version)
                .map(parse_entry);
            let entries: Vec<LogEntry> = entries.collect::<Result<_, _>>()?;
            if entries.is_empty() && after.max(page.base_version) < version {
                return Err(AppError::Internal(format!(
                    "the log ends before version {version}"
                )));
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

    /// Lets the log begin later if it has too many entries or bytes after a write with this entry: the oldest go.
    pub(super) async fn compaction(
        &self,
        current: &CacheEntry,
        entry: Option<&Entry>,
    ) -> Result<Compaction, AppError> {
        let Some(entry) = entry else {
            return Ok(Compaction {
                new_base: None,
                log_bytes: current.log_bytes,
            });
        };
        let entry_bytes = entry.bytes.len() as u64;
        let log_bytes = current.log_bytes.saturating_add(entry_bytes);
        let (version, bytes) = (
            self.surplus_entries(entry.version),
            self.surplus_bytes(log_bytes),
        );
        if version == 0 && bytes == 0 {
            return Ok(Compaction {
                new_base: None,
                log_bytes,
            });
        }
        let cut = self.cut(current, version, bytes).await?;
        // A log may hold less than was written: Redis can have evicted it.
        let all = cut.version >= current.game.version();
        let log_bytes = if all {
            entry_bytes
        } else {
            log_bytes.saturating_sub(cut.bytes)
        };
        if cut.bytes == 0 {
            return Ok(Compaction {
                new_base: None,
                log_bytes,
            });
        }
        match self.state_at(&current.game, cut.version).await {
            Ok(base) => {
                let new_base = Base {
                    version: cut.version,
                    document: base.document()?.into(),
                };
                Ok(Compaction {
                    new_base: Some(new_base),
                    log_bytes,
                })
            }
            // Another process was first.
            Err(AppError::Pruned { .. }) => Ok(Compaction {
                new_base: None,
                log_bytes,
            }),
            Err(error) => Err(error),
        }
    }

    /// The version up to which entries are more than the log keeps: the newest older checkpoint that leaves at least `keep`. It is looked
    /// for only at a checkpoint.
    fn surplus_entries(&self, version: u64) -> u64 {
        if self.log_entries == 0 || !version.is_multiple_of(CHECKPOINTS) {
            return 0;
        }
        let target = version.saturating_sub(self.log_entries);
        target - target % CHECKPOINTS
    }

    /// How many bytes are to go from a log of so many: a quarter of what it may have, so that this is rare.
    fn surplus_bytes(&self, log_bytes: u64) -> u64 {
        if self.log_bytes == 0 || log_bytes <= self.log_bytes {
            return 0;
        }
        log_bytes.saturating_sub(self.log_bytes / 4 * 3)
    }

    /// The first entries of the log, up to a version at least and so many that they have these bytes.
    async fn cut(&self, current: &CacheEntry, version: u64, bytes: u64) -> Result<Cut, AppError> {
        let mut cut = Cut {
            version: 0,
            bytes: 0,
        };
        while cut.version < version || cut.bytes < bytes {
            let page = self
                .store
                .log(
                    &current.game.meta().id,
                    cut.version,
                    CUT_ENTRIES,
                    READ_BYTES,
                )
                .await?;
            cut.version = cut.version.max(page.base_version);
            if cut.version >= current.game.version() || page.entries.is_empty() {
                break;
            }
            for entry in page.entries {
                if cut.version >= version && cut.bytes >= bytes
                    || entry.version > current.game.version()
                {
                    return Ok(cut);
                }
                cut.version = entry.version;
                cut.bytes = cut.bytes.saturating_add(entry.bytes.len() as u64);
            }
        }
        Ok(cut)
    }
}
