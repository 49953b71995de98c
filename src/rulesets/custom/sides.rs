//! The sides, and their order.

use super::places::ranks;
use super::pools::first_pools;
use super::rank::Ranks;
use super::{Encounter, SideState, State};
use crate::rulesets::shared::seen_first;
use crate::vocabulary::Slug;
use std::collections::BTreeSet;

/// Adds the sides that are new, the players before others. A side that players have not seen is new
/// when they see it.
pub(super) fn add_sides(encounter: &mut Encounter) {
    let mut new: Vec<SideState> = Vec::new();
    for c in seen_first(encounter.iter()) {
        if let Some(known) = side_named(&encounter.state.sides, &c.side)
            && (known.seen || c.hidden)
        {
            continue;
        }
        if side_named(&new, &c.side).is_some() {
            continue;
        }
        new.push(SideState {
            pools: first_pools(encounter, &c.side),
            ..SideState::new(c.side.clone(), !c.hidden)
        });
    }
    if new.is_empty() {
        return;
    }
    new.sort_by_key(|side| (!side.seen, side.side != "players"));
    let sides = &mut encounter.state.sides;
    sides.retain(|side| side_named(&new, &side.side).is_none());
    sides.extend(new);
    sides.sort_by_key(|side| side.side != "players");
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    sort_sides(&mut encounter.state, ranks);
}

fn side_named<'s>(sides: &'s [SideState], name: &Slug) -> Option<&'s SideState> {
    sides.iter().find(|side| side.side == *name)
}

/// Clears a side's initiative if only hidden combatants rolled it and one that players see joins: its
/// place would show that they are there. The side is last, as one that has not rolled.
pub(super) fn drop_hidden_initiative(encounter: &mut Encounter) {
    if !encounter
        .state
        .sides
        .iter()
        .any(|side| side.initiative_hidden)
    {
        return;
    }
    let shown: BTreeSet<Slug> = encounter
        .active()
        .filter(|c| !c.hidden)
        .map(|c| c.side.clone())
        .collect();
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let state = &mut encounter.state;
    for side in &mut state.sides {
        if side.initiative_hidden && shown.contains(&side.side) {
            side.drop_initiative();
        }
    }
    sort_sides(state, ranks);
}

/// Sorts the sides by rank. Those without an initiative stand as before, unless others have one: an initiative
/// that players do not know must not have moved them.
pub(super) fn sort_sides(state: &mut State, ranks: Ranks<'_>) {
    let mut sides = state.sides.iter();
    let some_rolled = sides.any(|side| side.initiative.is_some() && !side.initiative_hidden);
    state.sides.sort_by(|one, other| {
        let by_rank = ranks.compare_sides(one, other);
        // Sides of equal rank have an initiative both or neither.
        if some_rolled && one.initiative.is_none() {
            by_rank.then_with(|| one.side.cmp(&other.side))
        } else {
            by_rank
        }
    });
}
