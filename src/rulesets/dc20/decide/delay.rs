//! Delayed Initiative: one's own turn moves for good to a later PC Turn.

use super::super::flow::proceed;
use super::super::team::{is_enemy, new_slot, team};
use super::super::*;
use super::in_turn;

pub(super) fn delay(play: &mut Combat<'_>, c: &Delay) -> Result<(), Violation> {
    let id = &c.combatant;
    in_turn(play, id, "DC-32")?;
    let state = &play.table().state;
    if play.table().get(id).is_none_or(|c| team(state, c) != Team::Pc) {
        return Err(Violation::new(
            "not_on_the_pc_team",
            "DC-33",
            format!("{id} is not on the PC team: only those delay"),
        ));
    }
    let (to, by) = match (&c.to, &c.after) {
        (Some(to), None) => (Some(later_turn(play.table(), id, to)?), Way::Delayed),
        (None, Some(enemy)) => match later_enemy(play, enemy)? {
            true => (turn_after(&play.table().state, enemy), Way::DelayedAfter),
            false => {
                play.own(PlaceHeld { combatant: id.clone(), behind: Some(enemy.clone()) });
                proceed(play);
                return Ok(());
            }
        },
        _ => {
            let detail = "say either the later PC Turn (`to`) or the enemy (`after`)";
            return Err(Violation::field("to_or_after", "to", detail));
        }
    };
    move_to(play, id, to, by);
    proceed(play);
    Ok(())
}

/// Moves a turn to a PC Turn; to a new one at the end of the order where none is named.
fn move_to(play: &mut Combat<'_>, id: &CombatantId, to: Option<SlotId>, by: Way) {
    let to = to.unwrap_or_else(|| {
        let slot = new_slot(&play.table().state, Team::Pc, false);
        let to = slot.id.clone();
        play.own(SlotAdded { slot, after: None });
        to
    });
    play.own(Delayed { combatant: id.clone(), to, by });
}

/// Gives their places to those who delayed behind an enemy that is assigned by now, and is seen.
pub(in super::super) fn follow(play: &mut Combat<'_>) {
    for id in holding(play.table()) {
        let table = play.table();
        let enemy = table.get(&id).and_then(|c| c.state.behind.as_ref()).and_then(|enemy| table.get(enemy));
        let Some(enemy) = enemy.filter(|enemy| !enemy.hidden && enemy.state.slot.is_some()) else { continue };
        let to = turn_after(&table.state, &enemy.id);
        move_to(play, &id, to, Way::DelayedAfter);
    }
}

/// At the end of the order: those who still hold a place behind an enemy without a turn go on in a new PC Turn. False where there
/// is none.
pub(in super::super) fn stop_holding(play: &mut Combat<'_>) -> bool {
    let holding = holding(play.table());
    let mut to = None;
    for id in &holding {
        move_to(play, id, to, Way::DelayedAfter);
        to = play.table().get(id).and_then(|c| c.state.slot.clone());
    }
    !holding.is_empty()
}

/// Those who delayed and have no place yet.
fn holding(table: &Table) -> Vec<CombatantId> {
    let holds = |c: &&Creature| c.state.delayed && c.state.slot.is_none();
    table.waiting().filter(holds).map(|c| c.id.clone()).collect()
}

/// The PC Turn `to`, if it is one and still to come (DC-37).
fn later_turn(table: &Table, id: &CombatantId, to: &SlotId) -> Result<SlotId, Violation> {
    let state = &table.state;
    let Some(slot) = state.slot(to) else {
        return Err(Violation::field("unknown_slot", "to", format!("there is no turn {to} in the order")));
    };
    if slot.team != Team::Pc {
        return Err(Violation::new("not_a_pc_turn", "DC-37", format!("{to} is not a PC Turn")));
    }
    if slot.unseen && table.get(id).is_some_and(|c| !c.hidden) {
        return Err(Violation::new("turn_of_the_hidden", "DC-33", format!("{to} is a turn of the hidden alone")));
    }
    if !state.later().iter().any(|later| later.id == *to) {
        return Err(Violation::new("not_later", "DC-37", format!("{to} is not later in the order than this turn")));
    }
    Ok(to.clone())
}

/// Whether that enemy has a turn that is still to come; false where it has none yet. Refused where there is nothing to wait for.
fn later_enemy(play: &Combat<'_>, enemy: &CombatantId) -> Result<bool, Violation> {
    let (table, c) = (play.table(), play.combatant("after", enemy)?);
    let refuse = |code, rule, detail: String| Err(Violation::new(code, rule, detail));
    if c.hidden {
        return refuse(
            "not_seen",
            "DC-34",
            format!("{enemy} is hidden: a turn is delayed behind an enemy that is seen"),
        );
    }
    if !is_enemy(c) || !c.active() {
        let detail = format!("{enemy} is no enemy in the fight: to act after an ally move to that PC Turn");
        return refuse("not_an_enemy", "DC-34", detail);
    }
    if c.state.slot.is_none() && !c.acted && !table.state.acting.contains(enemy) {
        return Ok(false);
    }
    if !table.state.later().iter().any(|slot| slot.occupants.contains(enemy)) {
        return refuse("not_later", "DC-37", format!("{enemy}'s turn is not later in the order than this one"));
    }
    Ok(true)
}

/// The first PC Turn to come after that enemy's turn; None where there is none and one must be made (DC-34, ADC7).
fn turn_after(state: &State, enemy: &CombatantId) -> Option<SlotId> {
    let later = state.later();
    let passed = later.iter().position(|slot| slot.occupants.contains(enemy)).map_or(0, |at| at + 1);
    let next = later.iter().skip(passed).find(|slot| slot.team == Team::Pc && !slot.unseen);
    next.map(|slot| slot.id.clone())
}
