//! What a combatant has besides: a few parts of its sheet, and who sees each of them. No rule asks for
//! them but the level.

use super::{Int, Text, word};
use serde::de::{self, Deserializer, Unexpected};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// An armor class, also a descending one.
pub type ArmorClass = Int<-100, 1000>;
/// A level.
pub type Level = Int<1, 100>;
/// Notes on a combatant.
pub type Notes = Text<1000, true>;

/// Readers of a part of a combatant's sheet.
#[word]
pub enum SeenBy {
    /// The game master alone.
    Gm,
    /// The game master and its player.
    Player,
    /// All viewers that see the combatant.
    All,
}

/// The address of a sheet: http or https, at most 300 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct SheetLink(Text<300>);

impl SheetLink {
    /// The address, if `text` is one.
    pub fn new(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let is_web = ["https", "http"]
            .iter()
            .any(|web| scheme.eq_ignore_ascii_case(web));
        let has_host = rest.starts_with(|c: char| c.is_alphanumeric() || c == '[');
        let is_address = is_web && has_host;
        let has_space = text.chars().any(char::is_whitespace);
        Text::new(text)
            .filter(|_| is_address && !has_space)
            .map(Self)
    }

    /// The plain text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl<'de> Deserialize<'de> for SheetLink {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::new(&text).ok_or_else(|| {
            let read = crate::json::shortened(&text);
            let expected =
                "an address of at most 300 characters that begins with https:// or http://";
            de::Error::invalid_value(Unexpected::Str(&read), &expected)
        })
    }
}

impl PartialSchema for SheetLink {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        text.pattern(Some("^https?://[^\\s]+$"))
            .max_length(Some(300))
            .into()
    }
}

impl ToSchema for SheetLink {}

/// A text that a client sets, or an empty one that takes it away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasable<T>(pub Option<T>);

impl<T: Serialize> Serialize for Erasable<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(text) => text.serialize(serializer),
            None => serializer.serialize_str(""),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Erasable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(Self(None));
        }
        T::deserialize(de::value::CowStrDeserializer::new(text)).map(|text| Self(Some(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_an_address_of_the_web() {
        for (text, is_link) in [
            ("https://example.org/sheet?id=1#top", true),
            ("http://localhost:30000/", true),
            ("HTTPS://example.org", true),
            ("https://", false),
            ("https:///x", false),
            ("http://\\example.org", false),
            ("javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("Party/Mira.md", false),
            ("https://example.org/a b", false),
            (" https://example.org", false),
        ] {
            assert_eq!(SheetLink::new(text).is_some(), is_link, "{text}");
        }
        assert!(SheetLink::new(&format!("https://e.org/{}", "x".repeat(290))).is_none());
    }
}
