//! When combatants may do something outside their turns, and which of them are asked.

use super::definition::{Definition, Gives, Partner, Prepare, ReactionRule, SwapWhen, When};
use super::lines::{
    clock, costs_turns, delay_rule, has_clock, has_places, lets_sides_skip, score_rule,
};
use super::manifest::MANIFEST;
use super::pools::has_points;
use super::query::{definition, fits, in_a_turn, is_fixed, is_skipped, is_surprised, top};
use super::ready::is_ready;
use super::survey::Survey;
use super::{Combatant, Encounter, GapAt, Mode};
use crate::vocabulary::{CombatantId, Kind, Slug};
use std::collections::{BTreeMap, HashSet};

/// How deep turns may interrupt one another.
pub(super) const MAX_DEPTH: usize = 8;

/// When combatants react.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// Before the first turn of a round by the order.
    RoundStart,
    /// Within a turn.
    WithinTurn,
    /// After a turn that ended or was delayed.
    AfterTurn,
    /// Before the round ends.
    RoundEnd,
    /// While a choice of who acts next is open.
    Choice,
}

/// The opening that there is now, if combatants can react.
pub(super) fn opening(encounter: &Encounter) -> Option<Opening> {
    match encounter.state.mode {
        Mode::Gap { at, .. } => Some(match at {
            GapAt::RoundStart => Opening::RoundStart,
            GapAt::AfterTurn => Opening::AfterTurn,
            GapAt::RoundEnd => Opening::RoundEnd,
        }),
        Mode::Turn if top(encounter).is_some() => Some(Opening::WithinTurn),
        Mode::Choosing => Some(Opening::Choice),
        _ => None,
    }
}

/// Whether a combatant may react at all: it is in the fight, and has not passed in this gap.
pub(super) fn may_respond(encounter: &Encounter, c: &Combatant) -> bool {
    if let Mode::Gap { passed, .. } = &encounter.state.mode
        && passed.contains(&c.id)
    {
        return false;
    }
    c.active() && !is_skipped(definition(encounter), c)
}

/// Whether it was this combatant's turn that ended or was delayed last.
fn was_last(encounter: &Encounter, c: &Combatant) -> bool {
    encounter.state.last.as_ref() == Some(&c.id)
}

/// Whether a combatant that delays may return in this opening.
pub(super) fn may_return(encounter: &Encounter, c: &Combatant, opening: Opening) -> bool {
    let Some((_, delay)) = delay_rule(definition(encounter)) else {
        return false;
    };
    let is_time = match opening {
        Opening::WithinTurn => delay.when != When::Gap,
        Opening::AfterTurn => delay.when != When::Turn && !was_last(encounter, c),
        Opening::RoundEnd => true,
        Opening::RoundStart | Opening::Choice => false,
    };
    c.state.delaying && is_time && has_room(encounter) && may_respond(encounter, c)
}

/// Whether one more turn may interrupt those that are going on.
fn has_room(encounter: &Encounter) -> bool {
    encounter.state.turns.len() < MAX_DEPTH
}

/// Whether a combatant may react in this opening, if it has a reaction.
pub(super) fn may_react(encounter: &Encounter, c: &Combatant, opening: Opening) -> bool {
    let is_own_turn = match opening {
        Opening::RoundStart => false,
        Opening::WithinTurn => in_a_turn(encounter, &c.id),
        Opening::AfterTurn | Opening::RoundEnd => was_last(encounter, c),
        Opening::Choice => encounter.state.last.is_none() || was_last(encounter, c),
    };
    let follows_lair =
        !matches!(opening, Opening::RoundStart | Opening::WithinTurn) && after_lair(encounter);
    !is_own_turn
        && !follows_lair
        && !c.state.delaying
        && !c.has(MANIFEST.down)
        && !is_surprised(definition(encounter), c)
        && may_respond(encounter, c)
}

/// Whether a combatant has the turn that a reaction takes or costs.
pub(super) fn has_turn_for(survey: &Survey<'_>, c: &Combatant, rule: &ReactionRule) -> bool {
    if rule.gives() == Gives::OwnTurn && !is_ready(survey.encounter, c) {
        return false;
    }
    let needs_turn = rule.gives() == Gives::OwnTurn || rule.cost.turn;
    !needs_turn || has_open_turn(survey, c)
}

/// Whether a combatant has a turn of this round left, and its place has not come up.
fn has_open_turn(survey: &Survey<'_>, c: &Combatant) -> bool {
    let encounter = survey.encounter;
    let definition = definition(encounter);
    if let Some(clock) = clock(definition) {
        let last_tick = i64::from(encounter.round).saturating_mul(clock.ticks.get());
        let place = survey.place_of(&c.id);
        return place.is_some_and(|place| place.initiative.total <= last_tick.into());
    }
    if costs_turns(definition) {
        return survey.has_open_place(&c.id);
    }
    let is_open = !has_places(definition) || survey.has_open_place(&c.id);
    c.state.turns_left > 0 && is_open && !c.state.delaying
}

/// Whether a combatant has a reaction, can pay for it, and has not used it since the last turn
/// started.
fn can_pay(survey: &Survey<'_>, c: &Combatant, name: &Slug, rule: &ReactionRule) -> bool {
    !c.state.used.contains(name)
        && has_points(survey.encounter, c, rule)
        && has_initiative(survey, c, rule)
        && fits(definition(survey.encounter), &rule.who, c)
        && has_turn_for(survey, c, rule)
}

/// Whether a combatant has the initiative that a reaction costs. Where turns cost initiative too,
/// the highest first, it can't fall below 0.
pub(super) fn has_initiative(survey: &Survey<'_>, c: &Combatant, rule: &ReactionRule) -> bool {
    let cost = rule.cost.initiative.get();
    if cost == 0 {
        return true;
    }
    let definition = definition(survey.encounter);
    let counts_down = costs_turns(definition) && !has_clock(definition);
    match survey.place_of(&c.id) {
        Some(place) => !counts_down || place.initiative.total >= cost.into(),
        None => false,
    }
}

/// Whether a combatant that [may react](may_react) may do it by this reaction.
pub(super) fn may_use(
    survey: &Survey<'_>,
    c: &Combatant,
    opening: Opening,
    name: &Slug,
    rule: &ReactionRule,
) -> bool {
    comes_in(survey.encounter, opening, rule) && can_use(survey, c, name, rule)
}

/// True if a reaction may be used in this opening.
fn comes_in(encounter: &Encounter, opening: Opening, rule: &ReactionRule) -> bool {
    let in_gap = matches!(rule.when, When::Gap | When::Any);
    let is_time = match opening {
        Opening::RoundStart => rule.when == When::RoundStart,
        Opening::WithinTurn => {
            matches!(rule.when, When::Turn | When::Any)
                || in_gap && rule.silent && !is_turn_of_lair(encounter)
        }
        Opening::AfterTurn | Opening::RoundEnd => in_gap,
        Opening::Choice => in_gap && rule.silent,
    };
    let fits_here = match rule.gives() {
        Gives::Action => true,
        Gives::Turn | Gives::OwnTurn => has_room(encounter),
        Gives::Skip => false,
    };
    is_time && fits_here
}

/// Whether it was a lair's turn that ended or was delayed last.
pub(super) fn after_lair(encounter: &Encounter) -> bool {
    let Some(last) = &encounter.state.last else {
        return false;
    };
    let last = encounter.get(last);
    last.is_some_and(|c| is_lair(definition(encounter), c))
}

/// Whether a lair has the turn. No reaction comes at its end.
fn is_turn_of_lair(encounter: &Encounter) -> bool {
    let turn = top(encounter);
    let first = turn.and_then(|turn| turn.combatants.first());
    let first = first.and_then(|id| encounter.get(id));
    first.is_some_and(|c| is_lair(definition(encounter), c))
}

/// Whether a combatant has prepared a reaction as its rule asks, and can pay for it.
fn can_use(survey: &Survey<'_>, c: &Combatant, name: &Slug, rule: &ReactionRule) -> bool {
    let is_prepared = match rule.prepare {
        Prepare::None => true,
        Prepare::Ready => c.state.readied_reactions.contains(name),
        Prepare::Delay => false,
    };
    is_prepared && can_pay(survey, c, name, rule)
}

/// Whether a combatant may let another side go first by this reaction.
pub(super) fn may_skip(
    survey: &Survey<'_>,
    c: &Combatant,
    name: &Slug,
    rule: &ReactionRule,
) -> bool {
    rule.gives() == Gives::Skip
        && can_pay(survey, c, name, rule)
        && lets_sides_skip(definition(survey.encounter))
        && another_side_can_act(survey, c)
}

/// Whether a combatant of another side can act, and its side has not let others go first. One that
/// players do not see counts only for those that they do not see either.
fn another_side_can_act(survey: &Survey<'_>, c: &Combatant) -> bool {
    let skipped = &survey.encounter.state.skipped;
    survey
        .able()
        .iter()
        .any(|(side, hidden)| **side != c.side && (c.hidden || !hidden) && !skipped.contains(side))
}

/// Whether one of these, of which one acts next, may let another side go first.
pub(super) fn may_any_skip(encounter: &Encounter, candidates: &[CombatantId]) -> bool {
    let reactions = &definition(encounter).reactions;
    let survey = Survey::of(encounter);
    reactions.iter().any(|(name, rule)| {
        rule.gives() == Gives::Skip
            && candidates
                .iter()
                .filter_map(|id| encounter.get(id))
                .any(|c| may_skip(&survey, c, name, rule))
    })
}

/// The combatants that are asked in this opening: they have a reaction that is not silent.
pub(super) fn reacting(
    encounter: &Encounter,
    opening: Opening,
) -> impl Iterator<Item = &Combatant> {
    let mut rules: Vec<_> = definition(encounter).reactions.iter().collect();
    rules.retain(|(_, rule)| !rule.silent && comes_in(encounter, opening, rule));
    let survey = Survey::of(encounter);
    let swappers = if opening == Opening::RoundStart {
        swappers(&survey)
    } else {
        HashSet::new()
    };
    encounter.iter().filter(move |c| {
        if c.state.delaying {
            return may_return(encounter, c, opening);
        }
        let mut rules = rules.iter();
        rules.any(|(name, rule)| can_use(&survey, c, name, rule))
            && may_react(encounter, c, opening)
            || swappers.contains(&c.id) && may_respond(encounter, c)
    })
}

/// The combatants that are asked in the gap that is open.
pub(super) fn asked(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    let is_gap = matches!(encounter.state.mode, Mode::Gap { .. });
    let gap = opening(encounter).filter(|_| is_gap);
    gap.into_iter()
        .flat_map(|opening| reacting(encounter, opening))
}

/// Whether a combatant stands for a lair: a hazard with a fixed initiative, which is no creature with a
/// turn.
fn is_lair(definition: &Definition, c: &Combatant) -> bool {
    c.kind == Kind::Hazard && is_fixed(definition, c)
}

/// The combatants that may swap places before the first turn, if the definition asks for that. A hidden
/// partner counts only for hidden ones, or the question would show that it is there.
fn swappers<'t>(survey: &Survey<'t>) -> HashSet<&'t CombatantId> {
    let encounter = survey.encounter;
    let definition = definition(encounter);
    let rule = score_rule(definition).and_then(|score| score.swap.as_ref());
    let Some(rule) = rule.filter(|rule| rule.when == SwapWhen::RoundStart) else {
        return HashSet::new();
    };
    let mut partners: BTreeMap<(Option<&Slug>, bool), usize> = BTreeMap::new();
    let group = |c: &'t Combatant| (rule.with == Partner::Side).then_some(&c.side);
    let open: Vec<_> = encounter
        .active()
        .filter(|c| !c.state.delaying && survey.has_open_place(&c.id))
        .collect();
    for c in &open {
        *partners.entry((group(c), c.hidden)).or_default() += 1;
    }
    let count = |c: &'t Combatant, hidden| partners.get(&(group(c), hidden)).copied().unwrap_or(0);
    let mut swappers = HashSet::new();
    for c in open {
        let others = count(c, false) + if c.hidden { count(c, true) } else { 0 };
        if others > 1 && fits(definition, &rule.who, c) {
            swappers.insert(&c.id);
        }
    }
    swappers
}

/// Whether the definition has several reactions to ready, so that a label must say which.
pub(super) fn readies_several(encounter: &Encounter) -> bool {
    let reactions = definition(encounter).reactions.values();
    let readied = reactions.filter(|rule| rule.prepare == Prepare::Ready);
    readied.count() > 1
}
