//! Objects with known fields: an error about anything else shows how such an object looks.

use super::error::{OBJECT, expected_in_words};
use serde::de::{MapAccess, Visitor};
use std::fmt;

/// Fields that an error shows at most.
const SHOWN: usize = 3;

/// Reads an object with these fields.
pub(super) struct ObjectVisitor<V> {
    visitor: V,
    fields: &'static [&'static str],
}

impl<V> ObjectVisitor<V> {
    pub(super) fn new(visitor: V, fields: &'static [&'static str]) -> Self {
        Self { visitor, fields }
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ObjectVisitor<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = expected_in_words(&self.visitor);
        if expected != OBJECT || self.fields.is_empty() {
            return f.write_str(&expected);
        }
        let mut shown = Vec::new();
        for field in self.fields.iter().take(SHOWN) {
            shown.push(format!("{field:?}: ..."));
        }
        write!(f, "{OBJECT} such as {{{}}}", shown.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(object)
    }
}
