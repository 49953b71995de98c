//! Bounded scalars: a value of these types is in range by construction, and its JSON Schema says so.

use serde::de::{self, Deserializer, Unexpected};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use smol_str::SmolStr;
use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Schemas of this name's beginning are put in place of their references in the published document.
pub const INLINE: &str = "inline.";

/// The schema of the bounded scalar whose schema has this name.
pub fn inlined(name: &str) -> Option<Value> {
    let bound = |text: &str| text.parse::<i64>().ok();
    match *name.strip_prefix(INLINE)?.split('.').collect::<Vec<_>>() {
        ["int", min, max] => Some(json!({"type": "integer", "minimum": bound(min)?, "maximum": bound(max)?})),
        ["text", max] => Some(json!({"type": "string", "minLength": 1, "maxLength": bound(max)?})),
        ["slug"] => Some(json!({"type": "string", "pattern": Slug::PATTERN})),
        ["ids"] => Some(json!({"type": "array", "items": {"type": "string", "pattern": Slug::PATTERN}})),
        _ => None,
    }
}

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

/// Text of 1 to `MAX` characters without control characters (line breaks and tabs are allowed).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<const MAX: usize>(SmolStr);

/// A text that is not blank and has no control characters but line breaks and tabs, as a regular expression.
const TEXT: &str = r"^[^\x00-\x08\x0B-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F][^\x00-\x08\x0B-\x1F\x7F-\x9F]*$";

impl<const MAX: usize> Text<MAX> {
    /// The text, if it is not empty, not too long and free of control characters.
    pub fn new(text: &str) -> Option<Self> {
        let sound = |c: char| !c.is_control() || c == '\n' || c == '\t';
        let fits = !text.trim().is_empty() && text.chars().count() <= MAX;
        (fits && text.chars().all(sound)).then(|| Self(text.into()))
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
        Self::new(&text).ok_or_else(|| de::Error::invalid_value(Unexpected::Str(&shortened(&text)), &&*expected))
    }
}

impl<const MAX: usize> PartialSchema for Text<MAX> {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        text.min_length(Some(1)).max_length(Some(MAX)).pattern(Some(TEXT)).into()
    }
}

impl<const MAX: usize> ToSchema for Text<MAX> {
    fn name() -> Cow<'static, str> {
        format!("{INLINE}text.{MAX}").into()
    }
}

/// As much of a client's text as an error may repeat.
pub(super) fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

/// A short name for machines: lower-case letters, digits, `-` and `_`, beginning with a letter or digit, at most 40 characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(SmolStr);

impl Slug {
    /// The longest slug, in characters.
    pub const MAX: usize = 40;
    /// What a slug looks like, as a regular expression.
    pub const PATTERN: &str = "^[a-z0-9][a-z0-9_-]{0,39}$";

    /// The slug, if `text` is one.
    pub fn new(text: &str) -> Option<Self> {
        let plain = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let bytes = text.as_bytes();
        let sound = bytes.len() <= Self::MAX
            && bytes.first().is_some_and(plain)
            && bytes.iter().all(|b| plain(b) || matches!(b, b'-' | b'_'));
        sound.then(|| Self(text.into()))
    }

    /// A slug of the program's own, known to be one.
    pub const fn fixed(slug: &'static str) -> Self {
        Self(SmolStr::new_static(slug))
    }

    /// A slug made from any text that is not `taken`: what is not a letter or digit becomes a hyphen; `fallback` where nothing is
    /// left; a number behind it where there are namesakes, of which there are at most `most`. One for what is `hidden` has an
    /// underscore, so that the ids of its namesakes do not show that it is there (TK-11).
    pub fn from_name(
        name: &str, fallback: &'static str, hidden: bool, most: usize, taken: impl Fn(&Self) -> bool,
    ) -> Self {
        let mut slug = String::from(if hidden { "hidden_" } else { "" });
        let begin = slug.len();
        for c in deunicode::deunicode(name).chars().map(|c| c.to_ascii_lowercase()) {
            if c.is_ascii_alphanumeric() {
                slug.push(c);
            } else if slug.len() > begin && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        slug.truncate(Self::MAX - 4);
        slug.truncate(slug.trim_end_matches('-').len());
        if slug.len() == begin {
            slug.push_str(fallback);
        }
        let stem = Self(slug.into());
        let mut numbered = (2..=most.saturating_add(2)).map(|n| Self(format!("{stem}-{n}").into()));
        let free = if taken(&stem) { numbered.find(|id| !taken(id)) } else { None };
        free.unwrap_or(stem)
    }

    /// The plain text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Borrow<str> for Slug {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Slug {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Slug {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl Serialize for Slug {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Slug {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let expected = "a short name of lower-case letters, digits, - and _ (at most 40), such as goblin-1";
        Self::new(&text).ok_or_else(|| de::Error::invalid_value(Unexpected::Str(&shortened(&text)), &expected))
    }
}

impl PartialSchema for Slug {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(Self::PATTERN)).into()
    }
}

impl ToSchema for Slug {
    fn name() -> Cow<'static, str> {
        format!("{INLINE}slug").into()
    }
}

/// Declares an id: a [`Slug`] that no other kind of id can stand for.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Slug);

        impl $name {
            /// The id, if `text` is one.
            pub fn new(text: &str) -> Option<Self> {
                Slug::new(text).map(Self)
            }

            /// An id of the program's own, known to be one.
            pub const fn fixed(id: &'static str) -> Self {
                Self(Slug::fixed(id))
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == *other
            }
        }

        impl From<Slug> for $name {
            fn from(slug: Slug) -> Self {
                Self(slug)
            }
        }

        impl Deref for $name {
            type Target = Slug;

            fn deref(&self) -> &Slug {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                Slug::schema()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Slug::name()
            }
        }
    };
}

id! {
    /// Names a combatant within its encounter.
    CombatantId
}

id! {
    /// Names an effect within its encounter.
    EffectId
}
