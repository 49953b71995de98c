//! Applies events to the state; no rules here.

use super::team::team;
use super::{
    ActionPoints, Answer, AnyEvent, CombatantState, Critical, Dc20, Encounter, Event, Phase,
    ReadiedAction, Slot, SlotDecision, SlotId, SlotShown, SlotsMerged, State, Team, Way,
};
use crate::vocabulary::{CombatantId, RosterEvent, SharedEvent};
use std::sync::Arc;

pub(super) fn evolve(encounter: &mut Encounter, event: &AnyEvent<Dc20>) {
    match event {
        AnyEvent::Shared(event) => shared(encounter, event),
        AnyEvent::Own(event) => own(encounter, event),
        AnyEvent::Roster(RosterEvent::CombatantUpdated { details, .. }) => {
            if team(&encounter.state, details) != Team::Pc {
                encounter.state.forget_answer(&details.id);
                encounter.change_state(&details.id, |s| s.behind = None);
            }
            // An enemy that hides is followed no more: where it acts must not show.
            if details.hidden {
                stop_following(encounter, &details.id, |_| true);
            }
        }
        AnyEvent::Roster(_) => {}
    }
}

fn shared(encounter: &mut Encounter, event: &SharedEvent) {
    match event {
        SharedEvent::TurnStarted(e) => begin_turn(encounter, &e.combatant),
        SharedEvent::TurnEnded(e) => {
            encounter.state.acting.retain(|id| *id != e.combatant);
            encounter.change_state(&e.combatant, |s| {
                s.committed = None;
                s.stop_delaying();
            });
        }
        SharedEvent::RoundEnded(e) => end_round(encounter, e.round),
        SharedEvent::CombatantLeft(e) => {
            vacate(encounter, &e.combatant);
            encounter.state.forget_answer(&e.combatant);
            // A held turn still knows whom it waited for, until it gets its place.
            let is_over = encounter.state.phase == Phase::Over;
            stop_following(encounter, &e.combatant, |s| is_over || s.slot.is_some());
        }
        SharedEvent::Overridden(e) => take_over(encounter, &e.combatant),
        SharedEvent::EncounterEnded(_) => {
            encounter.state.acting.clear();
            encounter.state.forget_answers();
            encounter.state.phase = Phase::Over;
            encounter.change_states(|s| s.inspiration_die, |s| s.inspiration_die = false);
        }
        _ => {}
    }
}

/// No turn follows this enemy any more, of those for which `wanted` holds.
fn stop_following(
    encounter: &mut Encounter,
    enemy: &CombatantId,
    wanted: impl Fn(&CombatantState) -> bool,
) {
    encounter.change_states(
        |s| s.behind.as_ref() == Some(enemy) && wanted(s),
        |s| s.behind = None,
    );
}

/// The turn of an override takes the place of those in progress. A turn that was awaited is awaited
/// again after it.
fn take_over(encounter: &mut Encounter, id: &CombatantId) {
    let state = &mut encounter.state;
    if matches!(state.phase, Phase::Claim | Phase::Assign) {
        state.deferred = true;
    }
    state.phase = Phase::Turn;
    state.acting = vec![id.clone()];
    encounter.change(id, |c| c.acted = false);
    if let Some(slot) = slot_of(encounter, id) {
        reach(&mut encounter.state, &slot);
    }
}

fn slot_of(encounter: &Encounter, id: &CombatantId) -> Option<SlotId> {
    encounter.get(id)?.state.slot.clone()
}

/// Begins a combatant's turn. The round has reached the Initiative Turn in which it has its place.
fn begin_turn(encounter: &mut Encounter, id: &CombatantId) {
    let slot = slot_of(encounter, id);
    let state = &mut encounter.state;
    if let Some(slot) = slot {
        reach(state, &slot);
    }
    state.phase = Phase::Turn;
    if !state.acting.contains(id) {
        state.acting.push(id.clone());
    }
}

fn set_points(encounter: &mut Encounter, id: &CombatantId, current: u32, max: u32) {
    encounter.change_state(id, |s| s.action_point_pool = ActionPoints { current, max });
}

fn end_round(encounter: &mut Encounter, round: u32) {
    let state = &mut encounter.state;
    state.slot = None;
    state.deferred = false;
    state.seconds = u64::from(round) * 12;
    encounter.change_states(
        |s| s.delayed || s.round_one_adv || s.attacked_with_adv,
        |s| {
            s.stop_delaying();
            s.round_one_adv = false;
            s.attacked_with_adv = false;
        },
    );
}

fn own(encounter: &mut Encounter, event: &Event) {
    match event {
        Event::AggressionDeclared(e) if !e.resolved => {
            encounter.change_state(&e.combatant, |s| s.committed = Some(e.action.clone()));
        }
        Event::DcSet(e) => encounter.state.dc = Some(e.dc),
        Event::Rolled(e) => {
            encounter.change_state(&e.combatant, |s| s.rolled.clone_from(&e.dice));
        }
        Event::CheckMade(e) => {
            let by_round_one = encounter.round <= 1;
            encounter.change_state(&e.combatant, |s| {
                s.inspiration_die = e.check.success;
                s.round_one_adv = by_round_one && e.check.critical == Critical::Success;
                s.attacked_with_adv = by_round_one && e.check.critical == Critical::Failure;
                s.check = Some(e.check.clone());
                s.rolled.clear();
            });
        }
        Event::OrderLaid(e) => {
            encounter.state.winner = Some(e.winner);
            encounter.state.enemy_teams = e.enemy_teams.clone();
            encounter.state.unseen_teams = e.unseen_teams.clone();
            encounter.state.slots = Arc::new(e.slots.clone());
        }
        Event::PointsGiven(e) => {
            for points in &e.grants {
                encounter.change_state(&points.combatant, |s| {
                    s.action_point_pool = ActionPoints {
                        current: points.action_points,
                        max: points.action_points,
                    };
                    s.legendary_points = points.legendary_points;
                });
            }
        }
        Event::SlotOpened(e) => {
            reach(&mut encounter.state, &e.slot);
            encounter.state.phase = match e.decision {
                SlotDecision::Claim => Phase::Claim,
                SlotDecision::Assign => Phase::Assign,
            };
        }
        Event::Claimed(e) => {
            let claim = Answer::Claim { share: e.share };
            encounter.state.answer(&e.combatant, claim);
        }
        Event::Passed(e) => encounter.state.answer(&e.combatant, Answer::Pass),
        Event::SlotTaken(e) => put_into(encounter, &e.slot, &e.combatants, e.because),
        Event::Assigned(e) => {
            put_into(encounter, &e.slot, &e.combatants, e.because);
            // An override puts its combatant into the turn that was awaited.
            let state = &mut encounter.state;
            if state.slot.as_ref() == Some(&e.slot)
                && e.combatants.iter().any(|id| state.acting.contains(id))
            {
                reach(state, &e.slot);
            }
        }
        Event::Unplaced(e) => {
            vacate(encounter, &e.combatant);
            encounter.change(&e.combatant, |c| {
                c.state.slot = None;
                c.state.placed = None;
                c.state.behind = None;
                c.stats.reserve = false;
            });
        }
        Event::Reserved(e) => {
            for id in e.combatants.iter() {
                encounter.change(id, |c| c.stats.reserve = true);
            }
        }
        Event::SlotSkipped(e) => reach(&mut encounter.state, &e.slot),
        Event::TurnMissed(e) => encounter.change(&e.combatant, |c| c.acted = true),
        Event::Returned(e) => {
            encounter.change_state(&e.combatant, CombatantState::stop_delaying);
            begin_turn(encounter, &e.combatant);
        }
        Event::ActionPointsRegained(e) => set_points(encounter, &e.combatant, e.left, e.max),
        Event::PlaceHeld(e) => {
            encounter.state.acting.retain(|id| *id != e.combatant);
            vacate(encounter, &e.combatant);
            encounter.change_state(&e.combatant, |s| {
                s.slot = None;
                s.placed = None;
                s.delayed = true;
                s.behind.clone_from(&e.behind);
            });
        }
        Event::Delayed(e) => {
            encounter.state.acting.retain(|id| *id != e.combatant);
            put_into(
                encounter,
                &e.slot,
                std::slice::from_ref(&e.combatant),
                e.because,
            );
            encounter.change_state(&e.combatant, |s| {
                s.delayed = true;
                s.behind.clone_from(&e.behind);
            });
        }
        Event::SlotAdded(e) => {
            let slots = Arc::make_mut(&mut encounter.state.slots);
            let place = match e.follows.as_ref().and_then(|id| place_of(slots, id)) {
                Some(before) => before + 1,
                None => slots.len(),
            };
            slots.insert(place, e.added.clone());
        }
        Event::TeamJoined(e) if e.unseen => encounter.state.unseen_teams.push(e.side.clone()),
        Event::TeamJoined(e) => encounter.state.enemy_teams.push(e.side.clone()),
        Event::SlotShown(e) => show_slot(encounter, e),
        Event::SlotsMerged(e) => merge_slots(encounter, e),
        Event::ActionPointsChanged(e) => set_points(encounter, &e.combatant, e.left, e.max),
        Event::ActionPointsSpent(e) => {
            encounter.change_state(&e.combatant, |s| s.action_point_pool.current = e.left);
        }
        Event::Readied(e) => encounter.change_state(&e.combatant, |s| {
            s.action_point_pool.current =
                s.action_point_pool.current.saturating_sub(e.action_points);
            s.readied = Some(ReadiedAction {
                action: e.action.clone(),
                trigger: e.trigger.clone(),
                action_points: e.action_points,
            });
        }),
        Event::Triggered(e) => encounter.change_state(&e.combatant, |s| s.readied = None),
        Event::ReadyLapsed(e) => encounter.change_state(&e.combatant, |s| s.readied = None),
        Event::Attacked(e) if e.advantage => {
            encounter.change_state(&e.target, |s| s.attacked_with_adv = false);
        }
        Event::InspirationUsed(e) => {
            encounter.change_state(&e.combatant, |s| s.inspiration_die = false);
        }
        Event::AdvantageUsed(e) => {
            encounter.change_state(&e.combatant, |s| s.round_one_adv = false);
        }
        Event::LegendaryOpened(e) => {
            encounter.state.phase = if e.round_end {
                Phase::RoundEnd
            } else {
                Phase::BetweenTurns
            };
            encounter.change_states(
                |s| s.legendary_points_spent > 0,
                |s| s.legendary_points_spent = 0,
            );
        }
        Event::LegendaryActed(e) => encounter.change_state(&e.combatant, |s| {
            s.legendary_points = e.left;
            s.legendary_points_spent = s.legendary_points_spent.saturating_add(e.spent);
        }),
        Event::LegendaryPointsRegained(e) => {
            encounter.change_state(&e.combatant, |s| s.legendary_points = e.left);
        }
        Event::StandstillReached(_) => encounter.state.phase = Phase::Idle,
        Event::AggressionDeclared(_) | Event::FateChecked(_) | Event::Attacked(_) => {}
    }
}

/// The round comes to a turn. Answers to the turn before it no longer count.
fn reach(state: &mut State, slot: &SlotId) {
    state.slot = Some(slot.clone());
    state.deferred = false;
    state.forget_answers();
}

fn show_slot(encounter: &mut Encounter, e: &SlotShown) {
    if let Some(slot) = slot_mut(encounter, &e.slot) {
        slot.id = e.named.clone();
        slot.unseen = false;
        slot.team = e.team;
    }
    if encounter.state.slot.as_ref() == Some(&e.slot) {
        encounter.state.slot = Some(e.named.clone());
    }
    encounter.change_states(
        |s| s.slot.as_ref() == Some(&e.slot),
        |s| s.slot = Some(e.named.clone()),
    );
}

fn merge_slots(encounter: &mut Encounter, e: &SlotsMerged) {
    let mut moved = Vec::new();
    if let Some(from) = slot_mut(encounter, &e.emptied) {
        from.removed = true;
        moved = std::mem::take(&mut from.occupants);
    }
    put_into(encounter, &e.slot, &moved, Way::Merged);
    // Each later turn takes the place of the turn before it, and the emptied turn the last place.
    let slots = Arc::make_mut(&mut encounter.state.slots);
    for later in &e.moved_up {
        if let Some(emptied) = place_of(slots, &e.emptied)
            && let Some(place) = place_of(slots, later)
        {
            slots.swap(emptied, place);
        }
    }
}

fn place_of(slots: &[Slot], id: &SlotId) -> Option<usize> {
    slots.iter().position(|slot| slot.id == *id)
}

fn slot_mut<'t>(encounter: &'t mut Encounter, id: &SlotId) -> Option<&'t mut Slot> {
    Arc::make_mut(&mut encounter.state.slots)
        .iter_mut()
        .find(|slot| slot.id == *id)
}

/// Moves combatants into a turn.
fn put_into(encounter: &mut Encounter, id: &SlotId, combatants: &[CombatantId], because: Way) {
    for combatant in combatants {
        vacate(encounter, combatant);
    }
    if let Some(slot) = slot_mut(encounter, id) {
        slot.occupants.extend(combatants.iter().cloned());
    }
    for combatant in combatants {
        encounter.change_state(combatant, |s| {
            s.slot = Some(id.clone());
            s.placed = Some(because);
        });
    }
}

/// Takes a combatant out of its turn.
fn vacate(encounter: &mut Encounter, id: &CombatantId) {
    let slots = &mut encounter.state.slots;
    // The guard saves a copy of the turns.
    if slots.iter().any(|slot| slot.occupants.contains(id)) {
        for slot in Arc::make_mut(slots) {
            slot.occupants.retain(|occupant| occupant != id);
        }
    }
}
