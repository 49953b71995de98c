//! What viewers know of a fight under EXP.

use super::*;
use crate::vocabulary::Redact;
use std::sync::Arc;

pub(super) fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
    let place = places(&whole.state.ranking, audience);
    let state = &mut table.state;
    state.asked = state.asked.redact(audience).unwrap_or_default();
    state.duel = state.duel.redact(audience).unwrap_or_default();
    state.announced = state.announced.redact(audience).flatten();
    state.jumps = state.jumps.redact(audience).unwrap_or_default();
    state.ranking = Arc::new(ranking(&whole.state.ranking, audience));
    state.cursor = place(state.cursor);
    if Exp::someone_acts(whole, audience) {
        state.phase = Phase::SomeoneActs;
    }
    for combatant in &mut table.combatants {
        let rank = combatant.state.rank.map(&place);
        if rank != combatant.state.rank {
            combatant.change().state.rank = rank;
        }
    }
}

/// The place of each rank in the list that is left.
fn places(rolls: &[Roll], audience: &Audience<'_>) -> impl Fn(u32) -> u32 {
    let mut known = 0_u32;
    let known = rolls.iter().map(move |roll| {
        known = known.saturating_add(u32::from(roll.combatants.iter().any(|id| audience.knows(id))));
        known
    });
    let places: Vec<u32> = std::iter::once(0).chain(known).collect();
    move |rank| places.get(usize::try_from(rank).unwrap_or(usize::MAX)).or(places.last()).copied().unwrap_or(0)
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
            Some(Asked { rank: places(&whole.state.ranking, audience)(e.rank), combatants }.into())
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
