//! Bounded scalars: a value of these types is in range by construction, and its JSON Schema says
//! so.

use crate::json::shortened;
use serde::de::{self, Deserializer, Unexpected};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::borrow::Cow;
use std::fmt;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Schemas whose names begin so are put in place of their references in the published document.
pub const INLINE: &str = "inline.";

/// A whole number from `MIN` to `MAX`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Int<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> Int<MIN, MAX> {
    /// The number, if it is in range.
    pub fn new(value: i64) -> Option<Self> {
        (MIN..=MAX).contains(&value).then_some(Self(value))
    }

    /// The number brought into range.
    pub fn clamped(value: i64) -> Self {
        Self(value.clamp(MIN, MAX))
    }

    /// The plain number.
    pub fn get(self) -> i64 {
        self.0
    }

    /// The plain number as a count; 0 if it is negative.
    pub fn count(self) -> u32 {
        u32::try_from(self.0).unwrap_or(0)
    }
}

impl<const MIN: i64, const MAX: i64> Default for Int<MIN, MAX> {
    fn default() -> Self {
        Self::clamped(0)
    }
}

impl<const MIN: i64, const MAX: i64> fmt::Display for Int<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Int<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<const MIN: i64, const MAX: i64>;
        impl<const MIN: i64, const MAX: i64> de::Visitor<'_> for Visitor<MIN, MAX> {
            type Value = Int<MIN, MAX>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number from {MIN} to {MAX}")
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Self::Value, E> {
                Int::new(v).ok_or_else(|| E::invalid_value(Unexpected::Signed(v), &self))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Self::Value, E> {
                let signed = i64::try_from(v).ok().and_then(Int::new);
                signed.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(v), &self))
            }
        }
        deserializer.deserialize_i64(Visitor)
    }
}

impl<const MIN: i64, const MAX: i64> PartialSchema for Int<MIN, MAX> {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Integer);
        number.minimum(Some(MIN)).maximum(Some(MAX)).into()
    }
}

impl<const MIN: i64, const MAX: i64> ToSchema for Int<MIN, MAX> {
    fn name() -> Cow<'static, str> {
        format!("{INLINE}int.{MIN}.{MAX}").into()
    }
}

/// Whether a text has no control characters but line breaks and tabs.
pub fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| !c.is_control() || c == '\n' || c == '\t')
}

/// Text of 1 to `MAX` characters without control characters (line breaks and tabs are allowed).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<const MAX: usize>(SmolStr);

impl<const MAX: usize> Text<MAX> {
    /// The text, if it is not empty, not too long and free of control characters.
    pub fn new(text: &str) -> Option<Self> {
        let fits = !text.trim().is_empty() && text.chars().count() <= MAX;
        (fits && is_plain(text)).then(|| Self(text.into()))
    }

    /// A text of the program's own, known to fit.
    pub const fn fixed(text: &'static str) -> Self {
        Self(SmolStr::new_static(text))
    }

    /// The plain text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Text<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let expected = format!("text of 1 to {MAX} characters without control characters");
        Self::new(&text).ok_or_else(|| {
            de::Error::invalid_value(Unexpected::Str(&shortened(&text)), &&*expected)
        })
    }
}

impl<const MAX: usize> PartialSchema for Text<MAX> {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        text.min_length(Some(1)).max_length(Some(MAX)).into()
    }
}

impl<const MAX: usize> ToSchema for Text<MAX> {
    fn name() -> Cow<'static, str> {
        format!("{INLINE}text.{MAX}").into()
    }
}
