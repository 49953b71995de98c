//! Bounds of what DC20 keeps.

use super::team::MAX_ENEMY_TEAMS;
use super::{Encounter, Slot, Team};
use crate::rulesets::shared::{at_most, within};
use crate::vocabulary::MAX_COMBATANTS;
use std::collections::{HashMap, HashSet};

/// The number of the last unseen team.
const MAX_TEAM: i64 = 16;
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
    check_slots(&state.slots)?;
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

/// Each turn has a name of its own, and each team at most one turn for each PC: the names that a
/// viewer knows are found by trying one after another.
fn check_slots(slots: &[Slot]) -> Result<(), String> {
    let mut names = HashSet::new();
    let mut turns_of: HashMap<Team, usize> = HashMap::new();
    for slot in slots {
        if let Team::Enemy(team) = slot.team {
            within("state.slots.team.enemy", team, 1, MAX_TEAM)?;
        }
        if !names.insert(&slot.id) {
            return Err(format!("two of state.slots are \"{}\"", slot.id.as_str()));
        }
        let turns = turns_of.entry(slot.team).or_default();
        *turns += 1;
        at_most("state.slots", *turns, MAX_COMBATANTS)?;
    }
    Ok(())
}
