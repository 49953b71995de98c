//! Combatants that come into a fight that goes on, and those that leave it.

use super::declare::declaration;
use super::definition::{Join, KnownTotal, Number, Per};
use super::initiative::{newcomer, takes_totals};
use super::lines::{
    costs_turns, has_clock, has_laps, has_places, has_unlimited_turns, parts_sides, score_rule,
};
use super::places::{follow_change, set_done};
use super::query::{definition, place_of};
use super::rank::Ranks;
use super::round::refresh;
use super::sides::add_sides;
use super::{Cause, Combatant, Custom, Encounter, Mode, Place, Play, Reached};
use crate::vocabulary::{CombatantId, Fold, Property, Total, Values, event};

/// A combatant missed turns of this round, because its places had passed.
#[event("{combatant} {combatant:misses|miss} a turn in this round.")]
pub struct CameLate {
    /// The combatant.
    pub combatant: CombatantId,
    /// Turns left in this round.
    #[schema(value_type = u32)]
    pub turns: usize,
}

impl CameLate {
    /// Leaves a combatant as many turns as the event says, at the open places that come up last.
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.change_state(&self.combatant, |s| s.turns_left = self.turns);
        let places = fold.state().places.iter_mut();
        let open = places.filter(|place| place.combatant == self.combatant && !place.done);
        for place in open.rev().skip(self.turns) {
            set_done(place, true);
        }
    }
}

/// What a combatant has that joins a fight that goes on.
pub(super) fn combatant_joined(encounter: &mut Encounter, id: &CombatantId) {
    add_sides(encounter);
    let options = encounter.options.clone();
    let Some(c) = encounter.combatants.find_mut(id) else {
        return;
    };
    refresh(options.definition(), c, true);
    catch_up_with_lap(encounter, id);
    let Some(c) = encounter.get(id) else { return };
    let choice = declaration(options.definition(), c);
    if choice.is_some() && encounter.state.mode != Mode::Declaring {
        encounter.change_state(id, |s| s.declare(choice));
    }
}

/// Where laps are counted in turns, a newcomer has none of those that are over.
fn catch_up_with_lap(encounter: &mut Encounter, id: &CombatantId) {
    let definition = encounter.options.definition();
    if !has_laps(definition) || has_places(definition) {
        return;
    }
    let others = encounter
        .active()
        .filter(|c| c.id != *id && c.state.turns_left > 0);
    let Some(lap) = others.map(|c| c.state.turns_taken).min() else {
        return;
    };
    let unlimited = has_unlimited_turns(definition);
    encounter.change_state(id, |s| {
        s.turns_taken = lap;
        if !unlimited {
            let missed = usize::try_from(lap).unwrap_or(usize::MAX);
            s.turns_left = s.turns_left.saturating_sub(missed);
        }
    });
}

pub(super) fn combatant_left(encounter: &mut Encounter, id: &CombatantId) {
    let state = &encounter.state;
    if state.last.as_ref() == Some(id) || state.stood_before.as_ref() == Some(id) {
        encounter.state.stood_before = first_shown_after(encounter, id);
    }
    let state = &mut encounter.state;
    state.places.retain(|place| place.combatant != *id);
    // The turn that is going on stays, so that it can be ended.
    let current = state.turns.pop();
    for turn in &mut state.turns {
        turn.combatants.retain(|c| c != id);
    }
    state.turns.retain(|turn| !turn.combatants.is_empty());
    state.turns.extend(current);
    for turn in &mut state.turns {
        turn.done.retain(|c| c != id);
    }
    state.drop_offer(id);
    state.last.take_if(|last| last == id);
    for side in &mut state.sides {
        side.last.take_if(|last| last == id);
    }
    if let Mode::Gap { passed, .. } = &mut state.mode {
        passed.retain(|c| c != id);
    }
}

/// Whose place follows those of a combatant. One that players do not see would show that it is
/// there by not being named.
fn first_shown_after(encounter: &Encounter, id: &CombatantId) -> Option<CombatantId> {
    let mut places = encounter.state.places.iter();
    places.find(|place| place.combatant == *id)?;
    for place in places {
        if let Some(c) = encounter.get(&place.combatant)
            && c.id != *id
            && !c.hidden
        {
            return Some(c.id.clone());
        }
    }
    None
}

/// The numbers of a newcomer, its group if groups share an initiative, and its initiative if it is
/// known.
pub(super) fn newcomer_fields(encounter: &Encounter) -> Vec<Property> {
    let definition = definition(encounter);
    let mut numbers = Vec::with_capacity(definition.numbers.len());
    for name in definition.numbers.keys() {
        numbers.push(Property::optional(name.to_string(), Number::any()));
    }
    let mut fields = Vec::new();
    if !numbers.is_empty() {
        fields.push(Property::optional("numbers", Values::Object(numbers)));
    }
    let score = score_rule(definition);
    if score.is_some_and(|score| score.per == Per::Group) {
        fields.push(Property::optional("group", Values::NewWord(Vec::new())));
    }
    if takes_totals(definition) {
        fields.push(Property::optional("initiative", KnownTotal::any()));
    }
    fields
}

/// Gives an active combatant its place, where initiative is known and it has none.
pub(super) fn find_place(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    let definition = definition(encounter);
    let Some(c) = encounter.get(id) else { return };
    let gets_place = has_places(definition) && encounter.state.rolled;
    if !gets_place || !c.active() || c.state.delaying || place_of(encounter, id).is_some() {
        return;
    }
    let last = definition.join == Join::Last && !has_clock(definition);
    let placed = newcomer(play, id, last);
    play.emit(placed);
    if !last {
        lose_missed_places(play, id);
    }
}

/// Takes from a combatant the turns of places that the round has passed already.
pub(super) fn lose_missed_places(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    if costs_turns(definition(encounter)) {
        catch_up_with_clock(play, id);
        return;
    }
    let Some(c) = encounter.get(id) else { return };
    let mut missed = 0;
    let mut open = 0;
    for (at, place) in encounter.state.places.iter().enumerate() {
        if place.combatant != *id || place.done {
            continue;
        }
        if has_passed(encounter, c, at, place) {
            missed += 1;
        } else {
            open += 1;
        }
    }
    if missed > 0 && c.state.turns_left > 0 {
        let turns = c.state.turns_left.min(open);
        play.emit(CameLate {
            combatant: id.clone(),
            turns,
        });
    }
}

/// Moves a combatant whose tick has passed to the present one.
fn catch_up_with_clock(play: &mut Play<'_>, id: &CombatantId) {
    let encounter = play.encounter();
    let tick = Total::from(i64::from(encounter.state.tick));
    let Some(place) = place_of(encounter, id) else {
        return;
    };
    let behind = tick - place.initiative.total;
    if has_clock(definition(encounter)) && behind > Total::ZERO {
        follow_change(play, id, Cause::Turn, behind);
    }
}

/// Whether the round has come further than a combatant's place, which stands at this position.
fn has_passed(encounter: &Encounter, c: &Combatant, at: usize, place: &Place) -> bool {
    if place.moved {
        let later = encounter.state.places.iter().skip(at);
        return later.into_iter().any(|other| other.done);
    }
    let ranks = Ranks::of(encounter);
    reached_by(encounter, c).any(|reached| ranks.is_before(place, reached))
}

/// How far the round has come: the last places that came up, on the combatant's side alone where
/// sides take turns.
fn reached_by<'t>(encounter: &'t Encounter, c: &'t Combatant) -> impl Iterator<Item = &'t Reached> {
    let mixed = !parts_sides(definition(encounter));
    let sides = encounter.state.sides.iter();
    let known = sides.filter(move |side| mixed || side.side == c.side);
    known.filter_map(|side| side.reached.as_ref())
}
