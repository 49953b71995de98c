//! Redaction the events of a transition to viewers who may not know all.

use super::{
    Audience, Combatant, CombatantId, CombatantLeft, Damaged, Effect, EffectAdded, EffectEnded, EffectId, Event,
    Healed, Readers, RosterEvent, Ruleset, SharedEvent, Table, Text,
};
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::Arc;

/// One event on its way to an audience.
pub struct Redaction<'t, R: Ruleset> {
    /// Who is told, and what it knows when the event happens.
    pub audience: &'t Audience<'t>,
    /// The table before the transition that the event belongs to, redacted.
    pub start: &'t Table<R>,
    /// The true table after the event.
    pub whole: &'t Table<R>,
    /// The ruleset's true state before the event; only where [`Ruleset::looks_back`] asks for it.
    pub before: Option<&'t R::State>,
    /// Whether one whom the audience does not see has the turn or must choose, after the event.
    pub someone_acts: bool,
    /// The effects that the audience saw before the event.
    pub effects: &'t HashSet<EffectId>,
    /// The table after the event, redacted, once something has asked for it.
    pub after: OnceCell<Table<R>>,
}

impl<R: Ruleset> Redaction<'_, R> {
    /// The table after the event, redacted. The first call takes as long as the whole table is large.
    pub fn after(&self) -> &Table<R> {
        self.after.get_or_init(|| self.whole.seen_by(&self.audience.at(self.whole)))
    }

    /// Whether the audience knows of this combatant.
    pub fn knows(&self, id: &CombatantId) -> bool {
        self.audience.knows(id)
    }

    /// This combatant, if the audience knows of it.
    pub fn name(&self, id: Option<&CombatantId>) -> Option<CombatantId> {
        self.audience.name(id)
    }

    /// Those of these combatants that the audience knows of.
    pub fn names(&self, ids: &[CombatantId]) -> Vec<CombatantId> {
        self.audience.names(ids)
    }

    /// What the audience is told of an event that is no change of the roster; None where it concerns nobody that it knows of.
    pub fn tell(&self, event: &Event<R>) -> Option<Event<R>> {
        match event {
            Event::Shared(event) => self.shared(event).map(Event::Shared),
            Event::Roster(_) => None,
            Event::Own(event) => R::redact_event(event, self).map(Event::Own),
        }
    }

    fn shared(&self, event: &SharedEvent) -> Option<SharedEvent> {
        let about = match event {
            SharedEvent::TurnStarted(e) => &e.combatant,
            SharedEvent::TurnEnded(e) => &e.combatant,
            SharedEvent::ConditionSet(e) => &e.combatant,
            SharedEvent::ConditionCleared(e) => &e.combatant,
            SharedEvent::CombatantLeft(e) => &e.combatant,
            SharedEvent::Overridden(e) => &e.combatant,
            SharedEvent::Damaged(e) => {
                if !self.knows(&e.combatant) {
                    return None;
                }
                let told = Damaged { source: self.name(e.source.as_ref()), ..e.clone() };
                let veiled = |told| Damaged { temp_lost: 0, hp_lost: e.amount, hp: None, ..told };
                let told = if self.veils_hp(&e.combatant) { veiled(told) } else { told };
                return Some(SharedEvent::Damaged(told));
            }
            SharedEvent::Healed(e) => {
                let hp = |hp: &u32| (!self.veils_hp(&e.combatant)).then_some(*hp);
                let told = || Healed { hp: e.hp.as_ref().and_then(hp), ..e.clone() };
                return self.knows(&e.combatant).then(|| SharedEvent::Healed(told()));
            }
            SharedEvent::EffectAdded(e) => {
                let effect = self.audience.effect(&Arc::new(e.effect.clone()))?;
                return Some(SharedEvent::EffectAdded(EffectAdded { effect: Arc::unwrap_or_clone(effect) }));
            }
            SharedEvent::EffectTicked(e) => return self.effects.contains(&e.effect).then(|| event.clone()),
            SharedEvent::EffectEnded(e) => return self.effects.contains(&e.effect).then(|| event.clone()),
            SharedEvent::Noted(e) => return (e.readers == Readers::All).then(|| event.clone()),
            SharedEvent::EncounterStarted(_)
            | SharedEvent::EncounterEnded(_)
            | SharedEvent::RoundStarted(_)
            | SharedEvent::RoundEnded(_)
            | SharedEvent::Undone(_)
            | SharedEvent::Redone(_)
            | SharedEvent::SomeoneActs(_) => return Some(event.clone()),
        };
        self.knows(about).then(|| event.clone())
    }

    /// Whether the hit points of this combatant are not told as numbers.
    fn veils_hp(&self, id: &CombatantId) -> bool {
        !self.whole.foe_hp.exact() && self.whole.get(id).is_some_and(|c| self.audience.veils_hp(self.whole, c))
    }

    /// What the audience is told of a change of the roster; `before` is the table before it, redacted. Who is revealed joins, who
    /// hides leaves; effects come and go with them.
    pub fn roster(&self, event: &RosterEvent<R>, before: &Table<R>) -> Vec<Event<R>> {
        let (RosterEvent::CombatantJoined { combatant } | RosterEvent::CombatantUpdated { combatant }) = event;
        let (id, after) = (&combatant.id, self.after());
        match (before.get(id), after.get(id)) {
            (None, None) => Vec::new(),
            (Some(old), Some(new)) if old == new => Vec::new(),
            (Some(_), Some(new)) => {
                vec![Event::Roster(RosterEvent::CombatantUpdated { combatant: told(new) })]
            }
            (None, Some(new)) => {
                let joined = Event::Roster(RosterEvent::CombatantJoined { combatant: told(new) });
                let effect =
                    |e: &Arc<Effect>| Event::Shared(SharedEvent::EffectAdded(EffectAdded { effect: (**e).clone() }));
                std::iter::once(joined).chain(only_in(after, before).map(effect)).collect()
            }
            (Some(_), None) => {
                let ended = |e: &Arc<Effect>| {
                    SharedEvent::EffectEnded(EffectEnded { effect: e.id.clone(), because: Text::fixed("target_left") })
                };
                let left = SharedEvent::CombatantLeft(CombatantLeft { combatant: id.clone() });
                only_in(before, after).map(ended).chain([left]).map(Event::Shared).collect()
            }
        }
    }
}

/// The effects of one table that the other one has not.
fn only_in<'t, R: Ruleset>(table: &'t Table<R>, other: &Table<R>) -> impl Iterator<Item = &'t Arc<Effect>> {
    let there: HashSet<EffectId> = other.effects.iter().map(|e| e.id.clone()).collect();
    table.effects.iter().filter(move |e| !there.contains(&e.id))
}

/// A combatant as it is told: the number under which it joined would tell how many there are.
fn told<R: Ruleset>(c: &Combatant<R>) -> Box<Combatant<R>> {
    Box::new(Combatant { joined: 0, ..c.clone() })
}
