//! Who acts in which Initiative Turn.

use super::super::flow::*;
use super::super::react::make_room;
use super::super::team::{asking_later, sharing, team, unplaced, waits_unseen, wanting};
use super::super::*;

/// Somebody of the PC team takes the turn that is awaited.
pub(super) fn claim(play: &mut Combat<'_>, c: &Claim) -> Result<(), Violation> {
    let slot = awaited(play, Phase::Claim, "DC-17")?;
    let mut wanting: Vec<&CombatantId> = vec![&c.combatant];
    for id in &c.others {
        if wanting.contains(&id) {
            return Err(Violation::field("named_twice", "others", format!("{id} is named twice")));
        }
        wanting.push(id);
    }
    for (i, id) in wanting.iter().enumerate() {
        claimable(play, if i == 0 { "combatant" } else { "others" }, id)?;
    }
    let result = |id: &CombatantId| play.table().get(id).and_then(|c| c.standing.check.as_ref()).map(|c| c.total);
    let best = wanting.iter().map(|id| result(id)).max().flatten();
    let (top, outbid): (Vec<&CombatantId>, Vec<&CombatantId>) = wanting.iter().partition(|id| result(id) == best);
    if let ([first, second, ..], false) = (top.as_slice(), c.share && best.is_some()) {
        let detail = match best {
            Some(total) => format!("{first} and {second} both have {total}: share the turn or decide who takes it"),
            None => format!("neither {first} nor {second} made a check: decide who takes the turn"),
        };
        return Err(Violation::new("claim_tied", "DC-19", detail));
    }
    let by = match (top.len(), outbid.len()) {
        (1, 0) => Way::Claimed,
        (1, _) => Way::Contested,
        _ => Way::Shared,
    };
    let own = |ids: Vec<&CombatantId>| ids.into_iter().cloned().collect::<Vec<_>>();
    let (combatants, outbid) = (own(top), own(outbid));
    begin_combat(play);
    play.own(Event::SlotClaimed(SlotClaimed { slot: slot.clone(), combatants, by, outbid }));
    // One who is hidden has taken a turn that was laid out for the others.
    make_room(play);
    take(play, &slot);
    Ok(())
}

/// Refuses whoever cannot take a PC Turn now.
fn claimable(play: &Combat<'_>, field: &'static str, id: &CombatantId) -> Result<(), Violation> {
    let c = play.combatant(field, id)?;
    let refuse = |code, rule, detail: String| Err(Violation::new(code, rule, detail));
    if team(&play.table().state, c) != Team::Pc {
        return refuse("not_on_the_pc_team", "DC-17", format!("{id} is not on the PC team: it takes no PC Turn"));
    }
    placeable(&play.table().state, c)
}

/// Refuses whoever has a place, has acted, or is out of the fight. A place among the hidden can be left for another.
fn placeable(state: &State, c: &Creature) -> Result<(), Violation> {
    let id = &c.id;
    if let Some(slot) = c.standing.slot.as_ref().filter(|_| !waits_unseen(state, c)) {
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
fn awaited(play: &Combat<'_>, phase: Phase, rule: &'static str) -> Result<SlotId, Violation> {
    let state = &play.table().state;
    match &state.slot {
        Some(slot) if state.phase == phase => Ok(slot.clone()),
        _ => Err(Violation::new("nothing_to_take", rule, "no such turn waits for somebody to take it now")),
    }
}

/// Begins the turn that was awaited, and goes on where nobody can act in it.
fn take(play: &mut Combat<'_>, slot: &SlotId) {
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
    let mut combatants: Vec<CombatantId> = Vec::with_capacity(1 + c.also.len());
    for (i, id) in std::iter::once(&c.combatant).chain(&c.also).enumerate() {
        let field = if i == 0 { "combatant" } else { "also" };
        let c = play.combatant(field, id)?;
        if combatants.contains(id) {
            return Err(Violation::field("named_twice", field, format!("{id} is named twice")));
        }
        if team(state, c) != whose || unseen && !c.hidden {
            let rule = if whose == Team::Npc { "DC-28" } else { "DC-26" };
            return Err(Violation::new("wrong_team", rule, format!("{slot} is not a turn of {id}'s team")));
        }
        placeable(state, c)?;
        combatants.push(id.clone());
    }
    begin_combat(play);
    play.own(Event::Assigned(Assigned { slot: slot.clone(), combatants: combatants.clone(), by: Way::Assigned }));
    let state = &play.table().state;
    let here = state.slot.as_ref() == Some(&slot);
    match state.phase {
        Phase::Assign if here => take(play, &slot),
        Phase::Assign if nobody_waits(play) => close(play),
        Phase::Turn if here && !state.acting.is_empty() => {
            begin_turns(play, &slot, combatants, 0);
            proceed(play);
        }
        _ => {}
    }
    Ok(())
}

/// Whether everybody of the awaited turn's team has a place by now.
fn nobody_waits(play: &Combat<'_>) -> bool {
    let table = play.table();
    table.state.at().is_some_and(|slot| wanting(table, slot).next().is_none())
}

/// Leaves the awaited turn as it is: empty, or to those who are in it already.
fn close(play: &mut Combat<'_>) {
    if let Some(slot) = play.table().state.slot.clone() {
        take(play, &slot);
    }
}

/// Whether the PC team can leave the awaited PC Turn to later ones: each of those without a place must still find one.
pub(in super::super) fn may_pass(table: &Table) -> bool {
    unplaced(table, Team::Pc).count() <= asking_later(table)
}

pub(super) fn pass(play: &mut Combat<'_>, c: &Pass) -> Result<(), Violation> {
    let table = play.table();
    let phase = table.state.phase;
    if let Some(id) = &c.combatant {
        awaited(play, Phase::Claim, "DC-17")?;
        claimable(play, "combatant", id)?;
        if !may_pass(table) {
            let detail = "somebody must take this PC Turn: there are not enough later ones for all who have none";
            return Err(Violation::new("must_claim", "DC-17", detail));
        }
        close(play);
        return Ok(());
    }
    match phase {
        Phase::Assign => close(play),
        Phase::BetweenTurns => advance(play),
        Phase::RoundEnd => {
            close_round(play);
            advance(play);
        }
        Phase::Claim => {
            let detail = "the PC team decides about a PC Turn: name one of those who could take it in `combatant`";
            return Err(Violation::field("combatant_missing", "combatant", detail));
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
