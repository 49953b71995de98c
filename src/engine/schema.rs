//! The JSON schemas of types, as the published document and the manifests need them.

use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A type's schema, and those that it refers to.
pub struct TypeSchema {
    /// The schema of the type itself.
    pub schema: RefOr<Schema>,
    /// The named schemas that it refers to, directly or not.
    pub components: Vec<(String, RefOr<Schema>)>,
}

/// The schema of any type with all that it refers to.
pub fn type_schema<T: ToSchema + PartialSchema>() -> TypeSchema {
    let mut components = Vec::new();
    T::schemas(&mut components);
    TypeSchema { schema: T::schema(), components }
}
