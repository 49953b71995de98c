//! What events do to a fight under Seize the initiative; no rules here.

use super::{
    Equal, Event, InitiativeRolled, Meaning, Phase, RolledOff, Seize, Seized, Seizer, State, Taken,
    Way,
};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{Audience, CombatantId, Event as AnyEvent, Fold, Redact, SharedEvent};

pub(super) fn evolve(fold: &mut Fold<'_, Seize>, event: &AnyEvent<Seize>) {
    match event {
        Own(Event::Rolled(e)) => {
            fold.change_state(&e.combatant, |s| s.own_die = Some(e.die));
        }
        Own(Event::InitiativeRolled(e)) => {
            fold.change_states(|s| s.own_die.is_some(), |s| s.own_die = None);
            open_with_best(fold.state(), e);
            for roll in e
                .ranking
                .iter()
                .filter(|roll| roll.meaning != Meaning::Plain)
            {
                for id in roll.combatants.iter() {
                    fold.change_state(id, |s| {
                        s.extra_action = roll.meaning == Meaning::Twenty;
                        s.skips_round_1 = roll.meaning == Meaning::One;
                    });
                }
            }
        }
        Own(Event::RolledOff(e)) => note_roll_off(fold.state(), e),
        Own(Event::Nominated(e)) => {
            let nominated_by = e.nominated_by.clone();
            let way = Way::Nominated { nominated_by };
            give_turn(fold.state(), &e.combatant, way);
        }
        Own(Event::ExtraActionTaken(e)) => {
            fold.change_state(&e.combatant, |s| s.extra_action = false);
        }
        Own(Event::ExtraActionLapsed(e)) => {
            fold.change_state(&e.combatant, |s| s.extra_action = false);
        }
        Own(Event::SeizingOpened(_)) => {
            fold.state().windows = fold.state().windows.saturating_add(1);
            fold.state().phase = Phase::Seize {};
        }
        Own(Event::Seized(e)) => {
            fold.change_state(&e.combatant, |s| s.hurt = false);
            queue_up(fold.state(), e);
        }
        Own(Event::Passed(e)) => fold.change_state(&e.combatant, |s| s.hurt = false),
        Own(Event::SeizedTurnLapsed(e)) => {
            fold.change_state(&e.combatant, |s| s.hurt = false);
            let queue = &mut fold.state().queue;
            queue.retain(|seizer| seizer.combatant != e.combatant);
        }
        Own(Event::ChoiceOpened(e)) => fold.state().phase = Phase::choice(e.starts_round),
        Shared(SharedEvent::Damaged(e)) if e.hp_lost > 0 => {
            fold.change_state(&e.combatant, |s| s.hurt = true);
        }
        // Before the first turn the winner of the roll waits for the round to start.
        Shared(SharedEvent::RoundStarted(_)) if fold.state().phase != Phase::Setup => {
            forget_losses(fold);
            fold.state().turns.clear();
        }
        Shared(SharedEvent::TurnStarted(e)) => start_turn(fold, &e.combatant),
        Shared(SharedEvent::Overridden(e)) => fold
            .state()
            .turns
            .retain(|taken| taken.combatant != e.combatant),
        Shared(SharedEvent::CombatantLeft(e)) => forget(fold.state(), &e.combatant),
        Shared(SharedEvent::EncounterEnded(_)) => fold.state().phase = Phase::Over,
        Own(Event::ExtraActionGranted(_)) | Shared(_) | Roster(_) => {}
    }
}

/// The best roll has the first turn.
fn open_with_best(state: &mut State, e: &InitiativeRolled) {
    let Some((best, others)) = e.ranking.split_first() else {
        return;
    };
    let Some(first) = best.combatants.first() else {
        return;
    };
    let mut equals = Vec::new();
    for other in others {
        if other.meaning == best.meaning && other.total == best.total {
            equals.push(Equal {
                combatants: other.combatants.clone(),
                bonus: other.bonus,
            });
        }
    }
    let way = Way::Rolled {
        dice: vec![best.die],
        bonus: best.bonus,
        total: best.total,
        meaning: best.meaning,
        equals,
    };
    give_turn(state, first, way);
}

/// Adds the roll-off to the reason for which the best has the first turn.
fn note_roll_off(state: &mut State, e: &RolledOff) {
    let Some((best, others)) = e.ranking.split_first() else {
        return;
    };
    let Some(last) = state.turns.last_mut() else {
        return;
    };
    let mut taken = Taken::clone(last);
    let Way::Rolled {
        dice,
        bonus,
        equals,
        ..
    } = &mut taken.way
    else {
        return;
    };
    dice.push(best.die);
    equals.retain(|equal| equal.bonus != *bonus);
    for (place, other) in others.iter().enumerate() {
        let combatants = other.combatants.clone();
        let bonus = *bonus;
        equals.insert(place, Equal { combatants, bonus });
    }
    *last = taken.into();
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
    let ahead = usize::try_from(e.ahead).unwrap_or(usize::MAX);
    let seizer = Seizer {
        combatant: e.combatant.clone(),
        bonus: e.bonus,
        window,
        tied,
    };
    state.queue.insert(ahead.min(state.queue.len()), seizer);
}

fn give_turn(state: &mut State, combatant: &CombatantId, way: Way) {
    state.turns.retain(|taken| taken.combatant != *combatant);
    let taken = Taken {
        combatant: combatant.clone(),
        way,
    };
    state.turns.push(taken.into());
}

/// The turn of the chosen combatant starts, else that of the first that has seized one, else one
/// that the game master set.
fn start_turn(fold: &mut Fold<'_, Seize>, combatant: &CombatantId) {
    forget_losses(fold);
    let state = fold.state();
    let chosen = state
        .turns
        .last()
        .is_some_and(|taken| taken.combatant == *combatant);
    if !chosen {
        let way = match state.queue.first() {
            Some(seizer) if seizer.combatant == *combatant => seizer.way(),
            _ => Way::Overridden {},
        };
        give_turn(state, combatant, way);
    }
    state.queue.retain(|seizer| seizer.combatant != *combatant);
    state.last_actor = Some(combatant.clone());
    state.phase = Phase::InTurn {
        actor: combatant.clone(),
    };
}

/// Removes the name of a combatant that has left. Its turn stays in progress until it is ended.
fn forget(state: &mut State, left: &CombatantId) {
    let others = Audience::all_but(left);
    state.queue = state.queue.redact(&others).unwrap_or_default();
    state.turns = state.turns.redact(&others).unwrap_or_default();
    state.last_actor.take_if(|last| last == left);
}

/// Losses of hit points before a turn, or in an earlier round, let no combatant seize (WA-12a).
fn forget_losses(fold: &mut Fold<'_, Seize>) {
    fold.change_states(|s| s.hurt, |s| s.hurt = false);
}
