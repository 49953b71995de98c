//! JSON without duplicate fields: parsers differ in which of the two they use.

use super::error::{TWICE, joined};
use super::{ErrorKind, FieldError};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;

/// Reads JSON in which no object has the same field twice.
pub fn parse(json: &[u8]) -> Result<Value, FieldError> {
    Ok(parse_except(json, None)?.0)
}

/// The same, but the outermost object's field `aside` is left as it is, unread: it may be long.
pub fn parse_except<'j>(json: &'j [u8], aside: Option<&str>) -> Result<(Value, Option<&'j RawValue>), FieldError> {
    let (mut path, mut raw) = (Vec::new(), None);
    let mut text = serde_json::Deserializer::from_slice(json);
    let strict = Strict { path: &mut path, aside: aside.map(|name| (name, &mut raw)) };
    let value = strict.deserialize(&mut text).and_then(|value| text.end().map(|()| value));
    let (path, message, kind) = match value {
        Ok(value) => return Ok((value, raw)),
        // Everything else that is JSON is taken.
        Err(error) if error.is_data() => (joined(&path), TWICE.to_owned(), ErrorKind::Twice),
        Err(_) if json.is_empty() => {
            (String::new(), "the body is empty: JSON is expected".to_owned(), ErrorKind::NotJson)
        }
        Err(error) => (String::new(), format!("this is not JSON: {error}"), ErrorKind::NotJson),
    };
    Err(FieldError { path, message, kind })
}

/// Makes a value of what comes.
struct Strict<'s, 'j> {
    /// Where an error is, from the inside out.
    path: &'s mut Vec<String>,
    aside: Option<(&'s str, &'s mut Option<&'j RawValue>)>,
}

impl<'j> Strict<'_, 'j> {
    /// What reads a part of it.
    fn inner(&mut self) -> Strict<'_, 'j> {
        Strict { path: self.path, aside: None }
    }

    fn refuse<E: Error>(&mut self, field: String) -> E {
        self.path.push(field);
        E::custom(TWICE)
    }
}

impl<'j> DeserializeSeed<'j> for Strict<'_, 'j> {
    type Value = Value;

    fn deserialize<D: Deserializer<'j>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'j> Visitor<'j> for Strict<'_, 'j> {
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
            if let Some((aside, raw)) = &mut self.aside
                && *aside == name
            {
                if raw.replace(object.next_value()?).is_some() {
                    return Err(self.refuse(name));
                }
                continue;
            }
            if fields.contains_key(&name) {
                return Err(self.refuse(name));
            }
            let value = object.next_value_seed(self.inner()).inspect_err(|_| self.path.push(name.clone()))?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}
