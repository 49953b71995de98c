//! The track: how a combatant rises, falls and crashes on it; costs and motes.

use super::in_battle;
use super::join::roll;
use crate::rulesets::venture::{
    Adjust, Cause, Corrected, CrashEnded, Crashed, Declare, InitiativeChanged, Join, MotesChanged,
    Phase, Play, Shifted, SpendInitiative, StartEffect, StartEffectDeclared, StartEffectWithdrawn,
    TimedChange, TimedChangesSet, Withdraw,
};
use crate::vocabulary::{CombatantId, Int, Violation, field, require};

/// The maximum of start-of-turn effects of a combatant.
pub(in super::super) const MAX_START_EFFECTS: usize = 8;
/// The maximum of timed changes of a combatant.
pub(in super::super) const MAX_TIMED: usize = 8;

/// The combatant that made another fall, and its new Join Battle roll if that shifts the fight.
pub(super) struct Blow<'a> {
    pub by: &'a CombatantId,
    pub rejoin: Join,
}

/// Moves `id` on the track at once (VE-13), within its bounds (VE-24); Crash comes and goes with it
/// (VE-23).
pub(super) fn change(
    play: &mut Play<'_>,
    id: &CombatantId,
    delta: i64,
    cause: Cause,
    blow: Option<Blow<'_>>,
) -> Result<(), Violation> {
    let state = &play.combatant("combatant", id)?.state;
    let from = state.initiative;
    let crashed = state.crashed;
    let to = (from + delta).clamp(-20, 20);
    if from == to {
        return Ok(());
    }
    play.emit(InitiativeChanged {
        combatant: id.clone(),
        from,
        to,
        cause,
    });
    if !crashed && to <= 0 {
        return crash(play, id, blow);
    }
    if crashed && to > 0 {
        play.emit(CrashEnded {
            combatant: id.clone(),
        });
    }
    Ok(())
}

/// Crashes `id`: what it costs, and what it brings to an opponent who forced it (VE-26, VE-27).
fn crash(play: &mut Play<'_>, id: &CombatantId, blow: Option<Blow<'_>>) -> Result<(), Violation> {
    let forced = blow.as_ref().map(|blow| blow.by).filter(|by| *by != id);
    play.emit(Crashed {
        combatant: id.clone(),
        crashed_by: forced.cloned(),
    });
    let loss = play.encounter().options.crash_loss.get();
    let bonus = play.encounter().options.crash_bonus.get();
    change(play, id, -loss, Cause::CrashLoss, None)?;
    let side = &play.combatant("combatant", id)?.side;
    let Some(blow) = blow else { return Ok(()) };
    let opponent = play
        .encounter()
        .get(blow.by)
        .filter(|by| by.side != *side && by.state.join_battle.is_some());
    let Some(opponent) = opponent else {
        return Ok(());
    };
    // Read before the bonus: it may end the opponent's own Crash, and with it `crashed_by`.
    let shifts = play.encounter().options.shift && opponent.state.crashed_by.as_ref() == Some(id);
    change(play, blow.by, bonus, Cause::CrashBonus, None)?;
    if shifts {
        let roll = roll(play, blow.by, &blow.rejoin).map_err(|refused| refused.within("rejoin"))?;
        let successes = roll.successes;
        play.emit(Shifted {
            combatant: blow.by.clone(),
            join_battle: roll,
        });
        change(play, blow.by, successes, Cause::Shift, None)?;
    }
    Ok(())
}

pub(super) fn spend(play: &mut Play<'_>, c: &SpendInitiative) -> Result<(), Violation> {
    let id = &c.combatant;
    let payer = in_battle(play, id)?;
    let initiative = c.initiative.get();
    let motes = c.motes.get();
    let detail = "Nothing is spent. Send \"initiative\", \"motes\" or both.";
    require(
        initiative != 0 || motes != 0,
        "nothing_to_spend",
        field("initiative"),
        || detail,
    )?;
    require(
        !(c.perilous && payer.state.crashed),
        "crashed",
        "VE-29",
        || format!("{id} can't use Perilous Charms while Crashed. Remove \"perilous\"."),
    )?;
    let left = payer.state.initiative + 20;
    require(initiative <= left, "not_enough_initiative", "VE-24", || {
        format!("{id} can't spend {initiative} Initiative. Spend {left} or less, down to -20.")
    })?;
    let held = payer.stats.motes();
    require(motes <= held, "not_enough_motes", "VE-22", || {
        format!("{id} has {held} motes, too few to spend {motes}. Spend less.")
    })?;
    change(play, id, -initiative, Cause::Spent, None)?;
    change_motes(play, id, -motes);
    Ok(())
}

/// Corrects the Initiative first, with its consequences, then the rest without any (VE-23b).
pub(super) fn adjust(play: &mut Play<'_>, c: &Adjust) -> Result<(), Violation> {
    let id = &c.combatant;
    let state = &in_battle(play, id)?.state;
    require(
        c.turns.is_none() || state.timed_changes.len() < MAX_TIMED,
        "too_many_timed_changes",
        "VE-14a",
        || format!("{id} can't have more than {MAX_TIMED} timed changes. Leave out \"turns\"."),
    )?;
    let phase = &play.encounter().state.phase;
    let not_yet = matches!(phase, Phase::FreeActions { .. }) || phase.acting() == Some(id);
    require(
        c.acted != Some(true) || !not_yet,
        "not_acted_yet",
        "VE-23b",
        || format!("{id} hasn't had a turn yet. Leave out \"acted\", or end the turn."),
    )?;
    let delta = c.initiative.get();
    let change_within_bounds = (state.initiative + delta).clamp(-20, 20) - state.initiative;
    if let Some(turns) = c.turns
        && change_within_bounds != 0
    {
        let mut timed_changes = state.timed_changes.clone();
        timed_changes.push(TimedChange {
            initiative: Int::clamped(change_within_bounds),
            turns,
        });
        play.emit(TimedChangesSet {
            combatant: id.clone(),
            timed_changes,
        });
    }
    if let Some(source) = &c.source {
        play.combatant("source", source)?;
    }
    let rejoin = c.rejoin.clone().unwrap_or_default();
    let blow = c.source.as_ref().map(|by| Blow { by, rejoin });
    change(play, id, delta, Cause::Adjusted, blow)?;
    change_motes(play, id, c.motes.get());

    let crashed = play.combatant("combatant", id)?.state.crashed;
    match c.crashed {
        Some(true) if !crashed => {
            let crashed_by = c.source.clone().filter(|source| source != id);
            play.emit(Crashed {
                combatant: id.clone(),
                crashed_by,
            });
        }
        Some(false) if crashed => play.emit(CrashEnded {
            combatant: id.clone(),
        }),
        _ => {}
    }
    // VE-16a: who is not Crashed has no tokens.
    let crashed = c.crashed.unwrap_or(crashed);
    let recovery_tokens = c.recovery_tokens.filter(|_| crashed).map(Int::get);
    let onslaught = c.onslaught.map(Int::count);
    if recovery_tokens.is_some() || onslaught.is_some() || c.acted.is_some() {
        play.emit(Corrected {
            combatant: id.clone(),
            recovery_tokens,
            onslaught,
            acted: c.acted,
        });
    }
    Ok(())
}

/// Start of turn, step 1: timed changes count down, and what is over ends (VE-14, VE-14a).
pub(super) fn count_timed(play: &mut Play<'_>, id: &CombatantId) -> Result<(), Violation> {
    let changes = play.combatant("combatant", id)?.state.timed_changes.clone();
    if changes.is_empty() {
        return Ok(());
    }
    let (over, mut remaining): (Vec<_>, Vec<_>) = changes
        .into_iter()
        .partition(|timed| timed.turns.get() == 1);
    for timed in &mut remaining {
        timed.turns = Int::clamped(timed.turns.get() - 1);
    }
    play.emit(TimedChangesSet {
        combatant: id.clone(),
        timed_changes: remaining,
    });
    for timed in over {
        change(play, id, -timed.initiative.get(), Cause::Expired, None)?;
    }
    Ok(())
}

pub(super) fn declare(play: &mut Play<'_>, c: &Declare) -> Result<(), Violation> {
    let id = &c.combatant;
    let effects = &in_battle(play, id)?.state.start_effects;
    require(
        effects.len() < MAX_START_EFFECTS,
        "too_many_start_effects",
        "VE-17",
        || {
            format!(
                "{id} can't have more than {MAX_START_EFFECTS} start-of-turn effects. Send \"withdraw\" first."
            )
        },
    )?;
    require(
        effects.iter().all(|effect| effect.name != c.name),
        "already_declared",
        "VE-17",
        || {
            format!(
                "{id} already has the effect {}. Send \"withdraw\" first.",
                c.name
            )
        },
    )?;
    let start_effect = StartEffect {
        name: c.name.clone(),
        initiative: c.initiative,
        motes: c.motes,
    };
    play.emit(StartEffectDeclared {
        combatant: id.clone(),
        start_effect,
    });
    Ok(())
}

pub(super) fn withdraw(play: &mut Play<'_>, c: &Withdraw) -> Result<(), Violation> {
    let effects = &play
        .combatant("combatant", &c.combatant)?
        .state
        .start_effects;
    require(
        effects.iter().any(|effect| effect.name == c.name),
        "not_declared",
        "VE-17",
        || {
            format!(
                "{} didn't declare this effect. Check \"name\".",
                c.combatant
            )
        },
    )?;
    play.emit(StartEffectWithdrawn {
        combatant: c.combatant.clone(),
        name: c.name.clone(),
    });
    Ok(())
}

/// Changes motes, between 0 and the maximum.
pub(super) fn change_motes(play: &mut Play<'_>, id: &CombatantId, delta: i64) {
    let Some(c) = play.encounter().get(id) else {
        return;
    };
    let from = c.stats.motes();
    let to = (from + delta).clamp(0, c.stats.max_motes.get());
    if from != to {
        play.emit(MotesChanged {
            combatant: id.clone(),
            from,
            to,
        });
    }
}
