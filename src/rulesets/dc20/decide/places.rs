//! Who acts in which Initiative Turn.

use super::*;

/// Refuses a combatant that takes no turn of this round any more.
pub(super) fn yet_to_act(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let id = &c.id;
    require(
        c.state.slot.is_some() || !c.state.delayed,
        "already_placed",
        "DC-34",
        || format!("{id} has delayed its turn behind an enemy: its place is held"),
    )?;
    require(c.active(), "not_active", "ADC15", || {
        format!("{id} is out of the fight and takes no turn")
    })?;
    let begun = c.acted || c.state.slot.is_some() && encounter.state.acting.contains(id);
    require(!begun, "already_acted", "DC-38", || {
        format!("{id} has begun its turn of this round")
    })
}

/// The turn that is awaited in this phase.
pub(super) fn awaited(
    play: &Play<'_>,
    phase: Phase,
    rule: &'static str,
) -> Result<SlotId, Violation> {
    let state = &play.encounter().state;
    let awaited = state.slot.clone().filter(|_| state.phase == phase);
    awaited.ok_or(Violation::new(
        "nothing_to_take",
        rule,
        "no such turn waits for its combatants now",
    ))
}

/// The game master puts enemies or NPCs into a turn of their team, or moves them there before they
/// act.
pub(super) fn assign(play: &mut Play<'_>, c: &Assign) -> Result<(), Violation> {
    let id = match &c.slot {
        Some(slot) => slot.clone(),
        None => awaited(play, Phase::Assign, "DC-20")?,
    };
    let slot = known_slot(play, "slot", &id)?;
    require(slot.team != Team::Pc, "pc_turn", "DC-17", || {
        format!("{id} is a PC Turn: the PC team decides who takes it")
    })?;
    require(!slot.removed, "slot_merged", "DC-25", || {
        format!("{id} was merged into another turn")
    })?;
    let combatants = assignees(play, c, slot)?;
    begin_combat(play);
    play.emit(Assigned {
        slot: id.clone(),
        combatants: combatants.clone().into(),
        by: Way::Assigned,
    });
    follow(play);
    let state = &play.encounter().state;
    match state.phase {
        _ if state.slot.as_ref() != Some(&id) => {}
        Phase::Assign => take(play),
        Phase::Turn if !state.acting.is_empty() => begin_turns(play, &id, combatants, 0),
        _ => {}
    }
    Ok(())
}

/// The combatants that a command puts into a turn of their team.
fn assignees(play: &Play<'_>, c: &Assign, slot: &Slot) -> Result<Vec<CombatantId>, Violation> {
    let encounter = play.encounter();
    let fits = |c: &Combatant| may_take(&encounter.state, c, slot);
    match (&c.combatant, &c.side) {
        (Some(first), None) => {
            let combatants = named(play, first, "also", &c.also)?;
            let rule = if slot.team == Team::Npc {
                "DC-28"
            } else {
                "DC-26"
            };
            for c in &combatants {
                require(fits(c), "wrong_team", rule, || {
                    format!("{} is not a turn of {}'s team", slot.id, c.id)
                })?;
                let elsewhere = c.state.slot.as_ref() != Some(&slot.id);
                require(elsewhere, "already_placed", "DC-20", || {
                    format!("{} has its place in {}", c.id, slot.id)
                })?;
                yet_to_act(encounter, c)?;
            }
            Ok(ids(combatants))
        }
        (None, Some(side)) if c.also.is_empty() => {
            known_side(encounter, "side", side)?;
            let free = encounter
                .waiting()
                .filter(|c| c.side == *side && c.state.slot.is_none() && !c.stats.reserve);
            let combatants = ids(free.filter(|c| fits(c)));
            require(!combatants.is_empty(), "nobody_to_assign", "DC-20", || {
                format!(
                    "no combatant on the side {side} waits for a place that {} could be",
                    slot.id
                )
            })?;
            Ok(combatants)
        }
        _ => {
            let detail =
                "say either who gets the place (`combatant`, and `also` others) or which `side`";
            Err(Violation::field("combatant_or_side", "combatant", detail))
        }
    }
}

/// Passes on what is awaited (DC-22, DC-52); on a PC Turn, members of its team pass (DC-17).
pub(super) fn pass(play: &mut Play<'_>, id: Option<&CombatantId>) -> Result<(), Violation> {
    match play.encounter().state.phase {
        // Without a name, the game master closes the contest.
        phase if phase == Phase::Claim || id.is_some() => {
            return claims::answer(
                play,
                id.map_or(&[], std::slice::from_ref),
                None,
                id.is_none(),
            );
        }
        Phase::Assign => take(play),
        Phase::BetweenTurns | Phase::RoundEnd => close_window(play),
        _ => {
            return Err(Violation::new(
                "nothing_to_pass",
                "DC-22",
                "nothing is awaited that could be passed on",
            ));
        }
    }
    Ok(())
}
