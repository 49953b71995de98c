//! What events do to a scene of Active Initiative; no rules here.

use super::{
    ActiveInitiative, Encounter, Event, InitiativeRolled, Means, Phase, ReadiedAction, RolledOff,
    State, Taken, Way,
};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{
    Audience, CombatantId, Event as AnyEvent, Int, Redact, SharedEvent, Status,
};

pub(super) fn evolve(encounter: &mut Encounter, event: &AnyEvent<ActiveInitiative>) {
    match event {
        Own(Event::Rolled(e)) => {
            encounter.change_state(&e.combatant, |s| s.own_die = Some(e.die));
        }
        Own(Event::InitiativeRolled(e)) => open_with_best(encounter, e),
        Own(Event::RolledOff(e)) => note_roll_off(encounter, e),
        Own(Event::InterruptPointsGained(e)) => encounter.state.interrupt_points = Some(e.points),
        Own(Event::Nominated(e)) => {
            open_window(
                encounter,
                &e.combatant,
                Way::Nominated {
                    nominated_by: e.nominated_by.clone(),
                },
            );
        }
        Own(Event::Interrupted(e)) => {
            open_window(encounter, &e.combatant, Way::Interrupted { means: e.means });
            encounter.change_state(&e.combatant, |s| s.interrupted = true);
            if e.means == Means::InterruptPoint {
                spend_point(&mut encounter.state);
            }
        }
        Own(Event::Passed(e)) => encounter.change_state(&e.combatant, |s| s.passed = true),
        Own(Event::ChoiceOpened(e)) => {
            ask_again(encounter);
            encounter.state.phase = Phase::choice(e.starts_round);
        }
        Own(Event::Readied(e)) => {
            encounter.change_state(&e.combatant, |s| {
                s.readied = Some(ReadiedAction {
                    action: e.action.clone(),
                    trigger: e.trigger.clone(),
                });
            });
        }
        Own(Event::Triggered(e)) => encounter.change_state(&e.combatant, |s| s.readied = None),
        Own(Event::ReadyLapsed(e)) => encounter.change_state(&e.combatant, |s| s.readied = None),
        Own(Event::Inspired(e)) => hold(encounter, &e.combatant, e.inspiration),
        Own(Event::InspirationSpent(e)) => hold(encounter, &e.combatant, e.inspiration),
        Own(Event::InterruptPointsLost(_)) => encounter.state.interrupt_points = Some(0),
        Shared(SharedEvent::Damaged(e)) if e.amount > 0 && encounter.status == Status::Running => {
            encounter.change_state(&e.combatant, |s| s.hurt = true);
        }
        Shared(SharedEvent::RoundStarted(_)) => {
            encounter.state.interrupt_point_used = false;
            encounter.state.begun = false;
            encounter.state.turns.clear();
        }
        Shared(SharedEvent::Overridden(e)) => {
            open_window(encounter, &e.combatant, Way::Overridden {});
        }
        Shared(SharedEvent::TurnStarted(e)) => start_turn(encounter, &e.combatant),
        Shared(SharedEvent::CombatantLeft(e)) => forget(&mut encounter.state, &e.combatant),
        Shared(SharedEvent::EncounterEnded(_)) => encounter.state.phase = Phase::Over,
        Own(Event::Advised(_)) | Shared(_) | Roster(_) => {}
    }
}

fn open_window(encounter: &mut Encounter, nominee: &CombatantId, way: Way) {
    ask_again(encounter);
    encounter.state.phase = Phase::Window {
        nominee: nominee.clone(),
        way,
    };
}

/// A combatant declines one turn: it is asked again once another one is next.
fn ask_again(encounter: &mut Encounter) {
    encounter.change_states(|s| s.passed, |s| s.passed = false);
}

/// The best roll has the first turn.
fn open_with_best(encounter: &mut Encounter, e: &InitiativeRolled) {
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
    open_window(encounter, &best.combatant, way);
}

fn spend_point(state: &mut State) {
    if let Some(points) = &mut state.interrupt_points {
        *points = points.saturating_sub(1);
    }
    state.interrupt_point_used = true;
}

/// Adds the roll-off to the reason for which the best has the first turn.
fn note_roll_off(encounter: &mut Encounter, e: &RolledOff) {
    let Some((best, others)) = e.ranking.split_first() else {
        return;
    };
    let Phase::Window { way, .. } = &mut encounter.state.phase else {
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

fn hold(encounter: &mut Encounter, id: &CombatantId, inspiration: u32) {
    encounter.change(id, |c| {
        c.stats.inspiration = Int::clamped(inspiration.into());
    });
}

/// The turn of the nominee starts; without a window the combatant triggered the scene.
fn start_turn(encounter: &mut Encounter, combatant: &CombatantId) {
    encounter.change_states(
        |s| s.hurt || s.interrupted || s.passed || s.own_die.is_some(),
        |s| {
            s.hurt = false;
            s.interrupted = false;
            s.passed = false;
            s.own_die = None;
        },
    );
    let state = &mut encounter.state;
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
