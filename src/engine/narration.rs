//! Tells what happened and what may be done, in sentences with names.

use super::space::{Space, WriteError};
use crate::vocabulary::{
    Combatant, CombatantId, CommandSpec, Commands, Describe, Effect, EffectId, Encounter, Event,
    LegalCommand, Names, RosterEvent, Ruleset, SharedCommand, SharedEvent, Tellable, tell,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::HashMap;
use std::sync::Arc;

/// The names at a point of a transition. Later names may be hidden from viewers of earlier events.
struct KnownNames<'t, R: Ruleset> {
    before: &'t Encounter<R>,
    /// The combatants that events showed since.
    combatants: HashMap<&'t CombatantId, &'t Combatant<R>>,
    /// The effects that began since.
    effects: HashMap<&'t EffectId, &'t Arc<Effect>>,
}

impl<R: Ruleset> Names for KnownNames<'_, R> {
    fn combatant(&self, id: &CombatantId) -> Option<&str> {
        match self.combatants.get(id) {
            Some(combatant) => Some(combatant.name.as_str()),
            None => self.before.combatant(id),
        }
    }

    fn is_group(&self, id: &CombatantId) -> bool {
        match self.combatants.get(id) {
            Some(combatant) => !combatant.members.is_empty(),
            None => self.before.is_group(id),
        }
    }

    fn effect(&self, id: &EffectId) -> Option<&Arc<Effect>> {
        self.effects
            .get(id)
            .copied()
            .or_else(|| self.before.effect(id))
    }

    fn title(&self, word: &str) -> Option<&str> {
        self.before.title(word)
    }
}

/// An event with the sentence that tells it.
#[derive(Serialize)]
pub(super) struct ToldEvent<E> {
    #[serde(flatten)]
    pub event: E,
    /// None for a note, which is a text itself, and for an event that another one tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// An event that the log keeps and no client reads. It followed from the one at this position of those that
/// are read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeptEvent<E> {
    pub after: usize,
    pub event: E,
}

/// The events of a transition that are read.
pub(super) fn read<R: Ruleset>(events: &[Event<R>]) -> impl Iterator<Item = &Event<R>> {
    events.iter().filter(|event| !event.is_kept())
}

/// The events of a transition that no client reads, as a JSON array, as far as there is space; None if
/// there are none.
pub(super) fn kept<R: Ruleset>(
    events: &[Event<R>],
    space: &mut Space,
) -> Result<Option<Box<RawValue>>, WriteError> {
    let mut kept = Vec::new();
    let mut read: usize = 0;
    for event in events {
        if event.is_kept() {
            let after = read.saturating_sub(1);
            kept.push(space.write(&KeptEvent { after, event })?);
        } else {
            read += 1;
        }
    }
    if kept.is_empty() {
        return Ok(None);
    }
    to_raw_value(&kept).map(Some).map_err(WriteError::Json)
}

/// The events of a transition from `before` that are read, as a JSON array, each with its sentence, as
/// far as there is space.
pub(super) fn told<R: Ruleset>(
    before: &Encounter<R>,
    events: &[Event<R>],
    space: &mut Space,
) -> Result<Box<RawValue>, WriteError> {
    let mut names = KnownNames {
        before,
        combatants: HashMap::new(),
        effects: HashMap::new(),
    };
    let mut told = Vec::with_capacity(events.len());
    for event in read(events) {
        let text = sentence(event, &names);
        told.push(space.write(&ToldEvent { event, text })?);
        match event {
            Event::Roster(
                RosterEvent::CombatantJoined { details }
                | RosterEvent::CombatantUpdated { details, .. },
            ) => {
                names.combatants.insert(&details.id, details);
            }
            Event::Shared(SharedEvent::EffectAdded(e)) => {
                names.effects.insert(&e.effect.id, &e.effect);
            }
            _ => {}
        }
    }
    to_raw_value(&told).map_err(WriteError::Json)
}

fn sentence<R: Ruleset>(event: &Event<R>, names: &dyn Names) -> Option<String> {
    let mut sentence = String::new();
    event.describe(names, &mut sentence).then_some(sentence)
}

/// Names in which combatants of one name have numbers: `Goblin #1`, `Goblin #2`.
pub(super) struct DistinctNames<'n> {
    names: &'n dyn Names,
    numbered: HashMap<&'n CombatantId, String>,
}

impl<'n> DistinctNames<'n> {
    /// The names of an encounter's combatants.
    pub fn of<R: Ruleset>(encounter: &'n Encounter<R>) -> Self {
        let mut by_name: HashMap<&str, Vec<&CombatantId>> = HashMap::new();
        for c in encounter.iter() {
            by_name.entry(c.name.as_str()).or_default().push(&c.id);
        }
        let mut numbered = HashMap::new();
        for (name, ids) in &by_name {
            if ids.len() < 2 {
                continue;
            }
            let mut number = 0;
            for &id in ids {
                // A combatant may have such a name itself.
                let free = loop {
                    number += 1;
                    let candidate = format!("{name} #{number}");
                    if !by_name.contains_key(candidate.as_str()) {
                        break candidate;
                    }
                };
                numbered.insert(id, free);
            }
        }
        Self {
            names: encounter,
            numbered,
        }
    }
}

impl Names for DistinctNames<'_> {
    fn combatant(&self, id: &CombatantId) -> Option<&str> {
        match self.numbered.get(id) {
            Some(name) => Some(name),
            None => self.names.combatant(id),
        }
    }

    fn is_group(&self, id: &CombatantId) -> bool {
        self.names.is_group(id)
    }

    fn effect(&self, id: &EffectId) -> Option<&Arc<Effect>> {
        self.names.effect(id)
    }

    fn title(&self, word: &str) -> Option<&str> {
        self.names.title(word)
    }
}

/// Gives each option its label and describes its choices; `specs` are those of the ruleset's own
/// commands.
pub(super) fn label(specs: &[CommandSpec], names: &dyn Names, options: &mut [LegalCommand]) {
    for option in &mut *options {
        let own = spec(specs, option).map(|spec| spec.label);
        if let Some(template) = option.template.as_deref().or(own) {
            let mut label = String::new();
            tell(template, &*option, names, &mut label);
            option.label = label;
        }
        option.describe_choices(names);
    }
    number_equal_labels(options);
}

/// Tells apart the labels of words that are the same to a reader, such as the conditions `on-fire`
/// and `on_fire`.
fn number_equal_labels(options: &mut [LegalCommand]) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for option in options {
        let uses = uses.entry(option.label.clone()).or_default();
        *uses += 1;
        if *uses > 1 {
            option.label += &format!(" #{uses}");
        }
    }
}

/// The specification of an option's command.
fn spec<'s>(specs: &'s [CommandSpec], option: &LegalCommand) -> Option<&'s CommandSpec> {
    let verb = option.decided()?.get("type")?;
    let mut all = specs.iter().chain(SharedCommand::SPECS);
    all.find(|spec| verb == spec.verb)
}

/// The fields of its command.
impl Tellable for LegalCommand {
    fn describe_field(&self, field: &str, names: &dyn Names, out: &mut String) -> bool {
        match decided(self, field) {
            Some(value) => value.describe(names, out),
            None => false,
        }
    }

    fn field_is_plural(&self, field: &str, names: &dyn Names) -> bool {
        decided(self, field).is_some_and(|value| value.is_plural(names))
    }
}

fn decided<'o>(option: &'o LegalCommand, field: &str) -> Option<&'o Value> {
    option.decided()?.get(field)
}
