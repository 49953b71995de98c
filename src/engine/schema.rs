//! The JSON schemas of a ruleset's types, as the published document needs them.

use crate::vocabulary::Ruleset;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A type's schema, and those that it refers to.
pub struct TypeSchema {
    /// The schema of the type itself.
    pub schema: RefOr<Schema>,
    /// The named schemas that it refers to, directly or not.
    pub components: Vec<(String, RefOr<Schema>)>,
}

/// The schemas of one ruleset's types.
pub struct Schemas {
    /// Its options.
    pub options: TypeSchema,
    /// What a client tells about a combatant beyond the shared fields.
    pub stats: TypeSchema,
    /// What play keeps about a combatant.
    pub standing: TypeSchema,
    /// What play keeps about the encounter.
    pub state: TypeSchema,
    /// Its own commands.
    pub command: TypeSchema,
    /// Its own events.
    pub event: TypeSchema,
}

impl Schemas {
    pub(super) fn of<R: Ruleset>() -> Self {
        Self {
            options: type_schema::<R::Options>(),
            stats: type_schema::<R::Stats>(),
            standing: type_schema::<R::Standing>(),
            state: type_schema::<R::State>(),
            command: type_schema::<R::Command>(),
            event: type_schema::<R::Event>(),
        }
    }
}

/// The schema of any type with all that it refers to.
pub fn type_schema<T: ToSchema + PartialSchema>() -> TypeSchema {
    let mut components = Vec::new();
    T::schemas(&mut components);
    TypeSchema { schema: T::schema(), components }
}
