//! What follows from definition and state: who may act, who picks, who has a right.

use super::definition::*;
use super::*;
use crate::vocabulary::{Int, Kind};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// How deep turns may interrupt one another.
pub(super) const MAX_DEPTH: usize = 8;

pub(super) fn definition(encounter: &Encounter) -> &Definition {
    encounter.options.definition()
}

/// The phase that is going on.
pub(super) fn phase(encounter: &Encounter) -> &PhaseRule {
    static PLAIN: LazyLock<PhaseRule> = LazyLock::new(PhaseRule::default);
    let at = usize::try_from(encounter.state.phase).unwrap_or(usize::MAX);
    definition(encounter).phases.get(at).unwrap_or(&PLAIN)
}

/// The line of the definition for a field of the phase that is going on, for refusals.
pub(super) fn phase_line(encounter: &Encounter, field: &str) -> String {
    format!("phases.{}.{field}", encounter.state.phase)
}

/// A combatant's number of this name.
pub(super) fn number(definition: &Definition, c: &Combatant, name: &Slug) -> i64 {
    c.stats
        .numbers
        .get(name)
        .or_else(|| definition.numbers.get(name))
        .copied()
        .map_or(0, Int::get)
}

/// What a term comes to for a combatant.
pub(super) fn value<const MIN: i64, const MAX: i64>(
    definition: &Definition,
    c: Option<&Combatant>,
    term: &Term<MIN, MAX>,
) -> i64 {
    match term {
        Term::Fixed(fixed) => fixed.get(),
        Term::Number(name) => c.map_or(0, |c| number(definition, c, name)).clamp(MIN, MAX),
    }
}

/// The turns of a combatant in a round.
pub(super) fn turns(definition: &Definition, c: &Combatant) -> u32 {
    u32::try_from(value(definition, Some(c), &definition.turns)).unwrap_or(0)
}

/// The most points of a pool, and those at the start.
pub(super) fn pool_size(
    definition: &Definition,
    c: Option<&Combatant>,
    pool: &PoolRule,
) -> (u32, u32) {
    let points = |term| u32::try_from(value(definition, c, term)).unwrap_or(0);
    let max = points(&pool.max);
    let start = if pool.refill == Refill::Ready {
        0
    } else {
        pool.start.as_ref().map_or(max, points)
    };
    (max, start.min(max))
}

/// Whether a combatant has as many turns as there are choices, so that it declares none and fits
/// all.
fn has_every_choice(definition: &Definition, c: &Combatant) -> bool {
    let choices = definition
        .declare
        .as_ref()
        .map_or(usize::MAX, |declare| declare.choices.len());
    usize::try_from(turns(definition, c)).is_ok_and(|turns| turns >= choices)
}

/// Whether a combatant is a foe of the players.
pub(super) fn is_foe(c: &Combatant) -> bool {
    c.side != "players"
}

/// Whether a combatant is one of `who`.
pub(super) fn fits(definition: &Definition, who: &Who, c: &Combatant) -> bool {
    let team = who
        .side
        .is_none_or(|team| (team == Team::Foes) == is_foe(c));
    let has = who
        .has
        .as_ref()
        .is_none_or(|name| number(definition, c, name) > 0);
    let declared = who.declared.is_empty()
        || c.state
            .declared
            .as_ref()
            .is_some_and(|choice| who.declared.contains(choice))
        || has_every_choice(definition, c);
    team && has && declared
}

/// Whether a combatant must declare before the round goes on.
pub(super) fn must_declare(encounter: &Encounter, c: &Combatant) -> bool {
    let definition = definition(encounter);
    let Some(declare) = &definition.declare else {
        return false;
    };
    c.active()
        && !c.state.has_declared
        && fits(definition, &declare.who, c)
        && !has_every_choice(definition, c)
}

/// The combatants that must declare before the round goes on.
pub(super) fn undeclared(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    encounter.iter().filter(|c| must_declare(encounter, c))
}

/// What an active combatant's declaration is when all are shown.
pub(super) fn declaration(definition: &Definition, c: &Combatant) -> Option<Slug> {
    let declare = definition
        .declare
        .as_ref()
        .filter(|_| !has_every_choice(definition, c))?;
    c.state
        .declared
        .clone()
        .or_else(|| declare.choices.first().cloned())
}

/// Whether a combatant is surprised, so that its first turn passes unused.
pub(super) fn is_surprised(definition: &Definition, c: &Combatant) -> bool {
    definition.surprise == Surprise::Skips && c.state.surprised
}

/// Whether it has no turns while it is unconscious.
pub(super) fn is_skipped(definition: &Definition, c: &Combatant) -> bool {
    definition.down == Down::Skips && c.has(MANIFEST.down)
}

/// Whether a score for places is part of the definition.
pub(super) fn has_places(definition: &Definition) -> bool {
    definition
        .score
        .as_ref()
        .is_some_and(|score| score.per != Per::Side)
}

/// Whether this round's scores are still to be rolled.
pub(super) fn owes_roll(encounter: &Encounter) -> bool {
    definition(encounter).score.is_some() && !encounter.state.rolled
}

/// Whether a combatant may act in this phase, its place and its side aside.
fn is_ready(encounter: &Encounter, c: &Combatant) -> bool {
    let (definition, phase, state) = (definition(encounter), phase(encounter), &c.state);
    let most = phase.turns.count();
    let turns = definition.clock.is_some()
        || state.turns_left > 0 && (most == 0 || state.turns_in_phase < most);
    let waits = state.waiting
        && definition
            .wait
            .as_ref()
            .is_none_or(|wait| wait.lasts != Lasts::Place);
    let able = c.active() && !is_skipped(definition, c) && fits(definition, &phase.who, c);
    turns && !waits && !state.passed && able && has_step(definition, phase, c)
}

/// Whether a combatant takes part in a step of the phase's turns, where they have steps.
fn has_step(definition: &Definition, phase: &PhaseRule, c: &Combatant) -> bool {
    phase.steps.is_empty()
        || phase
            .steps
            .iter()
            .any(|step| fits(definition, &step.who, c))
}

/// Whether a place is still to come up.
pub(super) fn is_open(definition: &Definition, place: &Place) -> bool {
    !place.done || definition.clock.is_some()
}

/// The combatants of which one is next; all of them, where a turn is shared.
pub(super) fn candidates(encounter: &Encounter) -> Vec<CombatantId> {
    let phase = phase(encounter);
    let sides = (phase.sides != Sides::Mixed).then(|| sides_next(encounter, phase.sides));
    let of_side = |c: &Combatant| sides.as_ref().is_none_or(|sides| sides.contains(&c.side));
    if phase.pick == Pick::Order {
        return tier(encounter, |c| of_side(c) && is_ready(encounter, c));
    }
    ids(encounter
        .iter()
        .filter(|c| of_side(c) && is_ready(encounter, c)))
}

/// The combatants on the first open place of those that are `eligible`: several, where their scores
/// are equal.
fn tier(encounter: &Encounter, eligible: impl Fn(&Combatant) -> bool) -> Vec<CombatantId> {
    let definition = definition(encounter);
    let open = encounter
        .state
        .places
        .iter()
        .filter(|place| is_open(definition, place));
    let mut able = open.filter_map(|place| {
        Some((
            place,
            encounter.get(&place.combatant).filter(|c| eligible(c))?,
        ))
    });
    let Some((first, c)) = able.next() else {
        return Vec::new();
    };
    let mut tied = vec![c];
    let equal = |place: &Place| !place.moved && !first.moved && place.score.key == first.score.key;
    for (_, c) in able.filter(|(place, _)| equal(place)) {
        if !tied.iter().any(|other| other.id == c.id) {
            tied.push(c);
        }
    }
    // A tie with hidden combatants would show that they are there: they stand behind, as they
    // joined.
    if tied.iter().any(|c| !c.hidden) {
        tied.retain(|c| !c.hidden);
    } else {
        tied.truncate(1);
    }
    ids(tied)
}

/// The sides of which somebody may act in this phase.
fn able_sides(encounter: &Encounter) -> BTreeSet<&Slug> {
    if phase(encounter).pick != Pick::Order {
        return encounter
            .iter()
            .filter(|c| is_ready(encounter, c))
            .map(|c| &c.side)
            .collect();
    }
    let open = encounter
        .state
        .places
        .iter()
        .filter(|place| is_open(definition(encounter), place));
    let placed = open.filter_map(|place| encounter.get(&place.combatant));
    placed
        .filter(|c| is_ready(encounter, c))
        .map(|c| &c.side)
        .collect()
}

/// The sides whose turn it is.
fn sides_next(encounter: &Encounter, rule: Sides) -> BTreeSet<&Slug> {
    let state = &encounter.state;
    let able = able_sides(encounter);
    let known = state
        .sides
        .iter()
        .enumerate()
        .filter(|(_, side)| able.contains(&side.side));
    if rule == Sides::Alternate {
        let last = state
            .sides
            .iter()
            .position(|side| Some(&side.side) == state.last_side.as_ref());
        let next = |(i, _): &(usize, &SideState)| (last.is_some_and(|last| *i <= last), *i);
        return known
            .min_by_key(next)
            .map(|(_, side)| &side.side)
            .into_iter()
            .collect();
    }
    let mut sides = known.map(|(_, side)| side);
    let Some(first) = sides.next() else {
        return BTreeSet::new();
    };
    std::iter::once(first)
        .chain(sides.take_while(|side| side.ties(first)))
        .map(|side| &side.side)
        .collect()
}

/// Who names the next combatant, where the one that acted last does and is still here.
pub(super) fn chooser(encounter: &Encounter) -> Option<&CombatantId> {
    let phase = phase(encounter);
    if phase.pick != Pick::Last {
        return None;
    }
    let last = if phase.sides == Sides::Mixed {
        encounter.state.last.as_ref()
    } else {
        let sides = sides_next(encounter, phase.sides);
        let side = encounter
            .state
            .sides
            .iter()
            .find(|side| sides.contains(&side.side));
        side.and_then(|side| side.last.as_ref())
    };
    last.filter(|id| encounter.get(id).is_some())
}

/// Beside whose place a combatant goes that moves now, and whether after it: the turn that is going
/// on, else the last one. If its combatant has left, the place after it tells where it stood.
pub(super) fn beside_now(encounter: &Encounter) -> (Option<&CombatantId>, bool) {
    let state = &encounter.state;
    let acting = top(encounter).and_then(|turn| turn.combatants.first());
    match (acting, &state.last) {
        (Some(acting), _) => (Some(acting), false),
        (None, Some(last)) => (Some(last), true),
        (None, None) => (state.stood_before.as_ref(), false),
    }
}

/// The turn that is going on: the last one in which there is anybody.
pub(super) fn top(encounter: &Encounter) -> Option<&Turn> {
    encounter
        .state
        .turns
        .iter()
        .rfind(|turn| !turn.combatants.is_empty())
}

/// The clock, unless the turn that is going on costs no ticks because it is bought.
pub(super) fn turn_clock(encounter: &Encounter) -> Option<&ClockRule> {
    let bought = top(encounter).is_some_and(|turn| turn.kind == TurnKind::Bought);
    definition(encounter).clock.as_ref().filter(|_| !bought)
}

/// When a combatant acts next on the clock if its turn ends at this cost, or the least; None if the
/// turn costs no ticks.
pub(super) fn scheduled(
    encounter: &Encounter,
    id: &CombatantId,
    cost: Option<u32>,
) -> Option<Scheduled> {
    let [least, _] = turn_clock(encounter)?.cost;
    let place = encounter
        .state
        .places
        .iter()
        .find(|place| place.combatant == *id)?;
    let from = u32::try_from(place.score.total)
        .unwrap_or(0)
        .max(encounter.state.tick);
    Some(Scheduled {
        combatant: id.clone(),
        tick: from.saturating_add(cost.unwrap_or(least.count())),
    })
}

/// The steps of the turn that is going on.
pub(super) fn steps(encounter: &Encounter) -> &[StepRule] {
    match top(encounter) {
        Some(turn) if turn.kind == TurnKind::Normal => &phase(encounter).steps,
        _ => &[],
    }
}

/// Whose turn it is, and not done with its step.
pub(super) fn current(encounter: &Encounter) -> impl Iterator<Item = &CombatantId> {
    let turn = top(encounter);
    let steps = steps(encounter);
    let step = turn.and_then(|turn| steps.get(usize::try_from(turn.step).ok()?));
    let takes_part = move |c: &Combatant| match step {
        Some(step) => fits(definition(encounter), &step.who, c),
        None => steps.is_empty(),
    };
    let here = move |id: &&CombatantId| {
        encounter
            .get(id)
            .is_some_and(|c| c.active() && takes_part(c))
    };
    let open = turn
        .into_iter()
        .flat_map(|turn| turn.combatants.iter().filter(|id| !turn.done.contains(id)));
    open.filter(here)
}

/// Whether one of the turns that are going on is this combatant's.
pub(super) fn in_a_turn(encounter: &Encounter, id: &CombatantId) -> bool {
    encounter
        .state
        .turns
        .iter()
        .any(|turn| turn.combatants.contains(id))
}

/// Whether a turn is going on.
fn within_turn(encounter: &Encounter) -> bool {
    top(encounter).is_some()
}

/// When rights are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// Within a turn.
    WithinTurn,
    /// After a turn that ended or was delayed.
    AfterTurn,
    /// Before the round ends.
    RoundEnd,
}

/// The opening that there is now, if rights can be used.
pub(super) fn opening(encounter: &Encounter) -> Option<Opening> {
    match encounter.state.mode {
        Mode::Gap { stalled: true, .. } => Some(Opening::RoundEnd),
        Mode::Gap { stalled: false, .. } => Some(Opening::AfterTurn),
        Mode::Turn if within_turn(encounter) => Some(Opening::WithinTurn),
        _ => None,
    }
}

/// Whether a combatant may use its rights: it is in the fight, and has not passed in this gap.
fn may_respond(encounter: &Encounter, c: &Combatant) -> bool {
    let passed =
        matches!(&encounter.state.mode, Mode::Gap { passed, .. } if passed.contains(&c.id));
    c.active() && !passed && !is_skipped(definition(encounter), c)
}

/// Whether it was this combatant's turn that ended or was delayed last.
fn was_last(encounter: &Encounter, c: &Combatant) -> bool {
    encounter.state.last.as_ref() == Some(&c.id)
}

/// Whether a combatant that waits may return in this opening.
pub(super) fn may_return(encounter: &Encounter, c: &Combatant, opening: Opening) -> bool {
    let Some(wait) = definition(encounter)
        .wait
        .as_ref()
        .filter(|_| c.state.waiting)
    else {
        return false;
    };
    let now = match opening {
        Opening::WithinTurn => wait.interrupts,
        Opening::AfterTurn => !was_last(encounter, c),
        Opening::RoundEnd => true,
    };
    let room = encounter.state.turns.len() < MAX_DEPTH;
    now && room && may_respond(encounter, c)
}

/// Whether a combatant may use a right in this opening, whatever its points.
pub(super) fn may_interject(encounter: &Encounter, c: &Combatant, opening: Opening) -> bool {
    let now = match opening {
        Opening::WithinTurn => !in_a_turn(encounter, &c.id),
        Opening::AfterTurn | Opening::RoundEnd => !was_last(encounter, c),
    };
    let able = !c.has(MANIFEST.down) && !is_surprised(definition(encounter), c);
    now && able && !c.state.waiting && may_respond(encounter, c)
}

/// The points that a combatant can spend from a pool.
pub(super) fn points(encounter: &Encounter, c: &Combatant, name: &Slug, pool: &PoolRule) -> u32 {
    let pools = if pool.of == Owner::Table {
        &encounter.state.pools
    } else {
        &c.state.pools
    };
    pools.get(name).copied().unwrap_or(0)
}

/// Whether a combatant may spend from this pool in this opening; it [may use a
/// right](may_interject).
pub(super) fn may_spend(
    encounter: &Encounter,
    c: &Combatant,
    opening: Opening,
    name: &Slug,
    pool: &PoolRule,
) -> bool {
    let ([least, _], points) = (pool.spend.cost, points(encounter, c, name, pool));
    let paid = points >= least.count() && (pool.of == Owner::Table || points > 0);
    let when = opening != Opening::WithinTurn || pool.spend.when == When::Any;
    let room = pool.spend.gives == Gives::Action || encounter.state.turns.len() < MAX_DEPTH;
    let unused = !c.state.used.contains(name);
    paid && when && room && unused && fits(definition(encounter), &pool.spend.who, c)
}

/// Whether a combatant holds a right in this opening.
pub(super) fn has_right(encounter: &Encounter, c: &Combatant, opening: Opening) -> bool {
    if c.state.waiting || c.state.pools.is_empty() && encounter.state.pools.is_empty() {
        return may_return(encounter, c, opening);
    }
    let mut pools = definition(encounter).pools.iter();
    pools.any(|(name, pool)| may_spend(encounter, c, opening, name, pool))
        && may_interject(encounter, c, opening)
}

/// The combatants that hold a right in this opening.
pub(super) fn right_holders(
    encounter: &Encounter,
    opening: Opening,
) -> impl Iterator<Item = &Combatant> {
    encounter
        .iter()
        .filter(move |c| has_right(encounter, c, opening))
}

/// The combatants that are asked in the gap that is open.
pub(super) fn asked(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    let opening = opening(encounter).filter(|opening| *opening != Opening::WithinTurn);
    opening
        .into_iter()
        .flat_map(|opening| right_holders(encounter, opening))
}

/// Whether a combatant's score is pinned.
pub(super) fn is_pinned(definition: &Definition, c: &Combatant) -> bool {
    let pinned = definition
        .score
        .as_ref()
        .and_then(|score| score.pinned.as_ref());
    pinned.is_some_and(|name| number(definition, c, name) != 0)
}

/// Whether a combatant stands for a lair: a hazard with a fixed score, which is no creature with a
/// turn.
pub(super) fn is_lair(definition: &Definition, c: &Combatant) -> bool {
    c.kind == Kind::Hazard && is_pinned(definition, c)
}
