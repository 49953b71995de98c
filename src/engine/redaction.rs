//! Redacts log entries for viewers who cannot see hidden combatants.
//!
//! A viewer learns of every change of its view, if only by `someone_acts`. Versions count every
//! transition, also those without an event for it.

use super::record::EncounterRecord;
use super::space::{Space, WriteError};
use super::{AnyEncounter, Role, Stop, TokenRecord, Viewer, narration};
use crate::vocabulary::{
    Audience, Combatant, Encounter, Event, EventRedaction, EventSchema, OwnCombatant, Readers,
    Ruleset, SeenBy, SharedEvent, SomeoneActs,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use utoipa::ToSchema;

impl Viewer {
    /// The encounter without what the viewer may not know: all of it for a game master.
    pub fn redact(&self, encounter: &Arc<dyn AnyEncounter>) -> Arc<dyn AnyEncounter> {
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

/// The events that an audience reads, each with the index of the event that it comes from.
type IndexedEvents<R> = Vec<(usize, Event<R>)>;

/// A time in which an unseen combatant acts.
struct HiddenTurn {
    /// The place among the redacted events at which it begins.
    place: usize,
    /// The index of the event with which it begins.
    index: usize,
    /// Whether a turn has begun in it.
    began: bool,
}

impl HiddenTurn {
    /// Lets the audience read that somebody acts.
    fn show<R: Ruleset>(self, left: &mut IndexedEvents<R>) {
        left.insert(self.place, (self.index, SomeoneActs {}.into()));
    }
}

/// The times in which unseen combatants act, followed from event to event. Between two turns it may
/// seem for a moment that one acts; such a time is shown only if a turn begins in it.
struct HiddenTurns {
    /// Whether an unseen combatant acts after the last event.
    someone_acts: bool,
    /// The time that has begun with one of the events, until it ends.
    open: Option<HiddenTurn>,
    /// True if the audience knows that an unseen combatant acts, from the state before or from an
    /// event, and has read of no new turn since.
    told: bool,
}

impl HiddenTurns {
    /// Follows the event at `index`; `began` says whether a turn begins with it that the audience
    /// does not know, and `read` whether one that it reads of.
    fn follow<R: Ruleset>(
        &mut self,
        index: usize,
        someone_acts: bool,
        began: bool,
        read: bool,
        left: &mut IndexedEvents<R>,
    ) {
        self.told &= !read;
        let acted_before = std::mem::replace(&mut self.someone_acts, someone_acts);
        if !someone_acts {
            if let Some(turn) = self.open.take()
                && turn.began
            {
                turn.show(left);
                self.told = true;
            }
            return;
        }
        if !acted_before && !self.told {
            self.open = Some(HiddenTurn {
                place: left.len(),
                index,
                began,
            });
        } else if let Some(turn) = &mut self.open {
            turn.began |= began;
        }
    }

    /// Shows the time that has not ended with the last event.
    fn finish<R: Ruleset>(self, left: &mut IndexedEvents<R>) {
        if let Some(turn) = self.open {
            turn.show(left);
        }
    }
}

/// A transition to redact.
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
            let entry = self.owners_entry(combatants, everybody.as_ref(), &mut left)?;
            let Some(entry) = entry else {
                continue;
            };
            // It is written for each token.
            space.take(left.taken_since(*space).saturating_mul(tokens.len()))?;
            for token in tokens {
                owners.insert(token.clone(), entry.clone());
            }
        }
        if everybody.is_none() && owners.is_empty() {
            return Ok(None);
        }
        Ok(Some(Redactions { everybody, owners }))
    }

    /// The entry for the owner of these combatants, if it differs from everybody's.
    fn owners_entry(
        &self,
        own: &[OwnCombatant],
        everybody: Option<&RedactedEntry>,
        space: &mut Space,
    ) -> Result<Option<RedactedEntry>, WriteError> {
        let entry = self.redacted(own, space)?;
        let Some(everybody) = everybody else {
            return Ok(entry);
        };
        let entry = match entry {
            Some(entry) => entry,
            None => self.unredacted(space)?,
        };
        Ok(if entry.equals(everybody) {
            None
        } else {
            Some(entry)
        })
    }

    /// Whether every viewer may know all of it.
    fn is_public(&self) -> bool {
        let before = &self.before.encounter;
        !self.events.is_empty()
            && !before.hides_any_field()
            && before.hides_nothing()
            && self.after.hides_nothing()
            && !self.after.hides_any_field()
            && self.events.iter().all(is_public)
    }

    /// The players' tokens that may know more of it than everybody, by their combatants.
    fn owners(&self) -> HashMap<&[OwnCombatant], Vec<&String>> {
        let mut players: Vec<&TokenRecord> = self.before.meta.tokens.iter().collect();
        players.retain(|token| token.role == Role::Player && !token.combatants.is_empty());
        if players.is_empty() {
            return HashMap::new();
        }
        let mut redacted: HashSet<OwnCombatant> = HashSet::new();
        for c in self.before.encounter.iter().chain(self.after.iter()) {
            if self.is_redacted(c) {
                redacted.insert(OwnCombatant::of(c));
            }
        }
        // One may be hidden only between two commands of a list.
        for event in self.events {
            if let Some(c) = event.combatant()
                && self.is_redacted(c)
            {
                redacted.insert(OwnCombatant::of(c));
            }
        }
        let mut owners: HashMap<_, Vec<_>> = HashMap::new();
        for token in players {
            let own = &token.combatants[..];
            if own.iter().any(|own| redacted.contains(own)) {
                owners.entry(own).or_default().push(&token.id);
            }
        }
        owners
    }

    /// Whether viewers see less of a combatant than its owner.
    fn is_redacted(&self, c: &Combatant<R>) -> bool {
        c.hidden || self.after.hides_hp(c) || c.hides_sheet_from(SeenBy::All)
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
        let unseen_sender = self.is_sender_unseen(&audience);
        // Every viewer learns of an undo; what it took back shows in the state alone.
        if self.events.iter().any(Event::jumps) {
            return if unseen_sender {
                self.unsigned(space).map(Some)
            } else {
                Ok(None)
            };
        }
        let start = before.seen_by(&audience);
        let someone_acted = before.someone_acts(&audience);
        let mut left = self.redacted_events(audience, &start)?;
        if left.is_empty() && start != self.after.redacted(own) {
            left.push((0, SomeoneActs {}.into()));
        }
        let (indices, events): (Vec<usize>, Vec<Event<R>>) = left.into_iter().unzip();
        let unsigned = someone_acted || unseen_sender || events.iter().any(is_someone_acts);
        // With no events left, an empty form hides the entry from this viewer.
        if !unsigned && !events.is_empty() && events.iter().eq(narration::read(self.events)) {
            return Ok(None);
        }
        // The type of a command would tell what was done to a hidden combatant.
        let commands = if unsigned {
            Vec::new()
        } else {
            self.commands_of(&indices, &events)
        };
        Ok(Some(RedactedEntry {
            commands,
            events: narration::told(before, &events, space)?,
            unsigned,
        }))
    }

    /// Whether the sender acts for combatants that are there, and the audience sees none of them.
    fn is_sender_unseen(&self, audience: &Audience<'_>) -> bool {
        let mut unseen = false;
        for c in self.before.encounter.iter() {
            if self.sender.iter().any(|sender| sender.is(c)) {
                if audience.sees(c) {
                    return false;
                }
                unseen = true;
            }
        }
        unseen
    }

    /// The types of the commands of which events are left: these, at these indices. An effect that
    /// the viewer may not know is applied as the game master would do it by hand.
    fn commands_of(&self, indices: &[usize], events: &[Event<R>]) -> Vec<String> {
        let mut commands = Vec::with_capacity(self.commands.len());
        let mut so_far = 0;
        for (verb, end) in self.commands {
            let before = so_far;
            so_far = indices.partition_point(|index| index < end);
            if so_far > before {
                let left = events.get(before..so_far).unwrap_or_default();
                let verb = if *verb == "apply_effect" {
                    as_told(left)
                } else {
                    verb
                };
                commands.push(verb.to_owned());
            }
        }
        commands
    }

    /// The redacted events, each with the index of the event that it comes from. An event costs
    /// what it says; a change of the roster costs as much as the encounter.
    fn redacted_events(
        &self,
        mut audience: Audience<'_>,
        start: &Encounter<R>,
    ) -> Result<IndexedEvents<R>, WriteError> {
        let mut whole = self.before.encounter.clone();
        let mut left = Vec::with_capacity(self.events.len());
        let someone_acts = whole.someone_acts(&audience);
        let mut hidden_turns = HiddenTurns {
            someone_acts,
            open: None,
            told: someone_acts,
        };
        let mut events = self.events.iter().enumerate().peekable();
        while let Some((index, event)) = events.next() {
            if (self.stop)() {
                return Err(WriteError::Stopped);
            }
            let roster = match event {
                Event::Roster(event) => Some((event, whole.seen_by(&audience.at(&whole)))),
                _ => None,
            };
            whole.apply(event);
            while let Some((_, kept)) = events.next_if(|(_, event)| event.is_kept()) {
                whole.apply(kept);
            }
            if roster.is_some() {
                audience = audience.at(&whole);
            }
            let someone_acts = if may_pass_on(event) {
                whole.someone_acts(&audience)
            } else {
                hidden_turns.someone_acts
            };
            let after = OnceCell::new();
            let redaction = EventRedaction {
                audience: &audience,
                start,
                whole: &whole,
                someone_acts,
                after,
            };
            let read_before = left.len();
            if let Some((event, before)) = &roster {
                for event in redaction.roster(event, before) {
                    left.push((index, event));
                }
            } else if let Some(event) = redaction.event(event) {
                left.push((index, event));
            }
            let began = begins_unknown_turn(event, &audience);
            let mut new = left.iter().skip(read_before);
            let read = new.any(|(_, event)| begins_turn(event));
            hidden_turns.follow(index, someone_acts, began, read, &mut left);
            audience.follow_effect(event);
        }
        hidden_turns.finish(&mut left);
        Ok(left)
    }
}

/// Whether every viewer may know of this event, if nothing is hidden before and after it.
fn is_public<R: Ruleset>(event: &Event<R>) -> bool {
    match event {
        Event::Shared(SharedEvent::Noted(e)) => e.readers == Readers::All,
        // One that also ends in the request is in neither state.
        Event::Shared(SharedEvent::EffectAdded(e)) => !e.effect.hidden,
        // Only the game master reads which effects have counted.
        Event::Shared(SharedEvent::CombatantLeft(e)) => e.counted.is_empty(),
        Event::Shared(_) => true,
        // They carry combatants with all their fields.
        Event::Roster(_) => false,
        Event::Own(own) => event.is_kept() || !R::is_secret(own),
    }
}

fn is_someone_acts<R: Ruleset>(event: &Event<R>) -> bool {
    matches!(event, Event::Shared(SharedEvent::SomeoneActs(_)))
}

/// True if the event begins a turn.
fn begins_turn<R: Ruleset>(event: &Event<R>) -> bool {
    matches!(event, Event::Shared(SharedEvent::TurnStarted(_)))
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
            | SharedEvent::EffectBegun(_)
            | SharedEvent::EffectDue(_)
            | SharedEvent::EffectApplied(_)
            | SharedEvent::EffectEnded(_)
            | SharedEvent::Damaged(_)
            | SharedEvent::Healed(_)
            | SharedEvent::Noted(_)
            | SharedEvent::EncounterUpdated(_)
            | SharedEvent::TurnTimeSet(_)
    )
}

/// The command that would bring about what is left of the events of `apply_effect`.
fn as_told<R: Ruleset>(left: &[Event<R>]) -> &'static str {
    match left.first() {
        Some(Event::Shared(SharedEvent::Damaged(_))) => "damage",
        Some(Event::Shared(SharedEvent::Healed(_))) => "heal",
        Some(Event::Shared(SharedEvent::EffectEnded(_))) => "remove_effect",
        _ => "apply_effect",
    }
}
