//! Parts of an encounter as JSON, rendered once for all viewers who see the same.

use super::answer::Table;
use super::storage::CacheEntry;
use super::work::WhenFull;
use super::{App, AppError};
use crate::engine::{OptionsFilter, Role, Viewer};
use crate::vocabulary::{LegalCommands, OwnCombatant};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;

/// The maximum weight ([`AnyEncounter::weight`](crate::engine::AnyEncounter::weight)) of an
/// encounter whose legal commands the thread that serves the request lists itself.
const MAX_SMALL_WEIGHT: usize = 40;
/// About how many bytes of renderings the process keeps.
const MAX_KEPT_BYTES: u64 = 8 * 1024 * 1024;
/// The usual size of a rendering, to allocate once.
const TYPICAL_BYTES: u64 = 16 * 1024;
/// About how many bytes a rendering takes besides its JSON.
const KEY_BYTES: u64 = 256;

/// A part of an encounter to render.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// The encounter, which says in `you` whose view it is.
    Encounter {
        /// The id of the viewer's token.
        token_id: String,
    },
    /// The turn table, as a JSON string.
    Table(Table),
    /// The legal commands.
    Options(OptionsFilter),
}

/// A part for an audience: viewers with the same role and the same combatants see the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RenderingKey {
    revision: u64,
    role: Role,
    combatants: Vec<OwnCombatant>,
    part: Part,
}

pub(super) type Renderings = Cache<RenderingKey, Arc<RawValue>, ByLength>;

/// Limits the renderings by their bytes, not their number.
#[derive(Clone)]
pub(super) struct ByLength;

impl Weighter<RenderingKey, Arc<RawValue>> for ByLength {
    fn weight(&self, _: &RenderingKey, json: &Arc<RawValue>) -> u64 {
        (json.get().len() as u64).saturating_add(KEY_BYTES)
    }
}

pub(super) fn renderings() -> Renderings {
    let typical_number = (MAX_KEPT_BYTES / TYPICAL_BYTES) as usize;
    Cache::with_weighter(typical_number, MAX_KEPT_BYTES, ByLength)
}

impl App {
    /// A part of an encounter as the viewer sees it. Viewers of one audience that ask at the same
    /// time share the work.
    pub(super) async fn rendered(
        &self,
        current: &CacheEntry,
        viewer: &Viewer,
        part: Part,
        when_full: WhenFull,
    ) -> Result<Arc<RawValue>, AppError> {
        let mut combatants = viewer.combatants.clone();
        combatants.sort_unstable();
        let key = RenderingKey {
            revision: current.revision,
            role: viewer.role,
            combatants,
            part: part.clone(),
        };
        self.renderings
            .get_or_insert_async(&key, self.render(current, viewer, part, when_full))
            .await
    }

    async fn render(
        &self,
        current: &CacheEntry,
        viewer: &Viewer,
        part: Part,
        when_full: WhenFull,
    ) -> Result<Arc<RawValue>, AppError> {
        match part {
            Part::Encounter { .. } => {
                let seen = viewer.redact(&current.encounter);
                Ok(seen.view(viewer)?.into())
            }
            Part::Table(table) => {
                let seen = viewer.redact(&current.encounter);
                Ok(table.json(&*seen)?.into())
            }
            Part::Options(filter) => {
                let oldest = self.oldest_version(current, viewer).await?;
                let encounter = viewer.redact(&current.encounter);
                let id = &current.encounter.meta().id;
                let version = current.encounter.version();
                let viewer = viewer.clone();
                // Every option is tried out, so the work grows faster than the encounter.
                let small = encounter.weight() <= MAX_SMALL_WEIGHT;
                let listing = self.workers.run_unless(small, id, when_full, move |stop| {
                    let items = encounter.options(&viewer, &filter, oldest, stop);
                    to_raw_value(&LegalCommands::of(version, items))
                });
                Ok(listing.await??.into())
            }
        }
    }

    /// The oldest version to which the viewer can go back; 0 for one who can't, or without a log.
    async fn oldest_version(&self, current: &CacheEntry, viewer: &Viewer) -> Result<u64, AppError> {
        let version = current.encounter.version();
        if !viewer.is_gm() || version == 0 {
            return Ok(0);
        }
        let newest = self
            .log_part(&current.encounter.meta().id, version, 1)
            .await?;
        Ok(newest.base_version)
    }
}
