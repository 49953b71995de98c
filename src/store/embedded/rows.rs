//! Rows as they are read: each is compared with its checksum.

use super::clock::Millis;
use super::schema::{Sum, shown};
use super::step::Step;
use crate::store::{Base, Entry, KeyDigest, StoreError};
use bytes::Bytes;
use rusqlite::{Connection, Row, params};

/// The row of an encounter.
pub(super) struct EncounterRow {
    pub revision: u64,
    pub version: u64,
    /// None: never.
    pub expires: Option<Millis>,
    pub log_bytes: u64,
    /// The application that lists it, and where.
    pub listed: Option<(String, String)>,
    /// None if it was not asked for.
    pub document: Option<Bytes>,
}

/// A number of the program as the database keeps it.
pub(super) fn stored(number: u64) -> i64 {
    number.cast_signed()
}

/// A number that the database keeps.
fn number(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.cast_unsigned())
}

impl EncounterRow {
    pub(super) fn sum(&self, id: &str, document: &[u8]) -> Sum {
        let (application, position) = match &self.listed {
            Some((application, position)) => (Some(application), Some(position)),
            None => (None, None),
        };
        Sum::default()
            .text(id)
            .number(stored(self.revision))
            .number(stored(self.version))
            .optional(
                self.expires
                    .map(Millis::to_le_bytes)
                    .as_ref()
                    .map(|b| &b[..]),
            )
            .number(stored(self.log_bytes))
            .optional(application.map(String::as_bytes))
            .optional(position.map(String::as_bytes))
            .bytes(document)
    }

    /// Reads the row of `id`, whether it has expired or not. Copies its document if `wanted` says so of
    /// its revision.
    pub(super) fn read(
        reading: &Connection,
        id: &str,
        wanted: impl FnOnce(u64) -> bool,
    ) -> Step<Option<Self>> {
        let sql =
            "SELECT revision, version, expires, log_bytes, application, position, document, sum
                   FROM encounters WHERE id = ?";
        let mut statement = reading.prepare_cached(sql)?;
        let mut rows = statement.query([id])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let document = row
            .get_ref("document")?
            .as_blob()
            .map_err(rusqlite::Error::from)?;
        let (application, position): (Option<String>, Option<String>) =
            (row.get("application")?, row.get("position")?);
        let mut found = Self {
            revision: number(row, "revision")?,
            version: number(row, "version")?,
            expires: row
                .get::<_, Option<i64>>("expires")?
                .map(i64::cast_unsigned),
            log_bytes: number(row, "log_bytes")?,
            listed: application.zip(position),
            document: None,
        };
        found.sum(id, document).check(row, "encounters", id)?;
        if wanted(found.revision) {
            found.document = Some(Bytes::copy_from_slice(document));
        }
        Ok(Some(found))
    }

    /// Reads the row of an encounter that lives.
    pub(super) fn living(
        reading: &Connection,
        id: &str,
        now: Millis,
        wanted: impl FnOnce(u64) -> bool,
    ) -> Step<Self> {
        let found = Self::read(reading, id, wanted)?.filter(|found| found.lives(now));
        Ok(found.ok_or(StoreError::Missing)?)
    }

    pub(super) fn is_listed(&self, application: &str, position: &str) -> bool {
        let listed = self.listed.as_ref();
        listed.is_some_and(|(of, at)| of == application && at == position)
    }

    pub(super) fn lives(&self, now: Millis) -> bool {
        self.expires.is_none_or(|expires| expires > now)
    }
}

/// The row of a base.
pub(super) struct BaseRow {
    pub base: Base,
    /// The first base, once there is a newer one.
    pub first: Option<Bytes>,
}

impl BaseRow {
    pub(super) fn sum(&self, id: &str) -> Sum {
        Sum::default()
            .text(id)
            .number(stored(self.base.version))
            .bytes(&self.base.document)
            .optional(self.first.as_deref())
    }

    pub(super) fn read(reading: &Connection, id: &str) -> Step<Self> {
        let sql = "SELECT version, document, first, sum FROM bases WHERE id = ?";
        let mut statement = reading.prepare_cached(sql)?;
        let mut rows = statement.query([id])?;
        let Some(row) = rows.next()? else {
            let reason = format!("encounter {} has no base", shown(id));
            return Err(StoreError::Corrupt(reason).into());
        };
        let document: Vec<u8> = row.get("document")?;
        let first: Option<Vec<u8>> = row.get("first")?;
        let found = Self {
            base: Base {
                version: number(row, "version")?,
                document: document.into(),
            },
            first: first.map(Bytes::from),
        };
        found.sum(id).check(row, "bases", id)?;
        Ok(found)
    }
}

pub(super) fn sum_of_entry(id: &str, version: u64, entry: &[u8]) -> Sum {
    Sum::default().text(id).number(stored(version)).bytes(entry)
}

/// Reads log entries above version `after`, oldest first: at most `limit` entries and about
/// `max_bytes`, but at least one entry if there is any.
pub(super) fn entries(
    reading: &Connection,
    id: &str,
    after: u64,
    limit: usize,
    max_bytes: usize,
) -> Step<Vec<Entry>> {
    let sql = "SELECT version, entry, sum FROM log WHERE id = ? AND version > ?
               ORDER BY version LIMIT ?";
    let mut statement = reading.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![id, after, limit])?;
    let (mut entries, mut room) = (Vec::new(), max_bytes);
    while let Some(row) = rows.next()? {
        let version = number(row, "version")?;
        let entry = row
            .get_ref("entry")?
            .as_blob()
            .map_err(rusqlite::Error::from)?;
        sum_of_entry(id, version, entry).check(row, "log", id)?;
        if entry.len() > room && !entries.is_empty() {
            break;
        }
        room = room.saturating_sub(entry.len());
        entries.push(Entry {
            version,
            bytes: Bytes::copy_from_slice(entry),
        });
    }
    Ok(entries)
}

pub(super) fn sum_of_answer(id: &str, digest: &KeyDigest, at: Millis, answer: &[u8]) -> Sum {
    Sum::default()
        .text(id)
        .bytes(digest)
        .number(stored(at))
        .bytes(answer)
}

/// Reads the answer under a key, if it was given after `since`.
pub(super) fn answer(
    reading: &Connection,
    id: &str,
    digest: &KeyDigest,
    since: Option<Millis>,
) -> Step<Option<Bytes>> {
    let sql = "SELECT at, answer, sum FROM answers WHERE id = ? AND digest = ?";
    let mut statement = reading.prepare_cached(sql)?;
    let mut rows = statement.query(params![id, digest])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let at = number(row, "at")?;
    let answer = row
        .get_ref("answer")?
        .as_blob()
        .map_err(rusqlite::Error::from)?;
    sum_of_answer(id, digest, at, answer).check(row, "answers", id)?;
    let counts = since.is_none_or(|since| at > since);
    Ok(counts.then(|| Bytes::copy_from_slice(answer)))
}

pub(super) fn sum_of_value(name: &str, value: &[u8]) -> Sum {
    Sum::default().text(name).bytes(value)
}

/// Reads a value of so many bytes that the store keeps about itself.
pub(super) fn value<const BYTES: usize>(reading: &Connection, name: &str) -> Step<[u8; BYTES]> {
    let sql = "SELECT value, sum FROM meta WHERE name = ?";
    let mut statement = reading.prepare_cached(sql)?;
    let mut rows = statement.query([name])?;
    if let Some(row) = rows.next()? {
        let value: Vec<u8> = row.get("value")?;
        sum_of_value(name, &value).check(row, "meta", name)?;
        if let Ok(value) = value.try_into() {
            return Ok(value);
        }
    }
    Err(StoreError::Corrupt(format!("the store's {name} is not {BYTES} bytes")).into())
}

/// Compares every answer of an encounter with its checksum.
pub(super) fn check_answers(reading: &Connection, id: &str) -> Step<()> {
    let mut statement = reading.prepare_cached("SELECT digest FROM answers WHERE id = ?")?;
    let digests = statement.query_map([id], |row| row.get(0))?;
    for digest in digests {
        answer(reading, id, &digest?, None)?;
    }
    Ok(())
}
