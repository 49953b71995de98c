//! Who takes the PC Turn that is awaited (DC-17 to DC-19).
//!
//! A claim waits until every member of the PC team who could take or share the turn has claimed or
//! passed. A hidden member may answer, but no claim waits for it: the delay would reveal it.

use super::team::{has_no_turn, occupied, team, unplaced, waits_unseen};
use super::{Combatant, Encounter, Slot, SlotId, SlotTaken, State, Team, Way};
use crate::rulesets::shared::seen_if_any;
use crate::vocabulary::{CombatantId, ids};
use std::collections::HashSet;

/// The contest for a PC Turn.
pub(super) enum Contest {
    /// These may claim the turn or pass.
    Open(Vec<CombatantId>),
    /// These have the same highest result and do not all share: they agree to share, or pass
    /// (DC-19a).
    Tied(Vec<CombatantId>),
    /// All passed, but there are not enough later turns: one of these must claim it.
    Needed(Vec<CombatantId>),
    /// It is decided.
    Won(SlotTaken),
    /// The turn stays as it is.
    Unclaimed,
}

impl Contest {
    /// The combatants that may still answer.
    pub fn asked(&self) -> &[CombatantId] {
        match self {
            Self::Open(asked) | Self::Tied(asked) | Self::Needed(asked) => asked,
            Self::Won(_) | Self::Unclaimed => &[],
        }
    }
}

/// The result of the Initiative Check, by which claims are compared; no check is below all others.
pub(super) fn result(c: &Combatant) -> Option<i64> {
    c.state.check.as_ref().map(|check| check.total)
}

/// The combatants that can take this PC Turn: without a place, or hidden and waiting for a turn of
/// their own.
pub(super) fn candidates<'t>(
    encounter: &'t Encounter,
    slot: &Slot,
) -> impl Iterator<Item = &'t Combatant> {
    let state = &encounter.state;
    let unseen = slot.unseen;
    encounter.waiting().filter(move |c| {
        team(state, c) == Team::Pc
            && (has_no_turn(c) || waits_unseen(state, c))
            && (c.hidden || !unseen)
    })
}

/// The contest with the answers so far; `closed` if no other answers follow.
pub(super) fn contest(encounter: &Encounter, closed: bool) -> Contest {
    let state = &encounter.state;
    let Some(slot) = state.at() else {
        return Contest::Unclaimed;
    };
    let all: Vec<&Combatant> = candidates(encounter, slot).collect();
    let claimed: HashSet<_> = state.claims.iter().map(|claim| &claim.combatant).collect();
    let passed: HashSet<_> = state.passed.iter().collect();
    let mut claims = all.clone();
    claims.retain(|c| claimed.contains(&c.id));
    let best = best_seen(&claims);
    let mut open = Vec::new();
    for &c in &all {
        if !claimed.contains(&c.id) && !passed.contains(&c.id) && !is_outbid(c, best) {
            open.push(c);
        }
    }
    if !closed && any_needs_turn(&open) {
        Contest::Open(ids(open))
    } else if !claims.is_empty() {
        highest(state, slot, &claims)
    } else if any_needs_turn(&all) && !may_pass(encounter) {
        Contest::Needed(ids(all))
    } else {
        Contest::Unclaimed
    }
}

/// Whether one of them has no turn, unlike a hidden one that waits for a turn of its own.
fn any_needs_turn(candidates: &[&Combatant]) -> bool {
    candidates.iter().any(|c| c.state.slot.is_none())
}

/// The one with the highest result of those who are seen.
fn best_seen<'t>(claimants: &[&'t Combatant]) -> Option<&'t Combatant> {
    let seen = claimants.iter().copied().filter(|c| !c.hidden);
    seen.max_by_key(|c| result(c))
}

fn is_outbid(c: &Combatant, best: Option<&Combatant>) -> bool {
    !c.hidden && best.is_some_and(|best| result(c) < result(best))
}

/// Whether a combatant with a higher check has claimed the awaited turn.
pub(super) fn outbid(encounter: &Encounter, c: &Combatant) -> bool {
    let mut claimants = Vec::new();
    for claim in &encounter.state.claims {
        if let Some(claimant) = encounter.get(&claim.combatant)
            && claimant.active()
        {
            claimants.push(claimant);
        }
    }
    is_outbid(c, best_seen(&claimants))
}

/// The game master gives the awaited turn to one of equal claims (DC-19a).
pub(super) fn decided(state: &State, slot: SlotId, winner: &CombatantId) -> SlotTaken {
    let mut outbid = Vec::new();
    for claim in &state.claims {
        if claim.combatant != *winner {
            outbid.push(claim.combatant.clone());
        }
    }
    SlotTaken {
        slot,
        combatants: vec![winner.clone()].into(),
        because: Way::Contested,
        outbid,
    }
}

/// Whether the PC team can leave the awaited PC Turn empty: later ones ask for all members without
/// a place.
pub(super) fn may_pass(encounter: &Encounter) -> bool {
    let mut asking = 0;
    for slot in encounter.state.later() {
        if slot.team != Team::Pc || slot.unseen {
            continue;
        }
        if encounter.round <= 1 || !occupied(encounter, slot) {
            asking += 1;
        }
    }
    unplaced(encounter, Team::Pc).count() <= asking
}

/// The highest claim takes the turn (DC-18); equal ones share it if all agree (DC-19). If they do
/// not, a hidden one gives way: the tie would reveal it.
fn highest(state: &State, slot: &Slot, claims: &[&Combatant]) -> Contest {
    let best = claims.iter().map(|c| result(c)).max().flatten();
    let mut top = claims.to_vec();
    top.retain(|c| result(c) == best);
    if !agree_to_share(state, &top) {
        top = seen_if_any(top);
    }
    let agreed = agree_to_share(state, &top);
    let winners = ids(top.iter().copied());
    if !agreed {
        return Contest::Tied(winners);
    }
    let mut outbid = claims.to_vec();
    outbid.retain(|c| !winners.contains(&c.id));
    let because = match top.as_slice() {
        [_, _, ..] => Way::Shared,
        [winner] if outbid.iter().any(|c| winner.hidden || !c.hidden) => Way::Contested,
        _ => Way::Claimed,
    };
    Contest::Won(SlotTaken {
        slot: slot.id.clone(),
        combatants: winners.into(),
        because,
        outbid: ids(outbid),
    })
}

/// Whether the highest claim stands alone, or all of these equal ones have a check and agree to
/// share the turn (DC-19).
fn agree_to_share(state: &State, equals: &[&Combatant]) -> bool {
    if equals.len() == 1 {
        return true;
    }
    let mut sharing = HashSet::new();
    for claim in &state.claims {
        if claim.share {
            sharing.insert(&claim.combatant);
        }
    }
    equals
        .iter()
        .all(|c| result(c).is_some() && sharing.contains(&c.id))
}
