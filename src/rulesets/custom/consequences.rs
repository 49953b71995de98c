//! What follows from damage, conditions, comings, goings and the game master's word.

use super::candidates::candidates;
use super::cards::choosing_cards;
use super::declare::{show, undeclared};
use super::definition::{Join, Unconscious};
use super::delay::end_vain_delays;
use super::flow::proceed;
use super::gap::is_used;
use super::initiative::{NOTHING, roll_all};
use super::lines::has_clock;
use super::manifest::MANIFEST;
use super::newcomer::{find_place, lose_missed_places};
use super::places::follow_state;
use super::point::Point;
use super::query::{beside_now, definition, in_a_turn, in_top_turn, place_of, top};
use super::roll::owes_roll;
use super::turn::{begin, end_all, end_one};
use super::{CameLate, Custom, GapAt, Halted, Mode, PlaceMoved, Play, TurnOrigin};
use crate::rulesets::shared::end_turn;
use crate::vocabulary::{
    CombatantId, Damaged, Event as AnyEvent, Healed, OUT, RosterEvent, SharedEvent, Status,
    Violation,
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
        roll_all(play, &NOTHING)?;
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
        } if is_used(encounter) => proceed(play, Point::Next),
        Mode::Gap {
            at: GapAt::RoundEnd,
            ..
        } if nobody || !candidates(encounter).is_empty() => proceed(play, Point::Next),
        Mode::Turn if !encounter.state.turns.is_empty() => end_fallen(play),
        _ => {}
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
