//! The tables of the file, and the checksums of their rows.

use super::step::Step;
use crate::store::{LAYOUT, StoreError};
use crc32fast::Hasher;
use rusqlite::{Connection, Row};

/// Marks a database as this program's: "TKPR", where `file` and SQLite's tools look.
pub(super) const APPLICATION: i32 = 0x544b_5052;

/// The tables. Times are milliseconds of the store's own time. A checksum (`sum`) is of its row: a bit
/// that flips on the disk is noticed when the row is read, and never served.
pub(super) const TABLES: &str = "
    CREATE TABLE encounters (
        id TEXT NOT NULL PRIMARY KEY,
        revision INTEGER NOT NULL,
        version INTEGER NOT NULL,
        expires INTEGER,
        log_bytes INTEGER NOT NULL,
        application TEXT,
        position TEXT,
        document BLOB NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX expiring ON encounters (expires) WHERE expires IS NOT NULL;
    CREATE INDEX listed ON encounters (application, position) WHERE application IS NOT NULL;
    CREATE TABLE bases (
        id TEXT NOT NULL PRIMARY KEY,
        version INTEGER NOT NULL,
        document BLOB NOT NULL,
        first BLOB,
        sum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE log (
        id TEXT NOT NULL,
        version INTEGER NOT NULL,
        entry BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (id, version)
    ) STRICT;
    CREATE TABLE answers (
        id TEXT NOT NULL,
        digest BLOB NOT NULL,
        at INTEGER NOT NULL,
        answer BLOB NOT NULL,
        sum INTEGER NOT NULL,
        PRIMARY KEY (id, digest)
    ) STRICT;
    CREATE INDEX answered ON answers (at);
    CREATE TABLE meta (
        name TEXT NOT NULL PRIMARY KEY,
        value BLOB NOT NULL,
        sum INTEGER NOT NULL
    ) STRICT;";

/// Every column that the program reads or writes.
const COLUMNS: [(&str, &str); 5] = [
    (
        "encounters",
        "id, revision, version, expires, log_bytes, application, position, document, sum",
    ),
    ("bases", "id, version, document, first, sum"),
    ("log", "id, version, entry, sum"),
    ("answers", "id, digest, at, answer, sum"),
    ("meta", "name, value, sum"),
];

/// Whose database a file is.
pub(super) enum Owner {
    /// This program's.
    Ours,
    /// That of a turnkeeper with another layout.
    Foreign(u32),
    /// Another program's.
    Unknown,
}

/// Looks whose database it is, and whether it has all tables.
pub(super) fn owner(connection: &Connection) -> rusqlite::Result<Owner> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    if pragma("application_id")? != APPLICATION {
        return Ok(Owner::Unknown);
    }
    let layout = u32::try_from(pragma("user_version")?).unwrap_or(u32::MAX);
    if layout != LAYOUT {
        return Ok(Owner::Foreign(layout));
    }
    for (table, columns) in COLUMNS {
        connection.prepare(&format!("SELECT {columns} FROM {table}"))?;
    }
    Ok(Owner::Ours)
}

/// A checksum of a row. Each part counts with its length, so that no byte can change sides.
#[derive(Default)]
pub(super) struct Sum(Hasher);

impl Sum {
    pub(super) fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub(super) fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    pub(super) fn number(self, number: i64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// A part that may be missing, which is another one than an empty one.
    pub(super) fn optional(self, bytes: Option<&[u8]>) -> Self {
        match bytes {
            Some(bytes) => self.number(1).bytes(bytes),
            None => self.number(0),
        }
    }

    pub(super) fn value(self) -> u32 {
        self.0.finalize()
    }

    /// Compares it with the one in its row, which stands in a table under a key.
    pub(super) fn check(self, row: &Row<'_>, table: &str, key: &str) -> Step<()> {
        if self.value() == row.get::<_, u32>("sum")? {
            return Ok(());
        }
        let reason = format!(
            "the row {}... of the table {table} does not match its checksum",
            shown(key)
        );
        Err(StoreError::Corrupt(reason).into())
    }
}

/// The beginning of an id, as the log shows it.
pub(super) fn shown(id: &str) -> String {
    id.chars().take(8).collect()
}
