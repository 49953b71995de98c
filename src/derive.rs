//! Derives for commands, events and words. They are declarative macros, named as in
//! `#[derive(Redact!)]` with [`macro_rules_attribute::derive`], so that the types themselves are
//! plain structs and enums. The vocabulary exports each with the trait that it implements.

/// Implements [`Redact`](trait@crate::vocabulary::Redact): a struct field by field, a union by its variants.
#[macro_export]
macro_rules! Redact {
    (
        $(#[$_meta:meta])*
        $_vis:vis struct $name:ident {
            $( $(#[$_field_meta:meta])* $_field_vis:vis $field:ident: $_type:ty ),* $(,)?
        }
    ) => {
        impl $crate::vocabulary::Redact for $name {
            fn redact(&self, _audience: &$crate::vocabulary::Audience<'_>) -> Option<Self> {
                Some(Self {
                    $( $field: $crate::vocabulary::Redact::redact(&self.$field, _audience)?, )*
                })
            }
        }
    };
    (
        $(#[$_meta:meta])*
        $_vis:vis enum $name:ident {
            $( $(#[$_variant_meta:meta])* $variant:ident($_type:ty) ),* $(,)?
        }
    ) => {
        impl $crate::vocabulary::Redact for $name {
            fn redact(&self, audience: &$crate::vocabulary::Audience<'_>) -> Option<Self> {
                match self {
                    $( Self::$variant(value) => value.redact(audience).map(Self::$variant), )*
                }
            }
        }
    };
}

/// Implements [`Tellable`](trait@crate::vocabulary::Tellable): what the fields say of which a sentence is made.
#[macro_export]
macro_rules! Tellable {
    (
        $(#[$_meta:meta])*
        $_vis:vis struct $name:ident {
            $( $(#[$_field_meta:meta])* $_field_vis:vis $field:ident: $_type:ty ),* $(,)?
        }
    ) => {
        impl $crate::vocabulary::Tellable for $name {
            fn describe_field(
                &self,
                field: &str,
                _names: &dyn $crate::vocabulary::Names,
                _out: &mut String,
            ) -> bool {
                match field {
                    $(
                        stringify!($field) => {
                            $crate::vocabulary::Describe::describe(&self.$field, _names, _out)
                        }
                    )*
                    _ => false,
                }
            }

            fn field_is_plural(&self, field: &str, _names: &dyn $crate::vocabulary::Names) -> bool {
                match field {
                    $(
                        stringify!($field) => {
                            $crate::vocabulary::Describe::is_plural(&self.$field, _names)
                        }
                    )*
                    _ => false,
                }
            }
        }
    };
    (
        $(#[$_meta:meta])*
        $_vis:vis enum $name:ident {
            $( $(#[$_variant_meta:meta])* $variant:ident($_type:ty) ),* $(,)?
        }
    ) => {
        impl $crate::vocabulary::Tellable for $name {
            fn describe_field(
                &self,
                field: &str,
                names: &dyn $crate::vocabulary::Names,
                out: &mut String,
            ) -> bool {
                match self {
                    $( Self::$variant(value) => value.describe_field(field, names, out), )*
                }
            }

            fn field_is_plural(&self, field: &str, names: &dyn $crate::vocabulary::Names) -> bool {
                match self {
                    $( Self::$variant(value) => value.field_is_plural(field, names), )*
                }
            }
        }
    };
}

/// Implements what a union of named structs has beyond serde's derives:
/// [`Tagged`](trait@crate::json::Tagged), a conversion from each struct, and a schema of one object for
/// each variant. The attributes of a variant are `#[serde(rename = "its_tag")]` alone.
#[macro_export]
macro_rules! Tagged {
    (
        $(#[$_meta:meta])*
        $_vis:vis enum $name:ident {
            $( #[serde(rename = $tag:literal)] $variant:ident($type:ty) ),* $(,)?
        }
    ) => {
        $(
            impl From<$type> for $name {
                fn from(variant: $type) -> Self {
                    Self::$variant(variant)
                }
            }
        )*

        impl $crate::json::Tagged for $name {
            fn parse<S: $crate::json::Source + ?Sized>(
                tag: &str,
                source: &S,
            ) -> Option<Result<Self, $crate::json::FieldError>> {
                match tag {
                    $( $tag => Some(source.read().map(Self::$variant)), )*
                    _ => None,
                }
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $crate::json::union_schema([
                    $( ($tag, <$type as utoipa::PartialSchema>::schema()) ),*
                ])
            }
        }

        impl utoipa::ToSchema for $name {
            fn schemas(
                schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>,
            ) {
                $( <$type as utoipa::ToSchema>::schemas(schemas); )*
            }
        }
    };
}

/// Makes the events of a ruleset events of its encounters: what `Play::emit` takes.
#[macro_export]
macro_rules! OwnEvents {
    (
        $(#[$_meta:meta])*
        $_vis:vis enum $name:ident {
            $( $(#[$_variant_meta:meta])* $variant:ident($type:ty) ),* $(,)?
        }
    ) => {
        impl<R: $crate::vocabulary::Ruleset<Event = $name>> From<$name>
            for $crate::vocabulary::Event<R>
        {
            fn from(event: $name) -> Self {
                Self::Own(event)
            }
        }

        $(
            impl<R: $crate::vocabulary::Ruleset<Event = $name>> From<$type>
                for $crate::vocabulary::Event<R>
            {
                fn from(event: $type) -> Self {
                    Self::Own($name::$variant(event))
                }
            }
        )*
    };
}

/// Gives a command's struct its doc comment as `SUMMARY`, for the manifest.
#[macro_export]
macro_rules! Summary {
    (
        $(#[doc = $line:literal])+
        #[serde(deny_unknown_fields)]
        $_vis:vis struct $name:ident $_fields:tt
    ) => {
        impl $name {
            const SUMMARY: &'static str = concat!($($line),+).trim_ascii_start();
        }
    };
}

/// Implements what an enum without data, a word in JSON, has beyond serde's derives. Everybody may
/// know it, and it says itself.
#[macro_export]
macro_rules! Word {
    ($(#[$_meta:meta])* $_vis:vis enum $name:ident $_words:tt) => {
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
    };
}
