//! Pages of the log as each viewer sees it.

use super::{App, AppError, BearerToken};
use crate::engine::{LogEntry, RedactedEntry, Viewer};
use crate::store::Entry;
use crate::vocabulary::{EncounterSchema, EventSchema, LegalCommands, Text};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// Maximum size of a page in bytes, about. A load balancer passes on a million, in which escaped
/// bytes count twice.
pub(super) const MAX_PAGE: usize = 512 * 1024;
/// Minimum entries read for a page with redactions. It does not depend on what is hidden, so the
/// response time reveals nothing.
const MIN_READ: usize = 100;

/// A page of the log for one viewer.
pub struct Page {
    /// The entries, oldest first.
    pub entries: Vec<Arc<RawValue>>,
    /// The version up to which the log was read, if more follow.
    pub next: Option<u64>,
}

/// A part of the log for all viewers.
pub(super) struct LogViews {
    pub entries: Vec<LogEntryViews>,
    /// Whether more entries follow.
    pub more: bool,
    /// The version of the log's base.
    pub base_version: u64,
}

/// A log entry in every form in which viewers see it.
#[derive(Debug)]
pub(super) struct LogEntryViews {
    /// The version that it made.
    pub version: u64,
    /// The id of the token that sent it.
    pub by: String,
    full: Arc<RawValue>,
    /// For viewers without combatants; None if they see nothing of it.
    public: Option<Arc<RawValue>>,
    /// For tokens whose holders see something else, by the token's id.
    owners: BTreeMap<String, Option<Arc<RawValue>>>,
}

/// An entry of the log: what one accepted request changed.
#[serde_with::skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[schema(as = LogEntry)]
pub struct EntryView<'a> {
    /// The version that the request made.
    version: u64,
    /// When it was accepted.
    #[schema(format = DateTime)]
    at: &'a str,
    /// The id of the token that sent it. Left out where the viewer may not know who acts.
    #[schema(required = false, value_type = String)]
    by: Option<&'a str>,
    /// The name that this token had then. Left out if it had none, and where the viewer may not
    /// know who acts.
    #[schema(required = false, value_type = Text<80>)]
    by_name: Option<&'a Text<80>>,
    /// The types of the commands that were sent. Empty where the viewer may not know who acts.
    commands: &'a [String],
    /// What happened, in order.
    #[schema(value_type = Vec<EventSchema>)]
    events: &'a RawValue,
    /// The encounter after it. Only in streams with `include`, unless another entry follows at
    /// once.
    #[schema(required = false, value_type = EncounterSchema)]
    encounter: Option<&'a RawValue>,
    /// What the viewer may send after it. Only in streams with `include`, unless another entry
    /// follows at once.
    #[schema(required = false, value_type = LegalCommands)]
    options: Option<&'a RawValue>,
}

/// Reads a stored log entry.
pub(super) fn parse_entry(stored: &Entry) -> Result<LogEntry, AppError> {
    serde_json::from_slice(&stored.bytes).map_err(|error| {
        AppError::Internal(format!(
            "log entry {} is unreadable: {error}",
            stored.version
        ))
    })
}

impl LogEntryViews {
    /// Every view of a stored entry.
    pub fn of(stored: &Entry) -> Result<Self, AppError> {
        let entry = parse_entry(stored)?;
        let full = view(&entry, None)?;
        let redacted = |token: &str| match entry
            .redactions
            .as_ref()
            .and_then(|redactions| redactions.to(token))
        {
            None => Ok(Some(full.clone())),
            Some(redacted) if redacted.is_empty() => Ok(None),
            Some(redacted) => view(&entry, Some(redacted)).map(Some),
        };
        let public = redacted("")?;
        let tokens = entry
            .redactions
            .iter()
            .flat_map(|redactions| redactions.tokens());
        let owners = tokens.map(|token| Ok((token.to_owned(), redacted(token)?)));
        let owners = owners.collect::<Result<_, AppError>>()?;
        Ok(Self {
            version: entry.version,
            by: entry.by.clone(),
            full,
            public,
            owners,
        })
    }

    /// What this viewer sees; None if it sees nothing of the entry.
    pub fn to(&self, viewer: &Viewer) -> Option<Arc<RawValue>> {
        if viewer.is_gm() {
            return Some(self.full.clone());
        }
        self.owners
            .get(&viewer.token)
            .unwrap_or(&self.public)
            .clone()
    }
}

fn view(entry: &LogEntry, redacted: Option<&RedactedEntry>) -> Result<Arc<RawValue>, AppError> {
    let LogEntry {
        version,
        at,
        by,
        by_name,
        ..
    } = entry;
    let signed = redacted.is_none_or(|redacted| !redacted.unsigned);
    let (by, by_name) = (
        signed.then_some(by.as_str()),
        by_name.as_ref().filter(|_| signed),
    );
    let (commands, events) = redacted.map_or((&entry.commands, &entry.events), |redacted| {
        (&redacted.commands, &redacted.events)
    });
    let entry = EntryView {
        version: *version,
        at,
        by,
        by_name,
        commands,
        events,
        encounter: None,
        options: None,
    };
    Ok(to_raw_value(&entry)?.into())
}

impl App {
    /// At most `limit` entries above version `after`, oldest first, and about half a MiB.
    pub(super) async fn log_views(
        &self,
        id: &str,
        after: u64,
        limit: usize,
    ) -> Result<LogViews, AppError> {
        let page = self.store.log(id, after, limit, MAX_PAGE).await?;
        let entries = page
            .entries
            .iter()
            .map(LogEntryViews::of)
            .collect::<Result<Vec<_>, _>>()?;
        let more = entries
            .last()
            .is_some_and(|entry| entry.version < page.version);
        Ok(LogViews {
            entries,
            more,
            base_version: page.base_version,
        })
    }

    /// Whether the viewer sees an entry above version `after`, or may see one.
    pub(super) async fn sees_more(
        &self,
        id: &str,
        viewer: &Viewer,
        after: u64,
    ) -> Result<bool, AppError> {
        let log = self.log_views(id, after, MIN_READ).await?;
        Ok(log.more || log.entries.iter().any(|entry| entry.to(viewer).is_some()))
    }

    /// At most `limit` log entries above version `after`, or from the oldest on, as the holder of
    /// `token` sees them, and about half a MiB of them. A page leaves out entries of which the
    /// viewer sees nothing, so it may be short although more follow.
    pub async fn log(
        &self,
        id: &str,
        token: &BearerToken,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Page, AppError> {
        let (encounter, viewer) = self.authenticate(id, token).await?;
        let current = encounter.version();
        if after.is_some_and(|after| after > current) {
            return Err(AppError::FutureVersion { current });
        }
        let read = if viewer.is_gm() {
            limit
        } else {
            limit.max(MIN_READ)
        };
        let mut cursor = after.unwrap_or(0);
        let log = self.log_views(id, cursor, read).await?;
        if after.is_some_and(|after| after < log.base_version) {
            return Err(AppError::Pruned {
                oldest: log.base_version,
            });
        }
        let (mut entries, mut more) = (Vec::new(), log.more);
        for entry in &log.entries {
            if entries.len() == limit {
                more = true;
                break;
            }
            cursor = entry.version;
            entries.extend(entry.to(&viewer));
        }
        Ok(Page {
            entries,
            next: more.then_some(cursor),
        })
    }
}
