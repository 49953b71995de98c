//! A value with its JSON.

use serde::ser::Error;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A value that never changes, is cheap to copy and is serialized once, to JSON only: such as a
/// finished turn of the round.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "T")]
pub struct CachedJson<T>(Arc<(T, JsonCell)>);

impl<T> From<T> for CachedJson<T> {
    fn from(value: T) -> Self {
        Self(Arc::new((value, JsonCell::default())))
    }
}

impl<T> Deref for CachedJson<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.0
    }
}

impl<T: PartialEq> PartialEq for CachedJson<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl<T: Eq> Eq for CachedJson<T> {}

impl<T: Serialize> Serialize for CachedJson<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.1.serialize(&**self, serializer)
    }
}

/// The JSON of a value, written once.
#[derive(Debug, Default)]
pub struct JsonCell(OnceLock<Box<RawValue>>);

impl JsonCell {
    /// Serializes the value, or its JSON if that was written before.
    ///
    /// # Errors
    /// When the value cannot be serialized.
    pub fn serialize<S: Serializer>(
        &self,
        value: &impl Serialize,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if let Some(json) = self.0.get() {
            return json.serialize(serializer);
        }
        let json = to_raw_value(value).map_err(S::Error::custom)?;
        self.0.get_or_init(|| json).serialize(serializer)
    }
}
