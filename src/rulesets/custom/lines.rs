//! What the lines of a definition come to, whatever fight is played by it.

use super::definition::{
    DeckRule, Definition, Fact, Key, Lasts, Only, Per, Prepare, ReactionRule, ScoreRule, StepRule,
    TurnCostRule, Turns,
};
use crate::vocabulary::Slug;
use std::sync::LazyLock;

/// The line of the definition for a field of a pool.
pub(super) fn pool_line(name: &Slug, field: &str) -> String {
    format!("pools.{name}.{field}")
}

/// The line of the definition for a field of a reaction.
pub(super) fn reaction_line(name: &Slug, field: &str) -> String {
    format!("reactions.{name}.{field}")
}

/// The reaction by which combatants delay their turns, if they may.
pub(super) fn delay_rule(definition: &Definition) -> Option<(&Slug, &ReactionRule)> {
    let mut reactions = definition.reactions.iter();
    reactions.find(|(_, rule)| rule.prepare == Prepare::Delay)
}

/// Whether combatants have turns until the game master ends the round.
pub(super) fn has_unlimited_turns(definition: &Definition) -> bool {
    definition.turns == Turns::Unlimited
}

/// What the combatants roll: where their numbers alone decide, it is a score of nothing.
pub(super) fn score_rule(definition: &Definition) -> Option<&ScoreRule> {
    static NOTHING: LazyLock<ScoreRule> = LazyLock::new(ScoreRule::default);
    let score = definition.score.as_ref();
    score.or_else(|| has_places(definition).then(|| &*NOTHING))
}

/// The keys of the order.
pub(super) fn keys(definition: &Definition) -> &[Key] {
    const ALWAYS: Only = Only {
        round: None,
        from_round: None,
        lap: None,
    };
    static USUAL: [Key; 2] = [
        Key {
            fact: Fact::Score,
            highest: true,
            only: ALWAYS,
        },
        Key {
            fact: Fact::Late,
            highest: false,
            only: ALWAYS,
        },
    ];
    match &definition.order {
        Some(keys) => keys,
        None if scores_sides(definition) => &USUAL[..1],
        None if definition.score.is_some() => &USUAL,
        None => &[],
    }
}

/// The key of the order that compares this: of several the one that always counts.
pub(super) fn key_of<'d>(definition: &'d Definition, fact: &Fact) -> Option<&'d Key> {
    let mut keys = keys(definition).iter().filter(|key| key.fact == *fact);
    let mut always = keys.clone();
    let always = always.find(|key| key.only == Only::default());
    always.or_else(|| keys.next())
}

/// The position of the key that compares this, among the keys of the order.
pub(super) fn position_of(definition: &Definition, fact: &Fact) -> Option<usize> {
    let mut keys = keys(definition).iter();
    keys.position(|key| key.fact == *fact)
}

/// Whether sides have the initiative, not combatants.
pub(super) fn scores_sides(definition: &Definition) -> bool {
    let score = definition.score.as_ref();
    score.is_some_and(|score| score.per == Per::Side)
}

/// Whether a key is one of the initiative of a side.
pub(super) fn is_of_side(definition: &Definition, fact: &Fact) -> bool {
    scores_sides(definition) && matches!(fact, Fact::Score | Fact::Late | Fact::Die)
}

/// Whether a key compares combatants by something of their own, so that each has a place.
pub(super) fn is_own(definition: &Definition, fact: &Fact) -> bool {
    match fact {
        Fact::Score | Fact::Late | Fact::Die => !scores_sides(definition),
        Fact::Seat | Fact::Number(_) => true,
        Fact::Foe
        | Fact::Lap
        | Fact::Segment
        | Fact::Choice
        | Fact::Side
        | Fact::Outnumbered
        | Fact::Again { .. } => false,
    }
}

/// Whether combatants have places: something of their own decides between them.
pub(super) fn has_places(definition: &Definition) -> bool {
    let mut keys = keys(definition).iter();
    keys.any(|key| is_own(definition, &key.fact))
}

/// Whether sides take turns, so that one of them goes first.
pub(super) fn has_sides(definition: &Definition) -> bool {
    let mut keys = keys(definition).iter();
    keys.any(|key| match key.fact {
        Fact::Side | Fact::Again { .. } => true,
        Fact::Score => scores_sides(definition),
        _ => false,
    })
}

/// Whether sides act in turn, so that one that has acted waits for the others.
pub(super) fn alternates(definition: &Definition) -> bool {
    let mut keys = keys(definition).iter();
    keys.any(|key| matches!(key.fact, Fact::Again { .. }))
}

/// Whether a key of sides decides before the places of combatants do.
pub(super) fn parts_sides(definition: &Definition) -> bool {
    has_sides(definition) || key_of(definition, &Fact::Outnumbered).is_some()
}

/// Whether one that acts again in the next round comes after another side.
pub(super) fn keeps_last_side(definition: &Definition) -> bool {
    let across = Fact::Again {
        across_rounds: true,
    };
    key_of(definition, &across).is_some()
}

/// Whether each round has initiative of its own.
pub(super) fn rerolls(definition: &Definition) -> bool {
    score_rule(definition).is_some_and(|score| score.reroll)
}

/// The deck, if the order is dealt in cards.
pub(super) fn deck(definition: &Definition) -> Option<&DeckRule> {
    score_rule(definition)?.deck.as_ref()
}

/// The pool that pays for turns, and what they cost, if points pay.
pub(super) fn pool_of_turns(definition: &Definition) -> Option<(&Slug, &TurnCostRule)> {
    let rule = definition.turn_cost.as_ref()?;
    Some((rule.pool.as_ref()?, rule))
}

/// The cost of turns if they come by tick, so that initiative is time.
pub(super) fn clock(definition: &Definition) -> Option<&TurnCostRule> {
    let cost = definition.turn_cost.as_ref();
    cost.filter(|_| has_clock(definition))
}

/// Whether initiative is time.
pub(super) fn has_clock(definition: &Definition) -> bool {
    definition.turns == Turns::ByTick
}

/// Whether turns cost initiative, so that combatants have no fixed count of them.
pub(super) fn costs_turns(definition: &Definition) -> bool {
    matches!(definition.turns, Turns::WhileScore | Turns::ByTick)
}

/// Whether a combatant's further turns come after all have had one.
pub(super) fn has_laps(definition: &Definition) -> bool {
    key_of(definition, &Fact::Lap).is_some()
}

/// How much later each further turn of a combatant is.
pub(super) fn further_turn(definition: &Definition) -> i64 {
    match definition.changes.further_turn {
        Some(later) => later.get(),
        None if has_laps(definition) => 0,
        None => 10,
    }
}

/// The twelfth of a round in which a turn falls, of one that has this many: they are spread evenly, and
/// the last is at the end.
pub(super) fn segment(turn: usize, turns: usize) -> usize {
    let turn = turn.saturating_add(1);
    turn.saturating_mul(12).div_ceil(turns.max(turn))
}

/// Whether combatants act around the table.
pub(super) fn is_seated(definition: &Definition) -> bool {
    key_of(definition, &Fact::Seat).is_some()
}

/// Whether initiative is a key of the order.
pub(super) fn sorts_by_score(definition: &Definition) -> bool {
    key_of(definition, &Fact::Score).is_some()
}

/// Whether the initiative of combatants or groups is a key of the order.
pub(super) fn has_own_score(definition: &Definition) -> bool {
    sorts_by_score(definition) && !scores_sides(definition)
}

/// The first number that is a key of the order, and whether the highest is first.
pub(super) fn leading_number(definition: &Definition) -> Option<(&Slug, bool)> {
    let mut keys = keys(definition).iter();
    keys.find_map(|key| match &key.fact {
        Fact::Number(name) => Some((name, key.highest)),
        _ => None,
    })
}

pub(super) fn is_low_first(definition: &Definition) -> bool {
    key_of(definition, &Fact::Score).is_some_and(|key| !key.highest)
}

/// The factor of the initiative, so that the lowest is first.
pub(super) fn sign_of_score(definition: &Definition) -> i64 {
    key_of(definition, &Fact::Score).map_or(-1, Key::sign)
}

/// Whether combatants may delay, for as long as this.
pub(super) fn delays_last(definition: &Definition, lasts: Lasts) -> bool {
    delay_rule(definition).is_some_and(|(_, rule)| rule.lasts == lasts)
}

/// The steps of a shared turn.
pub(super) fn all_steps(definition: &Definition) -> &[StepRule] {
    match &definition.together {
        Some(together) => &together.steps,
        None => &[],
    }
}

/// A cost in initiative as a change of it: it puts a combatant later.
pub(super) fn later_by(definition: &Definition, cost: u32) -> i64 {
    sign_of_score(definition) * i64::from(cost)
}

/// Whether a side chooses who acts for it, so that it may let another one go first.
pub(super) fn lets_sides_skip(definition: &Definition) -> bool {
    has_sides(definition) && definition.together.is_none()
}
