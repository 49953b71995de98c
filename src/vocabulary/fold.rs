//! An encounter while an event changes it.

use super::{Combatant, CombatantId, Encounter, Ruleset};

/// An encounter while an event changes it. It can be assigned to, and no rule can be asked of it:
/// rules take the [`Encounter`]. So a release that corrects a rule reads the log of an earlier one
/// into the same state, and what is decided stands in the events.
pub struct Fold<'e, R: Ruleset> {
    encounter: &'e mut Encounter<R>,
}

impl<'e, R: Ruleset> Fold<'e, R> {
    pub(super) fn new(encounter: &'e mut Encounter<R>) -> Self {
        Self { encounter }
    }

    /// What the ruleset keeps about the encounter.
    pub fn state(&mut self) -> &mut R::State {
        &mut self.encounter.state
    }

    /// What the ruleset keeps about the combatant named `id`.
    pub fn state_of(&self, id: &CombatantId) -> Option<&R::CombatantState> {
        self.encounter.get(id).map(|c| &c.state)
    }

    /// Changes the combatant named `id`, if it is there.
    pub fn change(&mut self, id: &CombatantId, change: impl FnOnce(&mut Combatant<R>)) {
        self.encounter.change(id, change);
    }

    /// Changes what the ruleset keeps about the combatant named `id`.
    pub fn change_state(&mut self, id: &CombatantId, change: impl FnOnce(&mut R::CombatantState)) {
        self.encounter.change_state(id, change);
    }

    /// Changes what the ruleset keeps about the combatants of which `wanted` holds.
    pub fn change_states(
        &mut self,
        wanted: impl Fn(&R::CombatantState) -> bool,
        change: impl Fn(&mut R::CombatantState),
    ) {
        self.encounter.change_states(wanted, change);
    }

    /// Changes what the ruleset keeps about each combatant.
    pub fn change_each(&mut self, change: impl Fn(&CombatantId, &mut R::CombatantState)) {
        for combatant in self.encounter.combatants.iter_mut() {
            let combatant = combatant.change();
            change(&combatant.id, &mut combatant.state);
        }
    }

    /// Changes the combatants of which `wanted` holds.
    pub fn change_all(
        &mut self,
        wanted: impl Fn(&Combatant<R>) -> bool,
        change: impl Fn(&mut Combatant<R>),
    ) {
        self.encounter.change_all(wanted, change);
    }

    /// Sets the options of the encounter.
    pub fn set_options(&mut self, options: R::Options) {
        self.encounter.options = options;
    }

    /// Forgets which effects have counted this round.
    pub fn forget_counted(&mut self) {
        self.encounter.counted.clear();
    }
}
