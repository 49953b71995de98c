//! A long list of JSON, read item by item: a tree of its values would take many times the memory of
//! the text.

use super::FieldError;
use super::error::not_json;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The text of JSON. Refuses bytes that are none.
pub fn json_text(bytes: &[u8]) -> Result<&str, FieldError> {
    let text: &RawValue = serde_json::from_slice(bytes).map_err(|error| not_json(bytes, &error))?;
    Ok(text.get())
}

/// Hands the items of a list on one after the other, as they are written, with their places.
pub fn each_item<'j, E: From<FieldError>>(
    list: &'j RawValue,
    take: impl FnMut(usize, &'j RawValue) -> Result<(), E>,
) -> Result<(), E> {
    let mut each = Each {
        take,
        refused: None,
    };
    let read = serde_json::Deserializer::from_str(list.get()).deserialize_any(&mut each);
    match each.refused {
        Some(refused) => Err(refused),
        None => read.map_err(|_| FieldError::malformed("", "Expected a list.").into()),
    }
}

/// Takes the items of a list until one is refused.
struct Each<F, E> {
    take: F,
    refused: Option<E>,
}

impl<'de, E, F: FnMut(usize, &'de RawValue) -> Result<(), E>> Visitor<'de> for &mut Each<F, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut place = 0;
        while let Some(item) = list.next_element()? {
            if let Err(refused) = (self.take)(place, item) {
                self.refused = Some(refused);
                return Err(A::Error::custom(""));
            }
            place += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_of_a_list_come_one_by_one_until_one_is_refused() {
        let list = RawValue::from_string("[1, [2], 3, 4]".to_owned()).expect("JSON");
        let mut taken = Vec::new();
        let refused = each_item(&list, |place, item| {
            taken.push((place, item.get()));
            if place < 2 {
                Ok(())
            } else {
                Err(FieldError::malformed("", "enough"))
            }
        });
        assert_eq!(refused, Err(FieldError::malformed("", "enough")));
        assert_eq!(taken, [(0, "1"), (1, "[2]"), (2, "3")]);
        let object = RawValue::from_string("{}".to_owned()).expect("JSON");
        assert_eq!(
            each_item(&object, |_, _| Ok(())),
            Err(FieldError::malformed("", "Expected a list."))
        );
    }
}
