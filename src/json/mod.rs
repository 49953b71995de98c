//! Reads what clients send: JSON in which nothing is ambiguous, into types of our own, with errors
//! for people.
//!
//! The crate `serde_path_to_error` gives the paths of errors, too. But it reads a list where a
//! struct is expected and refuses `3.0` for a whole number, and its errors are serde's.
//!
//! Stored documents are the program's own and are read by serde only.

mod cached;
mod error;
mod items;
mod object;
mod query;
mod reader;
mod strict;
mod tagged;

pub use cached::{CachedJson, JsonCell};
pub use error::{ErrorKind, FieldError, breaks_line, sets_direction, shortened};
pub use items::{each_item, json_text};
pub use query::read_query;
pub use reader::{read, read_fields, read_json, read_json_beside};
pub use strict::parse;
pub use tagged::{Source, Tagged, TaggedFields, read_tagged, union_schema};
