//! Rows with checksums: a bit that flips on the disk is noticed when its row is read, and never
//! served.
//!
//! redb has checksums of pages, but looks at them only when it repairs a file.

use std::marker::PhantomData;

use crc32fast::Hasher;
use redb::{AccessGuard, Key, ReadableTable, StorageError, Table, TableHandle, TypeName, Value};

use super::step::Step;
use crate::store::StoreError;

/// The bytes of a checksum.
const SUM: usize = 4;
/// The characters of a key that an error shows: the beginning of an encounter's id, as in the log.
const SHOWN: usize = 10;

/// The type of values that are stored behind a checksum of their key and themselves.
#[derive(Debug)]
pub(super) struct Sealed<V>(PhantomData<V>);

impl<V: Value + 'static> Value for Sealed<V> {
    type SelfType<'a>
        = &'a [u8]
    where
        Self: 'a;
    type AsBytes<'a>
        = &'a [u8]
    where
        Self: 'a;

    fn fixed_width() -> Option<usize> {
        None
    }

    fn from_bytes<'a>(data: &'a [u8]) -> &'a [u8]
    where
        Self: 'a,
    {
        data
    }

    fn as_bytes<'a, 'b: 'a>(value: &'a &'b [u8]) -> &'a [u8]
    where
        Self: 'b,
    {
        value
    }

    fn type_name() -> TypeName {
        TypeName::new(&format!("turnkeeper::Sealed<{}>", V::type_name().name()))
    }
}

/// A row whose checksum was right.
pub(super) struct Row<'t, V: Value + 'static>(AccessGuard<'t, Sealed<V>>);

impl<'t, V: Value + 'static> Row<'t, V> {
    /// Checks the row of `key`.
    pub(super) fn check<K: Key + 'static>(
        table: &str,
        key: &K::SelfType<'_>,
        sealed: AccessGuard<'t, Sealed<V>>,
    ) -> Result<Self, StoreError> {
        let (sum, value) = sealed
            .value()
            .split_first_chunk::<SUM>()
            .unwrap_or((&[0; SUM], &[]));
        if u32::from_le_bytes(*sum) == sum_of(K::as_bytes(key).as_ref(), value) {
            return Ok(Self(sealed));
        }
        let shown: String = format!("{key:?}").chars().take(SHOWN).collect();
        Err(StoreError::Corrupt(format!(
            "the row {shown}... of the table {table} does not match its checksum"
        )))
    }

    pub(super) fn value(&self) -> V::SelfType<'_> {
        V::from_bytes(self.0.value().get(SUM..).unwrap_or_default())
    }
}

/// Reads the row of `key` and checks it.
pub(super) fn row<'t, K: Key + 'static, V: Value + 'static>(
    table: &'t (impl ReadableTable<K, Sealed<V>> + TableHandle),
    key: K::SelfType<'_>,
) -> Step<Option<Row<'t, V>>> {
    let Some(sealed) = table.get(&key)? else {
        return Ok(None);
    };
    Ok(Some(Row::check::<K>(table.name(), &key, sealed)?))
}

/// Writes a row with its checksum.
pub(super) fn put<K: Key + 'static, V: Value + 'static>(
    table: &mut Table<'_, K, Sealed<V>>,
    key: K::SelfType<'_>,
    value: V::SelfType<'_>,
) -> Result<(), StorageError> {
    let bytes = V::as_bytes(&value);
    let sum = sum_of(K::as_bytes(&key).as_ref(), bytes.as_ref());
    let sealed = [&sum.to_le_bytes()[..], bytes.as_ref()].concat();
    table.insert(&key, sealed.as_slice())?;
    Ok(())
}

/// The beginning of an id, as the log shows it.
pub(super) fn shown(id: &str) -> String {
    id.chars().take(8).collect()
}

/// The checksum of a row. It has the key's length, so that no byte can change sides.
fn sum_of(key: &[u8], value: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&(key.len() as u64).to_le_bytes());
    hasher.update(key);
    hasher.update(value);
    hasher.finalize()
}
