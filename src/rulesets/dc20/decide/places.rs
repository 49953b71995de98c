//! Who acts in which Initiative Turn.

use super::*;

/// Refuses a combatant that has a place, has acted, or is out of the fight. It may leave a turn of the hidden.
pub(super) fn placeable(state: &State, c: &Creature) -> Result<(), Violation> {
    let id = &c.id;
    require(c.state.slot.is_some() || !c.state.delayed, "already_placed", "ADC12", || {
        format!("{id} has delayed its turn behind an enemy: its place is held")
    })?;
    if let Some(slot) = c.state.slot.as_ref().filter(|_| !waits_unseen(state, c)) {
        let detail = format!("{id} has its place in the turn {slot}: there is one turn in a round");
        return Err(Violation::new("already_placed", "ADC12", detail));
    }
    require(c.active(), "not_active", "ADC15", || format!("{id} is out of the fight and takes no turn"))?;
    require(!c.acted, "already_acted", "DC-38", || format!("{id} has acted this round"))
}

/// The turn that is awaited in this phase.
pub(super) fn awaited(play: &Combat<'_>, phase: Phase, rule: &'static str) -> Result<SlotId, Violation> {
    let state = &play.table().state;
    let awaited = state.slot.clone().filter(|_| state.phase == phase);
    awaited.ok_or(Violation::new("nothing_to_take", rule, "no such turn waits for its combatants now"))
}

/// The game master puts enemies or NPCs into a turn of their team.
pub(super) fn assign(play: &mut Combat<'_>, c: &Assign) -> Result<(), Violation> {
    let id = match &c.slot {
        Some(slot) => slot.clone(),
        None => awaited(play, Phase::Assign, "DC-20")?,
    };
    let Some(slot) = play.table().state.slot(&id) else {
        return Err(Violation::field("unknown_slot", "slot", format!("there is no turn {id} in the order")));
    };
    require(slot.team != Team::Pc, "pc_turn", "DC-17", || {
        format!("{id} is a PC Turn: the PC team decides who takes it")
    })?;
    require(!slot.removed, "slot_merged", "DC-25", || format!("{id} was merged into another turn"))?;
    let combatants = assignees(play, c, slot)?;
    begin_combat(play);
    play.own(Assigned { slot: id.clone(), combatants: combatants.clone().into(), by: Way::Assigned });
    follow(play);
    let table = play.table();
    let state = &table.state;
    let here = state.slot.as_ref() == Some(&id);
    let all_placed = || state.at().is_some_and(|slot| wanting(table, slot).next().is_none());
    match state.phase {
        Phase::Assign if here || all_placed() => take(play),
        Phase::Turn if here && !state.acting.is_empty() => {
            // After an override some may have the turn already.
            let starting: Vec<_> = combatants.into_iter().filter(|id| !state.acting.contains(id)).collect();
            if !starting.is_empty() {
                begin_turns(play, &id, starting, 0);
                proceed(play);
            }
        }
        Phase::Idle => advance(play),
        _ => {}
    }
    Ok(())
}

/// The combatants that a command puts into a turn of their team.
fn assignees(play: &Combat<'_>, c: &Assign, slot: &Slot) -> Result<Vec<CombatantId>, Violation> {
    let table = play.table();
    let fits = |c: &Creature| team(&table.state, c) == slot.team && (c.hidden || !slot.unseen);
    let first = match (&c.combatant, &c.side) {
        (Some(first), None) => first,
        (None, Some(side)) if c.also.is_empty() => {
            if !table.iter().any(|c| c.side == *side) {
                return Err(Violation::field("unknown_side", "side", format!("nobody is on the side {side}")));
            }
            let free = table.waiting().filter(|c| c.side == *side && c.state.slot.is_none() && !c.stats.reserve);
            let combatants: Vec<CombatantId> = free.filter(|c| fits(c)).map(|c| c.id.clone()).collect();
            require(!combatants.is_empty(), "nobody_to_assign", "DC-20", || {
                format!("nobody on the side {side} waits for a place that {} could be", slot.id)
            })?;
            return Ok(combatants);
        }
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
        let rule = if slot.team == Team::Npc { "DC-28" } else { "DC-26" };
        require(fits(c), "wrong_team", rule, || format!("{} is not a turn of {id}'s team", slot.id))?;
        placeable(&table.state, c)?;
        combatants.push(id.clone());
    }
    Ok(combatants)
}

/// Passes on what is awaited (DC-22, DC-52); on a PC Turn, members of its team pass (DC-17).
pub(super) fn pass(play: &mut Combat<'_>, c: &Pass) -> Result<(), Violation> {
    match play.table().state.phase {
        phase if phase == Phase::Claim || c.combatant.is_some() => return claims::pass(play, c.combatant.as_ref()),
        Phase::Assign => take(play),
        Phase::BetweenTurns | Phase::RoundEnd => close_window(play),
        _ => return Err(Violation::new("nothing_to_pass", "DC-22", "nothing is awaited that could be passed on")),
    }
    Ok(())
}

/// Puts the next two turns of each enemy team into one (DC-25). The team's later turns move up, so that the teams still alternate:
/// sharing has emptied a PC Turn.
pub(super) fn merge(play: &mut Combat<'_>) -> Result<(), Violation> {
    let state = &play.table().state;
    let refuse = |code, detail: &'static str| Err(Violation::new(code, "DC-25", detail));
    let running = matches!(state.phase, Phase::Turn | Phase::BetweenTurns);
    let shared = |slot: &&Slot| running && slot.team == Team::Pc && sharing(play.table(), slot) > 1;
    let Some(shared) = state.at().filter(shared) else {
        return refuse("not_shared", "Enemy Turns are merged while players' characters share a PC Turn");
    };
    if state.merged_turns.contains(&shared.id) {
        return refuse("merged_already", "Enemy Turns were merged for this shared turn already");
    }
    let enemies = |slot: &&Slot| matches!(slot.team, Team::Enemy(_)) && !slot.removed && !slot.unseen;
    let later: Vec<&Slot> = state.later().iter().filter(enemies).collect();
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
    merged.into_iter().for_each(|merged| play.own(merged));
    Ok(())
}
