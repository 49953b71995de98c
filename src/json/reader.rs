//! Reads JSON values and queries with serde. An object is read by its fields only, never from a
//! list.

use super::FieldError;
use super::error::{
    FieldNames, INEXACT, OBJECT, ReadError, expected_in_words, expects_integer, one_of,
};
use super::object::ObjectVisitor;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};
use std::iter::Enumerate;
use std::slice;

/// Reads a value of `T`, naming the field that is wrong if one is.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, FieldError> {
    T::deserialize(Reader(value)).map_err(|error| error.into_field_error(&[], FieldNames::Fields))
}

/// Reads a `T` of an object's fields, naming the field that is wrong if one is. `beside` are the
/// fields that belong to the same object and are read elsewhere: the error for an unknown field
/// names them too.
pub fn read_fields<T: DeserializeOwned>(
    fields: &Map<String, Value>,
    beside: &[&'static str],
) -> Result<T, FieldError> {
    T::deserialize(MapAccessDeserializer::new(entries(fields)))
        .map_err(|error| error.into_field_error(beside, FieldNames::Fields))
}

/// Reads a `T` of a query such as `after=12&limit=5`, naming the parameter that is wrong if one
/// is.
pub fn read_query<T: DeserializeOwned>(query: &str) -> Result<T, FieldError> {
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let parameters = pairs.iter().map(|(name, text)| (&**name, Parameter(text)));
    let parameters = Entries {
        rest: parameters,
        found: None,
    };
    T::deserialize(MapAccessDeserializer::new(parameters))
        .map_err(|error| error.into_field_error(&[], FieldNames::QueryParameters))
}

/// The name under which serde_json asks for the JSON itself.
const RAW: &str = "$serde_json::private::RawValue";

/// Reads one value.
#[derive(Clone, Copy)]
pub(super) struct Reader<'v>(pub &'v Value);

impl<'v> Reader<'v> {
    fn unexpected(self) -> Unexpected<'v> {
        match self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(truth) => Unexpected::Bool(*truth),
            Value::Number(number) => {
                let float = number.as_f64().unwrap_or(f64::NAN);
                // `3.0` and `3e0` are the whole number 3, as JSON Schema has it.
                let integer =
                    (float.fract() == 0.0 && float.abs() < INEXACT).then_some(float as i64);
                match (number.as_u64(), number.as_i64().or(integer)) {
                    (Some(number), _) => Unexpected::Unsigned(number),
                    (None, Some(number)) => Unexpected::Signed(number),
                    (None, None) => Unexpected::Float(float),
                }
            }
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        }
    }
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match (self.0, self.unexpected()) {
            // A visitor that asks for anything and means an object would take a list too.
            (Value::Array(_), found) if expected_in_words(&visitor) == OBJECT => {
                Err(ReadError::invalid_type(found, &visitor))
            }
            (Value::Array(list), _) => {
                let mut items = Items(list.iter().enumerate());
                let value = visitor.visit_seq(&mut items)?;
                match items.0.len() {
                    0 => Ok(value),
                    _ => Err(ReadError::invalid_length(list.len(), &"a shorter list")),
                }
            }
            (Value::Object(fields), _) => visitor.visit_map(entries(fields)),
            (Value::String(text), _) => visitor.visit_borrowed_str(text),
            (_, Unexpected::Bool(truth)) => visitor.visit_bool(truth),
            (_, Unexpected::Unsigned(number)) => visitor.visit_u64(number),
            (_, Unexpected::Signed(number)) => visitor.visit_i64(number),
            (_, Unexpected::Float(number)) => visitor.visit_f64(number),
            _ => visitor.visit_unit(),
        }
    }

    /// A field that may be left out is not null instead: no published schema allows that.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if name == RAW {
            return self
                .0
                .deserialize_newtype_struct(name, visitor)
                .map_err(ReadError::custom);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.0 {
            Value::String(variant) => visitor.visit_enum(BorrowedStrDeserializer::new(variant)),
            Value::Object(fields) if fields.len() == 1 => {
                visitor.visit_enum(MapAccessDeserializer::new(entries(fields)))
            }
            _ => Err(ReadError::invalid_type(
                self.unexpected(),
                &one_of(variants).as_str(),
            )),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_any(ObjectVisitor::new(visitor, fields))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map identifier
    }

    /// An ignored value is that of an unknown field. The client may have misspelt its name.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, ReadError> {
        Err(ReadError::custom("Unknown field."))
    }
}

/// The fields of an object, or the parameters of a query, one after the other.
struct Entries<'v, I, V> {
    rest: I,
    found: Option<(&'v str, V)>,
}

fn entries(fields: &Map<String, Value>) -> impl MapAccess<'_, Error = ReadError> {
    Entries {
        rest: fields
            .iter()
            .map(|(name, value)| (name.as_str(), Reader(value))),
        found: None,
    }
}

impl<'de, 'v, I: Iterator<Item = (&'v str, V)>, V: Deserializer<'de, Error = ReadError>>
    MapAccess<'de> for Entries<'v, I, V>
{
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
        let (name, value) = self
            .found
            .take()
            .ok_or_else(|| ReadError::custom("a value before its name"))?;
        seed.deserialize(value).map_err(|error| error.below(name))
    }
}

/// The items of a list, one after the other.
struct Items<'v>(Enumerate<slice::Iter<'v, Value>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let Some((place, item)) = self.0.next() else {
            return Ok(None);
        };
        seed.deserialize(Reader(item))
            .map(Some)
            .map_err(|error| error.below(&place.to_string()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Happening {
        Hurt(Hurt),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Hurt {
        amount: u32,
    }

    #[test]
    fn an_object_with_a_type_is_not_read_from_a_list() {
        assert_eq!(
            read(&json!({"type": "hurt", "amount": 3})),
            Ok(Happening::Hurt(Hurt { amount: 3 }))
        );
        for list in [
            json!(["hurt", {"amount": 3}]),
            json!(["hurt", 3]),
            json!([]),
        ] {
            let expected = FieldError::malformed("", "Expected an object, got a list.");
            assert_eq!(read::<Happening>(&list), Err(expected), "{list}");
        }
    }
}
