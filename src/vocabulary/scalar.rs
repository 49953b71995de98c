//! Bounded scalars: a value of these types is in range by construction, and its JSON Schema says
//! so.

use super::Values;
use super::character::is_visible;
use crate::json::{breaks_line, sets_direction, shortened};
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

/// Hit points, or an amount of them.
pub type HitPoints = Int<0, 1_000_000>;
/// A number of rounds or of turns that something lasts.
pub type Count = Int<1, 10_000>;

impl<const MIN: i64, const MAX: i64> Int<MIN, MAX> {
    /// The number, if it is in range.
    pub fn new(value: i64) -> Option<Self> {
        (MIN..=MAX).contains(&value).then_some(Self(value))
    }

    /// The number brought into range.
    pub fn clamped(value: i64) -> Self {
        Self(value.clamp(MIN, MAX))
    }

    /// The largest number.
    pub const MOST: i64 = MAX;

    /// Every number in range, for options.
    pub const fn any() -> Values {
        Values::Range(MIN, MAX)
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

/// A text of one line that begins with what shows something, as a regular expression. Rare
/// characters that show nothing match too: readers of JSON Schema have no classes of characters in
/// common.
pub(super) const LINE_PATTERN: &str = r"^[^\s\x00-\x1f\x7f-\x9f\xad\u0300-\u036f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0][^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]*$";

/// Whether a text has no control characters but line breaks and tabs, and sets no direction.
pub fn is_plain(text: &str) -> bool {
    text.chars().all(|c| {
        let is_control = c.is_control() && c != '\n' && c != '\t';
        !is_control && !sets_direction(c)
    })
}

/// Text of 1 to `MAX` characters that shows something, has no control characters and sets no
/// direction. It has one line, or, with `LINES`, line breaks and tabs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Text<const MAX: usize, const LINES: bool = false>(SmolStr);

/// A name for people.
pub type Name = Text<80>;
/// Text of several lines.
pub type Lines<const MAX: usize> = Text<MAX, true>;

impl<const MAX: usize, const LINES: bool> Text<MAX, LINES> {
    /// The text, if it is one.
    pub fn new(text: &str) -> Option<Self> {
        let fits = text.chars().count() <= MAX && text.chars().any(is_visible);
        let has_its_lines = LINES || !text.chars().any(|c| c == '\t' || breaks_line(c));
        (fits && has_its_lines && is_plain(text)).then(|| Self(text.into()))
    }

    /// A text of the program's own, known to fit.
    pub const fn fixed(text: &'static str) -> Self {
        Self(SmolStr::new_static(text))
    }

    /// The most characters.
    pub const MOST: usize = MAX;

    /// Every text that fits, for options.
    pub const fn any() -> Values {
        Values::Text(MAX)
    }

    /// The plain text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize, const LINES: bool> fmt::Display for Text<MAX, LINES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de, const MAX: usize, const LINES: bool> Deserialize<'de> for Text<MAX, LINES> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let lines = if LINES { "text" } else { "one line of text" };
        let expected = format!(
            "{lines}: 1 to {MAX} characters, one of them visible, without control characters and \
             direction overrides"
        );
        Self::new(&text).ok_or_else(|| {
            let fault = Self::fault(&text);
            de::Error::invalid_value(Unexpected::Other(&fault), &&*expected)
        })
    }
}

impl<const MAX: usize, const LINES: bool> Text<MAX, LINES> {
    /// What is wrong with a text that is none: a refusal shows no line break.
    fn fault(text: &str) -> String {
        let count = text.chars().count();
        if count > MAX {
            return format!("{count} characters");
        }
        let is_break = |c: char| !LINES && (c == '\t' || breaks_line(c));
        if let Some((before, _)) = text.split_once(is_break) {
            return format!("a line break or tab after {:?}", shortened(before));
        }
        let is_wrong = |c: &char| !is_plain(c.encode_utf8(&mut [0; 4]));
        match text.chars().find(is_wrong) {
            Some(c) => format!("the character U+{:04X}", u32::from(c)),
            None => "nothing visible".to_owned(),
        }
    }
}

impl<const MAX: usize, const LINES: bool> PartialSchema for Text<MAX, LINES> {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        text.min_length(Some(1)).max_length(Some(MAX)).into()
    }
}

impl<const MAX: usize, const LINES: bool> ToSchema for Text<MAX, LINES> {
    fn name() -> Cow<'static, str> {
        let lines = if LINES { "lines" } else { "text" };
        format!("{INLINE}{lines}.{MAX}").into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts, and whether each may be a text of one line and of several.
    const TEXTS: [(&str, bool, bool); 24] = [
        ("Ann", true, true),
        (" Ann the Bold ", true, true),
        ("\u{41c}\u{435}\u{440}\u{440}\u{43e}\u{443}", true, true),
        ("\u{1f409}", true, true),
        ("\u{1f468}\u{200d}\u{1f469}", true, true),
        (
            "\u{646}\u{6cc}\u{645}\u{200c}\u{62c}\u{627}\u{646}",
            true,
            true,
        ),
        ("\u{200f}\u{5d0}\u{5d1}", true, true),
        ("e\u{301}", true, true),
        ("", false, false),
        (" ", false, false),
        ("\u{a0}\u{3000}", false, false),
        ("\u{200b}", false, false),
        ("\u{200d}\u{2060}\u{feff} ", false, false),
        ("\u{ad}", false, false),
        ("\u{301}\u{fe0f}", false, false),
        ("\u{3164}", false, false),
        ("\u{115f}\u{1160}\u{ffa0}\u{2800}", false, false),
        ("Ann\nBob", false, true),
        ("Ann\tBob", false, true),
        ("Ann\u{2028}Bob", false, true),
        ("\n", false, false),
        ("Ann\rBob", false, false),
        ("Ann\u{202e}boB", false, false),
        ("\u{2067}Ann\u{2069}", false, false),
    ];

    #[test]
    fn a_text_shows_something_and_stays_in_its_line_and_direction() {
        for (text, one, several) in TEXTS {
            assert_eq!(Text::<20, false>::new(text).is_some(), one, "{text:?}");
            assert_eq!(Text::<20, true>::new(text).is_some(), several, "{text:?}");
        }
        assert!(Text::<3, false>::new("\u{435}\u{435}\u{435}").is_some());
        assert!(Text::<3, false>::new("four").is_none());
    }

    #[test]
    fn a_refusal_says_what_is_wrong_with_a_text() {
        for (text, found) in [
            ("x".repeat(21), "21 characters"),
            ("Ann\nBob".to_owned(), "a line break or tab after \"Ann\""),
            (
                "Ann\u{2028}Bob".to_owned(),
                "a line break or tab after \"Ann\"",
            ),
            ("Ann\u{7}".to_owned(), "the character U+0007"),
            ("Ann\u{202e}boB".to_owned(), "the character U+202E"),
            (" ".to_owned(), "nothing visible"),
        ] {
            let json = serde_json::json!(text);
            let error = serde_json::from_value::<Text<20>>(json).expect_err("refused");
            assert!(error.to_string().contains(found), "{error}: {found}");
        }
    }

    #[test]
    fn a_text_that_matches_the_pattern_of_options_is_one() {
        let schema = serde_json::json!({"type": "string", "pattern": LINE_PATTERN});
        let pattern = jsonschema::validator_for(&schema).expect("a schema");
        for (text, one, _) in TEXTS {
            let matches = pattern.is_valid(&serde_json::json!(text));
            assert!(!matches || one, "{text:?}");
            assert!(
                matches || !one || text.starts_with([' ', '\u{200f}']),
                "{text:?}"
            );
        }
    }
}
