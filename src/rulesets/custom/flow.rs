//! How a fight goes on: rounds, phases, turns, gaps.

use super::definition::*;
use super::query::*;
use super::walk::{self, Next};
use super::*;
use crate::rulesets::shared::{end_turn, pass_rounds, start_round, start_turn};
use crate::vocabulary::Moment;

/// A point from which a fight goes on by itself.
#[derive(Debug, Clone, Copy)]
pub(super) enum Point {
    /// The turn that is going on; without one, the end of a turn.
    Turn,
    /// The search for the next combatant, after any gap.
    Next,
    /// The end of the round.
    RoundEnd,
    /// The roll of the round, if one is due.
    Roll,
}

/// Goes on to where somebody decides. This is the only loop of the flow, and it has one bound: it crosses the end of one round at
/// most. A further round in which nobody can act stops in a gap.
pub(super) fn proceed(play: &mut Fight<'_>, from: Point) {
    let mut crossed = false;
    let mut point = Some(from);
    while let Some(here) = point {
        point = match here {
            Point::Turn => go_on_with_turn(play),
            Point::Next => find_next(play),
            Point::RoundEnd if crossed || has_unasked(play) => {
                play.own(GapOpened { stalled: true });
                None
            }
            Point::RoundEnd => {
                crossed = true;
                next_round(play)
            }
            Point::Roll => ask_for_roll(play),
        };
    }
}

/// Passes over a step in which nobody takes part. Where no turn is going on, a gap opens if somebody has a right.
fn go_on_with_turn(play: &mut Fight<'_>) -> Option<Point> {
    let table = play.table();
    if top(table).is_none() {
        return open_gap(play);
    }
    if current(table).next().is_some() {
        return None;
    }
    next_step(play);
    Some(Point::Turn)
}

/// Begins the next turn, or asks who takes it; with nobody to act the next phase begins, or the round is over.
fn find_next(play: &mut Fight<'_>) -> Option<Point> {
    let mode = play.table().state.mode.clone();
    match walk::next(play.table()) {
        Next::Skip(id) => {
            skip(play, &id);
            Some(Point::Turn)
        }
        Next::Turn(who) => {
            begin(play, who, TurnKind::Normal);
            Some(Point::Turn)
        }
        Next::Choice(_) => {
            if mode != Mode::Choosing {
                play.own(ChoiceOpened {});
            }
            None
        }
        Next::Phase(phase) => {
            play.own(PhaseBegun { phase });
            Some(Point::Next)
        }
        Next::RoundEnd => Some(Point::RoundEnd),
        Next::Standstill => {
            if mode != Mode::Standstill {
                play.own(Standstill {});
            }
            None
        }
    }
}

/// Lets the turn of a surprised combatant pass unused.
fn skip(play: &mut Fight<'_>, id: &CombatantId) {
    play.own(Begun {
        combatants: vec![id.clone()].into(),
        kind: TurnKind::Normal,
    });
    start_turn(play, id);
    play.own(Skipped {
        combatant: id.clone(),
    });
    end_turn(play, id);
}

/// Begins a turn of `who`, or the rest of one.
pub(super) fn begin(play: &mut Fight<'_>, who: Vec<CombatantId>, kind: TurnKind) {
    if definition(play.table()).clock.is_some() && kind == TurnKind::Normal {
        let place = play
            .table()
            .state
            .places
            .iter()
            .find(|place| who.contains(&place.combatant));
        let tick = place.and_then(|place| u32::try_from(place.score.total).ok());
        reach(play, tick.unwrap_or(0));
    }
    for id in &who {
        if kind != TurnKind::Returned && play.table().get(id).is_some_and(|c| c.state.waiting) {
            play.own(WaitLapsed {
                combatant: id.clone(),
            });
        }
    }
    play.own(Begun {
        combatants: who.clone().into(),
        kind,
    });
    for id in &who {
        match kind {
            TurnKind::Returned => tick_uncounted(play, id, Moment::TurnStart(id)),
            _ => start_turn(play, id),
        }
    }
}

/// Lets effects count a moment of a turn to which the combatant has returned: only those that have begun since it waits.
fn tick_uncounted(play: &mut Fight<'_>, id: &CombatantId, moment: Moment<'_>) {
    play.count_down(|table, effect| {
        let counted = table
            .get(id)
            .is_some_and(|c| c.state.counted.contains(&effect.id));
        if counted {
            None
        } else {
            effect.expires.after(moment)
        }
    });
}

/// Reaches a tick, and the round that it is in. A jump over several rounds counts them all at once.
fn reach(play: &mut Fight<'_>, tick: u32) {
    let table = play.table();
    let Some(clock) = definition(table)
        .clock
        .as_ref()
        .filter(|_| tick > table.state.tick)
    else {
        return;
    };
    let (before, round) = (table.round, tick.div_ceil(clock.round.count().max(1)));
    play.own(ClockAdvanced { tick });
    if round > before {
        pass_rounds(play, round - before);
        start_round(play, round);
    }
}

/// Begins the next step of a shared turn; after the last one ends the turn for all who share it.
pub(super) fn next_step(play: &mut Fight<'_>) {
    let table = play.table();
    let step = top(table).map_or(0, |turn| turn.step.saturating_add(1));
    if usize::try_from(step).is_ok_and(|step| step < steps(table).len()) {
        play.own(StepBegun { step });
        return;
    }
    let sharing = top(table).map_or(Vec::new(), |turn| turn.combatants.clone());
    for id in &sharing {
        end_one(play, id, None);
    }
}

/// Ends the part of one combatant in the turn that is going on.
pub(super) fn end_one(play: &mut Fight<'_>, id: &CombatantId, cost: Option<u32>) {
    let table = play.table();
    let kind = top(table).map(|turn| turn.kind);
    if let Some(scheduled) = scheduled(table, id, cost) {
        play.own(scheduled);
    }
    if kind == Some(TurnKind::Returned) {
        tick_uncounted(play, id, Moment::TurnEnd(id));
        play.shared(crate::vocabulary::TurnEnded {
            combatant: id.clone(),
        });
    } else {
        end_turn(play, id);
    }
}

/// Opens a gap after a turn that ended or was delayed, if somebody has a right to use in it. A lair's turn is followed by none.
fn open_gap(play: &mut Fight<'_>) -> Option<Point> {
    let table = play.table();
    let last = table.state.last.as_ref().and_then(|id| table.get(id));
    let lair = last.is_some_and(|c| is_lair(definition(table), c));
    if lair || right_holders(table, Opening::AfterTurn).next().is_none() {
        return Some(Point::Next);
    }
    play.own(GapOpened { stalled: false });
    None
}

/// Whether somebody holds a right before the round ends and has not declined it in the gap that has just closed.
fn has_unasked(play: &Fight<'_>) -> bool {
    right_holders(play.table(), Opening::RoundEnd)
        .next()
        .is_some()
}

/// Goes on from a gap in which everybody has used their rights or passed.
pub(super) fn close_used_gap(play: &mut Fight<'_>) {
    let table = play.table();
    if matches!(table.state.mode, Mode::Gap { .. }) && asked(table).next().is_none() {
        proceed(play, Point::Next);
    }
}

/// Ends the round and begins the next, first with what is declared in it.
fn next_round(play: &mut Fight<'_>) -> Option<Point> {
    let next = play.table().round.saturating_add(1);
    count_skipped_turns(play);
    pass_rounds(play, 1);
    let table = play.table();
    let joker = table.state.cards.iter().any(|card| card.is_joker());
    let reshuffles = joker
        && definition(table)
            .score
            .as_ref()
            .is_some_and(|score| score.reroll);
    if definition(table)
        .wait
        .as_ref()
        .is_some_and(|wait| wait.lasts == Lasts::Round)
    {
        for combatant in ids(table.iter().filter(|c| c.state.waiting)) {
            play.own(WaitLapsed { combatant });
        }
    }
    start_round(play, next);
    if reshuffles {
        play.own(Reshuffled {});
    }
    if undeclared(play.table()).next().is_some() {
        play.own(DeclarationsOpened {});
        return None;
    }
    Some(Point::Roll)
}

/// Lets effects count the turns of this round that were skipped because their combatants are unconscious.
fn count_skipped_turns(play: &mut Fight<'_>) {
    play.count_down(|table, effect| {
        let turns = effect.expires.turns()?;
        let anchor = table.get(effect.expires.anchor()?)?;
        let skipped = anchor.active() && !anchor.acted && is_skipped(definition(table), anchor);
        skipped.then(|| turns.saturating_sub(1))
    });
}

/// Asks for the roll of this round, if one is due and there is somebody to roll.
fn ask_for_roll(play: &mut Fight<'_>) -> Option<Point> {
    let table = play.table();
    if !owes_roll(table) || table.active().next().is_none() {
        return Some(Point::Next);
    }
    play.own(RollOpened {});
    None
}

/// Shows what was declared, with defaults for the rest.
pub(super) fn show(play: &mut Fight<'_>) {
    let table = play.table();
    let shown = table.active().filter_map(|c| {
        let choice = declaration(definition(table), c)?;
        Some(Declaration {
            combatant: c.id.clone(),
            choice,
        })
    });
    let choices = shown.collect();
    play.own(Shown { choices });
}
