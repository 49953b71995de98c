//! Tells what happened and what may be done, in sentences with names.

use super::space::{Space, WriteError};
use crate::vocabulary::{
    CombatantId, CommandSpec, Commands, Describe, Effect, EffectId, Encounter, Event, LegalCommand,
    Names, RosterEvent, Ruleset, SharedCommand, SharedEvent, fill,
};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The names at a point of a transition. Later names may be hidden from viewers of earlier events.
struct KnownNames<'t, R: Ruleset> {
    before: &'t Encounter<R>,
    /// The names that events gave since.
    combatants: HashMap<&'t CombatantId, &'t str>,
    /// The effects that began since.
    effects: HashMap<&'t EffectId, &'t Arc<Effect>>,
}

impl<R: Ruleset> Names for KnownNames<'_, R> {
    fn combatant(&self, id: &CombatantId) -> Option<&str> {
        self.combatants
            .get(id)
            .copied()
            .or_else(|| self.before.combatant(id))
    }

    fn effect(&self, id: &EffectId) -> Option<&Arc<Effect>> {
        self.effects
            .get(id)
            .copied()
            .or_else(|| self.before.effect(id))
    }
}

/// A sentence for each event of a transition from `before`, as far as there is space.
pub(super) fn texts<R: Ruleset>(
    before: &Encounter<R>,
    events: &[Event<R>],
    space: &mut Space,
) -> Result<Vec<String>, WriteError> {
    let mut names = KnownNames {
        before,
        combatants: HashMap::new(),
        effects: HashMap::new(),
    };
    let mut texts = Vec::with_capacity(events.len());
    for event in events {
        let mut text = String::new();
        Event::describe(event, &names, &mut text);
        space.take(text.len())?;
        match event {
            Event::Roster(
                RosterEvent::CombatantJoined { combatant }
                | RosterEvent::CombatantUpdated { combatant },
            ) => {
                names
                    .combatants
                    .insert(&combatant.id, combatant.name.as_str());
            }
            Event::Shared(SharedEvent::EffectAdded(e)) => {
                names.effects.insert(&e.effect.id, &e.effect);
            }
            _ => {}
        }
        texts.push(text);
    }
    Ok(texts)
}

/// The JSON of events with the sentence of each in its field `text`.
pub fn with_texts(events: &RawValue, texts: &[String]) -> Result<Box<RawValue>, serde_json::Error> {
    let bare: Vec<&RawValue> = serde_json::from_str(events.get())?;
    let mut json = String::with_capacity(
        events.get().len() + texts.iter().map(|text| text.len() + 16).sum::<usize>(),
    );
    for (i, event) in bare.iter().enumerate() {
        json.push_str(if i == 0 { "[" } else { "," });
        match texts.get(i).filter(|text| !text.is_empty()) {
            Some(text) => {
                json.push_str(event.get().strip_suffix('}').unwrap_or_default());
                // An event has a type, so a field stands before this one.
                json.push_str(",\"text\":");
                json.push_str(&serde_json::to_string(text)?);
                json.push('}');
            }
            None => json.push_str(event.get()),
        }
    }
    json.push_str(if bare.is_empty() { "[]" } else { "]" });
    RawValue::from_string(json)
}

/// Gives each option its label, without the fields that are open; `specs` are those of the
/// ruleset's own commands.
pub(super) fn label(specs: &[CommandSpec], names: &dyn Names, options: &mut [LegalCommand]) {
    for option in &mut *options {
        let Some(fields) = option.fields() else {
            continue;
        };
        let is_it = |spec: &&CommandSpec| fields.get("type").is_some_and(|verb| verb == spec.verb);
        let Some(spec) = specs.iter().chain(SharedCommand::SPECS).find(is_it) else {
            continue;
        };
        let mut label = String::new();
        fill(spec.label, &mut label, &mut |field, out| {
            let open = option.choices.iter().any(|choice| choice.field == field);
            !open
                && fields
                    .get(field)
                    .is_some_and(|value| value.describe(names, out))
        });
        option.label = label;
    }
    tell_apart(names, options);
    // Those who have one name are told apart by their ids.
    tell_apart(&Ids, options);
}

/// Calls everything by its id.
struct Ids;

impl Names for Ids {
    fn combatant(&self, _id: &CombatantId) -> Option<&str> {
        None
    }

    fn effect(&self, _id: &EffectId) -> Option<&Arc<Effect>> {
        None
    }
}

/// Adds to a label that several options have the fields in which they differ.
fn tell_apart(names: &dyn Names, options: &mut [LegalCommand]) {
    let mut by_label: BTreeMap<String, Vec<&mut LegalCommand>> = BTreeMap::new();
    for option in options {
        by_label
            .entry(option.label.clone())
            .or_default()
            .push(option);
    }
    for group in by_label.into_values().filter(|group| group.len() > 1) {
        let mut said: Vec<_> = group
            .iter()
            .map(|option| fields_in_words(names, option))
            .collect();
        if said.iter().all(|own| said.first() == Some(own)) {
            let open = |option: &LegalCommand| {
                option
                    .choices
                    .iter()
                    .map(|choice| in_words(choice.field))
                    .collect()
            };
            said = group.iter().map(|option| open(option)).collect();
        }
        let mut counts: HashMap<_, usize> = HashMap::new();
        for field in said.iter().flatten() {
            *counts.entry(field).or_default() += 1;
        }
        for (option, own) in group.into_iter().zip(&said) {
            let own = own
                .iter()
                .filter(|field| counts.get(field).is_some_and(|count| *count < said.len()));
            let own = own.map(|(_, words)| words.as_str());
            let own = own.collect::<Vec<_>>().join(", ");
            if !own.is_empty() {
                option.label = format!("{} ({own})", option.label);
            }
        }
    }
}

/// Each field of an option's command in words. A field that is open has its name only.
fn fields_in_words(names: &dyn Names, option: &LegalCommand) -> BTreeMap<String, String> {
    let words = option.fields().into_iter().flatten().map(|(field, value)| {
        let (key, name) = in_words(field);
        let open = option.choices.iter().any(|choice| choice.field == field);
        let mut said = String::new();
        let words = match value {
            Value::Bool(false) if !open => format!("not {name}"),
            value if !open && value.describe(names, &mut said) && !said.is_empty() => {
                format!("{name} {said}")
            }
            _ => name,
        };
        (key, words)
    });
    words.collect()
}

/// A field, and its name in words.
fn in_words(field: &str) -> (String, String) {
    (field.to_owned(), field.replace('_', " "))
}
