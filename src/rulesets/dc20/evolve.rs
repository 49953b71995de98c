//! What events do to the state; no rules here.

use super::*;

pub(super) fn evolve(encounter: &mut Encounter, event: &AnyEvent<Dc20>) {
    match event {
        AnyEvent::Shared(event) => shared(encounter, event),
        AnyEvent::Own(event) => own(encounter, event),
        AnyEvent::Roster(_) => {}
    }
}

fn shared(encounter: &mut Encounter, event: &SharedEvent) {
    match event {
        SharedEvent::TurnEnded(e) => encounter.state.acting.retain(|id| *id != e.combatant),
        SharedEvent::RoundEnded(e) => {
            let state = &mut encounter.state;
            (state.slot, state.deferred, state.seconds) = (None, false, u64::from(e.round) * 12);
            let lasting = |s: &CombatantState| s.delayed || s.round_one_adv || s.attacked_with_adv;
            encounter.change_states(lasting, |s| {
                (s.delayed, s.behind) = (false, None);
                (s.round_one_adv, s.attacked_with_adv) = (false, false);
            });
        }
        SharedEvent::CombatantLeft(e) => {
            vacate(encounter, &e.combatant);
            encounter.state.forget_answer(&e.combatant);
            encounter.change_states(
                |s| s.behind.as_ref() == Some(&e.combatant),
                |s| s.behind = None,
            );
        }
        SharedEvent::Overridden(e) => {
            let state = &mut encounter.state;
            state.deferred |= matches!(state.phase, Phase::Claim | Phase::Assign);
            state.phase = Phase::Turn;
            state.acting = vec![e.combatant.clone()];
            encounter.change(&e.combatant, |c| c.acted = false);
            let slot = encounter
                .get(&e.combatant)
                .and_then(|c| c.state.slot.clone());
            slot.iter()
                .for_each(|slot| come_to(&mut encounter.state, slot));
        }
        SharedEvent::EncounterEnded(_) => {
            encounter.state.acting.clear();
            encounter.state.forget_answers();
            encounter.state.phase = Phase::Over;
            encounter.change_states(|s| s.inspiration_die, |s| s.inspiration_die = false);
        }
        _ => {}
    }
}

fn own(encounter: &mut Encounter, event: &Event) {
    match event {
        Event::Aggressed(e) if !e.resolved => {
            encounter.change_state(&e.combatant, |s| s.committed = Some(e.action.clone()));
        }
        Event::DcSet(e) => encounter.state.dc = Some(e.dc),
        Event::CheckRolled(e) => {
            encounter.change_state(&e.combatant, |s| s.rolled.clone_from(&e.dice));
        }
        Event::CheckMade(e) => {
            let critical = Some(e.check.critical).filter(|_| encounter.round <= 1);
            encounter.change_state(&e.combatant, |s| {
                s.inspiration_die = e.check.success;
                s.round_one_adv = critical == Some(Critical::Success);
                s.attacked_with_adv = critical == Some(Critical::Failure);
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
        Event::CombatBegan(e) => e.points.iter().for_each(|points| {
            encounter.change_state(&points.combatant, |s| {
                (s.ap, s.lap) = (points.ap, points.lap);
            });
        }),
        Event::SlotOpened(e) => {
            come_to(&mut encounter.state, &e.slot);
            encounter.state.phase = e.phase;
        }
        Event::ClaimMade(e) => {
            let claim = Answer::Claim { share: e.share };
            encounter.state.answer(&e.combatant, claim);
        }
        Event::ClaimPassed(e) => encounter.state.answer(&e.combatant, Answer::Pass),
        Event::SlotClaimed(e) => place(encounter, &e.slot, &e.combatants, e.by),
        Event::Assigned(e) => {
            place(encounter, &e.slot, &e.combatants, e.by);
            // An override puts its combatant into the turn that was awaited.
            let state = &mut encounter.state;
            if state.slot.as_ref() == Some(&e.slot)
                && e.combatants.iter().any(|id| state.acting.contains(id))
            {
                come_to(state, &e.slot);
            }
        }
        Event::SlotSkipped(e) => come_to(&mut encounter.state, &e.slot),
        Event::SlotBegan(e) => {
            come_to(&mut encounter.state, &e.slot);
            encounter.state.phase = Phase::Turn;
            encounter.state.acting.extend(e.combatants.iter().cloned());
        }
        Event::TurnMissed(e) => encounter.change(&e.combatant, |c| c.acted = true),
        Event::TurnResumed(e) => {
            encounter.change_state(&e.combatant, |s| (s.delayed, s.behind) = (false, None));
        }
        Event::TurnClosed(e) => encounter.change_state(&e.combatant, |s| {
            (s.ap, s.committed) = (e.ap, None);
            (s.delayed, s.behind) = (false, None);
        }),
        Event::PlaceHeld(e) => {
            encounter.state.acting.retain(|id| *id != e.combatant);
            vacate(encounter, &e.combatant);
            encounter.change_state(&e.combatant, |s| {
                (s.slot, s.placed) = (None, None);
                (s.delayed, s.behind) = (true, e.behind.clone());
            });
        }
        Event::Delayed(e) => {
            encounter.state.acting.retain(|id| *id != e.combatant);
            place(encounter, &e.to, std::slice::from_ref(&e.combatant), e.by);
            encounter.change_state(&e.combatant, |s| (s.delayed, s.behind) = (true, None));
        }
        Event::SlotAdded(e) => {
            let slots = Arc::make_mut(&mut encounter.state.slots);
            let place = e
                .after
                .as_ref()
                .and_then(|id| slots.iter().position(|slot| slot.id == *id));
            slots.insert(place.map_or(slots.len(), |i| i + 1), e.slot.clone());
        }
        Event::TeamJoined(e) if e.unseen => encounter.state.unseen_teams.push(e.side.clone()),
        Event::TeamJoined(e) => encounter.state.enemy_teams.push(e.side.clone()),
        Event::SlotShown(e) => {
            if let Some(slot) = slot(encounter, &e.slot) {
                (slot.unseen, slot.team) = (false, e.team);
            }
        }
        Event::SlotsMerged(e) => {
            let moved = slot(encounter, &e.from).map(|from| {
                from.removed = true;
                std::mem::take(&mut from.occupants)
            });
            place(encounter, &e.into, &moved.unwrap_or_default(), Way::Merged);
            // Each later turn takes the place of the turn before it; the emptied turn takes the
            // last place.
            let slots = Arc::make_mut(&mut encounter.state.slots);
            let place = |id: &SlotId| slots.iter().position(|slot| slot.id == *id);
            let places: Vec<usize> = std::iter::once(&e.from)
                .chain(&e.moved_up)
                .filter_map(place)
                .collect();
            places
                .iter()
                .zip(places.iter().skip(1))
                .for_each(|(to, from)| slots.swap(*to, *from));
        }
        Event::ApChanged(e) => encounter.change_state(&e.combatant, |s| s.ap = e.ap),
        Event::ApSpent(e) => encounter.change_state(&e.combatant, |s| s.ap.current = e.left),
        Event::ActionHeld(e) => encounter.change_state(&e.combatant, |s| {
            s.ap.current = s.ap.current.saturating_sub(e.held.ap);
            s.held = Some(e.held.clone());
        }),
        Event::HeldTriggered(e) => encounter.change_state(&e.combatant, |s| s.held = None),
        Event::HeldWasted(e) => encounter.change_state(&e.combatant, |s| s.held = None),
        Event::Attacked(e) if e.adv => {
            encounter.change_state(&e.target, |s| s.attacked_with_adv = false);
        }
        Event::InspirationUsed(e) => {
            encounter.change_state(&e.combatant, |s| s.inspiration_die = false);
        }
        Event::AdvantageUsed(e) => {
            encounter.change_state(&e.combatant, |s| s.round_one_adv = false);
        }
        Event::LegendaryOpened(e) => {
            encounter.state.phase = e.phase;
            encounter.change_states(|s| s.lap_spent > 0, |s| s.lap_spent = 0);
        }
        Event::LegendaryActed(e) => encounter.change_state(&e.combatant, |s| {
            s.lap = e.left;
            s.lap_spent = s.lap_spent.saturating_add(e.spent);
        }),
        Event::LapRegained(e) => encounter.change_state(&e.combatant, |s| s.lap = e.lap),
        Event::NobodyLeft(_) => encounter.state.phase = Phase::Idle,
        Event::Aggressed(_) | Event::FateChecked(_) | Event::Attacked(_) => {}
    }
}

fn come_to(state: &mut State, slot: &SlotId) {
    (state.slot, state.deferred) = (Some(slot.clone()), false);
    state.forget_answers();
}

fn slot<'t>(encounter: &'t mut Encounter, id: &SlotId) -> Option<&'t mut Slot> {
    Arc::make_mut(&mut encounter.state.slots)
        .iter_mut()
        .find(|slot| slot.id == *id)
}

fn place(encounter: &mut Encounter, id: &SlotId, who: &[CombatantId], by: Way) {
    who.iter()
        .for_each(|combatant| vacate(encounter, combatant));
    if let Some(slot) = slot(encounter, id) {
        slot.occupants.extend(who.iter().cloned());
    }
    for combatant in who {
        encounter.change_state(combatant, |s| {
            (s.slot, s.placed) = (Some(id.clone()), Some(by));
        });
    }
}

fn vacate(encounter: &mut Encounter, id: &CombatantId) {
    if encounter
        .state
        .slots
        .iter()
        .any(|slot| slot.occupants.contains(id))
    {
        for slot in Arc::make_mut(&mut encounter.state.slots) {
            slot.occupants.retain(|o| o != id);
        }
    }
}
