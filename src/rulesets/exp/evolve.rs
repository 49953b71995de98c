//! What events do to the state of EXP.

use super::{
    AnyEvent, CombatantState, Component, Encounter, Event, Exp, InitiativeRoll, JumpAnnounced,
    MentalAttackUses, OwnRoll, Phase, Spending, State, Use,
};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{CombatantId, SharedEvent};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(super) fn evolve(encounter: &mut Encounter, event: &AnyEvent<Exp>) {
    match event {
        Own(Event::Rolled(e)) => {
            let own_roll = OwnRoll {
                die: e.die,
                tie_dice: e.tie_dice.clone(),
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
            forget_answers(state);
        }
        Own(Event::Announced(e)) => {
            encounter.state.announced = Some(e.clone());
            encounter.state.kept.clear();
        }
        Own(Event::Declared(e)) => {
            encounter.change_state(&e.combatant, |state| {
                if let Some(what) = e.movement {
                    state.move_status = spending(what);
                }
                if let Some(what) = e.act {
                    state.act_status = spending(what);
                }
            });
            answered(&mut encounter.state, &e.combatant);
            forget_answers(&mut encounter.state);
        }
        Own(Event::JumpAnnounced(e)) => announce_jump(encounter, e),
        Own(Event::Jumped(e)) => {
            let jumps = &mut encounter.state.jumps;
            jumps.retain(|jump| jump.combatant != e.combatant);
            if e.success {
                set_all(encounter, &e.combatant, &e.components, Spending::Done);
                pass_over_hidden(encounter, &e.combatant);
            } else {
                encounter.state.failed.push(e.combatant.clone());
            }
        }
        Own(Event::Passed(e)) if e.duel => encounter.state.duel.clear(),
        Own(Event::Passed(e)) => {
            encounter.state.kept.push(e.combatant.clone());
            encounter.change_state(&e.combatant, |state| state.keeps_waiting |= e.standing);
        }
        Own(Event::AskedAgain(e)) => {
            encounter.change_state(&e.combatant, |state| state.keeps_waiting = false);
        }
        Own(Event::MentalDuelRolled(e)) => {
            encounter.state.duel = e.ranking.iter().map(|roll| roll.id.clone()).collect();
        }
        Own(Event::MentalAttacked(e)) => {
            if encounter.options.mental_attack_uses == MentalAttackUses::Nothing {
                encounter.change_state(&e.combatant, |state| state.mental = true);
                encounter
                    .state
                    .duel
                    .retain(|duellist| *duellist != e.combatant);
            } else {
                encounter.change_state(&e.combatant, |state| state.act_status = Spending::Done);
                spent(&mut encounter.state, &e.combatant);
            }
        }
        Own(Event::ComponentsLost(e)) => {
            set_all(encounter, &e.combatant, &e.components, Spending::Lost);
            spent(&mut encounter.state, &e.combatant);
        }
        Own(Event::DuelEnded(_)) => encounter.state.duel.clear(),
        Shared(SharedEvent::CombatantLeft(e)) => forget(encounter, &e.combatant),
        Shared(SharedEvent::TurnEnded(e)) => answered(&mut encounter.state, &e.combatant),
        Shared(SharedEvent::RoundEnded(_)) => {
            let over = std::mem::take(&mut encounter.state);
            encounter.state = State {
                phase: Phase::Roll,
                pass: over.pass,
                cursor: over.cursor,
                ranking: over.ranking,
                ..State::default()
            };
        }
        // A persona with nothing left gets both components again.
        Shared(SharedEvent::Overridden(e)) => {
            if let Some(c) = encounter.get_mut(&e.combatant)
                && !c.state.open()
            {
                c.state.move_status = Spending::Pending;
                c.state.act_status = Spending::Pending;
                c.state.asked = false;
                c.acted = false;
            }
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
    encounter: &mut Encounter,
    id: &CombatantId,
    components: &[Component],
    spending: Spending,
) {
    encounter.change_state(id, |state| {
        for component in components {
            state.set(*component, spending);
        }
    });
}

/// Gives both components to all in the list, and nothing to the others.
fn roll(encounter: &mut Encounter, ranking: &[InitiativeRoll]) {
    let mut ranks: HashMap<&CombatantId, u32> = HashMap::new();
    for (rank, roll) in (1..).zip(ranking) {
        for id in &roll.combatants {
            ranks.insert(id, rank);
        }
    }
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
            move_status: left,
            act_status: left,
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

/// The hidden personas above a visible one that has jumped are asked no more about the act behind
/// it, as players would see that they are asked.
fn pass_over_hidden(encounter: &mut Encounter, jumper: &CombatantId) {
    let Some(jumper) = encounter.get(jumper).filter(|c| !c.hidden) else {
        return;
    };
    let rank = jumper.state.rank;
    let mut passed = Vec::new();
    for c in encounter.iter() {
        if c.hidden && c.state.rank < rank && !encounter.state.kept.contains(&c.id) {
            passed.push(c.id.clone());
        }
    }
    encounter.state.kept.extend(passed);
}

/// The next act is a jump: the visible personas above it that passed are asked anew.
fn announce_jump(encounter: &mut Encounter, jump: &JumpAnnounced) {
    let rank = encounter
        .get(&jump.combatant)
        .and_then(|jumper| jumper.state.rank);
    let mut asked_anew = HashSet::new();
    for c in encounter.iter() {
        if c.state.rank < rank && !c.hidden {
            asked_anew.insert(c.id.clone());
        }
    }
    let state = &mut encounter.state;
    state.kept.retain(|id| !asked_anew.contains(id));
    state.jumps.push(jump.clone());
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
fn forget(encounter: &mut Encounter, left: &CombatantId) {
    let state = &mut encounter.state;
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
    encounter.change_states(
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
