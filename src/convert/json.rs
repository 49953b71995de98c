//! JSON of other programs, read loosely: a field may be missing, or a number be written as text.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;

/// Maximum fields of an object, or values of a list, that are read. A file has fewer: a fight has at
/// most 500 combatants, and no tracker keeps so many creatures and fights.
const MOST: usize = 100_000;
/// Maximum characters of a text that are kept. No field of ours has as many, and a text may be copied
/// for each creature.
const TEXT: usize = 2_000;

/// A value of a file. Nothing is read before it is asked for, so that a large file costs no more
/// memory than its text.
#[derive(Clone, Copy)]
pub(super) struct Json<'f>(&'f RawValue);

impl<'f> Json<'f> {
    /// The value of a whole file.
    pub fn of(file: &'f str) -> serde_json::Result<Self> {
        serde_json::from_str(file).map(Self)
    }

    fn read<T: Deserialize<'f>>(self) -> Option<T> {
        serde_json::from_str(self.0.get()).ok()
    }

    /// The fields of an object; none of another value.
    pub fn fields(self) -> JsonFields<'f> {
        self.read().unwrap_or_default()
    }

    /// The values of a list; none of another value.
    pub fn items(self) -> Vec<Self> {
        let CappedList(items) = self.read().unwrap_or_default();
        items.into_iter().map(Self).collect()
    }

    /// A number, also one that is written as text.
    pub fn number(self) -> Option<f64> {
        let number = match self.read::<f64>() {
            Some(number) => number,
            None => self.text()?.trim().parse().ok()?,
        };
        number.is_finite().then_some(number)
    }

    /// A text that is not blank, or a number as text: its first characters.
    pub fn text(self) -> Option<String> {
        let text = match self.whole_text() {
            Some(text) => text.trim().chars().take(TEXT).collect(),
            None => self.read::<serde_json::Number>()?.to_string(),
        };
        (!text.is_empty()).then_some(text)
    }

    /// All of a text.
    pub fn whole_text(self) -> Option<String> {
        self.read::<Lossy>().map(|Lossy(text)| text)
    }

    /// The value as the file writes it.
    pub fn source(self) -> &'f str {
        self.0.get()
    }

    /// True if it is `true`.
    pub fn is_true(self) -> bool {
        self.0.get() == "true"
    }

    /// True if it is `false`.
    pub fn is_false(self) -> bool {
        self.0.get() == "false"
    }

    pub fn is_text(self) -> bool {
        self.0.get().starts_with('"')
    }

    pub fn is_object(self) -> bool {
        self.0.get().starts_with('{')
    }

    pub fn is_list(self) -> bool {
        self.0.get().starts_with('[')
    }

    /// True if it says nothing: a field that is there as it was never set.
    pub fn is_empty(self) -> bool {
        match self.0.get() {
            "null" | "false" | "0" => true,
            json if json.starts_with('"') => json.len() < 100 && self.text().is_none(),
            json if json.starts_with(['{', '[']) => json
                .get(1..json.len() - 1)
                .is_some_and(|json| json.trim().is_empty()),
            _ => false,
        }
    }
}

/// The fields of an object. Those that are taken have a place; the rest has none.
#[derive(Default)]
pub(super) struct JsonFields<'f>(BTreeMap<String, &'f RawValue>);

impl<'f> JsonFields<'f> {
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// True if there are no fields.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Looks at a field without taking it.
    pub fn get(&self, name: &str) -> Option<Json<'f>> {
        self.0.get(name).copied().map(Json)
    }

    pub fn take(&mut self, name: &str) -> Option<Json<'f>> {
        self.0.remove(name).map(Json)
    }

    /// Takes fields that say nothing about a fight.
    pub fn ignore(&mut self, names: &[&str]) {
        for name in names {
            self.0.remove(*name);
        }
    }

    pub fn number(&mut self, name: &str) -> Option<f64> {
        self.take(name)?.number()
    }

    pub fn text(&mut self, name: &str) -> Option<String> {
        self.take(name)?.text()
    }

    pub fn is_true(&mut self, name: &str) -> bool {
        self.take(name).is_some_and(Json::is_true)
    }

    pub fn items(&mut self, name: &str) -> Vec<Json<'f>> {
        self.take(name).map(Json::items).unwrap_or_default()
    }

    pub fn fields(&mut self, name: &str) -> Self {
        self.take(name).map(Json::fields).unwrap_or_default()
    }

    /// All fields by their names.
    pub fn each(self) -> impl Iterator<Item = (String, Json<'f>)> {
        self.0.into_iter().map(|(name, value)| (name, Json(value)))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The names of the fields that were not taken and say something.
    pub fn rest(&self) -> impl Iterator<Item = &str> {
        let said = self.0.iter().filter(|(_, value)| !Json(value).is_empty());
        said.map(|(name, _)| name.as_str())
    }
}

/// At most [`MOST`] values of a list.
#[derive(Default)]
struct CappedList<'f>(Vec<&'f RawValue>);

impl<'f> Deserialize<'f> for CappedList<'f> {
    fn deserialize<D: Deserializer<'f>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items;
        impl<'f> Visitor<'f> for Items {
            type Value = CappedList<'f>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'f>>(self, mut items: A) -> Result<CappedList<'f>, A::Error> {
                let mut list = CappedList::default();
                while list.0.len() < MOST
                    && let Some(item) = items.next_element()?
                {
                    list.0.push(item);
                }
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(list)
            }
        }
        deserializer.deserialize_seq(Items)
    }
}

/// At most [`MOST`] fields of an object; the last of those with the same name.
impl<'f> Deserialize<'f> for JsonFields<'f> {
    fn deserialize<D: Deserializer<'f>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'f> Visitor<'f> for Entries {
            type Value = JsonFields<'f>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'f>>(
                self,
                mut entries: A,
            ) -> Result<JsonFields<'f>, A::Error> {
                let mut fields = JsonFields::default();
                while fields.0.len() < MOST
                    && let Some((Lossy(name), value)) = entries.next_entry()?
                {
                    fields.0.insert(name, value);
                }
                while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// A text. Half of a character, as programs leave it where they cut one, becomes a sign for it.
struct Lossy(String);

impl<'f> Deserialize<'f> for Lossy {
    fn deserialize<D: Deserializer<'f>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Lossy;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Lossy, E> {
                Ok(Lossy(String::from_utf8_lossy(bytes).into_owned()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}
