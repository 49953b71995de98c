//! The numbers of a fight, counted from its log.

use super::budget::Client;
use super::log::{SeenEntry, parse_for_viewers};
use super::token::BearerToken;
use super::work::WhenFull;
use super::{App, AppError};
use crate::engine::{CombatantStatistics, CountedLog, Refusal, Stop, Viewer};
use crate::store::{StoredPage, bytes_of};
use serde::Serialize;
use utoipa::ToSchema;

/// Maximum entries of one read of the log, and about its bytes.
const ENTRIES: usize = 1000;
const BYTES: usize = 1024 * 1024;
/// Up to so many bytes of entries the thread that serves the request counts them.
const SMALL_COUNT: u64 = 256 * 1024;

/// The numbers of a fight.
#[derive(Serialize, ToSchema)]
pub struct Statistics {
    /// The version from which on entries are counted: 0, or the oldest that the log still holds.
    pub from_version: u64,
    /// The version up to which they are counted.
    pub version: u64,
    /// Each combatant, in the order of joining; then those that have left.
    pub combatants: Vec<CombatantStatistics>,
}

/// What was counted of a log.
struct Count {
    log: CountedLog,
    viewer: Viewer,
    /// The version of the newest entry.
    after: u64,
}

impl Count {
    /// Counts the entries of a page up to `version`.
    fn over(mut self, page: &StoredPage, version: u64, stop: Stop<'_>) -> Result<Self, AppError> {
        for stored in &page.entries {
            if stop() {
                return Err(Refusal::Stopped.into());
            }
            self.after = stored.version;
            if stored.version > version {
                break;
            }
            let Some(seen) = SeenEntry::new(parse_for_viewers(stored)?, &self.viewer) else {
                continue;
            };
            let entry = seen.view();
            self.log.add(seen.version(), entry.at, entry.events)?;
        }
        Ok(self)
    }
}

impl App {
    /// The numbers of a fight up to now, as far as the holder of `token` may know them.
    pub async fn statistics(&self, id: &str, token: &BearerToken) -> Result<Statistics, AppError> {
        let current = self.current_entry(id).await?;
        let viewer = token.viewer(current.encounter.meta())?;
        let seen = viewer.redact(&current.encounter);
        let version = current.encounter.version();
        // What is counted of a log is smaller than the log. Long ones wait for each other, and for
        // nothing else.
        let bytes = usize::try_from(current.log_bytes).unwrap_or(usize::MAX);
        let client = Client::of(token, id);
        let _room = self.counts.reserve_in_turn(&client, bytes).await?;
        let mut from_version = None;
        let mut count = Count {
            log: CountedLog::default(),
            viewer,
            after: 0,
        };
        while count.after < version {
            let page = self.store.log(id, count.after, ENTRIES, BYTES).await?;
            let base = page.base_version;
            if *from_version.get_or_insert(base) < base {
                return Err(AppError::Pruned { oldest: base });
            }
            if page.entries.is_empty() {
                break;
            }
            let small = bytes_of(&page.entries) <= SMALL_COUNT;
            let counted = self
                .workers
                .run_unless(small, id, WhenFull::Refuse, move |stop| {
                    count.over(&page, version, stop)
                });
            count = counted.await??;
        }
        Ok(Statistics {
            from_version: from_version.unwrap_or_default(),
            version,
            combatants: seen.statistics(&count.log),
        })
    }
}
