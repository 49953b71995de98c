//! What events do to the state of EXP.

use super::{
    AnyEvent, CombatantState, Component, Event, Exp, InitiativeRoll, JumpAnnounced, OwnRoll, Phase,
    Spending, State, Use,
};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{CombatantId, Fold, SharedEvent};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(super) fn evolve(fold: &mut Fold<'_, Exp>, event: &AnyEvent<Exp>) {
    match event {
        Own(Event::Rolled(e)) => {
            let own_roll = OwnRoll {
                die: e.die,
                tie_dice: e.tie_dice.clone(),
            };
            fold.change_state(&e.combatant, |state| state.own_roll = Some(own_roll));
        }
        Own(Event::InitiativeRolled(e)) => roll(fold, &e.ranking),
        Own(Event::PassStarted(e)) => {
            fold.state().pass = e.pass;
            fold.state().cursor = 0;
        }
        Own(Event::Asked(e)) => {
            for id in &e.combatants {
                fold.change_state(id, |state| state.asked = true);
            }
            let state = fold.state();
            state.cursor = e.rank;
            state.asked.clone_from(&e.combatants);
            state.announced = None;
            forget_answers(state);
        }
        Own(Event::Announced(e)) => {
            fold.state().announced = Some(e.clone());
            fold.state().kept.clear();
        }
        Own(Event::Declared(e)) => {
            fold.change_state(&e.combatant, |state| {
                if let Some(what) = e.movement {
                    state.move_status = spending(what);
                }
                if let Some(what) = e.act {
                    state.act_status = spending(what);
                }
            });
            answered(fold.state(), &e.combatant);
            forget_answers(fold.state());
        }
        Own(Event::JumpAnnounced(e)) => {
            let asked_anew: HashSet<&CombatantId> = e.asked_anew.iter().collect();
            let state = fold.state();
            state.kept.retain(|id| !asked_anew.contains(id));
            state.jumps.push(JumpAnnounced {
                asked_anew: Vec::new(),
                ..e.clone()
            });
        }
        Own(Event::Jumped(e)) => {
            let jumps = &mut fold.state().jumps;
            jumps.retain(|jump| jump.combatant != e.combatant);
            if e.success {
                set_all(fold, &e.combatant, &e.components, Spending::Done);
                fold.state().kept.extend_from_slice(&e.passed_over);
            } else {
                fold.state().failed.push(e.combatant.clone());
            }
        }
        Own(Event::Passed(e)) if e.duel => fold.state().duel.clear(),
        Own(Event::Passed(e)) => {
            fold.state().kept.push(e.combatant.clone());
            fold.change_state(&e.combatant, |state| state.keeps_waiting |= e.standing);
        }
        Own(Event::AskedAgain(e)) => {
            fold.change_state(&e.combatant, |state| state.keeps_waiting = false);
        }
        Own(Event::MentalDuelRolled(e)) => {
            fold.state().duel = e.ranking.iter().map(|roll| roll.id.clone()).collect();
        }
        Own(Event::MentalAttacked(e)) => {
            if e.spends_act {
                fold.change_state(&e.combatant, |state| state.act_status = Spending::Done);
                spent(fold.state(), &e.combatant);
            } else {
                fold.change_state(&e.combatant, |state| state.mental = true);
                let duel = &mut fold.state().duel;
                duel.retain(|duellist| *duellist != e.combatant);
            }
        }
        Own(Event::ComponentsLost(e)) => {
            set_all(fold, &e.combatant, &e.components, Spending::Lost);
            spent(fold.state(), &e.combatant);
        }
        Own(Event::ComponentsRegained(e)) => fold.change(&e.combatant, |c| {
            c.state.move_status = Spending::Pending;
            c.state.act_status = Spending::Pending;
            c.state.asked = false;
            c.acted = false;
        }),
        Own(Event::DuelEnded(_)) => fold.state().duel.clear(),
        Shared(SharedEvent::CombatantLeft(e)) => forget(fold, &e.combatant),
        Shared(SharedEvent::TurnEnded(e)) => answered(fold.state(), &e.combatant),
        Shared(SharedEvent::RoundEnded(_)) => {
            let over = std::mem::take(fold.state());
            *fold.state() = State {
                phase: Phase::Roll,
                pass: over.pass,
                cursor: over.cursor,
                ranking: over.ranking,
                ..State::default()
            };
        }
        Shared(_) | Roster(_) => {}
    }
}

/// What a declared use makes of a component.
fn spending(what: Use) -> Spending {
    match what {
        Use::Wait => Spending::Waited,
        Use::Now | Use::Nothing => Spending::Done,
    }
}

fn set_all(
    fold: &mut Fold<'_, Exp>,
    id: &CombatantId,
    components: &[Component],
    spending: Spending,
) {
    fold.change_state(id, |state| {
        for component in components {
            state.set(*component, spending);
        }
    });
}

/// Gives both components to all in the list, and nothing to the others.
fn roll(fold: &mut Fold<'_, Exp>, ranking: &[InitiativeRoll]) {
    let mut ranks: HashMap<&CombatantId, u32> = HashMap::new();
    for (rank, roll) in (1..).zip(ranking) {
        for id in &roll.combatants {
            ranks.insert(id, rank);
        }
    }
    fold.change_each(|id, state| {
        let rank = ranks.get(id).copied();
        let left = if rank.is_some() {
            Spending::Pending
        } else {
            Spending::Lost
        };
        let keeps_waiting = state.keeps_waiting;
        *state = CombatantState {
            rank,
            move_status: left,
            act_status: left,
            keeps_waiting,
            ..CombatantState::default()
        };
    });
    *fold.state() = State {
        phase: Phase::Pass,
        pass: 1,
        ranking: Arc::new(ranking.to_vec()),
        ..State::default()
    };
}

/// Another act is next.
fn forget_answers(state: &mut State) {
    state.jumps.clear();
    state.failed.clear();
    state.kept.clear();
}

/// A component was used or lost outside the list, so an announcement no longer holds.
fn spent(state: &mut State, id: &CombatantId) {
    state.duel.retain(|duellist| duellist != id);
    state.jumps.retain(|jump| jump.combatant != *id);
    state
        .announced
        .take_if(|announced| announced.combatant == *id);
}

/// Removes the name of a persona that has left from the list, and from what it did about the
/// announced act. Whether it is asked or in a duel, the rules end.
fn forget(fold: &mut Fold<'_, Exp>, left: &CombatantId) {
    let state = fold.state();
    state.jumps.retain(|jump| jump.combatant != *left);
    state.failed.retain(|id| id != left);
    state.kept.retain(|id| id != left);
    let ranking = Arc::make_mut(&mut state.ranking);
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
    // All below move up.
    ranking.remove(at);
    let above = u32::try_from(at).unwrap_or(u32::MAX);
    if state.cursor > above {
        state.cursor -= 1;
    }
    fold.change_states(
        |s| s.rank > Some(above),
        |s| s.rank = s.rank.map(|rank| rank - 1),
    );
}

fn answered(state: &mut State, id: &CombatantId) {
    state.asked.retain(|asked| asked != id);
    state
        .announced
        .take_if(|announced| announced.combatant == *id);
}
