//! Gives schemas the shapes that code generators read: plain objects, and unions of named variants
//! with a discriminator.

use super::naming::reference;
use super::schema::{Components, REF};
use serde_json::{Map, Value, json};

/// Shapes all schemas, and adds those of the variants that get names.
pub fn shape(all: &mut Components) {
    let mut named = Components::new();
    all.iter_mut()
        .for_each(|(name, schema)| externally_tagged(name, schema, &mut named));
    let parts = all.clone();
    all.values_mut().for_each(|schema| flatten(schema, &parts));
    for (name, schema) in all.iter_mut() {
        let Some(variants) = schema["oneOf"].as_array().cloned() else {
            continue;
        };
        let variant = |tag: &str| format!("{name}{}", pascal(tag));
        if let Some(union) = tagged_union(&variants, variant, &mut named) {
            let description = schema["description"].take();
            *schema = union;
            describe(schema, description);
        }
    }
    all.append(&mut named);
}

/// `active-initiative` and `active_initiative` become `ActiveInitiative`.
pub fn pascal(id: &str) -> String {
    let capitalised = id.split(['-', '_']).map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        first.to_uppercase() + rest
    });
    capitalised.collect()
}

/// Makes one object of the parts that `#[serde(flatten)]` gives, where the fields of its own come
/// last.
pub fn flatten(value: &mut Value, among: &Components) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| flatten(item, among)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| flatten(value, among));
            let parts = fields.get("allOf").and_then(Value::as_array);
            let Some(parts) = parts.filter(|parts| {
                parts
                    .last()
                    .is_some_and(|own| own["properties"].is_object())
            }) else {
                return;
            };
            let mut properties = Map::new();
            let mut required = Vec::new();
            for part in parts {
                let mut part = target(part)
                    .and_then(|name| among.get(name))
                    .unwrap_or(part)
                    .clone();
                flatten(&mut part, among);
                properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
                required.extend(part["required"].as_array().cloned().unwrap_or_default());
            }
            fields.remove("allOf");
            fields.insert("type".to_owned(), "object".into());
            fields.insert("properties".to_owned(), properties.into());
            fields.insert("required".to_owned(), required.into());
        }
        _ => {}
    }
}

/// The name of the schema that a reference leads to.
fn target(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix(REF)
}

/// Turns a union of words and of objects with one field each into one enum and one object.
fn externally_tagged(name: &str, schema: &mut Value, named: &mut Components) {
    let Some(variants) = schema["oneOf"].as_array() else {
        return;
    };
    let mut words = Vec::new();
    let mut fields = Map::new();
    for variant in variants {
        match (
            variant["enum"].as_array(),
            variant["properties"].as_object(),
        ) {
            (Some(own), None) => words.extend(own.iter().cloned()),
            (None, Some(own)) if own.len() == 1 && tag(variant).is_none() => {
                fields.extend(own.clone());
            }
            _ => return,
        }
    }
    for (field, payload) in &mut fields {
        if payload["properties"].is_object() {
            let own = format!("{name}{}", pascal(field));
            let payload = std::mem::replace(payload, reference(&own));
            named.insert(own, payload);
        } else if payload["type"] == "object" {
            payload["maxProperties"] = 0.into();
        }
    }
    let words = json!({"type": "string", "enum": words});
    let object =
        json!({"type": "object", "properties": fields, "minProperties": 1, "maxProperties": 1});
    let description = schema["description"].take();
    *schema = match (words["enum"][0].is_null(), fields.is_empty()) {
        (false, true) => words,
        (true, _) => object,
        (false, false) => {
            let [word, whole] = ["Word", "Object"].map(|kind| format!("{name}{kind}"));
            let union = json!({"oneOf": [reference(&word), reference(&whole)]});
            named.extend([(word, words), (whole, object)]);
            union
        }
    };
    describe(schema, description);
}

/// Drops descriptions beside references that only repeat the field's name, as `The combatant.`
/// does.
pub fn drop_repetitions(value: &mut Value) {
    let Some(fields) = value.as_object_mut() else {
        return;
    };
    for (name, schema) in fields
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flatten()
    {
        let repeated = format!("The {}.", name.replace('_', " "));
        if schema.get("$ref").is_some() && schema["description"] == repeated {
            schema
                .as_object_mut()
                .into_iter()
                .for_each(|schema| _ = schema.remove("description"));
        }
    }
    fields.values_mut().for_each(drop_repetitions);
}

fn describe(schema: &mut Value, description: Value) {
    if let (Value::Object(fields), Value::String(_)) = (schema, &description) {
        fields.insert("description".to_owned(), description);
    }
}

/// The tag that tells a variant from others: a required field that has one value.
fn tag(variant: &Value) -> Option<(&String, &str)> {
    let required = variant["required"].as_array()?;
    let single = |schema: &Value| {
        schema["enum"]
            .as_array()
            .is_some_and(|values| values.len() == 1)
    };
    let mut fields = variant["properties"].as_object()?.iter();
    let (field, schema) =
        fields.find(|(field, schema)| single(schema) && required.contains(&json!(field)))?;
    Some((field, schema["enum"][0].as_str()?))
}

/// A union of variants: a named schema for each tag, and a discriminator. None if they have no tag
/// in common.
pub fn tagged_union(
    variants: &[Value],
    name: impl Fn(&str) -> String,
    named: &mut Components,
) -> Option<Value> {
    let mut field: Option<&String> = None;
    let mut mapping = Map::new();
    let mut references = Vec::new();
    let mut schemas = Components::new();
    for variant in variants {
        let (own, tag) = tag(variant)?;
        if field.replace(own).is_some_and(|other| other != own) {
            return None;
        }
        let mut schema = variant.clone();
        // A constant without a type: openapi-generator's Rust expects an enum within the variant,
        // where serde has taken the tag out.
        schema["properties"][own] = json!({"const": tag});
        let name = name(tag);
        let target = format!("{REF}{name}");
        let known = mapping.insert(tag.to_owned(), target.into());
        assert_eq!(known, None, "two variants have the tag {tag}");
        references.push(reference(&name));
        schemas.insert(name, schema);
    }
    let field = field?;
    named.append(&mut schemas);
    let discriminator = json!({"propertyName": field, "mapping": mapping});
    Some(json!({"type": "object", "oneOf": references, "discriminator": discriminator}))
}
