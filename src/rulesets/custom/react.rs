//! What follows from damage, conditions, comings, goings and the game master's word.

use super::candidates::candidates;
use super::definition::{Join, Unconscious};
use super::flow::{Point, begin, close_used_gap, end_all, end_one, proceed, show};
use super::initiative;
use super::lines::{costs_turns, has_clock, has_places, parts_sides};
use super::manifest::MANIFEST;
use super::query::{
    beside_now, change_by_conditions, change_by_wounds, change_of_initiative, choosing_cards,
    definition, in_a_turn, in_top_turn, is_skipped, owes_roll, place_of, top, undeclared,
};
use super::rank::Ranks;
use super::{
    CameLate, Cause, Combatant, Custom, DelayLapsed, Encounter, GapAt, Halted, Mode, Place,
    PlaceMoved, Play, Reached, TurnOrigin,
};
use crate::rulesets::shared::end_turn;
use crate::vocabulary::{
    CombatantId, Damaged, Event as AnyEvent, Healed, OUT, RosterEvent, SharedEvent, Status, Total,
    Violation, ids,
};

pub(super) fn react(play: &mut Play<'_>, event: &AnyEvent<Custom>) -> Result<(), Violation> {
    if play.encounter().status != Status::Running {
        return Ok(());
    }
    match event {
        AnyEvent::Shared(SharedEvent::Overridden(e)) => return take_over(play, &e.combatant),
        AnyEvent::Shared(
            SharedEvent::Damaged(Damaged { combatant, .. })
            | SharedEvent::Healed(Healed { combatant, .. }),
        ) => {
            if !follow_state(play, combatant) {
                return Ok(());
            }
        }
        AnyEvent::Shared(SharedEvent::ConditionSet(e))
            if e.condition == MANIFEST.down && e.member.is_none() =>
        {
            _ = follow_state(play, &e.combatant);
            fall(play, &e.combatant);
        }
        AnyEvent::Shared(SharedEvent::ConditionCleared(e)) => {
            _ = follow_state(play, &e.combatant);
            let down = e.condition == MANIFEST.down
                && definition(play.encounter()).unconscious == Unconscious::Skips;
            if down || OUT.contains(&e.condition.as_str()) {
                come_back(play, &e.combatant);
            }
        }
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            if in_top_turn(play.encounter(), &e.combatant) {
                end_turn(play, &e.combatant);
                proceed(play, Point::Turn);
            }
        }
        AnyEvent::Roster(RosterEvent::CombatantJoined { details }) => {
            find_place(play, &details.id);
            let definition = definition(play.encounter());
            if definition.join == Join::NextRound && !has_clock(definition) {
                play.emit(CameLate {
                    combatant: details.id.clone(),
                    turns: 0,
                });
            }
        }
        AnyEvent::Roster(RosterEvent::CombatantUpdated { details, .. }) => {
            find_place(play, &details.id);
            _ = follow_state(play, &details.id);
        }
        AnyEvent::Shared(SharedEvent::ConditionSet(e)) => _ = follow_state(play, &e.combatant),
        AnyEvent::Shared(_) | AnyEvent::Own(_) => return Ok(()),
    }
    settle(play);
    Ok(())
}

/// Starts the turn of an override: declarations and rolls are settled first. The turns in progress
/// end, because each has taken one of those that its combatant has.
fn take_over(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    if play.encounter().state.mode == Mode::Declaring {
        show(play);
    }
    if owes_roll(play.encounter()) {
        initiative::roll_all(play, &initiative::NOTHING)?;
    }
    end_all(play);
    begin(play, vec![id.clone()], TurnOrigin::Overridden);
    proceed(play, Point::Turn);
    Ok(())
}

/// A combatant becomes unconscious.
fn fall(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    let moves = definition(encounter).unconscious == Unconscious::Moves;
    let is_round_open = matches!(
        encounter.state.mode,
        Mode::Turn | Mode::Gap { .. } | Mode::Choosing
    );
    let is_placed = place_of(encounter, id).is_some();
    if !moves || !is_round_open || !is_placed || in_a_turn(encounter, id) {
        return;
    }
    // Before any turn has ended there is no turn to stand before.
    let (Some(beside), _) = beside_now(encounter) else {
        return;
    };
    if beside != id {
        let beside = Some(beside.clone());
        play.emit(PlaceMoved {
            combatant: id.clone(),
            beside,
            after: false,
            turn: None,
            done: true,
        });
    }
}

/// A combatant is in the fight again: where its place has passed, it waits for the next round.
fn come_back(play: &mut Play<'_>, id: &CombatantId) {
    find_place(play, id);
    let encounter = play.encounter();
    if encounter.is_active(id) && !in_a_turn(encounter, id) {
        lose_missed_places(play, id);
    }
}

/// Gives an active combatant its place, where initiative is known and it has none.
fn find_place(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    let definition = definition(encounter);
    let Some(c) = encounter.get(id) else { return };
    let gets_place = has_places(definition) && encounter.state.rolled;
    if !gets_place || !c.active() || c.state.delaying || place_of(encounter, id).is_some() {
        return;
    }
    let last = definition.join == Join::Last && !has_clock(definition);
    let placed = initiative::newcomer(play, id, last);
    play.emit(placed);
    if !last {
        lose_missed_places(play, id);
    }
}

/// Takes from a combatant the turns of places that the round has passed already.
fn lose_missed_places(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    if costs_turns(definition(encounter)) {
        catch_up_with_clock(play, id);
        return;
    }
    let Some(c) = encounter.get(id) else { return };
    let mut missed = 0;
    let mut open = 0;
    for (at, place) in encounter.state.places.iter().enumerate() {
        if place.combatant != *id || place.done {
            continue;
        }
        if has_passed(encounter, c, at, place) {
            missed += 1;
        } else {
            open += 1;
        }
    }
    if missed > 0 && c.state.turns_left > 0 {
        let turns = c.state.turns_left.min(open);
        play.emit(CameLate {
            combatant: id.clone(),
            turns,
        });
    }
}

/// Moves a combatant whose tick has passed to the present one.
fn catch_up_with_clock(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    let tick = Total::from(i64::from(encounter.state.tick));
    let Some(place) = place_of(encounter, id) else {
        return;
    };
    let behind = tick - place.initiative.total;
    if has_clock(definition(encounter)) && behind > Total::ZERO {
        change_initiative(play, id, Cause::Turn, behind);
    }
}

/// Lets a combatant's initiative follow its wounds and conditions, and says whether it changed.
fn follow_state(play: &mut Play<'_>, id: &CombatantId) -> bool {
    let encounter = play.encounter();
    let definition = definition(encounter);
    let (Some(c), Some(place)) = (encounter.get(id), place_of(encounter, id)) else {
        return false;
    };
    let changes = place.initiative.changes;
    let wounds = change_by_wounds(definition, c) - changes.by_wounds;
    let conditions = change_by_conditions(definition, c) - changes.by_conditions;
    change_initiative(play, id, Cause::Wounds, wounds);
    change_initiative(play, id, Cause::Condition, conditions);
    wounds != Total::ZERO || conditions != Total::ZERO
}

fn change_initiative(play: &mut Play<'_>, id: &CombatantId, cause: Cause, by: Total) {
    if by != Total::ZERO
        && let Some(changed) = change_of_initiative(play.encounter(), id, cause, by)
    {
        play.emit(changed);
    }
}

/// Whether the round has come further than a combatant's place, which stands at this position.
fn has_passed(encounter: &Encounter, c: &Combatant, at: usize, place: &Place) -> bool {
    if place.moved {
        let later = encounter.state.places.iter().skip(at);
        return later.into_iter().any(|other| other.done);
    }
    let ranks = Ranks::of(encounter);
    reached(encounter, c).any(|reached| ranks.is_before(place, reached))
}

/// How far the round has come: the last places that came up, on the combatant's side alone where
/// sides take turns.
fn reached<'t>(encounter: &'t Encounter, c: &'t Combatant) -> impl Iterator<Item = &'t Reached> {
    let mixed = !parts_sides(definition(encounter));
    let sides = encounter.state.sides.iter();
    let known = sides.filter(move |side| mixed || side.side == c.side);
    known.filter_map(|side| side.reached.as_ref())
}

/// Goes on after a change of who is in the fight.
pub(super) fn settle(play: &mut Play<'_>) {
    end_vain_delays(play);
    let encounter = play.encounter();
    let nobody = encounter.active().next().is_none();
    match &encounter.state.mode {
        Mode::Halted => proceed(play, Point::Roll),
        Mode::Declaring if undeclared(encounter).next().is_none() => {
            show(play);
            proceed(play, Point::Roll);
        }
        Mode::Rolling if nobody => play.emit(Halted {}),
        Mode::Keeping if choosing_cards(encounter).next().is_none() => {
            proceed(play, Point::Next);
        }
        Mode::Choosing => proceed(play, Point::Next),
        Mode::Gap {
            at: GapAt::RoundStart | GapAt::AfterTurn,
            ..
        } => close_used_gap(play),
        Mode::Gap { .. } if nobody || !candidates(encounter).is_empty() => {
            proceed(play, Point::Next);
        }
        Mode::Turn if !encounter.state.turns.is_empty() => end_fallen(play),
        _ => {}
    }
}

/// Ends the delays of combatants that are out of the fight or lose their turns.
fn end_vain_delays(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let definition = definition(encounter);
    let delaying = encounter.iter().filter(|c| c.state.delaying);
    let in_vain = delaying.filter(|c| !c.active() || is_skipped(definition, c));
    for combatant in ids(in_vain) {
        play.emit(DelayLapsed { combatant });
    }
}

/// Ends the turns of combatants that are out of the fight.
fn end_fallen(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let mut fallen = Vec::new();
    if let Some(turn) = top(encounter) {
        fallen.clone_from(&turn.combatants);
    }
    fallen.retain(|id| !encounter.is_active(id));
    for id in &fallen {
        end_one(play, id, None);
    }
    proceed(play, Point::Turn);
}
