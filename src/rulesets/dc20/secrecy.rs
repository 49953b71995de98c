//! What viewers of DC20 know who do not see all combatants.
//!
//! The turns that all viewers see do not depend on hidden combatants: neither in number, nor in
//! order, nor in name. A hidden combatant without a place among them has a turn beside them
//! ([`Slot::unseen`]), which only viewers who know a combatant in it see.

use super::allowance::legendary;
use super::contest::contest;
use super::team::{MAX_ENEMY_TEAMS, is_pc, is_unseen_team, nth, team, wanting};
use super::{
    CombatantState, Dc20, Encounter, Event, OrderLaid, Phase, Slot, SlotAdded, SlotId, SlotShown,
    State, Team,
};
use crate::vocabulary::{Audience, CombatantId, EventRedaction, Redact, Secrecy, Slug, ids};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Secrecy<Self> for Dc20 {
    /// Where the game master decides, those for whom a turn is decided, or who may take a legendary
    /// action. Where nobody is asked, those in the turn are about to begin.
    fn awaited(encounter: &Encounter) -> Vec<CombatantId> {
        let state = &encounter.state;
        match state.phase {
            Phase::Turn => state.acting.clone(),
            Phase::Claim | Phase::Assign => {
                let Some(slot) = state.at() else {
                    return Vec::new();
                };
                if state.phase == Phase::Claim {
                    let contest = contest(encounter, false);
                    if !contest.asked().is_empty() {
                        return contest.asked().to_vec();
                    }
                }
                let wanting = ids(wanting(encounter, slot));
                if wanting.is_empty() {
                    slot.occupants.clone()
                } else {
                    wanting
                }
            }
            Phase::BetweenTurns | Phase::RoundEnd => {
                ids(encounter.iter().filter(|c| legendary(state, c)))
            }
            Phase::Setup | Phase::Idle | Phase::Over | Phase::SomeoneActs => Vec::new(),
        }
    }

    fn hides_something(encounter: &Encounter) -> bool {
        let State {
            slots,
            unseen_teams,
            ..
        } = &encounter.state;
        !unseen_teams.is_empty() || slots.iter().any(|slot| slot.unseen)
    }

    fn redact(encounter: &mut Encounter, whole: &Encounter, audience: &Audience<'_>) {
        let known = Known::of(whole, audience);
        let mut slots = Vec::new();
        for slot in whole.state.slots.iter() {
            if let Some(slot_known) = known.slot(slot) {
                let mut occupants = slot.occupants.clone();
                occupants.retain(|id| audience.knows(id));
                slots.push(Slot {
                    occupants,
                    ..slot_known
                });
            }
        }
        let state = &mut encounter.state;
        state.slots = Arc::new(slots);
        state.slot = known.reached();
        if whole.someone_acts(audience) {
            state.phase = Phase::SomeoneActs;
        }
        let slot = |s: &CombatantState| s.slot.as_ref().and_then(|id| known.name(id));
        let behind = |s: &CombatantState| s.behind.redact(audience).flatten();
        let differs = |s: &CombatantState| slot(s) != s.slot || behind(s) != s.behind;
        encounter.change_states(differs, |s| {
            s.slot = slot(s);
            s.behind = behind(s);
        });
        encounter.state.unseen_teams = known.unseen.into_values().collect();
    }

    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        let name = |id: &SlotId| Known::of(redaction.whole, redaction.audience).name(id);
        let mut redacted = match event {
            Event::OrderLaid(_) => return known_order(redaction.after()).map(Event::OrderLaid),
            Event::SlotAdded(e) => {
                return added(redaction, &name(&e.added.id)?, e.follows.is_some())
                    .map(Event::SlotAdded);
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
            Event::SlotOpened(_) | Event::LegendaryOpened(_) if redaction.someone_acts => {
                return None;
            }
            event => event.redact(redaction.audience)?,
        };
        match &mut redacted {
            Event::SlotOpened(e) => e.slot = name(&e.slot)?,
            Event::Assigned(e) => e.slot = name(&e.slot)?,
            Event::SlotSkipped(e) => e.slot = name(&e.slot)?,
            Event::SlotsMerged(e) => {
                e.slot = name(&e.slot)?;
                e.emptied = name(&e.emptied)?;
                e.moved_up = e.moved_up.iter().filter_map(name).collect();
            }
            _ => {}
        }
        Some(redacted)
    }
}

/// What an audience knows of the turns.
struct Known<'t> {
    whole: &'t Encounter,
    state: &'t State,
    audience: &'t Audience<'t>,
    /// The unseen teams of the viewer's own combatants: their true numbers and sides, in the order
    /// in which the viewer numbers them.
    unseen: BTreeMap<usize, Slug>,
    /// The names of the turns of these teams, by their true ones.
    names: BTreeMap<SlotId, SlotId>,
}

impl<'t> Known<'t> {
    fn of(whole: &'t Encounter, audience: &'t Audience<'t>) -> Self {
        // Several sides may share a number: the first one names it.
        let own = whole.iter().rev().filter(|c| c.hidden && audience.sees(c));
        let unseen = own.filter_map(|c| match team(&whole.state, c) {
            Team::Enemy(n) if is_unseen_team(n) => Some((n, c.side.clone())),
            _ => None,
        });
        let mut known = Self {
            whole,
            state: &whole.state,
            audience,
            unseen: unseen.collect(),
            names: BTreeMap::new(),
        };
        known.names = known.names_of_unseen();
        known
    }

    /// The names of the turns of unseen teams that the viewer knows. The number of a team counts
    /// those that the viewer knows; a turn never gets the name of another that the viewer knows.
    fn names_of_unseen(&self) -> BTreeMap<SlotId, SlotId> {
        let mut names = BTreeMap::new();
        if self.unseen.is_empty() {
            return names;
        }
        let mut taken = BTreeSet::new();
        let mut renamed = Vec::new();
        for slot in self.state.slots.iter().filter(|slot| self.knows(slot)) {
            match self.number_of_team(slot) {
                Some(team) => renamed.push((slot, team)),
                None => {
                    taken.insert(slot.id.clone());
                }
            }
        }
        for (slot, team) in renamed {
            let mut n = number(&slot.id).unwrap_or(1);
            let mut name = nth(Team::Enemy(team), true, n).id;
            if taken.contains(&name) {
                name = slot.id.clone();
            }
            while !taken.insert(name.clone()) {
                n += 1;
                name = nth(Team::Enemy(team), true, n).id;
            }
            names.insert(slot.id.clone(), name);
        }
        names
    }

    /// The number that the viewer gives to a turn's team, if it is an unseen one.
    fn number_of_team(&self, slot: &Slot) -> Option<usize> {
        let Team::Enemy(team) = slot.team else {
            return None;
        };
        let place = self.unseen.keys().position(|n| *n == team)?;
        Some(MAX_ENEMY_TEAMS + place + 1)
    }

    /// Whether the viewer knows of a turn.
    fn knows(&self, slot: &Slot) -> bool {
        !slot.unseen || self.has_part_in(slot)
    }

    /// Whether the viewer sees a combatant in this turn, or has a hidden one of its team.
    fn has_part_in(&self, slot: &Slot) -> bool {
        for id in &slot.occupants {
            if self.whole.get(id).is_some_and(|c| self.audience.sees(c)) {
                return true;
            }
        }
        for c in self.whole.iter() {
            let is_own = c.hidden && self.audience.sees(c);
            if is_own && slot.team != Team::Pc && team(self.state, c) == slot.team {
                return true;
            }
        }
        false
    }

    /// The turn as the viewer knows it, without its combatants.
    fn slot(&self, slot: &Slot) -> Option<Slot> {
        if !self.knows(slot) {
            return None;
        }
        let mut known = Slot {
            occupants: Vec::new(),
            ..slot.clone()
        };
        if let Some(team) = self.number_of_team(slot) {
            known.team = Team::Enemy(team);
        }
        if let Some(name) = self.names.get(&slot.id) {
            known.id = name.clone();
        }
        Some(known)
    }

    /// The last turn that the viewer knows, up to the one that is going on, was last, or is awaited.
    fn reached(&self) -> Option<SlotId> {
        let at = self.state.slot.as_ref()?;
        let place = self.state.slots.iter().position(|slot| slot.id == *at)?;
        let passed = self.state.slots.get(..=place)?;
        let known = passed.iter().rev().find_map(|slot| self.slot(slot))?;
        Some(known.id)
    }

    /// The viewer's name of a turn.
    fn name(&self, id: &SlotId) -> Option<SlotId> {
        self.state
            .slot(id)
            .and_then(|slot| self.slot(slot))
            .map(|slot| slot.id)
    }
}

/// The number of an Enemy Turn within its team: 2 in `e2-3`.
fn number(id: &SlotId) -> Option<usize> {
    let name = id.as_str().trim_start_matches('e');
    let number: u32 = name.split('-').next()?.parse().ok()?;
    usize::try_from(number).ok()
}

/// The order of turns that a view shows, with the checks of the characters in it.
fn known_order(view: &Encounter) -> Option<OrderLaid> {
    let mut pcs = 0;
    let mut successes = 0;
    for c in view.active() {
        if !is_pc(c) {
            continue;
        }
        pcs += 1;
        if c.state.check.as_ref().is_some_and(|check| check.success) {
            successes += 1;
        }
    }
    Some(OrderLaid {
        successes,
        pcs,
        winner: view.state.winner?,
        enemy_teams: view.state.enemy_teams.clone(),
        unseen_teams: view.state.unseen_teams.clone(),
        slots: view.state.slots.to_vec(),
    })
}

/// A turn that the viewer sees from now on, behind another or at the end of the order.
fn added(
    redaction: &EventRedaction<'_, Dc20>,
    id: &SlotId,
    behind_another: bool,
) -> Option<SlotAdded> {
    let slots = &redaction.after().state.slots;
    let place = slots.iter().position(|slot| slot.id == *id)?;
    let before = place
        .checked_sub(1)
        .and_then(|place| slots.get(place))
        .map(|slot| slot.id.clone());
    Some(SlotAdded {
        added: slots.get(place)?.clone(),
        follows: before.filter(|_| behind_another),
    })
}
