//! Bounds of what Seize the initiative keeps.

use super::{Encounter, Way};
use crate::rulesets::shared::{at_most, check_own_die};
use crate::vocabulary::MAX_COMBATANTS;

/// The d20, and the die of the roll-off.
const MAX_DICE: usize = 2;

pub(super) fn check_state(encounter: &Encounter) -> Result<(), String> {
    for c in encounter.iter() {
        check_own_die(c.state.own_die)?;
    }
    let state = &encounter.state;
    at_most("state.queue", state.queue.len(), MAX_COMBATANTS)?;
    at_most("state.turns", state.turns.len(), MAX_COMBATANTS)?;
    for seizer in &state.queue {
        at_most("state.queue.tied", seizer.tied.len(), MAX_COMBATANTS)?;
    }
    for taken in &state.turns {
        check_way(&taken.way)?;
    }
    Ok(())
}

fn check_way(way: &Way) -> Result<(), String> {
    match way {
        Way::Rolled { dice, equals, .. } => {
            at_most("state.turns.way.dice", dice.len(), MAX_DICE)?;
            at_most("state.turns.way.equals", equals.len(), MAX_COMBATANTS)?;
            let combatants = equals.iter().map(|equal| equal.combatants.len()).sum();
            at_most(
                "state.turns.way.equals.combatants",
                combatants,
                MAX_COMBATANTS,
            )
        }
        Way::Seized { tied, .. } => at_most("state.turns.way.tied", tied.len(), MAX_COMBATANTS),
        Way::Nominated { .. } | Way::Overridden {} => Ok(()),
    }
}
