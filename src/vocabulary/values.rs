//! What an open field of a command may hold, and its JSON Schema.

use super::scalar::LINE_PATTERN;
use super::{CombatantId, Describe, EffectId, MAX_COMBATANTS, Names, spaced};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A new word as it is kept, in small letters: in capitals a known word would pass for a new one.
/// Readers of JSON Schema have no class of capitals in common, so that those beyond ASCII match.
const NEW_WORD_PATTERN: &str = r"^[^\x00-\x2f:-\x60\x7b-\xa9\u2000-\u206f][^\x00-,.\x2f:-\x5e\x60\x7b-\xa9\u2000-\u206f]{0,39}$";

/// What an open field of a command may hold. Every value of it is accepted.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// One of a few values.
    OneOf(ListedValues),
    /// One value of a list that several commands share.
    Shared(SharedList),
    /// A whole number from the first to the second, both included.
    Range(i64, i64),
    /// A number from the first to the second, both included; two decimals are kept.
    Decimal(i64, i64),
    /// Text of at most so many characters.
    Text(usize),
    /// Text of at most so many characters that is none of these.
    NewText(usize, Vec<Value>),
    /// A word for machines, such as a condition, that is none of these.
    NewWord(Vec<Value>),
    /// A list.
    List {
        /// What each item may be.
        items: Box<Values>,
        /// True if no two items are equal.
        unique: bool,
        /// How many items there are at least and at most.
        length: [usize; 2],
    },
    /// An object from keys to values.
    Map {
        /// What each key may be.
        keys: Box<Values>,
        /// What each value may be.
        values: Box<Values>,
        /// How many there are at most.
        most: usize,
    },
    /// An object with these fields.
    Object(Vec<Property>),
    /// One of several shapes.
    AnyOf(Vec<Alternative>),
}

/// A short list of values.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedValues {
    /// What the values name.
    pub of: Named,
    /// The values.
    pub values: Vec<Value>,
}

/// What listed values name, which decides how a title says them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Named {
    /// Combatants by their ids.
    Combatants,
    /// Effects by their ids.
    Effects,
    /// Words, flags or numbers.
    Words,
    /// Words that the ruleset has a name for each, such as cards.
    Coded(Coding),
}

/// Says a word of the ruleset as players do: `qs` is `Q♠`.
#[derive(Debug, Clone, Copy)]
pub struct Coding(pub fn(&str) -> String);

impl PartialEq for Coding {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Coding {}

impl Hash for Coding {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0 as usize).hash(state);
    }
}

/// A list that several commands share: the answer holds it once, in `$defs`.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedList {
    /// Its name in `$defs`.
    pub name: String,
    /// What the values name.
    pub of: Named,
    /// Values of the list that this field may not hold.
    pub except: Vec<Value>,
    /// The list.
    pub values: Arc<[Value]>,
    /// The schema of the list in `$defs`.
    pub schema: Arc<Value>,
}

/// One of several shapes.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// Words that continue a label, such as `Until a turn ends` after `Add an effect`.
    pub title: &'static str,
    /// What a value of the shape may be.
    pub values: Values,
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// The field.
    pub field: Cow<'static, str>,
    /// False if it may be left out.
    pub required: bool,
    /// What it may hold.
    pub values: Values,
}

impl Property {
    /// A field that must be there.
    pub fn required(field: &'static str, values: Values) -> Self {
        Self {
            field: field.into(),
            required: true,
            values,
        }
    }

    /// A field that may be left out.
    pub fn optional(field: impl Into<Cow<'static, str>>, values: Values) -> Self {
        Self {
            field: field.into(),
            required: false,
            values,
        }
    }
}

impl SharedList {
    /// The values that the field may hold.
    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        let allowed = |value: &&Value| !self.except.contains(value);
        self.values.iter().filter(allowed)
    }
}

/// A list of combatants that several legal commands share.
pub fn shared_list<'a>(ids: impl IntoIterator<Item = &'a CombatantId>) -> Arc<[Value]> {
    ids.into_iter().map(|id| json!(id)).collect()
}

impl Values {
    /// One of these words, flags or numbers.
    pub fn words<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> Self {
        Self::one_of(Named::Words, values)
    }

    /// One of these combatants.
    pub fn combatants<'a>(ids: impl IntoIterator<Item = &'a CombatantId>) -> Self {
        Self::one_of(Named::Combatants, ids.into_iter().map(|id| id.as_str()))
    }

    /// Whether each value is a combatant.
    pub fn are_combatants(&self) -> bool {
        let of = match self {
            Self::OneOf(listed) => &listed.of,
            Self::Shared(list) => &list.of,
            _ => return false,
        };
        matches!(of, Named::Combatants)
    }

    /// One of these words, which `coding` says as players do.
    pub fn coded<V: Into<Value>>(
        values: impl IntoIterator<Item = V>,
        coding: fn(&str) -> String,
    ) -> Self {
        Self::one_of(Named::Coded(Coding(coding)), values)
    }

    fn one_of<V: Into<Value>>(of: Named, values: impl IntoIterator<Item = V>) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        Self::OneOf(ListedValues { of, values })
    }

    /// One of these effects.
    pub fn effects<'a>(ids: impl IntoIterator<Item = &'a EffectId>) -> Self {
        Self::one_of(Named::Effects, ids.into_iter().map(|id| id.as_str()))
    }

    /// True or false.
    pub fn flag() -> Self {
        Self::words([false, true])
    }

    /// One of `ids`, a list that several legal commands share, but none of `except`.
    pub fn among(ids: &Arc<[Value]>, except: Vec<Value>) -> Self {
        Self::shared(Named::Combatants, ids.clone(), except)
    }

    /// One value of a list that is to be shared, but none of `except`.
    pub fn shared(of: Named, values: Arc<[Value]>, except: Vec<Value>) -> Self {
        Self::Shared(SharedList {
            name: String::new(),
            of,
            except,
            values,
            schema: Arc::default(),
        })
    }

    /// The same without optional fields and shapes for which there is no value.
    pub fn without_empty_parts(self) -> Self {
        match self {
            Self::Object(properties) => {
                let mut filled = Vec::with_capacity(properties.len());
                for property in properties {
                    let values = property.values.without_empty_parts();
                    if property.required || !values.is_empty() {
                        filled.push(Property { values, ..property });
                    }
                }
                Self::Object(filled)
            }
            Self::AnyOf(shapes) => {
                let mut filled = Vec::with_capacity(shapes.len());
                for Alternative { title, values } in shapes {
                    let values = values.without_empty_parts();
                    if !values.is_empty() {
                        filled.push(Alternative { title, values });
                    }
                }
                Self::AnyOf(filled)
            }
            values => values,
        }
    }

    /// A list of at most `most` of these, without repetitions.
    pub fn list(items: Self, most: usize) -> Self {
        Self::List {
            items: Box::new(items),
            unique: true,
            length: [0, most],
        }
    }

    /// A list of at most `most` faces of dice with so many sides.
    pub fn dice(sides: i64, most: usize) -> Self {
        Self::List {
            items: Box::new(Self::Range(1, sides)),
            unique: false,
            length: [0, most],
        }
    }

    /// A list of one of these.
    pub fn only(item: Self) -> Self {
        Self::List {
            items: Box::new(item),
            unique: true,
            length: [1, 1],
        }
    }

    /// An object from keys to values, at most `most` of them.
    pub fn map(keys: Self, values: Self, most: usize) -> Self {
        Self::Map {
            keys: Box::new(keys),
            values: Box::new(values),
            most,
        }
    }

    /// An object from combatants to values.
    pub fn by_combatant<'a>(ids: impl IntoIterator<Item = &'a CombatantId>, values: Self) -> Self {
        Self::map(Self::combatants(ids), values, MAX_COMBATANTS)
    }

    /// Whether no value is left to choose.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::OneOf(list) => list.values.is_empty(),
            Self::Shared(list) => list.iter().next().is_none(),
            Self::List { items, .. } => items.is_empty(),
            Self::Map { keys, values, .. } => keys.is_empty() || values.is_empty(),
            Self::Object(properties) => {
                let mut required = properties.iter().filter(|property| property.required);
                properties.is_empty() || required.any(|property| property.values.is_empty())
            }
            Self::AnyOf(shapes) => shapes.iter().all(|shape| shape.values.is_empty()),
            _ => false,
        }
    }

    /// A value that the field may hold, the smallest one; None if there is none.
    pub fn example(&self) -> Option<Value> {
        Some(match self {
            Self::OneOf(list) => list.values.first()?.clone(),
            Self::Shared(list) => list.iter().next()?.clone(),
            Self::Range(least, _) | Self::Decimal(least, _) => json!(least),
            Self::Text(_) => json!("x"),
            Self::NewText(_, known) | Self::NewWord(known) => json!(new_word(known)),
            Self::List { items, length, .. } => {
                let least = length[0];
                let items = items.example().into_iter().cycle();
                Value::Array(items.take(least).collect())
            }
            Self::Map { .. } => json!({}),
            Self::Object(properties) => {
                let mut object = Map::new();
                for property in properties {
                    if property.required {
                        object.insert(property.field.to_string(), property.values.example()?);
                    }
                }
                Value::Object(object)
            }
            Self::AnyOf(shapes) => shapes.first()?.values.example()?,
        })
    }

    /// The value that the field may hold, if there is no other one.
    pub fn only_value(&self) -> Option<Value> {
        match self {
            Self::OneOf(list) => match list.values.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            },
            Self::Shared(list) => {
                let mut values = list.iter();
                let only = values.next()?;
                values.next().is_none().then(|| only.clone())
            }
            Self::Range(least, most) if least == most => Some(json!(least)),
            _ => None,
        }
    }

    /// The lists in it that several commands share.
    pub fn shared_lists(&self) -> Vec<&SharedList> {
        match self {
            Self::Shared(list) => vec![list],
            Self::List { items, .. } => items.shared_lists(),
            Self::Map { keys, values, .. } => {
                let mut lists = keys.shared_lists();
                lists.append(&mut values.shared_lists());
                lists
            }
            Self::Object(properties) => {
                let values = properties.iter().map(|property| &property.values);
                values.flat_map(Self::shared_lists).collect()
            }
            Self::AnyOf(shapes) => {
                let values = shapes.iter().map(|shape| &shape.values);
                values.flat_map(Self::shared_lists).collect()
            }
            Self::OneOf(_)
            | Self::Range(..)
            | Self::Decimal(..)
            | Self::Text(_)
            | Self::NewText(..)
            | Self::NewWord(_) => Vec::new(),
        }
    }

    /// Every list in it.
    pub fn lists_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::OneOf(_) | Self::Shared(_) => vec![self],
            Self::List { items, .. } => items.lists_mut(),
            Self::Map { keys, values, .. } => {
                let mut lists = keys.lists_mut();
                lists.append(&mut values.lists_mut());
                lists
            }
            Self::Object(properties) => {
                let mut lists = Vec::new();
                for property in properties {
                    lists.append(&mut property.values.lists_mut());
                }
                lists
            }
            Self::AnyOf(shapes) => {
                let mut lists = Vec::new();
                for shape in shapes {
                    lists.append(&mut shape.values.lists_mut());
                }
                lists
            }
            Self::Range(..)
            | Self::Decimal(..)
            | Self::Text(_)
            | Self::NewText(..)
            | Self::NewWord(_) => Vec::new(),
        }
    }

    /// The JSON Schema of the values. Combatants have their names as titles.
    pub fn schema(&self, names: &dyn Names) -> Value {
        match self {
            Self::OneOf(ListedValues { of, values }) => listed(*of, values, names),
            Self::Shared(list) => {
                let mut schema = json!({"$ref": format!("#/$defs/{}", list.name)});
                match list.except.as_slice() {
                    [] => {}
                    [only] => schema["not"] = json!({"const": only}),
                    several => schema["not"] = json!({"enum": several}),
                }
                schema
            }
            Self::Range(least, most) => {
                json!({"type": "integer", "minimum": least, "maximum": most})
            }
            Self::Decimal(least, most) => {
                json!({"type": "number", "minimum": least, "maximum": most})
            }
            Self::Text(most) => {
                json!({"type": "string", "maxLength": most, "pattern": LINE_PATTERN})
            }
            Self::NewText(most, known) => none_of(Self::Text(*most).schema(names), known),
            Self::NewWord(known) => {
                let schema = json!({"type": "string", "pattern": NEW_WORD_PATTERN});
                none_of(schema, known)
            }
            Self::List {
                items,
                unique,
                length,
            } => {
                let [least, most] = length;
                let mut schema = json!({"type": "array", "items": items.schema(names),
                    "maxItems": most, "uniqueItems": unique});
                if *least > 0 {
                    schema["minItems"] = json!(least);
                }
                schema
            }
            Self::Map { keys, values, most } => json!({"type": "object", "maxProperties": most,
                "propertyNames": keys.schema(names), "additionalProperties": values.schema(names)}),
            Self::Object(properties) => object(properties, names),
            Self::AnyOf(shapes) => {
                let mut schemas = Vec::with_capacity(shapes.len());
                for Alternative { title, values } in shapes {
                    let mut schema = values.schema(names);
                    schema["title"] = json!(title);
                    schemas.push(schema);
                }
                json!({"anyOf": schemas})
            }
        }
    }
}

/// The schema without these values.
fn none_of(mut schema: Value, values: &[Value]) -> Value {
    if !values.is_empty() {
        schema["not"] = json!({"enum": values});
    }
    schema
}

/// The schema of one of these values.
pub fn listed(of: Named, values: &[Value], names: &dyn Names) -> Value {
    if let [Value::Bool(one), Value::Bool(other)] = values
        && one != other
    {
        return json!({"type": "boolean"});
    }
    let mut items = Vec::with_capacity(values.len());
    for value in values {
        let mut item = json!({"const": value});
        if let Some(title) = title(of, value, names) {
            item["title"] = json!(title);
        }
        items.push(item);
    }
    json!({"oneOf": items})
}

/// What people call a value; None for a number or a flag.
fn title(of: Named, value: &Value, names: &dyn Names) -> Option<String> {
    let word = value.as_str()?;
    let mut title = String::new();
    match of {
        Named::Combatants => {
            let id = CombatantId::new(word)?;
            title.push_str(names.combatant(&id).unwrap_or(word));
        }
        Named::Effects => {
            EffectId::new(word)?.describe(names, &mut title);
        }
        Named::Words => match names.title(word) {
            Some(known) => title.push_str(known),
            None => {
                spaced(word, &mut title);
                capitalize(&mut title);
            }
        },
        Named::Coded(Coding(say)) => title.push_str(&say(word)),
    }
    Some(title)
}

/// The name of a field for people: `to_version` is `To version`, `first_hp` is `First HP`.
pub fn title_of_field(field: &str) -> String {
    match field {
        // Of an effect's end.
        "of" => return "Whose turn".to_owned(),
        // Of the end of a turn that several share.
        "all" => return "All who act now".to_owned(),
        // Of what an attack hits.
        "loses" => return "Initiative lost".to_owned(),
        _ => {}
    }
    let mut words = Vec::new();
    for word in field.split('_') {
        words.push(match word {
            "dc" | "hp" => word.to_uppercase(),
            _ => word.to_owned(),
        });
    }
    let mut title = words.join(" ");
    capitalize(&mut title);
    title
}

/// Writes the first letter as a capital.
pub fn capitalize(text: &mut String) {
    let Some(first) = text.chars().next() else {
        return;
    };
    // Sentences in Georgian have no capitals.
    if matches!(first, '\u{10d0}'..='\u{10ff}') {
        return;
    }
    let capital: String = first.to_uppercase().collect();
    text.replace_range(..first.len_utf8(), &capital);
}

fn object(properties: &[Property], names: &dyn Names) -> Value {
    let mut schemas = Map::new();
    let mut required = Vec::new();
    for property in properties {
        let mut schema = property.values.schema(names);
        let known = names.title(&property.field).map(str::to_owned);
        schema["title"] = json!(known.unwrap_or_else(|| title_of_field(&property.field)));
        schemas.insert(property.field.to_string(), schema);
        if property.required {
            required.push(&property.field);
        }
    }
    json!({"type": "object", "properties": schemas, "required": required,
        "additionalProperties": false})
}

/// A word that is none of the known ones.
fn new_word(known: &[Value]) -> String {
    let mut word = "marked".to_owned();
    let mut number = 1;
    while known.iter().any(|known| *known == *word) {
        number += 1;
        word = format!("marked-{number}");
    }
    word
}
