//! What viewers see of an encounter, rendered once for all who see the same.

use super::answer::Table;
use super::storage::CacheEntry;
use super::work::WhenFull;
use super::{App, AppError};
use crate::engine::{Role, Viewer};
use crate::vocabulary::{CombatantId, Group, LegalCommand, LegalCommands, OwnCombatant};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;

/// Up to this weight the thread that serves the request lists an encounter's legal commands.
const SMALL_FIGHT: usize = 40;
/// About how many bytes of renderings the process keeps.
const KEPT: u64 = 8 * 1024 * 1024;
/// The usual size of a rendering, to allocate once.
const TYPICAL: u64 = 16 * 1024;

/// What is rendered of an encounter, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Rendering {
    /// The encounter, which says in `you` whose view it is.
    Encounter {
        /// The viewer's token.
        token: String,
    },
    /// The turn table, as a JSON string.
    Table(Table),
    /// The legal commands.
    Options {
        /// Only those of this combatant.
        combatant: Option<CombatantId>,
        /// Whether the tools of the table are listed beside other commands.
        tools: bool,
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

pub(super) type Renderings = Cache<RenderingKey, Arc<RawValue>, ByLength>;

#[derive(Clone)]
pub(super) struct ByLength;

impl Weighter<RenderingKey, Arc<RawValue>> for ByLength {
    fn weight(&self, _: &RenderingKey, json: &Arc<RawValue>) -> u64 {
        (json.get().len() as u64).saturating_add(256)
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
        part: Rendering,
        when_full: WhenFull,
    ) -> Result<Arc<RawValue>, AppError> {
        let (combatant, tools, undo) = match part {
            Rendering::Encounter { .. } => {
                return Ok(viewer.view(&current.encounter).view(viewer)?.into());
            }
            Rendering::Table(table) => {
                return Ok(table.json(&*viewer.view(&current.encounter))?.into());
            }
            Rendering::Options {
                combatant,
                tools,
                undo,
            } => (combatant, tools, undo),
        };
        let id = &current.encounter.meta().id;
        let version = current.encounter.version();
        // The oldest version of the log; at version 0 there is no log.
        let oldest = if viewer.is_gm() && version > 0 {
            self.log_part(id, version, 1).await?.base_version
        } else {
            0
        };
        let encounter = viewer.view(&current.encounter);
        let viewer = viewer.clone();
        // Every option is tried out, so the work grows faster than the encounter.
        let small = encounter.weight() <= SMALL_FIGHT;
        let listed = self.workers.run_unless(small, id, when_full, move |stop| {
            let mut items = encounter.options(&viewer, oldest, stop);
            if undo {
                items.push(LegalCommand {
                    label: "Undo your last command".to_owned(),
                    ..LegalCommand::of("undo", "TK-9")
                });
            }
            items.retain(|option| combatant.is_none() || option.actor == combatant);
            if !tools && items.iter().any(|option| option.group != Group::Tools) {
                items.retain(|option| option.group != Group::Tools);
            }
            to_raw_value(&LegalCommands::of(version, items))
        });
        Ok(listed.await??.into())
    }
}
