//! The way from turn to turn and from round to round.

use super::decide::place_remaining_held_turns;
use super::points::{full_points, has_legendary_points};
use super::team::{asked_by, in_play, occupants};
use super::{
    ActionPoints, ActionPointsRegained, Combatant, Encounter, LegendaryOpened,
    LegendaryPointsRegained, Phase, Play, PointsGiven, ReadyLapsed, Returned, Slot, SlotDecision,
    SlotId, SlotOpened, SlotSkipped, StandstillReached, StartingPoints, State, Team, TurnMissed,
};
use crate::rulesets::shared::{end_round, end_turn, start_round, start_turn};
use crate::vocabulary::{CombatantId, ConditionCleared, Moment, Slug};

/// Maximum rounds that pass on their own because no combatant has Action Points; then the next turn
/// waits all the same.
const IDLE_ROUNDS: u32 = 2;

/// What the combat does at a turn of the order.
#[derive(PartialEq)]
enum Pace {
    /// It waits for combatants, or for those whose turns have begun.
    Waits,
    /// It continues with the next turn.
    Continues,
}

/// Comes to the next turn at which the combat waits, past empty ones (DC-22) and over the end of
/// the round.
pub(super) fn advance(play: &mut Play<'_>) {
    let mut idle_rounds = 0;
    while in_play(play.encounter()) && idle_rounds <= IDLE_ROUNDS {
        if let Some(slot) = next_slot(&play.encounter().state) {
            if enter(play, &slot, idle_rounds) == Pace::Waits {
                return;
            }
            continue;
        }
        if place_remaining_held_turns(play) {
            // They are in a new turn, which is next.
            continue;
        }
        if open_legendary(play, Phase::RoundEnd) {
            return;
        }
        close_round(play);
        idle_rounds += 1;
    }
    play.emit(StandstillReached {});
}

/// The turn that an override deferred, or the next one of this round.
fn next_slot(state: &State) -> Option<Slot> {
    if state.deferred
        && let Some(slot) = state.reached()
    {
        return Some(slot.clone());
    }
    let next = state.later().iter().find(|slot| !slot.removed);
    next.cloned()
}

/// Comes to a turn of the order. It waits if it asks for combatants.
fn enter(play: &mut Play<'_>, slot: &Slot, idle_rounds: u32) -> Pace {
    if asked_by(play.encounter(), slot).is_empty() {
        return begin_slot(play, &slot.id, idle_rounds);
    }
    let decision = if slot.team == Team::Pc {
        SlotDecision::Claim
    } else {
        SlotDecision::Assign
    };
    play.emit(SlotOpened {
        slot: slot.id.clone(),
        decision,
    });
    Pace::Waits
}

/// Starts the turns of all combatants in a turn of the order (DC-19, DC-20), or skips it (DC-22).
fn begin_slot(play: &mut Play<'_>, id: &SlotId, idle_rounds: u32) -> Pace {
    let encounter = play.encounter();
    let mut ready = Vec::new();
    let mut missing = Vec::new();
    if let Some(slot) = encounter.state.slot_named(id) {
        for c in occupants(encounter, slot) {
            if c.acted {
                continue;
            }
            if c.active() {
                ready.push(c.id.clone());
            } else if anchors_effect(encounter, c) {
                missing.push(c.id.clone());
            }
        }
    }
    for combatant in missing {
        play.count_effects(Moment::TurnStart(&combatant));
        play.count_effects(Moment::TurnEnd(&combatant));
        play.emit(TurnMissed { combatant });
    }
    if ready.is_empty() {
        play.emit(SlotSkipped { slot: id.clone() });
        return Pace::Continues;
    }
    begin_turns(play, ready, idle_rounds);
    if !play.encounter().state.acting.is_empty() || open_legendary(play, Phase::BetweenTurns) {
        Pace::Waits
    } else {
        Pace::Continues
    }
}

/// Whether an effect counts this combatant's turns.
fn anchors_effect(encounter: &Encounter, c: &Combatant) -> bool {
    let mut effects = encounter.effects.iter();
    effects.any(|effect| effect.expires.anchor() == Some(&c.id))
}

/// Begins the awaited turn as it is, and advances if none of its combatants can act.
pub(super) fn begin_awaited(play: &mut Play<'_>) {
    if let Some(slot) = play.encounter().state.slot.clone()
        && begin_slot(play, &slot, 0) == Pace::Continues
    {
        advance(play);
    }
}

/// Starts the turns of these combatants, but for those that an override has started. A turn without
/// Action Points ends at once (DC-46), except beyond [`IDLE_ROUNDS`].
pub(super) fn begin_turns(play: &mut Play<'_>, mut combatants: Vec<CombatantId>, idle_rounds: u32) {
    let encounter = play.encounter();
    combatants.retain(|id| !encounter.state.acting.contains(id));
    // A turn that a hidden combatant shares starts with the others: they hide it.
    combatants.sort_by_key(|id| encounter.get(id).is_some_and(|c| c.hidden));
    for id in combatants {
        let delayed = play.encounter().get(&id).is_some_and(|c| c.state.delayed);
        start_or_resume(play, &id);
        if !delayed && has_spent_all(play.encounter(), &id) && idle_rounds < IDLE_ROUNDS {
            finish_turn(play, &id);
        }
    }
}

fn has_spent_all(encounter: &Encounter, id: &CombatantId) -> bool {
    encounter
        .get(id)
        .is_some_and(|c| c.state.action_point_pool.current == 0)
}

/// Starts a turn, or resumes a delayed one, which has started before (DC-32a). A readied action is
/// lost at the start (DC-49).
pub(super) fn start_or_resume(play: &mut Play<'_>, id: &CombatantId) {
    let Some(c) = play.encounter().get(id) else {
        return;
    };
    if c.state.delayed {
        return play.emit(Returned {
            combatant: id.clone(),
        });
    }
    if c.state.readied.is_some() {
        play.emit(ReadyLapsed {
            combatant: id.clone(),
        });
    }
    start_turn(play, id);
}

/// Ends a turn. Then surprise is over (DC-43a), and after it the Action Points come back (DC-45).
pub(super) fn finish_turn(play: &mut Play<'_>, id: &CombatantId) {
    end_turn(play, id);
    if play.encounter().get(id).is_some_and(|c| c.has("surprised")) {
        play.emit(ConditionCleared {
            combatant: id.clone(),
            member: None,
            condition: Slug::fixed("surprised"),
        });
    }
    if let Some(c) = play.encounter().get(id)
        && full_points(c) != c.state.action_point_pool
    {
        let ActionPoints { current, max } = full_points(c);
        play.emit(ActionPointsRegained {
            combatant: id.clone(),
            left: current,
            max,
        });
    }
}

/// Leaves a turn of the order in which all have ended theirs; legendary monsters may act before the
/// next one (DC-52).
pub(super) fn leave_slot(play: &mut Play<'_>) {
    if !open_legendary(play, Phase::BetweenTurns) {
        advance(play);
    }
}

/// Lets legendary monsters act if one can, and returns whether one can. The combat waits for it.
fn open_legendary(play: &mut Play<'_>, phase: Phase) -> bool {
    let encounter = play.encounter();
    let state = &encounter.state;
    if phase == Phase::BetweenTurns && !is_after_pc_turn(state) {
        return false;
    }
    let opens = encounter.iter().any(|c| has_legendary_points(state, c));
    if opens {
        let round_end = phase == Phase::RoundEnd;
        play.emit(LegendaryOpened { round_end });
    }
    opens
}

/// Whether a PC Turn has ended. One that all have left by delaying does not count.
fn is_after_pc_turn(state: &State) -> bool {
    let Some(slot) = state.reached() else {
        return false;
    };
    !state.deferred && slot.team == Team::Pc && !slot.occupants.is_empty()
}

/// Advances after the legendary actions, or without them.
pub(super) fn close_legendary(play: &mut Play<'_>) {
    if play.encounter().state.phase == Phase::RoundEnd {
        close_round(play);
    }
    advance(play);
}

/// Begins the combat with its first round, because the first turn is assigned (DC-31).
pub(super) fn begin_combat(play: &mut Play<'_>) {
    if play.encounter().round > 0 {
        return;
    }
    start_round(play, 1);
    let mut grants = Vec::new();
    for c in play.encounter().iter() {
        grants.push(StartingPoints {
            combatant: c.id.clone(),
            action_points: full_points(c).max,
            legendary_points: c.stats.max_legendary_points.count(),
        });
    }
    play.emit(PointsGiven { grants });
}

/// Ends the round and starts the next (DC-38); legendary points come back (DC-53).
fn close_round(play: &mut Play<'_>) {
    begin_combat(play);
    let round = play.encounter().round;
    end_round(play);
    for regained in missing_legendary_points(play.encounter()) {
        play.emit(regained);
    }
    start_round(play, round.saturating_add(1));
}

/// The points that legendary monsters get back (DC-53).
fn missing_legendary_points(encounter: &Encounter) -> Vec<LegendaryPointsRegained> {
    let mut regained = Vec::new();
    for c in encounter.iter() {
        let max = c.stats.max_legendary_points.count();
        if c.state.legendary_points != max {
            regained.push(LegendaryPointsRegained {
                combatant: c.id.clone(),
                left: max,
            });
        }
    }
    regained
}
