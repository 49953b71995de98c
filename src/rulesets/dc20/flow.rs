//! How the combat goes on from turn to turn and from round to round.

use super::*;
use crate::rulesets::shared::{end_round, end_turn, start_round, start_turn};
use crate::vocabulary::{ConditionCleared, Moment};

/// Maximum rounds that pass on their own because no combatant has Action Points; then the next turn
/// waits all the same.
const IDLE_ROUNDS: u32 = 2;

/// Goes to the next turn that waits, past empty ones (DC-22) and over the end of the round.
pub(super) fn advance(play: &mut Play<'_>) {
    let mut rounds = 0;
    while in_play(play.encounter()) && rounds <= IDLE_ROUNDS {
        let state = &play.encounter().state;
        let awaited = state.at().filter(|_| state.deferred);
        let next = awaited
            .or_else(|| state.later().iter().find(|slot| !slot.removed))
            .cloned();
        match next {
            Some(slot) => {
                if enter(play, &slot, rounds) {
                    return;
                }
            }
            None if decide::stop_holding(play) => {}
            None if open_legendary(play, Phase::RoundEnd) => return,
            None => {
                close_round(play);
                rounds += 1;
            }
        }
    }
    play.emit(NobodyLeft {});
}

/// Comes to a turn; whether the combat waits there. A turn that is empty asks for combatants
/// without a place; in round 1 every PC Turn asks (DC-17), also if a delayed turn goes on in it.
fn enter(play: &mut Play<'_>, slot: &Slot, rounds: u32) -> bool {
    let encounter = play.encounter();
    let chosen_now = slot.team == Team::Pc && encounter.round <= 1;
    let asks =
        (chosen_now || !occupied(encounter, slot)) && wanting(encounter, slot).next().is_some();
    if asks {
        let phase = if slot.team == Team::Pc {
            Phase::Claim
        } else {
            Phase::Assign
        };
        play.emit(SlotOpened {
            slot: slot.id.clone(),
            phase,
        });
    }
    asks || begin_slot(play, &slot.id, rounds)
}

/// Begins the turns of all combatants in a slot (DC-19, DC-20), or skips it (DC-22); whether the
/// combat waits there.
fn begin_slot(play: &mut Play<'_>, id: &SlotId, rounds: u32) -> bool {
    let encounter = play.encounter();
    let occupants = encounter
        .state
        .slot(id)
        .into_iter()
        .flat_map(|slot| &slot.occupants)
        .filter_map(|o| encounter.get(o));
    let (ready, out): (Vec<_>, Vec<_>) = occupants.filter(|c| !c.acted).partition(|c| c.active());
    let counted = |c: &&Combatant| {
        encounter
            .effects
            .iter()
            .any(|e| e.expires.anchor() == Some(&c.id))
    };
    let (ready, out) = (ids(ready), ids(out.into_iter().filter(counted)));
    for combatant in out {
        play.tick(Moment::TurnStart(&combatant));
        play.tick(Moment::TurnEnd(&combatant));
        play.emit(TurnMissed { combatant });
    }
    if ready.is_empty() {
        play.emit(SlotSkipped { slot: id.clone() });
        return false;
    }
    begin_turns(play, id, ready, rounds);
    !play.encounter().state.acting.is_empty() || open_legendary(play, Phase::BetweenTurns)
}

/// Begins the awaited turn with the combatants in it, and goes on if none of them can act.
pub(super) fn take(play: &mut Play<'_>) {
    if let Some(slot) = play.encounter().state.slot.clone()
        && !begin_slot(play, &slot, 0)
    {
        advance(play);
    }
}

/// Begins the turns of these combatants in a slot. After an override some may have begun.
pub(super) fn begin_turns(
    play: &mut Play<'_>,
    slot: &SlotId,
    mut combatants: Vec<CombatantId>,
    rounds: u32,
) {
    combatants.retain(|id| !play.encounter().state.acting.contains(id));
    if combatants.is_empty() {
        return;
    }
    play.emit(SlotBegan {
        slot: slot.clone(),
        combatants: combatants.clone().into(),
    });
    for id in combatants {
        let delayed = play.encounter().get(&id).is_some_and(|c| c.state.delayed);
        start(play, &id);
        let spent = play
            .encounter()
            .get(&id)
            .is_some_and(|c| c.state.ap.current == 0);
        if !delayed && spent && rounds < IDLE_ROUNDS {
            close_turn(play, &id);
        }
    }
}

/// Starts a turn, or resumes a delayed one, which has started before (ADC8). A held action is lost
/// at the start (DC-49).
pub(super) fn start(play: &mut Play<'_>, id: &CombatantId) {
    let Some(CombatantState { delayed, held, .. }) = play.encounter().get(id).map(|c| &c.state)
    else {
        return;
    };
    if *delayed {
        return play.emit(TurnResumed {
            combatant: id.clone(),
        });
    }
    if held.is_some() {
        play.emit(HeldWasted {
            combatant: id.clone(),
        });
    }
    start_turn(play, id);
}

/// Ends a turn: surprise is over first (ADC4), then the Action Points come back (DC-45).
pub(super) fn close_turn(play: &mut Play<'_>, id: &CombatantId) {
    end_turn(play, id);
    let combatant = id.clone();
    if play.encounter().get(id).is_some_and(|c| c.has("surprised")) {
        let condition = Slug::fixed("surprised");
        play.emit(ConditionCleared {
            combatant: combatant.clone(),
            member: None,
            condition,
        });
    }
    let ap = play.encounter().get(id).map_or(Ap::default(), full);
    play.emit(TurnClosed { combatant, ap });
}

/// Goes on when the last turn of a slot has ended; legendary monsters may act first (DC-52).
pub(super) fn proceed(play: &mut Play<'_>) {
    if !open_legendary(play, Phase::BetweenTurns) {
        advance(play);
    }
}

/// Lets legendary monsters act if one can; whether the combat waits for that. A PC Turn that was
/// left by delays is none.
fn open_legendary(play: &mut Play<'_>, phase: Phase) -> bool {
    let state = &play.encounter().state;
    let taken = |slot: &Slot| slot.team == Team::Pc && !slot.occupants.is_empty();
    let here = phase == Phase::RoundEnd || !state.deferred && state.at().is_some_and(taken);
    let opens = here && play.encounter().iter().any(|c| legendary(state, c));
    if opens {
        play.emit(LegendaryOpened { phase });
    }
    opens
}

/// Goes on after legendary actions, or a pass on them.
pub(super) fn close_window(play: &mut Play<'_>) {
    if play.encounter().state.phase == Phase::RoundEnd {
        close_round(play);
    }
    advance(play);
}

/// Begins the combat with its first round, because the first turn is assigned (DC-31).
pub(super) fn begin_combat(play: &mut Play<'_>) {
    if play.encounter().round == 0 {
        start_round(play, 1);
        let points = |c: &Combatant| Points {
            combatant: c.id.clone(),
            ap: full(c),
            lap: c.stats.max_lap.count(),
        };
        let points = play.encounter().iter().map(points).collect();
        play.emit(CombatBegan { points });
    }
}

/// Ends the round and starts the next (DC-38); legendary points come back (DC-53).
fn close_round(play: &mut Play<'_>) {
    begin_combat(play);
    let round = play.encounter().round;
    end_round(play);
    let regain = play
        .encounter()
        .iter()
        .filter(|c| c.state.lap != c.stats.max_lap.count());
    let regain: Vec<_> = regain
        .map(|c| LapRegained {
            combatant: c.id.clone(),
            lap: c.stats.max_lap.count(),
        })
        .collect();
    regain.into_iter().for_each(|regained| play.emit(regained));
    start_round(play, round.saturating_add(1));
}
