//! Redacts log entries for viewers who cannot see hidden combatants.
//!
//! A viewer learns of every change of its view, if only by `someone_acts`. Versions count every
//! transition, also those without an event for it.

use super::encounter::EncounterRecord;
use super::space::{Space, WriteError};
use super::{AnyEncounter, Role, Stop, Viewer, narration};
use crate::vocabulary::{
    Audience, Combatant, Encounter, Event, EventSchema, OwnCombatant, Readers, Redaction, Ruleset,
    SharedEvent, SomeoneActs,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use utoipa::ToSchema;

impl Viewer {
    /// The encounter as it sees it: all of it for a game master.
    pub fn view(&self, encounter: &Arc<dyn AnyEncounter>) -> Arc<dyn AnyEncounter> {
        if self.is_gm() {
            encounter.clone()
        } else {
            encounter.redacted(&self.combatants)
        }
    }
}

/// The redacted forms of a log entry.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Redactions {
    /// The entry for spectators, and players without an entry of their own; None if nothing is
    /// redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    everybody: Option<RedactedEntry>,
    /// The entry for the holders of single tokens, by the token's id, where it differs from
    /// everybody's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    owners: BTreeMap<String, RedactedEntry>,
}

/// A log entry as a viewer may know it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RedactedEntry {
    /// The types of the commands of which events are left; none where the sender is left out.
    pub commands: Vec<String>,
    /// The events that are left, in order, each with its sentence; a JSON array.
    #[schema(value_type = Vec<EventSchema>)]
    pub events: Box<RawValue>,
    /// Whether the sender is left out: a combatant acts that the viewer does not see, or the sender
    /// acts only for such.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
}

impl RedactedEntry {
    /// Whether no event is left.
    pub fn is_empty(&self) -> bool {
        self.events.get() == "[]"
    }

    /// Whether it says the same.
    fn equals(&self, other: &Self) -> bool {
        self.events.get() == other.events.get()
            && self.commands == other.commands
            && self.unsigned == other.unsigned
    }
}

impl Redactions {
    /// The entry for the holder of the token with this id, who is not the game master; None if
    /// nothing is redacted for it.
    pub fn to(&self, token: &str) -> Option<&RedactedEntry> {
        self.owners.get(token).or(self.everybody.as_ref())
    }

    /// The ids of the tokens with an entry of their own.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.owners.keys().map(String::as_str)
    }

    /// The same without the entries of single tokens.
    pub fn unowned(self) -> Self {
        Self {
            owners: BTreeMap::new(),
            ..self
        }
    }

    /// Every redacted form.
    pub(super) fn entries(&self) -> impl Iterator<Item = &RedactedEntry> {
        self.everybody.iter().chain(self.owners.values())
    }
}

/// An unseen combatant acts, from a place among the redacted events on. Between two turns this may
/// seem so for a moment; it is shown only if a turn began meanwhile.
struct HiddenTurn {
    place: usize,
    index: usize,
    began: bool,
}

/// A transition that is to be redacted.
pub(super) struct Transition<'t, R: Ruleset> {
    pub before: &'t EncounterRecord<R>,
    pub after: &'t Encounter<R>,
    pub events: &'t [Event<R>],
    /// The type of each command, and how many events there were after it.
    pub commands: &'t [(&'t str, usize)],
    /// The combatants that its sender acts for; none for a game master.
    pub sender: &'t [OwnCombatant],
    /// Asked before each event for each audience.
    pub stop: Stop<'t>,
}

impl<R: Ruleset> Transition<'_, R> {
    /// The redacted forms of its log entry, as far as there is space; None if every viewer may know
    /// all of it.
    pub fn redactions(&self, space: &mut Space) -> Result<Option<Redactions>, WriteError> {
        let everybody = if self.is_public() {
            None
        } else {
            self.redacted(&[], space)?
        };
        let mut owners = BTreeMap::new();
        for (combatants, tokens) in self.owners() {
            let mut left = *space;
            let entry = match self.redacted(combatants, &mut left)? {
                None if everybody.is_some() => Some(self.unredacted(&mut left)?),
                entry => entry,
            };
            let differs =
                |own: &RedactedEntry| everybody.as_ref().is_none_or(|entry| !entry.equals(own));
            if let Some(entry) = entry.filter(differs) {
                // It is written for each token.
                space.take(left.taken_since(*space).saturating_mul(tokens.len()))?;
                owners.extend(
                    tokens
                        .into_iter()
                        .map(|token| (token.clone(), entry.clone())),
                );
            }
        }
        let redactions = Redactions { everybody, owners };
        Ok((redactions.everybody.is_some() || !redactions.owners.is_empty()).then_some(redactions))
    }

    /// Whether every viewer may know all of it.
    fn is_public(&self) -> bool {
        let open = |event: &Event<R>| match event {
            Event::Shared(SharedEvent::Noted(e)) => e.readers == Readers::All,
            // One that also ends in the request is in neither state.
            Event::Shared(SharedEvent::EffectAdded(e)) => !e.effect.hidden,
            Event::Shared(_) => true,
            // They carry combatants with all their fields.
            Event::Roster(_) => false,
            Event::Own(event) => !R::is_secret(event),
        };
        let before = &self.before.encounter;
        !self.events.is_empty()
            && !before.hides_any_hp()
            && before.hides_nothing()
            && self.after.hides_nothing()
            && self.events.iter().all(open)
    }

    /// The players' tokens that may know more of it than everybody, by their combatants.
    fn owners(&self) -> HashMap<&[OwnCombatant], Vec<&String>> {
        let redacted = |c: &&Combatant<R>| c.hidden || self.after.hides_hp(c);
        // One may be hidden only between two commands of a list.
        let meanwhile = self.events.iter().filter_map(Event::combatant);
        let combatants = self
            .before
            .encounter
            .iter()
            .chain(self.after.iter())
            .chain(meanwhile)
            .filter(redacted);
        let redacted: HashSet<OwnCombatant> = combatants.map(OwnCombatant::of).collect();
        let mut owners: HashMap<_, Vec<_>> = HashMap::new();
        for token in self
            .before
            .meta
            .tokens
            .iter()
            .filter(|token| token.role == Role::Player)
        {
            if token.combatants.iter().any(|own| redacted.contains(own)) {
                owners
                    .entry(&token.combatants[..])
                    .or_default()
                    .push(&token.id);
            }
        }
        owners
    }

    /// The number of different audiences that it is redacted for.
    pub fn audiences(&self) -> usize {
        self.owners().len() + 1
    }

    /// The entry as it stands.
    fn unredacted(&self, space: &mut Space) -> Result<RedactedEntry, WriteError> {
        let commands = self
            .commands
            .iter()
            .map(|(verb, _)| (*verb).to_owned())
            .collect();
        Ok(RedactedEntry {
            commands,
            events: narration::told(&self.before.encounter, self.events, space)?,
            unsigned: false,
        })
    }

    /// The entry as it stands, but for its sender.
    fn unsigned(&self, space: &mut Space) -> Result<RedactedEntry, WriteError> {
        Ok(RedactedEntry {
            commands: Vec::new(),
            unsigned: true,
            ..self.unredacted(space)?
        })
    }

    /// The entry for a viewer with these combatants of its own; None if nothing of it is redacted.
    fn redacted(
        &self,
        own: &[OwnCombatant],
        space: &mut Space,
    ) -> Result<Option<RedactedEntry>, WriteError> {
        let before = &self.before.encounter;
        let audience = Audience::of(before, own);
        let unseen_sender =
            audience.misses_all(before, |c| self.sender.iter().any(|sender| sender.is(c)));
        // Every viewer learns of an undo; what it took back shows in the state alone.
        if self.events.iter().any(Event::jumps) {
            return if unseen_sender {
                self.unsigned(space).map(Some)
            } else {
                Ok(None)
            };
        }
        let start = before.seen_by(&audience);
        let someone = before.someone_acts(&audience);
        let mut left = self.redacted_events(audience, &start)?;
        if left.is_empty() && start != self.after.redacted(own) {
            left.push((0, Event::Shared(SomeoneActs {}.into())));
        }
        // A transition without events is no entry of the log.
        let is_someone = |(_, event): &(usize, Event<R>)| {
            matches!(event, Event::Shared(SharedEvent::SomeoneActs(_)))
        };
        let unsigned = someone || unseen_sender || left.iter().any(is_someone);
        if !unsigned && !left.is_empty() && left.iter().map(|(_, event)| event).eq(self.events) {
            return Ok(None);
        }
        let (mut commands, mut so_far) = (Vec::with_capacity(self.commands.len()), 0);
        // The type of a command would tell what was done to somebody hidden.
        for (verb, end) in self.commands.iter().filter(|_| !unsigned) {
            let before = so_far;
            so_far = left.partition_point(|(index, _)| index < end);
            if so_far > before {
                commands.push((*verb).to_owned());
            }
        }
        let events: Vec<Event<R>> = left.into_iter().map(|(_, event)| event).collect();
        Ok(Some(RedactedEntry {
            commands,
            events: narration::told(before, &events, space)?,
            unsigned,
        }))
    }

    /// The redacted events, each with the index of the event that it comes from. An event costs
    /// what it says; a change of the roster costs as much as the encounter.
    fn redacted_events(
        &self,
        mut audience: Audience<'_>,
        start: &Encounter<R>,
    ) -> Result<Vec<(usize, Event<R>)>, WriteError> {
        let mut whole = self.before.encounter.clone();
        let mut someone_before = whole.someone_acts(&audience);
        let mut left = Vec::with_capacity(self.events.len());
        let acts = || Event::Shared(SomeoneActs {}.into());
        let mut hidden_turn: Option<HiddenTurn> = None;
        for (index, event) in self.events.iter().enumerate() {
            if (self.stop)() {
                return Err(WriteError::Stopped);
            }
            let roster = match event {
                Event::Roster(event) => Some((event, whole.seen_by(&audience.at(&whole)))),
                _ => None,
            };
            whole.apply(event);
            if roster.is_some() {
                audience = audience.at(&whole);
            }
            let someone_acts = if may_pass_on(event) {
                whole.someone_acts(&audience)
            } else {
                someone_before
            };
            let after = OnceCell::new();
            let redaction = Redaction {
                audience: &audience,
                start,
                whole: &whole,
                someone_acts,
                after,
            };
            match &roster {
                Some((event, before)) => left.extend(
                    redaction
                        .roster(event, before)
                        .into_iter()
                        .map(|e| (index, e)),
                ),
                None => left.extend(redaction.event(event).map(|event| (index, event))),
            }
            let began = begins_unknown_turn(event, &audience);
            match (someone_before, someone_acts, &mut hidden_turn) {
                (false, true, _) => {
                    hidden_turn = Some(HiddenTurn {
                        place: left.len(),
                        index,
                        began,
                    });
                }
                (true, true, Some(turn)) => turn.began |= began,
                (true, false, _) => {
                    if let Some(HiddenTurn { place, index, .. }) =
                        hidden_turn.take().filter(|turn| turn.began)
                    {
                        left.insert(place, (index, acts()));
                    }
                }
                _ => {}
            }
            audience.follow_effect(event);
            someone_before = someone_acts;
        }
        if let Some(HiddenTurn { place, index, .. }) = hidden_turn {
            left.insert(place, (index, acts()));
        }
        Ok(left)
    }
}

/// Whether a turn begins with this event of a combatant that the audience does not know.
fn begins_unknown_turn<R: Ruleset>(event: &Event<R>, audience: &Audience<'_>) -> bool {
    match event {
        Event::Shared(SharedEvent::TurnStarted(e)) => !audience.knows(&e.combatant),
        _ => false,
    }
}

/// Whether an event may change who acts or must choose.
fn may_pass_on<R: Ruleset>(event: &Event<R>) -> bool {
    let Event::Shared(event) = event else {
        return true;
    };
    !matches!(
        event,
        SharedEvent::EffectAdded(_)
            | SharedEvent::EffectTicked(_)
            | SharedEvent::EffectEnded(_)
            | SharedEvent::Damaged(_)
            | SharedEvent::Healed(_)
            | SharedEvent::Noted(_)
            | SharedEvent::EncounterUpdated(_)
    )
}
