//! The commands that are legal now, as answers show them.

use super::{App, AppError, BearerToken, Expected, Representation, Tag};
use crate::engine::{Game, Stop, Viewer};
use crate::vocabulary::{CombatantId, LegalCommand, LegalCommands};
use std::sync::Arc;

/// Up to this weight the thread that serves the request lists an encounter's legal commands.
const SMALL_FIGHT: usize = 40;

/// What an answer holds besides what was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Include {
    /// The encounter.
    pub encounter: bool,
    /// The legal commands.
    pub options: bool,
}

impl App {
    /// The commands that are legal now by what the holder of `token` can see, those of `combatant` if it is given, and their entity tag.
    /// No list if `known` includes the tag.
    pub async fn options(
        &self, id: &str, token: &BearerToken, combatant: Option<&CombatantId>, known: Option<&Expected>,
    ) -> Result<(Tag, Option<LegalCommands>), AppError> {
        let (current, viewer) = self.authenticate(id, token).await?;
        let game = viewer.view(&current);
        // The legal commands follow from the view.
        let tag = Tag::of(game.version(), game.view(&viewer)?.get(), &viewer, Representation::Options);
        if known.is_some_and(|known| known.includes(&tag)) {
            return Ok((tag, None));
        }
        Ok((tag, Some(self.legal_commands(&current, &viewer, combatant).await?)))
    }

    /// The commands that are legal now by what the holder of `token` can see.
    pub async fn legal(&self, id: &str, token: &BearerToken) -> Result<LegalCommands, AppError> {
        let (current, viewer) = self.authenticate(id, token).await?;
        self.legal_commands(&current, &viewer, None).await
    }

    /// The commands that are legal for the viewer, those of `combatant` if it is given.
    pub(super) async fn legal_commands(
        &self, current: &Arc<dyn Game>, viewer: &Viewer, combatant: Option<&CombatantId>,
    ) -> Result<LegalCommands, AppError> {
        let (game, viewer, version) = (viewer.view(current), viewer.clone(), current.version());
        let undo = self.may_undo(current, &viewer).await?;
        // The oldest version of the log; at version 0 there is no log.
        let id = &current.meta().id;
        let oldest = if viewer.is_gm() && version > 0 { self.log_views(id, version, 1).await?.base_version } else { 0 };
        // Every option is tried out, so the work grows faster than the encounter.
        let small = game.weight() <= SMALL_FIGHT;
        let work = move |stop: Stop<'_>| game.options(&viewer, oldest, stop);
        let mut items = self.workers.run_unless(small, work).await?;
        let label = "Undo your last command".to_owned();
        items.extend(undo.then(|| LegalCommand { label, ..LegalCommand::of("undo", "TK-9") }));
        items.retain(|option| combatant.is_none() || option.combatant.as_ref() == combatant);
        Ok(LegalCommands::of(version, items))
    }
}
