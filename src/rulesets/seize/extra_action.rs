//! The extra Action that a 20 gives in the first turn (WA-6).

use super::{Encounter, Play, Seize};
use crate::vocabulary::{CombatantId, Fold, LegalCommand, Violation, command, event, require};

/// Take the extra Action for a 20, in your own first turn (WA-6).
#[command(player, "{combatant}: take the extra Action")]
pub struct TakeExtraAction {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant that rolled a 20 has an extra Action in this turn (WA-6).
#[event("{combatant} {combatant:has|have} an extra Action in this turn.")]
pub struct ExtraActionGranted {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant took its extra Action (WA-6).
#[event("{combatant} {combatant:takes|take} the extra Action.")]
pub struct ExtraActionTaken {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant's first turn ended without the extra Action, which is lost (WA-6).
#[event("{combatant} {combatant:loses|lose} the extra Action.")]
pub struct ExtraActionLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Announces the extra Action of a combatant that rolled a 20, if it still has it, as its turn
/// starts. The roll gives it: `InitiativeRolled` (WA-6).
pub(super) fn announce(play: &mut Play<'_>, id: &CombatantId) {
    if is_held(play.encounter(), id) {
        play.emit(ExtraActionGranted {
            combatant: id.clone(),
        });
    }
}

/// Takes it away if the turn ends without it.
pub(super) fn lose(play: &mut Play<'_>, id: &CombatantId) {
    if is_held(play.encounter(), id) {
        play.emit(ExtraActionLapsed {
            combatant: id.clone(),
        });
    }
}

fn is_held(encounter: &Encounter, id: &CombatantId) -> bool {
    encounter.get(id).is_some_and(|c| c.state.extra_action)
}

impl TakeExtraAction {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let extra_action = play.in_turn(id, "WA-6")?.state.extra_action;
        require(extra_action, "no_extra_action", "WA-6", || {
            format!("{id} can't take an extra Action. A roll of 20 gives one, for the first turn.")
        })?;
        play.emit(ExtraActionTaken {
            combatant: id.clone(),
        });
        Ok(())
    }
}

impl ExtraActionGranted {
    /// Changes nothing: the roll has given the extra Action.
    pub(super) fn apply(&self, _: &mut Fold<'_, Seize>) {}
}

impl ExtraActionTaken {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        fold.change_state(&self.combatant, |s| s.extra_action = false);
    }
}

impl ExtraActionLapsed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Seize>) {
        fold.change_state(&self.combatant, |s| s.extra_action = false);
    }
}

pub(super) fn options(actor: &CombatantId) -> LegalCommand {
    LegalCommand::by::<TakeExtraAction>(actor, "WA-6")
}
