//! Laps: the turns that combatants have taken in this round.

use super::Encounter;
use super::candidates::candidates;
use super::lines::{costs_turns, has_places};
use super::query::{definition, last_begun, next_place, place_of, top};
use crate::vocabulary::CombatantId;

/// The lap in which somebody acts, or else the next one does, from 0.
pub(super) fn lap_now(encounter: &Encounter) -> usize {
    let acting = top(encounter).and_then(|turn| turn.combatants.first());
    if let Some(id) = acting {
        return lap_of_begun(encounter, id);
    }
    match candidates(encounter).first() {
        Some(id) => lap_of_next(encounter, id),
        None => 0,
    }
}

/// The lap of a combatant's next turn.
fn lap_of_next(encounter: &Encounter, id: &CombatantId) -> usize {
    if has_places(definition(encounter)) {
        return next_place(encounter, id).map_or(0, |place| place.turn);
    }
    let taken = encounter.get(id).map_or(0, |c| c.state.turns_taken);
    usize::try_from(taken).unwrap_or(usize::MAX)
}

/// The lap of a combatant's turn that is going on.
fn lap_of_begun(encounter: &Encounter, id: &CombatantId) -> usize {
    let definition = definition(encounter);
    if costs_turns(definition) {
        // Its one place goes on to the next lap when the turn ends.
        return place_of(encounter, id).map_or(0, |place| place.turn);
    }
    if has_places(definition) {
        let begun = last_begun(encounter, id).and_then(|at| encounter.state.places.get(at));
        return begun.map_or(0, |place| place.turn);
    }
    lap_of_next(encounter, id).saturating_sub(1)
}
