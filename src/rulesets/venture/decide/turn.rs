//! Turns: how they begin, are delayed, and end.

use super::track::{change, change_motes, count_timed};
use super::{in_battle, in_turn};
use crate::rulesets::shared::{end_turn, start_turn};
use crate::rulesets::venture::{
    Cause, CombatantState, Delayed, FollowUpOffered, FreeActionState, OnslaughtEnded, Passed,
    Phase, Play, Recovered, RecoveryTokensGained, Returned, StartEffect, StartEffectResolved, Tick,
    react,
};
use crate::vocabulary::{CombatantId, Violation, require};

/// The Initiative that a turn without an attack brings (VE-19).
const REST: i64 = 5;
/// The price of each combat action of a flurry (VE-21).
const FLURRY_COST: i64 = 3;
/// The motes that each turn brings (VE-22).
const MOTES: i64 = 5;
/// The recovery tokens that end a Crash (VE-16).
const RECOVERY: i64 = 3;
/// The Initiative after that (VE-16).
const RECOVERED: i64 = 3;
/// The maximum of recovery tokens.
pub(in super::super) const MAX_TOKENS: i64 = 4;

pub(super) fn begin(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    at_tick(play, id, "VE-9")?;
    take_turn(play, id)
}

pub(super) fn delay(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let tick = at_tick(play, id, "VE-12")?;
    require(!tick.delayed, "already_delaying", "VE-12a", || {
        format!("{id} has already delayed until the end of the round. Send \"begin_turn\".")
    })?;
    play.emit(Delayed {
        combatant: id.clone(),
    });
    Ok(())
}

pub(super) fn take_up(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = in_battle(play, id)?;
    require(c.state.delaying, "not_delaying", "VE-12", || {
        format!("{id} didn't delay a turn. Send \"delay\" when that turn is next.")
    })?;
    let phase = &play.encounter().state.phase;
    require(
        phase.acting().is_none(),
        "turn_in_progress",
        "VE-12a",
        || format!("{} A delayed turn comes between two turns.", phase.detail()),
    )?;
    play.emit(Returned {
        combatant: id.clone(),
    });
    take_turn(play, id)
}

/// The tick that is reached, if it is `id`'s.
fn at_tick<'p>(
    play: &'p Play<'_>,
    id: &CombatantId,
    rule: &'static str,
) -> Result<&'p Tick, Violation> {
    let c = in_battle(play, id)?;
    let phase = &play.encounter().state.phase;
    let (code, rule, detail) = match phase {
        Phase::Tick(tick) if tick.next == *id => return Ok(tick),
        _ if phase.acting() == Some(id) => (
            "turn_begun",
            rule,
            format!("{id}'s turn has already started. Act, or send \"end_turn\"."),
        ),
        _ if c.acted => (
            "already_acted",
            "VE-13",
            format!("{id} has already acted this round. Wait for the next round."),
        ),
        Phase::InTurn { .. } | Phase::FollowUp { .. } => (
            "turn_in_progress",
            rule,
            format!("{} Wait until that turn ends.", phase.detail()),
        ),
        Phase::Tick(tick) if c.state.delaying => (
            "already_delaying",
            "VE-12",
            format!(
                "{id} delayed the turn. Send \"return\" to act before {}.",
                tick.next
            ),
        ),
        Phase::FreeActions { .. } => (
            "free_actions_first",
            "VE-6",
            format!("{} Wait until all have had theirs.", phase.detail()),
        ),
        _ => (
            "not_your_tick",
            rule,
            format!("{} Wait for {id}'s turn.", phase.detail()),
        ),
    };
    Err(Violation::new(code, rule, detail))
}

/// The start of a turn: steps 1 and 2, and the rest unless a move may be made first.
pub(in super::super) fn take_turn(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    start_turn(play, id);
    let state = &play.combatant("combatant", id)?.state;
    let points = state.onslaught;
    let follow_up = state.follow_up;
    if points > 0 {
        play.emit(OnslaughtEnded {
            combatant: id.clone(),
            points,
        });
    }
    count_timed(play, id)?;
    if follow_up {
        play.emit(FollowUpOffered {
            combatant: id.clone(),
        });
        return Ok(());
    }
    finish_start(play, id)
}

/// The rest of the start of a turn: steps 3 and 4. Step 5 is done by then: `evolve` gives the new
/// actions with `TurnStarted`, or when the follow-up is made or given up.
pub(super) fn finish_start(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let state = &play.combatant("combatant", id)?.state;
    let from = state.initiative;
    let tokens_spent = state.recovery_tokens;
    let effects = state.start_effects.clone();
    if state.crashed && tokens_spent >= RECOVERY {
        play.emit(Recovered {
            combatant: id.clone(),
            tokens_spent,
            from,
            to: RECOVERED,
        });
    }
    for StartEffect {
        name,
        initiative,
        motes,
    } in effects
    {
        play.emit(StartEffectResolved {
            combatant: id.clone(),
            name,
        });
        change(play, id, initiative.get(), Cause::StartEffect, None)?;
        change_motes(play, id, motes.get());
    }
    Ok(())
}

/// The end of a turn: its four steps, in order.
pub(super) fn end(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = in_turn(play, id, "VE-9")?;
    let prone = c.has("prone");
    let CombatantState {
        attacked,
        crashed,
        flurrying,
        actions_taken,
        free_action,
        ..
    } = c.state;
    if free_action == FreeActionState::Open {
        play.emit(Passed {
            combatant: id.clone(),
            follow_up: false,
        });
    }
    if !crashed && !prone && !attacked {
        change(play, id, REST, Cause::NoAttack, None)?;
    }
    // What step 1 brought about counts in step 2: a corrected Crash comes back with a change
    // (VE-23b).
    let CombatantState {
        crashed,
        recovery_tokens,
        ..
    } = play.combatant("combatant", id)?.state;
    let held = recovery_tokens;
    let recovery_tokens = (held + if attacked { 1 } else { 2 }).min(MAX_TOKENS);
    if crashed && recovery_tokens > held {
        let gained = recovery_tokens - held;
        play.emit(RecoveryTokensGained {
            combatant: id.clone(),
            gained,
            recovery_tokens,
        });
    }
    if flurrying {
        change(
            play,
            id,
            -FLURRY_COST * i64::from(actions_taken),
            Cause::Flurry,
            None,
        )?;
    }
    change_motes(play, id, MOTES);
    end_turn(play, id);
    react::reach_tick(play);
    Ok(())
}
