//! Turns: how they begin, are delayed, and end.

use super::track::{change, count_timed, regain_motes};
use super::*;
use crate::rulesets::shared::{end_turn, start_turn};

/// The Initiative that a turn without an attack brings (VE-19).
const REST: i64 = 5;
/// What each combat action of a flurry costs (VE-21).
const FLURRY_COST: i64 = 3;
/// The motes that each turn brings (VE-22).
const MOTES: i64 = 5;
/// The recovery tokens that buy the way out of Crash (VE-16).
const RECOVERY: i64 = 3;
/// The Initiative after that (VE-16).
const RECOVERED: i64 = 3;
/// The most recovery tokens.
const MOST_TOKENS: i64 = 4;

pub(super) fn begin(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    at_tick(play, id, "VE-9")?;
    take_turn(play, id)
}

/// Holds the action back; the turn's start comes when it is taken (AVE4).
pub(super) fn delay(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    if at_tick(play, id, "VE-12")?.delayed {
        let detail = format!("{id} has delayed past everybody: it takes its turn now");
        return Err(Violation::new("already_delaying", "AVE4", detail));
    }
    play.own(Delayed { combatant: id.clone() });
    Ok(())
}

/// Takes the turn that was held back, between two others (AVE4).
pub(super) fn claim(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = fighter(play, "combatant", id)?;
    if !c.state.delaying {
        return Err(Violation::new(
            "not_delaying",
            "VE-12",
            format!("{id} has not delayed: there is nothing to claim"),
        ));
    }
    if let Phase::InTurn { actor } | Phase::FollowUp { actor } = &play.table().state.phase {
        let detail = format!("{actor}'s turn is going on: a delayed turn comes between two turns");
        return Err(Violation::new("turn_in_progress", "AVE4", detail));
    }
    take_turn(play, id)
}

/// The tick that is reached, if it is `id`'s.
fn at_tick(play: &Fight<'_>, id: &CombatantId, rule: &'static str) -> Result<Tick, Violation> {
    let c = fighter(play, "combatant", id)?;
    let (code, rule, detail) = match &play.table().state.phase {
        Phase::Tick(tick) if tick.next == *id => return Ok(tick.clone()),
        Phase::InTurn { actor } | Phase::FollowUp { actor } if actor == id => {
            ("turn_begun", rule, format!("{id}'s turn has begun already"))
        }
        _ if c.acted => ("already_acted", "VE-13", format!("{id} has acted this round")),
        Phase::InTurn { actor } | Phase::FollowUp { actor } => {
            ("turn_in_progress", rule, format!("{actor}'s turn is going on"))
        }
        Phase::Tick(tick) if c.state.delaying => {
            ("already_delaying", "VE-12", format!("{id} has delayed: claim takes its turn before {}'s", tick.next))
        }
        Phase::Tick(tick) => ("not_your_tick", rule, format!("{} is next on tick {}, not {id}", tick.next, tick.tick)),
        Phase::FreeActions { next } => {
            ("free_actions_first", "VE-6", format!("turns begin after the free actions; it is {next}'s"))
        }
        Phase::SomeoneActs {} => ("not_your_tick", rule, format!("somebody else is next, not {id}")),
        Phase::Setup | Phase::Standstill {} => {
            ("not_your_tick", rule, format!("nobody's tick is reached, so not {id}'s"))
        }
    };
    Err(Violation::new(code, rule, detail))
}

/// The start of a turn: steps 1 and 2, and the rest unless a move may be made first.
pub(in super::super) fn take_turn(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    start_turn(play, id);
    let state = &play.combatant("combatant", id)?.state;
    let (points, follow_up) = (state.onslaught, state.follow_up);
    if points > 0 {
        play.own(OnslaughtEnded { combatant: id.clone(), points });
    }
    count_timed(play, id)?;
    if follow_up {
        play.own(FollowUpOffered { combatant: id.clone() });
        return Ok(());
    }
    go_on(play, id)
}

/// The start of a turn, steps 3 to 5.
pub(super) fn go_on(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    let state = &play.combatant("combatant", id)?.state;
    let (from, tokens_spent) = (state.initiative, state.recovery_tokens);
    let effects = state.start_effects.clone();
    if state.crashed && tokens_spent >= RECOVERY {
        play.own(Recovered { combatant: id.clone(), tokens_spent, from, to: RECOVERED });
    }
    for effect in effects {
        let (combatant, name) = (id.clone(), effect.name);
        play.own(StartEffectResolved { combatant, name });
        change(play, id, effect.initiative.get(), Cause::StartEffect, None)?;
        regain_motes(play, id, effect.motes.get());
    }
    play.own(ActionsRefreshed { combatant: id.clone() });
    Ok(())
}

/// The end of a turn: its four steps, in order.
pub(super) fn end(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    let c = in_turn(play, id, "VE-9")?;
    let prone = c.has("prone");
    let CombatantState { attacked, crashed, flurrying, actions_taken, free_action, recovery_tokens, .. } = c.state;
    if free_action == FreeActionState::Open {
        play.own(FreeActionPassed { combatant: id.clone() });
    }
    if !crashed && !prone && !attacked {
        change(play, id, REST, Cause::NoAttack, None)?;
    }
    if crashed {
        let tokens = (recovery_tokens + if attacked { 1 } else { 2 }).min(MOST_TOKENS);
        if tokens > recovery_tokens {
            let gained = tokens - recovery_tokens;
            play.own(RecoveryTokensGained { combatant: id.clone(), gained, tokens });
        }
    }
    if flurrying {
        change(play, id, -FLURRY_COST * i64::from(actions_taken), Cause::Flurry, None)?;
    }
    regain_motes(play, id, MOTES);
    end_turn(play, id);
    react::reach_tick(play);
    Ok(())
}
