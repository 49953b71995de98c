//! What is wrong with what a client sent, in words for people. Only this file words the errors of
//! serde.

use serde::Serialize;
use serde::de::{self, Expected, Unexpected};
use std::fmt::{self, Display};
use utoipa::ToSchema;

/// As much of a client's text as an error may repeat.
pub fn shortened(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

/// A field that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// Where it is: field names and list positions with dots between. Empty for the whole body.
    pub path: String,
    /// What is wrong with it.
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
pub(super) const TWICE: &str = "it appears twice: send it once";

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

/// The error for bytes that are not JSON.
pub(super) fn not_json(json: &[u8], error: &serde_json::Error) -> FieldError {
    let message = match json {
        [] => "the body is empty: JSON is expected".to_owned(),
        _ => format!("this is not JSON: {error}"),
    };
    FieldError {
        path: String::new(),
        message,
        kind: ErrorKind::NotJson,
    }
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
        Self::new(format!("this is not JSON: {error}"), ErrorKind::NotJson)
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
    pub(super) fn into_field_error(self, beside: &[&'static str]) -> FieldError {
        let Inner {
            path,
            mut message,
            kind,
            known,
        } = *self.0;
        if let Some(known) = known {
            let beside = if path.len() == 1 { beside } else { &[] };
            let known: Vec<_> = beside.iter().chain(known).copied().collect();
            message = match known.as_slice() {
                [] => "there is no such field: none is expected here".to_owned(),
                known => format!("there is no such field: there are {}", known.join(", ")),
            };
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
                format!(
                    "{} is expected, not {}",
                    expected_in_words(expected),
                    describe(found)
                ),
                ErrorKind::Malformed,
            ),
        }
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(
            format!(
                "{} is expected, not {}",
                expected_in_words(expected),
                describe(found)
            ),
            ErrorKind::Meaningless,
        )
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(
            format!(
                "{} is expected, not a list of {length}",
                expected_in_words(expected)
            ),
            ErrorKind::Malformed,
        )
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(
            format!(
                "{} is expected, not {:?}",
                one_of(expected),
                shortened(variant)
            ),
            ErrorKind::Meaningless,
        )
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let mut error = Self::new(
            format!("there is no field {:?}", shortened(field)),
            ErrorKind::Malformed,
        )
        .below(field);
        error.0.known = Some(expected);
        error
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("missing field `{field}`"), ErrorKind::Malformed).below(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(TWICE.to_owned(), ErrorKind::Malformed).below(field)
    }
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
        shape(said::<String>(json!(3)), "text is expected, not 3");
        shape(
            said::<String>(json!(1e300)),
            "text is expected, not a number of that size",
        );
        shape(
            said::<bool>(json!("yes")),
            "true or false is expected, not \"yes\"",
        );
        shape(
            said::<Vec<u32>>(json!({})),
            "a list is expected, not an object",
        );
        shape(
            said::<BTreeMap<String, u32>>(json!([])),
            "an object is expected, not a list",
        );
        shape(said::<()>(json!(true)), "null is expected, not true");
        shape(
            said::<Shape>(json!({"long": 3})),
            "an object is expected, not 3",
        );
        shape(
            said::<Shape>(json!({"long": {"_length": 1}, "round": null})),
            "one of round, long is expected, not an object",
        );
        range(
            said::<Shape>(json!("square")),
            "one of round, long is expected, not \"square\"",
        );
        range(
            said::<u16>(json!(70_000)),
            "a whole number from 0 to 65535 is expected, not 70000",
        );
        range(
            said::<u32>(json!(-1)),
            "a whole number from 0 to 4294967295 is expected, not -1",
        );
        range(
            said::<u64>(json!(-1)),
            "a whole number from 0 to 18446744073709551615 is expected, not -1",
        );
        range(
            said::<u32>(json!(-1e300)),
            "a whole number from 0 to 4294967295 is expected, not a number of that size",
        );
        shape(
            said::<u32>(json!(1.5)),
            "a whole number from 0 to 4294967295 is expected, not 1.5",
        );
        shape(
            said::<i64>(json!("one")),
            "a whole number from -9223372036854775808 to 9223372036854775807 is expected, not \"one\"",
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
