//! What events do to a scene of Active Initiative; no rules here.

use super::{ActiveInitiative, CombatantState, Event, Means, Phase, State, Table, Taken, Way};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{Audience, CombatantId, Event as AnyEvent, Int, Redact, SharedEvent};

pub(super) fn evolve(table: &mut Table, event: &AnyEvent<ActiveInitiative>) {
    match event {
        Own(Event::OwnDieGiven(e)) => {
            table.change_state(&e.combatant, |s| s.own_die = Some(e.roll));
        }
        Own(Event::OpeningRolled(e)) => {
            let Some((best, others)) = e.rolls.split_first() else {
                return;
            };
            let tied = others
                .iter()
                .filter(|roll| roll.total == best.total)
                .map(|roll| roll.combatant.clone());
            let by = Way::Rolled {
                die: best.die,
                total: best.total,
                tied: tied.collect(),
            };
            open_window(table, &best.combatant, by);
        }
        Own(Event::InterruptPointsGained(e)) => table.state.interrupt_points = Some(e.points),
        Own(Event::Named(e)) => open_window(table, &e.combatant, Way::Named { by: e.by.clone() }),
        Own(Event::Interrupted(e)) => {
            open_window(table, &e.combatant, Way::Interrupted { means: e.means });
            table.change_state(&e.combatant, |s| s.interrupted = true);
            if e.means == Means::InterruptPoint {
                table.state.interrupt_points = table
                    .state
                    .interrupt_points
                    .map(|points| points.saturating_sub(1));
                table.state.interrupt_point_used = true;
            }
        }
        Own(Event::ChoiceOpened(e)) => table.state.phase = Phase::choice(e.starter),
        Own(Event::Exposed(e)) => table.change_state(&e.combatant, |s| s.exposed = true),
        Own(Event::ActionReadied(e)) => {
            table.change_state(&e.combatant, |s| s.readied = Some(e.readied.clone()));
        }
        Own(Event::ReadiedFired(e)) => table.change_state(&e.combatant, |s| s.readied = None),
        Own(Event::ReadiedLapsed(e)) => table.change_state(&e.combatant, |s| s.readied = None),
        Own(Event::Inspired(e)) => hold(table, &e.combatant, e.held),
        Own(Event::InspirationSpent(e)) => hold(table, &e.combatant, e.held),
        Own(Event::SceneClosed(_)) => table.state.interrupt_points = Some(0),
        Shared(SharedEvent::RoundStarted(_)) => {
            table.state.interrupt_point_used = false;
            table.state.begun = false;
            table.state.turns.clear();
        }
        Shared(SharedEvent::Overridden(e)) => open_window(table, &e.combatant, Way::Overridden {}),
        Shared(SharedEvent::TurnStarted(e)) => start_turn(table, &e.combatant),
        Shared(SharedEvent::CombatantLeft(e)) => forget(&mut table.state, &e.combatant),
        Shared(SharedEvent::EncounterEnded(_)) => table.state.phase = Phase::Over,
        Own(Event::Advised(_)) | Shared(_) | Roster(_) => {}
    }
}

fn open_window(table: &mut Table, nominee: &CombatantId, by: Way) {
    table.state.phase = Phase::Window {
        nominee: nominee.clone(),
        by,
    };
}

fn hold(table: &mut Table, id: &CombatantId, inspiration: u32) {
    table.change(id, |c| {
        c.stats.inspiration = Int::clamped(inspiration.into());
    });
}

/// The turn of the nominee starts; without a window the combatant triggered the scene.
fn start_turn(table: &mut Table, combatant: &CombatantId) {
    let lasting = |s: &CombatantState| s.exposed || s.interrupted || s.own_die.is_some();
    table.change_states(lasting, |s| {
        (s.exposed, s.interrupted) = (false, false);
        s.own_die = None;
    });
    let state = &mut table.state;
    let by = match std::mem::replace(
        &mut state.phase,
        Phase::InTurn {
            actor: combatant.clone(),
        },
    ) {
        Phase::Window { by, .. } => by,
        _ => Way::Opened {},
    };
    state.turns.retain(|taken| taken.combatant != *combatant);
    state.turns.push(Taken {
        combatant: combatant.clone(),
        by,
    });
    state.begun = true;
    state.last_actor = Some(combatant.clone());
}

/// Removes the name of a combatant that has left. A turn that it has goes on until it is ended.
fn forget(state: &mut State, left: &CombatantId) {
    let others = Audience::all_but(left);
    state.last_actor.take_if(|last| last == left);
    state.turns = state.turns.redact(&others).unwrap_or_default();
    if let Phase::Window { by, .. } = &mut state.phase {
        *by = by.redact(&others).unwrap_or(Way::Overridden {});
    }
}
