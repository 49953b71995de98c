//! What the events of DC20 do to the state; no rules here.

use super::{Claimed, CombatantState, Event, Phase, Slot, SlotId, SlotsMerged, State, Table, Way};
use crate::vocabulary::CombatantId;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) fn evolve(table: &mut Table, event: &Event) {
    match event {
        Event::Aggressed(e) if e.resolved => {}
        Event::Aggressed(e) => change_state(table, &e.combatant, |s| s.committed = Some(e.action.clone())),
        Event::DcSet(e) => table.state.dc = Some(e.dc),
        Event::CheckMade(e) => change_state(table, &e.combatant, |s| {
            s.inspiration_die = e.check.success;
            s.round_one_adv = e.check.critical == super::Critical::Success;
            s.attacked_with_adv = e.check.critical == super::Critical::Failure;
            s.check = Some(e.check.clone());
        }),
        Event::FateChecked(_) => {}
        Event::OrderLaid(e) => {
            table.state.winner = Some(e.winner);
            table.state.enemy_teams = e.enemy_teams.clone();
            table.state.unseen_teams = e.unseen_teams.clone();
            table.state.slots = Arc::new(e.slots.clone());
        }
        Event::CombatBegan(e) => {
            let points: HashMap<_, _> = e.points.iter().map(|points| (&points.combatant, points)).collect();
            for seat in &mut table.combatants {
                if let Some(points) = points.get(&seat.id) {
                    let state = &mut seat.change().state;
                    (state.ap, state.lap) = (points.ap, points.lap);
                }
            }
        }
        Event::SlotOpened(e) => {
            come_to(&mut table.state, &e.slot);
            table.state.phase = e.phase;
        }
        Event::ClaimMade(e) => {
            forget_answer(&mut table.state, &e.combatant);
            table.state.claims.push(Claimed { combatant: e.combatant.clone(), share: e.share });
        }
        Event::ClaimPassed(e) => {
            forget_answer(&mut table.state, &e.combatant);
            table.state.passed.push(e.combatant.clone());
        }
        Event::SlotClaimed(e) => {
            forget_answers(&mut table.state);
            place(table, &e.slot, &e.combatants, e.by);
        }
        Event::Assigned(e) => place(table, &e.slot, &e.combatants, e.by),
        Event::SlotSkipped(e) => come_to(&mut table.state, &e.slot),
        Event::SlotBegan(e) => {
            let state = &mut table.state;
            state.phase = Phase::Turn;
            come_to(state, &e.slot);
            state.acting.extend(e.combatants.iter().cloned());
        }
        Event::TurnMissed(e) => {
            if let Some(c) = table.get_mut(&e.combatant) {
                c.acted = true;
            }
        }
        Event::TurnResumed(e) => change_state(table, &e.combatant, |s| s.delayed = false),
        Event::TurnClosed(e) => {
            table.state.acting.retain(|id| *id != e.combatant);
            change_state(table, &e.combatant, |s| {
                s.ap = e.ap;
                s.committed = None;
                (s.delayed, s.behind) = (false, None);
            });
        }
        Event::PlaceHeld(e) => {
            table.state.acting.retain(|id| *id != e.combatant);
            vacate(table, &e.combatant);
            change_state(table, &e.combatant, |s| {
                (s.slot, s.placed, s.delayed) = (None, None, true);
                s.behind = e.behind.clone();
            });
        }
        Event::Delayed(e) => {
            table.state.acting.retain(|id| *id != e.combatant);
            place(table, &e.to, std::slice::from_ref(&e.combatant), e.by);
            change_state(table, &e.combatant, |s| (s.delayed, s.behind) = (true, None));
        }
        Event::SlotAdded(e) => {
            let slots = Arc::make_mut(&mut table.state.slots);
            let place = e.after.as_ref().and_then(|id| slots.iter().position(|slot| slot.id == *id));
            slots.insert(place.map_or(slots.len(), |i| i + 1), e.slot.clone());
        }
        Event::TeamJoined(e) if e.unseen => table.state.unseen_teams.push(e.side.clone()),
        Event::TeamJoined(e) => table.state.enemy_teams.push(e.side.clone()),
        Event::SlotShown(e) => {
            if let Some(slot) = slot(table, &e.slot) {
                (slot.unseen, slot.team) = (false, e.team);
            }
        }
        Event::SlotsMerged(e) => {
            let moved = slot(table, &e.from).map(|from| {
                from.removed = true;
                std::mem::take(&mut from.occupants)
            });
            place(table, &e.into, &moved.unwrap_or_default(), Way::Merged);
            move_up(Arc::make_mut(&mut table.state.slots).as_mut_slice(), e);
            if !table.state.merged_turns.contains(&e.shared) {
                table.state.merged_turns.push(e.shared.clone());
            }
        }
        Event::PlaceLost(e) => {
            vacate(table, &e.combatant);
            forget_answer(&mut table.state, &e.combatant);
            for c in table.combatants.iter_mut().filter(|c| c.state.behind.as_ref() == Some(&e.combatant)) {
                c.change().state.behind = None;
            }
            if table.get(&e.combatant).is_none() {
                table.state.acting.retain(|id| *id != e.combatant);
            }
            change_state(table, &e.combatant, |s| {
                s.slot = None;
                s.placed = None;
            });
        }
        Event::ApChanged(e) => change_state(table, &e.combatant, |s| s.ap = e.ap),
        Event::ApSpent(e) => change_state(table, &e.combatant, |s| s.ap.current = e.left),
        Event::ActionHeld(e) => change_state(table, &e.combatant, |s| {
            s.ap.current = s.ap.current.saturating_sub(e.held.ap);
            s.held = Some(e.held.clone());
        }),
        Event::HeldTriggered(e) => change_state(table, &e.combatant, |s| s.held = None),
        Event::HeldWasted(e) => change_state(table, &e.combatant, |s| s.held = None),
        Event::Attacked(e) if e.adv => change_state(table, &e.target, |s| s.attacked_with_adv = false),
        Event::Attacked(_) => {}
        Event::InspirationUsed(e) => change_state(table, &e.combatant, |s| s.inspiration_die = false),
        Event::AdvantageUsed(e) => change_state(table, &e.combatant, |s| s.round_one_adv = false),
        Event::RoundOneLost(e) => {
            for id in e.combatants.iter() {
                change_state(table, id, |s| {
                    s.round_one_adv = false;
                    s.attacked_with_adv = false;
                });
            }
        }
        Event::LegendaryOpened(e) => {
            table.state.phase = e.phase;
            for c in table.combatants.iter_mut().filter(|c| c.state.lap_spent > 0) {
                c.change().state.lap_spent = 0;
            }
        }
        Event::LegendaryActed(e) => change_state(table, &e.combatant, |s| {
            s.lap = e.left;
            s.lap_spent = s.lap_spent.saturating_add(e.spent);
        }),
        Event::LapRegained(e) => change_state(table, &e.combatant, |s| s.lap = e.lap),
        Event::RoundClosed(e) => {
            table.state.seconds = e.seconds;
            (table.state.slot, table.state.put_off) = (None, false);
            for c in table.combatants.iter_mut().filter(|c| c.state.delayed) {
                let state = &mut c.change().state;
                (state.delayed, state.behind) = (false, None);
            }
        }
        Event::NobodyLeft(_) => table.state.phase = Phase::Idle,
        Event::TurnSet(e) => {
            let state = &mut table.state;
            state.put_off |= matches!(state.phase, Phase::Claim | Phase::Assign);
            state.phase = Phase::Turn;
            state.acting = vec![e.combatant.clone()];
            if let Some(c) = table.get_mut(&e.combatant) {
                c.acted = false;
                (c.state.delayed, c.state.behind) = (false, None);
                if let Some(slot) = c.state.slot.clone() {
                    come_to(&mut table.state, &slot);
                }
            }
        }
        Event::CombatClosed(e) => {
            for id in &e.dice_lost {
                change_state(table, id, |s| s.inspiration_die = false);
            }
            table.state.acting.clear();
            forget_answers(&mut table.state);
            table.state.phase = Phase::Over;
        }
    }
}

fn come_to(state: &mut State, slot: &SlotId) {
    (state.slot, state.put_off) = (Some(slot.clone()), false);
    forget_answers(state);
}

fn forget_answer(state: &mut State, combatant: &CombatantId) {
    state.claims.retain(|claim| claim.combatant != *combatant);
    state.passed.retain(|passed| passed != combatant);
}

fn forget_answers(state: &mut State) {
    state.claims.clear();
    state.passed.clear();
}

/// Puts the turns that move up where the ones before them were; the turn that was emptied goes to the last place.
fn move_up(slots: &mut [Slot], e: &SlotsMerged) {
    let place = |id: &SlotId| slots.iter().position(|slot| slot.id == *id);
    let places: Vec<usize> = std::iter::once(&e.from).chain(&e.moved_up).filter_map(place).collect();
    for pair in places.windows(2) {
        if let [to, from] = *pair {
            slots.swap(to, from);
        }
    }
}

fn change_state(table: &mut Table, id: &CombatantId, change: impl FnOnce(&mut CombatantState)) {
    if let Some(c) = table.get_mut(id) {
        change(&mut c.state);
    }
}

fn slot<'t>(table: &'t mut Table, id: &SlotId) -> Option<&'t mut Slot> {
    Arc::make_mut(&mut table.state.slots).iter_mut().find(|slot| slot.id == *id)
}

fn place(table: &mut Table, id: &SlotId, who: &[CombatantId], by: Way) {
    who.iter().for_each(|combatant| vacate(table, combatant));
    if let Some(slot) = slot(table, id) {
        slot.occupants.extend(who.iter().cloned());
    }
    for combatant in who {
        change_state(table, combatant, |s| {
            s.slot = Some(id.clone());
            s.placed = Some(by);
        });
    }
}

fn vacate(table: &mut Table, id: &CombatantId) {
    if table.state.slots.iter().any(|slot| slot.occupants.contains(id)) {
        for slot in Arc::make_mut(&mut table.state.slots) {
            slot.occupants.retain(|o| o != id);
        }
    }
}
