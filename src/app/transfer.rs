//! Export of logs, in a format of their own.

use super::log::MAX_PAGE;
use super::{App, AppError, BearerToken, now, token::only_gm};
use crate::engine::{LogEntry, SCHEMA};
use crate::store::Base;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use utoipa::ToSchema;

/// The format of exported logs.
pub(super) const FORMAT: &str = "turnkeeper-log";
/// Maximum entries that are exported at a time.
const PAGE: usize = 500;

/// The whole log of an encounter. It gives the same state wherever it is imported.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportedLog {
    /// The name of this format.
    #[schema(pattern = "^turnkeeper-log$")]
    pub(super) format: String,
    /// The number of the shape of what it holds.
    #[schema(minimum = 1, maximum = 1)]
    pub(super) schema: u32,
    /// The id of the ruleset.
    pub(super) ruleset: String,
    /// When it was exported.
    #[serde(default)]
    #[schema(required = false, format = DateTime)]
    exported_at: String,
    /// The version that the log ends at.
    pub(super) version: u64,
    /// The state that the log begins with.
    #[schema(inline)]
    pub(super) base: BaseState,
    /// Every entry after the base.
    #[schema(value_type = Vec<LogEntry>)]
    pub(super) entries: Box<RawValue>,
}

/// The state that a log begins with.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BaseState {
    /// The version of this state.
    pub(super) version: u64,
    /// The state as it is stored.
    #[schema(value_type = Object)]
    pub(super) document: Box<RawValue>,
}

/// An export in progress.
pub struct Export {
    app: Arc<App>,
    id: String,
    /// The JSON up to the first entry.
    pub opening: Bytes,
    after: u64,
    version: u64,
}

impl App {
    /// The log of an encounter, for the holder of `token`.
    pub async fn export(
        self: &Arc<Self>,
        id: &str,
        token: &BearerToken,
    ) -> Result<Export, AppError> {
        let (encounter, viewer) = self.authenticate(id, token).await?;
        only_gm(&viewer, "export the encounter")?;
        let Base {
            version: after,
            document,
        } = self.store.base(id).await?;
        let base = self.rulesets.load(&document)?;
        let version = encounter.version();
        let log = ExportedLog {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            ruleset: base.ruleset().to_owned(),
            exported_at: now().to_string(),
            version,
            base: BaseState {
                version: after,
                document: base.checkpoint()?,
            },
            entries: RawValue::from_string("[]".to_owned())?,
        };
        let mut opening = serde_json::to_string(&log)?;
        // The entries are the last field, and empty: without the end, they can be streamed in. As a
        // list of serde's they would have to be in memory together, and a log may have many MiB.
        opening.truncate(opening.len() - "]}".len());
        let opening = opening.into();
        Ok(Export {
            app: self.clone(),
            id: id.to_owned(),
            opening,
            after,
            version,
        })
    }
}

impl Export {
    /// The next entries, each a JSON object; none after the last. An error if they were compacted
    /// meanwhile.
    pub async fn next(&mut self) -> Result<Vec<Bytes>, AppError> {
        let left = usize::try_from(self.version.saturating_sub(self.after)).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(Vec::new());
        }
        let page = self
            .app
            .store
            .log(&self.id, self.after, left.min(PAGE), MAX_PAGE)
            .await?;
        if self.after < page.base_version {
            return Err(AppError::Pruned {
                oldest: page.base_version,
            });
        }
        self.after = page
            .entries
            .last()
            .map_or(self.version, |entry| entry.version);
        Ok(page.entries.into_iter().map(|entry| entry.bytes).collect())
    }
}
