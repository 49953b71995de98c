//! Reads what clients send: JSON in which nothing is ambiguous, into types of our own, with errors for people.
//!
//! Stored documents are the program's own and are read by serde alone.

mod fault;
mod parameter;
mod reader;
mod strict;

use fault::ReadError;
pub use parameter::read_query;
pub use strict::{BadJson, parse, parse_beside};

use reader::{Fields, Reader};
use serde::de::DeserializeOwned;
use serde::de::value::MapAccessDeserializer;
use serde_json::{Map, Value};
use std::fmt;

/// What is wrong with one field of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldError {
    /// Where: field names and list positions with dots between, empty for the whole.
    pub path: String,
    /// What is wrong and what would be right.
    pub message: String,
    /// What kind of mistake it is.
    pub flaw: ErrorKind,
}

/// The kinds of mistakes that a field can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
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
        Self { path: path.into(), message: message.into(), flaw: ErrorKind::Meaningless }
    }

    /// Something that has not the shape that is expected.
    pub fn malformed(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), flaw: ErrorKind::Malformed }
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
        if path.is_empty() { message.fmt(f) } else { write!(f, "{path}: {message}") }
    }
}

impl From<BadJson> for FieldError {
    fn from(bad: BadJson) -> Self {
        match bad {
            BadJson::Syntax(error) => Self::malformed("", format!("this is not JSON: {error}")),
            BadJson::Twice(error) => error,
        }
    }
}

/// Reads a value of `T`, naming the field that is wrong where one is.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, FieldError> {
    T::deserialize(Reader(value)).map_err(|fault| fault.told(&[]))
}

/// Reads a `T` of an object's fields, naming the field that is wrong where one is. `beside` are the fields that belong to the same
/// object and are read elsewhere: whoever misspells one is told of them too.
pub fn read_fields<T: DeserializeOwned>(fields: &Map<String, Value>, beside: &[&'static str]) -> Result<T, FieldError> {
    T::deserialize(MapAccessDeserializer::new(Fields::of(fields))).map_err(|fault| fault.told(beside))
}
