//! Swaps of places between two combatants (CU-41).

use super::by_rule::ByRule;
use super::definition::{Partner, SwapRule, SwapWhen};
use super::lines::{alternates, costs_turns, score_rule};
use super::openings::{Opening, may_respond, opening};
use super::places::insert_in_order;
use super::point::{Point, Then};
use super::query::{definition, fits, in_a_turn, in_top_turn, last_begun, open_place, steps};
use super::rank::ranks;
use super::refusal::{ensure, now};
use super::survey::Survey;
use super::turn::remove_from_turn;
use super::{Cause, Combatant, Custom, Encounter, Mode, Offer, Place, Play, TurnOrigin};
use crate::vocabulary::{
    CombatantId, EffectId, Fold, LegalCommand, Moment, Slug, Violation, command, event, field,
    require, shared_list,
};
use std::collections::BTreeMap;

/// Swaps places with another combatant, or offers to. In its own turn a combatant gives the turn
/// back.
#[command(player, "{combatant}: swap places[ with {with}]")]
pub struct Swap {
    /// The combatant.
    pub combatant: CombatantId,
    /// The other combatant.
    pub with: CombatantId,
}

impl Swap {
    /// Swaps two places, or offers it.
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let rule = check_swap(play, &self.combatant, &self.with)?;
        let by = play.combatant("combatant", &self.combatant)?;
        let responds = may_respond(play.encounter(), by);
        ensure(responds, "cannot_swap", "CU-41", "score.swap", || {
            let id = &self.combatant;
            format!("{id} has passed or can't act. {}", now(play.encounter()))
        })?;
        if rule.agrees {
            play.emit(SwapOffered {
                combatant: self.combatant.clone(),
                with: self.with.clone(),
            });
            return Ok(Then::Wait);
        }
        Ok(exchange(play, &self.combatant, &self.with))
    }
}

/// Accepts the offer to swap places.
#[command(player, "{combatant}: accept the swap")]
pub struct AcceptSwap {
    /// The combatant that got the offer.
    pub combatant: CombatantId,
}

impl AcceptSwap {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        play.combatant("combatant", id)?;
        let offer = play.encounter().state.offer.clone();
        let Some(offer) = offer.filter(|offer| offer.with == *id) else {
            return Err(no_offer(id));
        };
        check_swap(play, &offer.combatant, &offer.with)?;
        Ok(exchange(play, &offer.combatant, &offer.with))
    }
}

/// Declines the offer to swap places, or withdraws it.
#[command(player, "{combatant}: decline the swap")]
pub struct DeclineSwap {
    /// The combatant that got the offer, or made it.
    pub combatant: CombatantId,
}

impl DeclineSwap {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        let id = &self.combatant;
        play.combatant("combatant", id)?;
        let offer = play.encounter().state.offer.as_ref();
        if !offer.is_some_and(|Offer { combatant, with }| combatant == id || with == id) {
            return Err(no_offer(id));
        }
        play.emit(SwapDeclined {
            combatant: id.clone(),
        });
        Ok(Then::Wait)
    }
}

/// A combatant offered to swap places.
#[event("{combatant} {combatant:offers|offer} {with} to swap places.")]
pub struct SwapOffered {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that may accept.
    pub with: CombatantId,
}

impl SwapOffered {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.state().offer = Some(Offer {
            combatant: self.combatant.clone(),
            with: self.with.clone(),
        });
    }
}

/// An offer to swap places was declined or withdrawn.
#[event("{combatant} {combatant:declines|decline} to swap places.")]
pub struct SwapDeclined {
    /// The combatant.
    pub combatant: CombatantId,
}

impl SwapDeclined {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.state().offer = None;
    }
}

/// Two combatants exchanged their next open places, and the initiative of them. If it was the turn
/// of the first of the two, it gave the turn back.
#[event("{combatant} and {with} exchange places.")]
pub struct PlacesSwapped {
    /// The combatant.
    pub combatant: CombatantId,
    /// The other combatant.
    pub with: CombatantId,
    /// Effects that have counted the start of the turn that was given back.
    #[default]
    pub counted: Vec<EffectId>,
}

impl ByRule for PlacesSwapped {
    /// Exchanges the next open places of two combatants, or the place of the turn that one gives back.
    /// What wounds and conditions change stays with each.
    fn follow(&self, encounter: &mut Encounter) {
        encounter.state.offer = None;
        let own = place_to_give(encounter, &self.combatant);
        let other = place_to_give(encounter, &self.with);
        if in_top_turn(encounter, &self.combatant) {
            give_turn_back(encounter, self);
        }
        let (Some(own), Some(other)) = (own, other) else {
            return;
        };
        let options = encounter.options.clone();
        let ranks = ranks(&options, encounter);
        let places = &mut encounter.state.places;
        let (Some(one), Some(two)) = (places.get(own), places.get(other)) else {
            return;
        };
        let first = in_place_of(one, two);
        let second = in_place_of(two, one);
        let stays = |place: &Place, at: &Place| ranks.compare(place, at).is_eq();
        if stays(&first, two) && stays(&second, one) {
            for (at, place) in [(own, second), (other, first)] {
                if let Some(here) = places.get_mut(at) {
                    *here = place.into();
                }
            }
            return;
        }
        let mut at = 0;
        places.retain(|_| {
            at += 1;
            at - 1 != own && at - 1 != other
        });
        for place in [first, second] {
            let place = Place {
                moved: false,
                settled: false,
                ..place
            };
            insert_in_order(&encounter.combatants, places, place.into(), ranks);
        }
    }
}

/// Where the place stands that a combatant gives away: its next open one, or that of its turn.
fn place_to_give(encounter: &Encounter, id: &CombatantId) -> Option<usize> {
    if in_top_turn(encounter, id) && !costs_turns(encounter.options.definition()) {
        last_begun(encounter, id)
    } else {
        open_place(encounter, id)
    }
}

/// A combatant's place after it has taken that of another.
fn in_place_of(own: &Place, other: &Place) -> Place {
    let of_own_body = [Cause::Wounds, Cause::Condition];
    let changes = own.initiative.changes;
    let taken = other.initiative.without(&of_own_body);
    let taken = taken.changed(Cause::Wounds, changes.by_wounds);
    Place {
        combatant: own.combatant.clone(),
        turn: own.turn,
        done: false,
        moved: other.moved,
        settled: other.settled,
        initiative: taken
            .changed(Cause::Condition, changes.by_conditions)
            .into(),
    }
}

/// Takes a combatant out of its turn, which it has later.
fn give_turn_back(encounter: &mut Encounter, e: &PlacesSwapped) {
    remove_from_turn(&mut encounter.state, &e.combatant);
    encounter.change_state(&e.combatant, |s| {
        s.counted.clone_from(&e.counted);
        s.resumes = true;
        s.turns_left = s.turns_left.saturating_add(1);
        s.turns_taken = s.turns_taken.saturating_sub(1);
    });
}

/// The swaps of places that may be, and the answers to the one that was offered.
pub(super) fn swap_options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    let Some(rule) = swap_rule(encounter) else {
        return;
    };
    if let Some(offer) = &encounter.state.offer {
        legal.push(LegalCommand::by::<AcceptSwap>(&offer.with, "CU-41"));
        legal.push(LegalCommand::by::<DeclineSwap>(&offer.with, "CU-41"));
        let withdraw = LegalCommand::by::<DeclineSwap>(&offer.combatant, "CU-41");
        legal.push(withdraw.labelled("{combatant}: withdraw the swap"));
    }
    let mut all_partners = Vec::new();
    let mut by_side: BTreeMap<&Slug, Vec<&CombatantId>> = BTreeMap::new();
    let survey = Survey::of(encounter);
    for c in encounter.iter() {
        if has_open_place(&survey, c) {
            all_partners.push(&c.id);
            by_side.entry(&c.side).or_default().push(&c.id);
        }
    }
    let all_partners = shared_list(all_partners);
    let mut lists = BTreeMap::new();
    for (side, partners) in by_side {
        lists.insert(side, shared_list(partners));
    }
    for c in encounter.iter() {
        if !may_swap(&survey, c)
            || !may_respond(encounter, c)
            || !fits(definition(encounter), &rule.who, c)
        {
            continue;
        }
        let partners = match rule.with {
            Partner::Any => Some(&all_partners),
            Partner::Side => lists.get(&c.side),
        };
        if let Some(partners) = partners
            && partners.iter().any(|id| *id != *c.id.as_str())
        {
            let swap = LegalCommand::by::<Swap>(&c.id, "CU-41");
            let swap = swap.among("with", partners, Some(&c.id));
            legal.push(swap.alike_values("with").alike());
        }
    }
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
fn may_swap(survey: &Survey<'_>, c: &Combatant) -> bool {
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

fn exchange(play: &mut Play<'_>, id: &CombatantId, with: &CombatantId) -> Then {
    let encounter = play.encounter();
    let own_turn = in_top_turn(encounter, id);
    let mut counted = Vec::new();
    for effect in &encounter.effects {
        let start = Moment::TurnStart(id);
        if own_turn && effect.clocks().any(|(_, clock)| clock.counts(start)) {
            counted.push(effect.id.clone());
        }
    }
    play.emit(PlacesSwapped {
        combatant: id.clone(),
        with: with.clone(),
        counted,
    });
    if own_turn {
        Then::GoOn(Point::Next)
    } else {
        Then::Settle
    }
}
