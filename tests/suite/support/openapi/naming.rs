//! Schemas as types give them, under the names of their types.

use super::schema::{Components, REF, TypeSchema, correct, json};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use turnkeeper::vocabulary::INLINE;
use utoipa::openapi::{RefOr, Schema};

/// A reference to a published schema.
pub fn reference(name: &str) -> Value {
    serde_json::json!({"$ref": format!("{REF}{name}")})
}

/// Schemas as types give them, before they are corrected.
#[derive(Default)]
pub struct SchemaSet {
    schemas: BTreeMap<String, Value>,
}

impl SchemaSet {
    /// Adds a type's own schema under `name`, and those that it refers to.
    pub fn take(&mut self, name: &str, TypeSchema { schema, components }: &TypeSchema) {
        self.schemas.insert(name.to_owned(), json(schema));
        for (name, schema) in components {
            self.add(name, schema);
        }
    }

    /// Adds a schema. One of its name must be the same.
    pub fn add(&mut self, name: &str, schema: &RefOr<Schema>) {
        let schema = json(schema);
        let known = self
            .schemas
            .entry(name.to_owned())
            .or_insert_with(|| schema.clone());
        assert_eq!(*known, schema, "two types have the name {name}");
    }

    /// The schemas, corrected, with bounded scalars inlined.
    pub fn publish(self) -> Components {
        let (inline, mut own): (Components, Components) = self
            .schemas
            .into_iter()
            .partition(|(name, _)| name.starts_with(INLINE));
        for schema in own.values_mut() {
            publish(schema, &inline);
        }
        own
    }
}

/// Corrects a schema and all within it, with `inline` schemas in place and with defaults in the
/// descriptions.
pub fn publish(schema: &mut Value, inline: &Components) {
    correct(schema, inline, 0);
    tell_defaults(schema);
}

fn tell_defaults(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(tell_defaults),
        Value::Object(fields) => {
            fields.values_mut().for_each(tell_defaults);
            tell_default(fields);
        }
        _ => {}
    }
}

/// Puts a default into the description: generators take a field with a default for one that is
/// always there, and ask for it in requests.
fn tell_default(fields: &mut Map<String, Value>) {
    // Among the schemas of properties one that is named `default` is no default.
    if fields.values().all(Value::is_object) {
        return;
    }
    let Some(default) = fields.remove("default") else {
        return;
    };
    if let (false, Some(Value::String(description))) =
        (default.is_null(), fields.get_mut("description"))
    {
        description.push_str(&format!(" Default: {default}."));
    }
}
