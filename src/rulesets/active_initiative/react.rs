//! What follows under Active Initiative from damage, deaths, comings and goings.

use super::decide::take_turn;
use super::*;
use crate::rulesets::shared::{end_turn, next_round};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::SharedEvent;

pub(super) fn react(
    play: &mut Scene<'_>,
    event: &AnyEvent<ActiveInitiative>,
) -> Result<(), Violation> {
    let table = play.table();
    match event {
        Shared(SharedEvent::EncounterEnded(_)) => {
            if let Some(points_lost) = table.state.interrupt_points.filter(|points| *points > 0) {
                play.own(SceneClosed { points_lost });
            }
        }
        _ if matches!(table.state.phase, Phase::Setup | Phase::Over) => {}
        Shared(SharedEvent::Damaged(e)) => {
            if e.amount > 0 && table.get(&e.combatant).is_some_and(|c| !c.state.exposed) {
                play.own(Exposed {
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
fn settle(play: &mut Scene<'_>) {
    let table = play.table();
    match table.state.phase.clone() {
        Phase::InTurn { actor } if table.get(&actor).is_none() => {
            end_turn(play, &actor);
            advance(play);
        }
        Phase::InTurn { .. } | Phase::SomeoneActs => {}
        Phase::Window { nominee, .. } if table.is_active(&nominee) => {}
        _ => advance(play),
    }
}

/// Asks who is next, in a new round if everybody has acted (AI-35, AAI7). With nobody in the fight, it waits.
pub(super) fn advance(play: &mut Scene<'_>) {
    let table = play.table();
    if table.waiting().next().is_none() && table.active().next().is_some() {
        next_round(play);
    }
    let state = &play.table().state;
    let (chooser, starter) = (state.last_actor.clone(), !state.begun);
    if state.phase != Phase::choice(starter) {
        play.own(ChoiceOpened { chooser, starter });
    }
}
