//! What a viewer other than the game master knows of an encounter.
//!
//! A view is the encounter without what its viewer does not know, as if it had never been there.
//! The same code shows it and decides on it.

use super::{
    Combatant, CombatantId, Combatants, Effect, EffectId, Encounter, Event, FoeHp, OwnCombatant,
    Redact, Ruleset, SeenBy, SharedEvent,
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
    /// Those of the effects of which it knows when they end.
    timed: HashSet<EffectId>,
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
            timed: HashSet::new(),
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
            timed: HashSet::new(),
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
            timed: HashSet::new(),
        };
        for effect in &encounter.effects {
            audience.learn(effect);
        }
        audience
    }

    /// Follows an effect that begins or ends with `event`.
    pub fn follow_effect<R: Ruleset>(&mut self, event: &Event<R>) {
        match event {
            Event::Shared(SharedEvent::EffectAdded(e)) => self.learn(&e.effect),
            Event::Shared(SharedEvent::EffectEnded(e)) => {
                self.effects.remove(&e.effect_id);
                self.timed.remove(&e.effect_id);
            }
            _ => {}
        }
    }

    /// Knows an effect from now on, if it sees it.
    fn learn(&mut self, effect: &Effect) {
        if !self.sees_effect(effect) {
            return;
        }
        self.effects.insert(effect.id.clone());
        if self.knows_expiry(effect) {
            self.timed.insert(effect.id.clone());
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

    /// True if it knows the times of an effect that it sees. It does not if the effect counts the
    /// turns of a combatant that it does not know.
    fn knows_expiry(&self, effect: &Effect) -> bool {
        !effect.expiry_hidden && effect.anchors().all(|id| self.knows(id))
    }

    /// Whether it sees this effect, and knows when it ends.
    pub fn times(&self, id: &EffectId) -> bool {
        self.timed.contains(id)
    }

    /// What it may know of a value of which something is always left.
    pub fn known<T: Redact + Default>(&self, value: &T) -> T {
        value.redact(self).unwrap_or_default()
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

/// Without an unknown source. Who does not know a combatant whose turns it counts does not know when
/// it begins, is due and ends.
impl Redact for Arc<Effect> {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        if !audience.sees_effect(self) {
            return None;
        }
        let Effect {
            id,
            name,
            target,
            source,
            hidden,
            begins: _,
            expires: _,
            reminder: _,
            waits: _,
            last: _,
            expiry_hidden: _,
            metadata,
        } = &**self;
        let knows_source = source.as_ref().is_none_or(|id| audience.knows(id));
        let knows_expiry = audience.knows_expiry(self);
        if knows_source && knows_expiry {
            return Some(self.clone());
        }
        Some(Self::new(Effect {
            id: id.clone(),
            name: name.clone(),
            target: target.clone(),
            source: audience.known(source),
            hidden: *hidden,
            metadata: metadata.clone(),
            ..if knows_expiry {
                Effect::clone(self)
            } else {
                self.untimed()
            }
        }))
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
        let Self {
            name,
            metadata,
            options,
            foe_hp,
            turn_seconds,
            status,
            round,
            combatants: _,
            effects: _,
            state: _,
            // Counts would tell how many hidden ones there are.
            counted: _,
            version: _,
            joined: _,
            used_ids: _,
            effects_begun: _,
        } = self;
        Self {
            name: name.clone(),
            metadata: metadata.clone(),
            options: options.clone(),
            foe_hp: *foe_hp,
            turn_seconds: *turn_seconds,
            status: *status,
            round: *round,
            combatants: self.combatants_seen_by(audience),
            effects: audience.known(&self.effects),
            state: R::known_state(self, audience),
            counted: Vec::new(),
            version: 0,
            joined: 0,
            used_ids: Arc::default(),
            effects_begun: 0,
        }
    }

    fn combatants_seen_by(&self, audience: &Audience<'_>) -> Combatants<R> {
        let known_state = R::known_combatants(self, audience);
        let mut seen = Vec::with_capacity(self.combatants.len());
        for c in self.combatants.iter() {
            if !audience.sees(c) {
                continue;
            }
            let reader = if audience.owns(c) {
                SeenBy::Player
            } else {
                SeenBy::All
            };
            let hides_hp = c.tracks_hp() && audience.hides_hp(self, c);
            let mut known = c.known_to(reader, hides_hp.then_some(self.foe_hp));
            let state = known_state(c);
            if state != c.state {
                known.change().state = state;
            }
            seen.push(known);
        }
        Combatants::from_iter(seen)
    }

    /// Whether combatants that `audience` does not know have the turn or must choose, or nobody but
    /// such can be chosen.
    pub fn someone_acts(&self, audience: &Audience<'_>) -> bool {
        if audience.unknown.is_empty() {
            return false;
        }
        audience.knows_none_of(&R::awaited(self)) || audience.knows_none_of(&R::choosable(self))
    }

    /// Whether no combatant, no effect and nothing of the ruleset's is hidden.
    pub fn hides_nothing(&self) -> bool {
        let mut effects = self.effects.iter();
        let hidden = self.iter().any(|c| c.hidden) || effects.any(|e| e.hidden || e.expiry_hidden);
        !hidden && !R::hides_something(self)
    }

    /// Whether some fields of a combatant are hidden from viewers who own none of the combatants.
    pub fn hides_any_field(&self) -> bool {
        self.iter()
            .any(|c| c.tracks_hp() && self.hides_hp(c) || c.hides_sheet_from(SeenBy::All))
    }

    /// Whether only the game master and its own player know the hit points of `c` as numbers.
    pub fn hides_hp(&self, c: &Combatant<R>) -> bool {
        self.foe_hp != FoeHp::Exact && c.side != "players"
    }
}
