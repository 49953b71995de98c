//! Follow-ups of shared commands: deaths, arrivals, departures and changes of combatants.

use super::contest::contest_so_far;
use super::decide::{finish_if_decided, place_held_turns};
use super::flow::{
    advance, begin_awaited, begin_combat, close_legendary, finish_turn, leave_slot, start_or_resume,
};
use super::lay::{lacks_room, lay};
use super::points::{adjust_points, full_points, spendable};
use super::team::{asked_by, has_no_turn, in_play, sharers, team};
use super::{
    ActionPointsChanged, AnswerLapsed, AnyEvent, Assigned, Combatant, Dc20, Encounter,
    LegendaryPointsRegained, Phase, Play, SlotId, State, Team, Way,
};
use crate::rulesets::shared::end_turn;
use crate::vocabulary::{CombatantId, RosterEvent, SharedEvent, Violation};

pub(super) fn react(play: &mut Play<'_>, event: &AnyEvent<Dc20>) -> Result<(), Violation> {
    if matches!(play.encounter().state.phase, Phase::Setup | Phase::Over) {
        return Ok(());
    }
    match event {
        AnyEvent::Shared(SharedEvent::Overridden(e)) => {
            take_over(play, &e.combatant);
            return Ok(());
        }
        AnyEvent::Shared(SharedEvent::ConditionSet(e)) => adjust_points(play, &e.combatant),
        AnyEvent::Shared(SharedEvent::ConditionCleared(e)) => {
            adjust_points(play, &e.combatant);
            // Turns are counted for those who are in the fight.
            if play.encounter().is_active(&e.combatant) {
                lay(play);
            }
        }
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            if play.encounter().state.acting.contains(&e.combatant) {
                end_turn(play, &e.combatant);
            }
        }
        AnyEvent::Roster(RosterEvent::CombatantJoined { details }) => admit(play, details),
        AnyEvent::Roster(RosterEvent::CombatantUpdated { details, .. }) => {
            drop_answer(play, details);
            lay(play);
            adjust_points(play, &details.id);
        }
        AnyEvent::Shared(_) | AnyEvent::Own(_) => return Ok(()),
    }
    settle(play);
    Ok(())
}

/// Starts the turn of an override; the turns in progress are taken back. A combatant without a
/// place takes the awaited turn if it is one of its team; else that turn is awaited again
/// afterwards.
fn take_over(play: &mut Play<'_>, id: &CombatantId) {
    begin_combat(play);
    if let Some(slot) = awaited_turn_for(play.encounter(), id) {
        play.emit(Assigned {
            slot,
            combatants: vec![id.clone()].into(),
            because: Way::Assigned,
        });
    }
    place_held_turns(play);
    start_or_resume(play, id);
}

/// The turn that the override has deferred, if it is one of the team of a combatant without a
/// place.
fn awaited_turn_for(encounter: &Encounter, id: &CombatantId) -> Option<SlotId> {
    let state = &encounter.state;
    let slot = state.reached()?;
    let c = encounter.get(id)?;
    if state.deferred && c.state.slot.is_none() && slot.team == team(state, c) {
        Some(slot.id.clone())
    } else {
        None
    }
}

/// A combatant that has left the PC team has no part in its answers (DC-17) and delays (DC-34).
fn drop_answer(play: &mut Play<'_>, c: &Combatant) {
    let state = &play.encounter().state;
    let has_answered = state.claim_of(&c.id).is_some() || state.passed.contains(&c.id);
    if team(state, c) != Team::Pc && (has_answered || c.state.behind.is_some()) {
        play.emit(AnswerLapsed {
            combatant: c.id.clone(),
        });
    }
}

/// Gives a newcomer its points, and lays the order again. After round 1 a new PC for whom turns were
/// added acts in the next vacant PC Turn (DC-24a).
fn admit(play: &mut Play<'_>, c: &Combatant) {
    if play.encounter().round > 0 {
        give_points(play, c);
    }
    let before = pc_turns(&play.encounter().state);
    lay(play);
    let encounter = play.encounter();
    let state = &encounter.state;
    let is_new_pc = !c.hidden && team(state, c) == Team::Pc && has_no_turn(state, c);
    if encounter.round <= 1 || !is_new_pc || pc_turns(state) == before {
        return;
    }
    let vacant = state.later().iter().find(|slot| {
        let is_pc_turn = slot.team == Team::Pc && !slot.unseen;
        is_pc_turn && sharers(encounter, slot) == 0
    });
    if let Some(slot) = vacant {
        play.emit(Assigned {
            slot: slot.id.clone(),
            combatants: vec![c.id.clone()].into(),
            because: Way::Joined,
        });
    }
}

/// The number of PC Turns that all viewers see.
fn pc_turns(state: &State) -> usize {
    let mut turns = 0;
    for slot in state.slots.iter() {
        if slot.team == Team::Pc && !slot.unseen {
            turns += 1;
        }
    }
    turns
}

/// Gives a newcomer its Action Points and Legendary Action Points.
fn give_points(play: &mut Play<'_>, c: &Combatant) {
    let points = full_points(c);
    play.emit(ActionPointsChanged {
        combatant: c.id.clone(),
        left: points.current,
        max: points.max,
    });
    let legendary_points = c.stats.max_legendary_points.count();
    if legendary_points > 0 {
        play.emit(LegendaryPointsRegained {
            combatant: c.id.clone(),
            left: legendary_points,
        });
    }
}

/// Brings the combat on after a command or a change of its combatants.
pub(super) fn settle(play: &mut Play<'_>) {
    for id in fallen_in_turn(play.encounter()) {
        finish_turn(play, &id);
    }
    place_held_turns(play);
    if lacks_room(play.encounter()) {
        lay(play);
    }
    let encounter = play.encounter();
    let state = &encounter.state;
    match state.phase {
        Phase::Turn if state.acting.is_empty() => leave_slot(play),
        Phase::Claim if state.reached().is_some() => {
            finish_if_decided(play, contest_so_far(encounter));
        }
        Phase::Assign => {
            if let Some(slot) = state.reached()
                && asked_by(encounter, slot).is_empty()
            {
                begin_awaited(play);
            }
        }
        Phase::BetweenTurns | Phase::RoundEnd
            if !encounter.active().any(|c| spendable(encounter, c) > 0) =>
        {
            close_legendary(play);
        }
        Phase::Setup | Phase::Idle if in_play(encounter) => advance(play),
        _ => {}
    }
}

/// The combatants out of the fight whose turns are in progress or delayed.
fn fallen_in_turn(encounter: &Encounter) -> Vec<CombatantId> {
    let mut fallen = Vec::new();
    for c in encounter.iter() {
        let in_turn = c.state.delayed || encounter.state.acting.contains(&c.id);
        if in_turn && !c.active() {
            fallen.push(c.id.clone());
        }
    }
    fallen
}
