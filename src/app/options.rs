//! The commands that are legal now, as answers show them.

use super::rendering::Rendering;
use super::storage::CacheEntry;
use super::tag::{Expected, Representation, Tag};
use super::token::BearerToken;
use super::work::WhenFull;
use super::{App, AppError};
use crate::engine::Viewer;
use crate::vocabulary::CombatantId;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// What an answer holds besides what was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Include {
    /// The encounter.
    pub encounter: bool,
    /// The legal commands.
    pub options: bool,
}

impl App {
    /// The commands that are legal now by what the holder of `token` can see, those of `combatant`
    /// if it is given, and their entity tag. No list if `known` includes the tag.
    pub async fn options(
        &self,
        id: &str,
        token: &BearerToken,
        combatant: Option<&CombatantId>,
        known: Option<&Expected>,
    ) -> Result<(Tag, Option<Arc<RawValue>>), AppError> {
        let current = self.current_entry(id).await?;
        let viewer = token.viewer(current.encounter.meta())?;
        let encounter = viewer.view(&current.encounter);
        // The legal commands follow from the view.
        let tag = Tag::of(
            encounter.version(),
            encounter.view(&viewer)?.get(),
            &viewer,
            Representation::Options,
        );
        if known.is_some_and(|known| known.includes(&tag)) {
            return Ok((tag, None));
        }
        let listed = self.legal_commands(&current, &viewer, combatant, WhenFull::Refuse);
        Ok((tag, Some(listed.await?)))
    }

    /// The commands that are legal after a commit, as JSON; None if they cannot be listed in
    /// `time`. They wait for their turn, and a failure is no error: the commit is done.
    pub async fn options_after_commit(
        &self,
        id: &str,
        token: &BearerToken,
        time: Duration,
    ) -> Option<Arc<RawValue>> {
        let listed = async {
            let current = self.current_entry(id).await?;
            let viewer = token.viewer(current.encounter.meta())?;
            self.legal_commands(&current, &viewer, None, WhenFull::Wait)
                .await
        };
        match timeout(time, listed).await {
            Ok(Ok(options)) => Some(options),
            Ok(Err(error)) => {
                tracing::warn!(?error, "an answer leaves the options out");
                None
            }
            Err(_) => None,
        }
    }

    /// The commands that are legal for the viewer, those of `combatant` if it is given, as JSON.
    pub(super) async fn legal_commands(
        &self,
        current: &CacheEntry,
        viewer: &Viewer,
        combatant: Option<&CombatantId>,
        when_full: WhenFull,
    ) -> Result<Arc<RawValue>, AppError> {
        let undo = self.may_undo(&current.encounter, viewer).await?;
        let part = Rendering::Options {
            combatant: combatant.cloned(),
            undo,
        };
        self.rendered(current, viewer, part, when_full).await
    }
}
