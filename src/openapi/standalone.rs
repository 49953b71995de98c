//! A type's schema on its own: every reference replaced by what it refers to.

use super::naming::{hoist_description, inline_reference, unwrap_annotated};
use crate::engine::TypeSchema;
use serde_json::{Map, Value};

/// Options and stats are plain data that never refers to itself; the depth makes sure.
const DEPTH: usize = 12;

/// The schema with every reference replaced by what it refers to, its defaults kept.
pub fn standalone(TypeSchema { schema, components }: TypeSchema) -> Value {
    let json = |schema| serde_json::to_value(schema).unwrap_or_default();
    let components = components.into_iter().map(|(name, schema)| (name, json(schema))).collect();
    resolved(json(schema), &components, DEPTH)
}

fn resolved(value: Value, components: &Map<String, Value>, depth: usize) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(|item| resolved(item, components, depth)).collect(),
        Value::Object(mut fields) => {
            unwrap_annotated(&mut fields);
            inline_reference(&mut fields);
            hoist_description(&mut fields);
            let target = fields.get("$ref").and_then(Value::as_str).and_then(|target| target.rsplit('/').next());
            if let Some(Value::Object(target)) = target.and_then(|name| components.get(name)).filter(|_| depth > 0) {
                let mut target = target.clone();
                fields.remove("$ref");
                // What stands beside a reference says more than what it refers to.
                target.extend(fields);
                return resolved(Value::Object(target), components, depth - 1);
            }
            fields.into_iter().map(|(name, value)| (name, resolved(value, components, depth))).collect()
        }
        value => value,
    }
}
