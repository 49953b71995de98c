//! What events do to the state of EXP.

use super::*;
use crate::vocabulary::SharedEvent;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn evolve(table: &mut Table, event: &AnyEvent<Exp>) {
    match event {
        AnyEvent::Own(event) => own(table, event),
        AnyEvent::Shared(SharedEvent::TurnEnded(e)) => answered(&mut table.state, &e.combatant),
        AnyEvent::Shared(SharedEvent::RoundEnded(_)) => {
            let state = &mut table.state;
            state.phase = Phase::Roll;
            state.asked.clear();
            state.duel.clear();
            state.jumps.clear();
            state.announced = None;
        }
        // A persona with nothing left gets both components again.
        AnyEvent::Shared(SharedEvent::Overridden(e)) => {
            if let Some(c) = table.get_mut(&e.combatant).filter(|c| !c.state.open()) {
                c.state = CombatantState { rank: c.state.rank, ..CombatantState::default() };
                c.acted = false;
            }
        }
        AnyEvent::Shared(_) | AnyEvent::Roster(_) => {}
    }
}

fn own(table: &mut Table, event: &Event) {
    match event {
        Event::InitiativeRolled(e) => roll(table, &e.ranking),
        Event::PassStarted(e) => {
            table.state.pass = e.pass;
            table.state.cursor = 0;
        }
        Event::Asked(e) => {
            for id in &e.combatants {
                table.change_state(id, |state| state.asked = true);
            }
            let state = &mut table.state;
            state.cursor = e.rank;
            state.asked.clone_from(&e.combatants);
            state.announced = None;
            state.jumps.clear();
        }
        Event::Announced(e) => table.state.announced = Some(e.clone()),
        Event::Declared(e) => {
            for (component, what) in [(Component::Move, e.movement), (Component::Act, e.act)] {
                let spending = match what {
                    Some(Use::Now | Use::Nothing) => Spending::Done,
                    Some(Use::Wait) => Spending::Waited,
                    None => continue,
                };
                table.change_state(&e.combatant, |state| state.set(component, spending));
            }
            answered(&mut table.state, &e.combatant);
            table.state.jumps.clear();
        }
        Event::WaitJumped(e) => {
            if e.success {
                table.change_state(&e.combatant, |state| state.set(e.component, Spending::Done));
            }
            table.state.jumps.push(Jumper { combatant: e.combatant.clone(), success: e.success });
        }
        Event::MentalDuelRolled(e) => table.state.duel = e.duel.iter().map(|roll| roll.id.clone()).collect(),
        Event::MentalAttacked(e) => {
            table.change_state(&e.combatant, |state| state.act = Spending::Done);
            spent(table, &e.combatant);
        }
        Event::ComponentsLost(e) => {
            for component in &e.components {
                table.change_state(&e.combatant, |state| state.set(*component, Spending::Lost));
            }
            spent(table, &e.combatant);
        }
        Event::DuelBrokenOff(e) => table.state.duel.retain(|id| *id != e.combatant),
        Event::Older(_) => {}
    }
}

/// Gives both components to everybody in the list, and nothing to the others.
fn roll(table: &mut Table, ranking: &[Roll]) {
    let places = (1..).zip(ranking).flat_map(|(rank, roll)| roll.combatants.iter().map(move |id| (id, rank)));
    let ranks: HashMap<&CombatantId, u32> = places.collect();
    for combatant in &mut table.combatants {
        let rank = ranks.get(&combatant.id).copied();
        let left = if rank.is_some() { Spending::Pending } else { Spending::Lost };
        combatant.change().state = CombatantState { rank, movement: left, act: left, asked: false };
    }
    table.state = State { phase: Phase::Pass, pass: 1, ranking: Arc::new(ranking.to_vec()), ..State::default() };
}

/// An attack was used or lost outside the list, so an announcement no longer holds.
fn spent(table: &mut Table, id: &CombatantId) {
    let open = table.get(id).is_some_and(|c| c.state.open());
    let state = &mut table.state;
    state.duel.retain(|duellist| duellist != id);
    state.announced.take_if(|announced| announced.combatant == *id);
    if !open {
        state.asked.retain(|asked| asked != id);
    }
}

fn answered(state: &mut State, id: &CombatantId) {
    state.asked.retain(|asked| asked != id);
    state.announced.take_if(|announced| announced.combatant == *id);
}
