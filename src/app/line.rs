//! Log entries as clients see them: each viewer its own account of them, under its own numbers.

use super::history::entry;
use super::{App, AppError, Held, Page};
use crate::engine::{Account, Eyes, LogEntry};
use crate::store::Entry;
use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// So many bytes of log entries in one page, about.
pub(super) const MAX_PAGE: usize = 1024 * 1024;
/// So often a place in the log is looked for again because the log's beginning moved meanwhile.
const TRIES: usize = 4;

/// A log entry in all the ways in which it is told.
#[derive(Debug)]
pub(super) struct Line {
    /// The version that it made.
    pub version: u64,
    /// The token that sent it, by its id.
    pub by: String,
    whole: Bytes,
    /// For those who may not know all.
    public: Told,
    /// For the holders of tokens who are told something else, by the token's id.
    owners: BTreeMap<String, Told>,
}

/// The number that an entry has for a viewer, and the entry; None where the viewer is told nothing.
type Told = (u64, Option<Bytes>);

/// An entry as it is shown.
#[derive(Serialize)]
struct Shown<'a> {
    version: u64,
    at: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a str>,
    commands: &'a [String],
    events: &'a RawValue,
}

impl Line {
    /// The entry as it is stored.
    pub fn of(stored: &Entry) -> Result<Self, AppError> {
        let entry = entry(stored)?;
        let version = entry.version;
        let whole = shown(&entry, version, None)?;
        let Some(told) = &entry.told else {
            let public = (version, Some(whole.clone()));
            return Ok(Self { version, by: entry.by, whole, public, owners: BTreeMap::new() });
        };
        let to = |token: &str| {
            let (number, account) = told.to(&Eyes { token, own: &[] });
            if account.is_some_and(Account::is_empty) {
                return Ok((number, None));
            }
            Ok::<_, AppError>((number, Some(shown(&entry, number, account)?)))
        };
        let public = to("")?;
        let owners = told.tokens().map(|token| Ok((token.to_owned(), to(token)?)));
        let owners = owners.collect::<Result<_, AppError>>()?;
        Ok(Self { version, by: entry.by.clone(), whole, public, owners })
    }

    /// The number that it has for these eyes, or for the game master's, and what they see of it.
    pub fn to(&self, eyes: Option<&Eyes<'_>>) -> Told {
        match eyes {
            None => (self.version, Some(self.whole.clone())),
            Some(eyes) => self.owners.get(eyes.token).unwrap_or(&self.public).clone(),
        }
    }
}

fn shown(entry: &LogEntry, version: u64, account: Option<&Account>) -> Result<Bytes, AppError> {
    let LogEntry { at, by, .. } = entry;
    let by = account.is_none_or(|account| !account.unsigned).then_some(by.as_str());
    let (commands, events) =
        account.map_or((&entry.commands, &entry.events), |account| (&account.commands, &account.events));
    Ok(serde_json::to_vec(&Shown { version, at, by, commands, events })?.into())
}

impl App {
    /// Entries with a version above `after`, oldest first, at most `limit` of them and about a MiB; whether more follow, and the
    /// version of the log's base.
    pub(super) async fn lines(&self, id: &str, after: u64, limit: usize) -> Result<(Vec<Line>, bool, u64), AppError> {
        let page = self.store.log(id, after, limit, MAX_PAGE).await?;
        let lines = page.entries.iter().map(Line::of).collect::<Result<Vec<_>, _>>()?;
        let more = lines.last().is_some_and(|line| line.version < page.version);
        Ok((lines, more, page.base_version))
    }

    /// A page of the log as `eyes` are told it, `after` in their numbers. Where it ends does not tell of what they are not told.
    pub(super) async fn told_page(
        &self, held: &Held, eyes: &Eyes<'_>, after: Option<u64>, limit: usize,
    ) -> Result<Page, AppError> {
        let id = &held.game.meta().id;
        let mut cursor = match after {
            Some(after) => self.version_of(held, eyes, after).await?,
            None => 0,
        };
        let mut entries = Vec::new();
        let (mut size, mut last) = (0, 0);
        loop {
            let (lines, more, base) = self.lines(id, cursor, limit).await?;
            if after.is_some() && cursor < base {
                return Err(self.gone(held, eyes).await?);
            }
            for line in lines {
                cursor = line.version;
                let (number, Some(entry)) = line.to(Some(eyes)) else { continue };
                if entries.len() == limit || size >= MAX_PAGE {
                    return Ok(Page { entries, next: Some(last) });
                }
                size += entry.len();
                last = number;
                entries.push(entry);
            }
            if !more {
                return Ok(Page { entries, next: None });
            }
        }
    }

    /// The newest version that has the number `number` for `eyes`: there they see what they saw under this number.
    pub(super) async fn version_of(&self, held: &Held, eyes: &Eyes<'_>, number: u64) -> Result<u64, AppError> {
        let (version, current) = (held.game.version(), held.game.number(eyes));
        if number > current {
            return Err(AppError::Unborn { current });
        }
        // Told of everything, or of nothing since.
        if version == current || number == current {
            return Ok(if version == current { number } else { version });
        }
        let id = &held.game.meta().id;
        for _ in 0..TRIES {
            let base = self.rulesets.load(&self.store.base(id).await?.document)?;
            if number < base.number(eyes) {
                return Err(AppError::Gone { oldest: base.number(eyes) });
            }
            if let Some(found) = self.search(id, eyes, number, base.version(), version).await? {
                return Ok(found);
            }
        }
        Err(AppError::Contended)
    }

    /// The newest version from `low` on, below `high`, with this number or a lower one; None where the log's beginning moved.
    async fn search(
        &self, id: &str, eyes: &Eyes<'_>, number: u64, mut low: u64, mut high: u64,
    ) -> Result<Option<u64>, AppError> {
        while high.saturating_sub(low) > 1 {
            let middle = low + (high - low) / 2;
            let (lines, _, base) = self.lines(id, middle - 1, 1).await?;
            let Some(line) = lines.first().filter(|line| line.version == middle && base < middle) else {
                return Ok(None);
            };
            if line.to(Some(eyes)).0 <= number {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(Some(low))
    }

    /// That a version is gone, with the oldest one in the numbers of `eyes`.
    pub(super) async fn gone(&self, held: &Held, eyes: &Eyes<'_>) -> Result<AppError, AppError> {
        let base = self.store.base(&held.game.meta().id).await?;
        Ok(AppError::Gone { oldest: self.rulesets.load(&base.document)?.number(eyes) })
    }
}
