//! The sides, and their order.

use super::by_rule::ByRule;
use super::lines::has_sides;
use super::pools::first_pools;
use super::query::definition;
use super::rank::{Ranks, ranks};
use super::{Encounter, Play, SideState, State};
use crate::rulesets::shared::seen_first;
use crate::vocabulary::{LegalCommand, Participants, Slug, Violation, event, field, ids, require};
use std::borrow::Cow;
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
pub(super) fn drop_hidden_initiative(encounter: &mut Cow<'_, Encounter>) {
    let mut sides = encounter.state.sides.iter();
    if !sides.any(|side| side.initiative_hidden) {
        return;
    }
    let encounter = encounter.to_mut();
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

/// The side that goes first was set, whatever the dice say.
#[event("The {side} go first.")]
pub struct SideOpened {
    /// The side.
    pub side: Slug,
    /// Its combatants.
    pub combatants: Participants,
}

impl ByRule for SideOpened {
    fn follow(&self, encounter: &mut Encounter) {
        for side in &mut encounter.state.sides {
            side.first = side.side == self.side;
        }
        let ranks = Ranks::new(encounter.options.definition(), encounter.round, None);
        sort_sides(&mut encounter.state, ranks);
    }
}

/// Lets a side go first.
pub(super) fn open_side(play: &mut Play<'_>, side: &Slug) {
    let members = play.encounter().active().filter(|c| c.side == *side);
    let combatants = ids(members).into();
    play.emit(SideOpened {
        side: side.clone(),
        combatants,
    });
}

pub(super) fn check_first(encounter: &Encounter, first: &Slug) -> Result<(), Violation> {
    require(
        has_sides(definition(encounter)),
        "no_sides",
        field("first_side"),
        || "No side goes first in this order. Remove \"first_side\", or add the key side to definition.order.",
    )?;
    let is_known = encounter.active().any(|c| c.side == *first);
    require(is_known, "unknown_side", field("first_side"), || {
        format!("No combatant of the side \"{first}\" is in the fight. Choose another side.")
    })
}

/// Opens the field for the side that goes first, of those that there are.
pub(super) fn with_first_side(encounter: &Encounter, option: LegalCommand) -> LegalCommand {
    let sides: BTreeSet<_> = encounter.active().map(|c| c.side.as_str()).collect();
    option.choose("first_side", sides)
}
