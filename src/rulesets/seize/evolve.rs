//! What events do to a fight under Seize the initiative; no rules here.

use super::{Encounter, Event, Meaning, Phase, Seize, Seized, Seizer, State, Taken, Way};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{Audience, CombatantId, Event as AnyEvent, Redact, SharedEvent};

pub(super) fn evolve(encounter: &mut Encounter, event: &AnyEvent<Seize>) {
    match event {
        Own(Event::OwnDieGiven(e)) => {
            encounter.change_state(&e.combatant, |s| s.own_die = Some(e.roll));
        }
        Own(Event::InitiativeRolled(e)) => {
            encounter.change_states(|s| s.own_die.is_some(), |s| s.own_die = None);
            for roll in e.rolls.iter().filter(|roll| roll.meaning != Meaning::Plain) {
                for id in roll.combatants.iter() {
                    encounter.change_state(id, |s| {
                        s.extra_action = roll.meaning == Meaning::Twenty;
                        s.skips_round_1 = roll.meaning == Meaning::One;
                    });
                }
            }
        }
        Own(Event::Picked(e)) => give_turn(&mut encounter.state, &e.combatant, e.by.clone()),
        Own(Event::ExtraActionSpent(e)) => {
            encounter.change_state(&e.combatant, |s| s.extra_action = false);
        }
        Own(Event::ExtraActionLapsed(e)) => {
            encounter.change_state(&e.combatant, |s| s.extra_action = false);
        }
        Own(Event::Hurt(e)) => encounter.change_state(&e.combatant, |s| s.hurt = true),
        Own(Event::SeizingOpened(_)) => {
            encounter.state.windows = encounter.state.windows.saturating_add(1);
            encounter.state.phase = Phase::SeizeDecision {};
        }
        Own(Event::Seized(e)) => {
            encounter.change_state(&e.combatant, |s| s.hurt = false);
            queue_up(&mut encounter.state, e);
        }
        Own(Event::Declined(e)) => encounter.change_state(&e.combatant, |s| s.hurt = false),
        Own(Event::SeizerDropped(e)) => encounter
            .state
            .queue
            .retain(|seizer| seizer.combatant != e.combatant),
        Own(Event::ChoiceOpened(e)) => {
            forget_losses(encounter);
            if e.starter {
                encounter.state.turns.clear();
            }
            encounter.state.phase = Phase::choice(e.starter);
        }
        Shared(SharedEvent::TurnStarted(e)) => start_turn(encounter, &e.combatant),
        Shared(SharedEvent::Overridden(e)) => encounter
            .state
            .turns
            .retain(|taken| taken.combatant != e.combatant),
        Shared(SharedEvent::CombatantLeft(e)) => forget(&mut encounter.state, &e.combatant),
        Shared(SharedEvent::EncounterEnded(_)) => encounter.state.phase = Phase::Over,
        Own(Event::RolledOff(_) | Event::ExtraActionGranted(_)) | Shared(_) | Roster(_) => {}
    }
}

/// Puts a seizer into the queue, and names the others with the same bonus in the same window.
fn queue_up(state: &mut State, e: &Seized) {
    let window = state.windows;
    let mut tied = Vec::new();
    for other in &mut state.queue {
        if other.window == window && other.bonus == e.bonus {
            other.tied.push(e.combatant.clone());
            tied.push(other.combatant.clone());
        }
    }
    let after = usize::try_from(e.after).unwrap_or(usize::MAX);
    let seizer = Seizer {
        combatant: e.combatant.clone(),
        bonus: e.bonus,
        window,
        tied,
    };
    state.queue.insert(after.min(state.queue.len()), seizer);
}

fn give_turn(state: &mut State, combatant: &CombatantId, by: Way) {
    state.turns.retain(|taken| taken.combatant != *combatant);
    state.turns.push(Taken {
        combatant: combatant.clone(),
        by,
    });
}

/// The turn of the picked combatant starts, else that of the first who has seized one, else one
/// that the game master set.
fn start_turn(encounter: &mut Encounter, combatant: &CombatantId) {
    forget_losses(encounter);
    let state = &mut encounter.state;
    let picked = state
        .turns
        .last()
        .is_some_and(|taken| taken.combatant == *combatant);
    if !picked {
        let by = match state.queue.first() {
            Some(seizer) if seizer.combatant == *combatant => seizer.way(),
            _ => Way::Overridden {},
        };
        give_turn(state, combatant, by);
    }
    state.queue.retain(|seizer| seizer.combatant != *combatant);
    state.last_actor = Some(combatant.clone());
    state.phase = Phase::InTurn {
        actor: combatant.clone(),
    };
}

/// Removes the name of a combatant that has left. A turn that it has goes on until it is ended.
fn forget(state: &mut State, left: &CombatantId) {
    let others = Audience::all_but(left);
    state.queue = state.queue.redact(&others).unwrap_or_default();
    state.turns = state.turns.redact(&others).unwrap_or_default();
    state.last_actor.take_if(|last| last == left);
}

/// Losses of hit points before a turn let nobody seize after it.
fn forget_losses(encounter: &mut Encounter) {
    encounter.change_states(|s| s.hurt, |s| s.hurt = false);
}
