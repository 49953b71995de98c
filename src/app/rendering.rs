//! What viewers see of an encounter, rendered once for all who see the same.

use super::storage::CacheEntry;
use super::work::WhenFull;
use super::{App, AppError};
use crate::engine::{Role, Stop, Viewer};
use crate::vocabulary::{CombatantId, LegalCommand, LegalCommands, OwnCombatant};
use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Up to this weight the thread that serves the request lists an encounter's legal commands.
const SMALL_FIGHT: usize = 40;
/// About how many bytes of renderings the process keeps.
const KEPT: u64 = 8 * 1024 * 1024;
/// The usual size of a rendering, to allocate once.
const TYPICAL: u64 = 16 * 1024;

/// What is rendered of an encounter, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Rendering {
    /// The encounter without `you`, which differs for each token.
    Encounter,
    /// The legal commands.
    Options {
        /// Only those of this combatant.
        combatant: Option<CombatantId>,
        /// Whether the viewer may undo its own last command.
        undo: bool,
    },
}

/// A part for an audience: viewers with the same role and the same combatants see the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RenderingKey {
    revision: u64,
    role: Role,
    combatants: Vec<OwnCombatant>,
    part: Rendering,
}

pub(super) type Renderings = Cache<RenderingKey, Bytes, ByLength>;

#[derive(Clone)]
pub(super) struct ByLength;

impl Weighter<RenderingKey, Bytes> for ByLength {
    fn weight(&self, _: &RenderingKey, json: &Bytes) -> u64 {
        (json.len() as u64).saturating_add(256)
    }
}

pub(super) fn renderings() -> Renderings {
    Cache::with_weighter((KEPT / TYPICAL) as usize, KEPT, ByLength)
}

impl App {
    /// A part of an encounter as the viewer sees it. Viewers of one audience that ask at the same
    /// time share the work.
    pub(super) async fn rendered(
        &self,
        current: &CacheEntry,
        viewer: &Viewer,
        part: Rendering,
        when_full: WhenFull,
    ) -> Result<Bytes, AppError> {
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
        part: Rendering,
        when_full: WhenFull,
    ) -> Result<Bytes, AppError> {
        let (combatant, undo) = match part {
            Rendering::Encounter => {
                return Ok(viewer.view(&current.encounter).view_for_all()?.into());
            }
            Rendering::Options { combatant, undo } => (combatant, undo),
        };
        let (id, version) = (&current.encounter.meta().id, current.encounter.version());
        // The oldest version of the log; at version 0 there is no log.
        let oldest = if viewer.is_gm() && version > 0 {
            self.log_views(id, version, 1).await?.base_version
        } else {
            0
        };
        let (encounter, viewer) = (viewer.view(&current.encounter), viewer.clone());
        // Every option is tried out, so the work grows faster than the encounter.
        let small = encounter.weight() <= SMALL_FIGHT;
        let work = move |stop: Stop<'_>| {
            let mut items = encounter.options(&viewer, oldest, stop);
            let label = "Undo your last command".to_owned();
            items.extend(undo.then(|| LegalCommand {
                label,
                ..LegalCommand::of("undo", "TK-9")
            }));
            items.retain(|option| combatant.is_none() || option.combatant == combatant);
            serde_json::to_vec(&LegalCommands::of(version, items))
        };
        Ok(self
            .workers
            .run_unless(small, id, when_full, work)
            .await??
            .into())
    }
}
