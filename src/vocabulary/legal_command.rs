//! What is legal now, as commands with the choices that they leave open.

use super::values::{Property, Values, title_of_field};
use super::{CombatantId, Field, Listed, Names, SharedList};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// A legal command: what is decided of it, and the choices that are open.
///
/// Choices are independent of each other: any combination of their values is accepted.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LegalCommand {
    /// The words for a button, such as `Ann: end turn`.
    pub label: String,
    /// The part of a page for it.
    pub group: Group,
    /// The combatant that acts, if the command is one combatant's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    pub actor: Option<CombatantId>,
    /// True for the usual answer to what is pending: one for each combatant that may be the answer.
    pub primary: bool,
    /// The field that names the combatant on whose row the usual answer stands: decided, or the only
    /// required choice. A press on that row sends the command with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = String)]
    pub row: Option<&'static str>,
    /// True if `command` can be sent as it is. Otherwise fill in the required choices first.
    pub complete: bool,
    /// The decided part of the command.
    #[schema(value_type = BTreeMap<String, Value>)]
    pub command: Value,
    /// The open fields.
    pub choices: Vec<Choice>,
    /// The rule that allows it.
    pub rule: &'static str,
    /// The fields of its command.
    #[serde(skip)]
    #[schema(ignore)]
    pub fields: &'static [Field],
    /// The template of its label, if the one of its command does not fit.
    #[serde(skip)]
    #[schema(ignore)]
    pub template: Option<Cow<'static, str>>,
    /// The part of a page for it, if that does not follow from who acts.
    #[serde(skip)]
    #[schema(ignore)]
    pub own_group: Option<Group>,
    /// True if it is the usual one of several forms of a command.
    #[serde(skip)]
    #[schema(ignore)]
    pub preferred: bool,
    /// The required choice of a combatant that had only one value.
    #[serde(skip)]
    #[schema(ignore)]
    pub filled_in: Option<&'static str>,
    /// True if it is legal whenever another such command of its verb is, with the same values.
    #[serde(skip)]
    #[schema(ignore)]
    pub alike: bool,
}

/// The part of a page for a legal command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// It answers what is pending.
    Decision,
    /// The current combatant may do it in the turn.
    Turn,
    /// Another combatant may do it now.
    Reaction,
    /// A tool of the table: notes, hit points, effects, combatants, undo. Listed with
    /// `include=tools`, or if nothing else is legal.
    Tools,
}

/// An open field of a command.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Choice {
    /// The field of the command.
    pub field: &'static str,
    /// The field's name for people.
    pub title: String,
    /// False if the field may be left out.
    pub required: bool,
    /// True for a field that a short form leaves out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub advanced: bool,
    /// True for what the table itself rolled or dealt: a page can ask for it next to names.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub physical: bool,
    /// The JSON Schema of the values that are accepted. References lead to the answer's `$defs`.
    #[schema(value_type = BTreeMap<String, Value>)]
    pub schema: Value,
    /// The values themselves.
    #[serde(skip)]
    #[schema(ignore)]
    pub values: Values,
    /// The value that leaving the field out means, if there is one.
    #[serde(skip)]
    #[schema(ignore)]
    pub default: Option<Value>,
    /// True if each value is accepted if one of them is.
    #[serde(skip)]
    #[schema(ignore)]
    pub alike_values: bool,
}

impl Choice {
    /// A field that is open to these values.
    fn of(field: &Field, values: Values) -> Self {
        Self {
            field: field.name,
            title: String::new(),
            required: field.required,
            advanced: field.advanced,
            physical: field.physical,
            schema: Value::Null,
            values,
            default: field.default.and_then(|default| default()),
            alike_values: false,
        }
    }
}

impl LegalCommand {
    /// An option of the command `C` in no combatant's name. Its fields are open to all values that
    /// their types allow whatever the fight is; those whose values depend on the fight are to be
    /// opened.
    pub fn of<C: Listed>(rule: &'static str) -> Self {
        let fields = C::SPEC.fields;
        let mut choices = Vec::new();
        for field in fields {
            if let Some(values) = (field.values)() {
                choices.push(Choice::of(field, values));
            }
        }
        Self {
            label: String::new(),
            group: Group::Tools,
            actor: None,
            primary: false,
            row: None,
            complete: true,
            command: json!({"type": C::SPEC.verb}),
            choices,
            rule,
            fields,
            template: None,
            own_group: None,
            preferred: false,
            filled_in: None,
            alike: false,
        }
    }

    /// An option of the command `C` in the name of `combatant`, which fills the field `combatant`; in
    /// no combatant's name without one.
    pub fn by<'c, C: Listed>(
        combatant: impl Into<Option<&'c CombatantId>>,
        rule: &'static str,
    ) -> Self {
        let option = Self::of::<C>(rule);
        match combatant.into() {
            Some(id) => Self {
                actor: Some(id.clone()),
                ..option.with("combatant", id.as_str())
            },
            None => option,
        }
    }

    /// Sets a field, which is not open any more.
    pub fn with(mut self, field: &'static str, value: impl Into<Value>) -> Self {
        debug_assert!(
            self.place(field).is_some(),
            "{} has no field {field}",
            self.verb()
        );
        self.set(field, value.into());
        self.without(&[field])
    }

    /// Says it by another template than the one of its command.
    pub fn labelled(self, template: impl Into<Cow<'static, str>>) -> Self {
        Self {
            template: Some(template.into()),
            ..self
        }
    }

    /// Says that it is the usual one of several forms of a command.
    pub fn preferred(self) -> Self {
        Self {
            preferred: true,
            ..self
        }
    }

    /// Says that it is the usual one of several forms of a command if `is_preferred`.
    pub fn preferred_if(self, is_preferred: bool) -> Self {
        if is_preferred { self.preferred() } else { self }
    }

    /// Says that it is the usual answer to what is pending.
    pub fn make_primary(&mut self) {
        self.primary = true;
        self.row = self.row_field();
    }

    /// The field that names the combatant that the option is about.
    fn row_field(&self) -> Option<&'static str> {
        let mut required = self.choices.iter().filter(|choice| choice.required);
        if let Some(choice) = required.next() {
            let is_it = choice.values.are_combatants() && required.next().is_none();
            return is_it.then_some(choice.field);
        }
        let decided = |field: &&'static str| self.command.get(*field).is_some();
        self.filled_in.or(Some("combatant")).filter(decided)
    }

    /// Says where a page shows it, if that does not follow from who acts.
    pub fn in_group(self, group: Group) -> Self {
        Self {
            own_group: Some(group),
            ..self
        }
    }

    /// Says that it is legal if the alike commands of its verb are, with the same values, whoever acts:
    /// the engine tries the first of them that the viewer may send, which speaks for all. Those that
    /// give different fields, or choose from different shared lists, are not alike.
    pub fn alike(self) -> Self {
        Self {
            alike: true,
            ..self
        }
    }

    /// Shows it among the tools if it would only replace what is decided.
    pub fn tool_if(self, replaces: bool) -> Self {
        if replaces {
            self.in_group(Group::Tools)
        } else {
            self
        }
    }

    /// Opens a field to these values. With no value at all the engine drops the field, and if it is
    /// required the option. The command must have the field.
    pub fn open(mut self, field: &'static str, values: Values) -> Self {
        let values = values.without_empty_parts();
        let Some(at) = self.place(field) else {
            debug_assert!(false, "{} has no field {field}", self.verb());
            return self;
        };
        let place = |choice: &Choice| self.place(choice.field);
        let behind = self
            .choices
            .iter()
            .position(|choice| place(choice) >= Some(at));
        let behind = behind.unwrap_or(self.choices.len());
        match self.choices.get_mut(behind) {
            Some(choice) if choice.field == field => choice.values = values,
            _ => self
                .choices
                .insert(behind, Choice::of(&self.fields[at], values)),
        }
        self
    }

    /// Where the command's declaration has the field.
    fn place(&self, field: &str) -> Option<usize> {
        self.fields.iter().position(|known| known.name == field)
    }

    /// Closes these fields: the option leaves them out.
    pub fn without(mut self, fields: &[&str]) -> Self {
        self.choices
            .retain(|choice| !fields.contains(&choice.field));
        self
    }

    /// Closes all fields but these.
    pub fn only(mut self, fields: &[&str]) -> Self {
        self.choices.retain(|choice| fields.contains(&choice.field));
        self
    }

    /// Requires an open field that the command may leave out.
    pub fn required(self, field: &'static str) -> Self {
        self.change(field, |choice| {
            choice.required = true;
            choice.default = None;
        })
    }

    /// Whether this field has to be filled in.
    pub fn requires(&self, field: &str) -> bool {
        let mut choices = self.choices.iter();
        choices.any(|choice| choice.field == field && choice.required)
    }

    /// Requires an open field if `is_required`.
    pub fn required_if(self, field: &'static str, is_required: bool) -> Self {
        if is_required {
            self.required(field)
        } else {
            self
        }
    }

    /// Leaves an open field out of short forms.
    pub fn advanced(self, field: &'static str) -> Self {
        self.change(field, |choice| choice.advanced = true)
    }

    /// Says what leaving an open field out means, if its type does not say it.
    pub fn or(self, field: &'static str, default: impl Into<Value>) -> Self {
        self.change(field, |choice| choice.default = Some(default.into()))
    }

    /// Says of an open field that each of its values is accepted if one of them is: the engine tries
    /// the first that the viewer may send, which speaks for all.
    pub fn alike_values(self, field: &'static str) -> Self {
        self.change(field, |choice| choice.alike_values = true)
    }

    fn change(mut self, field: &'static str, change: impl FnOnce(&mut Choice)) -> Self {
        let mut choices = self.choices.iter_mut();
        if let Some(choice) = choices.find(|choice| choice.field == field) {
            change(choice);
        }
        self
    }

    /// Opens a field to one of these words, flags or numbers.
    pub fn choose<V: Into<Value>>(
        self,
        field: &'static str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.open(field, Values::words(values))
    }

    /// Opens a field to one of these combatants.
    pub fn whom<'a>(
        self,
        field: &'static str,
        ids: impl IntoIterator<Item = &'a CombatantId>,
    ) -> Self {
        self.open(field, Values::combatants(ids))
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
        ids: &Arc<[Value]>,
        except: Option<&CombatantId>,
    ) -> Self {
        let except = except.into_iter().map(|id| json!(id)).collect();
        self.open(field, Values::among(ids, except))
    }

    /// Opens a field to a whole number from `least` to `most`, narrower than its type.
    pub fn range(self, field: &'static str, least: i64, most: i64) -> Self {
        self.open(field, Values::Range(least, most))
    }

    /// Opens a field to an object with these fields.
    pub fn object(self, field: &'static str, properties: Vec<Property>) -> Self {
        self.open(field, Values::Object(properties))
    }

    /// Puts a value into the command.
    fn set(&mut self, field: &str, value: Value) {
        if let Value::Object(fields) = &mut self.command {
            fields.insert(field.to_owned(), value);
        }
    }

    /// Puts the values of required fields that have no other one into the command.
    pub fn fill_in_only_values(&mut self) {
        let mut open = Vec::with_capacity(self.choices.len());
        for choice in std::mem::take(&mut self.choices) {
            match choice.values.only_value() {
                Some(only) if choice.required => {
                    if choice.values.are_combatants() {
                        self.filled_in = Some(choice.field);
                    }
                    self.set(choice.field, only);
                }
                _ => open.push(choice),
            }
        }
        self.choices = open;
    }

    /// The fields that are decided, its type among them.
    pub fn decided(&self) -> Option<&Map<String, Value>> {
        self.command.as_object()
    }

    /// The command's type.
    pub fn verb(&self) -> &str {
        self.command["type"].as_str().unwrap_or_default()
    }

    /// The command with the first value in each required field; None if one has no value.
    pub fn completed(&self) -> Option<Value> {
        let mut command = self.command.clone();
        for choice in &self.choices {
            if choice.required {
                command[choice.field] = choice.values.example()?;
            }
        }
        Some(command)
    }

    /// Fills in what a client reads of the choices: titles, schemas, and whether it is complete.
    pub fn describe_choices(&mut self, names: &dyn Names) {
        self.complete = true;
        for choice in &mut self.choices {
            choice.title = title_of_field(choice.field);
            choice.schema = choice.values.schema(names);
            if let Some(default) = &choice.default {
                choice.schema["default"] = default.clone();
            }
            self.complete &= !choice.required;
        }
    }
}

/// The commands that are legal now.
#[derive(Serialize, ToSchema)]
pub struct LegalCommands {
    /// The version of the encounter.
    version: u64,
    /// The legal commands, in the order in which a page shows them.
    items: Vec<LegalCommand>,
    /// The JSON Schemas that several choices share, by the name in their `$ref`.
    #[serde(rename = "$defs", skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false, value_type = BTreeMap<String, BTreeMap<String, Value>>)]
    definitions: BTreeMap<String, Arc<Value>>,
}

impl LegalCommands {
    /// The commands that are legal at `version`.
    pub fn of(version: u64, items: Vec<LegalCommand>) -> Self {
        let mut definitions = BTreeMap::new();
        for choice in items.iter().flat_map(|option| &option.choices) {
            for SharedList { name, schema, .. } in choice.values.shared_lists() {
                definitions.insert(name.clone(), schema.clone());
            }
        }
        Self {
            version,
            items,
            definitions,
        }
    }
}
