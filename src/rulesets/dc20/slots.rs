//! What an event changes of the turns: the one that is reached, and who is in which.

use super::{Dc20, Slot, SlotId, State, Way};
use crate::vocabulary::{CombatantId, Fold};
use std::sync::Arc;

/// The round comes to a turn. Answers to the turn before it no longer count.
pub(super) fn reach(state: &mut State, slot: &SlotId) {
    state.slot = Some(slot.clone());
    state.deferred = false;
    state.forget_answers();
}

/// Moves combatants into a turn.
pub(super) fn put_into(
    fold: &mut Fold<'_, Dc20>,
    id: &SlotId,
    combatants: &[CombatantId],
    because: Way,
) {
    for combatant in combatants {
        vacate(fold, combatant);
    }
    if let Some(slot) = slot_mut(fold, id) {
        slot.occupants.extend(combatants.iter().cloned());
    }
    for combatant in combatants {
        fold.change_state(combatant, |s| {
            s.slot = Some(id.clone());
            s.placed = Some(because);
        });
    }
}

/// Takes a combatant out of its turn.
pub(super) fn vacate(fold: &mut Fold<'_, Dc20>, id: &CombatantId) {
    let slots = &mut fold.state().slots;
    // The guard saves a copy of the turns.
    if slots.iter().any(|slot| slot.occupants.contains(id)) {
        for slot in Arc::make_mut(slots) {
            slot.occupants.retain(|occupant| occupant != id);
        }
    }
}

/// The turn of this name, to change it.
pub(super) fn slot_mut<'t>(fold: &'t mut Fold<'_, Dc20>, id: &SlotId) -> Option<&'t mut Slot> {
    Arc::make_mut(&mut fold.state().slots)
        .iter_mut()
        .find(|slot| slot.id == *id)
}

/// The place of a turn in the order.
pub(super) fn place_in_order(slots: &[Slot], id: &SlotId) -> Option<usize> {
    slots.iter().position(|slot| slot.id == *id)
}

/// The turn in which a combatant has its place.
pub(super) fn own_slot(fold: &Fold<'_, Dc20>, id: &CombatantId) -> Option<SlotId> {
    fold.state_of(id)?.slot.clone()
}
