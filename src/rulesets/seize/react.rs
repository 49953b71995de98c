//! What follows under Seize the initiative from damage, deaths, comings and goings.

use super::decide::{able, advance, ask_next, close_turn, eligible, take_turn};
use super::{Phase, Play, Seize, SeizedTurnLapsed};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{Event as AnyEvent, SharedEvent, Violation};

pub(super) fn react(play: &mut Play<'_>, event: &AnyEvent<Seize>) -> Result<(), Violation> {
    match event {
        _ if matches!(play.encounter().state.phase, Phase::Setup | Phase::Over) => {}
        Shared(SharedEvent::Overridden(e)) => take_turn(play, &e.combatant),
        Shared(
            SharedEvent::Damaged(_)
            | SharedEvent::ConditionSet(_)
            | SharedEvent::ConditionCleared(_)
            | SharedEvent::CombatantLeft(_),
        )
        | Roster(_) => settle(play),
        Shared(_) | Own(_) => {}
    }
    Ok(())
}

/// Moves on after damage, a change of conditions or of the roster. A seizer that is out of action
/// loses the turn (WA-15a). A hurt combatant that can act again may seize until the choice (WA-12b).
fn settle(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let mut dropped = Vec::new();
    for seizer in &encounter.state.queue {
        if !encounter.get(&seizer.combatant).is_some_and(able) {
            dropped.push(seizer.combatant.clone());
        }
    }
    for combatant in dropped {
        play.emit(SeizedTurnLapsed { combatant });
    }
    let encounter = play.encounter();
    match encounter.state.phase.clone() {
        Phase::InTurn { actor } if encounter.get(&actor).is_none() => close_turn(play, &actor),
        Phase::Seize {} if eligible(encounter).is_empty() => advance(play),
        Phase::Nominate {} => ask_next(play),
        _ => {}
    }
}
