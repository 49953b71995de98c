//! JSON without duplicate fields: parsers differ in which of the two they use.

use super::FieldError;
use super::error::{TWICE, joined, not_json};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Reads JSON in which no object has the same field twice.
pub fn parse(json: &[u8]) -> Result<Value, FieldError> {
    let mut path = Vec::new();
    let mut text = serde_json::Deserializer::from_slice(json);
    let read = Strict { path: &mut path }.deserialize(&mut text);
    let value = match read {
        Ok(value) => value,
        // All other JSON is taken.
        Err(error) if error.is_data() => return Err(FieldError::twice(joined(&path))),
        Err(error) => return Err(not_json(json, &error)),
    };
    match text.end() {
        Ok(()) => Ok(value),
        Err(error) => Err(not_json(json, &error)),
    }
}

/// Makes a value of what comes.
struct Strict<'s> {
    /// Where an error is, from the inside out.
    path: &'s mut Vec<String>,
}

impl Strict<'_> {
    /// What reads a part of it.
    fn inner(&mut self) -> Strict<'_> {
        Strict { path: self.path }
    }

    fn refuse<E: Error>(&mut self, field: String) -> E {
        self.path.push(field);
        E::custom(TWICE)
    }
}

impl<'j> DeserializeSeed<'j> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'j>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'j> Visitor<'j> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(truth.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'j>>(mut self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let item = list.next_element_seed(self.inner());
            match item.inspect_err(|_| self.path.push(items.len().to_string()))? {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'j>>(mut self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            if fields.contains_key(&name) {
                return Err(self.refuse(name));
            }
            let value = object
                .next_value_seed(self.inner())
                .inspect_err(|_| self.path.push(name.clone()))?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}
