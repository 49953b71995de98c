//! The tables of the file.

use redb::{Key, ReadTransaction, TableDefinition, TableError, Value};

use super::clock::Millis;
use super::sealed::{Sealed, row};
use super::step::Step;
use crate::store::{KeyDigest, LAYOUT};

/// Revision, version, expiry, the time in [`EXPIRY`] that the newest commit counts on, document,
/// bytes of the log.
pub(super) type DocumentRow = (u64, u64, Millis, Millis, &'static [u8], u64);

/// The time of an answer, and the answer.
pub(super) type AnswerRow = (Millis, &'static [u8]);

pub(super) const DOCUMENTS: TableDefinition<&str, Sealed<DocumentRow>> =
    TableDefinition::new("documents");
/// Version and document of the base.
pub(super) const BASES: TableDefinition<&str, Sealed<(u64, &[u8])>> = TableDefinition::new("bases");
/// The first base, once there is a newer one.
pub(super) const CREATED: TableDefinition<&str, Sealed<&[u8]>> = TableDefinition::new("created");
pub(super) const LOG: TableDefinition<(&str, u64), Sealed<&[u8]>> = TableDefinition::new("log");
pub(super) const ANSWERS: TableDefinition<(&str, &KeyDigest), Sealed<AnswerRow>> =
    TableDefinition::new("answers");
/// The answers by their times.
pub(super) const ANSWERED: TableDefinition<(Millis, &str, &KeyDigest), ()> =
    TableDefinition::new("answered");
/// The encounters by times at which the sweep looks at them. Commits need not move these, and some
/// may be left over.
pub(super) const EXPIRY: TableDefinition<(Millis, &str), ()> = TableDefinition::new("expiry");
/// The encounters of each application by their positions.
pub(super) const LISTED: TableDefinition<(&str, &str), ()> = TableDefinition::new("listed");
/// The application of an encounter, and its position in the list.
pub(super) const OWNERS: TableDefinition<&str, Sealed<(&str, &str)>> =
    TableDefinition::new("owners");
pub(super) const META: TableDefinition<&str, Sealed<&[u8]>> = TableDefinition::new("meta");
pub(super) const SALT: &str = "salt";
/// The number of the file's layout, in 4 bytes.
pub(super) const LAYOUT_ROW: &str = "layout";
/// The store's time when it was last kept, in 8 bytes.
pub(super) const TIME: &str = "time";

/// Something that is done with every table.
pub(super) trait TableVisitor {
    type Error;

    fn visit<K: Key + 'static, V: Value + 'static>(
        &mut self,
        table: TableDefinition<'static, K, V>,
    ) -> Result<(), Self::Error>;
}

/// Visits all tables, always in the same order.
pub(super) fn each_table<V: TableVisitor>(visitor: &mut V) -> Result<(), V::Error> {
    visitor.visit(DOCUMENTS)?;
    visitor.visit(BASES)?;
    visitor.visit(CREATED)?;
    visitor.visit(LOG)?;
    visitor.visit(ANSWERS)?;
    visitor.visit(ANSWERED)?;
    visitor.visit(EXPIRY)?;
    visitor.visit(LISTED)?;
    visitor.visit(OWNERS)?;
    visitor.visit(META)
}

/// The number of the layout of a file, if it has one that this program does not read.
pub(super) fn foreign_layout(reading: &ReadTransaction) -> Option<u32> {
    let meta = reading.open_table(META).ok()?;
    let layout = match row(&meta, LAYOUT_ROW) {
        Ok(Some(layout)) => layout.value().try_into().map(u32::from_le_bytes).ok()?,
        Ok(None) => 0,
        Err(_) => return None,
    };
    Some(layout).filter(|layout| *layout != LAYOUT)
}

/// Checks that a file has all tables, each of its type.
pub(super) fn check_tables(reading: &ReadTransaction) -> Result<(), redb::Error> {
    struct Opened<'r>(&'r ReadTransaction);

    impl TableVisitor for Opened<'_> {
        type Error = TableError;

        fn visit<K: Key + 'static, V: Value + 'static>(
            &mut self,
            table: TableDefinition<'static, K, V>,
        ) -> Result<(), TableError> {
            self.0.open_table(table).map(drop)
        }
    }

    Ok(each_table(&mut Opened(reading))?)
}

/// The time that the store has kept.
pub(super) fn kept_time(reading: &ReadTransaction) -> Result<Millis, String> {
    match read_time(reading) {
        Ok(Some(time)) => Ok(Millis::from_le_bytes(time)),
        Ok(None) => Err("the store's time is not 8 bytes".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn read_time(reading: &ReadTransaction) -> Step<Option<[u8; 8]>> {
    let meta = reading.open_table(META)?;
    let time = row(&meta, TIME)?;
    Ok(time.and_then(|time| time.value().try_into().ok()))
}
