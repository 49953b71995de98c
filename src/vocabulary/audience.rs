//! What a viewer other than the game master knows of an encounter.
//!
//! A view is the encounter without what its viewer does not know, as if it had never been there.
//! The same code shows it and decides on it.

use super::{
    Combatant, CombatantId, Combatants, Effect, EffectId, Encounter, Event, Expiry, FoeHp,
    OwnCombatant, Redact, Ruleset, SharedEvent,
};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A viewer who is not the game master: its own combatants, and which ids it knows.
#[derive(Debug, Clone)]
pub struct Audience<'a> {
    /// The numbers in the order of joining of its own combatants, by their ids.
    own: HashMap<&'a str, u32>,
    unknown: HashSet<CombatantId>,
    effects: HashSet<EffectId>,
}

impl<'a> Audience<'a> {
    /// The viewer of `encounter` whose own combatants are `own`: it sees them even if they are
    /// hidden.
    pub fn of<R: Ruleset>(encounter: &Encounter<R>, own: &'a [OwnCombatant]) -> Self {
        let mut numbers = HashMap::new();
        for own in own {
            numbers.insert(own.id.as_str(), own.joined);
        }
        Self {
            own: numbers,
            unknown: HashSet::new(),
            effects: HashSet::new(),
        }
        .at(encounter)
    }

    /// Knows every combatant but this one, and no effect: what it redacts does not name a combatant
    /// that has left.
    pub fn all_but(left: &CombatantId) -> Self {
        let unknown = HashSet::from([left.clone()]);
        Self {
            own: HashMap::new(),
            unknown,
            effects: HashSet::new(),
        }
    }

    /// The same viewer, with what it knows at `encounter`. A combatant that left unseen stays
    /// unknown: what follows still names it.
    pub fn at<R: Ruleset>(&self, encounter: &Encounter<R>) -> Self {
        let mut unknown = HashSet::new();
        for c in encounter.iter() {
            if !self.sees(c) {
                unknown.insert(c.id.clone());
            }
        }
        for id in &self.unknown {
            if encounter.get(id).is_none() {
                unknown.insert(id.clone());
            }
        }
        let mut audience = Self {
            own: self.own.clone(),
            unknown,
            effects: HashSet::new(),
        };
        for effect in &encounter.effects {
            if audience.sees_effect(effect) {
                audience.effects.insert(effect.id.clone());
            }
        }
        audience
    }

    /// Follows an effect that begins or ends with `event`.
    pub fn follow_effect<R: Ruleset>(&mut self, event: &Event<R>) {
        match event {
            Event::Shared(SharedEvent::EffectAdded(e)) if self.sees_effect(&e.effect) => {
                self.effects.insert(e.effect.id.clone());
            }
            Event::Shared(SharedEvent::EffectEnded(e)) => drop(self.effects.remove(&e.effect_id)),
            _ => {}
        }
    }

    /// Whether it sees this combatant.
    pub fn sees<R: Ruleset>(&self, c: &Combatant<R>) -> bool {
        !c.hidden || self.owns(c)
    }

    /// Whether it is one of its own combatants.
    fn owns<R: Ruleset>(&self, c: &Combatant<R>) -> bool {
        self.own.get(c.id.as_str()) == Some(&c.joined)
    }

    /// Whether it knows this id: no hidden combatant has it, or has just left with it.
    pub fn knows(&self, id: &CombatantId) -> bool {
        !self.unknown.contains(id)
    }

    /// Whether there are ids, and it knows none of them.
    fn knows_none_of(&self, ids: &[CombatantId]) -> bool {
        !ids.is_empty() && !ids.iter().any(|id| self.knows(id))
    }

    /// Whether the hit points of `c` at `encounter` are hidden from it.
    pub fn hides_hp<R: Ruleset>(&self, encounter: &Encounter<R>, c: &Combatant<R>) -> bool {
        encounter.hides_hp(c) && !self.owns(c)
    }

    /// Whether it sees this effect: neither the effect nor its target is hidden.
    fn sees_effect(&self, effect: &Effect) -> bool {
        !effect.hidden && effect.target.as_ref().is_none_or(|id| self.knows(id))
    }
}

impl Redact for CombatantId {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        audience.knows(self).then(|| self.clone())
    }
}

impl Redact for EffectId {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        audience.effects.contains(self).then(|| self.clone())
    }
}

impl Redact for Arc<Effect> {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        if !audience.sees_effect(self) {
            return None;
        }
        let mut effect = self.clone();
        if let Some(source) = &self.source
            && !audience.knows(source)
        {
            Arc::make_mut(&mut effect).source = None;
        }
        if let Some(anchor) = self.expires.anchor()
            && !audience.knows(anchor)
            && let Expiry::TurnStart { of, .. } | Expiry::TurnEnd { of, .. } =
                &mut Arc::make_mut(&mut effect).expires
        {
            *of = None;
        }
        Some(effect)
    }
}

impl<R: Ruleset> Encounter<R> {
    /// The encounter without hidden combatants (except `own`), hidden effects, and what is the game
    /// master's alone.
    pub fn redacted(&self, own: &[OwnCombatant]) -> Self {
        self.seen_by(&Audience::of(self, own))
    }

    /// The encounter as `audience` may know it, which must know what it knows of this encounter.
    pub fn seen_by(&self, audience: &Audience<'_>) -> Self {
        let mut combatants = Vec::with_capacity(self.combatants.len());
        for c in self.combatants.iter() {
            if !audience.sees(c) {
                continue;
            }
            combatants.push(if c.tracks_hp() && audience.hides_hp(self, c) {
                c.without_hp(self.foe_hp)
            } else {
                c.clone()
            });
        }
        let mut effects = Vec::with_capacity(self.effects.len());
        for effect in &self.effects {
            effects.extend(effect.redact(audience));
        }
        let mut encounter = Self {
            name: self.name.clone(),
            metadata: self.metadata.clone(),
            options: self.options.clone(),
            foe_hp: self.foe_hp,
            status: self.status,
            round: self.round,
            combatants: Combatants::from_iter(combatants),
            effects,
            counted: Vec::new(),
            // Counts would tell how many hidden ones there are.
            version: 0,
            joined: 0,
            used_ids: Arc::default(),
            effects_begun: 0,
            state: self.state.redact(audience).unwrap_or_default(),
        };
        R::redact(&mut encounter, self, audience);
        encounter
    }

    /// Whether combatants that `audience` does not know have the turn or must choose, or nobody but
    /// such can be chosen.
    pub fn someone_acts(&self, audience: &Audience<'_>) -> bool {
        audience.knows_none_of(&R::awaited(self)) || audience.knows_none_of(&R::choosable(self))
    }

    /// Whether no combatant, no effect and nothing of the ruleset's is hidden.
    pub fn hides_nothing(&self) -> bool {
        let hidden = self.iter().any(|c| c.hidden) || self.effects.iter().any(|e| e.hidden);
        !hidden && !R::hides_something(self)
    }

    /// Whether some hit points are hidden from viewers who own none of the combatants.
    pub fn hides_any_hp(&self) -> bool {
        self.iter().any(|c| c.tracks_hp() && self.hides_hp(c))
    }

    /// Whether only the game master and its own player know the hit points of `c` as numbers.
    pub fn hides_hp(&self, c: &Combatant<R>) -> bool {
        self.foe_hp != FoeHp::Exact && c.side != "players"
    }
}
