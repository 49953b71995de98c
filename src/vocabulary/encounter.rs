//! The state of an encounter under one ruleset.

use super::{
    CachedCombatant, Clock, Combatant, CombatantId, Combatants, ConditionCleared, ConditionSet,
    Damaged, Effect, EffectId, Event, Expiry, Fold, Healed, Hp, Int, MemberId, Metadata,
    RosterEvent, Ruleset, SharedEvent, Slug, Text, UsedIds, Violation, is_default, word,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use utoipa::ToSchema;

/// Maximum combatants of an encounter.
pub const MAX_COMBATANTS: usize = 500;
/// Maximum effects of an encounter at a time that players see, and as many that they don't see:
/// under a common limit a player could count the hidden ones.
pub const MAX_EFFECTS: usize = 500;
/// Maximum ids that a refusal lists.
const MAX_LISTED: usize = 20;

/// The status of an encounter.
#[word]
pub enum Status {
    /// Created, not started.
    Setup,
    /// Started, not ended.
    Running,
    /// Over.
    Ended,
}

/// The form in which players and spectators see the hit points of foes: of combatants that are
/// neither on the side `players` nor their own.
#[word]
pub enum FoeHp {
    /// The numbers.
    Exact,
    /// A word: `unhurt`, `hurt`, `bloodied` (at most half is left), `critical` (at most a quarter),
    /// `down`.
    #[default]
    Banded,
    /// Nothing.
    None,
}

/// The seconds that a turn may take.
pub type TurnSeconds = Int<1, 86_400>;

/// The state of an encounter: the fold of its log. Cloning it is cheap, its parts are shared until
/// they change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(bound = "")]
#[schema(bound = "R: Ruleset")]
pub struct Encounter<R: Ruleset> {
    /// Its name for people.
    pub name: Text<120>,
    /// Texts of the client's own.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// The ruleset's options, as chosen at its creation.
    #[schema(value_type = Object)]
    pub options: R::Options,
    /// What is told of the hit points of foes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub foe_hp: FoeHp,
    /// The seconds that a turn may take, if somebody counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub turn_seconds: Option<TurnSeconds>,
    /// Where it is in its life.
    pub status: Status,
    /// The round (or unit), from 1; 0 before the first.
    pub round: u32,
    /// How many transitions made it: the version of its newest log entry.
    pub version: u64,
    /// Who is in it, in the order of joining.
    #[schema(value_type = Vec<Object>)]
    pub combatants: Combatants<R>,
    /// What lasts, in the order of its beginning.
    #[schema(value_type = Vec<Effect>)]
    pub effects: Vec<Arc<Effect>>,
    /// The effects that counted the turns of a combatant that has left, and have counted this
    /// round.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<EffectId>,
    /// How many combatants have ever joined, also in states that were undone: no two have the same
    /// number.
    pub joined: u32,
    /// The ids of combatants that have left, also by an undo.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(value_type = UsedIds)]
    pub used_ids: Arc<UsedIds>,
    /// How many effects have ever begun.
    pub effects_begun: u32,
    /// What the ruleset keeps about the encounter.
    #[schema(value_type = Object)]
    pub state: R::State,
}

impl<R: Ruleset> Encounter<R> {
    /// The combatant named `id`.
    pub fn get(&self, id: &CombatantId) -> Option<&Combatant<R>> {
        self.combatants.find(id).map(|c| &**c)
    }

    /// The combatant that the `field` of a request names; refused as meaningless if there is
    /// none, with the ids there are.
    pub fn named(
        &self,
        field: impl Into<Cow<'static, str>>,
        id: &CombatantId,
    ) -> Result<&Combatant<R>, Violation> {
        if let Some(combatant) = self.get(id) {
            return Ok(combatant);
        }
        let mut detail = format!("Unknown combatant \"{id}\".");
        let listed = self.iter().take(MAX_LISTED);
        let known: Vec<&str> = listed.map(|c| c.id.as_str()).collect();
        if !known.is_empty() {
            detail += &format!(" Combatants: {}", known.join(", "));
            let more = self.combatants.len() - known.len();
            if more > 0 {
                detail += &format!(" and {more} more");
            }
            detail += ".";
        }
        Err(Violation::field("unknown_combatant", field, detail))
    }

    /// The combatant named `id`, to be changed by an event.
    pub fn get_mut(&mut self, id: &CombatantId) -> Option<&mut Combatant<R>> {
        self.combatants.find_mut(id).map(CachedCombatant::change)
    }

    /// Lets an event change the combatant named `id`, if it is there.
    pub fn change(&mut self, id: &CombatantId, change: impl FnOnce(&mut Combatant<R>)) {
        if let Some(c) = self.get_mut(id) {
            change(c);
        }
    }

    /// Lets an event change what the ruleset keeps about the combatant named `id`.
    pub fn change_state(&mut self, id: &CombatantId, change: impl FnOnce(&mut R::CombatantState)) {
        self.change(id, |c| change(&mut c.state));
    }

    /// Lets an event change what the ruleset keeps about the combatants of which `wanted` holds.
    pub fn change_states(
        &mut self,
        wanted: impl Fn(&R::CombatantState) -> bool,
        change: impl Fn(&mut R::CombatantState),
    ) {
        self.change_all(|c| wanted(&c.state), |c| change(&mut c.state));
    }

    /// Lets an event change the combatants of which `wanted` holds.
    pub fn change_all(
        &mut self,
        wanted: impl Fn(&Combatant<R>) -> bool,
        change: impl Fn(&mut Combatant<R>),
    ) {
        if !self.iter().any(&wanted) {
            return;
        }
        for combatant in self.combatants.iter_mut() {
            if wanted(combatant) {
                change(combatant.change());
            }
        }
    }

    /// Everybody, in the order of joining.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Combatant<R>> {
        self.combatants.iter().map(|c| &**c)
    }

    /// Everybody who is still in the fight, in the order of joining.
    pub fn active(&self) -> impl DoubleEndedIterator<Item = &Combatant<R>> {
        self.iter().filter(|c| c.active())
    }

    /// Everybody who is still in the fight and has not acted this round.
    pub fn waiting(&self) -> impl DoubleEndedIterator<Item = &Combatant<R>> {
        self.active().filter(|c| !c.acted)
    }

    /// Whether players see an effect: neither the effect nor its target is hidden.
    pub fn shows_effect(&self, effect: &Effect) -> bool {
        let target = effect.target.as_ref().and_then(|id| self.get(id));
        !effect.hidden && target.is_none_or(|c| !c.hidden)
    }

    /// Whether it has room for one more effect that players see, or don't see.
    pub fn has_room_for_effect(&self, shown: bool) -> bool {
        self.count_effects(shown) < MAX_EFFECTS
    }

    /// Whether it holds no more effects than it may.
    pub fn holds_its_effects(&self) -> bool {
        self.count_effects(true).max(self.count_effects(false)) <= MAX_EFFECTS
    }

    fn count_effects(&self, shown: bool) -> usize {
        let effects = self.effects.iter();
        effects.filter(|e| self.shows_effect(e) == shown).count()
    }

    /// Whether `id` is here and still in the fight.
    pub fn is_active(&self, id: &CombatantId) -> bool {
        self.get(id).is_some_and(Combatant::active)
    }

    /// Applies an event without checks.
    pub fn apply(&mut self, event: &Event<R>) {
        match event {
            Event::Shared(event) => self.apply_shared(event),
            Event::Roster(RosterEvent::CombatantJoined { details }) => {
                self.joined = self.joined.max(details.joined);
                self.combatants
                    .push(CachedCombatant::new((**details).clone()));
            }
            Event::Roster(RosterEvent::CombatantUpdated { details, .. }) => {
                if let Some(place) = self.combatants.find_mut(&details.id) {
                    *place = CachedCombatant::new((**details).clone());
                }
            }
            Event::Own(_) => {}
        }
        R::evolve(&mut Fold::new(self), event);
    }

    fn apply_shared(&mut self, event: &SharedEvent) {
        match event {
            SharedEvent::EncounterStarted(_) => self.status = Status::Running,
            SharedEvent::EncounterUpdated(e) => {
                if let Some(name) = &e.name {
                    self.name = name.clone();
                }
                if let Some(metadata) = &e.metadata {
                    self.metadata = metadata.clone();
                }
            }
            SharedEvent::TurnTimeSet(e) => self.turn_seconds = e.turn_seconds,
            SharedEvent::EncounterEnded(_) => self.status = Status::Ended,
            SharedEvent::RoundStarted(e) => {
                self.round = e.round;
                for combatant in self.combatants.iter_mut() {
                    if combatant.acted {
                        combatant.change().acted = false;
                    }
                }
            }
            SharedEvent::TurnEnded(e) => self.change(&e.combatant, |c| c.acted = true),
            SharedEvent::Damaged(e) => self.apply_damage(e),
            SharedEvent::Healed(e) => self.apply_healing(e),
            SharedEvent::ConditionSet(e) => self.set_condition(e),
            SharedEvent::ConditionCleared(e) => self.clear_condition(e),
            SharedEvent::EffectAdded(e) => {
                self.effects_begun = self.effects_begun.saturating_add(1);
                self.effects.push(e.effect.clone());
            }
            SharedEvent::EffectTicked(e) => self.change_effect(&e.effect_id, |effect| {
                if let Some(clock) = effect.clock_mut(e.clock) {
                    clock.set_remaining(e.remaining);
                }
            }),
            SharedEvent::EffectBegun(e) => self.begin_effect(&e.effect_id),
            SharedEvent::EffectDue(e) => self.change_effect(&e.effect_id, |effect| {
                effect.last |= e.last;
                if let Some(reminder) = &mut effect.reminder {
                    reminder.due.set_remaining(e.next);
                    effect.waits = reminder.does_something();
                }
            }),
            SharedEvent::EffectApplied(e) => {
                self.change_effect(&e.effect_id, |effect| effect.waits = false);
            }
            SharedEvent::EffectEnded(e) => {
                self.effects.retain(|x| x.id != e.effect_id);
                self.counted.retain(|id| *id != e.effect_id);
            }
            SharedEvent::CombatantLeft(e) => {
                self.forget_in_effects(&e.combatant, &e.counted);
                Arc::make_mut(&mut self.used_ids).record(&e.combatant);
                self.combatants.remove(&e.combatant);
            }
            SharedEvent::RoundEnded(_) => {
                if R::lost_turns_by_round(&self.options) {
                    self.counted.clear();
                }
            }
            SharedEvent::TurnStarted(_)
            | SharedEvent::Overridden(_)
            | SharedEvent::Noted(_)
            | SharedEvent::SomeoneActs(_) => {}
            // The whole encounter is another one then: the engine takes it from the log entry.
            SharedEvent::Undone(_) | SharedEvent::Redone(_) => {}
        }
    }

    /// Lets an effect begin. Who did not know when it would does not learn it from its end either.
    fn begin_effect(&mut self, id: &EffectId) {
        let effect = self.effects.iter().find(|effect| effect.id == *id);
        let begins = effect.and_then(|effect| effect.begins.as_ref());
        let anchor = begins.and_then(Expiry::anchor).and_then(|id| self.get(id));
        let is_hidden = anchor.is_some_and(|c| c.hidden);
        self.change_effect(id, |effect| {
            effect.begins = None;
            effect.expiry_hidden |= is_hidden;
        });
    }

    fn change_effect(&mut self, id: &EffectId, change: impl FnOnce(&mut Effect)) {
        if let Some(effect) = self.effects.iter_mut().find(|effect| effect.id == *id) {
            change(Arc::make_mut(effect));
        }
    }

    fn apply_damage(&mut self, e: &Damaged) {
        let Some(bearer) = self.bearer_mut(&e.combatant, e.member.as_ref()) else {
            return;
        };
        if let Some(hp) = bearer.hp {
            hp.temp = Int::clamped(hp.temp.get() - i64::from(e.temp_lost));
            if let Some(left) = e.hp_left {
                hp.current = Int::clamped(left.into());
            }
        }
    }

    fn apply_healing(&mut self, e: &Healed) {
        let Some(bearer) = self.bearer_mut(&e.combatant, e.member.as_ref()) else {
            return;
        };
        if let Some(hp) = bearer.hp
            && let Some(after) = e.hp_left
        {
            hp.current = Int::clamped(after.into());
        }
    }

    fn set_condition(&mut self, e: &ConditionSet) {
        if let Some(bearer) = self.bearer_mut(&e.combatant, e.member.as_ref()) {
            bearer.conditions.push(e.condition.clone());
        }
    }

    fn clear_condition(&mut self, e: &ConditionCleared) {
        if let Some(bearer) = self.bearer_mut(&e.combatant, e.member.as_ref()) {
            bearer.conditions.retain(|c| *c != e.condition);
        }
    }

    /// Keeps of a later state what an undo or redo does not take back: which ids and numbers
    /// combatants had.
    pub fn keep_identities(&mut self, later: &Self) {
        self.joined = later.joined.max(self.joined);
        self.used_ids = later.used_ids.clone();
        for c in later.iter() {
            if self.get(&c.id).is_none_or(|here| here.joined != c.joined) {
                Arc::make_mut(&mut self.used_ids).record(&c.id);
            }
        }
    }

    /// Removes the name of a combatant that leaves from all effects. Those that count its turns
    /// count rounds instead, `counted` of them from the next round on.
    fn forget_in_effects(&mut self, id: &CombatantId, counted: &[EffectId]) {
        let counted: HashSet<&EffectId> = counted.iter().collect();
        let was_hidden = self.get(id).is_some_and(|c| c.hidden);
        for effect in &mut self.effects {
            if !effect.names(id) {
                continue;
            }
            let effect = Arc::make_mut(effect);
            effect.source.take_if(|source| source == id);
            let mut counts_turns = false;
            for clock in [Clock::Beginning, Clock::Reminder, Clock::End] {
                let of = effect.clock_mut(clock).and_then(Expiry::whose_turns);
                counts_turns |= of.is_some_and(|of| of.take_if(|of| of == id).is_some());
            }
            if !counts_turns {
                continue;
            }
            effect.expiry_hidden |= was_hidden;
            if counted.contains(&effect.id) {
                self.counted.push(effect.id.clone());
            }
        }
    }

    /// What an event may change of a combatant, or of one of its members.
    fn bearer_mut(&mut self, id: &CombatantId, member: Option<&MemberId>) -> Option<Bearer<'_>> {
        let combatant = self.get_mut(id)?;
        let Some(member) = member else {
            return Some(Bearer {
                hp: combatant.hp.as_mut(),
                conditions: &mut combatant.conditions,
            });
        };
        let member = combatant.members.iter_mut().find(|m| m.id == *member)?;
        Some(Bearer {
            hp: member.hp.as_mut(),
            conditions: &mut member.conditions,
        })
    }
}

/// The hit points and conditions of a combatant, or of one of its members, to be changed.
struct Bearer<'e> {
    hp: Option<&'e mut Hp>,
    conditions: &'e mut Vec<Slug>,
}
