//! How a turn begins, and how rounds follow each other (WA-7, WA-12a).

use super::{Combatant, Encounter, Phase, Play, Seize, State, Taken, Way, extra_action};
use crate::rulesets::shared::{next_round, start_turn};
use crate::vocabulary::{CombatantId, Fold};

/// Starts a turn, and announces the extra Action of a combatant that rolled a 20.
pub(super) fn take_turn(play: &mut Play<'_>, id: &CombatantId) {
    start_turn(play, id);
    extra_action::announce(play, id);
}

/// Starts a new round if all have acted. Whether the next turn is the first of a round.
pub(super) fn close_round(play: &mut Play<'_>) -> bool {
    let encounter = play.encounter();
    if encounter.state.phase == (Phase::NominateFirst {}) {
        return true;
    }
    let over = is_round_over(encounter);
    if over {
        next_round(play);
    }
    over
}

/// True if all in the fight have had a turn or are barred from one. With no combatant in the fight
/// the round waits.
fn is_round_over(encounter: &Encounter) -> bool {
    let none_waits = encounter.waiting().all(|c| barred(encounter, c));
    none_waits && encounter.active().next().is_some()
}

/// The turn of the chosen combatant starts, else that of the first that has seized one, else one
/// that the game master set.
pub(super) fn turn_started(fold: &mut Fold<'_, Seize>, combatant: &CombatantId) {
    forget_losses(fold);
    let state = fold.state();
    let chosen = state
        .turns
        .last()
        .is_some_and(|taken| taken.combatant == *combatant);
    if !chosen {
        let way = match state.queue.first() {
            Some(seizer) if seizer.combatant == *combatant => seizer.way(),
            _ => Way::Overridden {},
        };
        give_turn(state, combatant, way);
    }
    state.queue.retain(|seizer| seizer.combatant != *combatant);
    state.last_actor = Some(combatant.clone());
    state.phase = Phase::InTurn {
        actor: combatant.clone(),
    };
}

pub(super) fn give_turn(state: &mut State, combatant: &CombatantId, way: Way) {
    state.turns.retain(|taken| taken.combatant != *combatant);
    let taken = Taken {
        combatant: combatant.clone(),
        way,
    };
    state.turns.push(taken.into());
}

/// A new round: its turns are none of the last one's. Before the first turn the winner of the roll
/// waits for the round to start.
pub(super) fn round_started(fold: &mut Fold<'_, Seize>) {
    if fold.state().phase != Phase::Setup {
        forget_losses(fold);
        fold.state().turns.clear();
    }
}

/// Losses of hit points before a turn, or in an earlier round, let no combatant seize (WA-12a).
fn forget_losses(fold: &mut Fold<'_, Seize>) {
    fold.change_states(|s| s.hurt, |s| s.hurt = false);
}

/// True if it rolled a 1 and this is the round in which it cannot act (WA-7).
pub(super) fn barred(encounter: &Encounter, c: &Combatant) -> bool {
    c.state.skips_round_1 && encounter.round <= 1
}
