//! Reads the parameters of a query, which are all text.

use super::fault::counts;
use super::{FieldError, ReadError};
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;

/// Reads a `T` of a query such as `after=12&limit=5`, naming the parameter that is wrong where one is.
pub fn read_query<T: DeserializeOwned>(query: &str) -> Result<T, FieldError> {
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let parameters = pairs.iter().map(|(name, text)| (&**name, Parameter { name, text }));
    T::deserialize(MapDeserializer::new(parameters)).map_err(|fault: ReadError| fault.told(&[]))
}

/// One parameter.
struct Parameter<'q> {
    name: &'q str,
    text: &'q Cow<'q, str>,
}

impl Parameter<'_> {
    /// Hands on what the text says, where it says such a thing.
    fn give<'de, T: std::str::FromStr, V: Visitor<'de>>(
        self, visitor: V, visit: impl FnOnce(V, T) -> Result<V::Value, ReadError>,
    ) -> Result<V::Value, ReadError> {
        let given = match self.text.parse() {
            Ok(value) => visit(visitor, value),
            Err(_) => {
                let (found, digits) = (Unexpected::Str(self.text), self.text.strip_prefix('-').unwrap_or(self.text));
                let whole = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                // A whole number that is out of range is one all the same.
                let fault = if whole && counts(&visitor) { ReadError::invalid_value } else { ReadError::invalid_type };
                Err(fault(found, &visitor))
            }
        };
        given.map_err(|fault| fault.below(self.name))
    }
}

impl<'de> Deserializer<'de> for Parameter<'_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_str(self.text).map_err(|fault: ReadError| fault.below(self.name))
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.give(visitor, V::visit_u64)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.give(visitor, V::visit_i64)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.give(visitor, V::visit_bool)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl IntoDeserializer<'_, ReadError> for Parameter<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
