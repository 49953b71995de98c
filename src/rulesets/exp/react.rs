//! What follows under EXP from conditions, comings and goings.

use super::decide::{advance, end_duel, lose, may_attack, stop, take_over};
use super::*;
use crate::vocabulary::{RosterEvent, SharedEvent, TurnEnded, require};

pub(super) fn react(play: &mut Scene<'_>, event: &AnyEvent<Exp>) -> Result<(), Violation> {
    if let AnyEvent::Shared(SharedEvent::ConditionSet(e)) = event {
        let anthro = play.table().get(&e.combatant).is_none_or(|c| c.stats.persona == Sort::Anthro);
        require(anthro || !knocks_out(&e.condition), "only_anthros", "EX-24", || {
            format!("{} is no anthro and cannot be {}; set `paralyzed` to stop it", e.combatant, e.condition)
        })?;
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
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            // An effect that counts its turns counts at the unit's end.
            if play.table().state.asked.contains(&e.combatant) {
                play.shared(TurnEnded { combatant: e.combatant.clone() });
            }
            break_off(play, &e.combatant);
        }
        AnyEvent::Shared(_) | AnyEvent::Own(_) => return Ok(()),
    }
    advance(play);
    Ok(())
}

/// Ends the duel of a combatant that left or can no longer attack with its mind (AEX14), before it loses components.
fn break_off(play: &mut Scene<'_>, id: &CombatantId) {
    let table = play.table();
    if table.state.duel.contains(id) && !table.get(id).is_some_and(may_attack) {
        end_duel(play);
    }
}
