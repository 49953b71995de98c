//! What follows from definition and state: who has a turn left, its place, and what goes on.

use super::candidates::candidates;
use super::definition::{
    Definition, Fact, Lasts, StepRule, Surprise, Team, Term, Turns, Unconscious, Who,
};
use super::lines::{
    all_steps, costs_turns, delays_last, has_clock, has_places, is_own, key_of, keys, score_rule,
};
use super::manifest::MANIFEST;
use super::pools::can_pay_turn;
use super::{Combatant, Encounter, Place, Turn, TurnOrigin};
use crate::json::CachedJson;
use crate::vocabulary::{CombatantId, Slug, Total, said};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

pub(super) fn definition(encounter: &Encounter) -> &Definition {
    encounter.options.definition()
}

/// A combatant's number of this name.
pub(super) fn number(definition: &Definition, c: &Combatant, name: &Slug) -> i64 {
    let own = c.stats.numbers.get(name);
    match own.or_else(|| definition.numbers.get(name)) {
        Some(number) => number.get(),
        None => 0,
    }
}

/// What a term comes to for a combatant, or for the table, which has no numbers.
pub(super) fn value<const MIN: i64, const MAX: i64>(
    definition: &Definition,
    c: Option<&Combatant>,
    term: &Term<MIN, MAX>,
) -> i64 {
    match (term, c) {
        (Term::Fixed(fixed), _) => fixed.get(),
        (Term::Number(name), Some(c)) => number(definition, c, name).clamp(MIN, MAX),
        (Term::Number(_), None) => 0.clamp(MIN, MAX),
    }
}

/// The turns of a combatant in a round.
pub(super) fn turns(definition: &Definition, c: &Combatant) -> usize {
    match &definition.turns {
        Turns::Count(turns) => usize::try_from(value(definition, Some(c), turns)).unwrap_or(0),
        // The next one.
        Turns::Unlimited | Turns::WhileScore | Turns::ByTick => 1,
    }
}

/// Whether a combatant has as many turns as there are choices, so that it declares none and fits
/// all.
pub(super) fn has_every_choice(definition: &Definition, c: &Combatant) -> bool {
    match &definition.declare {
        Some(declare) => turns(definition, c) >= declare.choices.len(),
        None => false,
    }
}

/// Whether a combatant is a foe of the players.
pub(super) fn is_foe(c: &Combatant) -> bool {
    c.side != "players"
}

/// Whether a combatant is one of `who`.
pub(super) fn fits(definition: &Definition, who: &Who, c: &Combatant) -> bool {
    fits_body(who, definition, c)
        && (who.declared.is_empty()
            || has_declared_one_of(definition, who, c)
            || has_every_choice(definition, c))
}

/// The same by side and numbers alone.
fn fits_body(who: &Who, definition: &Definition, c: &Combatant) -> bool {
    if let Some(team) = who.side
        && (team == Team::Foes) != is_foe(c)
    {
        return false;
    }
    let has = who.has.as_ref();
    has.is_none_or(|name| number(definition, c, name) > 0)
}

fn has_declared_one_of(definition: &Definition, who: &Who, c: &Combatant) -> bool {
    match declared(definition, c) {
        Some(choice) => who.declared.contains(choice),
        None => false,
    }
}

/// What a combatant has declared, or the choice that comes first if it may still pass.
pub(super) fn declared<'t>(definition: &'t Definition, c: &'t Combatant) -> Option<&'t Slug> {
    if let Some(choice) = &c.state.declared {
        return Some(choice);
    }
    let declare = definition.declare.as_ref();
    let declare =
        declare.filter(|declare| declare.passing && fits_body(&declare.who, definition, c))?;
    let is_reversed = key_of(definition, &Fact::Choice).is_some_and(|key| key.highest);
    let mut choices = declare.choices.iter();
    if is_reversed {
        choices.next_back()
    } else {
        choices.next()
    }
}

/// Whether a combatant is surprised, so that its first turn passes unused.
pub(super) fn is_surprised(definition: &Definition, c: &Combatant) -> bool {
    definition.surprise == Surprise::Skips && c.state.surprised
}

/// Whether it has no turns while it is unconscious.
pub(super) fn is_skipped(definition: &Definition, c: &Combatant) -> bool {
    definition.unconscious == Unconscious::Skips && c.has(MANIFEST.down)
}

/// Whether something of the combatants' own decides between them in this round.
pub(super) fn has_places_now(encounter: &Encounter) -> bool {
    let definition = definition(encounter);
    let round = encounter.round;
    let mut keys = keys(definition).iter();
    keys.any(|key| is_own(definition, &key.fact) && key.only.counts_in(round))
}

/// The lap in which somebody acts, or else the next one does, from 0.
pub(super) fn lap_now(encounter: &Encounter) -> usize {
    let acting = top(encounter).and_then(|turn| turn.combatants.first());
    if let Some(id) = acting {
        return lap_of_begun(encounter, id);
    }
    match candidates(encounter).first() {
        Some(id) => lap_of_next(encounter, id),
        None => 0,
    }
}

/// The lap of a combatant's next turn.
fn lap_of_next(encounter: &Encounter, id: &CombatantId) -> usize {
    if has_places(definition(encounter)) {
        return next_place(encounter, id).map_or(0, |place| place.turn);
    }
    let taken = encounter.get(id).map_or(0, |c| c.state.turns_taken);
    usize::try_from(taken).unwrap_or(usize::MAX)
}

/// The lap of a combatant's turn that is going on.
fn lap_of_begun(encounter: &Encounter, id: &CombatantId) -> usize {
    let definition = definition(encounter);
    if costs_turns(definition) {
        // Its one place goes on to the next lap when the turn ends.
        return place_of(encounter, id).map_or(0, |place| place.turn);
    }
    if has_places(definition) {
        let begun = last_begun(encounter, id).and_then(|at| encounter.state.places.get(at));
        return begun.map_or(0, |place| place.turn);
    }
    lap_of_next(encounter, id).saturating_sub(1)
}

/// True if a combatant may act, by all but the order.
pub(super) fn is_ready(encounter: &Encounter, c: &Combatant) -> bool {
    let definition = definition(encounter);
    c.active()
        && !is_skipped(definition, c)
        && has_turn_left(definition, c)
        && can_pay_turn(encounter, c)
        && !keeps_delaying(definition, c)
        && fits(definition, &definition.who, c)
        && has_step(definition, c)
}

/// Whether a combatant has a turn left. Where turns cost initiative, its place says so.
fn has_turn_left(definition: &Definition, c: &Combatant) -> bool {
    costs_turns(definition) || c.state.turns_left > 0
}

/// Whether a combatant delays, and its delay does not end when its place comes again.
fn keeps_delaying(definition: &Definition, c: &Combatant) -> bool {
    c.state.delaying && !delays_last(definition, Lasts::Place)
}

/// Whether a combatant takes part in a step of a shared turn, where it has steps.
fn has_step(definition: &Definition, c: &Combatant) -> bool {
    let steps = all_steps(definition);
    let mut those = steps.iter();
    steps.is_empty() || those.any(|step| fits(definition, &step.who, c))
}

/// The places that are still to come up.
pub(super) fn open_places(encounter: &Encounter) -> impl Iterator<Item = &CachedJson<Place>> {
    let definition = definition(encounter);
    let places = encounter.state.places.iter();
    places.filter(move |place| !is_over(definition, place))
}

/// Whether a place comes up no more in this round. On a clock none is over; where turns cost
/// initiative else, it is over without any.
pub(super) fn is_over(definition: &Definition, place: &Place) -> bool {
    if has_clock(definition) {
        return false;
    }
    place.done || costs_turns(definition) && place.initiative.total <= Total::ZERO
}

/// The first place of a combatant.
pub(super) fn place_of<'t>(encounter: &'t Encounter, id: &CombatantId) -> Option<&'t Place> {
    let mut places = encounter.state.places.iter();
    places
        .find(|place| place.combatant == *id)
        .map(|place| &**place)
}

/// The first place of a combatant that is still to come up.
pub(super) fn open_place(encounter: &Encounter, id: &CombatantId) -> Option<usize> {
    let places = encounter.state.places.iter();
    let definition = definition(encounter);
    let is_open = |place: &CachedJson<Place>| place.combatant == *id && !is_over(definition, place);
    places
        .enumerate()
        .find_map(|(at, place)| is_open(place).then_some(at))
}

/// What many questions about an encounter need: the places of each combatant, and the sides that can
/// act. Each is made when it is first asked for, so that asking for every combatant looks through
/// the places once.
pub(super) struct Survey<'t> {
    pub(super) encounter: &'t Encounter,
    places: OnceCell<HashMap<&'t CombatantId, PlacesOfOne<'t>>>,
    able: OnceCell<BTreeSet<(&'t Slug, bool)>>,
}

/// The places of one combatant.
struct PlacesOfOne<'t> {
    first: &'t Place,
    has_open: bool,
}

impl<'t> Survey<'t> {
    pub(super) fn of(encounter: &'t Encounter) -> Self {
        Self {
            encounter,
            places: OnceCell::new(),
            able: OnceCell::new(),
        }
    }

    fn places(&self) -> &HashMap<&'t CombatantId, PlacesOfOne<'t>> {
        self.places.get_or_init(|| {
            let definition = definition(self.encounter);
            let mut places: HashMap<_, PlacesOfOne<'t>> = HashMap::new();
            for place in &self.encounter.state.places {
                let of_one = places.entry(&place.combatant).or_insert(PlacesOfOne {
                    first: place,
                    has_open: false,
                });
                of_one.has_open |= !is_over(definition, place);
            }
            places
        })
    }

    /// The first place of a combatant.
    pub(super) fn place_of(&self, id: &CombatantId) -> Option<&'t Place> {
        Some(self.places().get(id)?.first)
    }

    /// Whether a combatant has a place that is still to come up.
    pub(super) fn has_open_place(&self, id: &CombatantId) -> bool {
        self.places().get(id).is_some_and(|places| places.has_open)
    }

    /// The sides of which a combatant can act: with true those of hidden combatants.
    pub(super) fn able(&self) -> &BTreeSet<(&'t Slug, bool)> {
        self.able.get_or_init(|| {
            let by_places = has_places(definition(self.encounter));
            let mut able = BTreeSet::new();
            for c in self.encounter.iter() {
                let comes_up = !by_places || self.has_open_place(&c.id);
                if comes_up && is_ready(self.encounter, c) {
                    able.insert((&c.side, c.hidden));
                }
            }
            able
        })
    }
}

/// A combatant's next place.
pub(super) fn next_place<'t>(encounter: &'t Encounter, id: &CombatantId) -> Option<&'t Place> {
    let place = encounter.state.places.get(open_place(encounter, id)?)?;
    Some(place)
}

/// Where the last of a combatant's turns stands that have begun in this round.
pub(super) fn last_begun(encounter: &Encounter, id: &CombatantId) -> Option<usize> {
    let mut places = encounter.state.places.iter();
    places.rposition(|place| place.done && place.combatant == *id)
}

/// Beside whose place a combatant goes that moves now, and whether after it: the turn that is going
/// on, else the last one. If its combatant has left, the place after it tells where it stood.
pub(super) fn beside_now(encounter: &Encounter) -> (Option<&CombatantId>, bool) {
    let state = &encounter.state;
    if let Some(turn) = top(encounter) {
        (turn.combatants.first(), false)
    } else if let Some(last) = &state.last {
        (Some(last), true)
    } else {
        (state.stood_before.as_ref(), false)
    }
}

/// The turn that is going on: the last one in which there is anybody.
pub(super) fn top(encounter: &Encounter) -> Option<&Turn> {
    let mut turns = encounter.state.turns.iter();
    turns.rfind(|turn| !turn.combatants.is_empty())
}

/// The steps of the turn that is going on.
pub(super) fn steps(encounter: &Encounter) -> &[StepRule] {
    match top(encounter) {
        Some(turn) if turn.origin == TurnOrigin::Normal => all_steps(definition(encounter)),
        _ => &[],
    }
}

/// The step of the turn that is going on.
pub(super) fn step_now(encounter: &Encounter) -> Option<&StepRule> {
    steps(encounter).get(top(encounter)?.step)
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

/// Whose turn it is, and not done with its step.
pub(super) fn current(encounter: &Encounter) -> impl Iterator<Item = &CombatantId> {
    let turn = top(encounter).into_iter();
    turn.flat_map(move |turn| {
        let sharing = turn.combatants.iter();
        sharing.filter(move |id| has_to_act(encounter, turn, id))
    })
}

/// Whether a combatant that shares this turn acts in its step and is not done.
fn has_to_act(encounter: &Encounter, turn: &Turn, id: &CombatantId) -> bool {
    let Some(c) = encounter.get(id) else {
        return false;
    };
    if !c.active() || turn.done.contains(id) {
        return false;
    }
    let steps = steps(encounter);
    match steps.get(turn.step) {
        Some(step) => fits(definition(encounter), &step.who, c),
        None => steps.is_empty(),
    }
}

/// Whether one of the turns that are going on is this combatant's.
pub(super) fn in_a_turn(encounter: &Encounter, id: &CombatantId) -> bool {
    let mut turns = encounter.state.turns.iter();
    turns.any(|turn| turn.combatants.contains(id))
}

/// Whether the turn that is going on is this combatant's.
pub(super) fn in_top_turn(encounter: &Encounter, id: &CombatantId) -> bool {
    top(encounter).is_some_and(|turn| turn.combatants.contains(id))
}

/// Whether a combatant's initiative is fixed.
pub(super) fn is_fixed(definition: &Definition, c: &Combatant) -> bool {
    let Some(initiative) = score_rule(definition) else {
        return false;
    };
    match &initiative.fixed {
        Some(name) => number(definition, c, name) != 0,
        None => false,
    }
}
