//! Redacts the events of a transition for one audience.

use super::{
    Audience, Combatant, CombatantId, CombatantLeft, Effect, EffectAdded, EffectApplied,
    EffectBegun, EffectDue, EffectEnded, EffectId, EffectTicked, Encounter, EndReason, Event,
    Readers, Redact, RosterEvent, Ruleset, SharedEvent,
};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

/// An event on its way to an audience, with the states around it.
pub struct EventRedaction<'t, R: Ruleset> {
    /// Who receives the event, and what it knows when the event happens.
    pub audience: &'t Audience<'t>,
    /// The redacted encounter before the transition that the event belongs to.
    pub start: &'t Encounter<R>,
    /// The true encounter after the event.
    pub whole: &'t Encounter<R>,
    /// True if a combatant that the audience does not see has the turn or must choose, after the
    /// event.
    pub someone_acts: bool,
    /// The redacted encounter after the event, once something has asked for it.
    pub after: OnceCell<Encounter<R>>,
}

impl<R: Ruleset> EventRedaction<'_, R> {
    /// The redacted encounter after the event. The first call costs as much as the whole encounter.
    pub fn after(&self) -> &Encounter<R> {
        self.after
            .get_or_init(|| self.whole.seen_by(&self.audience.at(self.whole)))
    }

    /// The event as the audience may know it, unless it changes the roster; None if it concerns
    /// no combatant that the audience knows.
    pub fn event(&self, event: &Event<R>) -> Option<Event<R>> {
        match event {
            Event::Shared(event) => self.shared(event).map(Event::Shared),
            Event::Roster(_) => None,
            Event::Own(event) => R::redact_event(event, self).map(Event::Own),
        }
    }

    fn shared(&self, event: &SharedEvent) -> Option<SharedEvent> {
        let mut redacted = event.redact(self.audience)?;
        match &mut redacted {
            SharedEvent::Noted(e) if e.readers != Readers::All => return None,
            SharedEvent::EffectTicked(EffectTicked { effect_id, .. })
            | SharedEvent::EffectBegun(EffectBegun { effect_id })
            | SharedEvent::EffectDue(EffectDue { effect_id, .. })
            | SharedEvent::EffectApplied(EffectApplied { effect_id, .. })
                if !self.audience.times(effect_id) =>
            {
                return None;
            }
            SharedEvent::EffectEnded(e)
                if e.reason == EndReason::Recharged && !self.audience.times(&e.effect_id) =>
            {
                e.reason = EndReason::Removed;
            }
            SharedEvent::Damaged(e) if self.hides_hp(&e.combatant) => {
                if e.set {
                    return None;
                }
                e.temp_lost = 0;
                e.hp_lost = e.amount;
                e.hp_left = None;
            }
            SharedEvent::Healed(e) if self.hides_hp(&e.combatant) => {
                if e.set {
                    return None;
                }
                e.hp_gained = e.amount;
                e.hp_left = None;
            }
            _ => {}
        }
        Some(redacted)
    }

    /// Whether the hit points of a combatant are hidden from the audience.
    fn hides_hp(&self, id: &CombatantId) -> bool {
        match self.whole.get(id) {
            Some(c) => self.audience.hides_hp(self.whole, c),
            None => false,
        }
    }

    /// The events of a change of the roster for the audience; `before` is the redacted encounter
    /// before it.
    ///
    /// A combatant that is revealed joins, and one that is hidden leaves; its effects begin and end
    /// with it.
    pub fn roster(&self, event: &RosterEvent<R>, before: &Encounter<R>) -> Vec<Event<R>> {
        let (RosterEvent::CombatantJoined { details }
        | RosterEvent::CombatantUpdated { details, .. }) = event;
        let id = &details.id;
        let after = self.after();
        let mut events = Vec::new();
        match (before.get(id), after.get(id)) {
            (None, None) => {}
            (Some(old), Some(new)) => {
                if old != new {
                    events.push(Event::Roster(RosterEvent::CombatantUpdated {
                        changed: new.changed_fields(old),
                        details: uncounted(new),
                    }));
                }
            }
            (None, Some(new)) => {
                events.push(Event::Roster(RosterEvent::CombatantJoined {
                    details: uncounted(new),
                }));
                for effect in only_in(after, before) {
                    let effect = effect.clone();
                    events.push(EffectAdded { effect }.into());
                }
            }
            (Some(_), None) => {
                for effect in only_in(before, after) {
                    let ended = EffectEnded {
                        effect_id: effect.id.clone(),
                        reason: EndReason::TargetLeft,
                    };
                    events.push(ended.into());
                }
                let combatant = id.clone();
                events.push(
                    CombatantLeft {
                        combatant,
                        counted: Vec::new(),
                    }
                    .into(),
                );
            }
        }
        events
    }
}

/// The effects of one state that the other does not have.
fn only_in<'t, R: Ruleset>(
    encounter: &'t Encounter<R>,
    other: &Encounter<R>,
) -> impl Iterator<Item = &'t Arc<Effect>> {
    let there: HashSet<EffectId> = other.effects.iter().map(|e| e.id.clone()).collect();
    encounter
        .effects
        .iter()
        .filter(move |e| !there.contains(&e.id))
}

/// A combatant without the number under which it joined, which shows how many there are.
fn uncounted<R: Ruleset>(c: &Combatant<R>) -> Box<Combatant<R>> {
    Box::new(Combatant {
        joined: 0,
        ..c.clone()
    })
}
