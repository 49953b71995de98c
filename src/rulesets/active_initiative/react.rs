//! What follows under Active Initiative from damage, deaths, comings and goings.

use super::decide::take_turn;
use super::{ActiveInitiative, ChoiceOpened, InterruptPointsLost, Phase, Play};
use crate::rulesets::shared::{end_turn, next_round};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{Event as AnyEvent, SharedEvent, Violation};

pub(super) fn react(
    play: &mut Play<'_>,
    event: &AnyEvent<ActiveInitiative>,
) -> Result<(), Violation> {
    match event {
        Shared(SharedEvent::EncounterEnded(_)) => lose_points(play),
        _ if matches!(play.encounter().state.phase, Phase::Setup | Phase::Over) => {}
        Shared(SharedEvent::Overridden(e)) => take_turn(play, &e.combatant),
        Shared(
            SharedEvent::ConditionSet(_)
            | SharedEvent::ConditionCleared(_)
            | SharedEvent::CombatantLeft(_),
        )
        | Roster(_) => settle(play),
        Shared(_) | Own(_) => {}
    }
    Ok(())
}

/// The remaining points are lost (AI-33).
fn lose_points(play: &mut Play<'_>) {
    let points = play.encounter().state.interrupt_points.unwrap_or(0);
    if points > 0 {
        play.emit(InterruptPointsLost { points });
    }
}

/// Moves on after a change of the roster, unless a turn is in progress or can start.
fn settle(play: &mut Play<'_>) {
    let encounter = play.encounter();
    match encounter.state.phase.clone() {
        Phase::InTurn { actor } if encounter.get(&actor).is_none() => {
            end_turn(play, &actor);
            advance(play);
        }
        Phase::InTurn { .. } | Phase::SomeoneActs => {}
        Phase::Window { nominee, .. } if encounter.is_active(&nominee) => {}
        _ => advance(play),
    }
}

/// Asks who acts next, in a new round if all have acted (AI-35, AI-35a). With no combatant in the
/// fight, it waits.
pub(super) fn advance(play: &mut Play<'_>) {
    close_round(play);
    let state = &play.encounter().state;
    let starts_round = !state.begun;
    if state.phase != Phase::choice(starts_round) {
        let chooser = state.last_actor.clone();
        play.emit(ChoiceOpened {
            chooser,
            starts_round,
        });
    }
}

/// Starts a new round if all have acted (AI-35, AI-35a).
pub(super) fn close_round(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let all_have_acted = encounter.waiting().next().is_none();
    if all_have_acted && encounter.active().next().is_some() {
        next_round(play);
    }
}
