//! Delayed Initiative: a turn moves for good to a later PC Turn.

use super::*;

pub(super) fn delay(play: &mut Play<'_>, c: &Delay) -> Result<(), Violation> {
    let id = &c.combatant;
    let delayer = play.in_turn(id, "DC-32")?;
    let state = &play.encounter().state;
    require(
        team(state, delayer) == Team::Pc,
        "not_on_the_pc_team",
        "DC-33",
        || format!("{id} is not on the PC team: only its members delay"),
    )?;
    match (&c.to, &c.after) {
        (Some(to), None) => {
            let slot = known_slot(play, "to", to)?;
            let open = !slot.unseen || delayer.hidden;
            let later = state.later().iter().any(|later| later.id == *to);
            require(slot.team == Team::Pc, "not_a_pc_turn", "DC-37", || {
                format!("{to} is not a PC Turn")
            })?;
            require(open, "unseen_turn", "DC-33", || {
                format!("only hidden combatants take {to}")
            })?;
            require(later, "not_later", "DC-37", || {
                format!("{to} is not later in the order than this turn")
            })?;
            move_to(play, id, Some(to.clone()), Way::Delayed);
        }
        (None, Some(enemy)) if later_enemy(play, enemy)? => {
            let to = turn_after(state, enemy);
            move_to(play, id, to, Way::DelayedAfter);
        }
        (None, Some(enemy)) => play.emit(PlaceHeld {
            combatant: id.clone(),
            behind: Some(enemy.clone()),
        }),
        _ => {
            let detail = "say either the later PC Turn (`to`) or the enemy (`after`)";
            return Err(Violation::field("to_or_after", "to", detail));
        }
    }
    Ok(())
}

/// Moves a turn to a PC Turn, by default to a new one at the end of the order.
fn move_to(play: &mut Play<'_>, id: &CombatantId, to: Option<SlotId>, by: Way) {
    let to = to.unwrap_or_else(|| {
        let slot = new_slot(&play.encounter().state, Team::Pc, false);
        let to = slot.id.clone();
        play.emit(SlotAdded { slot, after: None });
        to
    });
    play.emit(Delayed {
        combatant: id.clone(),
        to,
        by,
    });
}

/// Moves the turns that are held behind an enemy that is seen and has a turn by now.
pub(in super::super) fn follow(play: &mut Play<'_>) {
    for id in holding(play.encounter()) {
        let encounter = play.encounter();
        let enemy = encounter
            .get(&id)
            .and_then(|c| c.state.behind.as_ref())
            .and_then(|enemy| encounter.get(enemy));
        let Some(enemy) = enemy.filter(|enemy| !enemy.hidden && enemy.state.slot.is_some()) else {
            continue;
        };
        let to = turn_after(&encounter.state, &enemy.id);
        move_to(play, &id, to, Way::DelayedAfter);
    }
}

/// At the end of the order, moves the turns that are still held to one new PC Turn; whether there
/// are any.
pub(in super::super) fn stop_holding(play: &mut Play<'_>) -> bool {
    let holding = holding(play.encounter());
    let mut to = None;
    for id in &holding {
        move_to(play, id, to, Way::DelayedAfter);
        to = play.encounter().get(id).and_then(|c| c.state.slot.clone());
    }
    !holding.is_empty()
}

/// The combatants that delayed and have no place yet.
fn holding(encounter: &Encounter) -> Vec<CombatantId> {
    let holds = |c: &&Combatant| c.state.delayed && c.state.slot.is_none();
    ids(encounter.waiting().filter(holds))
}

/// Whether that enemy has a turn that is still to come; false if it has none yet.
fn later_enemy(play: &Play<'_>, enemy: &CombatantId) -> Result<bool, Violation> {
    let (state, c) = (&play.encounter().state, play.combatant("after", enemy)?);
    require(!c.hidden, "not_seen", "DC-34", || {
        format!("{enemy} is hidden: a turn is delayed behind an enemy that is seen")
    })?;
    require(is_enemy(c) && c.active(), "not_an_enemy", "DC-34", || {
        format!("{enemy} is not an enemy in the fight: to act after an ally move to that PC Turn")
    })?;
    if c.state.slot.is_none() && !c.acted && !state.acting.contains(enemy) {
        return Ok(false);
    }
    let later = state
        .later()
        .iter()
        .any(|slot| slot.occupants.contains(enemy));
    require(later, "not_later", "DC-37", || {
        format!("{enemy}'s turn is not later in the order than this one")
    })?;
    Ok(true)
}

/// The next PC Turn after that enemy's turn; None if it must be made (DC-34, ADC7).
fn turn_after(state: &State, enemy: &CombatantId) -> Option<SlotId> {
    let later = state.later();
    let passed = later
        .iter()
        .position(|slot| slot.occupants.contains(enemy))
        .map_or(0, |at| at + 1);
    let next = later
        .iter()
        .skip(passed)
        .find(|slot| slot.team == Team::Pc && !slot.unseen);
    next.map(|slot| slot.id.clone())
}
