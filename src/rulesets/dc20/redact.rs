//! Redacts the turns.
//!
//! The turns that all viewers see do not depend on hidden combatants: neither in number, nor in
//! order, nor in name. A hidden combatant without a place among them has a turn beside them
//! ([`Slot::unseen`]), which only viewers who know a combatant in it see.

use super::team::{MAX_ENEMY_TEAMS, is_pc, is_unseen_team, nth, team};
use super::{
    Combatant, CombatantState, Dc20, Encounter, Event, OrderLaid, Phase, Slot, SlotAdded, SlotId,
    SlotShown, State, Team,
};
use crate::vocabulary::{Audience, CombatantId, Redact, Redaction, Slug};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What an audience knows of the turns.
struct Known<'t> {
    whole: &'t Encounter,
    state: &'t State,
    audience: &'t Audience<'t>,
    /// The unseen teams of the viewer's own combatants: their true numbers and sides, in the order
    /// in which the viewer numbers them.
    unseen: BTreeMap<usize, Slug>,
}

impl<'t> Known<'t> {
    fn of(whole: &'t Encounter, audience: &'t Audience<'t>) -> Self {
        // Several sides may share a number: the first one names it.
        let own = whole.iter().rev().filter(|c| c.hidden && audience.sees(c));
        let unseen = own.filter_map(|c| match team(&whole.state, c) {
            Team::Enemy(n) if is_unseen_team(n) => Some((n, c.side.clone())),
            _ => None,
        });
        Self {
            whole,
            state: &whole.state,
            audience,
            unseen: unseen.collect(),
        }
    }

    /// The turn as the viewer knows it, without its combatants.
    fn slot(&self, slot: &Slot) -> Option<Slot> {
        let sees = |c: &Combatant| self.audience.sees(c);
        let present = |id: &CombatantId| self.whole.get(id).is_some_and(sees);
        let own = |c: &Combatant| {
            c.hidden && slot.team != Team::Pc && team(self.state, c) == slot.team && sees(c)
        };
        if slot.unseen && !slot.occupants.iter().any(present) && !self.whole.iter().any(own) {
            return None;
        }
        let known = Slot {
            occupants: Vec::new(),
            ..slot.clone()
        };
        let Team::Enemy(old) = slot.team else {
            return Some(known);
        };
        let Some(place) = self.unseen.keys().position(|n| *n == old) else {
            return Some(known);
        };
        let team = Team::Enemy(MAX_ENEMY_TEAMS + place + 1);
        let n = slot
            .id
            .as_str()
            .trim_start_matches('e')
            .split('-')
            .next()?
            .parse()
            .ok()?;
        let id = nth(team, true, n).id;
        // The name may belong to a turn that was shown since.
        let taken = self
            .state
            .slots
            .iter()
            .any(|slot| !slot.unseen && slot.id == id);
        Some(Slot {
            id: if taken { slot.id.clone() } else { id },
            team,
            ..known
        })
    }

    /// The viewer's name of a turn.
    fn name(&self, id: &SlotId) -> Option<SlotId> {
        self.state
            .slot(id)
            .and_then(|slot| self.slot(slot))
            .map(|slot| slot.id)
    }
}

pub(super) fn redact(encounter: &mut Encounter, whole: &Encounter, audience: &Audience<'_>) {
    let known = Known::of(whole, audience);
    let present = |id: &CombatantId| audience.knows(id);
    let slots = whole.state.slots.iter().filter_map(|slot| {
        let occupants = slot
            .occupants
            .iter()
            .filter(|id| present(id))
            .cloned()
            .collect();
        Some(Slot {
            occupants,
            ..known.slot(slot)?
        })
    });
    let state = &mut encounter.state;
    state.slots = Arc::new(slots.collect());
    state.slot = whole.state.slot.as_ref().and_then(|at| {
        // The last turn that the viewer knows, up to the current one.
        let place = whole.state.slots.iter().position(|slot| slot.id == *at)?;
        let passed = whole.state.slots.get(..=place)?;
        passed
            .iter()
            .rev()
            .find_map(|slot| known.slot(slot))
            .map(|slot| slot.id)
    });
    state.acting.retain(present);
    state.claims.retain(|claim| present(&claim.combatant));
    state.passed.retain(present);
    if whole.someone_acts(audience) {
        state.phase = Phase::SomeoneActs;
    }
    let slot = |s: &CombatantState| s.slot.as_ref().and_then(|id| known.name(id));
    let behind = |s: &CombatantState| s.behind.clone().filter(present);
    let differs = |s: &CombatantState| slot(s) != s.slot || behind(s) != s.behind;
    encounter.change_states(differs, |s| (s.slot, s.behind) = (slot(s), behind(s)));
    encounter.state.unseen_teams = known.unseen.into_values().collect();
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Dc20>) -> Option<Event> {
    let name = |id: &SlotId| Known::of(redaction.whole, redaction.audience).name(id);
    let mut redacted = match event {
        Event::OrderLaid(_) => {
            let encounter = redaction.after();
            let State {
                winner,
                enemy_teams,
                unseen_teams,
                slots,
                ..
            } = encounter.state.clone();
            let pcs: Vec<&Combatant> = encounter.active().filter(|c| is_pc(c)).collect();
            let succeeded =
                |c: &&&Combatant| c.state.check.as_ref().is_some_and(|check| check.success);
            return Some(
                OrderLaid {
                    successes: pcs.iter().filter(succeeded).count(),
                    pcs: pcs.len(),
                    winner: winner?,
                    enemy_teams,
                    unseen_teams,
                    slots: slots.to_vec(),
                }
                .into(),
            );
        }
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
        Event::TeamJoined(e)
            if e.unseen && !redaction.after().state.unseen_teams.contains(&e.side) =>
        {
            return None;
        }
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

/// A turn that the viewer sees from now on, `after` another or at the end of the order.
fn added(redaction: &Redaction<'_, Dc20>, id: &SlotId, after: bool) -> Option<SlotAdded> {
    let slots = &redaction.after().state.slots;
    let place = slots.iter().position(|slot| slot.id == *id)?;
    let before = place
        .checked_sub(1)
        .and_then(|place| slots.get(place))
        .map(|slot| slot.id.clone());
    Some(SlotAdded {
        slot: slots.get(place)?.clone(),
        after: before.filter(|_| after),
    })
}
