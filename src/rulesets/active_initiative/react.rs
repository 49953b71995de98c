//! What follows under Active Initiative from damage, deaths, comings and goings.

use super::decide::take_turn;
use super::{ActiveInitiative, ChoiceOpened, Exposed, Phase, Play, SceneClosed};
use crate::rulesets::shared::{end_turn, next_round};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{Damaged, Event as AnyEvent, SharedEvent, Violation};

pub(super) fn react(
    play: &mut Play<'_>,
    event: &AnyEvent<ActiveInitiative>,
) -> Result<(), Violation> {
    match event {
        Shared(SharedEvent::EncounterEnded(_)) => close_scene(play),
        _ if matches!(play.encounter().state.phase, Phase::Setup | Phase::Over) => {}
        Shared(SharedEvent::Damaged(e)) => expose(play, e),
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

/// The points that are left are lost (AI-33).
fn close_scene(play: &mut Play<'_>) {
    let points_lost = play.encounter().state.interrupt_points.unwrap_or(0);
    if points_lost > 0 {
        play.emit(SceneClosed { points_lost });
    }
}

/// Damage lets a combatant interrupt until the next turn begins (AI-20).
fn expose(play: &mut Play<'_>, e: &Damaged) {
    let Some(target) = play.encounter().get(&e.combatant) else {
        return;
    };
    if e.amount > 0 && !target.state.exposed {
        play.emit(Exposed {
            combatant: e.combatant.clone(),
        });
    }
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

/// Asks who is next, in a new round if everybody has acted (AI-35, AI-35a). With nobody in the
/// fight, it waits.
pub(super) fn advance(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let all_have_acted = encounter.waiting().next().is_none();
    if all_have_acted && encounter.active().next().is_some() {
        next_round(play);
    }
    let state = &play.encounter().state;
    let starter = !state.begun;
    if state.phase != Phase::choice(starter) {
        let chooser = state.last_actor.clone();
        play.emit(ChoiceOpened { chooser, starter });
    }
}
