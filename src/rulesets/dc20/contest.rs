//! Compares the claims for the awaited PC Turn: the highest check takes it (DC-18), and equal ones
//! share it or are tied (DC-19). `claim.rs` has the commands, and settles a tie (DC-19a).
//!
//! A claim waits until every member of the PC team who could take or share the turn has claimed or
//! passed. A hidden member may answer, but no claim waits for it: the delay would reveal it.

use super::team::{can_still_act, has_no_turn, team, waiting_for_turn, waits_unseen};
use super::{Combatant, Encounter, Slot, SlotId, SlotTaken, State, Team, Way};
use crate::rulesets::shared::seen_if_any;
use crate::vocabulary::{CombatantId, ids};
use std::collections::HashSet;

/// How the contest for the awaited PC Turn stands.
pub(super) enum Contest {
    /// These may claim the turn or pass.
    Open(Vec<CombatantId>),
    /// These have the same highest result and do not all share: they agree to share, or pass
    /// (DC-19a).
    Tied(Vec<CombatantId>),
    /// All passed, but there are not enough later turns: one of these must claim it.
    MustClaim(Vec<CombatantId>),
    /// It is decided.
    Won(SlotTaken),
    /// Nobody claims the turn: it stays as it is.
    Unclaimed,
}

impl Contest {
    /// The combatants that may still answer.
    pub fn asked(&self) -> &[CombatantId] {
        match self {
            Self::Open(asked) | Self::Tied(asked) | Self::MustClaim(asked) => asked,
            Self::Won(_) | Self::Unclaimed => &[],
        }
    }
}

/// The contest with the answers so far: it is open while someone may still answer.
pub(super) fn contest_so_far(encounter: &Encounter) -> Contest {
    let Some(slot) = encounter.state.reached() else {
        return Contest::Unclaimed;
    };
    let candidates: Vec<&Combatant> = candidates(encounter, slot).collect();
    let open = yet_to_answer(&encounter.state, &candidates);
    if any_needs_turn(&open) {
        return Contest::Open(ids(open));
    }
    outcome(encounter, slot, candidates)
}

/// The contest if no other answers follow.
pub(super) fn closed_contest(encounter: &Encounter) -> Contest {
    let Some(slot) = encounter.state.reached() else {
        return Contest::Unclaimed;
    };
    outcome(encounter, slot, candidates(encounter, slot).collect())
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
            && (has_no_turn(state, c) || waits_unseen(state, c))
            && (c.hidden || !unseen)
    })
}

/// The candidates that have neither claimed the turn nor passed on it, and could still win it.
fn yet_to_answer<'t>(state: &State, candidates: &[&'t Combatant]) -> Vec<&'t Combatant> {
    let passed: HashSet<_> = state.passed.iter().collect();
    let claimed = claimed(state);
    let best = best_seen(&claims_of(state, candidates));
    let mut open = candidates.to_vec();
    open.retain(|c| !claimed.contains(&c.id) && !passed.contains(&c.id) && !is_outbid(c, best));
    open
}

/// The outcome by the claims so far.
fn outcome(encounter: &Encounter, slot: &Slot, candidates: Vec<&Combatant>) -> Contest {
    let state = &encounter.state;
    let claims = claims_of(state, &candidates);
    if !claims.is_empty() {
        award(state, slot, &claims)
    } else if any_needs_turn(&candidates) && !may_pass(encounter) {
        Contest::MustClaim(ids(candidates))
    } else {
        Contest::Unclaimed
    }
}

fn claimed(state: &State) -> HashSet<&CombatantId> {
    state.claims.iter().map(|claim| &claim.combatant).collect()
}

/// The candidates that claim the turn.
fn claims_of<'t>(state: &State, candidates: &[&'t Combatant]) -> Vec<&'t Combatant> {
    let claimed = claimed(state);
    let mut claims = candidates.to_vec();
    claims.retain(|c| claimed.contains(&c.id));
    claims
}

/// Whether one of them has no turn, unlike a hidden one that waits for a turn of its own.
fn any_needs_turn(candidates: &[&Combatant]) -> bool {
    candidates.iter().any(|c| c.state.slot.is_none())
}

/// The result of the Initiative Check, by which claims are compared; no check is below all others.
pub(super) fn result(c: &Combatant) -> Option<i64> {
    c.state.check.as_ref().map(|check| check.total)
}

/// The claimant with the highest result of those that all viewers see.
fn best_seen<'t>(claimants: &[&'t Combatant]) -> Option<&'t Combatant> {
    let seen = claimants.iter().copied().filter(|c| !c.hidden);
    seen.max_by_key(|c| result(c))
}

/// Whether the best claim is above this combatant's check. A hidden one may claim all the same.
fn is_outbid(c: &Combatant, best: Option<&Combatant>) -> bool {
    !c.hidden && best.is_some_and(|best| result(c) < result(best))
}

/// Whether a combatant with a higher check has claimed the awaited turn.
pub(super) fn has_been_outbid(encounter: &Encounter, c: &Combatant) -> bool {
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

/// Whether the PC team can leave the awaited PC Turn empty: later ones ask for all members without
/// a place.
pub(super) fn may_pass(encounter: &Encounter) -> bool {
    let mut asking = 0;
    for slot in encounter.state.later() {
        if slot.team != Team::Pc || slot.unseen {
            continue;
        }
        if encounter.round <= 1 || !can_still_act(encounter, slot) {
            asking += 1;
        }
    }
    waiting_for_turn(encounter, Team::Pc).count() <= asking
}

/// The highest claim takes the turn (DC-18); equal ones share it if all agree (DC-19). If they do
/// not, a hidden one gives way: the tie would reveal it.
fn award(state: &State, slot: &Slot, claims: &[&Combatant]) -> Contest {
    let best = claims.iter().map(|c| result(c)).max().flatten();
    let mut top = claims.to_vec();
    top.retain(|c| result(c) == best);
    if !can_take_together(state, &top) {
        top = seen_if_any(top);
    }
    if !can_take_together(state, &top) {
        return Contest::Tied(ids(top));
    }
    let winners = ids(top.iter().copied());
    let mut outbid = claims.to_vec();
    outbid.retain(|c| !winners.contains(&c.id));
    let because = match top.as_slice() {
        [winner] if is_contested(winner, &outbid) => Way::Contested,
        [_] => Way::Claimed,
        _ => Way::Shared,
    };
    Contest::Won(SlotTaken {
        slot: slot.id.clone(),
        combatants: winners.into(),
        because,
        outbid: ids(outbid),
    })
}

/// Whether all of these equal claimants have a check and agree to share the turn (DC-19). One alone
/// has nobody to agree with.
fn can_take_together(state: &State, equals: &[&Combatant]) -> bool {
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

/// Whether the winner of a turn had rivals. Hidden ones do not count for a winner that is seen: the
/// reason for the turn would reveal them.
fn is_contested(winner: &Combatant, outbid: &[&Combatant]) -> bool {
    outbid.iter().any(|rival| winner.hidden || !rival.hidden)
}

/// The game master gives the awaited turn to one of equal claims (DC-19a).
pub(super) fn taken_by(winner: &CombatantId, state: &State, slot: SlotId) -> SlotTaken {
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
