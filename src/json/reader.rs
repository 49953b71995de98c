//! Reads JSON with serde: a tree of values, or text. An object is read by its fields only, never from
//! a list, and has no field twice.

use super::FieldError;
use super::error::{FieldNames, INEXACT, OBJECT, ReadError, expected_in_words, not_json, one_of};
use super::object::ObjectVisitor;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

/// The name under which serde_json asks for the JSON itself.
const RAW: &str = "$serde_json::private::RawValue";

/// Reads a `T` of a value, naming the field that is wrong if one is.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, FieldError> {
    read_beside(value, &[])
}

/// Reads a `T` of an object's fields. `beside` are the fields that belong to the same object and are
/// read elsewhere: the error for an unknown field names them too.
pub fn read_fields<T: DeserializeOwned>(
    fields: &Map<String, Value>,
    beside: &[&'static str],
) -> Result<T, FieldError> {
    read_beside(fields, beside)
}

/// Reads a `T` of JSON text.
pub fn read_json<'j, T: Deserialize<'j>>(json: &'j str) -> Result<T, FieldError> {
    read_json_beside(json, &[])
}

/// Reads a `T` of the text of an object without the fields `beside` it, as [`read_fields`] does.
pub fn read_json_beside<'j, T: Deserialize<'j>>(
    json: &'j str,
    beside: &[&'static str],
) -> Result<T, FieldError> {
    let mut text = serde_json::Deserializer::from_str(json);
    let value = read_beside(&mut text, beside)?;
    text.end()
        .map_err(|error| not_json(json.as_bytes(), &error))?;
    Ok(value)
}

fn read_beside<'j, T: Deserialize<'j>, D: Deserializer<'j>>(
    json: D,
    beside: &[&'static str],
) -> Result<T, FieldError> {
    let failed = Cell::new(None);
    let state = State {
        failed: &failed,
        beside,
    };
    T::deserialize(Reader { json, state })
        .map_err(|error| error.into_field_error(beside, FieldNames::Fields))
}

/// State that the reader of a value hands on to the readers of its parts.
#[derive(Clone, Copy)]
struct State<'s> {
    /// The error on its way through serde_json, whose own would lose its path.
    failed: &'s Cell<Option<ReadError>>,
    /// The fields of this object that are read elsewhere.
    beside: &'s [&'static str],
}

impl State<'_> {
    /// The state for a part of the value.
    fn inner(self) -> Self {
        Self {
            beside: &[],
            ..self
        }
    }

    /// Sends a result through serde_json.
    fn send<T, E: Error>(self, result: Result<T, ReadError>) -> Result<T, E> {
        result.map_err(|error| {
            self.failed.set(Some(error));
            E::custom("")
        })
    }

    /// Takes a result that came through serde_json. An error that was not sent is its own.
    fn receive<T, E: fmt::Display>(self, result: Result<T, E>) -> Result<T, ReadError> {
        result.map_err(|error| {
            self.failed
                .take()
                .unwrap_or_else(|| ReadError::not_json(error))
        })
    }
}

/// Reads one value.
struct Reader<'s, D> {
    json: D,
    state: State<'s>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Reader<'_, D> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.state.receive(self.json.deserialize_any(Checked {
            visitor,
            state: self.state,
        }))
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
                .state
                .receive(self.json.deserialize_newtype_struct(name, visitor));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let visitor = VariantVisitor { visitor, variants };
        self.state.receive(self.json.deserialize_any(Checked {
            visitor,
            state: self.state,
        }))
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

/// Reads a part of a value.
struct PartSeed<'s, S> {
    seed: S,
    state: State<'s>,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for PartSeed<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<S::Value, D::Error> {
        let state = self.state;
        state.send(self.seed.deserialize(Reader {
            json,
            state: state.inner(),
        }))
    }
}

/// Hands what serde_json finds to a visitor: objects without duplicate fields, and lists only if no
/// object is expected.
struct Checked<'s, V> {
    visitor: V,
    state: State<'s>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Checked<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<V::Value, E> {
        self.state.send(self.visitor.visit_bool(truth))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<V::Value, E> {
        self.state.send(self.visitor.visit_i64(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<V::Value, E> {
        self.state.send(self.visitor.visit_u64(number))
    }

    /// `3.0` and `3e0` are the whole number 3, as JSON Schema has it.
    fn visit_f64<E: Error>(self, number: f64) -> Result<V::Value, E> {
        let is_whole = number.fract() == 0.0 && number.abs() < INEXACT;
        self.state.send(if is_whole {
            self.visitor.visit_i64(number as i64)
        } else {
            self.visitor.visit_f64(number)
        })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        self.state.send(self.visitor.visit_str(text))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<V::Value, E> {
        self.state.send(self.visitor.visit_borrowed_str(text))
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.state.send(self.visitor.visit_unit())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        let state = self.state;
        if expected_in_words(&self.visitor) == OBJECT {
            return state.send(Err(ReadError::invalid_type(Unexpected::Seq, &self.visitor)));
        }
        let mut items = ListItems {
            list,
            place: 0,
            state,
        };
        let value = self.visitor.visit_seq(&mut items);
        state.send(value.and_then(|value| items.end().map(|()| value)))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<V::Value, A::Error> {
        let state = self.state;
        let mut fields = ObjectFields {
            object,
            names: HashSet::new(),
            name: Cow::Borrowed(""),
            state,
        };
        state.send(self.visitor.visit_map(&mut fields))
    }
}

/// Reads an enum: a word, or an object with one field.
struct VariantVisitor<V> {
    visitor: V,
    variants: &'static [&'static str],
}

impl<'de, V: Visitor<'de>> Visitor<'de> for VariantVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_of(self.variants))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<V::Value, E> {
        self.visitor.visit_enum(StrDeserializer::new(word))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<V::Value, A::Error> {
        let expected = one_of(self.variants);
        let value = self
            .visitor
            .visit_enum(MapAccessDeserializer::new(&mut object))?;
        match object.next_key::<IgnoredAny>()? {
            Some(_) => Err(Error::invalid_type(Unexpected::Map, &expected.as_str())),
            None => Ok(value),
        }
    }
}

/// The items of a list, one after the other.
struct ListItems<'s, A> {
    list: A,
    place: usize,
    state: State<'s>,
}

impl<'de, A: SeqAccess<'de>> ListItems<'_, A> {
    /// Refuses further items.
    fn end(mut self) -> Result<(), ReadError> {
        let more = self.list.next_element::<IgnoredAny>();
        match self.state.receive(more)? {
            Some(_) => Err(ReadError::invalid_length(
                self.place.saturating_add(1),
                &"a shorter list",
            )),
            None => Ok(()),
        }
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for &mut ListItems<'_, A> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let item = self.list.next_element_seed(PartSeed {
            seed,
            state: self.state,
        });
        let item = self
            .state
            .receive(item)
            .map_err(|error| error.below(&self.place.to_string()))?;
        self.place = self.place.saturating_add(1);
        Ok(item)
    }
}

/// The fields of an object, one after the other.
struct ObjectFields<'de, 's, A> {
    object: A,
    /// The names so far.
    names: HashSet<Cow<'de, str>>,
    /// The name of the field whose value is next.
    name: Cow<'de, str>,
    state: State<'s>,
}

impl<'de, A: MapAccess<'de>> ObjectFields<'de, '_, A> {
    /// Goes to the next field that is not read elsewhere; whether there is one.
    fn next(&mut self) -> Result<bool, ReadError> {
        while let Some(name) = self.state.receive(self.object.next_key_seed(Name))? {
            if !self.names.insert(name.clone()) {
                return Err(ReadError::twice(&name));
            }
            if !self.state.beside.contains(&&*name) {
                self.name = name;
                return Ok(true);
            }
            self.state.receive(self.object.next_value::<IgnoredAny>())?;
        }
        Ok(false)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for &mut ObjectFields<'de, '_, A> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        if !self.next()? {
            return Ok(None);
        }
        let key = seed.deserialize(StrDeserializer::new(&self.name));
        key.map(Some)
            .map_err(|error: ReadError| error.of_key(&self.name))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        let value = self.object.next_value_seed(PartSeed {
            seed,
            state: self.state,
        });
        self.state
            .receive(value)
            .map_err(|error| error.below(&self.name))
    }
}

/// Reads the name of a field, without a copy if it has no escapes.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use serde_json::json;
    use serde_json::value::RawValue;
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Figure {
        Round,
        Long { length: u32 },
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Whole {
        count: u32,
        #[serde(default)]
        shape: Option<Figure>,
        #[serde(default)]
        pair: Option<[u32; 2]>,
        #[serde(default)]
        numbers: BTreeMap<String, i64>,
        #[serde(default)]
        words: Vec<String>,
    }

    /// Reads a text in two steps, with a tree of values between.
    fn by_a_tree<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, FieldError> {
        read(&parse(json.as_bytes())?)
    }

    #[test]
    fn a_text_is_read_and_refused_as_a_parsed_value_is() {
        for json in [
            r#"{"count": 3}"#,
            r#"{"count": 3.0, "shape": null, "words": ["a", "\u00e9"]}"#,
            r#"{"count": 3e0, "shape": "round", "pair": [1, 2]}"#,
            r#"{"count": 3, "shape": {"long": {"length": 4}}, "numbers": {"a": -1, "b": 2}}"#,
            r#"{"count": -3}"#,
            r#"{"count": 3.5}"#,
            r#"{"count": 1e300}"#,
            r#"{"count": "three"}"#,
            r#"{"count": null}"#,
            r#"{}"#,
            r#"[3]"#,
            r#"3"#,
            r#"{"count": 3, "count": 4}"#,
            r#"{"count": 3, "numbers": {"a": 1, "\u0061": 2}}"#,
            r#"{"count": 3, "number": {}}"#,
            r#"{"count": 3, "numbers": {"a": "b"}}"#,
            r#"{"count": 3, "words": ["a", 4]}"#,
            r#"{"count": 3, "words": {}}"#,
            r#"{"count": 3, "pair": [1, 2, 3]}"#,
            r#"{"count": 3, "pair": [1]}"#,
            r#"{"count": 3, "shape": "square"}"#,
            r#"{"count": 3, "shape": 4}"#,
            r#"{"count": 3, "shape": {"long": 4}}"#,
            r#"{"count": 3, "shape": {"long": {"length": -4}}}"#,
            r#"{"count": 3, "shape": {}}"#,
            r#"{"count": 3, "shape": {"long": {"length": 4}, "round": null}}"#,
        ] {
            assert_eq!(read_json::<Whole>(json), by_a_tree(json), "{json}");
        }
    }

    #[test]
    fn a_field_that_is_read_elsewhere_is_left_out_of_its_object_alone() {
        assert!(read_json_beside::<Whole>(r#"{"type": [{}], "count": 3}"#, &["type"]).is_ok());
        let refused = |json| read_json_beside::<Whole>(json, &["type"]).expect_err(json);
        assert_eq!(
            refused(r#"{"type": 1, "count": 3, "type": 2}"#).path,
            "type"
        );
        assert_eq!(
            refused(r#"{"count": 3, "shape": {"type": 1}}"#).path,
            "shape.type"
        );
        let unknown = refused(r#"{"count": 3, "kind": 1}"#);
        assert!(
            unknown
                .message
                .starts_with("Unknown field. Allowed: type, count"),
            "{unknown}"
        );
    }

    #[test]
    fn a_part_can_stay_as_it_is_written() {
        let parts: BTreeMap<String, &RawValue> =
            read_json(r#"{"a": [1,  2], "b": {"c": 1, "c": 2}}"#).expect("parts");
        assert_eq!(parts["a"].get(), "[1,  2]");
        assert_eq!(parts["b"].get(), r#"{"c": 1, "c": 2}"#);
    }

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
