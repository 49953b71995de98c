//! What events do to the state of EXP.

use super::*;
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::SharedEvent;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn evolve(encounter: &mut Encounter, event: &AnyEvent<Exp>) {
    match event {
        Own(Event::OwnRollGiven(e)) => {
            let own_roll = OwnRoll {
                roll: e.roll,
                tie_rolls: e.tie_rolls.clone(),
            };
            encounter.change_state(&e.combatant, |state| state.own_roll = Some(own_roll));
        }
        Own(Event::InitiativeRolled(e)) => roll(encounter, &e.ranking),
        Own(Event::PassStarted(e)) => {
            encounter.state.pass = e.pass;
            encounter.state.cursor = 0;
        }
        Own(Event::Asked(e)) => {
            for id in &e.combatants {
                encounter.change_state(id, |state| state.asked = true);
            }
            let state = &mut encounter.state;
            state.cursor = e.rank;
            state.asked.clone_from(&e.combatants);
            state.announced = None;
            state.jumps.clear();
            state.kept.clear();
        }
        Own(Event::Announced(e)) => {
            encounter.state.announced = Some(e.clone());
            encounter.state.kept.clear();
        }
        Own(Event::Declared(e)) => {
            for (component, what) in [(Component::Move, e.movement), (Component::Act, e.act)] {
                let Some(what) = what else { continue };
                let spending = if what == Use::Wait {
                    Spending::Waited
                } else {
                    Spending::Done
                };
                encounter.change_state(&e.combatant, |state| state.set(component, spending));
            }
            answered(&mut encounter.state, &e.combatant);
            encounter.state.jumps.clear();
            encounter.state.kept.clear();
        }
        Own(Event::WaitJumped(e)) => {
            for component in e.components.iter().filter(|_| e.success) {
                encounter.change_state(&e.combatant, |state| state.set(*component, Spending::Done));
            }
            encounter.state.jumps.push(Jumper {
                combatant: e.combatant.clone(),
                success: e.success,
            });
        }
        Own(Event::KeptWaiting(e)) => {
            encounter.state.kept.push(e.combatant.clone());
            encounter.change_state(&e.combatant, |state| state.keeps_waiting |= e.standing);
        }
        Own(Event::AskedAgain(e)) => {
            encounter.change_state(&e.combatant, |state| state.keeps_waiting = false);
        }
        Own(Event::MentalDuelRolled(e)) => {
            encounter.state.duel = e.duel.iter().map(|roll| roll.id.clone()).collect();
        }
        Own(Event::MentalAttacked(e)) => {
            if encounter.options.mental_attack_uses == MentalAttackUses::Nothing {
                encounter.change_state(&e.combatant, |state| state.mental = true);
                encounter
                    .state
                    .duel
                    .retain(|duellist| *duellist != e.combatant);
            } else {
                encounter.change_state(&e.combatant, |state| state.act = Spending::Done);
                spent(&mut encounter.state, &e.combatant);
            }
        }
        Own(Event::ComponentsLost(e)) => {
            for component in &e.components {
                encounter.change_state(&e.combatant, |state| state.set(*component, Spending::Lost));
            }
            spent(&mut encounter.state, &e.combatant);
        }
        Own(Event::DuelBrokenOff(e)) => encounter.state.duel.retain(|id| *id != e.combatant),
        Shared(SharedEvent::CombatantLeft(e)) => forget(encounter, &e.combatant),
        Shared(SharedEvent::TurnEnded(e)) => answered(&mut encounter.state, &e.combatant),
        Shared(SharedEvent::RoundEnded(_)) => {
            let State {
                pass,
                cursor,
                ranking,
                ..
            } = std::mem::take(&mut encounter.state);
            encounter.state = State {
                phase: Phase::Roll,
                pass,
                cursor,
                ranking,
                ..State::default()
            };
        }
        // A persona with nothing left gets both components again.
        Shared(SharedEvent::Overridden(e)) => {
            if let Some(c) = encounter.get_mut(&e.combatant).filter(|c| !c.state.open()) {
                (c.state.movement, c.state.act) = (Spending::Pending, Spending::Pending);
                c.state.asked = false;
                c.acted = false;
            }
        }
        Shared(_) | Roster(_) => {}
    }
}

/// Gives both components to everybody in the list, and nothing to the others.
fn roll(encounter: &mut Encounter, ranking: &[Roll]) {
    let places = (1..)
        .zip(ranking)
        .flat_map(|(rank, roll)| roll.combatants.iter().map(move |id| (id, rank)));
    let ranks: HashMap<&CombatantId, u32> = places.collect();
    for combatant in encounter.combatants.iter_mut() {
        let rank = ranks.get(&combatant.id).copied();
        let left = if rank.is_some() {
            Spending::Pending
        } else {
            Spending::Lost
        };
        let state = &mut combatant.change().state;
        let keeps_waiting = state.keeps_waiting;
        *state = CombatantState {
            rank,
            movement: left,
            act: left,
            keeps_waiting,
            ..CombatantState::default()
        };
    }
    encounter.state = State {
        phase: Phase::Pass,
        pass: 1,
        ranking: Arc::new(ranking.to_vec()),
        ..State::default()
    };
}

/// An attack was used or lost outside the list, so an announcement no longer holds.
fn spent(state: &mut State, id: &CombatantId) {
    state.duel.retain(|duellist| duellist != id);
    state
        .announced
        .take_if(|announced| announced.combatant == *id);
}

/// Removes the name of a persona that has left from the list, and from what it did about the
/// announced act. Whether it is asked or in a duel, the rules end.
fn forget(encounter: &mut Encounter, left: &CombatantId) {
    let State {
        jumps,
        kept,
        ranking,
        cursor,
        ..
    } = &mut encounter.state;
    jumps.retain(|jump| jump.combatant != *left);
    kept.retain(|id| id != left);
    let ranking = Arc::make_mut(ranking);
    let Some(at) = ranking
        .iter()
        .position(|roll| roll.combatants.contains(left))
    else {
        return;
    };
    let Some(roll) = ranking.get_mut(at) else {
        return;
    };
    roll.combatants.retain(|id| id != left);
    if !roll.combatants.is_empty() {
        return;
    }
    // Everybody below moves up.
    ranking.remove(at);
    let above = u32::try_from(at).unwrap_or(u32::MAX);
    if *cursor > above {
        *cursor = cursor.saturating_sub(1);
    }
    let below = |s: &CombatantState| s.rank > Some(above);
    encounter.change_states(below, |s| {
        s.rank = s.rank.map(|rank| rank.saturating_sub(1));
    });
}

fn answered(state: &mut State, id: &CombatantId) {
    state.asked.retain(|asked| asked != id);
    state
        .announced
        .take_if(|announced| announced.combatant == *id);
}
