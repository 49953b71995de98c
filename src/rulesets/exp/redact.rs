//! What viewers know of a fight under EXP.

use super::*;
use crate::vocabulary::Redact;

/// The place of each rank in the list that is left.
pub(super) fn places(rolls: &[Roll], audience: &Audience<'_>) -> impl Fn(u32) -> u32 {
    let mut known = 0_u32;
    let known = rolls.iter().map(move |roll| {
        known = known.saturating_add(u32::from(roll.combatants.iter().any(|id| audience.knows(id))));
        known
    });
    let places: Vec<u32> = std::iter::once(0).chain(known).collect();
    move |rank| places.get(usize::try_from(rank).unwrap_or(usize::MAX)).or(places.last()).copied().unwrap_or(0)
}

/// The rolls of known combatants, with only the digits of the ties among them.
pub(super) fn ranking(rolls: &[Roll], audience: &Audience<'_>) -> Vec<Roll> {
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
