//! JSON Schemas of a ruleset's types, as plain JSON with references followed.

use super::openapi::{AllSchemas, Schemas, TypeSchema};
use crate::round_robin::RoundRobin;
use serde_json::{Map, Value};
use std::borrow::Cow;
use turnkeeper::vocabulary::Registrar;

/// A type's schema with those that it refers to.
pub struct Shapes {
    root: Value,
    named: Map<String, Value>,
}

impl Shapes {
    /// The shapes of one type.
    pub fn of(schema: &TypeSchema) -> Self {
        let json = |schema| serde_json::to_value(schema).expect("a schema is JSON");
        let named = schema
            .components
            .iter()
            .map(|(name, schema)| (name.clone(), json(schema)));
        Self {
            root: json(&schema.schema),
            named: named.collect(),
        }
    }

    /// The shapes of a part of a ruleset.
    pub fn of_ruleset(ruleset: &str, part: fn(&Schemas) -> &TypeSchema) -> Self {
        let mut all = AllSchemas::default();
        turnkeeper::rulesets::register(&mut all);
        all.add::<RoundRobin>();
        let found = all.0.iter().find(|schemas| schemas.manifest.id == ruleset);
        Self::of(part(
            found.unwrap_or_else(|| panic!("there is no ruleset {ruleset}")),
        ))
    }

    /// The type's own schema.
    pub fn root(&self) -> &Value {
        &self.root
    }

    /// The schema that a reference leads to.
    fn target(&self, path: &str) -> &Value {
        let name = path.rsplit('/').next().unwrap_or_default();
        self.named
            .get(name)
            .unwrap_or_else(|| panic!("there is no schema {name}"))
    }

    /// A schema itself where it is a reference to one; `allOf` counts as the sum of its parts.
    pub fn resolve<'s>(&'s self, schema: &'s Value) -> Cow<'s, Value> {
        if let Some(path) = schema["$ref"].as_str() {
            return self.resolve(self.target(path));
        }
        let Some(parts) = schema["allOf"].as_array() else {
            return Cow::Borrowed(schema);
        };
        let mut sum = Map::new();
        for part in parts {
            for (key, value) in self.resolve(part).as_object().into_iter().flatten() {
                match (sum.get_mut(key), value) {
                    (Some(Value::Object(a)), Value::Object(b)) => a.extend(b.clone()),
                    (Some(Value::Array(a)), Value::Array(b)) => a.extend(b.iter().cloned()),
                    _ => _ = sum.insert(key.clone(), value.clone()),
                }
            }
        }
        Cow::Owned(Value::Object(sum))
    }

    /// The variants of a union, each resolved; a schema that is none is its own only variant.
    pub fn variants<'s>(&'s self, schema: &'s Value) -> Vec<Cow<'s, Value>> {
        let schema = schema["$ref"]
            .as_str()
            .map_or(schema, |path| self.target(path));
        let union = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
        match union {
            Some(variants) => variants
                .iter()
                .map(|variant| self.resolve(variant))
                .collect(),
            None => vec![self.resolve(schema)],
        }
    }
}
