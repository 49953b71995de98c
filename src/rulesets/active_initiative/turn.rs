//! How a turn begins, and how rounds follow each other (AI-35).

use super::{ActiveInitiative, Phase, Play, Taken, Way, ready};
use crate::rulesets::shared::{next_round, start_turn};
use crate::vocabulary::{CombatantId, Fold};

/// Starts a turn: the window closes, and an action readied in the last one lapses.
pub(super) fn take_turn(play: &mut Play<'_>, combatant: &CombatantId) {
    ready::lapse(play, combatant);
    start_turn(play, combatant);
}

/// Starts a new round if all have acted (AI-35, AI-35a).
pub(super) fn close_round(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let all_have_acted = encounter.waiting().next().is_none();
    if all_have_acted && encounter.active().next().is_some() {
        next_round(play);
    }
}

/// A combatant is next, and others may interrupt.
pub(super) fn open_window(fold: &mut Fold<'_, ActiveInitiative>, nominee: &CombatantId, way: Way) {
    ask_again(fold);
    fold.state().phase = Phase::Window {
        nominee: nominee.clone(),
        way,
    };
}

/// A combatant declines one turn: it is asked again once another one is next.
pub(super) fn ask_again(fold: &mut Fold<'_, ActiveInitiative>) {
    fold.change_states(|s| s.passed, |s| s.passed = false);
}

/// The turn of the nominee starts; without a window the combatant triggered the scene.
pub(super) fn turn_started(fold: &mut Fold<'_, ActiveInitiative>, combatant: &CombatantId) {
    fold.change_states(
        |s| s.hurt || s.interrupted || s.passed || s.own_die.is_some(),
        |s| {
            s.hurt = false;
            s.interrupted = false;
            s.passed = false;
            s.own_die = None;
        },
    );
    let state = fold.state();
    let in_turn = Phase::InTurn {
        actor: combatant.clone(),
    };
    let way = match std::mem::replace(&mut state.phase, in_turn) {
        Phase::Window { way, .. } => way,
        _ => Way::Opened {},
    };
    state.turns.retain(|taken| taken.combatant != *combatant);
    let taken = Taken {
        combatant: combatant.clone(),
        way,
    };
    state.turns.push(taken.into());
    state.begun = true;
    state.last_actor = Some(combatant.clone());
}

pub(super) fn round_started(fold: &mut Fold<'_, ActiveInitiative>) {
    let state = fold.state();
    state.interrupt_point_used = false;
    state.begun = false;
    state.turns.clear();
}
