//! What viewers of EXP know who do not see all combatants.

use super::decide::{are_lowest, deciders};
use super::{
    Asked, CombatantState, Declared, Encounter, Event, Exp, InitiativeRoll, InitiativeRolled,
    Phase, State, Use, lowest,
};
use crate::vocabulary::{
    Audience, CombatantId, Die, EventRedaction, KnownCombatants, Redact, Secrecy,
};
use std::collections::HashMap;
use std::sync::Arc;

impl Secrecy<Self> for Exp {
    /// A duel comes before the list, and in it the second waits for the first.
    fn awaited(encounter: &Encounter) -> Vec<CombatantId> {
        let state = &encounter.state;
        if state.phase != Phase::Pass {
            return Vec::new();
        }
        if let Some(first) = state.duel.first() {
            return vec![first.clone()];
        }
        let deciders = deciders(encounter);
        if deciders.is_empty() {
            state.asked.clone()
        } else {
            deciders
        }
    }

    /// The rank that is asked would place a hidden persona in the list.
    fn known_state(whole: &Encounter, audience: &Audience<'_>) -> State {
        let State {
            phase,
            pass,
            cursor,
            asked,
            announced,
            jumps,
            failed,
            kept,
            duel,
            ranking,
        } = &whole.state;
        let asked = audience.known(asked);
        let cursor = if asked.is_empty() { 0 } else { *cursor };
        State {
            phase: if whole.someone_acts(audience) {
                Phase::SomeoneActs
            } else {
                *phase
            },
            pass: *pass,
            cursor: known_rank(&known_ranks(ranking, audience), cursor),
            asked,
            announced: audience.known(announced),
            jumps: audience.known(jumps),
            failed: audience.known(failed),
            kept: audience.known(kept),
            duel: audience.known(duel),
            ranking: Arc::new(InitiativeRoll::known(ranking, audience)),
        }
    }

    fn known_combatants<'t>(
        whole: &'t Encounter,
        audience: &'t Audience<'t>,
    ) -> KnownCombatants<'t, Self> {
        let ranks = known_ranks(&whole.state.ranking, audience);
        Box::new(move |c| {
            let CombatantState {
                rank,
                move_status,
                act_status,
                asked,
                keeps_waiting,
                mental,
                own_roll,
            } = &c.state;
            CombatantState {
                rank: rank.map(|rank| known_rank(&ranks, rank)),
                move_status: *move_status,
                act_status: *act_status,
                asked: *asked,
                keeps_waiting: *keeps_waiting,
                mental: *mental,
                own_roll: own_roll.clone(),
            }
        })
    }

    fn redact_event(event: &Event, redaction: &EventRedaction<'_, Self>) -> Option<Event> {
        let (audience, whole) = (redaction.audience, redaction.whole);
        match event {
            Event::InitiativeRolled(e) => Some(
                InitiativeRolled {
                    ranking: InitiativeRoll::known(&e.ranking, audience),
                }
                .into(),
            ),
            Event::Asked(e) => {
                let combatants = e
                    .combatants
                    .redact(audience)
                    .filter(|known| !known.is_empty())?;
                Some(
                    Asked {
                        rank: known_rank(&known_ranks(&whole.state.ranking, audience), e.rank),
                        forced: are_lowest(whole, &combatants, |c| audience.sees(c)),
                        combatants,
                        starting: e.starting.redact(audience)?,
                    }
                    .into(),
                )
            }
            Event::Declared(e) => {
                let rank = whole
                    .get(&e.combatant)
                    .filter(|c| audience.sees(c))?
                    .state
                    .rank;
                let waits = e.movement == Some(Use::Wait) || e.act == Some(Use::Wait);
                let forced = e.forced || !waits && lowest(whole, rank, |c| audience.sees(c));
                Some(
                    Declared {
                        forced,
                        ..e.clone()
                    }
                    .into(),
                )
            }
            Event::MentalDuelRolled(e) if e.ranking.redact(audience)?.len() < e.ranking.len() => {
                None
            }
            event => event.redact(audience),
        }
    }
}

/// The rank that each place of the list has for the audience, from 0 for the top: how many places
/// it knows up to there.
fn known_ranks(rolls: &[InitiativeRoll], audience: &Audience<'_>) -> Vec<u32> {
    let mut known: u32 = 0;
    let mut ranks = vec![0];
    for roll in rolls {
        if roll.combatants.iter().any(|id| audience.knows(id)) {
            known = known.saturating_add(1);
        }
        ranks.push(known);
    }
    ranks
}

/// The rank that a place has for the audience, by [`known_ranks`].
fn known_rank(ranks: &[u32], rank: u32) -> u32 {
    let place = usize::try_from(rank).unwrap_or(usize::MAX);
    ranks.get(place).or(ranks.last()).copied().unwrap_or(0)
}

/// A roll is for an audience that knows all who rolled; `InitiativeRoll::known` redacts the list of a unit.
impl Redact for InitiativeRoll {
    fn redact(&self, audience: &Audience<'_>) -> Option<Self> {
        self.combatants
            .iter()
            .all(|id| audience.knows(id))
            .then(|| self.clone())
    }
}

impl InitiativeRoll {
    /// The rolls of known combatants, with only the digits that break ties among them.
    pub(super) fn known(rolls: &[Self], audience: &Audience<'_>) -> Vec<Self> {
        let known = rolls.iter().filter_map(|roll| {
            let combatants = roll
                .combatants
                .redact(audience)
                .filter(|known| !known.is_empty())?;
            Some(Self {
                combatants,
                digits: Vec::new(),
                ..roll.clone()
            })
        });
        let mut known: Vec<Self> = known.collect();
        let digits: HashMap<&CombatantId, &Vec<Die>> =
            rolls.iter().map(|roll| (&roll.id, &roll.digits)).collect();
        Self::sort(&mut known, |roll| {
            digits.get(&roll.id)?.get(roll.digits.len()).copied()
        });
        known
    }
}
