//! The combatants that may act next: those whose next turn has the least key, and the one that chooses
//! among them.

use super::definition::{Chooser, Definition, Fact, Key};
use super::lines::{has_places, has_sides, key_of, keys, segment};
use super::pools::outnumbered_by;
use super::query::{
    declared, definition, fits, has_every_choice, has_places_now, is_foe, open_places, step_now,
    top, turns,
};
use super::rank::{Ranks, stands};
use super::ready::is_ready;
use super::{Combatant, Encounter, Place, SideState};
use crate::vocabulary::{CombatantId, Slug, said};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// A turn of a combatant: its place, where combatants have places.
#[derive(Clone, Copy)]
pub(super) struct Standing<'t> {
    pub c: &'t Combatant,
    pub place: Option<&'t Place>,
}

/// The combatants of which one is next; all of them, if they share a turn.
pub(super) fn candidates(encounter: &Encounter) -> Vec<CombatantId> {
    let slots = least(encounter);
    if definition(encounter).chooser == Chooser::Side {
        return takers(encounter, &slots);
    }
    named_once(slots)
}

/// The turns with the least key.
pub(super) fn least(encounter: &Encounter) -> Vec<Standing<'_>> {
    let definition = definition(encounter);
    let mut turns = open_turns(encounter);
    if has_sides(definition) {
        drop_skipped(encounter, &mut turns);
    }
    let sides = SidesInOrder::of(encounter);
    let ranks = Ranks::of(encounter);
    let names_next = names_next(encounter);
    for (at, key) in keys(definition).iter().enumerate().take(ranks.end()) {
        if !stands(definition, &key.fact) {
            keep_least(&mut turns, |turn| sides.value(encounter, key, turn));
        } else if !names_next {
            keep_first(&mut turns, |one, other| {
                ranks.compare_by(at, one, other).is_eq()
            });
        } else if !is_of_combatant(&key.fact) {
            keep_least_places(&mut turns, |one, other| ranks.compare_by(at, one, other));
        }
    }
    if has_places_now(encounter) && !names_next {
        keep_choosable(&mut turns);
    }
    turns
}

/// The turns that are open now, first to last.
fn open_turns(encounter: &Encounter) -> Vec<Standing<'_>> {
    if !has_places(definition(encounter)) {
        let ready = encounter.iter().filter(|c| is_ready(encounter, c));
        return ready.map(|c| Standing { c, place: None }).collect();
    }
    let mut turns = Vec::new();
    let mut ready: HashMap<&CombatantId, bool> = HashMap::new();
    for place in open_places(encounter) {
        if let Some(c) = encounter.get(&place.combatant)
            && *ready.entry(&c.id).or_insert_with(|| is_ready(encounter, c))
        {
            let place = Some(&**place);
            turns.push(Standing { c, place });
        }
    }
    turns
}

/// Leaves out the sides that let another one go first, unless all did.
fn drop_skipped(encounter: &Encounter, turns: &mut Vec<Standing<'_>>) {
    let skipped = &encounter.state.skipped;
    if turns.iter().any(|turn| !skipped.contains(&turn.c.side)) {
        turns.retain(|turn| !skipped.contains(&turn.c.side));
    }
}

/// Keeps the turns of which something is least.
fn keep_least(turns: &mut Vec<Standing<'_>>, value: impl Fn(&Standing<'_>) -> i64) {
    let values: Vec<_> = turns.iter().map(value).collect();
    let least = values.iter().min().copied();
    let mut values = values.into_iter();
    turns.retain(|_| values.next() == least);
}

/// True if the last to act chooses the next one. Before any turn has ended, the whole order says which
/// combatant begins.
pub(super) fn names_next(encounter: &Encounter) -> bool {
    definition(encounter).chooser == Chooser::Last && encounter.state.opened
}

/// Keeps the turns with the first places by a comparison, wherever they stand.
fn keep_least_places(turns: &mut Vec<Standing<'_>>, compare: impl Fn(&Place, &Place) -> Ordering) {
    let places = turns.iter().filter_map(|turn| turn.place);
    let Some(first) = places.min_by(|one, other| compare(one, other)) else {
        return;
    };
    turns.retain(|turn| {
        turn.place
            .is_some_and(|place| compare(place, first).is_eq())
    });
}

/// Keeps the first turn and those that are equal. A place that was moved stands alone. Hidden
/// combatants stand behind others that are equal, as [`keep_choosable`] says, also where one was moved
/// between them.
fn keep_first(turns: &mut Vec<Standing<'_>>, is_equal: impl Fn(&Place, &Place) -> bool) {
    let stands_behind = |turn: &Standing<'_>, place: &Place| {
        let is_tied = |other: &Standing<'_>| {
            let other_place = other.place.filter(|place| !place.moved);
            !other.c.hidden && other_place.is_some_and(|other| is_equal(place, other))
        };
        turn.c.hidden && !place.moved && turns.iter().any(is_tied)
    };
    let first = turns.iter().find_map(|turn| {
        let place = turn.place?;
        (!stands_behind(turn, place)).then_some((*turn, place))
    });
    let Some((turn, first)) = first else {
        return;
    };
    if first.moved {
        *turns = vec![turn];
        return;
    }
    turns.retain(|turn| {
        let place = turn.place.filter(|place| !place.moved);
        place.is_some_and(|place| is_equal(first, place))
    });
}

/// Of turns that are equal by something of their combatants, those between which a choice is open.
fn keep_choosable(equal: &mut Vec<Standing<'_>>) {
    // A tie with hidden combatants would show that they are there: they stand behind, as they
    // joined.
    if equal.iter().any(|turn| !turn.c.hidden) {
        equal.retain(|turn| !turn.c.hidden);
    } else {
        equal.truncate(1);
    }
    // An earlier choice holds.
    let is_settled = |turn: &Standing<'_>| turn.place.is_some_and(|place| place.settled);
    if equal.first().is_some_and(is_settled) {
        equal.truncate(1);
    } else {
        equal.retain(|turn| !is_settled(turn));
    }
}

fn named_once(turns: Vec<Standing<'_>>) -> Vec<CombatantId> {
    let mut named = HashSet::new();
    let mut ids = Vec::new();
    for turn in turns {
        if named.insert(&turn.c.id) {
            ids.push(turn.c.id.clone());
        }
    }
    ids
}

/// True if a fact is one of the combatant itself, not of its side, its declaration or its turns.
fn is_of_combatant(fact: &Fact) -> bool {
    !matches!(fact, Fact::Lap | Fact::Segment | Fact::Foe)
}

/// The combatants that may take these slots: those of their sides that differ in nothing but what is their
/// own. A hidden one takes its own alone, or the choice would show its player that there are others.
fn takers(encounter: &Encounter, slots: &[Standing<'_>]) -> Vec<CombatantId> {
    let sides = SidesInOrder::of(encounter);
    let mut on_offer = HashSet::new();
    let mut takers = HashSet::new();
    for slot in slots {
        if slot.c.hidden {
            takers.insert(&slot.c.id);
        } else {
            on_offer.insert(sides.shared(encounter, slot));
        }
    }
    for turn in open_turns(encounter) {
        if !turn.c.hidden && on_offer.contains(&sides.shared(encounter, &turn)) {
            takers.insert(&turn.c.id);
        }
    }
    let all = encounter.iter().map(|c| &c.id);
    all.filter(|id| takers.contains(id)).cloned().collect()
}

/// The combatant whose slot a combatant takes that begins its turn, unless the slot is its own.
pub(super) fn slot_taken<'t>(encounter: &'t Encounter, c: &Combatant) -> Option<&'t CombatantId> {
    if definition(encounter).chooser != Chooser::Side {
        return None;
    }
    let slots = least(encounter);
    if slots.iter().any(|slot| slot.c.id == c.id) {
        return None;
    }
    let mut owners = slots.into_iter().map(|slot| slot.c);
    let owner = owners.find(|owner| owner.side == c.side && !owner.hidden && !c.hidden)?;
    Some(&owner.id)
}

/// The combatant that names the next one, if the last to act does and is still here. If sides take turns,
/// it is the last of the side that is next.
pub(super) fn chooser(encounter: &Encounter) -> Option<&CombatantId> {
    let definition = definition(encounter);
    if definition.chooser != Chooser::Last {
        return None;
    }
    let last = if has_sides(definition) {
        let next: HashSet<_> = least(encounter).iter().map(|turn| &turn.c.side).collect();
        if let Some(last) = &encounter.state.last
            && let Some(c) = encounter.get(last)
            && next.contains(&c.side)
        {
            return Some(last);
        }
        let mut sides = encounter.state.sides.iter();
        let side = sides.find(|side| next.contains(&side.side))?;
        side.last.as_ref()?
    } else {
        encounter.state.last.as_ref()?
    };
    encounter.get(last)?;
    Some(last)
}

/// The position of each side in the order of the sides.
pub(super) struct SidesInOrder<'t> {
    positions: HashMap<&'t Slug, SidePosition>,
    count: usize,
    /// The position of the side that acted last.
    last: Option<usize>,
    /// By how many combatants each is fewer than the largest, if the order asks for it.
    outnumbered: HashMap<&'t Slug, u32>,
}

#[derive(Clone, Copy)]
struct SidePosition {
    at: usize,
    /// The position of the first of the sides that rank equal.
    rank: usize,
}

impl<'t> SidesInOrder<'t> {
    pub(super) fn of(encounter: &'t Encounter) -> Self {
        let ranks = Ranks::of(encounter);
        let state = &encounter.state;
        let mut positions = HashMap::new();
        let mut rank = 0;
        let mut before: Option<&SideState> = None;
        for (at, side) in state.sides.iter().enumerate() {
            let ties = before.is_some_and(|before| {
                side.initiative.is_some() && ranks.compare_sides(before, side).is_eq()
            });
            if !ties {
                rank = at;
            }
            positions.insert(&side.side, SidePosition { at, rank });
            before = Some(side);
        }
        let last = state.last_side.as_ref();
        let mut outnumbered = HashMap::new();
        if key_of(definition(encounter), &Fact::Outnumbered).is_some() {
            for side in &state.sides {
                outnumbered.insert(&side.side, outnumbered_by(encounter, &side.side));
            }
        }
        Self {
            outnumbered,
            count: state.sides.len(),
            last: last.and_then(|side| Some(positions.get(side)?.at)),
            positions,
        }
    }

    /// The side of a turn and all that it must share with a turn whose slot it may take.
    fn shared<'c>(&self, encounter: &Encounter, turn: &Standing<'c>) -> (&'c Slug, Vec<[i64; 2]>) {
        let definition = definition(encounter);
        let mut values = Vec::new();
        for (at, key) in keys(definition).iter().enumerate() {
            if !stands(definition, &key.fact) || !is_of_combatant(&key.fact) {
                values.push(self.of_key(encounter, at, key, turn));
            }
        }
        (&turn.c.side, values)
    }

    /// The values of all keys for a turn.
    pub(super) fn values(&self, encounter: &Encounter, turn: &Standing<'_>) -> Vec<[i64; 2]> {
        let end = Ranks::of(encounter).end();
        let mut values = Vec::new();
        for (at, key) in keys(definition(encounter)).iter().enumerate().take(end) {
            values.push(self.of_key(encounter, at, key, turn));
        }
        values
    }

    /// The value of the key at this position, which the place holds or not.
    fn of_key(&self, encounter: &Encounter, at: usize, key: &Key, turn: &Standing<'_>) -> [i64; 2] {
        match turn.place {
            Some(place) if stands(definition(encounter), &key.fact) => {
                Ranks::of(encounter).value(at, &place.initiative, place.turn)
            }
            _ => [self.value(encounter, key, turn), 0],
        }
    }

    /// The value of a key that a place does not hold.
    pub(super) fn value(&self, encounter: &Encounter, key: &Key, turn: &Standing<'_>) -> i64 {
        let definition = definition(encounter);
        let c = turn.c;
        let taken = turns_taken(turn);
        if !key.only.holds(encounter.round, taken) {
            return 0;
        }
        match &key.fact {
            // The order of the sides says already whether the highest is first.
            Fact::Score => self.position(c),
            Fact::Side => key.sign() * self.position(c),
            Fact::Again { .. } => key.sign() * self.wait(c),
            Fact::Choice => choice_position(definition, key, c),
            Fact::Foe => key.sign() * i64::from(is_foe(c)),
            Fact::Lap => key.sign() * i64::try_from(taken).unwrap_or(i64::MAX),
            Fact::Segment => {
                let segment = segment(taken, turns(definition, c));
                key.sign() * i64::try_from(segment).unwrap_or(i64::MAX)
            }
            Fact::Outnumbered => {
                let by = self.outnumbered.get(&c.side).copied();
                key.sign() * i64::from(by.unwrap_or(0))
            }
            Fact::Late | Fact::Die | Fact::Seat | Fact::Number(_) => 0,
        }
    }

    fn position(&self, c: &Combatant) -> i64 {
        let position = self.positions.get(&c.side);
        let rank = position.map_or(self.count, |position| position.rank);
        i64::try_from(rank).unwrap_or(i64::MAX)
    }

    /// How many sides come before the combatant's, around from the side that acted last.
    fn wait(&self, c: &Combatant) -> i64 {
        let (Some(last), Some(position)) = (self.last, self.positions.get(&c.side)) else {
            return 0;
        };
        let wait = (position.at + self.count - last - 1) % self.count.max(1);
        i64::try_from(wait).unwrap_or(i64::MAX)
    }
}

/// The position of a turn among those of its combatant in this round.
pub(super) fn turns_taken(turn: &Standing<'_>) -> usize {
    match turn.place {
        Some(place) => place.turn,
        None => usize::try_from(turn.c.state.turns_taken).unwrap_or(usize::MAX),
    }
}

/// Where the choice of a combatant stands among all, the first by the key at 0. One with a turn for
/// each choice comes with each of them.
fn choice_position(definition: &Definition, key: &Key, c: &Combatant) -> i64 {
    let Some(declare) = &definition.declare else {
        return 0;
    };
    let last = declare.choices.len().saturating_sub(1);
    let position = if has_every_choice(definition, c) {
        usize::try_from(c.state.turns_taken).map_or(last, |taken| taken.min(last))
    } else {
        let choice = declared(definition, c).or(declare.choices.first());
        let mut choices = declare.choices.iter();
        let at = choices.position(|known| Some(known) == choice).unwrap_or(0);
        if key.highest {
            last.saturating_sub(at)
        } else {
            at
        }
    };
    i64::try_from(position).unwrap_or(i64::MAX)
}

/// Whether a combatant may pass, and come with a later choice.
pub(super) fn may_pass(encounter: &Encounter, id: &CombatantId) -> bool {
    let c = encounter.get(id);
    c.is_some_and(|c| next_choice(encounter, c).is_some())
}

/// The choice with which a combatant comes that passes now, if there is a later one.
pub(super) fn next_choice<'t>(encounter: &'t Encounter, c: &Combatant) -> Option<&'t Slug> {
    let definition = definition(encounter);
    let declare = definition
        .declare
        .as_ref()
        .filter(|declare| declare.passing)?;
    let key = key_of(definition, &Fact::Choice)?;
    let passes = key.only.counts_in(encounter.round) && fits(definition, &declare.who, c);
    if !passes || has_every_choice(definition, c) {
        return None;
    }
    let next = usize::try_from(choice_position(definition, key, c)).ok()? + 1;
    let at = if key.highest {
        declare.choices.len().checked_sub(next + 1)?
    } else {
        next
    };
    declare.choices.get(at)
}

/// The names of the choice and the step that are going on, where the order goes by choices, or a step
/// has a name.
pub(super) fn names_now(encounter: &Encounter) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(choice) = choice_now(encounter) {
        names.push(said(choice, encounter));
    }
    if let Some(name) = step_now(encounter).and_then(|step| step.name.as_ref()) {
        let words = said(name, encounter);
        let has_title = definition(encounter).titles.contains_key(name);
        names.push(if has_title {
            words
        } else {
            format!("{words} step")
        });
    }
    names
}

/// The choice that all have declared that act now, or that may act next.
fn choice_now(encounter: &Encounter) -> Option<&Slug> {
    key_of(definition(encounter), &Fact::Choice)?;
    let acting = match top(encounter) {
        Some(turn) => turn.combatants.clone(),
        None => candidates(encounter),
    };
    let mut choices = acting
        .iter()
        .map(|id| declared(definition(encounter), encounter.get(id)?));
    let first = choices.next()??;
    choices.all(|choice| choice == Some(first)).then_some(first)
}
