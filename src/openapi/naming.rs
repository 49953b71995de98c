//! Names in the published document: shared types keep theirs, a ruleset's own types get its name in front.

use super::walk::{References, walk};
use crate::vocabulary::{INLINE, TypeSchema};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use utoipa::openapi::{RefOr, Schema};

pub(super) const REF: &str = "#/components/schemas/";

/// Schemas by their published names.
pub type Components = BTreeMap<String, Value>;

/// A reference to a published schema.
pub fn reference(name: &str) -> Value {
    serde_json::json!({"$ref": format!("{REF}{name}")})
}

/// Schemas as types give them, before they get published names.
#[derive(Default)]
pub struct SchemaSet {
    schemas: BTreeMap<String, Value>,
}

impl SchemaSet {
    /// Adds a type's own schema under `name`, and those that it refers to.
    pub fn take(&mut self, name: &str, TypeSchema { schema, components }: &TypeSchema) {
        self.schemas.insert(name.to_owned(), json(schema));
        components.iter().for_each(|(name, schema)| self.add(name, schema));
    }

    /// Adds a schema, unless one of its name is there.
    pub fn add(&mut self, name: &str, schema: &RefOr<Schema>) {
        self.schemas.entry(name.to_owned()).or_insert_with(|| json(schema));
    }

    /// The schemas with bounded scalars inlined, and with `prefix` before the names that `shared` does not have.
    pub fn publish(mut self, prefix: &str, shared: &BTreeSet<String>) -> Components {
        self.schemas.retain(|name, _| !name.starts_with(INLINE) && !shared.contains(name));
        let published = |name: &str| if shared.contains(name) { name.to_owned() } else { format!("{prefix}{name}") };
        let renamed = self.schemas.into_iter().map(|(name, mut schema)| {
            walk(&mut schema, References::Renamed(&published));
            (published(&name), schema)
        });
        renamed.collect()
    }
}

fn json(schema: &RefOr<Schema>) -> Value {
    serde_json::to_value(schema).unwrap_or_default()
}

/// Options and stats are plain data without cycles. The depth makes sure.
const DEPTH: usize = 12;

/// A type's schema without references and with its defaults.
pub fn standalone(TypeSchema { schema, components }: TypeSchema) -> Value {
    let components = components.iter().map(|(name, schema)| (name.clone(), json(schema))).collect();
    let mut schema = json(&schema);
    walk(&mut schema, References::Resolved(&components, DEPTH));
    schema
}
