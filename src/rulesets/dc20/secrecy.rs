//! Redaction of DC20 for viewers who do not see all combatants.
//!
//! The turns that all viewers see do not depend on hidden combatants: neither in number, nor in
//! order, nor in name. A hidden combatant without a place among them has an unseen turn
//! ([`Slot::unseen`]), which only viewers who know a combatant in it see.

use super::contest::contest_so_far;
use super::legendary::has_legendary_points;
use super::team::{
    FIRST_ENEMIES, MAX_ENEMY_TEAMS, asked_by, is_pc, is_unseen_team, nth_slot, occupants, team,
};
use super::{
    CombatantState, Dc20, Encounter, Event, OrderLaid, Phase, Slot, SlotAdded, SlotId, SlotShown,
    State, Team,
};
use crate::vocabulary::{
    Audience, CombatantId, EventRedaction, KnownCombatants, Redact, Secrecy, Slug, ids,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Secrecy<Self> for Dc20 {
    /// If the game master decides, those for whom a turn is decided, or who may take a legendary
    /// action. If a turn asks for no combatant, those in it, who are about to begin.
    fn awaited(encounter: &Encounter) -> Vec<CombatantId> {
        let state = &encounter.state;
        match state.phase {
            Phase::Turn => state.acting.clone(),
            Phase::Claim | Phase::Assign => match state.reached() {
                Some(slot) => awaited_in(encounter, slot),
                None => Vec::new(),
            },
            Phase::BetweenTurns | Phase::RoundEnd => {
                ids(encounter.iter().filter(|c| has_legendary_points(state, c)))
            }
            Phase::Setup | Phase::Idle | Phase::Over | Phase::SomeoneActs => Vec::new(),
        }
    }

    fn hides_something(encounter: &Encounter) -> bool {
        let state = &encounter.state;
        !state.unseen_teams.is_empty() || state.slots.iter().any(|slot| slot.unseen)
    }

    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State {
            phase,
            slot: _,
            deferred,
            acting,
            dc,
            winner,
            enemy_teams,
            unseen_teams: _,
            slots,
            claims,
            passed,
            seconds,
        } = &whole.state;
        let known = Known::of(whole, audience);
        let mut known_slots = Vec::with_capacity(slots.len());
        for slot in slots.iter() {
            known_slots.extend(known.slot(slot));
        }
        let someone_acts = whole.someone_acts(audience);
        State {
            phase: if someone_acts {
                Phase::SomeoneActs
            } else {
                *phase
            },
            slot: if someone_acts {
                known.last_seen_to_act()
            } else {
                known.reached()
            },
            deferred: *deferred && !someone_acts,
            acting: audience.known(acting),
            dc: *dc,
            winner: *winner,
            enemy_teams: enemy_teams.clone(),
            unseen_teams: known.unseen.into_values().collect(),
            slots: Arc::new(known_slots),
            // They would show whether the hidden one has taken the turn that they answer for.
            claims: if someone_acts {
                Vec::new()
            } else {
                audience.known(claims)
            },
            passed: if someone_acts {
                Vec::new()
            } else {
                audience.known(passed)
            },
            seconds: *seconds,
        }
    }

    fn known_combatants<'t>(
        whole: &'t Encounter,
        audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        let known = Known::of(whole, audience);
        Box::new(move |c| {
            let CombatantState {
                rolled,
                check,
                action_point_pool,
                slot: _,
                placed,
                delayed,
                behind: _,
                inspiration_die,
                round_one_adv,
                attacked_with_adv,
                committed,
                readied,
                legendary_points,
                legendary_points_spent,
            } = &c.state;
            CombatantState {
                rolled: rolled.clone(),
                check: check.clone(),
                action_point_pool: *action_point_pool,
                slot: known.slot_of(&c.state),
                placed: *placed,
                delayed: *delayed,
                behind: known.behind(&c.state),
                inspiration_die: *inspiration_die,
                round_one_adv: *round_one_adv,
                attacked_with_adv: *attacked_with_adv,
                committed: committed.clone(),
                readied: readied.clone(),
                legendary_points: *legendary_points,
                legendary_points_spent: *legendary_points_spent,
            }
        })
    }

    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        let name = |id: &SlotId| Known::of(redaction.whole, redaction.audience).name(id);
        let mut redacted = match event {
            Event::OrderLaid(_) => return known_order(redaction.after()).map(Event::OrderLaid),
            // It would tell of other hidden combatants that have the turn or team already.
            Event::SlotAdded(e) if e.added.unseen => return None,
            Event::TeamJoined(e) if e.unseen => return None,
            Event::SlotAdded(e) => {
                return added(redaction, &name(&e.added.id)?, e.follows.is_some())
                    .map(Event::SlotAdded);
            }
            Event::SlotShown(e) => return shown(redaction, e),
            Event::SlotOpened(_) | Event::LegendaryOpened(_) if redaction.someone_acts => {
                return None;
            }
            // Answers would show whether the hidden one has taken the turn that they are for.
            Event::AnswerLapsed(_) if redaction.someone_acts => return None,
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

/// The combatants that an awaited turn asks for, or else those in it.
fn awaited_in(encounter: &Encounter, slot: &Slot) -> Vec<CombatantId> {
    if encounter.state.phase == Phase::Claim {
        let contest = contest_so_far(encounter);
        if !contest.asked().is_empty() {
            return contest.asked().to_vec();
        }
    }
    let asked = ids(asked_by(encounter, slot));
    if asked.is_empty() {
        slot.occupants.clone()
    } else {
        asked
    }
}

/// The turns as an audience knows them.
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
        let mut unseen = BTreeMap::new();
        for c in whole.iter().rev() {
            if c.hidden
                && audience.sees(c)
                && let Team::Enemy(n) = team(&whole.state, c)
                && is_unseen_team(n)
                && n - MAX_ENEMY_TEAMS <= whole.state.unseen_teams.len()
            {
                unseen.insert(n, c.side.clone());
            }
        }
        let mut known = Self {
            whole,
            state: &whole.state,
            audience,
            unseen,
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
            let mut name = nth_slot(Team::Enemy(team), true, n).id;
            if taken.contains(&name) {
                name = slot.id.clone();
            }
            while !taken.insert(name.clone()) {
                n += 1;
                name = nth_slot(Team::Enemy(team), true, n).id;
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
        // A team that joins after a merge gets no turn there.
        if self.is_merged_away(slot) {
            return false;
        }
        for c in self.whole.iter() {
            let is_own = c.hidden && self.audience.sees(c);
            if is_own && slot.team != Team::Pc && team(self.state, c) == slot.team {
                return true;
            }
        }
        false
    }

    /// True if the turn of the first enemies with the same number was merged into another one.
    fn is_merged_away(&self, slot: &Slot) -> bool {
        let mut slots = self.state.slots.iter();
        slots.any(|other| {
            other.removed && other.team == FIRST_ENEMIES && number(&other.id) == number(&slot.id)
        })
    }

    /// The turn as the viewer knows it: its name, its team, and its combatants.
    fn slot(&self, slot: &Slot) -> Option<Slot> {
        if !self.knows(slot) {
            return None;
        }
        let mut known = slot.clone();
        known.occupants.retain(|id| self.audience.knows(id));
        if let Some(team) = self.number_of_team(slot) {
            known.team = Team::Enemy(team);
        }
        if let Some(name) = self.names.get(&slot.id) {
            known.id = name.clone();
        }
        Some(known)
    }

    /// The last turn that the viewer knows, up to the one that the round has reached.
    fn reached(&self) -> Option<SlotId> {
        let at = self.state.slot.as_ref()?;
        let place = self.state.slots.iter().position(|slot| slot.id == *at)?;
        let passed = self.state.slots.get(..=place)?;
        let known = passed.iter().rev().find_map(|slot| self.slot(slot))?;
        Some(known.id)
    }

    /// The last turn in which the viewer has seen a combatant act: the one that the round has
    /// reached would place a hidden combatant in the order.
    fn last_seen_to_act(&self) -> Option<SlotId> {
        for slot in self.state.slots.iter().rev() {
            let mut occupants = occupants(self.whole, slot);
            if occupants.any(|c| c.acted && self.audience.sees(c)) {
                return self.slot(slot).map(|known| known.id);
            }
        }
        None
    }

    /// A combatant's turn as the viewer names it.
    fn slot_of(&self, state: &CombatantState) -> Option<SlotId> {
        self.name(state.slot.as_ref()?)
    }

    /// The enemy behind which a combatant delays, if the viewer knows it.
    fn behind(&self, state: &CombatantState) -> Option<CombatantId> {
        self.audience.known(&state.behind)
    }

    /// The viewer's name of a turn.
    fn name(&self, id: &SlotId) -> Option<SlotId> {
        self.state
            .slot_named(id)
            .and_then(|slot| self.slot(slot))
            .map(|slot| slot.id)
    }
}

/// The number of a turn within its team: 2 in `e2-3`.
fn number(id: &SlotId) -> Option<usize> {
    let name = id
        .as_str()
        .trim_start_matches(|c: char| c.is_ascii_alphabetic());
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

/// An unseen turn that is shown: the viewer may have known it by another name.
fn shown(redaction: &EventRedaction<'_, Dc20>, e: &SlotShown) -> Option<Event> {
    let turn = redaction.whole.state.slot_named(&e.named)?;
    let known = redaction.start.state.slots.iter().find(|slot| {
        let mut occupants = slot.occupants.iter();
        slot.unseen && occupants.any(|id| turn.occupants.contains(id))
    });
    Some(match known {
        Some(slot) => SlotShown {
            slot: slot.id.clone(),
            ..e.clone()
        }
        .into(),
        None => added(redaction, &e.named, true)?.into(),
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
    let follows = if behind_another && place > 0 {
        slots.get(place - 1).map(|before| before.id.clone())
    } else {
        None
    };
    Some(SlotAdded {
        added: slots.get(place)?.clone(),
        follows,
    })
}
