//! Pages of the log as each viewer sees it.

use super::tag::{EntryDigest, Tag};
use super::token::BearerToken;
use super::{App, AppError};
use crate::engine::{LogEntry, RedactedEntry, Viewer};
use crate::store::Entry;
use crate::vocabulary::{EncounterSchema, EventSchema, LegalCommands, Text};
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::ops::Deref;
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
    pub entries: Vec<SeenEntry>,
    /// The version up to which the log was read, if more follow.
    pub next: Option<u64>,
}

/// A log entry that was read from the store.
pub(super) struct ReadEntry {
    entry: LogEntry,
    /// The digest of its stored form.
    pub digest: EntryDigest,
}

impl Deref for ReadEntry {
    type Target = LogEntry;

    fn deref(&self) -> &LogEntry {
        &self.entry
    }
}

/// A part of the log.
pub(super) struct LogPart {
    pub entries: Vec<Arc<ReadEntry>>,
    /// Whether more entries follow.
    pub more: bool,
    /// The version of the log's base.
    pub base_version: u64,
    /// The version of the log's end.
    pub version: u64,
}

/// A log entry of which a viewer sees something.
pub struct SeenEntry {
    entry: Arc<ReadEntry>,
    /// The viewer's token; None for a game master, who sees all of it.
    token: Option<String>,
}

/// An entry of the log: the change by one accepted request.
#[serde_with::skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[schema(as = LogEntry)]
pub struct EntryView<'a> {
    /// The version that the request made.
    version: u64,
    /// The place of the entry in the log. Only in streams of lines: `Last-Event-ID` takes it. A
    /// server-sent event has it as its id.
    #[schema(required = false, value_type = String)]
    pub event_id: Option<String>,
    /// The time of its acceptance.
    #[schema(format = DateTime)]
    pub at: &'a str,
    /// The id of the token that sent it. Left out if the viewer may not know who acts.
    #[schema(required = false, value_type = String)]
    token: Option<&'a str>,
    /// The name that this token had then. Left out if it had none, or if the viewer may not know
    /// who acts.
    #[schema(required = false, value_type = Text<80>)]
    token_name: Option<&'a Text<80>>,
    /// The types of the commands that were sent. Empty if the viewer may not know who acts.
    commands: &'a [String],
    /// The events, in order.
    #[schema(value_type = Vec<EventSchema>)]
    pub events: &'a RawValue,
    /// The encounter after it. Only in streams with `include`, unless another entry follows at
    /// once.
    #[schema(required = false, value_type = EncounterSchema)]
    pub encounter: Option<&'a RawValue>,
    /// The legal commands after it. Only in streams with `include`, unless another entry follows at
    /// once.
    #[schema(required = false, value_type = LegalCommands)]
    pub options: Option<&'a RawValue>,
    /// The turn table after it. Only in streams with `include`, unless another entry follows at
    /// once.
    #[schema(required = false, value_type = String)]
    pub table: Option<&'a RawValue>,
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

/// Reads a stored log entry without the state that it carries, which no viewer sees.
pub(super) fn parse_for_viewers(stored: &Entry) -> Result<Arc<ReadEntry>, AppError> {
    let mut entry = parse_entry(stored)?;
    entry.checkpoint = None;
    let digest = Sha256::digest(&stored.bytes).into();
    Ok(Arc::new(ReadEntry { entry, digest }))
}

impl SeenEntry {
    /// The entry for this viewer; None if it sees nothing of it.
    pub(super) fn new(entry: Arc<ReadEntry>, viewer: &Viewer) -> Option<Self> {
        let token = (!viewer.is_gm()).then(|| viewer.token_id.clone());
        let seen = Self { entry, token };
        match seen.redacted() {
            Some(redacted) if redacted.is_empty() => None,
            _ => Some(seen),
        }
    }

    /// The version that it made.
    pub fn version(&self) -> u64 {
        self.entry.version
    }

    /// What the viewer reads instead of it; None if that is all of it.
    fn redacted(&self) -> Option<&RedactedEntry> {
        let redactions = self.entry.redactions.as_ref()?;
        redactions.to(self.token.as_ref()?)
    }

    /// The entry as answers show it.
    pub fn view(&self) -> EntryView<'_> {
        let entry = &self.entry.entry;
        let mut view = EntryView {
            version: entry.version,
            event_id: None,
            at: &entry.at,
            token: Some(&entry.token),
            token_name: entry.token_name.as_ref(),
            commands: &entry.commands,
            events: &entry.events,
            encounter: None,
            options: None,
            table: None,
        };
        if let Some(redacted) = self.redacted() {
            view.commands = &redacted.commands;
            view.events = &redacted.events;
            if redacted.unsigned {
                view.token = None;
                view.token_name = None;
            }
        }
        view
    }
}

impl App {
    /// At most `limit` entries above version `after`, oldest first, and about half a MiB.
    pub(super) async fn log_part(
        &self,
        id: &str,
        after: u64,
        limit: usize,
    ) -> Result<LogPart, AppError> {
        let page = self.store.log(id, after, limit, MAX_PAGE).await?;
        let mut entries = Vec::with_capacity(page.entries.len());
        for stored in &page.entries {
            entries.push(parse_for_viewers(stored)?);
        }
        let last = page.entries.last();
        Ok(LogPart {
            entries,
            more: last.is_some_and(|last| last.version < page.version),
            base_version: page.base_version,
            version: page.version,
        })
    }

    /// Whether the viewer sees an entry above version `after`, or may see one.
    pub(super) async fn sees_more(
        &self,
        id: &str,
        viewer: &Viewer,
        after: u64,
    ) -> Result<bool, AppError> {
        let log = self.log_part(id, after, MIN_READ).await?;
        for entry in log.entries {
            if SeenEntry::new(entry, viewer).is_some() {
                return Ok(true);
            }
        }
        Ok(log.more)
    }

    /// Refuses a place if the log holds another entry there.
    async fn check_place(&self, id: &str, place: &Tag) -> Result<(), AppError> {
        let version = place.version();
        let log = self.log_part(id, version.saturating_sub(1), 1).await?;
        let Some(entry) = log.entries.first() else {
            return Ok(());
        };
        let salt = self.salt().await?;
        let held = Tag::of_entry(version, Some(&entry.digest), &salt);
        if entry.version == version && held != *place {
            let oldest = log.base_version;
            return Err(AppError::Rewritten { oldest });
        }
        Ok(())
    }

    /// The salt of the store.
    pub(super) async fn salt(&self) -> Result<[u8; 32], AppError> {
        Ok(*self.salt.get_or_try_init(|| self.store.salt()).await?)
    }

    /// At most `limit` log entries above version `after`, or from the oldest on, as the holder of
    /// `token` sees them, and about half a MiB of them. A page leaves out entries of which the
    /// viewer sees nothing, so it may be short although more follow.
    pub async fn log(
        &self,
        id: &str,
        token: &BearerToken,
        after: Option<&Tag>,
        limit: usize,
    ) -> Result<Page, AppError> {
        let (encounter, viewer) = self.authenticate(id, token).await?;
        if let Some(after) = after
            && after.has_digest()
        {
            self.check_place(id, after).await?;
        }
        let after = after.map(Tag::version);
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
        let log = self.log_part(id, cursor, read).await?;
        if after.is_some_and(|after| after < log.base_version) {
            return Err(AppError::Pruned {
                oldest: log.base_version,
            });
        }
        let mut entries = Vec::new();
        let mut more = log.more;
        for entry in log.entries {
            if entries.len() == limit {
                more = true;
                break;
            }
            cursor = entry.version;
            entries.extend(SeenEntry::new(entry, &viewer));
        }
        Ok(Page {
            entries,
            next: more.then_some(cursor),
        })
    }
}
