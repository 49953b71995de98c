//! Places that change by hand: what the game master sets, and swaps between two combatants.

use super::decide::{ensure, now};
use super::definition::{Definition, Fact, Partner, SwapRule, SwapWhen};
use super::flow::{Point, proceed};
use super::lines::{
    alternates, has_clock, has_places, is_seated, key_of, parts_sides, score_rule, scores_sides,
    sorts_by_score,
};
use super::openings::{Opening, may_respond, opening};
use super::query::{
    Survey, change_of_initiative, declared, definition, fits, in_a_turn, in_top_turn, next_place,
    place_of, place_to_choose, steps,
};
use super::react::settle;
use super::{
    CardKept, Cause, Combatant, Encounter, KeepCard, Mode, Offer, Place, PlaceMoved, PlacesSwapped,
    Play, Reorder, SetInitiative, SideInitiativeChanged, Swap, SwapDeclined, SwapOffered,
    TurnOrigin,
};
use crate::vocabulary::{CombatantId, Expiry, Slug, Total, Violation, field, require};

/// Sets an initiative, and sorts the order again.
pub(super) fn set_initiative(play: &mut Play<'_>, c: &SetInitiative) -> Result<(), Violation> {
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
    let to = c.initiative.total();
    match (&c.combatant, &c.side) {
        (Some(id), None) if !scores_sides(definition) => set_combatant(play, id, to)?,
        (None, Some(side)) if scores_sides(definition) => set_side(play, side, to)?,
        _ => return Err(not_whose(definition)),
    }
    settle(play);
    Ok(())
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

/// Moves a combatant's next open place before that of another one, or to the end.
pub(super) fn reorder(play: &mut Play<'_>, c: &Reorder) -> Result<(), Violation> {
    let id = &c.combatant;
    play.combatant("combatant", id)?;
    if let Some(before) = &c.before {
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
    for (path, named) in [("combatant", Some(id)), ("before", c.before.as_ref())] {
        if let Some(named) = named
            && rolled_place(encounter, named).is_none()
        {
            return Err(no_place(path, named));
        }
    }
    require(
        c.before.as_ref() != Some(id),
        "before_itself",
        field("before"),
        || "A combatant can't move before itself. Choose another one.",
    )?;
    if let (Some(c), Some(before)) = (encounter.get(id), &c.before)
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
        beside: c.before.clone(),
        after: false,
        turn,
        done: false,
    });
    settle(play);
    Ok(())
}

/// What decides before places do: the side and the choice of a combatant, if the order compares them.
pub(super) fn stands_by<'t>(
    definition: &'t Definition,
    c: &'t Combatant,
) -> (Option<&'t Slug>, Option<&'t Slug>) {
    let side = parts_sides(definition).then_some(&c.side);
    let by_choice = key_of(definition, &Fact::Choice).is_some();
    (side, declared(definition, c).filter(|_| by_choice))
}

/// Keeps one of the cards that a combatant was dealt for a place that has not come up.
pub(super) fn keep_card(play: &mut Play<'_>, c: &KeepCard) -> Result<(), Violation> {
    let id = &c.combatant;
    play.fighter("combatant", id, "CU-43")?;
    let encounter = play.encounter();
    let place = place_to_choose(encounter, id);
    let cards = place.map_or(Vec::new(), |place| place.initiative.cards_to_choose());
    ensure(
        !cards.is_empty(),
        "no_other_card",
        "CU-43",
        "score.deck.keep",
        || format!("{id} has no other card to keep."),
    )?;
    require(
        cards.contains(&c.card),
        "no_such_card",
        field("card"),
        || {
            let cards: Vec<_> = cards.iter().map(ToString::to_string).collect();
            format!("{id} was not dealt this card. Cards: {}.", cards.join(", "))
        },
    )?;
    play.emit(CardKept {
        combatant: id.clone(),
        card: c.card,
    });
    settle(play);
    Ok(())
}

/// Swaps two places, or offers it.
pub(super) fn swap(play: &mut Play<'_>, c: &Swap) -> Result<(), Violation> {
    let rule = check_swap(play, &c.combatant, &c.with)?;
    let by = play.combatant("combatant", &c.combatant)?;
    let responds = may_respond(play.encounter(), by);
    ensure(responds, "cannot_swap", "CU-41", "score.swap", || {
        let id = &c.combatant;
        format!("{id} has passed or can't act. {}", now(play.encounter()))
    })?;
    if rule.agrees {
        play.emit(SwapOffered {
            combatant: c.combatant.clone(),
            with: c.with.clone(),
        });
        return Ok(());
    }
    exchange(play, &c.combatant, &c.with);
    Ok(())
}

pub(super) fn accept_swap(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    let offer = play.encounter().state.offer.clone();
    let Some(offer) = offer.filter(|offer| offer.with == *id) else {
        return Err(no_offer(id));
    };
    check_swap(play, &offer.combatant, &offer.with)?;
    exchange(play, &offer.combatant, &offer.with);
    Ok(())
}

pub(super) fn decline_swap(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    play.combatant("combatant", id)?;
    let offer = play.encounter().state.offer.as_ref();
    if !offer.is_some_and(|Offer { combatant, with }| combatant == id || with == id) {
        return Err(no_offer(id));
    }
    play.emit(SwapDeclined {
        combatant: id.clone(),
    });
    Ok(())
}

fn no_offer(id: &CombatantId) -> Violation {
    let detail =
        format!("{id} has no offer to swap places. Send \"swap\". See definition.score.swap.");
    Violation::new("no_offer", "CU-41", detail)
}

/// Refuses a swap that may not be, and returns its rule.
fn check_swap<'p>(
    play: &'p Play<'_>,
    id: &CombatantId,
    with: &CombatantId,
) -> Result<&'p SwapRule, Violation> {
    play.combatant("combatant", id)?;
    play.combatant("with", with)?;
    let c = play.fighter("combatant", id, "CU-41")?;
    let other = play.fighter("with", with, "CU-41")?;
    let encounter = play.encounter();
    let Some(rule) = swap_rule(encounter) else {
        let detail = "Combatants swap no places in this order. See definition.score.swap.";
        return Err(Violation::new("no_swapping", "CU-41", detail));
    };
    require(
        id != with,
        "with_itself",
        field("with"),
        || "A combatant can't swap with itself. Name another one.",
    )?;
    let is_for_it = fits(definition(encounter), &rule.who, c);
    ensure(is_for_it, "not_for_it", "CU-41", "score.swap.who", || {
        format!("{id} can't swap places.")
    })?;
    ensure(
        is_partner(rule, c, other),
        "not_for_it",
        "CU-41",
        "score.swap.with",
        || format!("{id} can swap places with combatants of the same side only."),
    )?;
    let (is_time, only) = match rule.when {
        SwapWhen::Any => (true, ""),
        SwapWhen::OwnTurn => (gives_back(encounter, id), "in its own turn"),
        SwapWhen::RoundStart => (
            is_round_start(encounter),
            "before the first turn of a round",
        ),
    };
    ensure(
        is_time,
        "not_time_to_swap",
        "CU-41",
        "score.swap.when",
        || format!("{id} can swap only {only}. {}", now(encounter)),
    )?;
    let survey = Survey::of(encounter);
    let swaps = may_swap(&survey, c);
    ensure(swaps, "cannot_swap", "CU-41", "score.swap", || {
        format!("{id} has no open place to swap now. {}", now(encounter))
    })?;
    let is_open = has_open_place(&survey, other);
    ensure(is_open, "cannot_swap", "CU-41", "score.swap", || {
        format!("{with} has no open place in this round.")
    })?;
    Ok(rule)
}

pub(super) fn swap_rule(encounter: &Encounter) -> Option<&SwapRule> {
    score_rule(definition(encounter))?.swap.as_ref()
}

/// Whether a combatant may swap with this other one by its side.
fn is_partner(rule: &SwapRule, c: &Combatant, other: &Combatant) -> bool {
    rule.with == Partner::Any || c.side == other.side
}

/// Whether a combatant has a place to give away: one that is open, or that of its own turn.
pub(super) fn may_swap(survey: &Survey<'_>, c: &Combatant) -> bool {
    let encounter = survey.encounter;
    let outside_turns = match swap_rule(encounter).map(|rule| rule.when) {
        Some(SwapWhen::Any) => true,
        Some(SwapWhen::RoundStart) => {
            return is_round_start(encounter) && has_open_place(survey, c);
        }
        Some(SwapWhen::OwnTurn) | None => false,
    };
    outside_turns && has_open_place(survey, c)
        || is_round_open(encounter) && gives_back(encounter, &c.id)
}

/// True before the first turn of a round, while combatants are asked.
fn is_round_start(encounter: &Encounter) -> bool {
    opening(encounter) == Some(Opening::RoundStart)
}

/// Whether a combatant has an open place in this round, outside its own turn.
pub(super) fn has_open_place(survey: &Survey<'_>, c: &Combatant) -> bool {
    let encounter = survey.encounter;
    is_round_open(encounter)
        && c.active()
        && !c.state.delaying
        && !in_a_turn(encounter, &c.id)
        && survey.has_open_place(&c.id)
}

fn is_round_open(encounter: &Encounter) -> bool {
    let mode = &encounter.state.mode;
    encounter.state.rolled && matches!(mode, Mode::Turn | Mode::Choosing | Mode::Gap { .. })
}

/// Whether it is a combatant's own turn, which it may give back.
fn gives_back(encounter: &Encounter, id: &CombatantId) -> bool {
    let is_own = match &encounter.state.turns[..] {
        [turn] => turn.origin == TurnOrigin::Normal && turn.combatants == [id.clone()],
        _ => false,
    };
    // Where sides alternate, the side has had its turn.
    is_own && steps(encounter).is_empty() && !alternates(definition(encounter))
}

fn exchange(play: &mut Play<'_>, id: &CombatantId, with: &CombatantId) {
    let encounter = play.encounter();
    let own_turn = in_top_turn(encounter, id);
    let mut counted = Vec::new();
    for effect in &encounter.effects {
        if own_turn
            && matches!(effect.expires, Expiry::TurnStart { .. })
            && effect.expires.anchor() == Some(id)
        {
            counted.push(effect.id.clone());
        }
    }
    play.emit(PlacesSwapped {
        combatant: id.clone(),
        with: with.clone(),
        counted,
    });
    if own_turn {
        proceed(play, Point::Next);
    } else {
        settle(play);
    }
}
