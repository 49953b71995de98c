//! What follows under Seize the initiative from damage, deaths, comings and goings.

use super::decide::{able, advance, close_turn, eligible, loss_counts, open_seizing, take_turn};
use super::{Hurt, Phase, Play, Seize, SeizerDropped};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{Damaged, Event as AnyEvent, SharedEvent, Violation};

pub(super) fn react(play: &mut Play<'_>, event: &AnyEvent<Seize>) -> Result<(), Violation> {
    match event {
        _ if matches!(play.encounter().state.phase, Phase::Setup | Phase::Over) => {}
        Shared(SharedEvent::Damaged(e)) => hurt(play, e),
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

/// Lost hit points, other than temporary ones (WA-19a), let a combatant seize (WA-12). Until a
/// pick, a loss counts for the turn before (WA-12b).
fn hurt(play: &mut Play<'_>, e: &Damaged) {
    let encounter = play.encounter();
    let Some(loser) = encounter.get(&e.combatant) else {
        return;
    };
    if e.hp_lost == 0 || loser.state.hurt || !loss_counts(encounter, loser) {
        return;
    }
    play.emit(Hurt {
        combatant: e.combatant.clone(),
    });
    if play.encounter().state.phase == (Phase::ChooseNext {}) {
        open_seizing(play);
    }
}

/// Goes on after a change of the roster or of conditions: a seizer that is out of action loses its
/// turn (WA-15a).
fn settle(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let mut dropped = Vec::new();
    for seizer in &encounter.state.queue {
        if !encounter.get(&seizer.combatant).is_some_and(able) {
            dropped.push(seizer.combatant.clone());
        }
    }
    for combatant in dropped {
        play.emit(SeizerDropped { combatant });
    }
    let encounter = play.encounter();
    match encounter.state.phase.clone() {
        Phase::InTurn { actor } if encounter.get(&actor).is_none() => close_turn(play, &actor),
        Phase::SeizeDecision {} if eligible(encounter).is_empty() => advance(play),
        Phase::ChooseNext {} => advance(play),
        _ => {}
    }
}
