//! Bounds of what EXP keeps.

use super::{Encounter, MAX_DIGITS};
use crate::rulesets::shared::{at_most, within};
use crate::vocabulary::MAX_COMBATANTS;

/// The personas of a mental duel.
const MAX_DUELLISTS: usize = 2;

/// The components of a unit: the move, and the attack or action.
const COMPONENTS: usize = 2;

pub(super) fn check_state(encounter: &Encounter) -> Result<(), String> {
    let state = &encounter.state;
    at_most("state.asked", state.asked.len(), MAX_COMBATANTS)?;
    at_most("state.jumps", state.jumps.len(), MAX_COMBATANTS)?;
    for jump in &state.jumps {
        at_most("state.jumps.components", jump.components.len(), COMPONENTS)?;
        at_most("state.jumps.asked_anew", jump.asked_anew.len(), 0)?;
    }
    at_most("state.failed", state.failed.len(), MAX_COMBATANTS)?;
    at_most("state.kept", state.kept.len(), MAX_COMBATANTS)?;
    at_most("state.duel", state.duel.len(), MAX_DUELLISTS)?;
    at_most("state.ranking", state.ranking.len(), MAX_COMBATANTS)?;
    let ranked = state.ranking.iter().map(|roll| roll.combatants.len()).sum();
    at_most("state.ranking.combatants", ranked, MAX_COMBATANTS)?;
    for roll in state.ranking.iter() {
        at_most("state.ranking.digits", roll.digits.len(), MAX_DIGITS)?;
    }
    let last = i64::try_from(state.ranking.len()).unwrap_or(i64::MAX);
    for persona in encounter.iter() {
        if let Some(rank) = persona.state.rank {
            within("rank", rank, 1, last)?;
        }
        if let Some(own) = &persona.state.own_roll {
            at_most("own_roll.tie_dice", own.tie_dice.len(), MAX_DIGITS)?;
        }
    }
    Ok(())
}
