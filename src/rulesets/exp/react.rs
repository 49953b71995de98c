//! What follows under EXP from conditions, comings and goings.

use super::decide::{Scene, advance, end_duel, lose, may_attack, stop, take_over};
use super::*;
use crate::vocabulary::{RosterEvent, SharedEvent, TurnEnded};

pub(super) fn react(play: &mut Scene<'_>, event: &AnyEvent<Exp>) -> Result<(), Violation> {
    if let AnyEvent::Shared(SharedEvent::ConditionSet(e)) = event {
        let sort = play.table().get(&e.combatant).map(|c| c.stats.persona);
        if knocks_out(&e.condition) && sort.is_some_and(|sort| sort != Sort::Anthro) {
            let (id, condition) = (&e.combatant, &e.condition);
            let detail = format!("{id} is no anthro and cannot be {condition}; what stops it otherwise is `paralyzed`");
            return Err(Violation::new("only_anthros", "EX-24", detail));
        }
    }
    if let AnyEvent::Shared(SharedEvent::Overridden(e)) = event {
        return take_over(play, &e.combatant);
    }
    if play.table().state.phase != Phase::Pass {
        return Ok(());
    }
    match event {
        AnyEvent::Shared(SharedEvent::ConditionSet(e)) => {
            break_off(play, &e.combatant);
            stop(play, &e.combatant);
        }
        AnyEvent::Roster(RosterEvent::CombatantUpdated { combatant }) => {
            break_off(play, &combatant.id);
            stop(play, &combatant.id);
        }
        AnyEvent::Roster(RosterEvent::CombatantJoined { combatant }) => lose(play, &combatant.id, Loss::JoinedLate),
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => leave(play, &e.combatant),
        AnyEvent::Shared(_) | AnyEvent::Own(_) => return Ok(()),
    }
    advance(play);
    Ok(())
}

/// Somebody has left: nobody waits for it any more. An effect that counts its turns counts at the unit's end.
fn leave(play: &mut Scene<'_>, id: &CombatantId) {
    if play.table().state.asked.contains(id) {
        play.shared(TurnEnded { combatant: id.clone() });
        play.own(DroppedOut { combatant: id.clone() });
    }
    break_off(play, id);
}

/// A duellist can no longer attack with its mind, or is gone: its duel is over (AEX14). Comes before what it had is lost.
fn break_off(play: &mut Scene<'_>, id: &CombatantId) {
    let table = play.table();
    if table.state.duel.contains(id) && !table.get(id).is_some_and(may_attack) {
        end_duel(play);
    }
}
