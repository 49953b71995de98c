//! Points: how many there are, what they pay for, and what a turn costs.

use super::definition::{
    Definition, Gain, OUTNUMBERED, Owner, PoolRule, ReactionRule, Term, TurnCostRule,
};
use super::lines::{has_clock, later_by, pool_of_turns};
use super::query::{change_of_initiative, definition, place_of, top, value};
use super::{
    Cause, Combatant, Encounter, Event, InitiativeChanged, PoolChanged, SidePoolChanged, SideState,
    State, TablePoolChanged, TurnOrigin,
};
use crate::vocabulary::{CombatantId, Int, Slug, Total};
use std::collections::BTreeMap;

/// The most points of a pool.
const MAX_POINTS: u32 = 100;

/// The most points of a pool, and those at the start.
pub(super) fn pool_size(
    definition: &Definition,
    c: Option<&Combatant>,
    pool: &PoolRule,
) -> (u32, u32) {
    let max = points_of_term(definition, c, &pool.max);
    (max, pool_start(definition, c, pool, max))
}

/// The points of a pool at the start: the most that it holds, unless the pool says less.
fn pool_start(definition: &Definition, c: Option<&Combatant>, pool: &PoolRule, max: u32) -> u32 {
    match &pool.start {
        Some(start) => points_of_term(definition, c, start).min(max),
        None => max,
    }
}

/// The points of a pool after a gain: those that are more than it may hold stay.
pub(super) fn gained(
    definition: &Definition,
    c: Option<&Combatant>,
    gain: &Gain,
    before: u32,
    max: u32,
) -> u32 {
    match gain {
        Gain::Max => max,
        Gain::Points(points) => {
            let more = points_of_term(definition, c, points);
            before.saturating_add(more).min(max.max(before))
        }
    }
}

/// The most points of a side's pool, and those at the start.
pub(super) fn side_pool_size(encounter: &Encounter, side: &Slug, pool: &PoolRule) -> (u32, u32) {
    let definition = definition(encounter);
    if !is_outnumbered(pool) {
        return pool_size(definition, None, pool);
    }
    let max = outnumbered_by(encounter, side);
    (max, pool_start(definition, None, pool, max))
}

/// Whether a pool holds a point for each combatant that its side has fewer than the largest.
pub(super) fn is_outnumbered(pool: &PoolRule) -> bool {
    matches!(&pool.max, Term::Number(word) if *word == OUTNUMBERED)
}

/// How many combatants a side has fewer than the largest side. Hidden ones count only for a side
/// that has no others, or the points would show that they are there.
pub(super) fn outnumbered_by(encounter: &Encounter, side: &Slug) -> u32 {
    let mut seen: BTreeMap<&Slug, u32> = BTreeMap::new();
    let mut hidden = 0;
    for c in encounter.active() {
        if !c.hidden {
            *seen.entry(&c.side).or_default() += 1;
        } else if c.side == *side {
            hidden += 1;
        }
    }
    let own = seen.get(side).copied().unwrap_or(hidden);
    let largest = seen.values().max().copied().unwrap_or(0);
    largest.saturating_sub(own).min(MAX_POINTS)
}

fn points_of_term(definition: &Definition, c: Option<&Combatant>, term: &Term<0, 100>) -> u32 {
    u32::try_from(value(definition, c, term)).unwrap_or(0)
}

/// What the turn that is going on costs; None if it costs nothing, as a bought one.
pub(super) fn cost_of_turn(encounter: &Encounter) -> Option<&TurnCostRule> {
    match top(encounter) {
        Some(turn) if turn.origin == TurnOrigin::Bought => None,
        _ => definition(encounter).turn_cost.as_ref(),
    }
}

/// What a turn of a combatant may cost: no more points than it has; None if it has too few, and the turn
/// takes what is there.
pub(super) fn price_of_turn(encounter: &Encounter, id: &CombatantId) -> Option<[u32; 2]> {
    let rule = cost_of_turn(encounter)?;
    let [least, mut most] = rule.cost.map(Int::count);
    if let Some(pool) = &rule.pool {
        most = most.min(points(encounter, encounter.get(id)?, pool));
    }
    (least <= most).then_some([least, most])
}

/// The event that pays for a turn that ends at this cost, or the usual one; None if it costs nothing.
pub(super) fn payment(encounter: &Encounter, id: &CombatantId, cost: Option<u32>) -> Option<Event> {
    let rule = cost_of_turn(encounter)?;
    let Some(pool) = &rule.pool else {
        return change_by_turn(encounter, id, cost).map(Event::from);
    };
    let c = encounter.get(id)?;
    let cost = cost.unwrap_or(rule.usual().count());
    spending(encounter, c, pool, cost)
}

/// The event that takes points from a pool that a combatant can spend.
pub(super) fn spending(
    encounter: &Encounter,
    c: &Combatant,
    pool: &Slug,
    cost: u32,
) -> Option<Event> {
    let left = points(encounter, c, pool).saturating_sub(cost);
    let pool = pool.clone();
    Some(match definition(encounter).pools.get(&pool)?.of {
        Owner::Combatant => PoolChanged {
            combatant: c.id.clone(),
            pool,
            left,
        }
        .into(),
        Owner::Side => SidePoolChanged {
            side: c.side.clone(),
            pool,
            left,
        }
        .into(),
        Owner::Table => TablePoolChanged { pool, left }.into(),
    })
}

/// Whether a combatant has the points that a turn costs at least.
pub(super) fn can_pay_turn(encounter: &Encounter, c: &Combatant) -> bool {
    let Some((pool, rule)) = pool_of_turns(definition(encounter)) else {
        return true;
    };
    let [least, _] = rule.cost;
    points(encounter, c, pool) >= least.count()
}

/// What becomes of a combatant's initiative if its turn ends at this cost, or the usual one; None if
/// the turn costs nothing.
fn change_by_turn(
    encounter: &Encounter,
    id: &CombatantId,
    cost: Option<u32>,
) -> Option<InitiativeChanged> {
    let usual = cost_of_turn(encounter)?.usual();
    let cost = cost.unwrap_or(usual.count());
    let mut by = Total::from(later_by(definition(encounter), cost));
    if has_clock(definition(encounter)) {
        // A place whose tick has passed counts from the present one.
        let stands_at = place_of(encounter, id)?.initiative.total;
        let behind = Total::from(i64::from(encounter.state.tick)) - stands_at;
        by = by + behind.max(Total::ZERO);
    }
    change_of_initiative(encounter, id, Cause::Turn, by)
}

/// The points that a combatant can spend from a pool.
pub(super) fn points(encounter: &Encounter, c: &Combatant, name: &Slug) -> u32 {
    let Some(pool) = definition(encounter).pools.get(name) else {
        return 0;
    };
    let pools = match pool.of {
        Owner::Combatant if !c.state.pools.contains_key(name) => Some(&c.state.unseen_pools.0),
        Owner::Combatant => Some(&c.state.pools),
        Owner::Side => side_state(&encounter.state, &c.side).map(|side| &side.pools),
        Owner::Table => Some(&encounter.state.pools),
    };
    let points = pools.and_then(|pools| pools.get(name));
    points.copied().unwrap_or(0)
}

/// The state of a side.
pub(super) fn side_state<'t>(state: &'t State, side: &Slug) -> Option<&'t SideState> {
    let mut sides = state.sides.iter();
    sides.find(|known| known.side == *side)
}

/// The fewest and the most points that a reaction costs.
pub(super) fn price(rule: &ReactionRule) -> [u32; 2] {
    match &rule.cost.pool {
        Some(_) => rule.cost.points.map(Int::count),
        None => [0, 0],
    }
}

/// Whether a combatant has the points that a reaction costs at least.
pub(super) fn has_points(encounter: &Encounter, c: &Combatant, rule: &ReactionRule) -> bool {
    let [least, _] = price(rule);
    match &rule.cost.pool {
        Some(pool) => points(encounter, c, pool) >= least,
        None => true,
    }
}
