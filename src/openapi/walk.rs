//! Walks over a schema as types give it, corrects what generators misread, and renames or resolves references.

use super::naming::{Components, REF};
use crate::vocabulary::inlined;
use serde_json::{Map, Value};

/// What a walk does with references.
#[derive(Clone, Copy)]
pub enum References<'a> {
    /// Renames them to published names. Defaults go into the descriptions.
    Renamed(&'a dyn Fn(&str) -> String),
    /// Replaces them by their targets, down to a depth. Defaults stay.
    Resolved(&'a Components, usize),
}

/// Corrects a schema and all within it.
pub fn walk(value: &mut Value, references: References<'_>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, references)),
        Value::Object(fields) => {
            unwrap_annotated(fields);
            inline_reference(fields);
            if let References::Resolved(among, depth @ 1..) = references
                && resolve(fields, among)
            {
                return walk(value, References::Resolved(among, depth - 1));
            }
            for (key, value) in fields.iter_mut() {
                match value {
                    Value::String(target) if key == "$ref" => references.lead(target),
                    Value::Object(mapping) if key == "mapping" => mapping.values_mut().for_each(|target| {
                        if let Value::String(target) = target {
                            references.lead(target);
                        }
                    }),
                    _ => walk(value, references),
                }
            }
            flatten_optional(fields);
            leave_out(fields);
            // Every name is text.
            if fields.get("propertyNames").is_some_and(|names| *names == serde_json::json!({"type": "string"})) {
                fields.remove("propertyNames");
            }
            if let References::Renamed(_) = references {
                tell_default(fields);
            }
        }
        _ => {}
    }
}

impl References<'_> {
    fn lead(self, target: &mut String) {
        if let (Self::Renamed(published), Some(name)) = (self, target.strip_prefix(REF)) {
            *target = format!("{REF}{}", published(name));
        }
    }
}

/// Replaces a reference by its target, if there is one. Fields beside the reference take precedence.
fn resolve(fields: &mut Map<String, Value>, among: &Components) -> bool {
    let name = fields.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix(REF));
    let Some(Value::Object(target)) = name.and_then(|name| among.get(name)) else { return false };
    let mut target = target.clone();
    fields.remove("$ref");
    target.append(fields);
    *fields = target;
    true
}

/// Replaces a reference to a bounded scalar by its schema. A description beside the reference stays.
fn inline_reference(fields: &mut Map<String, Value>) {
    let Some(Value::String(target)) = fields.get("$ref") else { return };
    let Some(Value::Object(schema)) = target.strip_prefix(REF).and_then(inlined) else { return };
    fields.remove("$ref");
    for (key, value) in schema {
        fields.entry(key).or_insert(value);
    }
}

/// A field of a named type with a default comes as `allOf` of the type and an annotation that calls itself an object, which
/// a string or a number never is: what the annotation says goes beside the type.
fn unwrap_annotated(fields: &mut Map<String, Value>) {
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

/// An optional field comes as a union of its type and null. Its description stands once, at the field, and a plain type takes null in.
fn flatten_optional(fields: &mut Map<String, Value>) {
    let null = serde_json::json!({"type": "null"});
    let Some(variants) =
        fields.get_mut("oneOf").and_then(Value::as_array_mut).filter(|variants| variants.contains(&null))
    else {
        return;
    };
    let [Value::Object(variant), _] = variants.as_mut_slice() else { return };
    let description = variant.remove("description");
    let plain =
        variant.get("type").and_then(Value::as_str).filter(|plain| matches!(*plain, "integer" | "string" | "boolean"));
    if let Some(plain) = plain.filter(|_| !variant.contains_key("enum")) {
        let types = serde_json::json!([plain, "null"]);
        let mut variant = variant.clone();
        variant.insert("type".to_owned(), types);
        fields.remove("oneOf");
        fields.extend(variant);
    }
    if let Some(description) = description {
        fields.entry("description").or_insert(description);
    }
}

/// A field that is not required is left out rather than null.
fn leave_out(fields: &mut Map<String, Value>) {
    let required = fields.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (name, schema) in fields.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if !required.iter().any(|required| required == name) {
            never_null(schema);
        }
    }
}

/// Takes null out of what a schema allows.
fn never_null(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    if fields.get("default").is_some_and(Value::is_null) {
        fields.remove("default");
    }
    if let Some(types) = fields.get_mut("type")
        && let Some([plain, Value::String(null)]) = types.as_array().map(Vec::as_slice)
        && null == "null"
    {
        *types = plain.clone();
    }
    if let Some([Value::Object(variant), null]) = fields.get("oneOf").and_then(Value::as_array).map(Vec::as_slice)
        && *null == serde_json::json!({"type": "null"})
    {
        let variant = variant.clone();
        fields.remove("oneOf");
        variant.into_iter().for_each(|(key, value)| _ = fields.entry(key).or_insert(value));
    }
}

/// Puts a default into the description: generators take a field with a default for one that is always there, and ask for
/// it in requests.
fn tell_default(fields: &mut Map<String, Value>) {
    // Among the schemas of properties one that is named `default` is no default.
    if fields.values().all(Value::is_object) {
        return;
    }
    let Some(default) = fields.remove("default") else { return };
    if let (false, Some(Value::String(description))) = (default.is_null(), fields.get_mut("description")) {
        description.push_str(&format!(" Default: {default}."));
    }
}
