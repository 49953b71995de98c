//! The commands that are legal now, as answers show them.

use super::rendering::Part;
use super::storage::CacheEntry;
use super::tag::{Expected, Representation, Tag};
use super::token::{BearerToken, is_active, only_gm};
use super::work::WhenFull;
use super::{App, AppError};
use crate::engine::{Meta, OptionsFilter, Viewer};
use crate::json::FieldError;
use crate::vocabulary::CombatantId;
use serde_json::value::RawValue;
use std::borrow::Cow;
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
    /// The tools of the table among the legal commands.
    pub tools: bool,
    /// The turn table.
    pub table: bool,
}

impl Include {
    /// Whether the legal commands are included, with or without the tools of the table.
    pub fn lists_options(self) -> bool {
        self.options || self.tools
    }
}

/// The options to list.
#[derive(Debug, Clone, Copy, Default)]
pub struct OptionsCall<'a> {
    /// The id of the token whose options they are, if it is not the sender's.
    pub token: Option<&'a str>,
    /// Only those of this combatant.
    pub combatant: Option<&'a CombatantId>,
    /// Whether to list the tools of the table where there is something else.
    pub tools: bool,
}

/// The viewer whose options `viewer` asks for: itself, or for a game master the holder of the token
/// with this id.
pub(super) fn viewer_of<'v>(
    meta: &Meta,
    viewer: &'v Viewer,
    token: Option<&str>,
) -> Result<Cow<'v, Viewer>, AppError> {
    let Some(token) = token else {
        return Ok(Cow::Borrowed(viewer));
    };
    only_gm(viewer, "read the options of other tokens")?;
    for record in &meta.tokens {
        if record.id == token && is_active(record) {
            return Ok(Cow::Owned(record.viewer()));
        }
    }
    let message = "Unknown token. GET the list of tokens for their ids.";
    Err(FieldError::meaningless("for", message).into())
}

impl App {
    /// The commands that are legal now, and their entity tag. No list if `known` includes the tag.
    pub async fn options(
        &self,
        id: &str,
        token: &BearerToken,
        call: OptionsCall<'_>,
        known: Option<&Expected>,
    ) -> Result<(Tag, Option<Arc<RawValue>>), AppError> {
        let current = self.current_entry(id).await?;
        let viewer = token.viewer(current.encounter.meta())?;
        let whose = viewer_of(current.encounter.meta(), &viewer, call.token)?;
        let encounter = viewer.redact(&current.encounter);
        // The legal commands follow from the view; those of another token from the game master's.
        let tag = Tag::of(
            encounter.version(),
            encounter.view(&viewer)?.get(),
            &viewer,
            Representation::Options,
        );
        if known.is_some_and(|known| known.includes(&tag)) {
            return Ok((tag, None));
        }
        let listed = self.legal_commands(&current, &whose, call, WhenFull::Refuse);
        Ok((tag, Some(listed.await?)))
    }

    /// The commands that are legal after a commit, as JSON; None if they cannot be listed in
    /// `time`. They wait for their turn, and a failure is no error: the commit is done.
    pub async fn options_after_commit(
        &self,
        id: &str,
        token: &BearerToken,
        call: OptionsCall<'_>,
        time: Duration,
    ) -> Option<Arc<RawValue>> {
        let listed = async {
            let current = self.current_entry(id).await?;
            let meta = current.encounter.meta();
            let viewer = token.viewer(meta)?;
            let whose = viewer_of(meta, &viewer, call.token)?;
            self.legal_commands(&current, &whose, call, WhenFull::Wait)
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

    /// The commands that are legal for the viewer, as JSON.
    pub(super) async fn legal_commands(
        &self,
        current: &CacheEntry,
        viewer: &Viewer,
        call: OptionsCall<'_>,
        when_full: WhenFull,
    ) -> Result<Arc<RawValue>, AppError> {
        let part = Part::Options(OptionsFilter {
            combatant: call.combatant.cloned(),
            tools: call.tools,
            undo_own: self.may_undo(&current.encounter, viewer).await?,
        });
        self.rendered(current, viewer, part, when_full).await
    }
}
