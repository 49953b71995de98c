//! Log entries as clients see them: each viewer gets its own account of an entry, all under its one version.

use super::history::entry;
use super::{App, AppError, Page};
use crate::engine::{Eyes, LogEntry, RedactedEntry, Viewer};
use crate::store::Entry;
use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// So many bytes of log entries in one page, about: a load balancer passes on no more than a million, and what is escaped counts twice.
pub(super) const MAX_PAGE: usize = 512 * 1024;
/// How many entries are read at the least for a page of a viewer who may not know all. It does not depend on what is hidden, so the
/// time of an answer does not tell.
const STEP: usize = 100;

/// A log entry in all the ways in which it is told.
#[derive(Debug)]
pub(super) struct LogEntryViews {
    /// The version that it made.
    pub version: u64,
    /// The token that sent it, by its id.
    pub by: String,
    whole: Bytes,
    /// For viewers who may not know all; None where they are told nothing.
    public: Option<Bytes>,
    /// For the holders of tokens who are told something else, by the token's id.
    owners: BTreeMap<String, Option<Bytes>>,
}

/// An entry as it is shown.
#[derive(Serialize)]
struct EntryView<'a> {
    version: u64,
    at: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    commands: &'a [String],
    events: &'a RawValue,
}

impl LogEntryViews {
    /// The entry as it is stored.
    pub fn of(stored: &Entry) -> Result<Self, AppError> {
        let entry = entry(stored)?;
        let version = entry.version;
        let whole = shown(&entry, None)?;
        let Some(told) = &entry.told else {
            let public = Some(whole.clone());
            return Ok(Self { version, by: entry.by, whole, public, owners: BTreeMap::new() });
        };
        let to = |token: &str| match told.to(&Eyes { token, own: &[] }) {
            Some(account) if account.is_empty() => Ok(None),
            account => shown(&entry, account).map(Some),
        };
        let public = to("")?;
        let owners = told.tokens().map(|token| Ok((token.to_owned(), to(token)?)));
        let owners = owners.collect::<Result<_, AppError>>()?;
        Ok(Self { version, by: entry.by.clone(), whole, public, owners })
    }

    /// What these eyes see of it, or the game master's; None where they are told nothing.
    pub fn to(&self, eyes: Option<&Eyes<'_>>) -> Option<Bytes> {
        match eyes {
            None => Some(self.whole.clone()),
            Some(eyes) => self.owners.get(eyes.token).unwrap_or(&self.public).clone(),
        }
    }
}

fn shown(entry: &LogEntry, account: Option<&RedactedEntry>) -> Result<Bytes, AppError> {
    let LogEntry { version, at, by, .. } = entry;
    let by = account.is_none_or(|account| !account.unsigned).then_some(by.as_str());
    let (commands, events) =
        account.map_or((&entry.commands, &entry.events), |account| (&account.commands, &account.events));
    Ok(serde_json::to_vec(&EntryView { version: *version, at, by, commands, events })?.into())
}

impl App {
    /// Entries with a version above `after`, oldest first, at most `limit` of them and about half a MiB; whether more follow, and the
    /// version of the log's base.
    pub(super) async fn lines(
        &self, id: &str, after: u64, limit: usize,
    ) -> Result<(Vec<LogEntryViews>, bool, u64), AppError> {
        let page = self.store.log(id, after, limit, MAX_PAGE).await?;
        let lines = page.entries.iter().map(LogEntryViews::of).collect::<Result<Vec<_>, _>>()?;
        let more = lines.last().is_some_and(|line| line.version < page.version);
        Ok((lines, more, page.base_version))
    }

    /// A page of the log after version `after` as `viewer` is told it: at most `limit` entries, of one read. It may hold fewer though more
    /// follow.
    pub(super) async fn page(
        &self, id: &str, viewer: &Viewer, after: u64, limit: usize,
    ) -> Result<(Page, u64), AppError> {
        let eyes = viewer.eyes();
        let read = if eyes.is_some() { limit.max(STEP) } else { limit };
        let (lines, more, base) = self.lines(id, after, read).await?;
        let (mut entries, mut cursor, mut rest) = (Vec::new(), after, false);
        for line in &lines {
            if entries.len() == limit {
                rest = true;
                break;
            }
            cursor = line.version;
            entries.extend(line.to(eyes.as_ref()));
        }
        Ok((Page { entries, next: (more || rest).then_some(cursor) }, base))
    }
}
