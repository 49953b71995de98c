//! What viewers know of a combat under DC20.
//!
//! The turns that everybody sees are laid out for combatants that everybody sees. Their number, order and names do not depend on hidden
//! ones. A hidden combatant without a place among them gets a turn beside them ([`Slot::unseen`]), which is left out here for viewers
//! who know nobody in it.

use super::contest::{Contest, contest};
use super::team::{MAX_ENEMY_TEAMS, is_pc, nth, of_the_hidden, team, wanting};
use super::*;
use crate::vocabulary::{Redact, Slug};
use std::sync::Arc;

/// What an audience knows of the turns.
struct Known<'t> {
    whole: &'t Table,
    state: &'t State,
    audience: &'t Audience<'t>,
    /// The numbers of the unseen teams that somebody at the table is on, and the side: in their order, as the viewer numbers them.
    unseen: Vec<(u32, Slug)>,
}

impl<'t> Known<'t> {
    fn of(whole: &'t Table, audience: &'t Audience<'t>) -> Self {
        let hidden = whole.iter().filter(|c| c.hidden && audience.sees(c));
        let own = hidden.filter_map(|c| match team(&whole.state, c) {
            Team::Enemy(n) if of_the_hidden(n) => Some((n, c.side.clone())),
            _ => None,
        });
        let mut unseen: Vec<(u32, Slug)> = own.collect();
        unseen.sort_by_key(|(n, _)| *n);
        unseen.dedup_by_key(|(n, _)| *n);
        Self { whole, state: &whole.state, audience, unseen }
    }

    /// The turn as it is known, with nobody in it.
    fn slot(&self, slot: &Slot) -> Option<Slot> {
        let sees = |c: &Creature| self.audience.sees(c);
        let present = |id: &CombatantId| self.whole.get(id).is_some_and(sees);
        let own = |c: &Creature| c.hidden && slot.team != Team::Pc && team(self.state, c) == slot.team && sees(c);
        if slot.unseen && !slot.occupants.iter().any(present) && !self.whole.iter().any(own) {
            return None;
        }
        let known = Slot { occupants: Vec::new(), ..slot.clone() };
        let Team::Enemy(old) = slot.team else { return Some(known) };
        let Some(place) = self.unseen.iter().position(|(n, _)| *n == old) else { return Some(known) };
        let team = Team::Enemy(u32::try_from(MAX_ENEMY_TEAMS + place + 1).unwrap_or(old));
        let n = slot.id.as_str().trim_start_matches('e').split('-').next()?.parse().ok()?;
        let id = nth(team, true, n).id;
        // A turn that was shown since keeps its name.
        let taken = self.state.slots.iter().any(|slot| !slot.unseen && slot.id == id);
        Some(Slot { id: if taken { slot.id.clone() } else { id }, team, ..known })
    }

    /// The name under which a turn of the true state is known.
    fn name(&self, id: &SlotId) -> Option<SlotId> {
        self.state.slot(id).and_then(|slot| self.slot(slot)).map(|slot| slot.id)
    }
}

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    let known = Known::of(whole, audience);
    let mut state = table.state.clone();
    let present = |id: &CombatantId| audience.knows(id);
    let slots = whole.state.slots.iter().filter_map(|slot| {
        let occupants = slot.occupants.iter().filter(|id| present(id)).cloned().collect();
        Some(Slot { occupants, ..known.slot(slot)? })
    });
    state.slots = Arc::new(slots.collect());
    state.slot = last_known(&known);
    state.merged_turns = state.merged_turns.iter().filter_map(|id| known.name(id)).collect();
    state.acting.retain(present);
    state.claims.retain(|claim| present(&claim.combatant));
    state.passed.retain(present);
    if someone_acts(whole, audience) {
        state.phase = Phase::SomeoneActs;
    }
    let renamed = |c: &Creature| {
        let behind = c.state.behind.clone().filter(present);
        (c.state.slot.as_ref().and_then(|id| known.name(id)), behind)
    };
    let places: Vec<(Option<SlotId>, Option<CombatantId>)> = table.iter().map(renamed).collect();
    state.unseen_teams = known.unseen.into_iter().map(|(_, side)| side).collect();
    table.state = state;
    for (seat, (slot, behind)) in table.combatants.iter_mut().zip(places) {
        if slot != seat.state.slot || behind != seat.state.behind {
            let state = &mut seat.change().state;
            (state.slot, state.behind) = (slot, behind);
        }
    }
}

/// The turn that is going on, or the last one before it that is known.
fn last_known(known: &Known<'_>) -> Option<SlotId> {
    let at = known.state.slot.as_ref()?;
    let place = known.state.slots.iter().position(|slot| slot.id == *at)?;
    let passed = known.state.slots.get(..=place)?;
    passed.iter().rev().find_map(|slot| known.slot(slot)).map(|slot| slot.id)
}

pub(super) fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
    let state = &whole.state;
    let absent = |id: &CombatantId| audience.misses(whole, id) || !audience.knows(id);
    let legendary = |c: &Creature| c.state.lap > 0 && team(state, c) != Team::Pc;
    match state.phase {
        Phase::Turn => !state.acting.is_empty() && state.acting.iter().all(absent),
        Phase::Claim | Phase::Assign => {
            let Some(slot) = state.at() else { return false };
            let asked: Vec<CombatantId> = match contest(whole) {
                Contest::Open(asked) | Contest::Tied(asked) | Contest::Needed(asked) if state.phase == Phase::Claim => {
                    asked
                }
                _ => wanting(whole, slot).map(|c| c.id.clone()).collect(),
            };
            if !asked.is_empty() {
                return asked.iter().all(|id| audience.misses(whole, id));
            }
            // They are named, and about to begin.
            !slot.occupants.is_empty() && slot.occupants.iter().all(|id| audience.misses(whole, id))
        }
        Phase::BetweenTurns | Phase::RoundEnd => {
            whole.active().any(legendary) && !whole.active().any(|c| audience.sees(c) && legendary(c))
        }
        Phase::SomeoneActs => true,
        Phase::Setup | Phase::Idle | Phase::Over => false,
    }
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Dc20>) -> Option<Event> {
    let name = |id: &SlotId| Known::of(redaction.whole, redaction.audience).name(id);
    let mut redacted = match event {
        Event::OrderLaid(_) => return order_laid(redaction.after()).map(Event::OrderLaid),
        Event::SlotAdded(e) => {
            return added(redaction, &name(&e.slot.id)?, e.after.is_some()).map(Event::SlotAdded);
        }
        Event::SlotShown(e) => {
            let slot = name(&e.slot)?;
            return Some(match redaction.start.state.slot(&slot) {
                Some(_) => SlotShown { slot, team: e.team }.into(),
                None => added(redaction, &slot, true)?.into(),
            });
        }
        Event::TeamJoined(e) if e.unseen && !redaction.after().state.unseen_teams.contains(&e.side) => return None,
        Event::SlotOpened(_) | Event::LegendaryOpened(_) if redaction.someone_acts => return None,
        event => event.redact(redaction.audience)?,
    };
    match &mut redacted {
        Event::SlotOpened(e) => e.slot = name(&e.slot)?,
        Event::Assigned(e) => e.slot = name(&e.slot)?,
        Event::SlotSkipped(e) => e.slot = name(&e.slot)?,
        Event::SlotBegan(e) => e.slot = name(&e.slot)?,
        Event::SlotsMerged(e) => {
            (e.into, e.from) = (name(&e.into)?, name(&e.from)?);
            e.moved_up = e.moved_up.iter().filter_map(name).collect();
        }
        _ => {}
    }
    Some(redacted)
}

/// The turns as the viewer of `table` sees them laid out.
fn order_laid(table: &Table) -> Option<OrderLaid> {
    let State { winner, enemy_teams, unseen_teams, slots, .. } = table.state.clone();
    let count = |wanted: &dyn Fn(&Creature) -> bool| {
        let pcs = table.active().filter(|c| is_pc(c) && wanted(c)).count();
        u32::try_from(pcs).unwrap_or(u32::MAX)
    };
    let successes = count(&|c| c.state.check.as_ref().is_some_and(|check| check.success));
    Some(OrderLaid {
        successes,
        pcs: count(&|_| true),
        winner: winner?,
        enemy_teams,
        unseen_teams,
        slots: slots.to_vec(),
    })
}

/// A turn as it is told that there is one more, `after` another or at the end of the order.
fn added(redaction: &Redaction<'_, Dc20>, id: &SlotId, after: bool) -> Option<SlotAdded> {
    let slots = &redaction.after().state.slots;
    let place = slots.iter().position(|slot| slot.id == *id)?;
    let before = place.checked_sub(1).and_then(|place| slots.get(place)).map(|slot| slot.id.clone());
    Some(SlotAdded { slot: slots.get(place)?.clone(), after: before.filter(|_| after) })
}
