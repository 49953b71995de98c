//! What events do to a scene of Active Initiative; no rules here.

use super::{
    ActiveInitiative, Event, InitiativeRolled, Means, Phase, ReadiedAction, RolledOff, State,
    Taken, Way,
};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{Audience, CombatantId, Event as AnyEvent, Fold, Int, Redact, SharedEvent};

pub(super) fn evolve(fold: &mut Fold<'_, ActiveInitiative>, event: &AnyEvent<ActiveInitiative>) {
    match event {
        Own(Event::Rolled(e)) => {
            fold.change_state(&e.combatant, |s| s.own_die = Some(e.die));
        }
        Own(Event::InitiativeRolled(e)) => open_with_best(fold, e),
        Own(Event::RolledOff(e)) => note_roll_off(fold, e),
        Own(Event::InterruptPointsGained(e)) => fold.state().interrupt_points = Some(e.points),
        Own(Event::Nominated(e)) => {
            open_window(
                fold,
                &e.combatant,
                Way::Nominated {
                    nominated_by: e.nominated_by.clone(),
                },
            );
        }
        Own(Event::Interrupted(e)) => {
            open_window(fold, &e.combatant, Way::Interrupted { means: e.means });
            fold.change_state(&e.combatant, |s| s.interrupted = true);
            if e.means == Means::InterruptPoint {
                spend_point(fold.state());
            }
        }
        Own(Event::Passed(e)) => fold.change_state(&e.combatant, |s| s.passed = true),
        Own(Event::ChoiceOpened(e)) => {
            ask_again(fold);
            fold.state().phase = Phase::choice(e.starts_round);
        }
        Own(Event::Readied(e)) => {
            fold.change_state(&e.combatant, |s| {
                s.readied = Some(ReadiedAction {
                    action: e.action.clone(),
                    trigger: e.trigger.clone(),
                });
            });
        }
        Own(Event::Triggered(e)) => fold.change_state(&e.combatant, |s| s.readied = None),
        Own(Event::ReadyLapsed(e)) => fold.change_state(&e.combatant, |s| s.readied = None),
        Own(Event::Inspired(e)) => hold(fold, &e.combatant, e.inspiration),
        Own(Event::InspirationSpent(e)) => hold(fold, &e.combatant, e.inspiration),
        Own(Event::InterruptPointsLost(_)) => fold.state().interrupt_points = Some(0),
        // Damage before the fight lets nobody interrupt.
        Shared(SharedEvent::EncounterStarted(_)) => {
            fold.change_states(|s| s.hurt, |s| s.hurt = false);
        }
        Shared(SharedEvent::Damaged(e)) if e.amount > 0 => {
            fold.change_state(&e.combatant, |s| s.hurt = true);
        }
        Shared(SharedEvent::RoundStarted(_)) => {
            fold.state().interrupt_point_used = false;
            fold.state().begun = false;
            fold.state().turns.clear();
        }
        Shared(SharedEvent::Overridden(e)) => {
            open_window(fold, &e.combatant, Way::Overridden {});
        }
        Shared(SharedEvent::TurnStarted(e)) => start_turn(fold, &e.combatant),
        Shared(SharedEvent::CombatantLeft(e)) => forget(fold.state(), &e.combatant),
        Shared(SharedEvent::EncounterEnded(_)) => fold.state().phase = Phase::Over,
        Own(Event::Advised(_)) | Shared(_) | Roster(_) => {}
    }
}

fn open_window(fold: &mut Fold<'_, ActiveInitiative>, nominee: &CombatantId, way: Way) {
    ask_again(fold);
    fold.state().phase = Phase::Window {
        nominee: nominee.clone(),
        way,
    };
}

/// A combatant declines one turn: it is asked again once another one is next.
fn ask_again(fold: &mut Fold<'_, ActiveInitiative>) {
    fold.change_states(|s| s.passed, |s| s.passed = false);
}

/// The best roll has the first turn.
fn open_with_best(fold: &mut Fold<'_, ActiveInitiative>, e: &InitiativeRolled) {
    let Some((best, others)) = e.ranking.split_first() else {
        return;
    };
    let mut tied = Vec::new();
    for other in others {
        if other.total == best.total {
            tied.push(other.combatant.clone());
        }
    }
    let way = Way::Rolled {
        die: best.die,
        total: best.total,
        tied,
        roll_off: None,
        rolled_off: Vec::new(),
    };
    open_window(fold, &best.combatant, way);
}

fn spend_point(state: &mut State) {
    if let Some(points) = &mut state.interrupt_points {
        *points = points.saturating_sub(1);
    }
    state.interrupt_point_used = true;
}

/// Adds the roll-off to the reason for which the best has the first turn.
fn note_roll_off(fold: &mut Fold<'_, ActiveInitiative>, e: &RolledOff) {
    let Some((best, others)) = e.ranking.split_first() else {
        return;
    };
    let Phase::Window { way, .. } = &mut fold.state().phase else {
        return;
    };
    if let Way::Rolled {
        roll_off,
        rolled_off,
        ..
    } = way
    {
        *roll_off = Some(best.die);
        *rolled_off = others.iter().map(|roll| roll.combatant.clone()).collect();
    }
}

fn hold(fold: &mut Fold<'_, ActiveInitiative>, id: &CombatantId, inspiration: u32) {
    fold.change(id, |c| {
        c.stats.inspiration = Int::clamped(inspiration.into());
    });
}

/// The turn of the nominee starts; without a window the combatant triggered the scene.
fn start_turn(fold: &mut Fold<'_, ActiveInitiative>, combatant: &CombatantId) {
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

/// Removes the name of a combatant that has left. Its turn stays in progress until it is ended.
fn forget(state: &mut State, left: &CombatantId) {
    let others = Audience::all_but(left);
    state.last_actor.take_if(|last| last == left);
    state.turns = state.turns.redact(&others).unwrap_or_default();
    if let Phase::Window { way, .. } = &mut state.phase {
        *way = way.redact(&others).unwrap_or(Way::Overridden {});
    }
}
