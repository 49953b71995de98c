//! What is legal now, as commands that are ready to send.

use super::{CombatantId, CommandSchema};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// A command that is legal now: ready to send as it stands, with the fields that may hold something
/// else.
///
/// Every listed value of every choice is legal, each independent of the others; an option for each
/// combination that is not.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct LegalCommand {
    /// What it does, in words for a button.
    pub label: String,
    /// The command.
    #[schema(value_type = CommandSchema)]
    pub command: Value,
    /// The fields that the sender may fill otherwise, or add.
    pub choices: Vec<Choice>,
    /// The rule that gives the right.
    pub rule: &'static str,
    /// In whose name it is sent, where it is somebody's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combatant: Option<CombatantId>,
}

/// A field of a command that is open.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Choice {
    /// The field.
    pub field: &'static str,
    /// False where the field may be left out.
    pub required: bool,
    /// What it may hold.
    #[serde(flatten)]
    pub values: Values,
}

/// What an open field may hold.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// One of these.
    OneOf(Vec<Value>),
    /// A whole number in this range.
    Range {
        /// The least.
        min: i64,
        /// The most.
        max: i64,
    },
    /// One value of a list that several commands share.
    From(ListReference),
    /// Anything of this JSON shape, in words.
    Like(&'static str),
}

/// A list that several commands share: the answer holds it once, in `lists`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = ListReference)]
pub struct ListReference {
    /// The name of the list in `lists`.
    pub list: String,
    /// Values of the list that this field may not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, value_type = Vec<CombatantId>)]
    pub except: Vec<Value>,
    /// The list.
    #[serde(skip)]
    #[schema(ignore)]
    pub values: Arc<[Value]>,
}

impl ListReference {
    /// The values that the field may hold.
    pub fn iter(&self) -> impl Iterator<Item = &Value> {
        self.values
            .iter()
            .filter(|value| !self.except.contains(value))
    }
}

/// A list of combatants that several legal commands share.
pub fn shared_list<'a>(ids: impl IntoIterator<Item = &'a CombatantId>) -> Arc<[Value]> {
    ids.into_iter().map(|id| json!(id)).collect()
}

impl LegalCommand {
    /// An option of `verb` in no combatant's name.
    pub fn of(verb: &'static str, rule: &'static str) -> Self {
        Self {
            label: String::new(),
            command: json!({"type": verb}),
            choices: Vec::new(),
            rule,
            combatant: None,
        }
    }

    /// An option of `verb` in the name of `combatant`, which fills the field `combatant`; in no
    /// combatant's name without one.
    pub fn by<'c>(
        verb: &'static str,
        combatant: impl Into<Option<&'c CombatantId>>,
        rule: &'static str,
    ) -> Self {
        let option = Self::of(verb, rule);
        match combatant.into() {
            Some(id) => Self {
                combatant: Some(id.clone()),
                ..option.with("combatant", id.as_str())
            },
            None => option,
        }
    }

    /// Sets a field that is not open.
    pub fn with(mut self, field: &'static str, value: impl Into<Value>) -> Self {
        self.set(field, value.into());
        self
    }

    /// Opens a field to `values`; `example` stands in the command if the field is required.
    fn open(mut self, field: &'static str, example: Option<Value>, values: Values) -> Self {
        let required = example.is_some();
        if let Some(example) = example {
            self.set(field, example);
        }
        self.choices.push(Choice {
            field,
            required,
            values,
        });
        self
    }

    /// Opens a field to one of `values`; the first of them stands in the command if the field is
    /// required. With no value at all and `required`, the option is void: the engine drops it.
    pub fn choose<V: Into<Value>>(
        self,
        field: &'static str,
        required: bool,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        let first = required.then(|| values.first().cloned().unwrap_or_default());
        self.open(field, first, Values::OneOf(values))
    }

    /// Opens a field to one of these combatants.
    pub fn whom<'a>(
        self,
        field: &'static str,
        required: bool,
        ids: impl IntoIterator<Item = &'a CombatantId>,
    ) -> Self {
        self.choose(field, required, ids.into_iter().map(|id| id.as_str()))
    }

    /// Opens a field to one of `ids`, a list that several legal commands share, but not to
    /// `except`.
    ///
    /// Whether a value is accepted must not depend on the option, nor whether the option is
    /// accepted on the value: the engine tries each value once for all legal commands of a verb,
    /// and each option with one value.
    pub fn among(
        self,
        field: &'static str,
        required: bool,
        ids: &Arc<[Value]>,
        except: Option<&CombatantId>,
    ) -> Self {
        let except: Vec<Value> = except.into_iter().map(|id| json!(id)).collect();
        let listed = ListReference {
            list: String::new(),
            except,
            values: ids.clone(),
        };
        let first = required.then(|| listed.iter().next().cloned().unwrap_or_default());
        self.open(field, first, Values::From(listed))
    }

    /// Opens a field to a whole number from `min` to `max`; `min` stands in the command if the
    /// field is required.
    pub fn range(self, field: &'static str, required: bool, min: i64, max: i64) -> Self {
        self.open(
            field,
            required.then(|| min.into()),
            Values::Range { min, max },
        )
    }

    /// Opens a field to anything of a shape told in words; `example` stands in the command if it
    /// is required.
    pub fn like(self, field: &'static str, shape: &'static str, example: Option<Value>) -> Self {
        self.open(field, example, Values::Like(shape))
    }

    /// Puts a value into the command.
    pub fn set(&mut self, field: &str, value: Value) {
        if let Value::Object(fields) = &mut self.command {
            fields.insert(field.to_owned(), value);
        }
    }

    /// The command's fields.
    pub fn fields(&self) -> Option<&Map<String, Value>> {
        self.command.as_object()
    }
}

/// The commands that are legal now.
#[derive(Serialize, ToSchema)]
pub struct LegalCommands {
    /// The version of the encounter.
    version: u64,
    /// Commands that are ready to send, each with the values that its fields may take.
    items: Vec<LegalCommand>,
    /// Long lists that several choices share, by name. A choice with `from` takes any value of
    /// `lists[from.list]` that is not in `from.except`. Empty in most encounters: a list of at most
    /// 32 values stands in its choice as `one_of`.
    #[schema(value_type = BTreeMap<String, Vec<CombatantId>>)]
    lists: BTreeMap<String, Arc<[Value]>>,
}

impl LegalCommands {
    /// The commands that are legal at `version`.
    pub fn of(version: u64, items: Vec<LegalCommand>) -> Self {
        let mut lists = BTreeMap::new();
        for option in &items {
            for choice in &option.choices {
                if let Values::From(listed) = &choice.values {
                    lists.insert(listed.list.clone(), listed.values.clone());
                }
            }
        }
        Self {
            version,
            lists,
            items,
        }
    }
}
