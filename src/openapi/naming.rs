//! Names in the published document: shared types keep theirs, a ruleset's own get its name in front.

use crate::vocabulary::{INLINE, inlined};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::openapi::{RefOr, Schema};

const REF: &str = "#/components/schemas/";

/// Schemas by their published names.
pub type Components = BTreeMap<String, Value>;

/// A reference to a published schema.
pub fn reference(name: &str) -> Value {
    serde_json::json!({"$ref": format!("{REF}{name}")})
}

/// Schemas as types give them, on their way to published names.
#[derive(Default)]
pub struct Shelf {
    schemas: BTreeMap<String, Value>,
}

impl Shelf {
    /// Takes a type's own schema (under `name`) and those that it refers to.
    pub fn take(&mut self, name: &str, schema: RefOr<Schema>, others: Vec<(String, RefOr<Schema>)>) {
        self.schemas.insert(name.to_owned(), json(&schema));
        for (name, schema) in others {
            self.schemas.entry(name).or_insert_with(|| json(&schema));
        }
    }

    /// The schemas with what is to be inlined inlined, and with `prefix` before the names that `shared` does not have.
    pub fn publish(mut self, prefix: &str, shared: &BTreeSet<String>) -> Components {
        self.schemas.retain(|name, _| !name.starts_with(INLINE));
        let published = |name: &str| if shared.contains(name) { name.to_owned() } else { format!("{prefix}{name}") };
        let renamed = self.schemas.into_iter().map(|(name, mut schema)| {
            rewrite(&mut schema, &published);
            (published(&name), schema)
        });
        renamed.collect()
    }
}

fn json(schema: &RefOr<Schema>) -> Value {
    serde_json::to_value(schema).unwrap_or_default()
}

fn rewrite(value: &mut Value, published: &impl Fn(&str) -> String) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rewrite(item, published)),
        Value::Object(fields) => {
            unwrap_annotated(fields);
            inline_reference(fields);
            hoist_description(fields);
            tell_default(fields);
            for (key, value) in fields.iter_mut() {
                match value {
                    Value::String(text) if key == "$ref" => rename(text, published),
                    Value::Object(mapping) if key == "mapping" => mapping.values_mut().for_each(|target| {
                        if let Value::String(text) = target {
                            rename(text, published);
                        }
                    }),
                    _ => rewrite(value, published),
                }
            }
        }
        _ => {}
    }
}

/// Puts a bounded scalar's schema in place of a reference to it; what stands beside the reference (a description) stays.
pub fn inline_reference(fields: &mut Map<String, Value>) {
    let Some(Value::String(target)) = fields.get("$ref") else { return };
    let Some(Value::Object(schema)) = target.strip_prefix(REF).and_then(inlined) else { return };
    fields.remove("$ref");
    for (key, value) in schema {
        fields.entry(key).or_insert(value);
    }
}

/// A field of a named type with a default comes as `allOf` of the type and an annotation that calls itself an object, which
/// a string or a number never is: what the annotation says goes beside the type.
pub fn unwrap_annotated(fields: &mut Map<String, Value>) {
    let Some([Value::Object(of), Value::Object(annotation)]) =
        fields.get("allOf").and_then(Value::as_array).map(Vec::as_slice)
    else {
        return;
    };
    let annotates = |key: &String| matches!(key.as_str(), "type" | "description" | "default");
    if !annotation.keys().all(annotates) {
        return;
    }
    let (of, mut annotation) = (of.clone(), annotation.clone());
    annotation.remove("type");
    fields.remove("allOf");
    fields.extend(of);
    fields.extend(annotation);
}

/// What an optional field's type says of it is said of the field.
pub fn hoist_description(fields: &mut Map<String, Value>) {
    let optional = fields.get("oneOf").and_then(Value::as_array).filter(|variants| variants.len() == 2);
    let described = optional.and_then(|variants| variants.iter().find_map(|variant| variant.get("description")));
    if let Some(description) = described.cloned() {
        fields.entry("description").or_insert(description);
    }
}

/// Puts a default into the description: generators take a field with a default for one that is always there, and ask for
/// it in requests.
fn tell_default(fields: &mut Map<String, Value>) {
    // A property that is named `default` is a schema, not a default.
    if fields.get("default").is_none_or(Value::is_object) {
        return;
    }
    let default = fields.remove("default").unwrap_or_default();
    if let (false, Some(Value::String(description))) = (default.is_null(), fields.get_mut("description")) {
        description.push_str(&format!(" Default: {default}."));
    }
}

fn rename(target: &mut String, published: &impl Fn(&str) -> String) {
    if let Some(name) = target.strip_prefix(REF) {
        *target = format!("{REF}{}", published(name));
    }
}
