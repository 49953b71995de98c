//! How the combat goes on from one Initiative Turn to the next and from round to round.

use super::team::{cycle, in_play, new_slot, occupied, rotation, team, wanting};
use super::*;
use crate::rulesets::shared::{end_round, end_turn, start_round, start_turn};
use crate::vocabulary::{ConditionCleared, Moment, Slug};

/// How many rounds may go by on their own because nobody has Action Points: then the next turn stands all the same.
const IDLE_ROUNDS: u32 = 2;

/// Goes to the next turn that somebody takes or must be named for, past empty ones (DC-22) and over the border of the round.
pub(super) fn advance(play: &mut Combat<'_>) {
    let mut borders = 0;
    while in_play(play.table()) && borders <= IDLE_ROUNDS {
        let state = &play.table().state;
        let awaited = state.at().filter(|_| state.put_off);
        let next = awaited.or_else(|| state.later().iter().find(|slot| !slot.removed)).cloned();
        match next {
            Some(slot) => {
                if enter(play, &slot, borders) {
                    return;
                }
            }
            None if decide::stop_holding(play) => {}
            None if open_legendary(play, Phase::RoundEnd) => return,
            None => {
                close_round(play);
                borders += 1;
            }
        }
    }
    play.own(NobodyLeft {});
}

/// Comes to a turn; whether the combat waits there. In round 1 every PC Turn asks who takes it (DC-17), also where somebody has
/// delayed to it; else a turn asks where nobody in it can act and somebody has no place yet.
fn enter(play: &mut Combat<'_>, slot: &Slot, borders: u32) -> bool {
    let table = play.table();
    let ready = occupied(table, slot);
    let chosen_now = slot.team == Team::Pc && table.round <= 1;
    if (chosen_now || !ready) && wanting(table, slot).next().is_some() {
        let phase = if slot.team == Team::Pc { Phase::Claim } else { Phase::Assign };
        play.own(SlotOpened { slot: slot.id.clone(), phase });
        return true;
    }
    begin_slot(play, &slot.id, borders)
}

/// Begins the turns of everybody in a slot at once (DC-19, DC-20), or skips it (DC-22); whether the combat waits there.
pub(super) fn begin_slot(play: &mut Combat<'_>, id: &SlotId, borders: u32) -> bool {
    let table = play.table();
    let occupants = || table.state.slot(id).into_iter().flat_map(|slot| &slot.occupants).filter_map(|o| table.get(o));
    let ready = |c: &&Creature| c.active() && !c.acted;
    let combatants: Vec<_> = occupants().filter(ready).map(|c| c.id.clone()).collect();
    let counted = |c: &Creature| table.effects.iter().any(|e| e.expires.anchor() == Some(&c.id));
    let out: Vec<_> = occupants().filter(|c| !c.active() && !c.acted && counted(c)).map(|c| c.id.clone()).collect();
    for combatant in out {
        play.tick(Moment::TurnStart(&combatant));
        play.tick(Moment::TurnEnd(&combatant));
        play.own(TurnMissed { combatant });
    }
    if combatants.is_empty() {
        play.own(SlotSkipped { slot: id.clone() });
        return false;
    }
    begin_turns(play, id, combatants, borders);
    !play.table().state.acting.is_empty() || open_legendary(play, Phase::BetweenTurns)
}

/// Begins the turns of these in a slot.
pub(super) fn begin_turns(play: &mut Combat<'_>, slot: &SlotId, combatants: Vec<CombatantId>, borders: u32) {
    play.own(SlotBegan { slot: slot.clone(), combatants: combatants.clone().into() });
    for id in combatants {
        let Some(delayed) = play.table().get(&id).map(|c| c.state.delayed) else { continue };
        if delayed {
            play.own(TurnResumed { combatant: id });
            continue;
        }
        start(play, &id);
        let spent = play.table().get(&id).is_some_and(|c| c.state.ap.current == 0);
        if spent && borders < IDLE_ROUNDS {
            close_turn(play, &id);
        }
    }
}

/// Starts a turn: what is held from the last one is wasted (DC-49), effects count the start (DC-40).
pub(super) fn start(play: &mut Combat<'_>, id: &CombatantId) {
    if play.table().get(id).is_some_and(|c| c.state.held.is_some()) {
        play.own(HeldWasted { combatant: id.clone() });
    }
    start_turn(play, id);
}

/// Ends a turn: surprise is over first (ADC4), then the Action Points come back (DC-45).
pub(super) fn close_turn(play: &mut Combat<'_>, id: &CombatantId) {
    end_turn(play, id);
    let surprised = Slug::fixed("surprised");
    if play.table().get(id).is_some_and(|c| c.conditions.contains(&surprised)) {
        let combatant = id.clone();
        play.shared(ConditionCleared { combatant, member: None, condition: surprised });
    }
    let ap = play.table().get(id).map_or(Ap::default(), allowance::full);
    play.own(TurnClosed { combatant: id.clone(), ap });
}

/// Goes on where the last turn of a slot has ended: legendary monsters may act after a PC Turn (DC-52).
pub(super) fn proceed(play: &mut Combat<'_>) {
    if play.table().state.acting.is_empty() && !open_legendary(play, Phase::BetweenTurns) {
        advance(play);
    }
}

/// Lets legendary monsters act where one can; whether the combat waits for that. A PC Turn whose last occupant has delayed was
/// no turn.
fn open_legendary(play: &mut Combat<'_>, phase: Phase) -> bool {
    let table = play.table();
    let taken = |slot: &Slot| slot.team == Team::Pc && !slot.occupants.is_empty();
    let over = table.state.at().filter(|_| !table.state.put_off);
    let here = phase == Phase::RoundEnd || over.is_some_and(taken);
    let able = table.active().any(|c| c.state.lap > 0 && team(&table.state, c) != Team::Pc);
    if here && able {
        play.own(LegendaryOpened { phase });
    }
    here && able
}

/// Begins the combat with its first round, because the first turn is assigned (DC-31).
pub(super) fn begin_combat(play: &mut Combat<'_>) {
    if play.table().round > 0 {
        return;
    }
    start_round(play, 1);
    let points = |c: &Creature| Points { combatant: c.id.clone(), ap: allowance::full(c), lap: max_lap(c) };
    let points = play.table().iter().map(points).collect();
    play.own(CombatBegan { points });
}

pub(super) fn max_lap(c: &Creature) -> u32 {
    u32::try_from(c.stats.max_lap.get()).unwrap_or(0)
}

/// Ends the round and starts the next (DC-38): after round 1 its grants are lost (DC-10, DC-11); legendary points come back (DC-53).
pub(super) fn close_round(play: &mut Combat<'_>) {
    begin_combat(play);
    let round = play.table().round;
    let granted = |c: &&Creature| c.state.round_one_adv || c.state.attacked_with_adv;
    let combatants: Vec<_> = play.table().iter().filter(granted).map(|c| c.id.clone()).collect();
    if !combatants.is_empty() {
        play.own(RoundOneLost { combatants: combatants.into() });
    }
    end_round(play);
    play.own(RoundClosed { seconds: u64::from(round) * 12 });
    let regain: Vec<_> = play.table().iter().filter(|c| c.state.lap != max_lap(c)).collect();
    let regain: Vec<_> = regain.into_iter().map(|c| (c.id.clone(), max_lap(c))).collect();
    for (combatant, lap) in regain {
        play.own(LapRegained { combatant, lap });
    }
    start_round(play, round.saturating_add(1));
}

/// Adds a turn for every team at the end of the order, in their rotation; the new PC Turn (ADC14).
pub(super) fn add_turns(play: &mut Combat<'_>) -> Option<SlotId> {
    let mut added = None;
    for (team, unseen) in cycle(&play.table().state) {
        let slot = new_slot(&play.table().state, team, unseen);
        if team == Team::Pc {
            added = Some(slot.id.clone());
        }
        play.own(SlotAdded { slot, after: None });
    }
    added
}

/// Gives the team of a newcomer, where it has no turns, as many as the team before it in the rotation has, each after one of those
/// (DC-26, DC-28). Turns that were laid out for the hidden are none that one who is seen could have.
pub(super) fn add_team(play: &mut Combat<'_>, newcomer: &Creature) {
    let state = &play.table().state;
    let (whose, unseen) = (team(state, newcomer), newcomer.hidden);
    let seen = |team: Team| state.slots.iter().filter(move |slot| slot.team == team && !slot.unseen);
    if seen(whose).next().is_some() || unseen && state.slots.iter().any(|slot| slot.team == whose) {
        return;
    }
    let before = rotation(state.enemy_teams.len(), state.unseen_teams.len()).into_iter();
    let before = before.take_while(|team| *team != whose).filter(|team| seen(*team).next().is_some()).last();
    let after: Vec<_> = before.into_iter().flat_map(seen).map(|slot| slot.id.clone()).collect();
    for id in after {
        let state = &play.table().state;
        let (slot, after) = (new_slot(state, whose, unseen), last_passed(state, id));
        play.own(SlotAdded { slot, after: Some(after) });
    }
}

/// The turn after which a new one begins that is to follow `id`. Turns of the hidden that have begun after `id` come before it: it
/// would show that they have gone by if the new turn were past already.
fn last_passed(state: &State, id: SlotId) -> SlotId {
    let unseen = state.slots.iter().skip_while(|slot| slot.id != id).skip(1).take_while(|slot| slot.unseen);
    let current = unseen.map(|slot| &slot.id).find(|slot| state.slot.as_ref() == Some(*slot));
    current.cloned().unwrap_or(id)
}
