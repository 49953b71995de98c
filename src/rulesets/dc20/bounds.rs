//! Bounds of what DC20 keeps.

use super::Encounter;
use super::team::MAX_ENEMY_TEAMS;
use crate::rulesets::shared::at_most;
use crate::vocabulary::MAX_COMBATANTS;

/// The teams that have turns: PCs, enemies that are seen and unseen, and NPCs that are seen and
/// unseen.
const MAX_TEAMS: usize = 2 * MAX_ENEMY_TEAMS + 3;
/// Each team has a turn for each PC.
const MAX_SLOTS: usize = MAX_TEAMS * MAX_COMBATANTS;
/// The d20 of a check, and five more with ADV or DisADV.
const MAX_DICE: usize = 6;

pub(super) fn check_state(encounter: &Encounter) -> Result<(), String> {
    let state = &encounter.state;
    at_most("state.acting", state.acting.len(), MAX_COMBATANTS)?;
    at_most(
        "state.enemy_teams",
        state.enemy_teams.len(),
        MAX_ENEMY_TEAMS,
    )?;
    at_most(
        "state.unseen_teams",
        state.unseen_teams.len(),
        MAX_ENEMY_TEAMS,
    )?;
    at_most("state.slots", state.slots.len(), MAX_SLOTS)?;
    let occupants = state.slots.iter().map(|slot| slot.occupants.len()).sum();
    at_most("state.slots.occupants", occupants, MAX_COMBATANTS)?;
    at_most("state.claims", state.claims.len(), MAX_COMBATANTS)?;
    at_most("state.passed", state.passed.len(), MAX_COMBATANTS)?;
    for c in encounter.iter() {
        if let Some(check) = &c.state.check {
            at_most("check.dice", check.dice.len(), MAX_DICE)?;
        }
    }
    Ok(())
}
