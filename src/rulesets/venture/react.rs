//! What follows from shared commands, and how a fight moves on from turn to turn.

use super::decide::{join_battle, take_turn};
use super::{
    Combatant, DelayLapsed, DelayLasts, Encounter, FreeActionReached, FreeActionState, Join, Phase,
    Play, StandstillReached, Tick, TickReached, Venture, on_track, rank,
};
use crate::rulesets::shared::{end_turn, next_round, start_round};
use crate::vocabulary::{Event as AnyEvent, RoundEnded, SharedEvent, Status, Violation, ids};

pub(super) fn react(play: &mut Play<'_>, event: &AnyEvent<Venture>) -> Result<(), Violation> {
    if play.encounter().status != Status::Running {
        return Ok(());
    }
    match event {
        AnyEvent::Shared(SharedEvent::Overridden(e)) => {
            if play
                .combatant("combatant", &e.combatant)?
                .state
                .join_battle
                .is_none()
            {
                join_battle(play, &e.combatant, &Join::default())?;
            }
            if matches!(play.encounter().state.phase, Phase::FreeActions { .. }) {
                leave_round_zero(play);
            }
            take_turn(play, &e.combatant)?;
        }
        AnyEvent::Shared(_) | AnyEvent::Roster(_) | AnyEvent::Own(_) => {}
    }
    move_on(play);
    Ok(())
}

/// Combatants that have fallen out of the fight lose their delayed turns.
fn drop_delays(play: &mut Play<'_>) {
    let all = play.encounter().iter();
    for combatant in ids(all.filter(|c| c.state.delaying && !c.active())) {
        play.emit(DelayLapsed { combatant });
    }
}

/// Moves on to the next combatant, after a turn, a free action, or a change on the track or of the
/// roster.
///
/// The turn of a combatant that is out of the fight or has left ends at once, without the steps of
/// its end.
pub(super) fn move_on(play: &mut Play<'_>) {
    drop_delays(play);
    let encounter = play.encounter();
    match &encounter.state.phase {
        Phase::FreeActions { next } if with_free_action(encounter).all(|c| c.id != *next) => {
            open_free_action(play);
        }
        Phase::InTurn { actor } | Phase::FollowUp { actor } if !encounter.is_active(actor) => {
            let actor = actor.clone();
            end_turn(play, &actor);
            reach_tick(play);
        }
        Phase::Tick(_) | Phase::Standstill {} => reach_tick(play),
        _ => {}
    }
}

fn with_free_action(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    on_track(encounter).filter(|c| c.state.free_action == FreeActionState::Open)
}

/// Goes to the highest with a free action left, or begins the first round (VE-7).
pub(super) fn open_free_action(play: &mut Play<'_>) {
    let first = with_free_action(play.encounter())
        .min_by_key(|c| rank(c))
        .map(|c| c.id.clone());
    let Some(combatant) = first else {
        leave_round_zero(play);
        return reach_tick(play);
    };
    play.emit(FreeActionReached { combatant });
}

/// Ends round 0, which effects do not count.
fn leave_round_zero(play: &mut Play<'_>) {
    play.emit(RoundEnded { round: 0 });
    start_round(play, 1);
}

/// Goes to the highest tick on which a combatant has not acted (VE-9, VE-13); a round in which all
/// have acted ends.
pub(super) fn reach_tick(play: &mut Play<'_>) {
    let mut tick = next_tick(play.encounter());
    if tick.is_none() && on_track(play.encounter()).next().is_some() {
        next_round(play);
        tick = next_tick(play.encounter());
    }
    let phase = &play.encounter().state.phase;
    match tick {
        Some(tick) if *phase != Phase::Tick(tick.clone()) => play.emit(TickReached {
            combatant: tick.next,
            tick: tick.tick,
            same_tick: tick.same_tick,
            delayed: tick.delayed,
        }),
        None if *phase != Phase::Standstill {} => play.emit(StandstillReached {}),
        _ => {}
    }
}

/// The tick of the highest who has not acted and does not delay, else of the highest who delays
/// (VE-12a).
///
/// If a delay lasts until the combatant returns, the round ends without those who delay, unless it
/// has had no turn at all.
fn next_tick(encounter: &Encounter) -> Option<Tick> {
    let c = yet_to_act(encounter).min_by_key(|c| (c.state.delaying, rank(c)))?;
    let tick = c.state.initiative;
    let delayed = c.state.delaying;
    let held_on = encounter.options.delay_lasts == DelayLasts::UntilReturn;
    if delayed && held_on && on_track(encounter).any(|c| c.acted) {
        return None;
    }
    // A hidden combatant does not count: players would see that it comes or leaves.
    let mut others = yet_to_act(encounter).filter(|other| other.id != c.id && !other.hidden);
    let same_tick =
        others.any(|other| other.state.initiative == tick && other.state.delaying == delayed);
    Some(Tick {
        next: c.id.clone(),
        tick,
        same_tick,
        delayed,
    })
}

fn yet_to_act(encounter: &Encounter) -> impl Iterator<Item = &Combatant> {
    on_track(encounter).filter(|c| !c.acted)
}
