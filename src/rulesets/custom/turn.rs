//! Turns: how they begin, their steps, and how they end.

use super::by_rule::ByRule;
use super::candidates::{candidates, slot_taken};
use super::clock::{end_lap, reach, tick_of};
use super::definition::{Chooser, Prepare};
use super::gap::open_gap;
use super::lines::{costs_turns, delay_rule, has_clock, has_laps, has_unlimited_turns};
use super::openings::readies_several;
use super::places::set_done;
use super::point::{Point, Then};
use super::pools::{cost_of_turn, gain_at_own_turn, payment, price_of_turn};
use super::query::{
    current, definition, has_places_now, next_place, open_place, step_now, steps, top,
};
use super::rank::ranks;
use super::{
    Custom, Delay, DelayLapsed, Encounter, Mode, Place, PlacesSwapped, Play, Reached, Ready, State,
    Turn, TurnOrigin,
};
use crate::json::CachedJson;
use crate::rulesets::shared::{end_turn, start_turn};
use crate::vocabulary::{
    CombatantId, Fold, Int, LegalCommand, Moment, Participants, Slug, TurnEnded, TurnStarted,
    Violation, command, event, ids,
};

/// Ends a turn, or the combatant's part of a shared turn.
#[command(player, "{combatant}: end turn")]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// Initiative or points that the turn costs; the usual cost by default.
    pub cost: Option<Int<1, 100>>,
}

impl EndTurn {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<Then, Violation> {
        play.in_turn(&self.combatant, "CU-1")?;
        let encounter = play.encounter();
        if let Some(cost) = self.cost {
            let Some([least, most]) = price_of_turn(encounter, &self.combatant) else {
                let detail = "This turn has no cost. Remove \"cost\".";
                return Err(Violation::field("no_cost", "cost", detail));
            };
            if !(least..=most).contains(&cost.count()) {
                let detail = format!("A turn costs {least} to {most}. See definition.turn_cost.");
                return Err(Violation::field("impossible_cost", "cost", detail));
            }
        }
        if steps(encounter).is_empty() {
            end_one(play, &self.combatant, self.cost.map(Int::count));
        } else {
            let step_name = step_now(encounter).and_then(|step| step.name.clone());
            play.emit(StepFinished {
                combatant: self.combatant.clone(),
                step_name,
            });
        }
        Ok(Then::GoOn(Point::Turn))
    }
}

/// A turn opened, of one combatant or shared. `turn_started` of each follows and tells it.
#[event(untold)]
pub struct TurnOpened {
    /// The combatants that share the turn.
    pub combatants: Participants,
    /// How the turn came about.
    pub origin: TurnOrigin,
}

impl ByRule for TurnOpened {
    fn follow(&self, encounter: &mut Encounter) {
        open_turn(encounter, &self.combatants, self.origin);
    }
}

/// A surprised combatant's turn passed unused.
#[event("{combatant} {combatant:is|are} surprised and {combatant:loses|lose} the turn.")]
pub struct Skipped {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Skipped {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.change_state(&self.combatant, |s| s.surprised = false);
    }
}

/// The next step of a shared turn started.
#[event("[The {step_name} step starts.][{!step_name}The next step starts.]")]
pub struct StepStarted {
    /// Position of the step in the definition, from 0.
    #[schema(value_type = u32)]
    pub step_index: usize,
    /// Name of the step, if the definition has one.
    pub step_name: Option<Slug>,
}

impl StepStarted {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        if let Some(turn) = top_mut(fold.state()) {
            turn.step = self.step_index;
            turn.done.clear();
        }
    }
}

/// A combatant finished its part of a step.
#[event("{combatant} {combatant:finishes|finish} the[ {step_name}] step.")]
pub struct StepFinished {
    /// The combatant.
    pub combatant: CombatantId,
    /// Name of the step, if the definition has one.
    pub step_name: Option<Slug>,
}

impl StepFinished {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        if let Some(turn) = top_mut(fold.state()) {
            turn.done.push(self.combatant.clone());
        }
    }
}

pub(super) fn open_turn(encounter: &mut Encounter, combatants: &[CombatantId], origin: TurnOrigin) {
    encounter.state.skipped.clear();
    for id in combatants {
        encounter.state.drop_offer(id);
    }
    if matches!(origin, TurnOrigin::Normal | TurnOrigin::Overridden) {
        encounter.state.starting = false;
    }
    if origin == TurnOrigin::Normal
        && let [id] = combatants
    {
        settle_tie(encounter, id);
    }
    if origin != TurnOrigin::Bought {
        give_back_uses(encounter);
        for id in combatants {
            take_turn(encounter, id, origin);
        }
        if origin != TurnOrigin::Returned {
            note_side(encounter, combatants);
        }
    }
    encounter.state.mode = Mode::Turn;
    encounter.state.turns.push(Turn {
        combatants: combatants.to_vec(),
        done: Vec::new(),
        step: 0,
        origin,
    });
}

/// Lets combatants use their reactions again, except for those whose bought turn is not over.
fn give_back_uses(encounter: &mut Encounter) {
    let mut buyers = Vec::new();
    for turn in &encounter.state.turns {
        if turn.origin == TurnOrigin::Bought {
            buyers.extend(turn.combatants.iter().cloned());
        }
    }
    for id in ids(encounter.iter().filter(|c| !c.state.used.is_empty())) {
        if !buyers.contains(&id) {
            encounter.change_state(&id, |s| s.used.clear());
        }
    }
}

/// Uses up a turn of a combatant, and its place.
fn take_turn(encounter: &mut Encounter, id: &CombatantId, origin: TurnOrigin) {
    let options = encounter.options.clone();
    let definition = options.definition();
    let in_order = origin == TurnOrigin::Normal && definition.chooser != Chooser::Last;
    let place = open_place(encounter, id);
    let Some(c) = encounter.get_mut(id) else {
        return;
    };
    if !std::mem::take(&mut c.state.resumes) {
        gain_at_own_turn(definition, c);
    }
    if !has_unlimited_turns(definition) {
        c.state.turns_left = c.state.turns_left.saturating_sub(1);
    }
    c.state.turns_taken = c.state.turns_taken.saturating_add(1);
    c.state.delaying = false;
    c.state.surprised = false;
    c.state.readied_reactions.clear();
    // A turn that was delayed in this round has used up its place.
    let has_place = c.state.delayed_turn.take().is_none();
    let side = c.side.clone();
    if !costs_turns(definition) && has_place {
        use_up_place(&mut encounter.state, place, &side, in_order);
    }
}

/// Notes the side for which these combatants act: that of one whom players see, if there is one.
fn note_side(encounter: &mut Encounter, acting: &[CombatantId]) {
    let mut acting = acting.iter().rev().filter_map(|id| encounter.get(id));
    let last = acting.clone().find(|c| !c.hidden);
    let Some(last) = last.or_else(|| acting.next()) else {
        return;
    };
    let (side, is_hidden) = (last.side.clone(), last.hidden);
    encounter.state.last_side = Some(side);
    encounter.state.last_side_hidden = is_hidden;
}

/// Uses up the place at this position. If its initiative gave a turn, its side has come that far.
pub(super) fn use_up_place(state: &mut State, at: Option<usize>, side: &Slug, in_order: bool) {
    let Some(place) = at.and_then(|at| state.places.get_mut(at)) else {
        return;
    };
    set_done(place, true);
    if !in_order || place.moved {
        return;
    }
    let mut sides = state.sides.iter_mut();
    if let Some(known) = sides.find(|known| known.side == *side) {
        known.reached = Some(Reached {
            turn: place.turn,
            initiative: place.initiative.clone(),
        });
    }
}

/// The turn that is going on.
fn top_mut(state: &mut State) -> Option<&mut Turn> {
    let mut turns = state.turns.iter_mut();
    turns.rfind(|turn| !turn.combatants.is_empty())
}

/// Takes a combatant out of the turn that is going on, which is over when it was the last one.
pub(super) fn remove_from_turn(state: &mut State, id: &CombatantId) -> Option<TurnOrigin> {
    let turn = top_mut(state)?;
    turn.combatants.retain(|c| c != id);
    let origin = turn.origin;
    state.turns.pop_if(|turn| turn.combatants.is_empty());
    Some(origin)
}

pub(super) fn turn_ended(encounter: &mut Encounter, id: &CombatantId) {
    let Some(origin) = remove_from_turn(&mut encounter.state, id) else {
        return;
    };
    let is_bought = origin == TurnOrigin::Bought;
    let options = encounter.options.clone();
    let on_clock = has_clock(options.definition());
    let mut side = None;
    if let Some(c) = encounter.get_mut(id) {
        c.acted = c.state.turns_left == 0 || costs_turns(options.definition());
        c.state.counted.clear();
        c.state.lapped |= on_clock && !is_bought;
        side = Some(c.side.clone());
    }
    if is_bought {
        return;
    }
    let state = &mut encounter.state;
    let Some(side) = side else {
        // Where the one that acted has left, nobody picks for it.
        set_last(state, None);
        return;
    };
    set_last(state, Some(id.clone()));
    let mut sides = state.sides.iter_mut();
    if let Some(known) = sides.find(|known| known.side == side) {
        known.last = Some(id.clone());
    }
}

/// Sets whose turn ended or was delayed last.
pub(super) fn set_last(state: &mut State, last: Option<CombatantId>) {
    state.opened = true;
    state.last = last;
    state.stood_before = None;
}

pub(super) fn turn_options(encounter: &Encounter, legal: &mut Vec<LegalCommand>) {
    for id in current(encounter) {
        let end = LegalCommand::by::<EndTurn>(id, "CU-1");
        let end = match (cost_of_turn(encounter), price_of_turn(encounter, id)) {
            (Some(turn), Some([least, most])) => {
                let end = end.range("cost", least.into(), most.into());
                end.or("cost", turn.usual().count().min(most))
            }
            _ => end.without(&["cost"]),
        };
        legal.push(end.alike());
        if delay_rule(definition(encounter)).is_some() {
            legal.push(LegalCommand::by::<Delay>(id, "CU-23"));
        }
        for (name, rule) in &definition(encounter).reactions {
            if rule.prepare != Prepare::Ready {
                continue;
            }
            let mut ready = LegalCommand::by::<Ready>(id, "CU-30");
            if readies_several(encounter) {
                ready = ready.labelled("{combatant}: ready {reaction}");
            }
            legal.push(ready.with("reaction", name.as_str()));
        }
    }
}

/// Passes over a step in which nobody takes part. Where no turn is going on, a gap opens if
/// somebody has a reaction.
pub(super) fn continue_turn(play: &mut Play<'_>) -> Option<Point> {
    let encounter = play.encounter();
    if top(encounter).is_none() {
        return open_gap(play);
    }
    if current(encounter).next().is_some() {
        return None;
    }
    next_step(play);
    Some(Point::Turn)
}

/// Lets the turn of a surprised combatant pass unused.
pub(super) fn skip_turn(play: &mut Play<'_>, id: &CombatantId) {
    play.emit(TurnOpened {
        combatants: vec![id.clone()].into(),
        origin: TurnOrigin::Normal,
    });
    start_turn(play, id);
    play.emit(Skipped {
        combatant: id.clone(),
    });
    end_one(play, id, None);
}

/// Begins a turn of `who`.
pub(super) fn begin(play: &mut Play<'_>, who: Vec<CombatantId>, origin: TurnOrigin) {
    if has_clock(definition(play.encounter())) && origin == TurnOrigin::Normal {
        let tick = tick_of(play.encounter(), &who);
        end_lap(play);
        reach(play, tick);
    }
    if origin == TurnOrigin::Normal {
        take_slot(play, &who);
    }
    for id in &who {
        if play.encounter().get(id).is_some_and(|c| c.state.delaying) {
            play.emit(DelayLapsed {
                combatant: id.clone(),
            });
        }
    }
    play.emit(TurnOpened {
        combatants: who.clone().into(),
        origin,
    });
    for id in &who {
        // One that gave the turn back has had its start counted.
        let c = play.encounter().get(id);
        if c.is_some_and(|c| !c.state.counted.is_empty()) {
            play.emit(TurnStarted {
                combatant: id.clone(),
            });
            count_once(play, id, Moment::TurnStart(id));
        } else {
            start_turn(play, id);
        }
    }
}

/// Exchanges places with the combatant whose slot is taken.
fn take_slot(play: &mut Play<'_>, who: &[CombatantId]) {
    let encounter = play.encounter();
    let [id] = who else { return };
    let Some(c) = encounter.get(id) else { return };
    let Some(with) = slot_taken(encounter, c).cloned() else {
        return;
    };
    play.emit(PlacesSwapped {
        combatant: id.clone(),
        with,
        counted: Vec::new(),
    });
}

/// Begins the next step of a shared turn; after the last one ends the turn for all who share it.
pub(super) fn next_step(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let Some(turn) = top(encounter) else { return };
    let step_index = turn.step.saturating_add(1);
    if let Some(step) = steps(encounter).get(step_index) {
        let step_name = step.name.clone();
        play.emit(StepStarted {
            step_index,
            step_name,
        });
        return;
    }
    for id in turn.combatants.clone() {
        end_one(play, &id, None);
    }
}

/// Ends all turns that are going on.
pub(super) fn end_all(play: &mut Play<'_>) {
    while let Some(id) = top(play.encounter()).and_then(|turn| turn.combatants.last().cloned()) {
        end_one(play, &id, None);
    }
}

/// Ends the part of one combatant in the turn that is going on.
pub(super) fn end_one(play: &mut Play<'_>, id: &CombatantId, cost: Option<u32>) {
    let encounter = play.encounter();
    let has_returned = top(encounter).is_some_and(|turn| turn.origin == TurnOrigin::Returned);
    if let Some(paid) = payment(encounter, id, cost) {
        play.emit(paid);
    }
    if has_returned {
        count_once(play, id, Moment::TurnEnd(id));
        play.emit(TurnEnded {
            combatant: id.clone(),
        });
    } else {
        end_turn(play, id);
    }
}

/// Puts the place of a combatant that was chosen among equal ones before the others, so that later
/// rounds need no choice.
fn settle_tie(encounter: &mut Encounter, id: &CombatantId) {
    let chooser = encounter.options.definition().chooser;
    if encounter.state.mode != Mode::Choosing
        || chooser != Chooser::Candidates
        || !has_places_now(encounter)
    {
        return;
    }
    let tied = candidates(encounter);
    if tied.len() < 2 || !tied.contains(id) {
        return;
    }
    let Some(chosen) = next_place(encounter, id).cloned() else {
        return;
    };
    let options = encounter.options.clone();
    let ranks = ranks(&options, encounter);
    let is_equal = |one: &Place, other: &Place| {
        !one.moved && !other.moved && ranks.compare(one, other).is_eq()
    };
    let places = encounter.state.places.drain(..);
    // In laps the answer holds for the further turns too.
    let (own, mut others): (Vec<_>, Vec<_>) = places.partition(|place| {
        let same_lap = Place {
            turn: chosen.turn,
            ..Place::clone(place)
        };
        let is_further = has_laps(options.definition())
            && !place.settled
            && !place.moved
            && is_equal(&same_lap, &chosen);
        place.combatant == *id && (place.turn == chosen.turn || is_further)
    });
    for place in own {
        let equal =
            |other: &CachedJson<Place>| !other.done && !other.settled && is_equal(&place, other);
        let beside = others.iter().position(equal);
        let later =
            |other: &CachedJson<Place>| !other.moved && ranks.compare(other, &place).is_gt();
        let at = beside.or_else(|| others.iter().position(later));
        let place = Place {
            settled: true,
            ..Place::clone(&place)
        };
        others.insert(at.unwrap_or(others.len()), place.into());
    }
    encounter.state.places = others;
}

/// Lets effects count a moment of a turn of which a combatant has had a part: those that have not counted
/// it then.
pub(super) fn count_once(play: &mut Play<'_>, id: &CombatantId, moment: Moment<'_>) {
    play.count_down(|encounter, effect, clock| {
        let c = encounter.get(id);
        let has_counted = c.is_some_and(|c| c.state.counted.contains(&effect.id));
        u32::from(!has_counted && clock.counts(moment))
    });
}
