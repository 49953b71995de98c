//! Applies events to the state; no rules here.

use super::{
    ActionPoints, Answer, AnyEvent, CombatantState, Dc20, Event, Phase, ReadiedAction, Slot,
    SlotDecision, SlotId, SlotShown, SlotsMerged, State, Way,
};
use crate::vocabulary::{CombatantId, Fold, RosterEvent, SharedEvent};
use std::sync::Arc;

pub(super) fn evolve(fold: &mut Fold<'_, Dc20>, event: &AnyEvent<Dc20>) {
    match event {
        AnyEvent::Shared(event) => shared(fold, event),
        AnyEvent::Own(event) => own(fold, event),
        // An enemy that hides is followed no more: where it acts must not show.
        AnyEvent::Roster(RosterEvent::CombatantUpdated { details, .. }) if details.hidden => {
            stop_following(fold, &details.id, |_| true);
        }
        AnyEvent::Roster(_) => {}
    }
}

fn shared(fold: &mut Fold<'_, Dc20>, event: &SharedEvent) {
    match event {
        SharedEvent::TurnStarted(e) => begin_turn(fold, &e.combatant),
        SharedEvent::TurnEnded(e) => {
            fold.state().acting.retain(|id| *id != e.combatant);
            fold.change_state(&e.combatant, |s| {
                s.committed = None;
                s.stop_delaying();
            });
        }
        SharedEvent::RoundEnded(e) => end_round(fold, e.round),
        SharedEvent::CombatantLeft(e) => {
            vacate(fold, &e.combatant);
            fold.state().forget_answer(&e.combatant);
            // A held turn still knows whom it waited for, until it gets its place.
            let is_over = fold.state().phase == Phase::Over;
            stop_following(fold, &e.combatant, |s| is_over || s.slot.is_some());
        }
        SharedEvent::Overridden(e) => take_over(fold, &e.combatant),
        SharedEvent::EncounterEnded(_) => {
            fold.state().acting.clear();
            fold.state().forget_answers();
            fold.state().phase = Phase::Over;
            fold.change_states(|s| s.inspiration_die, |s| s.inspiration_die = false);
        }
        _ => {}
    }
}

/// No turn follows this enemy any more, of those for which `wanted` holds.
fn stop_following(
    fold: &mut Fold<'_, Dc20>,
    enemy: &CombatantId,
    wanted: impl Fn(&CombatantState) -> bool,
) {
    fold.change_states(
        |s| s.behind.as_ref() == Some(enemy) && wanted(s),
        |s| s.behind = None,
    );
}

/// The turn of an override takes the place of those in progress. A turn that was awaited is awaited
/// again after it.
fn take_over(fold: &mut Fold<'_, Dc20>, id: &CombatantId) {
    let state = fold.state();
    if matches!(state.phase, Phase::Claim | Phase::Assign) {
        state.deferred = true;
    }
    state.phase = Phase::Turn;
    state.acting = vec![id.clone()];
    fold.change(id, |c| c.acted = false);
    if let Some(slot) = slot_of(fold, id) {
        reach(fold.state(), &slot);
    }
}

fn slot_of(fold: &Fold<'_, Dc20>, id: &CombatantId) -> Option<SlotId> {
    fold.state_of(id)?.slot.clone()
}

/// Begins a combatant's turn. The round has reached the Initiative Turn in which it has its place.
fn begin_turn(fold: &mut Fold<'_, Dc20>, id: &CombatantId) {
    let slot = slot_of(fold, id);
    let state = fold.state();
    if let Some(slot) = slot {
        reach(state, &slot);
    }
    state.phase = Phase::Turn;
    if !state.acting.contains(id) {
        state.acting.push(id.clone());
    }
}

fn set_points(fold: &mut Fold<'_, Dc20>, id: &CombatantId, current: u32, max: u32) {
    fold.change_state(id, |s| s.action_point_pool = ActionPoints { current, max });
}

fn end_round(fold: &mut Fold<'_, Dc20>, round: u32) {
    let state = fold.state();
    state.slot = None;
    state.deferred = false;
    state.seconds = u64::from(round) * 12;
    fold.change_states(
        |s| s.delayed || s.round_one_adv || s.attacked_with_adv,
        |s| {
            s.stop_delaying();
            s.round_one_adv = false;
            s.attacked_with_adv = false;
        },
    );
}

fn own(fold: &mut Fold<'_, Dc20>, event: &Event) {
    match event {
        Event::AggressionDeclared(e) if !e.resolved => {
            fold.change_state(&e.combatant, |s| s.committed = Some(e.action.clone()));
        }
        Event::DcSet(e) => fold.state().dc = Some(e.dc),
        Event::Rolled(e) => {
            fold.change_state(&e.combatant, |s| s.rolled.clone_from(&e.dice));
        }
        Event::CheckMade(e) => {
            fold.change_state(&e.combatant, |s| {
                s.inspiration_die = e.check.success;
                s.round_one_adv = e.round_one_adv;
                s.attacked_with_adv = e.attacked_with_adv;
                s.check = Some(e.check.clone());
                s.rolled.clear();
            });
        }
        Event::OrderLaid(e) => {
            fold.state().winner = Some(e.winner);
            fold.state().enemy_teams = e.enemy_teams.clone();
            fold.state().unseen_teams = e.unseen_teams.clone();
            fold.state().slots = Arc::new(e.slots.clone());
        }
        Event::PointsGiven(e) => {
            for points in &e.grants {
                fold.change_state(&points.combatant, |s| {
                    s.action_point_pool = ActionPoints {
                        current: points.action_points,
                        max: points.action_points,
                    };
                    s.legendary_points = points.legendary_points;
                });
            }
        }
        Event::SlotOpened(e) => {
            reach(fold.state(), &e.slot);
            fold.state().phase = match e.decision {
                SlotDecision::Claim => Phase::Claim,
                SlotDecision::Assign => Phase::Assign,
            };
        }
        Event::Claimed(e) => {
            let claim = Answer::Claim { share: e.share };
            fold.state().answer(&e.combatant, claim);
        }
        Event::AnswerLapsed(e) => {
            fold.state().forget_answer(&e.combatant);
            fold.change_state(&e.combatant, |s| s.behind = None);
        }
        Event::Passed(e) => fold.state().answer(&e.combatant, Answer::Pass),
        Event::SlotTaken(e) => put_into(fold, &e.slot, &e.combatants, e.because),
        Event::Assigned(e) => {
            put_into(fold, &e.slot, &e.combatants, e.because);
            // An override puts its combatant into the turn that was awaited.
            let state = fold.state();
            if state.slot.as_ref() == Some(&e.slot)
                && e.combatants.iter().any(|id| state.acting.contains(id))
            {
                reach(state, &e.slot);
            }
        }
        Event::Unplaced(e) => {
            vacate(fold, &e.combatant);
            fold.change(&e.combatant, |c| {
                c.state.slot = None;
                c.state.placed = None;
                c.state.behind = None;
                c.stats.reserve = false;
            });
        }
        Event::Reserved(e) => {
            for id in e.combatants.iter() {
                fold.change(id, |c| c.stats.reserve = true);
            }
        }
        Event::SlotSkipped(e) => reach(fold.state(), &e.slot),
        Event::TurnMissed(e) => fold.change(&e.combatant, |c| c.acted = true),
        Event::Returned(e) => {
            fold.change_state(&e.combatant, CombatantState::stop_delaying);
            begin_turn(fold, &e.combatant);
        }
        Event::ActionPointsRegained(e) => set_points(fold, &e.combatant, e.left, e.max),
        Event::PlaceHeld(e) => {
            fold.state().acting.retain(|id| *id != e.combatant);
            vacate(fold, &e.combatant);
            fold.change_state(&e.combatant, |s| {
                s.slot = None;
                s.placed = None;
                s.delayed = true;
                s.behind.clone_from(&e.behind);
            });
        }
        Event::Delayed(e) => {
            fold.state().acting.retain(|id| *id != e.combatant);
            put_into(fold, &e.slot, std::slice::from_ref(&e.combatant), e.because);
            fold.change_state(&e.combatant, |s| {
                s.delayed = true;
                s.behind.clone_from(&e.behind);
            });
        }
        Event::SlotAdded(e) => {
            let slots = Arc::make_mut(&mut fold.state().slots);
            let place = match e.follows.as_ref().and_then(|id| place_of(slots, id)) {
                Some(before) => before + 1,
                None => slots.len(),
            };
            slots.insert(place, e.added.clone());
        }
        Event::TeamJoined(e) if e.unseen => fold.state().unseen_teams.push(e.side.clone()),
        Event::TeamJoined(e) => fold.state().enemy_teams.push(e.side.clone()),
        Event::SlotShown(e) => show_slot(fold, e),
        Event::SlotsMerged(e) => merge_slots(fold, e),
        Event::ActionPointsChanged(e) => set_points(fold, &e.combatant, e.left, e.max),
        Event::ActionPointsSpent(e) => {
            fold.change_state(&e.combatant, |s| s.action_point_pool.current = e.left);
        }
        Event::Readied(e) => fold.change_state(&e.combatant, |s| {
            s.action_point_pool.current =
                s.action_point_pool.current.saturating_sub(e.action_points);
            s.readied = Some(ReadiedAction {
                action: e.action.clone(),
                trigger: e.trigger.clone(),
                action_points: e.action_points,
            });
        }),
        Event::Triggered(e) => fold.change_state(&e.combatant, |s| s.readied = None),
        Event::ReadyLapsed(e) => fold.change_state(&e.combatant, |s| s.readied = None),
        Event::Attacked(e) if e.advantage => {
            fold.change_state(&e.target, |s| s.attacked_with_adv = false);
        }
        Event::InspirationUsed(e) => {
            fold.change_state(&e.combatant, |s| s.inspiration_die = false);
        }
        Event::AdvantageUsed(e) => {
            fold.change_state(&e.combatant, |s| s.round_one_adv = false);
        }
        Event::LegendaryOpened(e) => {
            fold.state().phase = if e.round_end {
                Phase::RoundEnd
            } else {
                Phase::BetweenTurns
            };
            fold.change_states(
                |s| s.legendary_points_spent > 0,
                |s| s.legendary_points_spent = 0,
            );
        }
        Event::LegendaryActed(e) => fold.change_state(&e.combatant, |s| {
            s.legendary_points = e.left;
            s.legendary_points_spent = s.legendary_points_spent.saturating_add(e.spent);
        }),
        Event::LegendaryPointsRegained(e) => {
            fold.change_state(&e.combatant, |s| s.legendary_points = e.left);
        }
        Event::StandstillReached(_) => fold.state().phase = Phase::Idle,
        Event::AggressionDeclared(_) | Event::FateChecked(_) | Event::Attacked(_) => {}
    }
}

/// The round comes to a turn. Answers to the turn before it no longer count.
fn reach(state: &mut State, slot: &SlotId) {
    state.slot = Some(slot.clone());
    state.deferred = false;
    state.forget_answers();
}

fn show_slot(fold: &mut Fold<'_, Dc20>, e: &SlotShown) {
    if let Some(slot) = slot_mut(fold, &e.slot) {
        slot.id = e.named.clone();
        slot.unseen = false;
        slot.team = e.team;
    }
    if fold.state().slot.as_ref() == Some(&e.slot) {
        fold.state().slot = Some(e.named.clone());
    }
    fold.change_states(
        |s| s.slot.as_ref() == Some(&e.slot),
        |s| s.slot = Some(e.named.clone()),
    );
}

fn merge_slots(fold: &mut Fold<'_, Dc20>, e: &SlotsMerged) {
    let mut moved = Vec::new();
    if let Some(from) = slot_mut(fold, &e.emptied) {
        from.removed = true;
        moved = std::mem::take(&mut from.occupants);
    }
    put_into(fold, &e.slot, &moved, Way::Merged);
    // Each later turn takes the place of the turn before it, and the emptied turn the last place.
    let slots = Arc::make_mut(&mut fold.state().slots);
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

fn slot_mut<'t>(fold: &'t mut Fold<'_, Dc20>, id: &SlotId) -> Option<&'t mut Slot> {
    Arc::make_mut(&mut fold.state().slots)
        .iter_mut()
        .find(|slot| slot.id == *id)
}

/// Moves combatants into a turn.
fn put_into(fold: &mut Fold<'_, Dc20>, id: &SlotId, combatants: &[CombatantId], because: Way) {
    for combatant in combatants {
        vacate(fold, combatant);
    }
    if let Some(slot) = slot_mut(fold, id) {
        slot.occupants.extend(combatants.iter().cloned());
    }
    for combatant in combatants {
        fold.change_state(combatant, |s| {
            s.slot = Some(id.clone());
            s.placed = Some(because);
        });
    }
}

/// Takes a combatant out of its turn.
fn vacate(fold: &mut Fold<'_, Dc20>, id: &CombatantId) {
    let slots = &mut fold.state().slots;
    // The guard saves a copy of the turns.
    if slots.iter().any(|slot| slot.occupants.contains(id)) {
        for slot in Arc::make_mut(slots) {
            slot.occupants.retain(|occupant| occupant != id);
        }
    }
}
