//! Names in the published document: shared types keep theirs, a ruleset's own types get its name in
//! front.

use super::schema::{Components, REF, TypeSchema, correct, json};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use turnkeeper::vocabulary::INLINE;
use utoipa::openapi::{RefOr, Schema};

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
        components
            .iter()
            .for_each(|(name, schema)| self.add(name, schema));
    }

    /// Adds a schema, unless one of its name is there.
    pub fn add(&mut self, name: &str, schema: &RefOr<Schema>) {
        self.schemas
            .entry(name.to_owned())
            .or_insert_with(|| json(schema));
    }

    /// The schemas with bounded scalars inlined, and with `prefix` before the names that `shared`
    /// does not have.
    pub fn publish(self, prefix: &str, shared: &BTreeSet<String>) -> Components {
        let (inline, own): (Components, Components) = self
            .schemas
            .into_iter()
            .partition(|(name, _)| name.starts_with(INLINE));
        let own = own.into_iter().filter(|(name, _)| !shared.contains(name));
        let published = |name: &str| {
            if shared.contains(name) {
                name.to_owned()
            } else {
                format!("{prefix}{name}")
            }
        };
        let renamed = own.map(|(name, mut schema)| {
            publish(&mut schema, &inline, &published);
            (published(&name), schema)
        });
        renamed.collect()
    }
}

/// Corrects a schema and all within it, with `inline` schemas in place, published names in
/// references and with defaults in the descriptions.
pub fn publish(schema: &mut Value, inline: &Components, published: &dyn Fn(&str) -> String) {
    correct(schema, inline, 0);
    rename(schema, published);
}

fn rename(value: &mut Value, published: &dyn Fn(&str) -> String) {
    let lead = |target: &mut Value| {
        if let Some(name) = target.as_str().and_then(|target| target.strip_prefix(REF)) {
            *target = format!("{REF}{}", published(name)).into();
        }
    };
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, published)),
        Value::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                match value {
                    Value::String(_) if key == "$ref" => lead(value),
                    Value::Object(mapping) if key == "mapping" => {
                        mapping.values_mut().for_each(lead);
                    }
                    _ => rename(value, published),
                }
            }
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
