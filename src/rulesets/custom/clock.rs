//! The clock of orders by tick, and its laps.

use super::change_definition::change_if_planned;
use super::lines::clock;
use super::query::definition;
use super::{Custom, Encounter, Play};
use crate::rulesets::shared::{count_lost_turns, pass_rounds, start_round};
use crate::vocabulary::{CombatantId, Fold, event};

/// On a clock, all combatants have had a turn: effects of those that take none lose one.
#[event("All combatants have had a turn.")]
pub struct LapEnded {}

impl LapEnded {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.forget_counted();
        fold.change_states(|s| s.lapped, |s| s.lapped = false);
    }
}

/// The clock reached a tick.
#[event("The clock reaches tick {tick}.")]
pub struct ClockAdvanced {
    /// The tick.
    pub tick: u32,
}

impl ClockAdvanced {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Custom>) {
        fold.state().tick = self.tick;
    }
}

/// The tick at which the first of these stands.
pub(super) fn tick_of(encounter: &Encounter, who: &[CombatantId]) -> u32 {
    let mut places = encounter.state.places.iter();
    match places.find(|place| who.contains(&place.combatant)) {
        Some(place) => u32::try_from(place.initiative.total.floor()).unwrap_or(0),
        None => 0,
    }
}

/// Ends a lap of the clock, if all have had a turn in it: effects of those that take none lose one.
pub(super) fn end_lap(play: &mut Play<'_>) {
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

/// Whether another definition holds before one of these begins: its tick is in a later round.
pub(super) fn changes_before(encounter: &Encounter, who: &[CombatantId]) -> bool {
    let round = round_of(encounter, who);
    encounter.state.planned.is_some() && round.is_some_and(|round| round > encounter.round)
}

/// Reaches a tick, and the round that it is in. A jump over several rounds counts them all at once.
pub(super) fn reach(play: &mut Play<'_>, tick: u32) {
    let encounter = play.encounter();
    let Some(round) = round_at(encounter, tick) else {
        return;
    };
    if tick <= encounter.state.tick {
        return;
    }
    let before = encounter.round;
    play.emit(ClockAdvanced { tick });
    if round > before {
        pass_rounds(play, round - before);
        start_round(play, round);
    }
}

/// Passes the rounds before the tick at which one of these would begin, and lets the next definition
/// hold.
pub(super) fn reach_next_definition(play: &mut Play<'_>, who: &[CombatantId]) {
    end_lap(play);
    let encounter = play.encounter();
    let before = encounter.round;
    let round = round_of(encounter, who)
        .unwrap_or(before)
        .max(before.saturating_add(1));
    pass_rounds(play, round - before);
    change_if_planned(play, round);
    start_round(play, round);
}

/// The round in which the first of these begins, on a clock.
fn round_of(encounter: &Encounter, who: &[CombatantId]) -> Option<u32> {
    round_at(encounter, tick_of(encounter, who))
}

/// The round that a tick of the clock is in.
fn round_at(encounter: &Encounter, tick: u32) -> Option<u32> {
    let clock = clock(definition(encounter))?;
    Some(tick.div_ceil(clock.ticks.count().max(1)))
}
