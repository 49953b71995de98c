//! Bounds of what Active Initiative keeps.

use super::{Encounter, Phase, Way};
use crate::rulesets::shared::{at_most, check_own_die, within};
use crate::vocabulary::MAX_COMBATANTS;

/// No sum of a die and an INT modifier comes near it, so that taking the die away is safe.
const MAX_TOTAL: i64 = 1 << 53;

pub(super) fn check_state(encounter: &Encounter) -> Result<(), String> {
    for c in encounter.iter() {
        check_own_die(c.state.own_die)?;
    }
    let state = &encounter.state;
    at_most("state.turns", state.turns.len(), MAX_COMBATANTS)?;
    for taken in &state.turns {
        check_way(&taken.way)?;
    }
    if let Phase::Window { way, .. } = &state.phase {
        check_way(way)?;
    }
    Ok(())
}

fn check_way(way: &Way) -> Result<(), String> {
    match way {
        Way::Rolled {
            tied,
            rolled_off,
            total,
            ..
        } => {
            within("total", *total, -MAX_TOTAL, MAX_TOTAL)?;
            at_most("tied", tied.len(), MAX_COMBATANTS)?;
            at_most("rolled_off", rolled_off.len(), MAX_COMBATANTS)
        }
        Way::Opened {} | Way::Nominated { .. } | Way::Interrupted { .. } | Way::Overridden {} => {
            Ok(())
        }
    }
}
