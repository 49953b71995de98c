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
        (None, Some(enemy)) => (turn_after(play, enemy)?, Way::DelayedAfter),
        _ => {
            let detail = "say either the later PC Turn (`to`) or the enemy (`after`)";
            return Err(Violation::field("to_or_after", "to", detail));
        }
    };
    let to = match to {
        Some(to) => to,
        None => {
            let slot = new_slot(&play.table().state, Team::Pc, false);
            let to = slot.id.clone();
            play.own(Event::SlotAdded(SlotAdded { slot, after: None }));
            to
        }
    };
    play.own(Event::Delayed(Delayed { combatant: id.clone(), to, by }));
    proceed(play);
    Ok(())
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

/// The first PC Turn after that enemy's turn; None where there is none and one must be made (DC-34, ADC7).
fn turn_after(play: &Combat<'_>, enemy: &CombatantId) -> Result<Option<SlotId>, Violation> {
    let table = play.table();
    let found = table.get(enemy).filter(|c| !c.hidden);
    let Some(c) = found else {
        let detail = format!("there is no combatant {enemy} in this encounter");
        return Err(Violation::field("unknown_combatant", "after", detail));
    };
    if !is_enemy(c) || !c.active() {
        let detail = format!("{enemy} is no enemy in the fight: to act after an ally move to that PC Turn");
        return Err(Violation::new("not_an_enemy", "DC-34", detail));
    }
    let later = table.state.later();
    let at = later.iter().position(|slot| slot.occupants.contains(enemy));
    let Some(at) = at else {
        let detail = format!("{enemy}'s turn is not later in the order than this one");
        return Err(Violation::new("not_later", "DC-37", detail));
    };
    let next = later.iter().skip(at + 1).find(|slot| slot.team == Team::Pc && !slot.unseen);
    Ok(next.map(|slot| slot.id.clone()))
}
