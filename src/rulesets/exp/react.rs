//! What follows under EXP from conditions, comings and goings.

use super::decide::{advance, can_attack, end_duel, lose, take_jumps, take_over};
use super::state::able;
use super::{AnyEvent, Component, ComponentsLost, Exp, Loss, Phase, Play};
use crate::vocabulary::Event::{Own, Roster, Shared};
use crate::vocabulary::{CombatantId, RosterEvent, SharedEvent, TurnEnded, Violation};

pub(super) fn react(play: &mut Play<'_>, event: &AnyEvent<Exp>) -> Result<(), Violation> {
    let encounter = play.encounter();
    let id = match event {
        Shared(SharedEvent::Overridden(e)) => return take_over(play, &e.combatant),
        Shared(SharedEvent::ConditionSet(e)) => &e.combatant,
        Shared(SharedEvent::CombatantLeft(e)) => &e.combatant,
        Roster(
            RosterEvent::CombatantJoined { details }
            | RosterEvent::CombatantUpdated { details, .. },
        ) => &details.id,
        Shared(_) | Own(_) => return Ok(()),
    };
    if encounter.state.phase != Phase::Pass {
        return Ok(());
    }
    // An effect that counts the turns of a combatant that left counts at the unit's end.
    if encounter.get(id).is_none() && encounter.state.asked.contains(id) {
        play.emit(TurnEnded {
            combatant: id.clone(),
        });
    }
    // A duel ends before its duellist loses components (EX-32a).
    if is_unfit_for_duel(play, id) {
        end_duel(play);
    }
    // A persona that cannot act loses what waited (EX-23), or everything if it is asked (EX-23a).
    let encounter = play.encounter();
    if let Some(c) = encounter.get(id)
        && !able(c)
    {
        let loss = if encounter.state.asked.contains(id) {
            Loss::CouldNotAnswer
        } else {
            Loss::CannotAct
        };
        lose(play, id, loss);
    }
    if let Roster(RosterEvent::CombatantJoined { .. }) = event {
        let components = vec![Component::Move, Component::Act];
        play.emit(ComponentsLost {
            combatant: id.clone(),
            components,
            loss: Loss::JoinedLate,
        });
    }
    take_jumps(play);
    advance(play);
    Ok(())
}

/// Whether a duellist has left, or cannot attack with its mind.
fn is_unfit_for_duel(play: &Play<'_>, id: &CombatantId) -> bool {
    let encounter = play.encounter();
    if !encounter.state.duel.contains(id) {
        return false;
    }
    match encounter.get(id) {
        Some(c) => can_attack(encounter, c).is_err(),
        None => true,
    }
}
