//! What those may know of a fight under EXP who may not know all.

use super::*;
use std::sync::Arc;

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    let mut state = std::mem::take(&mut table.state);
    let present = |id: &CombatantId| audience.knows(id);
    state.asked.retain(present);
    state.duel.retain(present);
    state.announced = state.announced.filter(|announced| present(&announced.combatant));
    state.jumps.retain(|jumper| present(&jumper.combatant));
    let ranking = ranking(&state.ranking, present);
    // The place of each old rank in the list that is left.
    let mut kept = 0_u32;
    let mut places = vec![0];
    for roll in state.ranking.iter() {
        kept = kept.saturating_add(u32::from(roll.combatants.iter().any(present)));
        places.push(kept);
    }
    let place = |rank: u32| usize::try_from(rank).ok().and_then(|rank| places.get(rank)).copied().unwrap_or(kept);
    state.ranking = Arc::new(ranking);
    if someone_acts(whole, audience) {
        state.phase = Phase::SomeoneActs;
    }
    let cursor = place(state.cursor);
    state.cursor = cursor;
    for seat in &mut table.combatants {
        let rank = seat.state.rank.map(place);
        if rank != seat.state.rank {
            seat.change().state.rank = rank;
        }
    }
    table.state = state;
}

pub(super) fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
    let state = &whole.state;
    let lead = |ids: &[CombatantId]| ids.first().is_some_and(|id| audience.misses(whole, id));
    let absent = |id: &CombatantId| audience.misses(whole, id) || !audience.knows(id);
    let asked = || lead(&state.asked) && state.asked.iter().all(absent);
    match state.phase {
        // A duel comes before the list.
        Phase::Pass => lead(&state.duel) || state.duel.is_empty() && asked(),
        Phase::SomeoneActs => true,
        Phase::Setup | Phase::Roll => false,
    }
}

/// The rolls of those who are `present`, with the digits of the ties among them alone.
fn ranking(rolls: &[Roll], present: impl Fn(&CombatantId) -> bool) -> Vec<Roll> {
    let known = rolls.iter().filter_map(|roll| {
        let combatants: Vec<CombatantId> = roll.combatants.iter().filter(|id| present(id)).cloned().collect();
        (!combatants.is_empty()).then(|| Roll { combatants, ..roll.clone() })
    });
    let known: Vec<Roll> = known.collect();
    let needed = |roll: &Roll| {
        let tied = known.iter().filter(|other| other.id != roll.id && other.total == roll.total);
        let alike = |other: &Roll| roll.digits.iter().zip(&other.digits).take_while(|(a, b)| a.face == b.face).count();
        tied.map(|other| alike(other) + 1).max().unwrap_or(0)
    };
    let needed: Vec<usize> = known.iter().map(needed).collect();
    let mut ranking = known;
    for (roll, needed) in ranking.iter_mut().zip(needed) {
        roll.digits.truncate(needed);
    }
    ranking
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Exp>) -> Option<Event> {
    let about = match event {
        Event::PassStarted(_) | Event::UnitOver(_) => return Some(event.clone()),
        Event::InitiativeRolled(e) => {
            let ranking = ranking(&e.ranking, |id| redaction.knows(id));
            return Some(Event::InitiativeRolled(InitiativeRolled { ranking }));
        }
        Event::Asked(e) => {
            let combatants = redaction.names(&e.combatants);
            let passed = usize::try_from(e.rank).unwrap_or(usize::MAX);
            let known = redaction.whole.state.ranking.iter().take(passed);
            let known = known.filter(|roll| roll.combatants.iter().any(|id| redaction.knows(id))).count();
            let rank = u32::try_from(known).unwrap_or(e.rank);
            return (!combatants.is_empty()).then_some(Event::Asked(Asked { rank, combatants }));
        }
        Event::Declared(e) => {
            let rank = redaction.whole.get(&e.combatant).filter(|c| redaction.audience.sees(c))?.state.rank;
            let waits = e.movement == Some(Use::Wait) || e.act == Some(Use::Wait);
            let forced = e.forced || !waits && lowest_of(redaction.whole, rank, |c| redaction.audience.sees(c));
            return Some(Event::Declared(Declared { forced, ..e.clone() }));
        }
        Event::WaitJumped(e) => {
            let before = redaction.names(&e.before);
            return redaction.knows(&e.combatant).then(|| Event::WaitJumped(WaitJumped { before, ..e.clone() }));
        }
        Event::MentalDuelRolled(e) => {
            return e.duel.iter().all(|roll| redaction.knows(&roll.id)).then(|| event.clone());
        }
        Event::MentalAttacked(e) => {
            let target = redaction.name(e.target.as_ref());
            return redaction
                .knows(&e.combatant)
                .then(|| Event::MentalAttacked(MentalAttacked { target, ..e.clone() }));
        }
        Event::Announced(e) => &e.combatant,
        Event::ComponentsLost(e) => &e.combatant,
        Event::ComponentsRestored(e) => &e.combatant,
        Event::DroppedOut(e) => &e.combatant,
        Event::DuelBrokenOff(e) => &e.combatant,
    };
    redaction.knows(about).then(|| event.clone())
}
