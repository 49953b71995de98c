//! Points: how many there are, what they pay for, and what a turn costs.

use super::definition::{
    Definition, Gain, OUTNUMBERED, Owner, PoolRule, ReactionRule, Term, TurnCostRule,
};
use super::lines::{has_clock, later_by, pool_of_turns};
use super::point::Then;
use super::query::{change_of_initiative, definition, place_of, top, value};
use super::{
    Cause, Combatant, Custom, Encounter, Event, InitiativeChanged, Play, SideState, State,
    TurnOrigin,
};
use crate::vocabulary::{CombatantId, Fold, Int, Slug, Total, Violation, command, event};
use std::collections::BTreeMap;

/// The most points of a pool.
const MAX_POINTS: u32 = 100;

/// Adds points to a pool or takes them away, between 0 and the pool's maximum.
#[command(gm, "Change {pool} points")]
pub struct Grant {
    /// The pool.
    pub pool: Slug,
    /// The combatant that has the pool.
    pub combatant: Option<CombatantId>,
    /// The side that has the pool. A pool of the table has neither.
    pub side: Option<Slug>,
    /// Points to add; below 0, points to take.
    pub amount: Int<-100, 100>,
}

impl Grant {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let pool = pool_named(play, &self.pool)?.clone();
        check_owner(self, pool.of)?;
        let encounter = play.encounter();
        let definition = definition(encounter);
        let state = &encounter.state;
        let (pools, (max, _)) = if let Some(id) = &self.combatant {
            let holder = play.combatant("combatant", id)?;
            (
                &holder.state.pools,
                pool_size(definition, Some(holder), &pool),
            )
        } else if let Some(side) = &self.side {
            let Some(known) = side_state(state, side) else {
                let detail = "No combatant is on this side. Name a side of the fight.";
                return Err(Violation::field("unknown_side", "side", detail));
            };
            (&known.pools, side_pool_size(encounter, side, &pool))
        } else {
            (&state.pools, pool_size(definition, None, &pool))
        };
        let before = pools.get(&self.pool).copied().unwrap_or(0);
        // Points that are more than the pool may hold by now stay.
        let left = (i64::from(before) + self.amount.get()).clamp(0, max.max(before).into());
        let left = u32::try_from(left).unwrap_or(0);
        if let Some(id) = &self.combatant {
            set_pool(play, id.clone(), &self.pool, left);
        } else if let Some(side) = &self.side {
            set_side_pool(play, side.clone(), &self.pool, left);
        } else {
            play.emit(TablePoolChanged {
                pool: self.pool.clone(),
                left,
            });
        }
        Ok(Then::Settle)
    }
}

/// A combatant's points in a pool changed.
#[event("{combatant} {combatant:has|have} {left} {pool} {left:point|points}.")]
pub struct PoolChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool.
    pub pool: Slug,
    /// Points left.
    pub left: u32,
}

impl PoolChanged {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.change_state(&self.combatant, |s| {
            set_points(&mut s.pools, &self.pool, self.left);
        });
    }
}

/// A side's points in a pool changed.
#[event("The {side} have {left} {pool} {left:point|points}.")]
pub struct SidePoolChanged {
    /// The side.
    pub side: Slug,
    /// The pool.
    pub pool: Slug,
    /// Points left.
    pub left: u32,
}

impl SidePoolChanged {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        let mut sides = fold.state().sides.iter_mut();
        if let Some(side) = sides.find(|side| side.side == self.side) {
            set_points(&mut side.pools, &self.pool, self.left);
        }
    }
}

/// The table's points in a pool changed.
#[event("The table has {left} {pool} {left:point|points}.")]
pub struct TablePoolChanged {
    /// The pool.
    pub pool: Slug,
    /// Points left.
    pub left: u32,
}

impl TablePoolChanged {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        _ = fold.state().pools.insert(self.pool.clone(), self.left);
    }
}

/// Refuses to change points without their owner, or with another one.
fn check_owner(c: &Grant, owner: Owner) -> Result<(), Violation> {
    let fields = [
        ("combatant", c.combatant.is_some(), Owner::Combatant),
        ("side", c.side.is_some(), Owner::Side),
    ];
    for (field, is_named, of) in fields {
        if is_named == (owner == of) {
            continue;
        }
        let belongs = match owner {
            Owner::Combatant => "combatants",
            Owner::Side => "sides",
            Owner::Table => "the table",
        };
        let remedy = if is_named { "Remove" } else { "Add" };
        let detail = format!(
            "Pool \"{}\" belongs to {belongs}. {remedy} \"{field}\".",
            c.pool
        );
        return Err(Violation::field("whose_pool", field, detail));
    }
    Ok(())
}

fn pool_named<'p>(play: &'p Play<'_>, name: &Slug) -> Result<&'p PoolRule, Violation> {
    let pools = &definition(play.encounter()).pools;
    if let Some(pool) = pools.get(name) {
        return Ok(pool);
    }
    let known: Vec<_> = pools.keys().map(Slug::as_str).collect();
    let detail = if known.is_empty() {
        "This encounter has no pools. Add \"pools\" to the definition.".to_owned()
    } else {
        format!("Unknown pool \"{name}\". Pools: {}.", known.join(", "))
    };
    Err(Violation::field("unknown_pool", "pool", detail))
}

/// Sets a combatant's points; pools without any are left out, so that it is cheap to copy.
pub(super) fn set_points(pools: &mut BTreeMap<Slug, u32>, pool: &Slug, left: u32) {
    if left == 0 {
        pools.remove(pool);
    } else {
        pools.insert(pool.clone(), left);
    }
}

/// Gives the pools of a combatant, or of the table, what they gain in a round: in the first one their start.
pub(super) fn gain_in_round(
    definition: &Definition,
    c: Option<&Combatant>,
    pools: &mut BTreeMap<Slug, u32>,
    first: bool,
) {
    let owner = match c {
        Some(_) => Owner::Combatant,
        None => Owner::Table,
    };
    for (name, pool) in &definition.pools {
        if pool.of != owner {
            continue;
        }
        let (max, start) = pool_size(definition, c, pool);
        let before = pools.get(name).copied().unwrap_or(0);
        let points = match &pool.gain.round {
            _ if first => start,
            Some(gain) => gained(definition, c, gain, before, max),
            None => continue,
        };
        if c.is_some() {
            set_points(pools, name, points);
        } else {
            pools.insert(name.clone(), points);
        }
    }
}

/// Gives the pools of the sides what they gain in a round.
pub(super) fn gain_of_sides(encounter: &mut Encounter) {
    let mut filled = Vec::new();
    for side in &encounter.state.sides {
        let mut pools = side.pools.clone();
        for (name, pool) in &encounter.options.definition().pools {
            if let Some(gain) = &pool.gain.round
                && pool.of == Owner::Side
            {
                let definition = encounter.options.definition();
                let (max, _) = side_pool_size(encounter, &side.side, pool);
                let before = pools.get(name).copied().unwrap_or(0);
                let points = gained(definition, None, gain, before, max);
                set_points(&mut pools, name, points);
            }
        }
        filled.push(pools);
    }
    for (side, pools) in encounter.state.sides.iter_mut().zip(filled) {
        side.pools = pools;
    }
}

/// The points that a side has when its first combatant comes.
pub(super) fn first_pools(encounter: &Encounter, side: &Slug) -> BTreeMap<Slug, u32> {
    let mut pools = BTreeMap::new();
    for (name, pool) in &encounter.options.definition().pools {
        if pool.of == Owner::Side {
            let (_, start) = side_pool_size(encounter, side, pool);
            set_points(&mut pools, name, start);
        }
    }
    pools
}

/// Gives the pools of a combatant what they gain at its turn.
pub(super) fn gain_at_own_turn(definition: &Definition, c: &mut Combatant) {
    for (name, pool) in &definition.pools {
        if let Some(gain) = &pool.gain.own_turn {
            let (max, _) = pool_size(definition, Some(c), pool);
            let before = c.state.pools.get(name).copied().unwrap_or(0);
            let points = gained(definition, Some(c), gain, before, max);
            set_points(&mut c.state.pools, name, points);
        }
    }
}

/// Sets the points of a combatant's pool.
fn set_pool(play: &mut Play<'_>, c: CombatantId, pool: &Slug, left: u32) {
    play.emit(PoolChanged {
        combatant: c,
        pool: pool.clone(),
        left,
    });
}

/// Sets the points of a side's pool.
fn set_side_pool(play: &mut Play<'_>, side: Slug, pool: &Slug, left: u32) {
    play.emit(SidePoolChanged {
        side,
        pool: pool.clone(),
        left,
    });
}

/// The most points of a pool, and those at the start.
fn pool_size(definition: &Definition, c: Option<&Combatant>, pool: &PoolRule) -> (u32, u32) {
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
fn gained(
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
fn side_pool_size(encounter: &Encounter, side: &Slug, pool: &PoolRule) -> (u32, u32) {
    let definition = definition(encounter);
    if !is_outnumbered(pool) {
        return pool_size(definition, None, pool);
    }
    let max = outnumbered_by(encounter, side);
    (max, pool_start(definition, None, pool, max))
}

/// Whether a pool holds a point for each combatant that its side has fewer than the largest.
fn is_outnumbered(pool: &PoolRule) -> bool {
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
