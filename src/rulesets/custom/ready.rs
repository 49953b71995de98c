//! Whether a combatant may have a turn, by all but the order.

use super::definition::{Definition, Lasts};
use super::lines::{costs_turns, delays_last};
use super::pools::can_pay_turn;
use super::query::{definition, fits, has_step, is_skipped};
use super::{Combatant, Encounter};

/// True if a combatant may act, by all but the order.
pub(super) fn is_ready(encounter: &Encounter, c: &Combatant) -> bool {
    let definition = definition(encounter);
    c.active()
        && !is_skipped(definition, c)
        && has_turn_left(definition, c)
        && can_pay_turn(encounter, c)
        && !keeps_delaying(definition, c)
        && fits(definition, &definition.who, c)
        && has_step(definition, c)
}

/// Whether a combatant has a turn left. Where turns cost initiative, its place says so.
fn has_turn_left(definition: &Definition, c: &Combatant) -> bool {
    costs_turns(definition) || c.state.turns_left > 0
}

/// Whether a combatant delays, and its delay does not end when its place comes again.
fn keeps_delaying(definition: &Definition, c: &Combatant) -> bool {
    c.state.delaying && !delays_last(definition, Lasts::Place)
}
