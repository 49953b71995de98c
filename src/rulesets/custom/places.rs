//! Places in the order: what sorts them, and what the game master sets or moves.

use super::by_rule::ByRule;
use super::definition::{Definition, Fact, KnownTotal};
use super::lines::{
    has_clock, has_laps, has_places, is_seated, key_of, parts_sides, score_rule, scores_sides,
    sorts_by_score,
};
use super::point::Then;
use super::query::{
    change_by_conditions, change_by_wounds, change_of_initiative, declared, definition, in_a_turn,
    is_over, next_place, place_of,
};
use super::rank::{Ranks, ranks};
use super::refusal::ensure;
use super::sides::sort_sides;
use super::{Cause, Combatant, Custom, Encounter, Initiative, Place, Play};
use crate::json::CachedJson;
use crate::vocabulary::{
    CombatantId, Combatants, LegalCommand, Slug, Total, Violation, command, event, field, require,
    shared_list,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Sets the initiative of a combatant or side. The order is sorted again at once.
#[command(gm, "Set initiative")]
pub struct SetInitiative {
    /// The combatant. Absent for a side.
    pub combatant: Option<CombatantId>,
    /// The side, if sides have initiative.
    pub side: Option<Slug>,
    /// The initiative. Two decimals are kept.
    pub initiative: KnownTotal,
}

impl SetInitiative {
    /// Sets an initiative, and sorts the order again.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let definition = definition(play.encounter());
        let has_initiative = score_rule(definition).is_some();
        ensure(
            has_initiative,
            "no_initiative",
            "CU-40",
            "score",
            || "This order has no initiative.",
        )?;
        ensure(
            !is_seated(definition),
            "seats_set_the_order",
            "CU-42",
            "order",
            || "Seats set this order, and no initiative. Send \"reorder\" instead.",
        )?;
        ensure(
            sorts_by_score(definition),
            "no_initiative",
            "CU-40",
            "order",
            || "Initiative is no key of this order. Send \"reorder\" instead.",
        )?;
        let to = self.initiative.total();
        match (&self.combatant, &self.side) {
            (Some(id), None) if !scores_sides(definition) => set_combatant(play, id, to)?,
            (None, Some(side)) if scores_sides(definition) => set_side(play, side, to)?,
            _ => return Err(not_whose(definition)),
        }
        Ok(Then::Settle)
    }
}

/// Moves a combatant's next open place in the order.
#[command(gm, "Move {combatant} before [{before}][{!before}another combatant]")]
pub struct Reorder {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant before which it acts; the end of the order by default.
    pub before: Option<CombatantId>,
}

impl Reorder {
    /// Moves a combatant's next open place before that of another one, or to the end.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        play.combatant("combatant", id)?;
        if let Some(before) = &self.before {
            play.combatant("before", before)?;
        }
        let encounter = play.encounter();
        let definition = definition(encounter);
        ensure(
            has_places(definition),
            "no_places",
            "CU-40",
            "order",
            || "Combatants have no places in this order.",
        )?;
        let sorts_by_ticks = has_clock(definition);
        ensure(
            !sorts_by_ticks,
            "sorted_by_ticks",
            "CU-40",
            "turns",
            || "The lowest tick acts. Send \"set_initiative\" instead.",
        )?;
        for (path, named) in [("combatant", Some(id)), ("before", self.before.as_ref())] {
            if let Some(named) = named
                && rolled_place(encounter, named).is_none()
            {
                return Err(no_place(path, named));
            }
        }
        require(
            self.before.as_ref() != Some(id),
            "before_itself",
            field("before"),
            || "A combatant can't move before itself. Choose another one.",
        )?;
        if let (Some(c), Some(before)) = (encounter.get(id), &self.before)
            && let Some(other) = encounter.get(before)
            && stands_by(definition, c) != stands_by(definition, other)
        {
            let detail = format!(
                "{before} is of another side or choice, which decides before the places. Name another combatant."
            );
            return Err(Violation::field("stands_elsewhere", "before", detail));
        }
        let place = next_place(encounter, id).or_else(|| place_of(encounter, id));
        let turn = place.map(|place| place.turn);
        play.emit(PlaceMoved {
            combatant: id.clone(),
            beside: self.before.clone(),
            after: false,
            turn,
            done: false,
        });
        Ok(Then::Settle)
    }
}

/// A combatant's initiative changed, and all its places with it. The order is sorted again.
#[event("{combatant} {combatant:goes|go} from initiative {from} to {to} ({cause}).")]
pub struct InitiativeChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The initiative of its first turn before.
    #[schema(value_type = f64)]
    pub from: Total,
    /// The initiative of its first turn after that.
    #[schema(value_type = f64)]
    pub to: Total,
    /// The cause.
    pub cause: Cause,
}

impl ByRule for InitiativeChanged {
    /// Changes the initiative of a combatant, and sorts its places in again.
    fn follow(&self, encounter: &mut Encounter) {
        let options = encounter.options.clone();
        let ranks = ranks(&options, encounter);
        let next_lap = self.cause == Cause::Turn && has_laps(options.definition());
        let by = self.to - self.from;
        let places = &mut encounter.state.places;
        let (own, others): (Vec<_>, Vec<_>) = places
            .drain(..)
            .partition(|place| place.combatant == self.combatant);
        *places = others;
        for mut place in own {
            let initiative = place.initiative.changed(self.cause, by);
            if next_lap {
                place = Place {
                    turn: place.turn.saturating_add(1),
                    ..Place::clone(&place)
                }
                .into();
            }
            set_initiative_of(&mut place, initiative);
            insert_in_order(&encounter.combatants, places, place, ranks);
        }
    }
}

/// The game master set the initiative of a side.
#[event("The {side} go from initiative {from} to {to}.")]
pub struct SideInitiativeChanged {
    /// The side.
    pub side: Slug,
    /// The initiative before.
    #[schema(value_type = f64)]
    pub from: Total,
    /// The initiative after that.
    #[schema(value_type = f64)]
    pub to: Total,
}

impl ByRule for SideInitiativeChanged {
    /// Changes the initiative of a side, which then says when the side acts. That of a side which players
    /// do not know leaves the others as they stand.
    fn follow(&self, encounter: &mut Encounter) {
        let options = encounter.options.clone();
        let ranks = ranks(&options, encounter);
        let state = &mut encounter.state;
        let mut sides = state.sides.iter_mut();
        if let Some(side) = sides.find(|side| side.side == self.side)
            && let Some(initiative) = &mut side.initiative
        {
            let by = self.to - self.from;
            *initiative = initiative.changed(Cause::Set, by).into();
            side.yields = false;
            side.first = false;
            let is_known = side.seen && !side.initiative_hidden;
            for side in &mut state.sides {
                side.first &= !is_known;
            }
        }
        sort_sides(state, ranks);
    }
}

/// A combatant's place in the order moved.
#[event(
    "{combatant} {combatant:moves|move}[{after} after {beside} in the order]\
     [{!after} before {beside} in the order][{!beside} to the end of the order]."
)]
pub struct PlaceMoved {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that it now stands next to. Absent if last.
    pub beside: Option<CombatantId>,
    /// True if it stands after that combatant, false if before.
    pub after: bool,
    /// Position of the place among the combatant's turns, from 0. Absent if all its places moved.
    #[schema(value_type = Option<u32>)]
    pub turn: Option<usize>,
    /// True if it has no more turns in this round.
    pub done: bool,
}

impl ByRule for PlaceMoved {
    fn follow(&self, encounter: &mut Encounter) {
        let places = encounter.state.places.drain(..);
        let moves = |place: &CachedJson<Place>| {
            place.combatant == self.combatant && self.turn.is_none_or(|turn| place.turn == turn)
        };
        let (mut own, mut others): (Vec<_>, Vec<_>) = places.partition(moves);
        for place in &mut own {
            *place = moved(place, self.done);
        }
        let beside = match &self.beside {
            Some(id) => place_beside(encounter, &others, id, self.after || self.done),
            None => None,
        };
        let at = match beside {
            Some(beside) if self.after => beside + 1,
            Some(beside) => beside,
            None => others.len(),
        };
        others.splice(at..at, own);
        encounter.state.places = others;
        if self.done {
            encounter.change_state(&self.combatant, |s| {
                s.turns_left = 0;
                s.delaying = false;
            });
        }
    }
}

/// Sorts all places again, also those that were moved, and lets equal ones choose again.
pub(super) fn sort_places(encounter: &mut Encounter) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let mut joined = HashMap::new();
    for c in encounter.combatants.iter() {
        joined.insert(c.id.clone(), c.joined);
    }
    let places = &mut encounter.state.places;
    for place in &mut *places {
        let initiative = Initiative::clone(&place.initiative);
        set_initiative_of(place, initiative);
    }
    places.sort_by(|one, other| {
        let [first, second] = [one, other].map(|place| joined.get(&place.combatant));
        let by_rank = ranks.compare(one, other);
        by_rank
            .then(first.cmp(&second))
            .then(one.turn.cmp(&other.turn))
    });
}

/// Gives back what turns and reactions cost in the round before.
pub(super) fn give_back_costs(encounter: &mut Encounter) {
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let places = &mut encounter.state.places;
    let (mut paid, rest): (Vec<_>, Vec<_>) = places.drain(..).partition(|place| {
        let changes = place.initiative.changes;
        changes.by_turns != Total::ZERO || changes.by_reactions != Total::ZERO
    });
    *places = rest;
    for place in &mut paid {
        let initiative = place.initiative.without(&[Cause::Turn, Cause::Spent]);
        *place = Place {
            turn: 0,
            ..Place::clone(place)
        }
        .into();
        set_initiative_of(place, initiative);
    }
    for place in paid {
        insert_in_order(&encounter.combatants, places, place, ranks);
    }
}

/// Opens the places again, but for those of combatants that keep delaying.
pub(super) fn reopen_places(encounter: &mut Encounter, keep_delaying: bool) {
    let combatants = &encounter.combatants;
    for place in &mut encounter.state.places {
        let c = combatants.find(&place.combatant);
        let delays = c.is_some_and(|c| c.state.delaying);
        set_done(place, keep_delaying && delays);
    }
}

pub(super) fn set_done(place: &mut CachedJson<Place>, done: bool) {
    if place.done != done {
        *place = Place {
            done,
            ..Place::clone(place)
        }
        .into();
    }
}

/// Inserts a place before the first one with a worse initiative that stands where its initiative
/// says. Hidden places decide nothing for those that players see, or the order would show them.
pub(super) fn insert_in_order(
    combatants: &Combatants<Custom>,
    places: &mut Vec<CachedJson<Place>>,
    new: CachedJson<Place>,
    ranks: Ranks<'_>,
) {
    let is_hidden = |place: &Place| {
        let c = combatants.find(&place.combatant);
        c.is_some_and(|c| c.hidden)
    };
    let is_worse = |place: &Place| !place.moved && ranks.compare(place, &new).is_gt();
    let counts_all = is_hidden(&new);
    let mut others = places.iter();
    let worse = others.position(|place| is_worse(place) && (counts_all || !is_hidden(place)));
    let mut at = worse.unwrap_or(places.len());
    while let Some(before) = at.checked_sub(1)
        && places
            .get(before)
            .is_some_and(|place| is_hidden(place) && is_worse(place))
    {
        at = before;
    }
    places.insert(at, new);
}

/// A place that leaves where its initiative puts it.
pub(super) fn moved(place: &Place, done: bool) -> CachedJson<Place> {
    Place {
        moved: true,
        done: place.done || done,
        ..place.clone()
    }
    .into()
}

/// The position beside which a place is put: that of the combatant's place. If it has several, the
/// one whose turn began last counts. Before a combatant that has no turn now, its next open place
/// counts.
fn place_beside(
    encounter: &Encounter,
    places: &[CachedJson<Place>],
    id: &CombatantId,
    after: bool,
) -> Option<usize> {
    let definition = encounter.options.definition();
    let is_own = |place: &CachedJson<Place>| place.combatant == *id;
    let begun = places.iter().rposition(|place| is_own(place) && place.done);
    let mut open = places.iter();
    let next = open.position(|place| is_own(place) && !is_over(definition, place));
    let found = if after || in_a_turn(encounter, id) {
        begun.or(next)
    } else {
        next.or(begun)
    };
    found.or_else(|| places.iter().position(is_own))
}

/// Sets the initiative of a place, which stands where that says.
pub(super) fn set_initiative_of(place: &mut CachedJson<Place>, initiative: Initiative) {
    *place = Place {
        moved: false,
        settled: false,
        initiative: initiative.into(),
        ..Place::clone(place)
    }
    .into();
}

/// What the game master may change of the order.
pub(super) fn place_options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let definition = definition(encounter);
    if score_rule(definition).is_none() || !encounter.state.rolled {
        return;
    }
    let set = LegalCommand::of::<SetInitiative>("CU-40");
    let is_set = sorts_by_score(definition);
    if scores_sides(definition) && is_set {
        let rolled = encounter
            .state
            .sides
            .iter()
            .filter(|side| side.initiative.is_some());
        let set = set
            .clone()
            .choose("side", rolled.map(|side| side.side.as_str()));
        legal.push(set.required("side"));
    }
    if !has_places(definition) {
        return;
    }
    let placed: Vec<_> = placed(encounter).collect();
    if is_set && !is_seated(definition) && !scores_sides(definition) {
        let set = set.whom("combatant", placed.iter().copied());
        legal.push(set.required("combatant").alike_values("combatant"));
    }
    if has_clock(definition) {
        return;
    }
    let mut by_group: BTreeMap<_, Vec<&CombatantId>> = BTreeMap::new();
    for id in &placed {
        if let Some(c) = encounter.get(id) {
            by_group
                .entry(stands_by(definition, c))
                .or_default()
                .push(id);
        }
    }
    let mut lists = BTreeMap::new();
    for (group, ids) in by_group {
        lists.insert(group, shared_list(ids));
    }
    for id in placed {
        let group = encounter.get(id).map(|c| stands_by(definition, c));
        let Some(before) = group.and_then(|group| lists.get(&group)) else {
            continue;
        };
        let reorder = LegalCommand::of::<Reorder>("CU-40").with("combatant", id.as_str());
        let to_the_end = reorder.clone();
        let reorder = reorder.among("before", before, Some(id));
        let reorder = reorder.required("before").alike_values("before");
        legal.push(reorder.alike());
        let to_the_end = to_the_end.labelled("Move {combatant} to the end of the order");
        legal.push(to_the_end.alike());
    }
}

/// The combatants that have a place.
pub(super) fn placed(encounter: &Encounter) -> impl Iterator<Item = &CombatantId> {
    let placed: HashSet<_> = encounter
        .state
        .places
        .iter()
        .map(|place| &place.combatant)
        .collect();
    let combatants = encounter.iter().map(|c| &c.id);
    combatants.filter(move |id| placed.contains(id))
}

/// Lets a combatant's initiative follow its wounds and conditions, and says whether it changed.
pub(super) fn follow_state(play: &mut Play<'_>, id: &CombatantId) -> bool {
    let encounter = play.encounter();
    let definition = definition(encounter);
    let (Some(c), Some(place)) = (encounter.get(id), place_of(encounter, id)) else {
        return false;
    };
    let changes = place.initiative.changes;
    let wounds = change_by_wounds(definition, c) - changes.by_wounds;
    let conditions = change_by_conditions(definition, c) - changes.by_conditions;
    follow_change(play, id, Cause::Wounds, wounds);
    follow_change(play, id, Cause::Condition, conditions);
    wounds != Total::ZERO || conditions != Total::ZERO
}

pub(super) fn follow_change(play: &mut Play<'_>, id: &CombatantId, cause: Cause, by: Total) {
    if by != Total::ZERO
        && let Some(changed) = change_of_initiative(play.encounter(), id, cause, by)
    {
        play.emit(changed);
    }
}

fn not_whose(definition: &Definition) -> Violation {
    let (path, detail) = if scores_sides(definition) {
        (
            "side",
            "Sides have initiative in this order. Send \"side\", without \"combatant\".",
        )
    } else {
        (
            "combatant",
            "Combatants have initiative in this order. Send \"combatant\", without \"side\".",
        )
    };
    Violation::field("whose_initiative", path, detail)
}

fn set_combatant(play: &mut Play<'_>, id: &CombatantId, to: Total) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    let encounter = play.encounter();
    let Some(place) = rolled_place(encounter, id) else {
        return Err(no_place("combatant", id));
    };
    let by = to - place.initiative.total;
    if let Some(changed) = change_of_initiative(encounter, id, Cause::Set, by) {
        play.emit(changed);
    }
    Ok(())
}

fn set_side(play: &mut Play<'_>, side: &Slug, to: Total) -> Result<(), Violation> {
    let encounter = play.encounter();
    let mut sides = encounter.state.sides.iter();
    let known = sides.find(|known| known.side == *side && encounter.state.rolled);
    let Some(initiative) = known.and_then(|known| known.initiative.as_ref()) else {
        let detail = "This side has no initiative. Name one that has rolled.";
        return Err(Violation::field("no_initiative", "side", detail));
    };
    let changed = SideInitiativeChanged {
        side: side.clone(),
        from: initiative.total,
        to,
    };
    play.emit(changed);
    Ok(())
}

/// A combatant's first place, once the initiative of the round is known.
fn rolled_place<'t>(encounter: &'t Encounter, id: &CombatantId) -> Option<&'t Place> {
    place_of(encounter, id).filter(|_| encounter.state.rolled)
}

fn no_place(path: &'static str, id: &CombatantId) -> Violation {
    let detail = format!("{id} has no place in the order. Roll initiative first.");
    Violation::field("no_place", path, detail)
}

/// What decides before places do: the side and the choice of a combatant, if the order compares them.
fn stands_by<'t>(
    definition: &'t Definition,
    c: &'t Combatant,
) -> (Option<&'t Slug>, Option<&'t Slug>) {
    let side = parts_sides(definition).then_some(&c.side);
    let by_choice = key_of(definition, &Fact::Choice).is_some();
    (side, declared(definition, c).filter(|_| by_choice))
}
