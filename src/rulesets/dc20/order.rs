//! The list of the turns that viewers see, with the empty ones, and the reason for each place
//! (DC-4, DC-16 to DC-20, DC-24a, DC-25, DC-33, DC-34).

use super::team::{has_no_turn, occupants, team, team_name};
use super::{Combatant, Encounter, Phase, Slot, State, Team, Way};
use crate::vocabulary::{OrderEntry, Reason};

/// The turns in their order, with those who claim the awaited one in it; then those who made a check
/// and have no turn yet.
pub(super) fn order(encounter: &Encounter) -> Vec<OrderEntry> {
    let state = &encounter.state;
    let waiting = waiting(encounter);
    let passed = places_passed(state);
    let claimants = claimants(encounter);
    let mut entries = Vec::new();
    for (place, slot) in state.slots.iter().enumerate() {
        if slot.removed {
            continue;
        }
        if let Some(reached) = state.reached()
            && reached.id == slot.id
            && !claimants.is_empty()
        {
            for c in &claimants {
                entries.push(claimed_turn(state, slot, c));
            }
            continue;
        }
        if slot.occupants.is_empty() {
            let asks = waiting.iter().any(|members| members.may_take(slot));
            entries.push(empty_turn(state, slot, place < passed, asks));
        }
        for c in occupants(encounter, slot) {
            entries.push(turn_of(state, slot, c));
        }
    }
    for c in encounter.iter() {
        let claims = claimants.iter().any(|claimant| claimant.id == c.id);
        if c.state.slot.is_none() && c.state.check.is_some() && !claims {
            entries.push(without_turn(c));
        }
    }
    entries
}

fn turn_of(state: &State, slot: &Slot, c: &Combatant) -> OrderEntry {
    let because = match c.state.placed {
        Some(way) => reason(c, way),
        None => Reason::default(),
    };
    OrderEntry {
        slot: Some(slot.id.as_str().to_owned()),
        turn: Some(slot.id.title()),
        team: Some(team_name(state, slot.team)),
        ..OrderEntry::new(&c.id, because)
    }
}

/// Those who claim the awaited turn.
fn claimants(encounter: &Encounter) -> Vec<&Combatant> {
    let state = &encounter.state;
    if !matches!(state.phase, Phase::Claim) {
        return Vec::new();
    }
    let claims = state.claims.iter();
    claims
        .filter_map(|claim| encounter.get(&claim.combatant))
        .collect()
}

fn claimed_turn(state: &State, slot: &Slot, c: &Combatant) -> OrderEntry {
    let because = with_check(c, Reason::new("DC-17", "claims this turn"));
    OrderEntry {
        slot: Some(slot.id.as_str().to_owned()),
        turn: Some(slot.id.title()),
        team: Some(team_name(state, slot.team)),
        ..OrderEntry::new(&c.id, because)
    }
}

fn empty_turn(state: &State, slot: &Slot, done: bool, asks: bool) -> OrderEntry {
    let because = Reason::new("DC-16", "an empty turn keeps its place");
    OrderEntry {
        done: Some(done),
        next: if asks { None } else { Some(false) },
        slot: Some(slot.id.as_str().to_owned()),
        turn: Some(slot.id.title()),
        team: Some(team_name(state, slot.team)),
        ..OrderEntry::empty(because)
    }
}

fn without_turn(c: &Combatant) -> OrderEntry {
    let because = with_check(c, Reason::new("DC-4", "has rolled, has no turn yet"));
    OrderEntry {
        next: Some(false),
        ..OrderEntry::new(&c.id, because)
    }
}

/// The members of a team that wait for a turn: the hidden ones, or the others.
#[derive(PartialEq)]
struct Waiting {
    team: Team,
    hidden: bool,
}

impl Waiting {
    fn may_take(&self, slot: &Slot) -> bool {
        self.team == slot.team && (self.hidden || !slot.unseen)
    }
}

/// All for whom empty turns ask, found once for all turns.
fn waiting(encounter: &Encounter) -> Vec<Waiting> {
    let state = &encounter.state;
    let mut waiting = Vec::new();
    for c in encounter.waiting() {
        if !has_no_turn(state, c) {
            continue;
        }
        let members = Waiting {
            team: team(state, c),
            hidden: c.hidden,
        };
        if !waiting.contains(&members) {
            waiting.push(members);
        }
    }
    waiting
}

/// The number of places in the order that the round has passed: an empty turn among them is over.
fn places_passed(state: &State) -> usize {
    let Some(reached) = state.reached_place() else {
        return 0;
    };
    let is_awaited = state.deferred || matches!(state.phase, Phase::Claim | Phase::Assign);
    if is_awaited { reached } else { reached + 1 }
}

/// Why a combatant has its place.
fn reason(c: &Combatant, way: Way) -> Reason {
    let reason = match way {
        Way::Claimed => Reason::new("DC-17", "claimed this turn"),
        Way::Contested => Reason::new(
            "DC-18",
            "had the highest check of those who claimed this turn",
        ),
        Way::Shared => Reason {
            tie_rule: Some("DC-19"),
            ..Reason::new("DC-18", "shares this turn with an equal check")
        },
        Way::Assigned => Reason::new("DC-20", "assigned by the game master"),
        Way::Delayed => Reason::new("DC-33", "delayed to this turn"),
        Way::DelayedAfter => Reason::new("DC-34", "delayed until after an enemy"),
        Way::Merged => Reason::new("DC-25", "the turn was merged into this one"),
        Way::Joined => Reason::new("DC-24a", "joined later, in a new turn"),
    };
    with_check(c, reason)
}

/// Adds the Initiative Check to a reason: it is the `initiative` of its combatant, whatever gave
/// the turn.
fn with_check(c: &Combatant, reason: Reason) -> Reason {
    let Some(check) = &c.state.check else {
        return reason;
    };
    Reason {
        dice: check.dice.clone(),
        bonus: Some(check.bonus),
        total: Some(check.total.into()),
        ..reason
    }
}
