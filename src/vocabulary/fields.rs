//! The fields of commands and of the objects in them, and what their types alone say of the values.

use super::{
    CombatantId, EffectDraft, EffectId, Expiry, Int, MemberId, Property, Slug, Text, Values,
};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A field of a command, of an object in one, or of a combatant's stats.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// False if it may be left out.
    pub required: bool,
    /// True if a short form leaves it out.
    pub advanced: bool,
    /// True if it has what the table rolled or dealt.
    pub physical: bool,
    /// What leaving it out means, if that is a single value.
    pub default: Option<fn() -> Option<Value>>,
    /// The values that its type alone allows; None if a ruleset must say them.
    pub values: fn() -> Option<Values>,
}

/// A struct whose fields are in a table.
pub trait Fields {
    /// Its fields, as they are declared.
    const FIELDS: &'static [Field];

    /// The fields that may hold the same values whatever the fight is, but for those named.
    fn all_but(names: &[&str]) -> Vec<Property> {
        properties(Self::FIELDS, |name| !names.contains(&name))
    }

    /// Of these fields, those that may hold the same values whatever the fight is.
    fn only(names: &[&str]) -> Vec<Property> {
        properties(Self::FIELDS, |name| names.contains(&name))
    }
}

fn properties(fields: &[Field], is_asked: impl Fn(&str) -> bool) -> Vec<Property> {
    let mut properties = Vec::with_capacity(fields.len());
    for field in fields {
        if let Some(values) = (field.values)()
            && is_asked(field.name)
        {
            properties.push(Property {
                field: field.name.into(),
                required: field.required,
                values,
            });
        }
    }
    properties
}

/// The type of a field: what options can offer of it.
pub trait FieldType {
    /// All values of the type, if options can offer them as they are; None if a ruleset must open such a
    /// field itself.
    fn values() -> Option<Values> {
        None
    }
}

/// The default of a type.
pub fn default_value<T: Default + Serialize>() -> Option<Value> {
    serde_json::to_value(T::default()).ok()
}

impl<const MIN: i64, const MAX: i64> FieldType for Int<MIN, MAX> {
    fn values() -> Option<Values> {
        Some(Self::any())
    }
}

impl<const MAX: usize, const LINES: bool> FieldType for Text<MAX, LINES> {
    fn values() -> Option<Values> {
        Some(Self::any())
    }
}

impl FieldType for bool {
    fn values() -> Option<Values> {
        Some(Values::flag())
    }
}

impl<T: FieldType> FieldType for Option<T> {
    fn values() -> Option<Values> {
        T::values()
    }
}

impl<T> FieldType for Vec<T> {}
impl<K, V> FieldType for BTreeMap<K, V> {}
impl<T> FieldType for Arc<T> {}
impl FieldType for CombatantId {}
impl FieldType for EffectDraft {}
impl FieldType for EffectId {}
impl FieldType for Expiry {}
impl FieldType for MemberId {}
impl FieldType for Slug {}
impl FieldType for Value {}
impl FieldType for u64 {}
