//! What follows under Active Initiative from damage, deaths, comings and goings.

use super::decide::{Scene, chooser, take_turn};
use super::*;
use crate::rulesets::shared::{end_round, end_turn, start_round};
use crate::vocabulary::SharedEvent;

pub(super) fn react(play: &mut Scene<'_>, event: &AnyEvent<ActiveInitiative>) {
    match event {
        AnyEvent::Shared(SharedEvent::EncounterEnded(_)) => {
            if let Some(points_lost) = play.table().state.interrupt_points.filter(|points| *points > 0) {
                play.own(SceneClosed { points_lost });
            }
        }
        AnyEvent::Shared(_) | AnyEvent::Roster(_) if matches!(play.table().state.phase, Phase::Setup | Phase::Over) => {
        }
        AnyEvent::Shared(SharedEvent::Damaged(e)) => {
            let exposed = play.table().get(&e.combatant).is_none_or(|c| c.state.exposed);
            if e.amount > 0 && !exposed {
                play.own(Exposed { combatant: e.combatant.clone() });
            }
        }
        AnyEvent::Shared(SharedEvent::Overridden(e)) => take_turn(play, &e.combatant),
        AnyEvent::Shared(SharedEvent::ConditionSet(_) | SharedEvent::ConditionCleared(_)) => settle(play),
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            if matches!(&play.table().state.phase, Phase::InTurn { actor } if *actor == e.combatant) {
                end_turn(play, &e.combatant);
            }
            settle(play);
        }
        AnyEvent::Roster(_) => settle(play),
        AnyEvent::Shared(_) | AnyEvent::Own(_) => {}
    }
}

/// Goes on between two turns after a change of the roster; a nominee that can no longer act is given up.
fn settle(play: &mut Scene<'_>) {
    let table = play.table();
    match &table.state.phase {
        Phase::InTurn { actor } if table.get(actor).is_some() => {}
        Phase::Window { nominee, .. } if table.is_active(nominee) => {}
        Phase::Window { .. } => advance(play, table.state.turns.is_empty()),
        Phase::ChooseStarter {} => advance(play, true),
        Phase::SomeoneActs => {}
        Phase::Setup | Phase::Over | Phase::InTurn { .. } | Phase::ChooseNext {} => advance(play, false),
    }
}

/// Goes on after a turn, in a new round if everybody has acted (AI-35, AAI7). With nobody in the fight, it waits.
pub(super) fn advance(play: &mut Scene<'_>, starter: bool) {
    let table = play.table();
    if table.waiting().next().is_some() || table.active().next().is_none() {
        return choose(play, starter);
    }
    let next = table.round.saturating_add(1);
    end_round(play);
    start_round(play, next);
    choose(play, true);
}

/// Opens the choice of who is next, unless it is open already.
pub(super) fn choose(play: &mut Scene<'_>, starter: bool) {
    let open = match play.table().state.phase {
        Phase::ChooseNext {} => !starter,
        Phase::ChooseStarter {} => starter,
        _ => false,
    };
    if !open {
        let chooser = chooser(play.table());
        play.own(ChoiceOpened { chooser, starter });
    }
}
