//! The game master puts enemies and NPCs into the turns of their teams (DC-20).

use super::delay::follow;
use super::{known_side, known_slot, named};
use crate::rulesets::dc20::flow::{begin_awaited, begin_combat, begin_turns};
use crate::rulesets::dc20::team::{
    asked_by, has_no_turn, holds_place, in_reserve, is_open, may_take,
};
use crate::rulesets::dc20::{
    Assign, Assigned, Combatant, Encounter, Phase, Play, Reserved, Slot, SlotId, Team, Way,
};
use crate::vocabulary::{CombatantId, Slug, Violation, ids, require};

/// Puts combatants into a turn of their team, or moves them there before they act.
pub(super) fn assign(play: &mut Play<'_>, c: &Assign) -> Result<(), Violation> {
    let id = match &c.slot {
        Some(slot) => slot.clone(),
        None => awaited_turn(play, Phase::Assign, "DC-20")?,
    };
    let slot = known_slot(play, "slot", &id)?;
    require(slot.team != Team::Pc, "pc_turn", "DC-17", || {
        format!(
            "{} is a PC Turn. The PC team takes it with \"claim\".",
            id.title()
        )
    })?;
    require(!slot.removed, "slot_merged", "DC-25", || {
        format!("{} was merged into another turn. Use that one.", id.title())
    })?;
    let combatants = assignees(play, c, slot)?;
    begin_combat(play);
    play.emit(Assigned {
        slot: id.clone(),
        combatants: combatants.clone().into(),
        because: Way::Assigned,
    });
    follow(play, &combatants);
    let state = &play.encounter().state;
    if state.slot.as_ref() != Some(&id) {
        return Ok(());
    }
    match state.phase {
        Phase::Assign => begin_awaited(play),
        Phase::Turn if !state.acting.is_empty() => begin_turns(play, combatants, 0),
        _ => {}
    }
    Ok(())
}

/// Begins the awaited Enemy or NPC Turn as it is. Those for whom a taken turn asked wait in reserve
/// (DC-24b).
pub(super) fn close_question(play: &mut Play<'_>) {
    let encounter = play.encounter();
    if let Some(slot) = encounter.state.reached()
        && !is_open(encounter, slot)
    {
        let asked = ids(asked_by(encounter, slot));
        if !asked.is_empty() {
            play.emit(Reserved {
                combatants: asked.into(),
            });
        }
    }
    begin_awaited(play);
}

/// The combatants that a command puts into a turn of their team.
fn assignees(play: &Play<'_>, c: &Assign, slot: &Slot) -> Result<Vec<CombatantId>, Violation> {
    match (&c.combatant, &c.side) {
        (Some(first), None) => named_assignees(play, first, &c.others, slot),
        (None, Some(side)) if c.others.is_empty() => waiting_on_side(play.encounter(), side, slot),
        _ => {
            let detail = "An assignment needs either \"combatant\" or \"side\". Send one of them.";
            Err(Violation::field("combatant_or_side", "combatant", detail))
        }
    }
}

/// The named combatants, if each can move into this turn.
fn named_assignees(
    play: &Play<'_>,
    first: &CombatantId,
    others: &[CombatantId],
    slot: &Slot,
) -> Result<Vec<CombatantId>, Violation> {
    let combatants = named(play, first, "others", others)?;
    let rule = if slot.team == Team::Npc {
        "DC-28"
    } else {
        "DC-26"
    };
    let encounter = play.encounter();
    for c in &combatants {
        let fits = may_take(&encounter.state, c, slot);
        require(fits, "wrong_team", rule, || {
            format!(
                "{} belongs to another team than {}. Choose a turn of the right team.",
                slot.id.title(),
                c.id
            )
        })?;
        let elsewhere = c.state.slot.as_ref() != Some(&slot.id);
        require(elsewhere, "already_placed", "DC-20", || {
            format!(
                "{} already acts in {}. Choose another turn.",
                c.id,
                slot.id.title()
            )
        })?;
        check_yet_to_act(encounter, c)?;
    }
    Ok(ids(combatants))
}

/// The combatants on a side that wait for a place and can take this turn.
fn waiting_on_side(
    encounter: &Encounter,
    side: &Slug,
    slot: &Slot,
) -> Result<Vec<CombatantId>, Violation> {
    known_side(encounter, "side", side)?;
    let mut waiting = Vec::new();
    for c in encounter.waiting() {
        let state = &encounter.state;
        if c.side != *side || !has_no_turn(state, c) || in_reserve(state, c) {
            continue;
        }
        if may_take(state, c, slot) {
            waiting.push(c.id.clone());
        }
    }
    require(!waiting.is_empty(), "nobody_to_assign", "DC-20", || {
        let turn = slot.id.title();
        format!(
            "No combatant of the side \"{side}\" waits for {turn}. Choose another side or turn."
        )
    })?;
    Ok(waiting)
}

/// Refuses a combatant that takes no turn of this round any more.
pub(super) fn check_yet_to_act(encounter: &Encounter, c: &Combatant) -> Result<(), Violation> {
    let id = &c.id;
    let holds_place = holds_place(&encounter.state, c);
    require(!holds_place, "already_placed", "DC-34", || {
        format!("{id} has a delayed turn that comes after an enemy's. Choose another combatant.")
    })?;
    require(c.active(), "not_active", "DC-23a", || {
        format!("{id} is out of the fight. Choose another combatant.")
    })?;
    let begun = c.acted || c.state.slot.is_some() && encounter.state.acting.contains(id);
    require(!begun, "already_acted", "DC-38", || {
        format!("{id} has already acted this round. Choose another combatant.")
    })
}

/// The turn that is awaited in this phase.
pub(super) fn awaited_turn(
    play: &Play<'_>,
    phase: Phase,
    rule: &'static str,
) -> Result<SlotId, Violation> {
    let state = &play.encounter().state;
    match &state.slot {
        Some(slot) if state.phase == phase => Ok(slot.clone()),
        _ => {
            let detail = "No such turn is open now. See \"pending\".";
            Err(Violation::new("nothing_to_take", rule, detail))
        }
    }
}
