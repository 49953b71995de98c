//! What those may know of a table who may not know all.
//!
//! A view is made by taking out what its viewer may not know, as if it had never been there; what is left is shown, told and
//! decided on by the same means as the whole. So a view can only leak what concealment has left in.

use super::{
    Combatant, CombatantId, CombatantLeft, Damaged, Effect, EffectAdded, EffectEnded, Event, Expiry, FoeHp, Ghost,
    Healed, Pending, Readers, RosterEvent, Ruleset, SharedEvent, Slug, Table, Text,
};
use std::sync::Arc;

impl<R: Ruleset> Table<R> {
    /// The table as those may know it whose own combatants are `own`: without hidden combatants (but their own) and effects,
    /// without effects on combatants that are not there, and without what is the game master's. Nobody is named who is not there.
    pub fn concealed(&self, own: &[CombatantId]) -> Self {
        let mut table = self.clone();
        let unseen = self.iter().filter(|c| c.hidden && !own.contains(&c.id));
        table.ghosts.extend(unseen.map(|c| Ghost { id: c.id.clone(), side: c.side.clone() }));
        table.combatants.retain(|c| !c.hidden || own.contains(&c.id));
        // How many have ever been is nobody's business.
        (table.version, table.joined, table.effects_begun) = (0, 0, 0);
        let mut joined = 0_u32;
        for seat in &mut table.combatants {
            joined = joined.saturating_add(1);
            if seat.joined != joined {
                seat.change().joined = joined;
            }
            if self.veils_hp(seat, own) && (seat.hp.is_some() || seat.members.iter().any(|m| m.hp.is_some())) {
                veil_hp(seat.change(), self.foe_hp);
            }
        }
        let effects = std::mem::take(&mut table.effects);
        table.effects = effects.into_iter().filter_map(|effect| table.shown(effect)).collect();
        R::conceal(&mut table, self);
        table.ghosts.clear();
        table
    }

    /// Whether everybody may know all of it, apart from what the ruleset or the choice about hit points keeps.
    pub fn hides_nothing(&self) -> bool {
        self.ghosts.is_empty() && self.iter().all(|c| !c.hidden) && self.effects.iter().all(|e| !e.hidden)
    }

    /// Whether those whose own combatants are `own` may not know the hit points of `c` as numbers.
    pub fn veils_hp(&self, c: &Combatant<R>, own: &[CombatantId]) -> bool {
        !self.foe_hp.exact() && c.side != "players" && !own.contains(&c.id)
    }

    /// Whether somebody acts or must choose who is not at this (concealed) table.
    pub fn someone_acts(&self) -> bool {
        R::pending(self).as_ref().is_some_and(Pending::is_someone)
    }

    /// Whether `id` is nobody who is or was here unseen; for [`Ruleset::conceal`], which sees with them those who are hidden now.
    pub fn knows(&self, id: &CombatantId) -> bool {
        !self.ghosts.iter().any(|ghost| ghost.id == *id)
    }

    /// Whether `id` is one of the `whole` table who is not at this (concealed) one.
    pub fn unseen(&self, whole: &Self, id: &CombatantId) -> bool {
        self.get(id).is_none() && whole.get(id).is_some()
    }

    /// An effect without the names of those who are not here; None where it is hidden, or on one who is not here.
    fn shown(&self, mut effect: Arc<Effect>) -> Option<Arc<Effect>> {
        let absent = |id: Option<&CombatantId>| id.is_some_and(|id| !self.knows(id));
        if effect.hidden || absent(effect.target.as_ref()) {
            return None;
        }
        if absent(effect.source.as_ref()) {
            Arc::make_mut(&mut effect).source = None;
        }
        if absent(effect.expires.anchor())
            && let Expiry::TurnStart { of, .. } | Expiry::TurnEnd { of, .. } = &mut Arc::make_mut(&mut effect).expires
        {
            *of = None;
        }
        Some(effect)
    }
}

fn veil_hp<R: Ruleset>(c: &mut Combatant<R>, choice: FoeHp) {
    let band = |hp: super::Hp| (choice == FoeHp::Banded).then(|| hp.band());
    c.hp_band = c.hp.take().and_then(band);
    for member in &mut c.members {
        member.hp_band = member.hp.take().and_then(band);
    }
}

/// Telling one event to those who may not know of everybody.
pub struct Telling<'t, R: Ruleset> {
    /// The combatants that are their own.
    pub own: &'t [CombatantId],
    /// Those whom they do not know.
    pub unknown: &'t [CombatantId],
    /// The table before the transition that it belongs to, concealed.
    pub start: &'t Table<R>,
    /// The true table after it.
    pub whole: &'t Table<R>,
    /// The table before it, concealed.
    pub before: &'t Table<R>,
    /// The table after it, concealed.
    pub after: &'t Table<R>,
}

impl<'t, R: Ruleset> Telling<'t, R> {
    /// Whether they know of this combatant.
    pub fn knows(&self, id: &CombatantId) -> bool {
        !self.unknown.contains(id)
    }

    /// This combatant, if they know of it.
    pub fn name(&self, id: Option<&CombatantId>) -> Option<CombatantId> {
        id.filter(|id| self.knows(id)).cloned()
    }

    /// Those of these combatants that they know of.
    pub fn names(&self, ids: &[CombatantId]) -> Vec<CombatantId> {
        ids.iter().filter(|id| self.knows(id)).cloned().collect()
    }

    /// What they are told of `event`, in order; nothing where it concerns none that they know of.
    pub fn tell(&self, event: &Event<R>) -> Vec<Event<R>> {
        match event {
            Event::Shared(event) => self.shared(event).map(Event::Shared).into_iter().collect(),
            Event::Roster(event) => self.roster(event),
            Event::Own(event) => R::retell(event, self).map(Event::Own).into_iter().collect(),
        }
    }

    fn shared(&self, event: &SharedEvent) -> Option<SharedEvent> {
        let had = |id: &Slug| self.before.effects.iter().any(|e| e.id == *id);
        let about = match event {
            SharedEvent::TurnStarted(e) => &e.combatant,
            SharedEvent::TurnEnded(e) => &e.combatant,
            SharedEvent::ConditionSet(e) => &e.combatant,
            SharedEvent::ConditionCleared(e) => &e.combatant,
            SharedEvent::CombatantLeft(e) => &e.combatant,
            SharedEvent::Overridden(e) => &e.combatant,
            SharedEvent::Damaged(e) => {
                let told = Damaged { source: self.name(e.source.as_ref()), ..e.clone() };
                let veiled = Damaged { temp_lost: 0, hp_lost: e.amount, hp: None, ..told.clone() };
                let told = if self.veils_hp(&e.combatant) { veiled } else { told };
                return self.knows(&e.combatant).then_some(SharedEvent::Damaged(told));
            }
            SharedEvent::Healed(e) => {
                let hp = e.hp.filter(|_| !self.veils_hp(&e.combatant));
                return self.knows(&e.combatant).then(|| SharedEvent::Healed(Healed { hp, ..e.clone() }));
            }
            SharedEvent::EffectAdded(e) => {
                let effect = self.after.effects.iter().find(|x| x.id == e.effect.id)?;
                return Some(SharedEvent::EffectAdded(EffectAdded { effect: (**effect).clone() }));
            }
            SharedEvent::EffectTicked(e) => return had(&e.effect).then(|| event.clone()),
            SharedEvent::EffectEnded(e) => return had(&e.effect).then(|| event.clone()),
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
        self.after.get(id).or(self.before.get(id)).is_some_and(|c| self.after.veils_hp(c, self.own))
    }

    /// Who is revealed joins, who hides leaves; effects come and go with them.
    fn roster(&self, event: &RosterEvent<R>) -> Vec<Event<R>> {
        let (RosterEvent::CombatantJoined { combatant } | RosterEvent::CombatantUpdated { combatant }) = event;
        let id = &combatant.id;
        match (self.before.get(id), self.after.get(id)) {
            (None, None) => Vec::new(),
            (Some(before), Some(after)) if before == after => Vec::new(),
            (Some(_), Some(after)) => {
                vec![Event::Roster(RosterEvent::CombatantUpdated { combatant: told(after) })]
            }
            (None, Some(after)) => {
                let joined = Event::Roster(RosterEvent::CombatantJoined { combatant: told(after) });
                let new = self.after.effects.iter().filter(|e| !self.before.effects.iter().any(|x| x.id == e.id));
                let effect =
                    |e: &Arc<Effect>| Event::Shared(SharedEvent::EffectAdded(EffectAdded { effect: (**e).clone() }));
                std::iter::once(joined).chain(new.map(effect)).collect()
            }
            (Some(_), None) => {
                let gone = self.before.effects.iter().filter(|e| !self.after.effects.iter().any(|x| x.id == e.id));
                let ended = |e: &Arc<Effect>| {
                    SharedEvent::EffectEnded(EffectEnded { effect: e.id.clone(), because: Text::fixed("target_left") })
                };
                let left = SharedEvent::CombatantLeft(CombatantLeft { combatant: id.clone() });
                gone.map(ended).chain([left]).map(Event::Shared).collect()
            }
        }
    }
}

/// A combatant as it is told: the number under which it joined would tell how many there are.
fn told<R: Ruleset>(c: &Combatant<R>) -> Box<Combatant<R>> {
    Box::new(Combatant { joined: 0, ..c.clone() })
}
