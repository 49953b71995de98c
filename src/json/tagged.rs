//! Tagged unions of named structs, in JSON `{"type": "...", ...}`.

use super::{FieldError, read_fields};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// The fields of an object without its type.
pub type TaggedFields = Map<String, Value>;

/// What the fields of a tagged union are read of, once the tag is known.
pub trait Source {
    /// Reads a struct of the fields without the tag.
    fn read<T: DeserializeOwned>(&self) -> Result<T, FieldError>;
}

impl Source for TaggedFields {
    fn read<T: DeserializeOwned>(&self) -> Result<T, FieldError> {
        read_fields(self, &["type"])
    }
}

/// A tagged union of named structs. `#[commands]` and `#[events]` implement it.
pub trait Tagged: Sized {
    /// Reads what belongs to `tag`; None if the union has no such tag.
    fn parse<S: Source + ?Sized>(tag: &str, source: &S) -> Option<Result<Self, FieldError>>;
}

/// The type of an object and its other fields. An error says what is `expected` instead of anything
/// but an object.
pub fn read_tagged(value: Value, expected: &str) -> Result<(String, TaggedFields), FieldError> {
    let Value::Object(mut fields) = value else {
        return Err(FieldError::malformed("", expected));
    };
    match fields.remove("type") {
        Some(Value::String(tag)) => Ok((tag, fields)),
        Some(_) => Err(FieldError::malformed("type", "The type must be a string.")),
        None => Err(FieldError::malformed("type", "This field is required.")),
    }
}

/// The schema of a tagged union of variants with their tags.
pub fn union_schema<const COUNT: usize>(variants: [(&str, RefOr<Schema>); COUNT]) -> RefOr<Schema> {
    let mut union = OneOfBuilder::new();
    for (tag, schema) in variants {
        union = union.item(tagged_schema(tag, schema));
    }
    union.into()
}

/// The schema of one variant of a tagged union, with its tag.
fn tagged_schema(tag: &str, mut schema: RefOr<Schema>) -> RefOr<Schema> {
    if let RefOr::T(Schema::Object(object)) = &mut schema {
        let tag = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some([tag]));
        object.properties.insert("type".to_owned(), tag.into());
        object.required.insert(0, "type".to_owned());
    }
    schema
}
