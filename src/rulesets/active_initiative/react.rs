//! What follows under Active Initiative from damage, deaths, comings and goings.

use super::decide::take_turn;
use super::*;
use crate::rulesets::shared::{end_turn, next_round};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::SharedEvent;

pub(super) fn react(
    play: &mut Play<'_>,
    event: &AnyEvent<ActiveInitiative>,
) -> Result<(), Violation> {
    let encounter = play.encounter();
    match event {
        Shared(SharedEvent::EncounterEnded(_)) => {
            if let Some(points_lost) = encounter
                .state
                .interrupt_points
                .filter(|points| *points > 0)
            {
                play.emit(SceneClosed { points_lost });
            }
        }
        _ if matches!(encounter.state.phase, Phase::Setup | Phase::Over) => {}
        Shared(SharedEvent::Damaged(e)) => {
            if e.amount > 0
                && encounter
                    .get(&e.combatant)
                    .is_some_and(|c| !c.state.exposed)
            {
                play.emit(Exposed {
                    combatant: e.combatant.clone(),
                });
            }
        }
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

/// Goes on after a change of the roster, unless a turn goes on or can begin.
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

/// Asks who is next, in a new round if everybody has acted (AI-35, AAI7). With nobody in the fight,
/// it waits.
pub(super) fn advance(play: &mut Play<'_>) {
    let encounter = play.encounter();
    if encounter.waiting().next().is_none() && encounter.active().next().is_some() {
        next_round(play);
    }
    let state = &play.encounter().state;
    let (chooser, starter) = (state.last_actor.clone(), !state.begun);
    if state.phase != Phase::choice(starter) {
        play.emit(ChoiceOpened { chooser, starter });
    }
}
