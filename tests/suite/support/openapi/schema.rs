//! Schemas as types give them, corrected where generators misread them.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use turnkeeper::vocabulary::{Draft, INLINE};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What references to published schemas begin with.
pub const REF: &str = "#/components/schemas/";

/// Schemas by their names.
pub type Components = BTreeMap<String, Value>;

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
    TypeSchema {
        schema: T::schema(),
        components,
    }
}

/// The schema of a combatant as a client describes it, with hit points of the type `H`.
pub fn draft_schema<H: ToSchema + PartialSchema>() -> TypeSchema
where
    Draft<H>: ToSchema + PartialSchema,
{
    let mut draft = type_schema::<Draft<H>>();
    // A type does not list the schemas of its parameters.
    draft.components.push((H::name().into_owned(), H::schema()));
    H::schemas(&mut draft.components);
    draft
}

/// A schema as JSON.
pub fn json(schema: &RefOr<Schema>) -> Value {
    serde_json::to_value(schema).unwrap_or_default()
}

/// Options and stats are plain data without cycles. The depth makes sure.
const DEPTH: usize = 12;

/// A type's schema without references and with its defaults.
pub fn standalone(TypeSchema { schema, components }: &TypeSchema) -> Value {
    let components = components
        .iter()
        .map(|(name, schema)| (name.clone(), json(schema)))
        .collect();
    let mut schema = json(schema);
    correct(&mut schema, &components, DEPTH);
    schema
}

/// Corrects a schema and all within it, with references replaced by their targets `among` others,
/// down to a depth; those to bounded scalars at any depth.
pub fn correct(value: &mut Value, among: &Components, depth: usize) {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| correct(item, among, depth)),
        Value::Object(fields) => {
            unwrap_annotated(fields);
            if resolve(fields, among, depth) {
                return correct(value, among, depth.saturating_sub(1));
            }
            fields
                .values_mut()
                .for_each(|value| correct(value, among, depth));
            flatten_optional(fields);
            leave_out(fields);
            // Every name is text.
            if fields
                .get("propertyNames")
                .is_some_and(|names| *names == serde_json::json!({"type": "string"}))
            {
                fields.remove("propertyNames");
            }
        }
        _ => {}
    }
}

/// Replaces a reference by its target, if there is one. Fields beside the reference take
/// precedence.
fn resolve(fields: &mut Map<String, Value>, among: &Components, depth: usize) -> bool {
    let name = fields
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|target| target.strip_prefix(REF));
    let name = name.filter(|name| depth > 0 || name.starts_with(INLINE));
    let Some(Value::Object(target)) = name.and_then(|name| among.get(name)) else {
        return false;
    };
    let mut target = target.clone();
    fields.remove("$ref");
    target.append(fields);
    *fields = target;
    true
}

/// A field of a named type with a default comes as `allOf` of the type and an annotation that calls
/// itself an object, which a string or a number never is: what the annotation says goes beside the
/// type.
fn unwrap_annotated(fields: &mut Map<String, Value>) {
    let Some([Value::Object(of), Value::Object(annotation)]) = fields
        .get("allOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
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

/// An optional field comes as a union of its type and null. Its description stands once, at the
/// field, and a plain type takes null in.
fn flatten_optional(fields: &mut Map<String, Value>) {
    let null = serde_json::json!({"type": "null"});
    let Some(variants) = fields
        .get_mut("oneOf")
        .and_then(Value::as_array_mut)
        .filter(|variants| variants.contains(&null))
    else {
        return;
    };
    let [Value::Object(variant), _] = variants.as_mut_slice() else {
        return;
    };
    let description = variant.remove("description");
    let plain = variant
        .get("type")
        .and_then(Value::as_str)
        .filter(|plain| matches!(*plain, "integer" | "number" | "string" | "boolean"));
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
    let required = fields
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for (name, schema) in fields
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
    {
        if !required.iter().any(|required| required == name) {
            never_null(schema);
        }
    }
}

/// Takes null out of what a schema allows.
fn never_null(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    if fields.get("default").is_some_and(Value::is_null) {
        fields.remove("default");
    }
    if let Some(types) = fields.get_mut("type")
        && let Some([plain, Value::String(null)]) = types.as_array().map(Vec::as_slice)
        && null == "null"
    {
        *types = plain.clone();
    }
    if let Some([Value::Object(variant), null]) = fields
        .get("oneOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        && *null == serde_json::json!({"type": "null"})
    {
        let variant = variant.clone();
        fields.remove("oneOf");
        variant
            .into_iter()
            .for_each(|(key, value)| _ = fields.entry(key).or_insert(value));
    }
}
