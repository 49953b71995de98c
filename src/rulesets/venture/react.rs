//! What follows under Venture from deaths, comings and goings, and how the round goes on.

use super::decide::{Fight, Fighter, cap_motes, enter, take_turn};
use super::*;
use crate::rulesets::shared::{end_round, end_turn, start_round};
use crate::vocabulary::{Kind, RosterEvent, RoundEnded, SharedEvent, Status};
use std::cmp::Reverse;

pub(super) fn react(play: &mut Fight<'_>, event: &AnyEvent<Venture>) -> Result<(), Violation> {
    if play.table().status != Status::Running {
        return Ok(());
    }
    match event {
        AnyEvent::Shared(SharedEvent::Overridden(e)) => take_over(play, &e.combatant)?,
        AnyEvent::Shared(SharedEvent::CombatantLeft(e)) => {
            if acting(play.table()) == Some(&e.combatant) {
                end_turn(play, &e.combatant);
            }
        }
        AnyEvent::Roster(RosterEvent::CombatantUpdated { combatant }) => {
            if combatant.state.join_battle.is_some() {
                cap_motes(play, &combatant.id);
            }
        }
        AnyEvent::Shared(_) | AnyEvent::Roster(_) | AnyEvent::Own(_) => {}
    }
    settle(play);
    Ok(())
}

/// The game master's override: that combatant's turn begins, and a turn that was going on is taken back. One who has not
/// Joined Battle does so first; the free actions are over.
fn take_over(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    if play.combatant("combatant", id)?.state.join_battle.is_none() {
        enter(play, id, &Join::default(), "")?;
    }
    if matches!(play.table().state.phase, Phase::FreeActions { .. }) {
        leave_round_zero(play);
    }
    take_turn(play, id)
}

/// Whose turn is going on.
pub(super) fn acting(table: &Table) -> Option<&CombatantId> {
    match &table.state.phase {
        Phase::InTurn { actor } | Phase::FollowUp { actor } => Some(actor),
        _ => None,
    }
}

/// Brings the fight on to whoever acts next, after a turn, a free action, or a change on the track or of the roster.
///
/// A turn whose owner is out of the fight ends at once; its end-of-turn steps bring that one nothing.
pub(super) fn settle(play: &mut Fight<'_>) {
    let lapsed = play.table().iter().filter(|c| c.state.delaying && !c.active()).map(|c| c.id.clone());
    for combatant in lapsed.collect::<Vec<_>>() {
        play.own(DelayLapsed { combatant });
    }
    let table = play.table();
    match &table.state.phase {
        Phase::Setup | Phase::SomeoneActs {} => {}
        Phase::FreeActions { next } if table.get(next).is_some_and(has_free_action) => {}
        Phase::FreeActions { .. } => open_free_action(play),
        Phase::InTurn { actor } | Phase::FollowUp { actor } => match table.get(actor) {
            Some(c) if c.active() => {}
            Some(_) => {
                let actor = actor.clone();
                end_turn(play, &actor);
                reach_tick(play);
            }
            None => reach_tick(play),
        },
        Phase::Tick(_) | Phase::Standstill {} => reach_tick(play),
    }
}

/// What the track is sorted by: Initiative, and on the same tick players' characters, Join Battle successes, and who came
/// first (AVE5).
pub(super) fn rank(c: &Fighter) -> impl Ord + use<> {
    let successes = c.state.join_battle.as_ref().map(|roll| roll.successes);
    Reverse((c.state.initiative, c.kind == Kind::Pc, successes, Reverse(c.joined)))
}

fn on_track(c: &Fighter) -> bool {
    c.active() && c.state.join_battle.is_some()
}

fn has_free_action(c: &Fighter) -> bool {
    on_track(c) && c.state.free_action == FreeActionState::Open
}

/// Gives the word to the highest who has a free action left, or begins the first round (VE-7).
pub(super) fn open_free_action(play: &mut Fight<'_>) {
    match play.table().iter().filter(|c| has_free_action(c)).min_by_key(|c| rank(c)) {
        Some(c) => {
            let combatant = c.id.clone();
            play.own(FreeActionReached { combatant });
        }
        None => {
            leave_round_zero(play);
            reach_tick(play);
        }
    }
}

/// Round 0 is no round to effects: it costs them nothing.
fn leave_round_zero(play: &mut Fight<'_>) {
    play.shared(RoundEnded { round: 0 });
    start_round(play, 1);
}

/// Goes to the highest tick on which somebody has not acted (VE-9, VE-13); a round in which everybody has acted ends.
pub(super) fn reach_tick(play: &mut Fight<'_>) {
    let mut tick = next_tick(play.table());
    if tick.is_none() && play.table().iter().any(on_track) {
        let next = play.table().round.saturating_add(1);
        end_round(play);
        start_round(play, next);
        tick = next_tick(play.table());
    }
    match (tick, &play.table().state.phase) {
        (Some(tick), Phase::Tick(reached)) if tick == *reached => {}
        (Some(tick), _) => play.own(TickReached { tick }),
        (None, Phase::Standstill {}) => {}
        (None, _) => play.own(StandstillReached {}),
    }
}

/// Who is next: the highest who has not acted and does not delay, else the highest of those who do (AVE4).
pub(super) fn next_tick(table: &Table) -> Option<Tick> {
    next_of(table, |_| true)
}

/// The same among those who are `seen`.
pub(super) fn next_of(table: &Table, seen: impl Fn(&Combatant<Venture>) -> bool) -> Option<Tick> {
    let waits = |c: &&Combatant<Venture>| c.state.join_battle.is_some() && seen(c);
    let waiting = |delaying: bool| table.waiting().filter(waits).filter(move |c| c.state.delaying == delaying);
    let first = |delaying: bool| waiting(delaying).min_by_key(|c| rank(c)).map(|c| (c, delaying));
    let (c, delayed) = first(false).or_else(|| first(true))?;
    let tick = c.state.initiative;
    // The hidden do not count: one who came or left would show.
    let mut others = waiting(delayed).filter(|other| other.id != c.id && !other.hidden);
    let same_tick = others.any(|other| other.state.initiative == tick);
    Some(Tick { next: c.id.clone(), tick, same_tick, delayed })
}
