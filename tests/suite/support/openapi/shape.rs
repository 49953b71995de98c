//! Gives schemas the shapes that code generators read: plain objects, and unions of named variants
//! with a discriminator.

use super::naming::reference;
use super::schema::{Components, REF};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Shapes all schemas, and adds those of the variants that get names.
pub fn shape(all: &mut Components) {
    let mut named = Components::new();
    all.iter_mut()
        .for_each(|(name, schema)| externally_tagged(name, schema, &mut named));
    let parts = all.clone();
    all.values_mut().for_each(|schema| flatten(schema, &parts));
    for (name, schema) in all.iter_mut() {
        if let Some(union) = discriminated(
            &[("", schema)],
            |tag| format!("{name}{}", pascal(tag)),
            &mut named,
        ) {
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

/// The fewest fields of a schema that others include by a reference.
const INCLUDED: usize = 3;

/// Lets a schema that has all fields of another one include it, so that those stand once in the
/// document.
pub fn include(all: &mut Components) {
    let closed = |schema: &Value| {
        !schema["additionalProperties"].is_null() || !schema["maxProperties"].is_null()
    };
    let open = |schema: &Value| schema["properties"].is_object() && !closed(schema);
    let size = |schema: &Value| schema["properties"].as_object().map_or(0, Map::len);
    let parts: Components = all
        .clone()
        .into_iter()
        .filter(|(_, part)| open(part) && size(part) >= INCLUDED)
        .collect();
    for schema in all.values_mut().filter(|schema| open(schema)) {
        let (fields, required) = (
            schema["properties"].clone(),
            list(&schema["required"]).to_vec(),
        );
        let includes = |part: &Value| {
            let same = |(field, own): (&String, &Value)| fields.get(field) == Some(own);
            size(part) < size(schema)
                && part["properties"]
                    .as_object()
                    .is_some_and(|own| own.iter().all(same))
                && list(&part["required"])
                    .iter()
                    .all(|field| required.contains(field))
        };
        let mut included: Vec<_> = parts.iter().filter(|(_, part)| includes(part)).collect();
        included.sort_by_key(|(_, part)| std::cmp::Reverse(size(part)));
        let mut rest = fields.as_object().cloned().unwrap_or_default();
        let mut wanted = required.clone();
        let mut all_of = Vec::new();
        for (name, part) in included {
            let own = |field: &String| part["properties"].get(field).is_some();
            if rest.keys().filter(|field| own(field)).count() >= INCLUDED {
                rest.retain(|field, _| !own(field));
                wanted.retain(|field| !list(&part["required"]).contains(field));
                all_of.push(reference(name));
            }
        }
        if all_of.is_empty() {
            continue;
        }
        if !rest.is_empty() {
            // openapi-python-client reads a schema's own fields only in front of its parts.
            all_of.insert(0, json!({"properties": rest, "required": wanted}));
        }
        let description = schema["description"].take();
        *schema = json!({"allOf": all_of});
        describe(schema, description);
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
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
    fields
        .get_mut("allOf")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .for_each(drop_repetitions);
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

/// One union of the variants of several, each under its `title`: a named schema for each tag, and a
/// discriminator. None if they have no tag in common.
pub fn discriminated(
    unions: &[(&str, &Value)],
    name: impl Fn(&str) -> String,
    named: &mut Components,
) -> Option<Value> {
    let mut field = None;
    let mut order = Vec::new();
    let mut by_tag: BTreeMap<&str, Vec<(&str, &Value)>> = BTreeMap::new();
    for (title, union) in unions {
        for variant in union["oneOf"].as_array()? {
            let (own, tag) = tag(variant)?;
            if field.replace(own).is_some_and(|other| other != own) {
                return None;
            }
            let same = by_tag.entry(tag).or_default();
            if same.is_empty() {
                order.push(tag);
            }
            same.push((*title, variant));
        }
    }
    let field = field?;
    let mut mapping = Map::new();
    let mut variants = Vec::new();
    for tag in order {
        let mut variant = merged(by_tag.get(tag)?);
        // A constant without a type: openapi-generator's Rust expects an enum within the variant,
        // where serde has taken the tag out.
        variant["properties"][field] = json!({"const": tag});
        let name = name(tag);
        mapping.insert(tag.to_owned(), format!("{REF}{name}").into());
        variants.push(reference(&name));
        named.insert(name, variant);
    }
    Some(
        json!({"type": "object", "oneOf": variants, "discriminator": {"propertyName": field, "mapping": mapping}}),
    )
}

/// One object schema of those that several rulesets have: all fields of each, and required is what
/// all require.
pub fn merged(parts: &[(&str, &Value)]) -> Value {
    let mut fields: BTreeMap<&str, Vec<(&str, &Value)>> = BTreeMap::new();
    for (title, part) in parts {
        for (field, schema) in part["properties"].as_object().into_iter().flatten() {
            fields.entry(field).or_default().push((*title, schema));
        }
    }
    let by_all = |field: &&Value| {
        parts.iter().all(|(_, part)| {
            part["required"]
                .as_array()
                .is_some_and(|required| required.contains(field))
        })
    };
    let mut whole = parts
        .first()
        .map(|(_, first)| (*first).clone())
        .unwrap_or_default();
    whole["properties"] = fields
        .into_iter()
        .map(|(field, schemas)| (field.to_owned(), widened(&schemas)))
        .collect();
    if let Some(required) = whole["required"].as_array() {
        whole["required"] = required.iter().filter(by_all).cloned().collect();
    }
    describe(&mut whole, described(parts));
    whole
}

/// A schema of one field that allows what each of these allows, of which only the bounds and the
/// items of a list may differ.
fn widened(schemas: &[(&str, &Value)]) -> Value {
    let mut wide = schemas
        .first()
        .map(|(_, first)| (*first).clone())
        .unwrap_or_default();
    for (_, other) in schemas {
        let bound = |schema: &Value, bound: &str| schema[bound].as_i64();
        if let (Some(one), Some(other)) = (bound(&wide, "minimum"), bound(other, "minimum")) {
            wide["minimum"] = one.min(other).into();
        }
        if let (Some(one), Some(other)) = (bound(&wide, "maximum"), bound(other, "maximum")) {
            wide["maximum"] = one.max(other).into();
        }
    }
    let mut items: Vec<&Value> = schemas.iter().map(|(_, schema)| &schema["items"]).collect();
    items.dedup();
    if items.len() > 1 {
        wide["items"] = json!({"anyOf": items});
    }
    describe(&mut wide, described(schemas));
    wide
}

/// The descriptions of these, each once; null if there are none. Different ones say whose they are.
fn described(schemas: &[(&str, &Value)]) -> Value {
    let text = |schema: &Value| {
        schema["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let first = schemas
        .first()
        .map(|(_, first)| text(first))
        .unwrap_or_default();
    if schemas.iter().all(|(_, schema)| text(schema) == first) {
        return if first.is_empty() {
            Value::Null
        } else {
            first.into()
        };
    }
    let told = schemas
        .iter()
        .map(|(title, schema)| format!("{title}: {}", text(schema)));
    told.collect::<Vec<_>>().join("\n\n").into()
}
