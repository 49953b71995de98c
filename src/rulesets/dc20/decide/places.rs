//! Who acts in which Initiative Turn.

use super::super::flow::*;
use super::super::team::{sharing, team, waits_unseen, wanting};
use super::super::*;
use super::claims;
use super::delay::follow;
use crate::vocabulary::Slug;

/// Refuses whoever has a place, has acted, or is out of the fight. A place among the hidden can be left for another.
pub(super) fn placeable(state: &State, c: &Creature) -> Result<(), Violation> {
    let id = &c.id;
    if c.state.slot.is_none() && c.state.delayed {
        let detail = format!("{id} has delayed its turn behind an enemy: its place is held");
        return Err(Violation::new("already_placed", "ADC12", detail));
    }
    if let Some(slot) = c.state.slot.as_ref().filter(|_| !waits_unseen(state, c)) {
        let detail = format!("{id} has its place in the turn {slot}: one turn in a round is all");
        return Err(Violation::new("already_placed", "ADC12", detail));
    }
    if !c.active() {
        return Err(Violation::new("not_active", "ADC15", format!("{id} is out of the fight and takes no turn")));
    }
    if c.acted {
        return Err(Violation::new("already_acted", "DC-38", format!("{id} has acted this round")));
    }
    Ok(())
}

/// The turn for which somebody must be named.
pub(super) fn awaited(play: &Combat<'_>, phase: Phase, rule: &'static str) -> Result<SlotId, Violation> {
    let state = &play.table().state;
    match &state.slot {
        Some(slot) if state.phase == phase => Ok(slot.clone()),
        _ => Err(Violation::new("nothing_to_take", rule, "no such turn waits for somebody to take it now")),
    }
}

/// Begins the turn that was awaited, and goes on where nobody can act in it.
pub(super) fn take(play: &mut Combat<'_>, slot: &SlotId) {
    if !begin_slot(play, slot, 0) {
        advance(play);
    }
}

/// The game master puts enemies or NPCs into a turn of their team.
pub(super) fn assign(play: &mut Combat<'_>, c: &Assign) -> Result<(), Violation> {
    let state = &play.table().state;
    let slot = match &c.slot {
        Some(slot) => slot.clone(),
        None => awaited(play, Phase::Assign, "DC-20")?,
    };
    let Some(Slot { team: whose, removed, unseen, .. }) = state.slot(&slot).cloned() else {
        return Err(Violation::field("unknown_slot", "slot", format!("there is no turn {slot} in the order")));
    };
    if whose == Team::Pc {
        let detail = format!("{slot} is a PC Turn: the PC team says who takes it");
        return Err(Violation::new("pc_turn", "DC-17", detail));
    }
    if removed {
        let detail = format!("{slot} was merged into another turn and is there no more");
        return Err(Violation::new("slot_merged", "DC-25", detail));
    }
    let combatants = assignees(play, c, whose, unseen, &slot)?;
    begin_combat(play);
    play.own(Assigned { slot: slot.clone(), combatants: combatants.clone().into(), by: Way::Assigned });
    follow(play);
    let state = &play.table().state;
    let here = state.slot.as_ref() == Some(&slot);
    match state.phase {
        Phase::Assign if here => take(play, &slot),
        Phase::Assign if nobody_waits(play) => close(play),
        Phase::Turn if here && !state.acting.is_empty() => {
            begin_turns(play, &slot, combatants, 0);
            proceed(play);
        }
        Phase::Idle => advance(play),
        _ => {}
    }
    Ok(())
}

/// Those who are put into a turn of this team; a turn of the hidden is for the hidden alone.
fn assignees(
    play: &Combat<'_>, c: &Assign, whose: Team, unseen: bool, slot: &SlotId,
) -> Result<Vec<CombatantId>, Violation> {
    let table = play.table();
    let fits = |c: &Creature| team(&table.state, c) == whose && (c.hidden || !unseen);
    let first = match (&c.combatant, &c.side) {
        (Some(first), None) => first,
        (None, Some(side)) if c.also.is_empty() => return of_side(table, side, slot, fits),
        _ => {
            let detail = "say either who gets the place (`combatant`, and `also` others) or which `side`";
            return Err(Violation::field("combatant_or_side", "combatant", detail));
        }
    };
    let mut combatants: Vec<CombatantId> = Vec::with_capacity(1 + c.also.len());
    for (i, id) in std::iter::once(first).chain(&c.also).enumerate() {
        let field = if i == 0 { "combatant" } else { "also" };
        let c = play.combatant(field, id)?;
        if combatants.contains(id) {
            return Err(Violation::field("named_twice", field, format!("{id} is named twice")));
        }
        if !fits(c) {
            let rule = if whose == Team::Npc { "DC-28" } else { "DC-26" };
            return Err(Violation::new("wrong_team", rule, format!("{slot} is not a turn of {id}'s team")));
        }
        placeable(&table.state, c)?;
        combatants.push(id.clone());
    }
    Ok(combatants)
}

/// Everybody on a side who has no place and could act in the turn.
fn of_side(
    table: &Table, side: &Slug, slot: &SlotId, fits: impl Fn(&Creature) -> bool,
) -> Result<Vec<CombatantId>, Violation> {
    if !table.iter().any(|c| c.side == *side) {
        return Err(Violation::field("unknown_side", "side", format!("nobody is on the side {side}")));
    }
    let free = table.waiting().filter(|c| c.side == *side && c.state.slot.is_none() && !c.stats.reserve);
    let combatants: Vec<CombatantId> = free.filter(|c| fits(c)).map(|c| c.id.clone()).collect();
    if combatants.is_empty() {
        let detail = format!("nobody on the side {side} waits for a place that {slot} could be");
        return Err(Violation::new("nobody_to_assign", "DC-20", detail));
    }
    Ok(combatants)
}

/// Whether everybody of the awaited turn's team has a place by now.
fn nobody_waits(play: &Combat<'_>) -> bool {
    let table = play.table();
    table.state.at().is_some_and(|slot| wanting(table, slot).next().is_none())
}

/// Leaves the awaited turn as it is: empty, or to those who are in it already.
pub(super) fn close(play: &mut Combat<'_>) {
    if let Some(slot) = play.table().state.slot.clone() {
        take(play, &slot);
    }
}

/// Lets go by what is awaited (DC-22, DC-52); what a PC Turn awaits, its team decides (DC-17).
pub(super) fn pass(play: &mut Combat<'_>, c: &Pass) -> Result<(), Violation> {
    let phase = play.table().state.phase;
    if phase == Phase::Claim || c.combatant.is_some() {
        return claims::pass(play, c.combatant.as_ref());
    }
    match phase {
        Phase::Assign => close(play),
        Phase::BetweenTurns => advance(play),
        Phase::RoundEnd => {
            close_round(play);
            advance(play);
        }
        _ => return Err(Violation::new("nothing_to_pass", "DC-22", "nothing is awaited that could be let go by")),
    }
    Ok(())
}

/// The game master puts the next two turns of each enemy team into one (DC-25). The team's later turns move up by one place, so that
/// the teams still alternate: sharing has emptied a PC Turn.
pub(super) fn merge(play: &mut Combat<'_>) -> Result<(), Violation> {
    let state = &play.table().state;
    let refuse = |code, detail: &'static str| Err(Violation::new(code, "DC-25", detail));
    let running = matches!(state.phase, Phase::Turn | Phase::BetweenTurns);
    let shared = |slot: &&Slot| slot.team == Team::Pc && sharing(play.table(), slot) > 1;
    let Some(shared) = state.at().filter(|slot| running && shared(slot)) else {
        return refuse("not_shared", "Enemy Turns are merged while players' characters share a PC Turn");
    };
    if state.merged_turns.contains(&shared.id) {
        return refuse("merged_already", "Enemy Turns were merged for this shared turn already");
    }
    let later: Vec<&Slot> =
        state.later().iter().filter(|s| matches!(s.team, Team::Enemy(_)) && !s.removed && !s.unseen).collect();
    let mut teams: Vec<Team> = Vec::new();
    for slot in &later {
        if !teams.contains(&slot.team) {
            teams.push(slot.team);
        }
    }
    let merged = teams.into_iter().filter_map(|team| {
        let mut turns = later.iter().filter(|slot| slot.team == team).map(|slot| slot.id.clone());
        let (into, from) = (turns.next()?, turns.next()?);
        Some(SlotsMerged { into, from, shared: shared.id.clone(), moved_up: turns.collect() })
    });
    let merged: Vec<SlotsMerged> = merged.collect();
    if merged.is_empty() {
        return refuse("no_two_enemy_turns", "there are no two Enemy Turns left in this round to merge");
    }
    for merged in merged {
        play.own(Event::SlotsMerged(merged));
    }
    Ok(())
}
