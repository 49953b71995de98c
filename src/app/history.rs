//! Earlier states, folded from the newest checkpoint before them, and the compaction of the log.

use super::command::is_small;
use super::log::parse_entry;
use super::storage::CacheEntry;
use super::work::WhenFull;
use super::{App, AppError, BearerToken};
use crate::engine::{AnyEncounter, CHECKPOINTS, Decided, LogEntry, Refusal, Stop, Viewer};
use crate::store::{Base, Entry, StoredPage, bytes_of};
use std::sync::Arc;

/// Approximate maximum bytes of one read of the log.
const READ_BYTES: usize = 4 * 1024 * 1024;
/// Up to so many bytes of entries the thread that serves the request folds them.
const SMALL_FOLD: u64 = 256 * 1024;
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
    /// True if the log was due to be cut and the cut failed.
    pub failed: bool,
}

impl Compaction {
    /// A write that leaves a log of so many bytes as it is.
    fn none(log_bytes: u64) -> Self {
        Self {
            new_base: None,
            log_bytes,
            failed: false,
        }
    }
}

/// The first entries of a log.
struct Cut {
    /// The version of the last one.
    version: u64,
    bytes: u64,
}

/// A state that entries are folded into.
struct LogFold {
    /// None until there is a checkpoint to begin with.
    state: Option<Arc<dyn AnyEncounter>>,
    /// Its version.
    at: u64,
}

impl LogFold {
    /// Folds the entries of a page up to `version`, from the newest checkpoint among them if there
    /// is one.
    fn over(
        mut self,
        encounter: &dyn AnyEncounter,
        page: &StoredPage,
        version: u64,
        stop: Stop<'_>,
    ) -> Result<Self, AppError> {
        if self.at < page.base_version {
            self.state = None;
        }
        let mut entries = Vec::with_capacity(page.entries.len());
        for stored in &page.entries {
            if stored.version <= version {
                entries.push(parse_entry(stored)?);
            }
        }
        if entries.is_empty() && self.at.max(page.base_version) < version {
            return Err(AppError::Internal(format!(
                "the log ends before version {version}"
            )));
        }
        let mut later = &entries[..];
        if let Some(at) = entries.iter().rposition(|entry| entry.checkpoint.is_some())
            && let Some((begin, rest)) = entries.split_at_checked(at + 1)
            && let Some(checkpoint) = begin.last().and_then(|entry| entry.checkpoint.as_deref())
        {
            self.state = Some(encounter.restore(checkpoint)?);
            later = rest;
        }
        for entry in later {
            if stop() {
                return Err(Refusal::Stopped.into());
            }
            if let Some(state) = self.state {
                self.state = Some(state.fold(entry)?);
            }
        }
        self.at = entries.last().map_or(version, |entry| entry.version);
        Ok(self)
    }
}

impl App {
    /// The encounter at version `at`, or now, as the holder of `token` may see it, and that viewer.
    pub async fn read(
        &self,
        id: &str,
        token: &BearerToken,
        at: Option<u64>,
    ) -> Result<(Arc<dyn AnyEncounter>, Viewer), AppError> {
        let (current, viewer) = self.authenticate(id, token).await?;
        let encounter = self
            .state_at(&current, at.unwrap_or(current.version()))
            .await?;
        Ok((viewer.redact(&encounter), viewer))
    }

    /// The encounter as it was at `version`, with its present meta.
    pub(super) async fn state_at(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        version: u64,
    ) -> Result<Arc<dyn AnyEncounter>, AppError> {
        if version == encounter.version() {
            return Ok(encounter.clone());
        }
        if version > encounter.version() {
            return Err(AppError::FutureVersion {
                current: encounter.version(),
            });
        }
        // Here the log should have a checkpoint, unless it was imported.
        let checkpoint = version - version % CHECKPOINTS;
        for _ in 0..TRIES {
            if checkpoint > 0
                && let Some(past) = self.fold(encounter, None, checkpoint - 1, version).await?
            {
                return Ok(past);
            }
            let Base {
                version: base_version,
                document,
            } = self.store.base(&encounter.meta().id).await?;
            if version < base_version {
                return Err(AppError::Pruned {
                    oldest: base_version,
                });
            }
            let base = self
                .rulesets
                .load(&document)?
                .with_meta(encounter.meta().clone());
            if let Some(past) = self
                .fold(encounter, Some(base), base_version, version)
                .await?
            {
                return Ok(past);
            }
        }
        Err(AppError::Contended)
    }

    /// The transition that made `version`, as it was decided.
    pub(super) async fn transition(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        version: u64,
    ) -> Result<Decided, AppError> {
        let next = self.state_at(encounter, version).await?;
        let page = self
            .store
            .log(
                &encounter.meta().id,
                version.saturating_sub(1),
                1,
                READ_BYTES,
            )
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
            kept,
            redactions,
            since,
            ..
        } = parse_entry(entry)?;
        Ok(Decided {
            next,
            events,
            kept,
            redactions,
            since,
            checkpoint: None,
        })
    }

    /// Folds the entries above `after` up to `version`, from the newest checkpoint among them,
    /// otherwise from `start`. Returns None if there is neither, or if the log was compacted
    /// meanwhile.
    async fn fold(
        &self,
        encounter: &Arc<dyn AnyEncounter>,
        start: Option<Arc<dyn AnyEncounter>>,
        after: u64,
        version: u64,
    ) -> Result<Option<Arc<dyn AnyEncounter>>, AppError> {
        let id = &encounter.meta().id;
        let mut fold = LogFold {
            state: start,
            at: after,
        };
        while fold.at < version {
            let limit = usize::try_from(version - fold.at).unwrap_or(usize::MAX);
            let page = self.store.log(id, fold.at, limit, READ_BYTES).await?;
            if version < page.base_version {
                return Err(AppError::Pruned {
                    oldest: page.base_version,
                });
            }
            let small =
                is_small(&**encounter, page.entries.len()) && bytes_of(&page.entries) <= SMALL_FOLD;
            let encounter = encounter.clone();
            let workers = &self.workers;
            let folded = workers.run_unless(small, id, WhenFull::Refuse, move |stop| {
                fold.over(&*encounter, &page, version, stop)
            });
            fold = folded.await??;
        }
        Ok(fold.state)
    }

    /// Lets the log begin later if it has too many entries or bytes after a write with this entry:
    /// the oldest go. A failure does not stop the write: the next one tries again.
    pub(super) async fn compaction(
        &self,
        current: &CacheEntry,
        entry: Option<&Entry>,
    ) -> Compaction {
        let unchanged = Compaction {
            new_base: None,
            log_bytes: current.log_bytes,
            failed: current.compaction_failed,
        };
        let Some(entry) = entry else {
            return unchanged;
        };
        match self.compact(current, entry).await {
            Ok(compaction) => compaction,
            Err(error) => {
                let id = &current.encounter.meta().id;
                tracing::warn!(?error, %id, "a log was not compacted");
                Compaction {
                    log_bytes: current.log_bytes.saturating_add(entry.bytes.len() as u64),
                    failed: true,
                    ..unchanged
                }
            }
        }
    }

    async fn compact(&self, current: &CacheEntry, entry: &Entry) -> Result<Compaction, AppError> {
        let entry_bytes = entry.bytes.len() as u64;
        let log_bytes = current.log_bytes.saturating_add(entry_bytes);
        let version = self.surplus_entries(entry.version, current.compaction_failed);
        let bytes = self.surplus_bytes(log_bytes);
        if version == 0 && bytes == 0 {
            return Ok(Compaction::none(log_bytes));
        }
        let cut = self.cut(current, version, bytes).await?;
        // A log may hold less than was written: Redis can have evicted it.
        let all = cut.version >= current.encounter.version();
        let log_bytes = if all {
            entry_bytes
        } else {
            log_bytes.saturating_sub(cut.bytes)
        };
        if cut.bytes == 0 {
            return Ok(Compaction::none(log_bytes));
        }
        match self.state_at(&current.encounter, cut.version).await {
            Ok(base) => {
                let new_base = Base {
                    version: cut.version,
                    document: base.document()?.into(),
                };
                Ok(Compaction {
                    new_base: Some(new_base),
                    ..Compaction::none(log_bytes)
                })
            }
            // Another process was first.
            Err(AppError::Pruned { .. }) => Ok(Compaction::none(log_bytes)),
            Err(error) => Err(error),
        }
    }

    /// The version up to which entries are more than the log keeps: the newest older checkpoint
    /// that leaves at least `keep`. It is looked for only at a checkpoint, or if it was not removed
    /// at the last one.
    fn surplus_entries(&self, version: u64, overdue: bool) -> u64 {
        if self.log_entries == 0 || !(overdue || version.is_multiple_of(CHECKPOINTS)) {
            return 0;
        }
        let target = version.saturating_sub(self.log_entries);
        target - target % CHECKPOINTS
    }

    /// How many bytes are to go from a log of so many: a quarter of what it may have, so that this
    /// is rare.
    fn surplus_bytes(&self, log_bytes: u64) -> u64 {
        if self.log_bytes == 0 || log_bytes <= self.log_bytes {
            return 0;
        }
        log_bytes.saturating_sub(self.log_bytes / 4 * 3)
    }

    /// The first entries of the log, up to a version at least and so many that they have these
    /// bytes.
    async fn cut(&self, current: &CacheEntry, version: u64, bytes: u64) -> Result<Cut, AppError> {
        let mut cut = Cut {
            version: 0,
            bytes: 0,
        };
        while cut.version < version || cut.bytes < bytes {
            let page = self
                .store
                .log(
                    &current.encounter.meta().id,
                    cut.version,
                    CUT_ENTRIES,
                    READ_BYTES,
                )
                .await?;
            cut.version = cut.version.max(page.base_version);
            if cut.version >= current.encounter.version() || page.entries.is_empty() {
                break;
            }
            for entry in page.entries {
                if cut.version >= version && cut.bytes >= bytes
                    || entry.version > current.encounter.version()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{AnswerSize, Client, CommandCall};
    use crate::engine::{Request, Rulesets};
    use crate::json::read;
    use crate::store::StoreConfig;
    use crate::store::embedded::EmbeddedStore;
    use serde_json::json;
    use std::time::Duration;
    use tokio::sync::oneshot;
    use tokio::time::timeout;

    #[tokio::test]
    async fn a_long_fold_is_the_work_of_a_worker() {
        let directory = tempfile::TempDir::new().expect("a directory");
        let store = EmbeddedStore::open(directory.path(), StoreConfig::default()).expect("a store");
        let rulesets = Rulesets::shipped();
        let any = rulesets.iter().next().expect("a ruleset").manifest.id;
        let mut app = App::new(Arc::new(store), rulesets, 1 << 20);
        app.workers = crate::app::work::Workers::new(1);
        let app = Arc::new(app);
        let creation = read(&json!({"ruleset": any})).expect("a creation");
        let client = Client::named("a client".to_owned());
        let created = app.create(creation, None, None, &client).await;
        let created = created.expect("an encounter");
        let id = created.encounter.meta().id.clone();
        let token = BearerToken::read(created.token.reveal()).expect("a token");
        let long = json!({"type": "note", "text": "x".repeat(2000)});
        let request = Request::read(vec![long; 50].into()).expect("a request");
        for _ in 0..5 {
            let call = CommandCall {
                id: &id,
                token: &token,
                request: &request,
                expected: None,
                key: None,
                size: AnswerSize::Minimal,
                table: None,
                options_for: None,
            };
            app.command(call).await.expect("it is applied");
        }
        let (begun, running) = oneshot::channel();
        let busy = app.clone();
        let occupied = tokio::spawn(async move {
            let endless = move |stop: Stop<'_>| {
                begun.send(()).expect("a receiver");
                while !stop() {
                    std::thread::sleep(Duration::from_millis(1));
                }
            };
            busy.workers.run("other", WhenFull::Wait, endless).await
        });
        running.await.expect("it begins");
        let read = async |version| app.read(&id, &token, Some(version)).await;
        let short = read(1).await.expect("a state").0;
        assert_eq!(short.version(), 1);
        let long = timeout(Duration::from_millis(100), read(4)).await;
        assert!(long.is_err(), "it does not wait for a worker");
        occupied.abort();
        assert_eq!(read(4).await.expect("a state").0.version(), 4);
    }
}
