//! What follows from definition and state: who has a turn left, its place, and what goes on.

use super::definition::{
    Definition, Fact, StepRule, Surprise, Team, Term, Turns, Unconscious, Who,
};
use super::lines::{all_steps, costs_turns, has_clock, is_own, key_of, keys, score_rule};
use super::manifest::MANIFEST;
use super::{Cause, Combatant, Encounter, InitiativeChanged, Place, Turn, TurnOrigin};
use crate::json::CachedJson;
use crate::vocabulary::{CombatantId, Slug, Total};

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

/// Whether a combatant takes part in a step of a shared turn, where it has steps.
pub(super) fn has_step(definition: &Definition, c: &Combatant) -> bool {
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

/// What becomes of a combatant's initiative by a change; None if it has no place.
pub(super) fn change_of_initiative(
    encounter: &Encounter,
    id: &CombatantId,
    cause: Cause,
    by: Total,
) -> Option<InitiativeChanged> {
    let from = place_of(encounter, id)?.initiative.total;
    Some(InitiativeChanged {
        combatant: id.clone(),
        from,
        to: from + by,
        cause,
    })
}

/// What a combatant's lost hit points change now.
pub(super) fn change_by_wounds(definition: &Definition, c: &Combatant) -> Total {
    let (Some(wounds), Some(hp)) = (&definition.changes.wounds, &c.hp) else {
        return Total::ZERO;
    };
    let max = hp.max.unwrap_or(hp.current).get();
    let lost = (max - hp.current.get()).max(0);
    (lost / wounds.each.get() * wounds.by.get()).into()
}

/// What a combatant's conditions change now.
pub(super) fn change_by_conditions(definition: &Definition, c: &Combatant) -> Total {
    let conditions = definition.changes.conditions.iter();
    let present = conditions.filter(|(condition, _)| c.has(condition.as_str()));
    let sum: i64 = present.map(|(_, change)| change.get()).sum();
    sum.into()
}
