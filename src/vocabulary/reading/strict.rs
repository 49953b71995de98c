//! JSON in which no field stands twice: which of the two counts would be anybody's guess.

use super::error::ReadError;
use super::{ErrorKind, FieldError};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::fmt;

/// Why a body is not JSON that can be read.
#[derive(Debug)]
pub enum BadJson {
    /// It is no JSON.
    Syntax(serde_json::Error),
    /// A field is there twice.
    Twice(FieldError),
}

/// Reads JSON in which no object has the same field twice.
pub fn parse(json: &[u8]) -> Result<Value, BadJson> {
    Ok(parse_except(json, None)?.0)
}

/// The same, but the outermost object's field `aside` is left as it is, unread: it may be long.
pub fn parse_except<'j>(json: &'j [u8], aside: Option<&str>) -> Result<(Value, Option<&'j RawValue>), BadJson> {
    let (mut twice, mut raw) = (None, None);
    let mut text = serde_json::Deserializer::from_slice(json);
    let strict = Strict { twice: &mut twice, aside: aside.map(|name| (name, &mut raw)) };
    let value = strict.deserialize(&mut text).and_then(|value| text.end().map(|()| value));
    match (value, twice) {
        (Ok(value), _) => Ok((value, raw)),
        (Err(_), Some(error)) => Err(BadJson::Twice(error.into_field_error(&[]))),
        (Err(error), None) => Err(BadJson::Syntax(error)),
    }
}

/// Makes a value of what comes.
struct Strict<'s, 'j> {
    /// The field that was there twice, on the way out.
    twice: &'s mut Option<ReadError>,
    aside: Option<(&'s str, &'s mut Option<&'j RawValue>)>,
}

impl<'j> Strict<'_, 'j> {
    /// What reads a part of it.
    fn inner(&mut self) -> Strict<'_, 'j> {
        Strict { twice: self.twice, aside: None }
    }

    /// An error within a part of it, seen from here.
    fn outer<E>(&mut self, place: &str, error: E) -> E {
        *self.twice = self.twice.take().map(|error| error.below(place));
        error
    }

    fn refuse<E: de::Error>(&mut self, field: &str) -> E {
        *self.twice = Some(ReadError::twice(field, ErrorKind::Twice));
        E::custom("a field is there twice")
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
            match item.map_err(|error| self.outer(&items.len().to_string(), error))? {
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
                    return Err(self.refuse(&name));
                }
                continue;
            }
            if fields.contains_key(&name) {
                return Err(self.refuse(&name));
            }
            let value = object.next_value_seed(self.inner());
            let value = value.map_err(|error| self.outer(&name, error))?;
            fields.insert(name, value);
        }
        Ok(Value::Object(fields))
    }
}
