//! Declares the data of rulesets: commands and events as tagged unions of named structs, settings, and enums of words.

use super::{Actor, CommandSpec, FieldError, read_fields, read_json_beside};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// The fields of a command beside its type.
pub type CommandFields = Map<String, Value>;

/// A tagged union whose tag is known before the rest is read: commands from their [`CommandFields`], events from their JSON.
pub trait Tagged<Source: ?Sized>: Sized {
    /// Reads what belongs to `tag`; None if the union has no such tag.
    fn parse(tag: &str, source: &Source) -> Option<Result<Self, FieldError>>;
}

/// Reads a command of its fields.
pub fn read_command<T: DeserializeOwned>(fields: &CommandFields) -> Result<T, FieldError> {
    read_fields(fields, &["type"])
}

/// Reads an event of its JSON, which has its type too.
pub fn read_event<T: DeserializeOwned>(json: &str) -> Result<T, FieldError> {
    read_json_beside(json, "type")
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

/// The type of a command and its other fields. An error says what is `expected` instead of anything but an object.
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
pub trait Commands: Tagged<CommandFields> {
    /// Who may send each command, and what it does.
    const SPECS: &'static [CommandSpec];

    /// In whose name a player's command is sent, by the field that its declaration names.
    fn actor(&self) -> Actor<'_>;
}

/// Declares the events of a ruleset: a union in JSON (`{"type": "...", ...}`), and a struct for each event.
///
/// After `says` stands the sentence that tells the event, with `{field}` and `[parts left out where a field says nothing]`
/// ([`fill`](super::fill)). Each struct serializes without its absent fields and is redacted field by field
/// ([`Redact`](super::Redact)).
#[macro_export]
macro_rules! events {
    ($(#[$doc:meta])* $union:ident; $(
        $(#[$meta:meta])*
        $tag:literal => $name:ident says $words:literal {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty ),* $(,)?
        }
    )*) => {
        $(
            $crate::redacted! {
                $(#[$meta])*
                pub struct $name says $words { $( $(#[$field_meta])* pub $field: $type ),* }
            }
        )*

        impl $crate::vocabulary::Describe for $union {
            fn describe(&self, names: &dyn $crate::vocabulary::Names, out: &mut String) -> bool {
                match self {
                    $( Self::$name(event) => event.describe(names, out), )*
                }
            }
        }

        $crate::tagged! {
            $(#[$doc])* $union by read_event of str; $( $tag => $name ),*
        }

        impl $crate::vocabulary::Redact for $union {
            fn redact(&self, audience: &$crate::vocabulary::Audience<'_>) -> Option<Self> {
                match self {
                    $( Self::$name(event) => event.redact(audience).map(Self::$name), )*
                }
            }
        }
    };
}

/// Declares the commands of a ruleset: a union in JSON (`{"type": "...", ...}`), and a struct for each command.
///
/// In parentheses stands who may send it ([`AllowedRole`](super::AllowedRole)), and the field with the combatants in whose name a player
/// sends it: without that field a command is the game master's. After `says` stand the words for a button ([`fill`](super::fill)). The
/// doc comment is the command's summary in the manifest. `field: Type = value` names the type's default, which the field has when it is
/// absent. Lists and maps may be absent too.
#[macro_export]
macro_rules! commands {
    ($(#[$doc:meta])* $union:ident; $(
        $(#[doc = $summary:literal])+
        $tag:literal ($role:ident $(: $actor:ident)?) => $name:ident says $words:literal {
            $( $(#[$field_meta:meta])* $field:ident: $type:ty $(= $default:tt)? ),* $(,)?
        }
    )*) => {
        $(
            $(#[doc = $summary])+
            #[serde_with::apply(
                Vec<_> => #[serde(default, skip_serializing_if = "Vec::is_empty")],
                BTreeMap<_, _> => #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")],
                BTreeMap<_, D20> => #[schema(value_type = std::collections::HashMap<String, u8>)],
                BTreeMap<_, Vec<D10>> => #[schema(value_type = std::collections::HashMap<String, Vec<u8>>)],
            )]
            #[serde_with::skip_serializing_none]
            #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
            #[serde(deny_unknown_fields)]
            #[allow(missing_docs, reason = "the struct says what the combatant does")]
            pub struct $name {
                $( $(#[$field_meta])* $(#[serde(default)] #[schema(default = $default)])? pub $field: $type ),*
            }
        )*

        $crate::tagged! { $(#[$doc])* $union by read_command of $crate::vocabulary::CommandFields; $( $tag => $name ),* }

        impl $crate::vocabulary::Commands for $union {
            const SPECS: &'static [$crate::vocabulary::CommandSpec] = &[$(
                $crate::vocabulary::CommandSpec {
                    verb: $tag,
                    label: $words,
                    summary: concat!($($summary),+).trim_ascii_start(),
                    sender: $crate::vocabulary::AllowedRole::$role,
                }
            ),*];

            fn actor(&self) -> $crate::vocabulary::Actor<'_> {
                match self {
                    $( Self::$name(_command) => $crate::vocabulary::Actor::by(&[$( (&_command.$actor).into() )?]) ),*
                }
            }
        }
    };
}

/// Declares structs that a client sets, with the default of each field: `field: Type = value`, or the type's own.
///
/// They refuse unknown fields and serialize without their absent ones.
#[macro_export]
macro_rules! settings {
    (@default) => { Default::default() };
    (@default $default:expr) => { $default };
    ($(
        $(#[$meta:meta])*
        $name:ident { $( $(#[$field_meta:meta])* $field:ident: $type:ty $(= $default:expr)? ),* $(,)? }
    )*) => { $(
        $(#[$meta])*
        #[serde_with::skip_serializing_none]
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(deny_unknown_fields, default)]
        #[schema(default)]
        pub struct $name { $( $(#[$field_meta])* pub $field: $type ),* }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $crate::settings!(@default $($default)?) ),* }
            }
        }
    )* };
}

/// Declares enums without data, which are words in JSON and hold no ids. `Name = Word` says which word is the default.
#[macro_export]
macro_rules! words {
    ($(
        $(#[$meta:meta])*
        $name:ident $(= $default:ident)? { $( $(#[$word_meta:meta])* $word:ident ),* $(,)? }
    )*) => { $(
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "snake_case")]
        $(#[$meta])*
        pub enum $name { $( $(#[$word_meta])* $word ),* }

        $(
            impl Default for $name {
                fn default() -> Self {
                    Self::$default
                }
            }
        )?

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                serde::Serialize::serialize(self, f)
            }
        }

        impl $crate::vocabulary::Redact for $name {}

        impl $crate::vocabulary::Describe for $name {
            fn describe(&self, _: &dyn $crate::vocabulary::Names, out: &mut String) -> bool {
                $crate::vocabulary::spaced(&self.to_string(), out)
            }
        }
    )* };
}

/// Makes a tagged union of named structs: serde, [`Tagged`], a conversion from each struct, and a schema, which derives cannot give
/// together.
#[macro_export]
macro_rules! tagged {
    ($(#[$doc:meta])* $name:ident by $read:ident of $source:ty; $( $tag:literal => $variant:ident ),*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "type")]
        #[allow(missing_docs, reason = "each variant is its struct, documented there")]
        pub enum $name {
            $( #[serde(rename = $tag)] $variant($variant), )*
        }

        $(
            impl From<$variant> for $name {
                fn from(variant: $variant) -> Self {
                    Self::$variant(variant)
                }
            }
        )*

        impl $crate::vocabulary::Tagged<$source> for $name {
            fn parse(tag: &str, source: &$source) -> Option<Result<Self, $crate::vocabulary::FieldError>> {
                match tag {
                    $( $tag => Some($crate::vocabulary::$read::<$variant>(source).map(Self::$variant)), )*
                    _ => None,
                }
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $crate::vocabulary::union_schema([$( ($tag, <$variant as utoipa::PartialSchema>::schema()) ),*])
            }
        }

        impl utoipa::ToSchema for $name {
            fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
                $( <$variant as utoipa::ToSchema>::schemas(schemas); )*
            }
        }
    };
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
        if let Some(RefOr::Ref(combatant)) = object.properties.get_mut("combatant")
            && combatant.description.is_empty()
        {
            combatant.description = "The combatant.".to_owned();
        }
        let tag = ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some([tag]));
        object.properties.insert("type".to_owned(), tag.into());
        object.required.insert(0, "type".to_owned());
    }
    schema
}
