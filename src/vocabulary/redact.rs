//! What a viewer may know of a value: values without the combatants and effects that it does not
//! know.

use super::{Audience, CombatantId, Die, Int, MemberId, Metadata, Slug, Text};
use crate::json::CachedJson;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;
use utoipa::ToSchema;

/// A value that can be shown without what an audience does not know.
///
/// `#[event]` and `#[fact]` implement it field by field: a required id that the audience does not know
/// drops the value that holds it. An optional one becomes none, and lists are filtered.
pub trait Redact: Clone {
    /// The value as `audience` may know it; None if nothing of it may be told. Every audience may
    /// know a value without ids.
    fn redact(&self, _audience: &Audience<'_>) -> Option<Self> {
        Some(self.clone())
    }
}

impl<T: Redact> Redact for Option<T> {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        Some(self.as_ref().and_then(|value| value.redact(audience)))
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        Some(
            self.iter()
                .filter_map(|value| value.redact(audience))
                .collect(),
        )
    }
}

impl<T: Redact> Redact for Arc<Vec<T>> {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        (**self).redact(audience).map(Self::new)
    }
}

/// With its JSON, if the audience may know all of it.
impl<T: Redact + PartialEq> Redact for CachedJson<T> {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let known = (**self).redact(audience)?;
        Some(if known == **self {
            self.clone()
        } else {
            known.into()
        })
    }
}

impl<T: Redact> Redact for BTreeMap<Slug, T> {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        let mut known = Self::new();
        for (name, value) in self {
            if let Some(value) = value.redact(audience) {
                known.insert(name.clone(), value);
            }
        }
        Some(known)
    }
}

/// Types that hold no ids of combatants or effects.
macro_rules! public {
    ($($type:ty),*) => { $( impl Redact for $type {} )* };
}

public! { bool, u16, u32, u64, usize, i64, Die, MemberId, Metadata, Slug }

impl<const MIN: i64, const MAX: i64> Redact for Int<MIN, MAX> {}

impl<const MAX: usize, const LINES: bool> Redact for Text<MAX, LINES> {}

/// Combatants that take part in something together, at least one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Participants(pub Vec<CombatantId>);

impl Deref for Participants {
    type Target = [CombatantId];

    fn deref(&self) -> &[CombatantId] {
        &self.0
    }
}

impl From<Vec<CombatantId>> for Participants {
    fn from(combatants: Vec<CombatantId>) -> Self {
        Self(combatants)
    }
}

/// What names them is dropped for an audience that knows none of them.
impl Redact for Participants {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        self.0
            .redact(audience)
            .filter(|known| !known.is_empty())
            .map(Self)
    }
}
