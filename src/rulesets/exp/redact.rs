//! What viewers know of a fight under EXP.

use super::*;
use crate::vocabulary::Redact;
use std::sync::Arc;

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    let mut state = std::mem::take(&mut table.state);
    let present = |id: &CombatantId| audience.knows(id);
    state.asked.retain(present);
    state.duel.retain(present);
    state.announced = state.announced.redact(audience).flatten();
    state.jumps.retain(|jumper| present(&jumper.combatant));
    // The place of each old rank in the list that is left.
    let mut kept = 0_u32;
    let mut places = vec![0];
    for roll in state.ranking.iter() {
        kept = kept.saturating_add(u32::from(roll.combatants.iter().any(present)));
        places.push(kept);
    }
    let place = |rank: u32| usize::try_from(rank).ok().and_then(|rank| places.get(rank)).copied().unwrap_or(kept);
    state.ranking = Arc::new(ranking(&state.ranking, audience));
    if Exp::someone_acts(whole, audience) {
        state.phase = Phase::SomeoneActs;
    }
    state.cursor = place(state.cursor);
    for combatant in &mut table.combatants {
        let rank = combatant.state.rank.map(place);
        if rank != combatant.state.rank {
            combatant.change().state.rank = rank;
        }
    }
    table.state = state;
}

/// The rolls of known combatants, with the digits of the ties among them alone.
fn ranking(rolls: &[Roll], audience: &Audience<'_>) -> Vec<Roll> {
    let known = rolls.iter().filter_map(|roll| {
        let combatants = roll.combatants.redact(audience).filter(|known| !known.is_empty())?;
        Some(Roll { combatants, ..roll.clone() })
    });
    let mut ranking: Vec<Roll> = known.collect();
    let needed = |roll: &Roll| {
        let tied = ranking.iter().filter(|other| other.id != roll.id && other.total == roll.total);
        let alike = |other: &Roll| roll.digits.iter().zip(&other.digits).take_while(|(a, b)| a.face == b.face).count();
        tied.map(|other| alike(other) + 1).max().unwrap_or(0)
    };
    let needed: Vec<usize> = ranking.iter().map(needed).collect();
    for (roll, needed) in ranking.iter_mut().zip(needed) {
        roll.digits.truncate(needed);
    }
    ranking
}

/// A roll is for an audience that knows all who rolled; `ranking` redacts the lists of a unit.
impl Redact for Roll {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        self.combatants.iter().all(|id| audience.knows(id)).then(|| self.clone())
    }
}

pub(super) fn redact_event(event: &Event, redaction: &Redaction<'_, Exp>) -> Option<Event> {
    let (audience, whole) = (redaction.audience, redaction.whole);
    match event {
        Event::InitiativeRolled(e) => Some(InitiativeRolled { ranking: ranking(&e.ranking, audience) }.into()),
        Event::Asked(e) => {
            let combatants = e.combatants.redact(audience).filter(|known| !known.is_empty())?;
            let passed = usize::try_from(e.rank).unwrap_or(usize::MAX);
            let known = whole.state.ranking.iter().take(passed);
            let known = known.filter(|roll| roll.combatants.iter().any(|id| audience.knows(id))).count();
            Some(Asked { rank: u32::try_from(known).unwrap_or(e.rank), combatants }.into())
        }
        Event::Declared(e) => {
            let rank = whole.get(&e.combatant).filter(|c| audience.sees(c))?.state.rank;
            let waits = e.movement == Some(Use::Wait) || e.act == Some(Use::Wait);
            let forced = e.forced || !waits && lowest(whole, rank, |c| audience.sees(c));
            Some(Declared { forced, ..e.clone() }.into())
        }
        Event::MentalDuelRolled(e) if e.duel.redact(audience)?.len() < e.duel.len() => None,
        event => event.redact(audience),
    }
}
