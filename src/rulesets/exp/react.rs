//! What follows under EXP from conditions, comings and goings.

use super::decide::{advance, end_duel, lose, may_attack, stop, take_over};
use super::*;
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{RosterEvent, SharedEvent, TurnEnded, require};

pub(super) fn react(play: &mut Scene<'_>, event: &AnyEvent<Exp>) -> Result<(), Violation> {
    let table = play.table();
    let id = match event {
        Shared(SharedEvent::Overridden(e)) => return take_over(play, &e.combatant),
        Shared(SharedEvent::ConditionSet(e)) => {
            let anthro = table.get(&e.combatant).is_none_or(|c| c.stats.persona == Sort::Anthro);
            require(anthro || !knocks_out(e.condition.as_str()), "only_anthros", "EX-24", || {
                format!("{} is no anthro and cannot be {}; set `paralyzed` to stop it", e.combatant, e.condition)
            })?;
            &e.combatant
        }
        Shared(SharedEvent::CombatantLeft(e)) => &e.combatant,
        Roster(RosterEvent::CombatantJoined { combatant } | RosterEvent::CombatantUpdated { combatant }) => {
            &combatant.id
        }
        Shared(_) | Own(_) => return Ok(()),
    };
    if table.state.phase != Phase::Pass {
        return Ok(());
    }
    // An effect that counts the turns of a combatant that left counts at the unit's end.
    if table.get(id).is_none() && table.state.asked.contains(id) {
        play.shared(TurnEnded { combatant: id.clone() });
    }
    // A combatant that left, or can no longer attack with its mind, ends its duel before it loses components (AEX14).
    let table = play.table();
    if table.state.duel.contains(id) && !table.get(id).is_some_and(may_attack) {
        end_duel(play);
    }
    stop(play, id);
    if let Roster(RosterEvent::CombatantJoined { .. }) = event {
        lose(play, id, Loss::JoinedLate);
    }
    advance(play);
    Ok(())
}
