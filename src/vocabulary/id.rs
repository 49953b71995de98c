//! Names for machines: words such as a side or a condition, and the ids that clients choose.

use super::UsedIds;
use super::character::{is_letter_or_digit, is_mark};
use crate::json::shortened;
use serde::de::{self, Deserializer, Unexpected};
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, StrExt};
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use unicode_normalization::UnicodeNormalization;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What a slug looks like, as a regular expression: no space, control character or punctuation of
/// ASCII but `-` and `_`. Other punctuation and symbols match too: readers of JSON Schema have no
/// class of letters in common.
pub const SLUG_PATTERN: &str = r"^[^\x00-\x2f:-@\x5b-`\x7b-\xa9\u2000-\u206f][^\x00-,.\x2f:-@\x5b-\x5e`\x7b-\xa9\u2010-\u206f]{0,39}$";

/// What an id looks like, as a regular expression: the ids of virtual tabletops fit.
const ID_PATTERN: &str = "^[A-Za-z0-9_.:-]{1,64}$";

const ID_EXPECTED: &str = "an id of 1 to 64 letters, digits and - _ . :, such as goblin-1";

/// Maximum characters of an id.
const MAX_ID: usize = 64;
/// Maximum characters of a word.
const MAX_WORD: usize = 40;

/// Characters that show nothing and join the letters beside them, in words of Persian and of India.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];

/// A word as it is kept: composed, in small letters and without joiners, so that words are equal if
/// they read the same.
fn slug(text: &str) -> Option<SmolStr> {
    if text.chars().count() > MAX_WORD {
        return None;
    }
    let word = if text.is_ascii() {
        text.to_ascii_lowercase_smolstr()
    } else {
        let letters = text.chars().filter(|c| !JOINERS.contains(c));
        let composed: String = letters.nfc().collect();
        composed.to_lowercase().nfc().collect()
    };
    let begins_well = word.starts_with(is_letter_or_digit);
    let is_word = |c: char| is_letter_or_digit(c) || is_mark(c) || matches!(c, '-' | '_');
    let valid = begins_well && word.chars().all(is_word) && word.chars().count() <= MAX_WORD;
    valid.then_some(word)
}

fn id(text: &str) -> Option<SmolStr> {
    let valid = (1..=MAX_ID).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':'));
    valid.then(|| text.into())
}

/// An id made from any text that is neither `taken` nor `used`: what is not a letter or digit
/// becomes a hyphen, and capitals small letters; `fallback` if nothing is left; with a number if
/// the name is taken, of which there are at most `most`. One for what is `hidden` has an
/// underscore, so that the ids of its namesakes do not show that it is there (TK-11).
fn free_id(
    name: &str,
    fallback: &str,
    hidden: bool,
    most: usize,
    used: &UsedIds,
    taken: impl Fn(&str) -> bool,
) -> SmolStr {
    const STEM: usize = 36;
    let slug = slug::slugify(name);
    let stem = if slug.is_empty() { fallback } else { &slug };
    let mut id = if hidden {
        format!("hidden_{stem}")
    } else {
        stem.to_owned()
    };
    id.truncate(STEM);
    id.truncate(id.trim_end_matches('-').len());
    if !taken(&id) && !used.has(&id) {
        return id.into();
    }
    let first = used.highest(&id).saturating_add(1).max(2);
    let last = first.saturating_add(u32::try_from(most).unwrap_or(u32::MAX));
    for number in first..=last {
        let numbered = format!("{id}-{number}");
        if !taken(&numbered) {
            return numbered.into();
        }
    }
    id.into()
}

/// The spelling of a name for machines: that of an id, unless a name has its own.
trait Syntax {
    /// The regular expression that it matches.
    const PATTERN: &'static str = ID_PATTERN;
    /// The end of a refusal of another text.
    const EXPECTED: &'static str = ID_EXPECTED;
    /// The most characters.
    const MOST: usize = MAX_ID;

    /// The name, if `text` is one.
    fn read(text: &str) -> Option<SmolStr> {
        id(text)
    }
}

/// Implements what a name for machines has beyond std's and serde's derives. No other kind of name
/// can stand for it.
macro_rules! name {
    ($name:ident) => {
        impl PartialEq for $name {
            // Names of one encounter differ at their end, as `goblin-1` and `goblin-2` do.
            fn eq(&self, other: &Self) -> bool {
                let own = self.0.as_bytes();
                let other = other.0.as_bytes();
                own.last() == other.last() && own == other
            }
        }

        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }

        impl $name {
            /// The name, if `text` is one.
            pub fn new(text: &str) -> Option<Self> {
                Self::read(text).map(Self)
            }

            /// A name of the program's own, known to be one.
            pub const fn fixed(name: &'static str) -> Self {
                Self(SmolStr::new_static(name))
            }

            /// An id made from a name, `fallback` if the name has neither letter nor digit, that is
            /// not one of the `taken` ones, of which there are at most `most`.
            pub fn from_name(
                name: &str,
                fallback: &str,
                hidden: bool,
                most: usize,
                taken: impl Fn(&str) -> bool,
            ) -> Self {
                let used = UsedIds::default();
                Self(free_id(name, fallback, hidden, most, &used, taken))
            }

            /// The plain text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(deserializer)?;
                Self::new(&text).ok_or_else(|| {
                    let count = text.chars().count();
                    if count > Self::MOST {
                        let found = format!("{count} characters");
                        return de::Error::invalid_value(
                            Unexpected::Other(&found),
                            &Self::EXPECTED,
                        );
                    }
                    let read = shortened(&text);
                    de::Error::invalid_value(Unexpected::Str(&read), &Self::EXPECTED)
                })
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let text = ObjectBuilder::new().schema_type(Type::String);
                text.pattern(Some(Self::PATTERN)).into()
            }
        }

        impl ToSchema for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }
    };
}

/// A word for machines, such as a side or a condition: letters of any script, digits, `-` and `_`,
/// beginning with a letter or digit, at most 40 characters. Capitals become small letters when it is
/// read, so that `Prone` is `prone`.
#[derive(Clone, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Slug(SmolStr);

name!(Slug);

impl Syntax for Slug {
    const PATTERN: &'static str = SLUG_PATTERN;
    const EXPECTED: &'static str =
        "a word of letters of any script, digits, - and _ (at most 40 characters), such as prone";
    const MOST: usize = MAX_WORD;

    fn read(text: &str) -> Option<SmolStr> {
        slug(text)
    }
}

/// Names a combatant within its encounter.
#[derive(Clone, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct CombatantId(SmolStr);

name!(CombatantId);

impl Syntax for CombatantId {}

/// Names an effect within its encounter.
#[derive(Clone, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct EffectId(SmolStr);

name!(EffectId);

impl Syntax for EffectId {}

/// Names a member within its group.
#[derive(Clone, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct MemberId(SmolStr);

name!(MemberId);

impl Syntax for MemberId {}

/// Names a person in a chat, such as a user of Discord.
#[derive(Clone, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Mention(SmolStr);

name!(Mention);

impl Syntax for Mention {}

impl CombatantId {
    /// An id made from a name as by [`from_name`](Self::from_name) that no combatant has or, as far
    /// as `used` says, had.
    pub fn unused(
        name: &str,
        hidden: bool,
        most: usize,
        used: &UsedIds,
        taken: impl Fn(&str) -> bool,
    ) -> Self {
        Self(free_id(name, "combatant", hidden, most, used, taken))
    }

    /// Stands before an id in a sentence.
    pub(super) const OPEN: char = '\u{2068}';
    /// Stands after an id in a sentence.
    pub(super) const CLOSE: char = '\u{2069}';
}

/// For sentences: an id between marks, which [`with_names`](super::with_names) replaces by a name.
/// Elsewhere use [`as_str`](CombatantId::as_str).
impl fmt::Display for CombatantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", Self::OPEN, self.0, Self::CLOSE)
    }
}

/// Declares names that a sentence holds as they are.
macro_rules! shown {
    ($($name:ident),*) => { $(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )* };
}

shown! { Slug, EffectId, MemberId }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_ids_are_what_their_patterns_say() {
        let (forty, sixty_four) = ("a".repeat(40), "a".repeat(64));
        for word in ["players", "P", "7", "a-b_c", &forty] {
            assert_eq!(Slug::new(word).expect(word).as_str(), word.to_lowercase());
            assert!(matches(SLUG_PATTERN, word), "{word}");
        }
        for other in [
            "",
            "-a",
            "_a",
            "a b",
            "a.b",
            "\u{301}a",
            "\u{200d}",
            "a\u{200b}",
            "a\u{a0}b",
            "a\u{2019}b",
            "\u{3164}",
            "\u{1f409}",
            &"a".repeat(41),
            &"\u{e9}".repeat(41),
        ] {
            assert!(Slug::new(other).is_none(), "{other}");
            assert!(
                !matches(SLUG_PATTERN, other) || IS_RARE.contains(&other),
                "{other}"
            );
        }
        for id in ["-Mabc_dEf12", "Actor.AbC123", ":", &sixty_four] {
            assert_eq!(CombatantId::new(id).expect(id).as_str(), id);
        }
        for other in ["", "a b", "a/b", "\u{e9}", &"a".repeat(65)] {
            assert!(CombatantId::new(other).is_none(), "{other}");
        }
    }

    /// Other texts that a regular expression without classes of letters lets pass.
    const IS_RARE: [&str; 4] = ["\u{301}a", "a\u{200b}", "\u{3164}", "\u{1f409}"];

    fn matches(pattern: &str, text: &str) -> bool {
        let schema = serde_json::json!({"type": "string", "pattern": pattern});
        jsonschema::is_valid(&schema, &serde_json::json!(text))
    }

    #[test]
    fn a_word_of_any_script_is_equal_to_its_other_spellings() {
        for (spellings, kept) in [
            (["\u{e9}bloui", "E\u{301}BLOUI"], "\u{e9}bloui"),
            (
                ["\u{41e}\u{421}\u{41b}", "\u{43e}\u{441}\u{43b}"],
                "\u{43e}\u{441}\u{43b}",
            ),
            (
                [
                    "\u{646}\u{6cc}\u{645}\u{200c}\u{62c}",
                    "\u{646}\u{6cc}\u{645}\u{62c}",
                ],
                "\u{646}\u{6cc}\u{645}\u{62c}",
            ),
            (
                [
                    "\u{905}\u{902}\u{927}\u{94d}",
                    "\u{905}\u{902}\u{927}\u{94d}",
                ],
                "\u{905}\u{902}\u{927}\u{94d}",
            ),
            (["\u{6bd2}-2", "\u{6bd2}-2"], "\u{6bd2}-2"),
        ] {
            for spelling in spellings {
                assert_eq!(
                    Slug::new(spelling).expect(spelling).as_str(),
                    kept,
                    "{spelling}"
                );
                assert!(matches(SLUG_PATTERN, spelling), "{spelling}");
            }
        }
    }

    #[test]
    fn a_word_reads_as_itself() {
        for c in '\0'..=char::MAX {
            for text in [c.to_string(), format!("A{c}\u{3a3}")] {
                let Some(word) = Slug::new(&text) else {
                    continue;
                };
                assert_eq!(Slug::new(word.as_str()), Some(word), "{text:?}");
            }
        }
    }

    #[test]
    fn an_id_is_made_from_any_name() {
        let mut used = UsedIds::default();
        ["imp", "bat-7"]
            .iter()
            .for_each(|id| used.record(&CombatantId::fixed(id)));
        let free = |name: &str, hidden, taken: &[&str]| {
            free_id(name, "c", hidden, 3, &used, |id| taken.contains(&id)).to_string()
        };
        assert_eq!(free("Big  Rat!", false, &[]), "big-rat");
        assert_eq!(free("(Rat)", false, &[]), "rat");
        assert_eq!(free("(Rat)", true, &[]), "hidden_rat");
        assert_eq!(free("\u{c9}lan", false, &[]), "elan");
        assert_eq!(
            free("\u{41c}\u{435}\u{440}\u{440}\u{43e}\u{443}", false, &[]),
            "merrou"
        );
        assert_eq!(free("!?", false, &[]), "c");
        assert_eq!(
            free(&"long-".repeat(9), false, &[]),
            "long-long-long-long-long-long-long-l"
        );
        assert_eq!(free("Rat", false, &["rat"]), "rat-2");
        assert_eq!(
            free("Rat", false, &["rat", "rat-2", "rat-3", "rat-4"]),
            "rat-5"
        );
        assert_eq!(free("Imp", false, &["imp-2"]), "imp-3");
        assert_eq!(free("Bat", false, &[]), "bat-8");
        assert_eq!(free("Bat 7", false, &[]), "bat-7-2");
        assert_eq!(free("Bat 8", false, &[]), "bat-8");
    }
}
