//! Tagged unions of named structs: commands and events.

use super::FieldError;
use serde_json::{Map, Value};

/// A tagged union whose tag is known before the rest is read.
pub trait Tagged: Sized {
    /// Every tag, in the order of the documentation.
    const TAGS: &'static [&'static str];

    /// Reads the fields that belong to `verb`; None when it is not one of [`Self::TAGS`].
    fn parse(verb: &str, fields: &Map<String, Value>) -> Option<Result<Self, FieldError>>;
}

/// Makes a tagged union (`{"type": "...", ...}`) of named structs: serde, [`Tagged`] and a schema with named variants and a
/// discriminator, which derives cannot give together.
macro_rules! tagged {
    ($(#[$doc:meta])* pub enum $name:ident { $( $tag:literal => $variant:ident ),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "type")]
        #[allow(missing_docs, reason = "each variant is its struct, documented there")]
        pub enum $name { $( #[serde(rename = $tag)] $variant($variant) ),* }

        impl $crate::vocabulary::Tagged for $name {
            const TAGS: &'static [&'static str] = &[$($tag),*];
            fn parse(
                verb: &str, fields: &serde_json::Map<String, serde_json::Value>,
            ) -> Option<Result<Self, $crate::vocabulary::FieldError>> {
                match verb {
                    $( $tag => Some($crate::vocabulary::read_fields::<$variant>(fields, &["type"]).map(Self::$variant)), )*
                    _ => None,
                }
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                use utoipa::openapi::schema::{Discriminator, OneOfBuilder, Ref};
                let mut union = OneOfBuilder::new();
                let mut discriminator = Discriminator::new("type");
                $(
                    let name = <$variant as utoipa::ToSchema>::name();
                    union = union.item(Ref::from_schema_name(name.as_ref()));
                    discriminator.mapping.insert($tag.to_owned(), format!("#/components/schemas/{name}"));
                )*
                union.discriminator(Some(discriminator)).into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
                use utoipa::openapi::{RefOr, Schema};
                use utoipa::openapi::schema::ObjectBuilder;
                $(
                    let mut variant = <$variant as utoipa::PartialSchema>::schema();
                    if let RefOr::T(Schema::Object(object)) = &mut variant {
                        let tag = ObjectBuilder::new()
                            .schema_type(utoipa::openapi::schema::Type::String)
                            .enum_values(Some([$tag]));
                        object.properties.insert("type".to_owned(), tag.into());
                        object.required.insert(0, "type".to_owned());
                    }
                    schemas.push((<$variant as utoipa::ToSchema>::name().into_owned(), variant));
                    <$variant as utoipa::ToSchema>::schemas(schemas);
                )*
            }
        }
    };
}
pub(crate) use tagged;
