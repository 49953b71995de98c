//! The order of the turns, with the empty ones: the teams alternate.

use super::*;

/// The turns in their order, then those who made a check and have no turn yet.
pub(super) fn order(encounter: &Encounter) -> Vec<OrderEntry> {
    let state = &encounter.state;
    let asking = asking(encounter);
    let passed = passed(state);
    let mut entries = Vec::new();
    for (place, slot) in state
        .slots
        .iter()
        .enumerate()
        .filter(|(_, slot)| !slot.removed)
    {
        let name = Some(slot.id.to_string());
        let team = Some(team_name(state, slot.team));
        for c in slot.occupants.iter().filter_map(|id| encounter.get(id)) {
            let because = c.state.placed.map(|way| reason(c, way)).unwrap_or_default();
            entries.push(OrderEntry {
                slot: name.clone(),
                team: team.clone(),
                ..OrderEntry::new(&c.id, because)
            });
        }
        if slot.occupants.is_empty() {
            let done = Some(place < passed);
            let asks = asking
                .iter()
                .any(|(team, hidden)| *team == slot.team && (*hidden || !slot.unseen));
            let next = if asks { None } else { Some(false) };
            let because = Reason::new(
                "DC-16",
                "the teams alternate: an empty turn keeps its place",
            );
            entries.push(OrderEntry {
                done,
                next,
                slot: name,
                team,
                ..OrderEntry::empty(because)
            });
        }
    }
    for c in encounter
        .iter()
        .filter(|c| c.state.slot.is_none() && c.state.check.is_some())
    {
        let because = with_check(c, Reason::new("DC-4", "made its Initiative Check"));
        entries.push(OrderEntry {
            next: Some(false),
            ..OrderEntry::new(&c.id, because)
        });
    }
    entries
}

/// The teams whose empty turns ask for combatants, and whether for hidden ones.
fn asking(encounter: &Encounter) -> Vec<(Team, bool)> {
    let mut asking = Vec::new();
    for c in encounter
        .waiting()
        .filter(|c| has_no_turn(c) && !in_reserve(&encounter.state, c))
    {
        let kind = (team(&encounter.state, c), c.hidden);
        if !asking.contains(&kind) {
            asking.push(kind);
        }
    }
    asking
}

/// How many turns of this round are over or were skipped, if they are empty.
fn passed(state: &State) -> usize {
    let awaited = state.deferred || matches!(state.phase, Phase::Claim | Phase::Assign);
    let place = state
        .slot
        .as_ref()
        .and_then(|id| state.slots.iter().position(|slot| slot.id == *id));
    place.map_or(0, |place| if awaited { place } else { place + 1 })
}

/// Why a combatant has its place.
fn reason(c: &Combatant, way: Way) -> Reason {
    let reason = match way {
        Way::Claimed => Reason::new("DC-17", "the PC team chose it for this turn"),
        Way::Contested => Reason::new("DC-18", "had the highest check of the claims for this turn"),
        Way::Shared => Reason {
            tie_rule: Some("DC-19"),
            ..Reason::new("DC-18", "shares this turn with an equal check")
        },
        Way::Assigned => Reason::new("DC-20", "the game master put it here"),
        Way::Delayed => Reason::new("DC-33", "delayed to this turn"),
        Way::DelayedAfter => Reason::new("DC-34", "delayed until after an enemy"),
        Way::Merged => Reason::new("DC-25", "two enemy turns were merged"),
        Way::Joined => Reason::new("ADC14", "joined later with a turn of its own"),
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
        total: Some(check.total),
        ..reason
    }
}
