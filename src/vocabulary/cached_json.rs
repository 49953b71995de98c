//! A part of the state that never changes once it is there.

use super::cached_combatant::JsonCell;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ops::Deref;
use std::sync::Arc;

/// A `T` that costs nothing to copy and is serialised only once, to JSON only: for what states collect and never change, such as
/// the turns of a round.
#[derive(Debug)]
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

impl<T> Clone for CachedJson<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: PartialEq> PartialEq for CachedJson<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for CachedJson<T> {}

impl<T: Serialize> Serialize for CachedJson<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.1.serialize(&**self, serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for CachedJson<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::from)
    }
}
