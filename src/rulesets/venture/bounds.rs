//! Bounds of what Venture keeps.

use super::Encounter;
use super::decide::{MAX_START_EFFECTS, MAX_TIMED, MAX_TOKENS};
use crate::rulesets::shared::{at_most, within};

/// The dice of the largest Join Battle pool: attribute 20, ability 20 and 40 bonus dice.
const MAX_POOL: usize = 80;

pub(super) fn check_state(encounter: &Encounter) -> Result<(), String> {
    if let Some(tick) = encounter.state.tick {
        within("state.tick", tick, -20, 20)?;
    }
    for c in encounter.iter() {
        let state = &c.state;
        within("initiative", state.initiative, -20, 20)?;
        within("recovery_tokens", state.recovery_tokens, 0, MAX_TOKENS)?;
        at_most(
            "start_effects",
            state.start_effects.len(),
            MAX_START_EFFECTS,
        )?;
        at_most("timed_changes", state.timed_changes.len(), MAX_TIMED)?;
        if let Some(roll) = &state.join_battle {
            at_most("join_battle.dice", roll.dice.len(), MAX_POOL)?;
        }
    }
    Ok(())
}
