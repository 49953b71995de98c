//! How a fight goes on: rounds, turns, gaps.

use super::candidates::{chooser, slot_taken};
use super::definition::{Lasts, Reshuffle};
use super::initiative::{deal_places, rolls_anything};
use super::lines::{clock, deck, delays_last, has_clock, rerolls};
use super::openings::{Opening, after_lair, asked, reacting};
use super::pools::payment;
use super::query::{
    choosing_cards, current, declaration, definition, is_skipped, owes_roll, steps, top, undeclared,
};
use super::walk::{self, Next};
use super::{
    CardChoiceOpened, ChoiceOpened, ClockAdvanced, Combatant, Declaration, DeclarationsOpened,
    DeclarationsShown, DelayLapsed, Encounter, GapAt, GapOpened, Halted, LapEnded, Mode,
    PlacesSwapped, Play, Reshuffled, Returned, RollOpened, Skipped, StepStarted, TurnOpened,
    TurnOrigin,
};
use crate::rulesets::shared::{count_lost_turns, end_turn, pass_rounds, start_round, start_turn};
use crate::vocabulary::{CombatantId, Moment, TurnEnded, TurnStarted, ids};

/// A point from which a fight goes on by itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Point {
    /// The turn that is going on; without one, the end of a turn.
    Turn,
    /// The search for the next combatant, after any gap.
    Next,
    /// The end of the round, if all have declined to react before it.
    RoundEnd,
    /// The next round.
    NextRound,
    /// The declarations of the round, if it has any.
    Declare,
    /// The roll of the round, if one is due.
    Roll,
    /// The choice among the cards that the roll has dealt, if there is any.
    Dealt,
}

/// Goes on to where somebody decides. This is the only loop of the flow, and it has one bound: it
/// crosses the end of one round at most. A further round in which nobody can act stops in a gap.
pub(super) fn proceed(play: &mut Play<'_>, from: Point) {
    let mut crossed = false;
    let mut point = Some(from);
    while let Some(here) = point {
        point = match here {
            Point::Turn => continue_turn(play),
            Point::Next => find_next(play),
            Point::RoundEnd if crossed || has_unasked(play) => {
                play.emit(GapOpened {
                    at: GapAt::RoundEnd,
                });
                None
            }
            Point::RoundEnd | Point::NextRound => {
                crossed = true;
                next_round(play)
            }
            Point::Declare => declare(play),
            Point::Roll => ask_for_roll(play),
            Point::Dealt => ask_for_cards(play),
        };
    }
}

/// Passes over a step in which nobody takes part. Where no turn is going on, a gap opens if
/// somebody has a reaction.
fn continue_turn(play: &mut Play<'_>) -> Option<Point> {
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

/// Begins the next turn, or asks who takes it; with nobody to act the round is over.
fn find_next(play: &mut Play<'_>) -> Option<Point> {
    let encounter = play.encounter();
    let starting = encounter.state.starting && encounter.state.turns.is_empty();
    if starting && reacting(encounter, Opening::RoundStart).next().is_some() {
        play.emit(GapOpened {
            at: GapAt::RoundStart,
        });
        return None;
    }
    let mode = play.encounter().state.mode.clone();
    match walk::next(play.encounter()) {
        Next::Skip(id) => {
            skip(play, &id);
            Some(Point::Turn)
        }
        Next::Turn(who) => {
            begin(play, who, TurnOrigin::Normal);
            Some(Point::Turn)
        }
        Next::Choice(_) => {
            if mode != Mode::Choosing {
                let chooser = chooser(play.encounter()).cloned();
                play.emit(ChoiceOpened { chooser });
            }
            None
        }
        Next::RoundEnd => Some(Point::RoundEnd),
        Next::Halted => {
            if mode != Mode::Halted {
                play.emit(Halted {});
            }
            None
        }
    }
}

/// Lets the turn of a surprised combatant pass unused.
fn skip(play: &mut Play<'_>, id: &CombatantId) {
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
            tick_uncounted(play, id, Moment::TurnStart(id));
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

/// Begins the rest of a delayed turn.
pub(super) fn return_to(play: &mut Play<'_>, id: &CombatantId) {
    play.emit(Returned {
        combatant: id.clone(),
    });
    tick_uncounted(play, id, Moment::TurnStart(id));
}

/// The tick at which the first of these stands.
fn tick_of(encounter: &Encounter, who: &[CombatantId]) -> u32 {
    let mut places = encounter.state.places.iter();
    match places.find(|place| who.contains(&place.combatant)) {
        Some(place) => u32::try_from(place.initiative.total.floor()).unwrap_or(0),
        None => 0,
    }
}

/// Lets effects count a moment of a turn to which the combatant has returned: only those that have
/// begun since it delays.
fn tick_uncounted(play: &mut Play<'_>, id: &CombatantId, moment: Moment<'_>) {
    play.count_down(|encounter, effect| {
        let c = encounter.get(id);
        if c.is_some_and(|c| c.state.counted.contains(&effect.id)) {
            return None;
        }
        effect.expires.after(moment)
    });
}

/// Ends a lap of the clock, if all have had a turn in it: effects of those that take none lose one.
fn end_lap(play: &mut Play<'_>) {
    let encounter = play.encounter();
    // A lap that awaited hidden combatants would show that they are there.
    let some_shown = encounter.active().any(|c| !c.hidden);
    for c in encounter.active() {
        if c.hidden && some_shown {
            continue;
        }
        if !c.state.lapped {
            return;
        }
    }
    count_lost_turns(play, 1, |c| c.state.lapped);
    play.emit(LapEnded {});
}

/// Reaches a tick, and the round that it is in. A jump over several rounds counts them all at once.
fn reach(play: &mut Play<'_>, tick: u32) {
    let encounter = play.encounter();
    let Some(clock) = clock(definition(encounter)) else {
        return;
    };
    if tick <= encounter.state.tick {
        return;
    }
    let before = encounter.round;
    let round = tick.div_ceil(clock.ticks.count().max(1));
    play.emit(ClockAdvanced { tick });
    if round > before {
        pass_rounds(play, round - before);
        start_round(play, round);
    }
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
        tick_uncounted(play, id, Moment::TurnEnd(id));
        play.emit(TurnEnded {
            combatant: id.clone(),
        });
    } else {
        end_turn(play, id);
    }
}

/// Opens a gap after a turn that ended or was delayed, if somebody has a reaction in it. A lair's
/// turn is followed by none.
fn open_gap(play: &mut Play<'_>) -> Option<Point> {
    let encounter = play.encounter();
    if after_lair(encounter) || reacting(encounter, Opening::AfterTurn).next().is_none() {
        return Some(Point::Next);
    }
    play.emit(GapOpened {
        at: GapAt::AfterTurn,
    });
    None
}

/// Whether somebody has a reaction before the round ends and has not declined it in the gap that
/// has just closed.
fn has_unasked(play: &Play<'_>) -> bool {
    let mut unasked = reacting(play.encounter(), Opening::RoundEnd);
    unasked.next().is_some()
}

/// Goes on from a gap in which everybody has reacted or passed.
pub(super) fn close_used_gap(play: &mut Play<'_>) {
    let encounter = play.encounter();
    if matches!(encounter.state.mode, Mode::Gap { .. }) && asked(encounter).next().is_none() {
        proceed(play, Point::Next);
    }
}

/// Whether the cards go back to the deck after this round.
fn reshuffles(encounter: &Encounter) -> bool {
    let reshuffle = deck(definition(encounter)).map(|deck| deck.reshuffle);
    match reshuffle {
        Some(Reshuffle::Round) => true,
        Some(Reshuffle::Joker) => encounter.state.cards.iter().any(|card| card.is_joker()),
        Some(Reshuffle::Empty) | None => false,
    }
}

/// Ends the round and begins the next, first with what is declared in it.
fn next_round(play: &mut Play<'_>) -> Option<Point> {
    let next = play.encounter().round.saturating_add(1);
    count_skipped_turns(play);
    pass_rounds(play, 1);
    let encounter = play.encounter();
    let reshuffles = rerolls(definition(encounter)) && reshuffles(encounter);
    if delays_last(definition(encounter), Lasts::Round) {
        for combatant in ids(encounter.iter().filter(|c| c.state.delaying)) {
            play.emit(DelayLapsed { combatant });
        }
    }
    start_round(play, next);
    // A combatant without turns in this round has none to return to.
    let encounter = play.encounter();
    let without_turns = |c: &&Combatant| c.state.delaying && c.state.turns_left == 0;
    for combatant in ids(encounter.iter().filter(without_turns)) {
        play.emit(DelayLapsed { combatant });
    }
    if reshuffles {
        play.emit(Reshuffled {});
    }
    declare(play)
}

/// Asks for the declarations of the round, if it has any.
fn declare(play: &mut Play<'_>) -> Option<Point> {
    if undeclared(play.encounter()).next().is_some() {
        play.emit(DeclarationsOpened {});
        return None;
    }
    Some(Point::Roll)
}

/// Lets effects count the turns of this round that were skipped because their combatants are
/// unconscious.
fn count_skipped_turns(play: &mut Play<'_>) {
    play.count_down(|encounter, effect| {
        let turns = effect.expires.turns()?;
        let anchor = encounter.get(effect.expires.anchor()?)?;
        let counted = anchor.state.counted.contains(&effect.id);
        if !anchor.active() || anchor.acted || counted || !is_skipped(definition(encounter), anchor)
        {
            return None;
        }
        Some(turns.saturating_sub(1))
    });
}

/// Asks for the roll of this round, if one is due and there is somebody to roll.
fn ask_for_roll(play: &mut Play<'_>) -> Option<Point> {
    let encounter = play.encounter();
    if !owes_roll(encounter) || encounter.active().next().is_none() {
        return Some(Point::Next);
    }
    if !rolls_anything(definition(encounter)) {
        deal_places(play);
        return Some(Point::Next);
    }
    play.emit(RollOpened {});
    None
}

/// Asks which cards count, if combatants have been dealt several to choose from.
fn ask_for_cards(play: &mut Play<'_>) -> Option<Point> {
    if choosing_cards(play.encounter()).next().is_none() {
        return Some(Point::Next);
    }
    play.emit(CardChoiceOpened {});
    None
}

/// Shows what was declared, with defaults for the rest.
pub(super) fn show(play: &mut Play<'_>) {
    let encounter = play.encounter();
    let mut declarations = Vec::new();
    for c in encounter.active() {
        if let Some(choice) = declaration(definition(encounter), c) {
            declarations.push(Declaration {
                combatant: c.id.clone(),
                choice,
            });
        }
    }
    play.emit(DeclarationsShown { declarations });
}
