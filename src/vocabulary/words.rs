//! Sentences for people: templates of labels and events, filled with
//! names.
//!
//! In a template, `{field}` stands for what a field says, and `{field:takes|take}` for the first
//! word if the field names one, for the second if it names several. What stands in brackets is left
//! out if a field in it says nothing, or if a field with `!` before its name says something.
//! `{field?}` and `{field=word}` keep the words around them if the field says anything or this word.

use super::{
    CombatantId, Die, Effect, EffectId, Encounter, Int, MemberId, Metadata, Participants, Ruleset,
    Slug, Text,
};
use crate::json::CachedJson;
use serde_json::Value;
use std::fmt::Write;
use std::sync::Arc;

/// The names of combatants, and effects, which are named with whom they are on.
pub trait Names {
    /// The name of a combatant.
    fn combatant(&self, id: &CombatantId) -> Option<&str>;

    /// Whether a combatant is a group, so that its name takes a verb in the plural.
    fn is_group(&self, id: &CombatantId) -> bool;

    /// An effect.
    fn effect(&self, id: &EffectId) -> Option<&Arc<Effect>>;

    /// What the table calls a word for machines, if it has said so.
    fn title(&self, _word: &str) -> Option<&str> {
        None
    }
}

/// Writes a word for machines as the table calls it, else as people write it.
fn write_word(word: &str, names: &dyn Names, out: &mut String) -> bool {
    match names.title(word) {
        Some(title) => {
            out.push_str(title);
            true
        }
        None => spaced(word, out),
    }
}

/// A word for machines as the table calls it, else as people write it.
pub fn said(word: &Slug, names: &dyn Names) -> String {
    let mut words = String::new();
    write_word(word.as_str(), names, &mut words);
    words
}

impl<R: Ruleset> Names for Encounter<R> {
    fn combatant(&self, id: &CombatantId) -> Option<&str> {
        self.get(id).map(|c| c.name.as_str())
    }

    fn is_group(&self, id: &CombatantId) -> bool {
        self.get(id).is_some_and(|c| !c.members.is_empty())
    }

    fn effect(&self, id: &EffectId) -> Option<&Arc<Effect>> {
        self.effects.iter().find(|effect| effect.id == *id)
    }

    fn title(&self, word: &str) -> Option<&str> {
        R::title(&self.options, word)
    }
}

/// No names at all.
pub struct NoNames;

impl Names for NoNames {
    fn combatant(&self, _: &CombatantId) -> Option<&str> {
        None
    }

    fn is_group(&self, _: &CombatantId) -> bool {
        false
    }

    fn effect(&self, _: &EffectId) -> Option<&Arc<Effect>> {
        None
    }
}

/// A sentence in which the ids of combatants, as their `Display` writes them, give way to names. An
/// unknown id stays.
pub fn with_names(sentence: &str, names: &dyn Names) -> String {
    let mut out = String::with_capacity(sentence.len());
    let mut rest = sentence;
    while let Some((before, marked)) = rest.split_once(CombatantId::OPEN) {
        out.push_str(before);
        if let Some((id, after)) = marked.split_once(CombatantId::CLOSE)
            && let Some(id) = CombatantId::new(id)
        {
            out.push_str(names.combatant(&id).unwrap_or(id.as_str()));
            rest = possessive(after, &mut out);
        } else {
            // A client's text may hold the mark.
            out.push(CombatantId::OPEN);
            rest = marked;
        }
    }
    out.push_str(rest);
    out
}

/// Writes the `'s` that may follow a name, without its s after another one: "Goblins' turn".
/// Returns what follows.
fn possessive<'t>(rest: &'t str, out: &mut String) -> &'t str {
    match rest.strip_prefix("'s") {
        Some(after) => {
            out.push_str(possessive_ending(out));
            after
        }
        None => rest,
    }
}

/// What makes a name the owner: "Ann's", "Goblins'".
pub fn possessive_ending(name: &str) -> &'static str {
    if name.ends_with('s') { "'" } else { "'s" }
}

/// A value that a sentence can hold.
pub trait Describe {
    /// Writes the value in words; false if it says nothing, as a type that no sentence needs.
    fn describe(&self, _names: &dyn Names, _out: &mut String) -> bool {
        false
    }

    /// Whether words about the value stand in the plural.
    fn is_plural(&self, _names: &dyn Names) -> bool {
        false
    }

    /// Whether the value is a row of a table, such as a name with its roll: rows follow each other
    /// without "and".
    fn is_row(&self) -> bool {
        false
    }

    /// Whether it is an event that stands in the log alone, and of which no client reads.
    fn is_kept(&self) -> bool {
        false
    }
}

/// A value whose fields a template can name. `#[event]` and `#[fact]` implement it.
pub trait Tellable {
    /// Writes what the field of this name says; false if it says nothing.
    fn describe_field(&self, field: &str, names: &dyn Names, out: &mut String) -> bool;

    /// Whether words about the field of this name stand in the plural.
    fn field_is_plural(&self, field: &str, names: &dyn Names) -> bool;
}

/// Fills a template with the fields of a value. Always says something.
pub fn tell(template: &str, value: &dyn Tellable, names: &dyn Names, out: &mut String) -> bool {
    let mut rest = template;
    // The length before an open bracket, and whether a field after it said nothing.
    let mut group = None;
    let mut silent = false;
    while let Some(at) = rest.find(['{', '[', ']']) {
        let (text, marked) = rest.split_at(at);
        let (mark, after) = marked.split_at(1);
        out.push_str(text);
        rest = after;
        match mark {
            "{" => {
                let (name, after) = after.split_once('}').unwrap_or((after, ""));
                silent |= !tell_field(name, value, names, out);
                rest = possessive(after, out);
            }
            "[" => {
                group = Some(out.len());
                silent = false;
            }
            _ => {
                if let Some(before) = group.take()
                    && silent
                {
                    out.truncate(before);
                }
            }
        }
    }
    out.push_str(rest);
    true
}

/// Writes what stands for `{placeholder}`; false if it says nothing.
fn tell_field(
    placeholder: &str,
    value: &dyn Tellable,
    names: &dyn Names,
    out: &mut String,
) -> bool {
    // `{!flag}` keeps the words around it if the flag is not set.
    if let Some(flag) = placeholder.strip_prefix('!') {
        return !value.describe_field(flag, names, &mut String::new());
    }
    if let Some(field) = placeholder.strip_suffix('?') {
        return value.describe_field(field, names, &mut String::new());
    }
    if let Some((field, word)) = placeholder.split_once('=') {
        let mut said = String::new();
        value.describe_field(field, names, &mut said);
        return said == word;
    }
    let Some((field, words)) = placeholder.split_once(':') else {
        return value.describe_field(placeholder, names, out);
    };
    let (one, several) = words.split_once('|').unwrap_or((words, words));
    if value.field_is_plural(field, names) {
        out.push_str(several);
    } else {
        out.push_str(one);
    }
    true
}

/// Writes what several values say: "a, b and c", or the rows of a table: "a 3, b 2", with semicolons
/// if a row has commas itself. False if none says anything.
fn list<'v, T: Describe + 'v>(
    values: impl IntoIterator<Item = &'v T>,
    names: &dyn Names,
    out: &mut String,
) -> bool {
    let mut said = Vec::new();
    let mut rows = false;
    for value in values {
        let mut words = String::new();
        if value.describe(names, &mut words) {
            said.push(words);
            rows |= value.is_row();
        }
    }
    let Some((last, others)) = said.split_last() else {
        return false;
    };
    if rows {
        let has_commas = said.iter().any(|row| row.contains(", "));
        out.push_str(&said.join(if has_commas { "; " } else { ", " }));
        return true;
    }
    if !others.is_empty() {
        out.push_str(&others.join(", "));
        out.push_str(" and ");
    }
    out.push_str(last);
    true
}

/// Writes a word for machines as people write it. Two numbers keep the hyphen between them, as in
/// the turn `e1-2`.
pub fn spaced(word: &str, out: &mut String) -> bool {
    let mut after_digit = false;
    let mut letters = word.chars().peekable();
    while let Some(letter) = letters.next() {
        let before_digit = letters.peek().is_some_and(char::is_ascii_digit);
        out.push(match letter {
            '-' if after_digit && before_digit => '-',
            '_' | '-' => ' ',
            _ => letter,
        });
        after_digit = letter.is_ascii_digit();
    }
    true
}

impl Describe for CombatantId {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let someone = if out.is_empty() { "Someone" } else { "someone" };
        out.push_str(names.combatant(self).unwrap_or(someone));
        true
    }

    fn is_plural(&self, names: &dyn Names) -> bool {
        names.is_group(self)
    }
}

impl Describe for EffectId {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        match names.effect(self) {
            Some(effect) => effect.describe(names, out),
            None => {
                out.push_str("an effect");
                true
            }
        }
    }
}

impl Describe for Arc<Effect> {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        out.push_str(self.name.as_str());
        if let Some(target) = &self.target {
            out.push_str(" on ");
            target.describe(names, out);
        }
        true
    }
}

impl Describe for Slug {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        write_word(self.as_str(), names, out)
    }
}

/// A flag says nothing itself; it keeps or drops the words around it.
impl Describe for bool {
    fn describe(&self, _: &dyn Names, _: &mut String) -> bool {
        *self
    }
}

impl<T: Describe> Describe for Option<T> {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        match self {
            Some(value) => value.describe(names, out),
            None => false,
        }
    }

    fn is_plural(&self, names: &dyn Names) -> bool {
        match self {
            Some(value) => value.is_plural(names),
            None => false,
        }
    }
}

impl<T: Describe> Describe for Vec<T> {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        list(self, names, out)
    }

    fn is_plural(&self, names: &dyn Names) -> bool {
        match self.as_slice() {
            [only] => only.is_plural(names),
            _ => true,
        }
    }
}

impl Describe for Participants {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        list(self.iter(), names, out)
    }

    fn is_plural(&self, names: &dyn Names) -> bool {
        let mut all = self.iter();
        match (all.next(), all.next()) {
            (Some(only), None) => only.is_plural(names),
            _ => true,
        }
    }
}

impl<T: Describe> Describe for CachedJson<T> {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        (**self).describe(names, out)
    }

    fn is_plural(&self, names: &dyn Names) -> bool {
        (**self).is_plural(names)
    }
}

/// Numbers, which say what they display.
macro_rules! numbers {
    ($($type:ty),*) => { $(
        impl Describe for $type {
            fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
                write!(out, "{self}").is_ok()
            }

            fn is_plural(&self, _: &dyn Names) -> bool {
                *self != 1
            }
        }
    )* };
}

numbers! { u8, u16, u32, u64, usize, i64 }

impl Describe for MemberId {
    fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
        write!(out, "{self}").is_ok()
    }
}

impl<const MIN: i64, const MAX: i64> Describe for Int<MIN, MAX> {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        self.get().describe(names, out)
    }

    fn is_plural(&self, names: &dyn Names) -> bool {
        self.get().is_plural(names)
    }
}

impl<const MAX: usize, const LINES: bool> Describe for Text<MAX, LINES> {
    fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
        out.push_str(self.as_str());
        true
    }
}

impl Describe for Die {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        self.face.describe(names, out)
    }
}

impl Describe for Metadata {}

/// JSON of a command: ids are combatants or effects by their names, other texts are words.
impl Describe for Value {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        match self {
            Self::String(text) => {
                if let Some(id) = CombatantId::new(text)
                    && let Some(name) = names.combatant(&id)
                {
                    out.push_str(name);
                    return true;
                }
                if let Some(id) = EffectId::new(text)
                    && let Some(effect) = names.effect(&id)
                {
                    return effect.describe(names, out);
                }
                write_word(text, names, out)
            }
            Self::Number(number) => write!(out, "{number}").is_ok(),
            Self::Bool(flag) => *flag,
            Self::Array(values) => list(values, names, out),
            Self::Null | Self::Object(_) => false,
        }
    }

    fn is_plural(&self, names: &dyn Names) -> bool {
        match self {
            Self::String(text) => CombatantId::new(text).is_some_and(|id| names.is_group(&id)),
            Self::Number(number) => number.as_i64() != Some(1),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct AnnAndGoblins;

    impl Tellable for AnnAndGoblins {
        fn describe_field(&self, field: &str, _: &dyn Names, out: &mut String) -> bool {
            let name = match field {
                "a" => "Ann",
                "g" => "Goblins",
                _ => return false,
            };
            out.push_str(name);
            true
        }

        fn field_is_plural(&self, field: &str, _: &dyn Names) -> bool {
            field == "g"
        }
    }

    fn filled(template: &str) -> String {
        let mut out = String::new();
        tell(template, &AnnAndGoblins, &OnlyAnn, &mut out);
        out
    }

    #[test]
    fn a_verb_follows_the_number_of_its_subject() {
        assert_eq!(filled("{a} {a:takes|take} it."), "Ann takes it.");
        assert_eq!(filled("{g} {g:takes|take} it."), "Goblins take it.");
    }

    #[test]
    fn a_template_leaves_out_what_says_nothing() {
        assert_eq!(
            filled("{a} acts[ after {b}][, says {a}]."),
            "Ann acts, says Ann."
        );
        assert_eq!(filled("[{b} and {a}]{a}"), "Ann");
        assert_eq!(filled("no field"), "no field");
        assert_eq!(filled("{a"), "Ann");
        assert_eq!(filled("{a}[{!a} alone][{!b} waits]"), "Ann waits");
        assert_eq!(
            filled("[{a?}one][{b?}two][{a=Ann} three][{a=Bob} four]"),
            "one three"
        );
    }

    #[test]
    fn a_name_that_ends_in_s_takes_an_apostrophe_alone() {
        assert_eq!(
            filled("{g}'s turn after {a}'s[ or {b}'s]."),
            "Goblins' turn after Ann's."
        );
    }

    struct Ranked(&'static str);

    impl Describe for Ranked {
        fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
            out.push_str(self.0);
            true
        }

        fn is_row(&self) -> bool {
            true
        }
    }

    #[test]
    fn rows_of_a_table_stay_apart() {
        let told = |rows: Vec<Ranked>| {
            let mut out = String::new();
            rows.describe(&OnlyAnn, &mut out);
            out
        };
        assert_eq!(
            told(vec![Ranked("Ann 9"), Ranked("Bo and Cy 3")]),
            "Ann 9, Bo and Cy 3"
        );
        assert_eq!(
            told(vec![Ranked("Ann 9"), Ranked("Bo, Cy and Di 3")]),
            "Ann 9; Bo, Cy and Di 3"
        );
    }

    struct OnlyAnn;

    impl Names for OnlyAnn {
        fn combatant(&self, id: &CombatantId) -> Option<&str> {
            (*id == "a1").then_some("Ann")
        }

        fn is_group(&self, _: &CombatantId) -> bool {
            false
        }

        fn effect(&self, _: &EffectId) -> Option<&Arc<Effect>> {
            None
        }
    }

    #[test]
    fn marks_in_a_clients_text_are_no_ids() {
        let (ann, other) = (CombatantId::fixed("a1"), CombatantId::fixed("b2"));
        assert_eq!(
            with_names(&format!("it is {ann}'s, not {other}'s"), &OnlyAnn),
            "it is Ann's, not b2's"
        );
        assert_eq!(
            with_names(&format!("\u{2068}x y\u{2069} of {ann}"), &OnlyAnn),
            "\u{2068}x y\u{2069} of Ann"
        );
        assert_eq!(
            with_names(&format!("\u{2068}x of {ann}"), &OnlyAnn),
            "\u{2068}x of Ann"
        );
    }
}
