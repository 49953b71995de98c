//! What the events of Active Initiative do to the state; no rules here.

use super::{CombatantState, Event, Means, Phase, Table, Taken, Way};
use crate::vocabulary::{CombatantId, Int};

pub(super) fn evolve(table: &mut Table, event: &Event) {
    match event {
        Event::Advised(_) | Event::OpeningRolled(_) => {}
        Event::InterruptPointsGained(e) => table.state.interrupt_points = Some(e.points),
        Event::Begun(e) => {
            close_window(table);
            table.state.turns.retain(|taken| taken.combatant != e.combatant);
            table.state.turns.push(Taken { combatant: e.combatant.clone(), by: e.by.clone() }.into());
            table.state.last_actor = Some(e.combatant.clone());
            table.state.phase = Phase::InTurn { actor: e.combatant.clone() };
        }
        Event::Named(e) => {
            let by = Way::Named { by: e.by.clone() };
            table.state.phase = Phase::Window { nominee: e.combatant.clone(), by };
        }
        Event::Interrupted(e) => {
            let by = Way::Interrupted { means: e.means };
            table.state.phase = Phase::Window { nominee: e.combatant.clone(), by };
            change_state(table, &e.combatant, |s| s.interrupted = true);
            if e.means == Means::InterruptPoint {
                table.state.interrupt_points = table.state.interrupt_points.map(|points| points.saturating_sub(1));
                table.state.interrupt_point_used = true;
            }
        }
        Event::ChoiceOpened(e) if e.starter => table.state.phase = Phase::ChooseStarter {},
        Event::ChoiceOpened(_) => table.state.phase = Phase::ChooseNext {},
        Event::AllowanceRenewed(_) => {
            table.state.interrupt_point_used = false;
            table.state.turns.clear();
        }
        Event::Exposed(e) => change_state(table, &e.combatant, |s| s.exposed = true),
        Event::ActionReadied(e) => change_state(table, &e.combatant, |s| s.readied = Some(e.readied.clone())),
        Event::ReadiedFired(e) => change_state(table, &e.combatant, |s| s.readied = None),
        Event::ReadiedLapsed(e) => change_state(table, &e.combatant, |s| s.readied = None),
        Event::Inspired(e) => hold(table, &e.combatant, e.held),
        Event::InspirationSpent(e) => hold(table, &e.combatant, e.held),
        Event::Forgotten(e) => _ = table.state.last_actor.take_if(|last| *last == e.combatant),
        Event::SceneClosed(_) => {
            table.state.interrupt_points = Some(0);
            table.state.phase = Phase::Over;
        }
    }
}

fn close_window(table: &mut Table) {
    for c in table.combatants.iter_mut().filter(|c| c.state.exposed || c.state.interrupted) {
        let state = &mut c.change().state;
        state.exposed = false;
        state.interrupted = false;
    }
}

fn change_state(table: &mut Table, id: &CombatantId, change: impl FnOnce(&mut CombatantState)) {
    if let Some(c) = table.get_mut(id) {
        change(&mut c.state);
    }
}

fn hold(table: &mut Table, id: &CombatantId, held: u32) {
    if let Some(c) = table.get_mut(id) {
        c.stats.inspiration = Int::clamped(held.into());
    }
}
