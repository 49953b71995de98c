//! Short texts of the caller's own.

use super::{FieldType, Lines, Text, Values};
use serde::de::{Deserializer, Error, Unexpected};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Texts that a client keeps with an object, such as ids of other programs. The server returns and
/// never reads them. At most 16, with names of 1 to 40 characters and values of 1 to 200.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Metadata(BTreeMap<Key, Kept>);

type Key = Text<40>;
type Kept = Lines<200>;

impl Metadata {
    const MAX: usize = 16;

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = BTreeMap::<Key, Kept>::deserialize(deserializer)?;
        match texts.len() {
            0..=Self::MAX => Ok(Self(texts)),
            n => {
                let found = format!("{n} of them");
                Err(D::Error::invalid_value(
                    Unexpected::Other(&found),
                    &"metadata of at most 16 texts",
                ))
            }
        }
    }
}

/// A text that is not blank and has no control characters but line breaks and tabs, as a regular
/// expression.
const TEXT: &str =
    r"^[^\x00-\x08\x0B-\x1F\x7F-\x9F]*[^\s\x00-\x1F\x7F-\x9F][^\x00-\x08\x0B-\x1F\x7F-\x9F]*$";

impl PartialSchema for Metadata {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new()
            .schema_type(Type::String)
            .pattern(Some(TEXT));
        let object = ObjectBuilder::new()
            .schema_type(Type::Object)
            .max_properties(Some(Self::MAX));
        let object =
            object.additional_properties(Some(text.min_length(Some(1)).max_length(Some(200))));
        object
            .description(Some(
                "Texts that a client keeps with it, such as ids of other programs: echoed, never \
                 read.",
            ))
            .into()
    }
}

impl ToSchema for Metadata {}

impl FieldType for Metadata {
    fn values() -> Option<Values> {
        Some(Values::map(Key::values()?, Kept::values()?, Self::MAX))
    }
}
