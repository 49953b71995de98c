//! Reads queries with serde.

use super::FieldError;
use super::error::{FieldNames, ReadError, expects_integer};
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::vec;

/// Reads a `T` of a query such as `after=12&limit=5`, naming the parameter that is wrong if one
/// is.
pub fn read_query<T: DeserializeOwned>(query: &str) -> Result<T, FieldError> {
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let pairs = Pairs {
        rest: pairs.into_iter(),
        found: None,
    };
    T::deserialize(MapAccessDeserializer::new(pairs))
        .map_err(|error| error.into_field_error(&[], FieldNames::QueryParameters))
}

/// A name and a text.
type Pair<'q> = (Cow<'q, str>, Cow<'q, str>);

/// The parameters of a query, one after the other.
struct Pairs<'q> {
    rest: vec::IntoIter<Pair<'q>>,
    /// The parameter whose name was read last.
    found: Option<Pair<'q>>,
}

impl<'de> MapAccess<'de> for Pairs<'_> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        self.found = self.rest.next();
        let Some((name, _)) = &self.found else {
            return Ok(None);
        };
        let key = seed.deserialize(StrDeserializer::new(name));
        key.map(Some).map_err(|error: ReadError| error.of_key(name))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        let (name, text) = self
            .found
            .take()
            .ok_or_else(|| ReadError::custom("a value before its name"))?;
        seed.deserialize(Parameter(&text))
            .map_err(|error| error.below(&name))
    }
}

/// One parameter.
struct Parameter<'q>(&'q str);

impl Parameter<'_> {
    /// Hands on the value of the text, if it is one of `T`.
    fn give<'de, T: std::str::FromStr, V: Visitor<'de>>(
        self,
        visitor: V,
        visit: impl FnOnce(V, T) -> Result<V::Value, ReadError>,
    ) -> Result<V::Value, ReadError> {
        match self.0.parse() {
            Ok(value) => visit(visitor, value),
            Err(_) => {
                let found = Unexpected::Str(self.0);
                // A whole number that is out of range is one all the same.
                if is_integer(self.0) && expects_integer(&visitor) {
                    Err(ReadError::invalid_value(found, &visitor))
                } else {
                    Err(ReadError::invalid_type(found, &visitor))
                }
            }
        }
    }
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

impl<'de> Deserializer<'de> for Parameter<'_> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_str(self.0)
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

    // The parameters are u64, i64, bool and text. A type that is listed here reads the text.
    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u32 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
