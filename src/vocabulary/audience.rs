//! What those may know of a table who may not know all.
//!
//! A view is made by taking out what its viewer may not know, as if it had never been there; what is left is shown, told and
//! decided on by the same means as the whole. So a view can only leak what concealment has left in.

use super::{CachedCombatant, Combatant, CombatantId, Effect, EffectId, Expiry, Ruleset, Table};
use std::collections::HashSet;
use std::sync::Arc;

/// A viewer who is not the game master: which combatants it sees, and which ids it must not be told.
#[derive(Debug, Clone)]
pub struct Audience<'a> {
    own: HashSet<&'a str>,
    unknown: HashSet<CombatantId>,
}

impl<'a> Audience<'a> {
    /// The viewer of `table` whose own combatants are `own`: it sees them even where they are hidden.
    pub fn of<R: Ruleset>(table: &Table<R>, own: &'a [CombatantId]) -> Self {
        let own = own.iter().map(CombatantId::as_str).collect();
        Self { own, unknown: HashSet::new() }.at(table)
    }

    /// The same viewer, and what it may not be told at `table`.
    pub fn at<R: Ruleset>(&self, table: &Table<R>) -> Self {
        let hidden = table.iter().filter(|c| !self.sees(c)).map(|c| &c.id);
        let unknown = hidden.chain(table.removed.iter().map(|removed| &removed.id)).cloned().collect();
        Self { own: self.own.clone(), unknown }
    }

    /// From now on it may be told this id.
    pub fn learn(&mut self, id: &CombatantId) {
        self.unknown.remove(id);
    }

    /// From now on it must not be told this id.
    pub fn forget(&mut self, id: &CombatantId) {
        self.unknown.insert(id.clone());
    }

    /// Whether it sees this combatant.
    pub fn sees<R: Ruleset>(&self, c: &Combatant<R>) -> bool {
        !c.hidden || self.own.contains(c.id.as_str())
    }

    /// Whether `id` is at `table`, hidden from it.
    pub fn misses<R: Ruleset>(&self, table: &Table<R>, id: &CombatantId) -> bool {
        table.get(id).is_some_and(|c| !self.sees(c))
    }

    /// Whether it may be told this id: nobody hidden has it, or had it and left.
    pub fn knows(&self, id: &CombatantId) -> bool {
        !self.unknown.contains(id)
    }

    /// This combatant, if it knows of it.
    pub fn name(&self, id: Option<&CombatantId>) -> Option<CombatantId> {
        id.filter(|id| self.knows(id)).cloned()
    }

    /// Those of these combatants that it knows of.
    pub fn names(&self, ids: &[CombatantId]) -> Vec<CombatantId> {
        ids.iter().filter(|id| self.knows(id)).cloned().collect()
    }

    /// Whether it may not know the hit points of `c` at `table` as numbers.
    pub fn veils_hp<R: Ruleset>(&self, table: &Table<R>, c: &Combatant<R>) -> bool {
        table.veils_hp(c) && !self.own.contains(c.id.as_str())
    }

    /// Whether it sees this effect: it is not hidden, and on nobody that it does not know.
    pub fn sees_effect(&self, effect: &Effect) -> bool {
        !effect.hidden && effect.target.as_ref().is_none_or(|id| self.knows(id))
    }

    /// An effect without the names of combatants that it does not know; None where it does not see it.
    pub fn effect(&self, effect: &Arc<Effect>) -> Option<Arc<Effect>> {
        let absent = |id: Option<&CombatantId>| id.is_some_and(|id| !self.knows(id));
        let mut effect = self.sees_effect(effect).then(|| effect.clone())?;
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

    /// The ids of the effects that it sees.
    pub fn effects<R: Ruleset>(&self, table: &Table<R>) -> HashSet<EffectId> {
        table.effects.iter().filter(|e| self.sees_effect(e)).map(|e| e.id.clone()).collect()
    }
}

impl<R: Ruleset> Table<R> {
    /// The table as those may know it whose own combatants are `own`: without hidden combatants (but their own) and effects,
    /// without effects on combatants that are not there, and without what is the game master's. Nobody is named who is not there.
    pub fn redacted(&self, own: &[CombatantId]) -> Self {
        self.seen_by(&Audience::of(self, own))
    }

    /// The table as `audience` may know it; its unknown ids must be those of this table.
    pub fn seen_by(&self, audience: &Audience<'_>) -> Self {
        let seat = |seat: &CachedCombatant<R>| {
            let shown = audience.sees(seat).then(|| seat.clone())?;
            let hp = shown.hp.is_some() || shown.members.iter().any(|m| m.hp.is_some());
            Some(if hp && audience.veils_hp(self, &shown) { shown.veiled(self.foe_hp) } else { shown })
        };
        let mut table = Self {
            name: self.name.clone(),
            options: self.options.clone(),
            foe_hp: self.foe_hp,
            status: self.status,
            round: self.round,
            combatants: self.combatants.iter().filter_map(seat).collect(),
            removed: Vec::new(),
            effects: self.effects.iter().filter_map(|effect| audience.effect(effect)).collect(),
            // How many have ever been is nobody's business.
            version: 0,
            joined: 0,
            effects_begun: 0,
            state: self.state.clone(),
        };
        R::redact(&mut table, self, audience);
        table
    }

    /// Whether everybody may know all of it, apart from what the ruleset or the choice about hit points keeps.
    pub fn hides_nothing(&self) -> bool {
        self.removed.is_empty() && self.iter().all(|c| !c.hidden) && self.effects.iter().all(|e| !e.hidden)
    }

    /// Whether only the game master and its own player may know the hit points of `c` as numbers.
    pub fn veils_hp(&self, c: &Combatant<R>) -> bool {
        !self.foe_hp.exact() && c.side != "players"
    }
}
