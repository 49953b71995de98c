//! What is wrong with what a client sent, in words for people. Only this file words the errors of
//! serde.

use serde::Serialize;
use serde::de::{self, Expected, Unexpected};
use std::fmt::{self, Display};
use utoipa::ToSchema;

/// Whether a character sets the direction of the text after it, so that a name can turn around the
/// sentence that it is in. The marks of direction that Arabic and Hebrew need do not.
pub fn sets_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// True if a character breaks a line.
pub fn breaks_line(c: char) -> bool {
    matches!(c, '\n' | '\u{2028}' | '\u{2029}')
}

/// As much of a client's text as an error may repeat.
pub fn shortened(text: &str) -> String {
    let repeated = text
        .chars()
        .filter(|c| !c.is_control() && !sets_direction(*c) && !breaks_line(*c));
    repeated.take(40).collect()
}

/// A field that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// The path of the field: names and list positions, separated by dots. Empty for the whole body.
    pub path: String,
    /// The problem with the field, and the remedy.
    pub message: String,
    /// The kind of the error. Not for clients.
    #[serde(skip)]
    pub kind: ErrorKind,
}

/// The kinds of mistakes that a field can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The body is not JSON.
    NotJson,
    /// It is missing, unknown, or has not the shape that is expected.
    Malformed,
    /// Its JSON object has it twice.
    Twice,
    /// The shape is right, and only the value makes no sense.
    Meaningless,
}

impl FieldError {
    /// A value of the right shape that makes no sense here.
    pub fn meaningless(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
            kind: ErrorKind::Meaningless,
        }
    }

    /// Something that has not the shape that is expected.
    pub fn malformed(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
            kind: ErrorKind::Malformed,
        }
    }

    /// A field that its object has twice.
    pub fn twice(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: TWICE.to_owned(),
            kind: ErrorKind::Twice,
        }
    }

    /// The same error seen from one level further out.
    pub fn within(mut self, outer: &str) -> Self {
        self.path = match self.path.as_str() {
            "" => outer.to_owned(),
            inner if outer.is_empty() => inner.to_owned(),
            inner => format!("{outer}.{inner}"),
        };
        self
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message, .. } = self;
        if path.is_empty() {
            message.fmt(f)
        } else {
            write!(f, "{path}: {message}")
        }
    }
}

/// What is said of a field that appears twice.
pub(super) const TWICE: &str = "This field appears twice. Send it once.";

/// What an object is called if one is expected.
pub(super) const OBJECT: &str = "an object";

/// 2^53: from here on a number with a fraction or an exponent is inexact.
pub(super) const INEXACT: f64 = 9_007_199_254_740_992.0;

/// Why something could not be read, and where.
#[derive(Debug)]
pub(super) struct ReadError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    /// From the inside out.
    path: Vec<String>,
    message: String,
    kind: ErrorKind,
    /// The known fields, if one is unknown.
    known: Option<&'static [&'static str]>,
}

/// What the names of an object are called.
#[derive(Debug, Clone, Copy)]
pub(super) enum FieldNames {
    Fields,
    QueryParameters,
}

impl FieldNames {
    fn unknown(self, known: &[&str]) -> String {
        let allowed = known.join(", ");
        match (self, known) {
            (Self::Fields, []) => "Unknown field. No field is allowed here.".to_owned(),
            (Self::Fields, _) => format!("Unknown field. Allowed: {allowed}."),
            (Self::QueryParameters, []) => {
                "Unknown query parameter. This endpoint takes none; remove it.".to_owned()
            }
            (Self::QueryParameters, _) => format!("Unknown query parameter. Allowed: {allowed}."),
        }
    }
}

/// The error for bytes that are not JSON.
pub(super) fn not_json(json: &[u8], error: &serde_json::Error) -> FieldError {
    let message = match json {
        [] => "The body is empty. Send JSON.".to_owned(),
        _ => invalid_json(&error.to_string()),
    };
    FieldError {
        path: String::new(),
        message,
        kind: ErrorKind::NotJson,
    }
}

/// Invalid JSON, with its place and serde's reason in words for people.
fn invalid_json(error: &str) -> String {
    let mut place = String::new();
    let mut reason = error;
    if let Some((before, after)) = error.rsplit_once(" at line ") {
        place = format!(" at line {}", after.replace(" column ", ", column "));
        reason = before;
    }
    let reason = match reason {
        "key must be a string" => "object keys must be strings in double quotes",
        "trailing characters" => "something follows the end of the value",
        "trailing comma" => "a comma is followed by no value",
        "recursion limit exceeded" => "lists and objects are nested too deeply",
        ended if ended.starts_with("EOF while") => "it ends too early",
        reason => reason,
    };
    format!("Invalid JSON{place}: {reason}.")
}

impl ReadError {
    fn new(message: String, kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            path: Vec::new(),
            message,
            kind,
            known: None,
        }))
    }

    /// Text that is not JSON.
    pub(super) fn not_json(error: impl Display) -> Self {
        Self::new(invalid_json(&error.to_string()), ErrorKind::NotJson)
    }

    /// A field that its object has twice.
    pub(super) fn twice(field: &str) -> Self {
        Self::new(TWICE.to_owned(), ErrorKind::Twice).below(field)
    }

    /// The same error seen from one level further out.
    pub(super) fn below(mut self, outer: &str) -> Self {
        self.0.path.push(outer.to_owned());
        self
    }

    /// An error in the name of a field: its path is the field.
    pub(super) fn of_key(self, key: &str) -> Self {
        if self.0.path.is_empty() {
            self.below(key)
        } else {
            self
        }
    }

    /// The error for clients. `beside` are fields of the same object that are read elsewhere.
    pub(super) fn into_field_error(self, beside: &[&'static str], names: FieldNames) -> FieldError {
        let Inner {
            path,
            mut message,
            kind,
            known,
        } = *self.0;
        if let Some(known) = known {
            let beside = if path.len() == 1 { beside } else { &[] };
            let known: Vec<_> = beside.iter().chain(known).copied().collect();
            message = names.unknown(&known);
        }
        FieldError {
            path: joined(&path),
            message,
            kind,
        }
    }
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.message.fmt(f)
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string(), ErrorKind::Malformed)
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            // It is a whole number, and beyond every range.
            Unexpected::Float(number) if number.abs() >= INEXACT && expects_integer(expected) => {
                Self::invalid_value(found, expected)
            }
            _ => Self::new(
                unexpected(&expected_in_words(expected), &describe(found)),
                ErrorKind::Malformed,
            ),
        }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(
            unexpected(&expected_in_words(expected), &describe(found)),
            ErrorKind::Meaningless,
        )
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(
            unexpected(&expected_in_words(expected), &format!("a list of {length}")),
            ErrorKind::Malformed,
        )
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(
            unexpected(&one_of(expected), &format!("{:?}", shortened(variant))),
            ErrorKind::Meaningless,
        )
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let mut error = Self::new(
            format!("Unknown field {:?}.", shortened(field)),
            ErrorKind::Malformed,
        )
        .below(field);
        error.0.known = Some(expected);
        error
    }

    fn missing_field(field: &'static str) -> Self {
        let message = "This field is required.".to_owned();
        Self::new(message, ErrorKind::Malformed).below(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(TWICE.to_owned(), ErrorKind::Malformed).below(field)
    }
}

/// The message for a value of the wrong type.
fn unexpected(expected: &str, found: &str) -> String {
    format!("Expected {expected}, got {found}.")
}

/// The path of an error whose steps are collected from the inside out.
pub(super) fn joined(steps: &[String]) -> String {
    let steps: Vec<_> = steps.iter().rev().map(|step| shortened(step)).collect();
    steps.join(".")
}

/// One of these words.
pub(super) fn one_of(words: &[&str]) -> String {
    match words {
        [word] => format!("{word:?}"),
        words => format!("one of {}", words.join(", ")),
    }
}

/// What there should be: Rust's own words are said in those of JSON, ours as they are.
pub(super) fn expected_in_words(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    match text.as_str() {
        "a string" => "text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "unit" => "null".to_owned(),
        "enum" => "an object with one field".to_owned(),
        "struct variant" | "newtype variant" | "tuple variant" => OBJECT.to_owned(),
        "u16" => format!("a whole number from 0 to {}", u16::MAX),
        "u32" => format!("a whole number from 0 to {}", u32::MAX),
        "u64" => format!("a whole number from 0 to {}", u64::MAX),
        "i64" => format!("a whole number from {} to {}", i64::MIN, i64::MAX),
        rust if is_object(rust) => OBJECT.to_owned(),
        _ => text,
    }
}

/// Whether these words of Rust are for what is an object in JSON.
fn is_object(rust: &str) -> bool {
    rust.starts_with("struct ")
        || rust.starts_with("internally tagged enum ")
        || rust.starts_with("a map")
}

/// Whether a whole number is expected.
pub(super) fn expects_integer(expected: &dyn Expected) -> bool {
    expected_in_words(expected).starts_with("a whole number")
}

/// What there is.
fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(truth) => truth.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        // Its digits are not those that were sent.
        Unexpected::Float(number) if number.abs() >= INEXACT => "a number of that size".to_owned(),
        Unexpected::Float(number) => number.to_string(),
        Unexpected::Char(letter) => format!("{letter:?}"),
        Unexpected::Str(text) => format!("{:?}", shortened(text)),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => OBJECT.to_owned(),
        Unexpected::Other(found) => found.to_owned(),
        Unexpected::Bytes(_) | Unexpected::NewtypeStruct => "something else".to_owned(),
        Unexpected::Enum
        | Unexpected::UnitVariant
        | Unexpected::NewtypeVariant
        | Unexpected::TupleVariant
        | Unexpected::StructVariant => "a single word".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Shape {
        Round,
        Long { _length: u32 },
    }

    #[derive(Debug, Deserialize)]
    struct Wound {
        #[serde(rename = "each")]
        _each: u32,
        #[serde(rename = "by")]
        _by: i32,
    }

    fn said<T: DeserializeOwned>(value: Value) -> (ErrorKind, String) {
        let error = read::<T>(&value).map(drop).expect_err("refused");
        (error.kind, error.message)
    }

    #[test]
    fn what_is_expected_and_what_is_there_is_said_in_the_words_of_json() {
        let shape = |said: (ErrorKind, String), expected: &str| {
            assert_eq!(said, (ErrorKind::Malformed, expected.into()));
        };
        let range = |said: (ErrorKind, String), expected: &str| {
            assert_eq!(said, (ErrorKind::Meaningless, expected.into()));
        };
        shape(said::<String>(json!(3)), "Expected text, got 3.");
        shape(
            said::<String>(json!(1e300)),
            "Expected text, got a number of that size.",
        );
        shape(
            said::<bool>(json!("yes")),
            "Expected true or false, got \"yes\".",
        );
        shape(
            said::<Vec<u32>>(json!({})),
            "Expected a list, got an object.",
        );
        shape(
            said::<BTreeMap<String, u32>>(json!([])),
            "Expected an object, got a list.",
        );
        shape(
            said::<Wound>(json!(1)),
            "Expected an object such as {\"each\": ..., \"by\": ...}, got 1.",
        );
        shape(
            said::<Wound>(json!([1, 2])),
            "Expected an object such as {\"each\": ..., \"by\": ...}, got a list.",
        );
        shape(said::<()>(json!(true)), "Expected null, got true.");
        shape(
            said::<Shape>(json!({"long": 3})),
            "Expected an object, got 3.",
        );
        shape(
            said::<Shape>(json!({"long": {"_length": 1}, "round": null})),
            "Expected one of round, long, got an object.",
        );
        range(
            said::<Shape>(json!("square")),
            "Expected one of round, long, got \"square\".",
        );
        range(
            said::<u16>(json!(70_000)),
            "Expected a whole number from 0 to 65535, got 70000.",
        );
        range(
            said::<u32>(json!(-1)),
            "Expected a whole number from 0 to 4294967295, got -1.",
        );
        range(
            said::<u64>(json!(-1)),
            "Expected a whole number from 0 to 18446744073709551615, got -1.",
        );
        range(
            said::<u32>(json!(-1e300)),
            "Expected a whole number from 0 to 4294967295, got a number of that size.",
        );
        shape(
            said::<u32>(json!(1.5)),
            "Expected a whole number from 0 to 4294967295, got 1.5.",
        );
        shape(
            said::<i64>(json!("one")),
            "Expected a whole number from -9223372036854775808 to 9223372036854775807, got \"one\".",
        );
        assert!(matches!(read::<Shape>(&json!("round")), Ok(Shape::Round)));
        assert!(matches!(
            read::<Shape>(&json!({"long": {"_length": 1}})),
            Ok(Shape::Long { .. })
        ));
        assert_eq!(
            read::<u32>(&json!(3.0)).ok(),
            Some(3),
            "a whole number may be written with a fraction of nothing"
        );
    }
}
