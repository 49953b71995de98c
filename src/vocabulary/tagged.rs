//! Commands and events as tagged unions of named structs.

use super::{Actor, CommandSpec};
use crate::json::{FieldError, read_fields, read_json_beside};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// The fields of a command beside its type.
pub type CommandFields = Map<String, Value>;

/// What the fields of a tagged union are read of, once the tag is known.
pub trait Source {
    /// Reads a struct of the fields beside the tag.
    fn read<T: DeserializeOwned>(&self) -> Result<T, FieldError>;
}

impl Source for CommandFields {
    fn read<T: DeserializeOwned>(&self) -> Result<T, FieldError> {
        read_fields(self, &["type"])
    }
}

/// An event in JSON, with its type.
impl Source for str {
    fn read<T: DeserializeOwned>(&self) -> Result<T, FieldError> {
        read_json_beside(self, "type")
    }
}

/// A union of named structs, in JSON `{"type": "...", ...}`. `#[derive(Tagged!)]` implements it.
pub trait Tagged: Sized {
    /// Reads what belongs to `tag`; None if the union has no such tag.
    fn parse<S: Source + ?Sized>(tag: &str, source: &S) -> Option<Result<Self, FieldError>>;
}

/// The type of an event in JSON.
pub fn event_type(json: &str) -> Result<Cow<'_, str>, FieldError> {
    #[derive(Deserialize)]
    struct TypeField<'j> {
        #[serde(borrow, rename = "type")]
        kind: Option<&'j RawValue>,
    }
    if !json.starts_with('{') {
        return Err(FieldError::malformed(
            "",
            "an object is expected: an event with its `type`",
        ));
    }
    let field: TypeField<'_> = serde_json::from_str(json).map_err(|_| FieldError::twice("type"))?;
    let kind = field
        .kind
        .ok_or_else(|| FieldError::malformed("type", "missing field `type`"))?;
    serde_json::from_str(kind.get())
        .map_err(|_| FieldError::malformed("type", "the type is a string"))
}

/// The type of a command and its other fields. An error says what is `expected` instead of anything
/// but an object.
pub fn read_tagged(value: Value, expected: &str) -> Result<(String, CommandFields), FieldError> {
    let Value::Object(mut fields) = value else {
        return Err(FieldError::malformed("", expected));
    };
    match fields.remove("type") {
        Some(Value::String(tag)) => Ok((tag, fields)),
        Some(_) => Err(FieldError::malformed("type", "the type is a string")),
        None => Err(FieldError::malformed("type", "missing field `type`")),
    }
}

/// A tagged union of commands.
pub trait Commands: Tagged {
    /// Who may send each command, and what it does.
    const SPECS: &'static [CommandSpec];

    /// The combatants in whose name a player sends the command. Only asked of commands that the
    /// table of [`SPECS`](Self::SPECS) allows players.
    fn actor(&self) -> Actor<'_> {
        Actor::Gm
    }
}

/// The schema of a tagged union of variants with their tags.
pub fn union_schema<const COUNT: usize>(variants: [(&str, RefOr<Schema>); COUNT]) -> RefOr<Schema> {
    let variants = variants
        .into_iter()
        .map(|(tag, schema)| tagged_schema(tag, schema));
    variants
        .fold(OneOfBuilder::new(), OneOfBuilder::item)
        .into()
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
