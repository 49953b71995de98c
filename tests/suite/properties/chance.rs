//! Chance from a seed, and values of a JSON Schema's shape.

use crate::support::legal_commands::listed_values;
use crate::support::schema::Shapes;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;
use serde_json::{Map, Value, json};
use turnkeeper::vocabulary::{Alternative, LegalCommand, Property, Values};

/// The field that hides a combatant. Plays say themselves who is hidden from whom.
const HIDDEN: &str = "hidden";

/// The fields of shapes that are objects of one field each: several of them may be given.
fn single_fields(shapes: &[Alternative]) -> Option<Vec<&Property>> {
    let mut fields = Vec::new();
    for shape in shapes {
        match &shape.values {
            Values::Object(properties) if properties.len() == 1 => fields.push(&properties[0]),
            _ => return None,
        }
    }
    // A shape that says when an effect ends has one field too, and stands for itself.
    fields
        .iter()
        .all(|field| field.field != "at")
        .then_some(fields)
}

/// Chance that a seed decides.
pub struct Chance(ChaCha12Rng);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha12Rng::seed_from_u64(seed))
    }

    /// A number from 0 up to but not including `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n.max(1))
    }

    /// True this many times of a hundred.
    pub fn percent(&mut self, of_hundred: usize) -> bool {
        self.below(100) < of_hundred
    }

    pub fn seed(&mut self) -> u64 {
        self.0.random_range(0..=u64::MAX)
    }

    /// One of `items`.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        let i = self.below(items.len());
        items.get(i)
    }

    /// A number of a range: often a small one, or one of its ends.
    pub fn number(&mut self, min: i64, max: i64) -> i64 {
        let max = max.max(min);
        match self.below(8) {
            0 => min,
            1 => max,
            2 => self.0.random_range(min..=max),
            _ => self.0.random_range(min..=max.min(min.saturating_add(12))),
        }
    }

    /// The command of an option with its open fields filled.
    pub fn fill(&mut self, option: &LegalCommand) -> Value {
        let mut command = option.command.clone();
        for choice in &option.choices {
            if choice.required || self.percent(50) {
                command[choice.field] = self.of(&choice.values);
            }
        }
        command
    }

    /// A number with two decimals, or a whole one.
    fn decimal(&mut self, least: i64, most: i64) -> Value {
        if self.percent(50) {
            return self.number(least, most).into();
        }
        (self.number(least * 100, most * 100) as f64 / 100.0).into()
    }

    /// A value that an open field may hold.
    fn of(&mut self, values: &Values) -> Value {
        match values {
            Values::OneOf(_) | Values::Shared(_) => {
                let listed = listed_values(values);
                self.pick(&listed)
                    .map_or(Value::Null, |value| (*value).clone())
            }
            Values::Range(least, most) => self.number(*least, *most).into(),
            Values::Decimal(least, most) => self.decimal(*least, *most),
            Values::Text(most) => {
                let text = ["Ärger", "attack", "the door opens", "x y"][self.below(4)];
                text.chars().take(*most).collect::<String>().into()
            }
            Values::NewText(..) | Values::NewWord(_) => values.example().unwrap_or_default(),
            Values::List {
                items,
                unique,
                length: [least, most],
            } => {
                let count = least + self.below((most - least).min(3) + 1);
                let mut list: Vec<Value> = Vec::new();
                for _ in 0..count {
                    let item = self.of(items);
                    if !*unique || !list.contains(&item) {
                        list.push(item);
                    }
                }
                list.into()
            }
            Values::Map { keys, values, most } => {
                let mut map = Map::new();
                for _ in 0..self.below((*most).min(3) + 1) {
                    if let Value::String(key) = self.of(keys) {
                        map.insert(key, self.of(values));
                    }
                }
                map.into()
            }
            Values::Object(properties) => {
                let mut object = Map::new();
                for property in properties {
                    if property.required || (property.field != HIDDEN && self.percent(50)) {
                        object.insert(property.field.to_string(), self.of(&property.values));
                    }
                }
                object.into()
            }
            Values::AnyOf(shapes) => match single_fields(shapes) {
                Some(fields) => self.some_of(&fields),
                None => {
                    let shape = self.below(shapes.len());
                    self.of(&shapes[shape].values)
                }
            },
        }
    }

    /// An object with some of these fields, often with a single one.
    fn some_of(&mut self, fields: &[&Property]) -> Value {
        let mut fields = fields.to_vec();
        fields.retain(|property| property.field != HIDDEN);
        let mut object = Map::new();
        if self.percent(50) {
            for property in &fields {
                if self.percent(50) {
                    object.insert(property.field.to_string(), self.of(&property.values));
                }
            }
        }
        if object.is_empty()
            && let Some(single) = self.pick(&fields)
        {
            object.insert(single.field.to_string(), self.of(&single.values));
        }
        object.into()
    }

    /// A value of a schema's shape; where it wants a short name, one of `names`.
    pub fn value(&mut self, shapes: &Shapes, schema: &Value, names: &[String]) -> Value {
        let is_null = |schema: &Value| schema["type"] == "null";
        let variants = shapes.variants(schema);
        let variants: Vec<_> = variants
            .into_iter()
            .filter(|variant| !is_null(variant))
            .collect();
        let Some(schema) = self.pick(&variants) else {
            return Value::Null;
        };
        if schema.get("oneOf").is_some() || schema.get("anyOf").is_some() {
            return self.value(shapes, schema, names);
        }
        if let Some(values) = schema["enum"].as_array() {
            return self.pick(values).cloned().unwrap_or_default();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds
                .iter()
                .find(|kind| *kind != "null")
                .cloned()
                .unwrap_or_default(),
            kind => kind.clone(),
        };
        match kind.as_str().unwrap_or("object") {
            "boolean" => self.percent(50).into(),
            kind @ ("integer" | "number") => {
                let bound = |key: &str, default| schema[key].as_i64().unwrap_or(default);
                let [least, most] = [bound("minimum", 0), bound("maximum", 20)];
                if kind == "integer" {
                    self.number(least, most).into()
                } else {
                    self.decimal(least, most)
                }
            }
            "string" => self
                .pick(names)
                .map_or(json!("stranger"), |name| json!(name)),
            "array" => {
                let least = schema["minItems"].as_u64().unwrap_or(0) as usize;
                let count = least + self.below(4);
                (0..count)
                    .map(|_| self.value(shapes, &schema["items"], names))
                    .collect()
            }
            _ => Value::Object(self.object(shapes, schema, names)),
        }
    }

    fn object(&mut self, shapes: &Shapes, schema: &Value, names: &[String]) -> Map<String, Value> {
        let required = |field: &str| {
            schema["required"]
                .as_array()
                .is_some_and(|r| r.iter().any(|f| f == field))
        };
        let mut object = Map::new();
        for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
            if required(field) || self.percent(50) {
                object.insert(field.clone(), self.value(shapes, schema, names));
            }
        }
        let rest = &schema["additionalProperties"];
        if rest.is_object() {
            for _ in 0..self.below(4) {
                if let Some(name) = self.pick(names) {
                    object.insert(name.clone(), self.value(shapes, rest, names));
                }
            }
        }
        object
    }
}
