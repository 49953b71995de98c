//! What those may know of a combat under DC20 who may not know all.
//!
//! A side of which nobody is known has no team: its turns are not there, and the teams after it are numbered on. So it is told as gone
//! too when the last one of it who was seen has left. A hidden member of the PC team that is there from the beginning shows all the
//! same, in the number of turns that every team has (DC-15). And where somebody joins a side as the first of it who is seen, its team
//! and its turns are in the state that all see, but no event tells that they were laid out.

use super::team::{MAX_ENEMY_TEAMS, is_enemy, is_pc, slot_id, team, unplaced};
use super::*;
use std::sync::Arc;

/// Which teams are known, and under which number.
struct Teams {
    /// The new number of each enemy team, where it is known.
    numbers: Vec<Option<u32>>,
    npcs: bool,
}

impl Teams {
    /// The teams that are known at `table`: of those where nobody is, the ones that nobody unseen is or was on.
    fn known(table: &Table, whole: &Table) -> Self {
        let sides = &whole.state.enemy_teams;
        let mut numbers: Vec<Option<u32>> = Vec::new();
        let mut known = 0;
        for (i, side) in sides.iter().enumerate().take(MAX_ENEMY_TEAMS) {
            let of = |c: &Creature| is_enemy(c) && (c.side == *side || i + 1 == MAX_ENEMY_TEAMS);
            let haunted = whole.iter().any(of) || whole.ghosts.iter().any(|ghost| ghost.side == *side);
            numbers.push((table.iter().any(of) || !haunted).then(|| {
                known += 1;
                known
            }));
        }
        // Without any enemy there are turns of one team of them all the same.
        if known == 0 {
            numbers = vec![Some(1)];
        }
        let npcs = |table: &Table| table.iter().any(|c| team(&table.state, c) == Team::Npc);
        Self { numbers, npcs: npcs(table) || !npcs(whole) && whole.ghosts.is_empty() }
    }

    fn number(&self, team: Team) -> Option<Team> {
        match team {
            Team::Pc => Some(Team::Pc),
            Team::Npc => self.npcs.then_some(Team::Npc),
            Team::Enemy(old) => {
                let place = usize::try_from(old).ok()?.checked_sub(1)?;
                self.numbers.get(place).copied().flatten().map(Team::Enemy)
            }
        }
    }

    /// The turn's name and team as they are known.
    fn slot(&self, slot: &Slot) -> Option<(SlotId, Team)> {
        let known = self.number(slot.team)?;
        let (Team::Enemy(_), true) = (known, known != slot.team) else { return Some((slot.id.clone(), known)) };
        let n = slot.id.as_str().trim_start_matches('e').split('-').next()?.parse().ok()?;
        Some((slot_id(known, n), known))
    }

    /// The name under which a turn of the true state is known.
    fn name(&self, state: &State, id: &SlotId) -> Option<SlotId> {
        state.slot(id).and_then(|slot| self.slot(slot)).map(|(id, _)| id)
    }
}

pub(super) fn conceal(table: &mut Table, whole: &Table) {
    let teams = Teams::known(table, whole);
    let mut state = table.state.clone();
    let numbered = (1_u32..).zip(&whole.state.enemy_teams);
    let known = numbered.filter(|(n, side)| {
        let here = |table: &Table| table.iter().any(|c| is_enemy(c) && c.side == **side);
        let shared = usize::try_from(*n).is_ok_and(|n| n >= MAX_ENEMY_TEAMS);
        // The sides that share the last team are known one by one.
        if shared {
            here(table) || !here(whole)
        } else {
            teams.number(Team::Enemy(*n)).is_some() && (here(table) || !here(whole))
        }
    });
    state.enemy_teams = known.map(|(_, side)| side.clone()).collect();
    state.winner = state.winner.map(|winner| teams.number(winner).unwrap_or(Team::Enemy(1)));
    let present = |id: &CombatantId| table.knows(id);
    let slots = whole.state.slots.iter().filter_map(|slot| {
        let (id, team) = teams.slot(slot)?;
        let occupants = slot.occupants.iter().filter(|id| present(id)).cloned().collect();
        Some(Slot { id, team, occupants, removed: slot.removed })
    });
    state.slots = Arc::new(slots.collect());
    state.slot = last_known(&teams, &whole.state);
    state.acting.retain(present);
    table.state = state;
    if someone_acts(table, whole) {
        table.state.phase = Phase::SomeoneActs;
    }
    for seat in &mut table.combatants {
        let slot = seat.standing.slot.as_ref().and_then(|id| teams.name(&whole.state, id));
        if slot != seat.standing.slot {
            seat.change().standing.slot = slot;
        }
    }
}

/// The turn that is going on, or the last one before it that is known.
fn last_known(teams: &Teams, state: &State) -> Option<SlotId> {
    let at = state.slot.as_ref()?;
    let place = state.slots.iter().position(|slot| slot.id == *at)?;
    let passed = state.slots.get(..=place)?;
    passed.iter().rev().find_map(|slot| teams.slot(slot)).map(|(id, _)| id)
}

/// Whether only somebody who is not at the table has the turn or can be named for one.
fn someone_acts(table: &Table, whole: &Table) -> bool {
    let waits = |table: &Table, whose: Team| unplaced(table, whose).next().is_some();
    let legendary = |table: &Table| table.active().any(|c| c.standing.lap > 0 && team(&table.state, c) != Team::Pc);
    match whole.state.phase {
        Phase::Turn => table.state.acting.is_empty() && !whole.state.acting.is_empty(),
        Phase::Claim | Phase::Assign => {
            let whose = whole.state.at().map(|slot| slot.team);
            let known = whose.filter(|_| table.state.slot.is_some());
            let here = |c: &&Creature| table.get(&c.id).is_some();
            whose.is_some_and(|whose| waits(whole, whose))
                && !known.is_some_and(|whose| unplaced(whole, whose).any(|c| here(&c)))
        }
        Phase::BetweenTurns | Phase::RoundEnd => !legendary(table) && legendary(whole),
        Phase::Setup | Phase::Idle | Phase::Over | Phase::SomeoneActs => false,
    }
}

pub(super) fn retell(event: &Event, telling: &Telling<'_, Dc20>) -> Option<Event> {
    let teams = || Teams::known(telling.after, telling.whole);
    let name = |id: &SlotId| teams().name(&telling.whole.state, id);
    let some = |ids: &[CombatantId]| Some(telling.names(ids)).filter(|known| !known.is_empty());
    let about = match event {
        Event::DcSet(_) | Event::RoundClosed(_) | Event::NobodyLeft(_) => return Some(event.clone()),
        Event::FateChecked(e) => {
            let Some(side) = &e.team else { return Some(event.clone()) };
            let known = telling.before.iter().any(|c| is_enemy(c) && c.side == *side);
            return known.then(|| event.clone());
        }
        Event::OrderLaid(_) => {
            let State { winner, enemy_teams, slots, .. } = telling.after.state.clone();
            let count = |wanted: &dyn Fn(&Creature) -> bool| {
                let pcs = telling.after.active().filter(|c| is_pc(c) && wanted(c)).count();
                u32::try_from(pcs).unwrap_or(u32::MAX)
            };
            let successes = count(&|c| c.standing.check.as_ref().is_some_and(|check| check.success));
            let (pcs, winner, slots) = (count(&|_| true), winner?, slots.to_vec());
            return Some(Event::OrderLaid(OrderLaid { successes, pcs, winner, enemy_teams, slots }));
        }
        Event::CombatBegan(e) => {
            let points = e.points.iter().filter(|points| telling.knows(&points.combatant)).cloned().collect();
            return Some(Event::CombatBegan(CombatBegan { points }));
        }
        Event::SlotOpened(_) if telling.after.someone_acts() => return None,
        Event::SlotOpened(e) => return Some(Event::SlotOpened(SlotOpened { slot: name(&e.slot)?, ..e.clone() })),
        Event::SlotClaimed(e) => {
            let (combatants, outbid) = (some(&e.combatants)?, telling.names(&e.outbid));
            return Some(Event::SlotClaimed(SlotClaimed { combatants, outbid, ..e.clone() }));
        }
        Event::Assigned(e) => {
            let (slot, combatants) = (name(&e.slot)?, some(&e.combatants)?);
            return Some(Event::Assigned(Assigned { slot, combatants, by: e.by }));
        }
        Event::SlotSkipped(e) => return Some(Event::SlotSkipped(SlotSkipped { slot: name(&e.slot)? })),
        Event::SlotBegan(e) => {
            let (slot, combatants) = (name(&e.slot)?, some(&e.combatants)?);
            return Some(Event::SlotBegan(SlotBegan { slot, combatants }));
        }
        Event::SlotAdded(e) => {
            let id = name(&e.slot.id)?;
            let slots = &telling.after.state.slots;
            let place = slots.iter().position(|slot| slot.id == id)?;
            // The turns of a team that nobody knew of may have been known as those of any enemies.
            if telling.start.state.slot(&id).is_some() {
                return None;
            }
            let before = place.checked_sub(1).and_then(|place| slots.get(place)).map(|slot| slot.id.clone());
            let (slot, after) = (slots.get(place)?.clone(), before.filter(|_| e.after.is_some()));
            return Some(Event::SlotAdded(SlotAdded { slot, after }));
        }
        Event::TeamJoined(e) => return telling.after.state.enemy_teams.contains(&e.side).then(|| event.clone()),
        Event::SlotsMerged(e) => {
            let (into, from, shared) = (name(&e.into)?, name(&e.from)?, e.shared.clone());
            return Some(Event::SlotsMerged(SlotsMerged { into, from, shared }));
        }
        Event::RoundOneLost(e) => {
            return Some(Event::RoundOneLost(RoundOneLost { combatants: some(&e.combatants)? }));
        }
        Event::LegendaryOpened(_) => return (!telling.after.someone_acts()).then(|| event.clone()),
        Event::CombatClosed(e) => {
            return Some(Event::CombatClosed(CombatClosed { dice_lost: telling.names(&e.dice_lost) }));
        }
        Event::Attacked(e) if !telling.knows(&e.target) => return None,
        Event::Attacked(e) => &e.combatant,
        Event::Aggressed(e) => &e.combatant,
        Event::CheckMade(e) => &e.combatant,
        Event::TurnMissed(e) => &e.combatant,
        Event::TurnResumed(e) => &e.combatant,
        Event::TurnClosed(e) => &e.combatant,
        Event::Delayed(e) => &e.combatant,
        Event::PlaceLost(e) => &e.combatant,
        Event::ApChanged(e) => &e.combatant,
        Event::ApSpent(e) => &e.combatant,
        Event::ActionHeld(e) => &e.combatant,
        Event::HeldTriggered(e) => &e.combatant,
        Event::HeldWasted(e) => &e.combatant,
        Event::InspirationUsed(e) => &e.combatant,
        Event::AdvantageUsed(e) => &e.combatant,
        Event::LegendaryActed(e) => &e.combatant,
        Event::LapRegained(e) => &e.combatant,
        Event::TurnSet(e) => &e.combatant,
    };
    telling.knows(about).then(|| event.clone())
}
