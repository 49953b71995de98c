//! The track: how one rises, falls and crashes on it; costs and motes.

use super::join::roll;
use super::*;
use crate::vocabulary::Int;

/// The most start-of-turn effects of one combatant.
const MOST_START_EFFECTS: usize = 8;
/// The most timed changes of one combatant.
pub(in super::super) const MOST_TIMED: usize = 8;

/// What made somebody fall: who, and how it Joins Battle anew should that shift the fight.
pub(super) struct Blow<'a> {
    by: &'a CombatantId,
    shift: &'a Join,
    at: &'a str,
}

/// `id` loses Initiative through `by`.
pub(super) fn hurt(
    play: &mut Fight<'_>, id: &CombatantId, loss: i64, because: Cause, by: &CombatantId, shift: &Join, at: &str,
) -> Result<(), Violation> {
    change(play, id, -loss, because, Some(&Blow { by, shift, at }))
}

/// Moves `id` on the track at once (VE-13), within its bounds (VE-24); Crash comes and goes with it (VE-23).
pub(super) fn change(
    play: &mut Fight<'_>, id: &CombatantId, delta: i64, because: Cause, blow: Option<&Blow<'_>>,
) -> Result<(), Violation> {
    let state = &play.combatant("combatant", id)?.state;
    let (from, crashed) = (state.initiative, state.crashed);
    let to = (from + delta).clamp(-20, 20);
    if from == to {
        return Ok(());
    }
    play.own(InitiativeChanged { combatant: id.clone(), from, to, because });
    match (crashed, to > 0) {
        (false, false) => crash(play, id, blow),
        (true, true) => {
            play.own(CrashEnded { combatant: id.clone() });
            Ok(())
        }
        (false, true) | (true, false) => Ok(()),
    }
}

/// Crash: what it costs, and what it brings to an opponent who forced it (VE-26, VE-27, AVE14).
fn crash(play: &mut Fight<'_>, id: &CombatantId, blow: Option<&Blow<'_>>) -> Result<(), Violation> {
    let forced = blow.map(|blow| blow.by).filter(|by| *by != id);
    play.own(Crashed { combatant: id.clone(), by: forced.cloned() });
    let (loss, bonus) = (play.table().options.crash_loss.get(), play.table().options.crash_bonus.get());
    change(play, id, -loss, Cause::CrashLoss, None)?;
    let side = &play.combatant("combatant", id)?.side;
    let Some(blow) = blow else { return Ok(()) };
    let opponent = play.table().get(blow.by).filter(|by| by.side != *side && by.state.join_battle.is_some());
    let Some(opponent) = opponent else { return Ok(()) };
    let shifts = play.table().options.shift && opponent.state.crashed_by.as_ref() == Some(id);
    change(play, blow.by, bonus, Cause::CrashBonus, None)?;
    if shifts {
        let roll = roll(play, blow.by, blow.shift, blow.at)?;
        let successes = roll.successes;
        play.own(Shifted { combatant: blow.by.clone(), roll });
        change(play, blow.by, successes, Cause::Shift, None)?;
    }
    Ok(())
}

/// Pays a cost (VE-25), whole or not at all.
pub(super) fn spend(play: &mut Fight<'_>, c: &Spend) -> Result<(), Violation> {
    let id = &c.combatant;
    let payer = fighter(play, "combatant", id)?;
    let (initiative, motes) = (c.initiative.get(), c.motes.get());
    if initiative == 0 && motes == 0 {
        return Err(Violation::field("nothing_to_spend", "initiative", "say what is spent: initiative, motes or both"));
    }
    if c.perilous && payer.state.crashed {
        return Err(Violation::new(
            "crashed",
            "VE-29",
            format!("{id} is Crashed: Perilous Charms are out of its reach"),
        ));
    }
    if payer.state.initiative - initiative < -20 {
        let left = payer.state.initiative + 20;
        let detail = format!("{id} cannot pay {initiative}i: it is {left} above -20, the lowest Initiative");
        return Err(Violation::new("not_enough_initiative", "VE-24", detail));
    }
    let held = motes_of(payer);
    if motes > held {
        return Err(Violation::new("not_enough_motes", "VE-22", format!("{id} has {held} motes, not {motes}")));
    }
    change(play, id, -initiative, Cause::Spent, None)?;
    regain_motes(play, id, -motes);
    Ok(())
}

/// The game master corrects somebody: the Initiative first, with what follows from it, then the rest as it is said (AVE19).
pub(super) fn adjust(play: &mut Fight<'_>, c: &Adjust) -> Result<(), Violation> {
    let id = &c.combatant;
    correctable(play, c)?;
    let delta = c.initiative.get();
    if let Some(turns) = c.turns {
        time(play, id, delta, turns)?;
    }
    match &c.by {
        Some(by) => {
            play.combatant("by", by)?;
            hurt(play, id, -delta, Cause::Adjusted, by, &Join::default(), "")?;
        }
        None => change(play, id, delta, Cause::Adjusted, None)?,
    }
    regain_motes(play, id, c.motes.get());
    correct(play, c)
}

/// Refuses tokens for one who is not Crashed, one timed change too many, and a turn that is taken away while it goes on.
fn correctable(play: &Fight<'_>, c: &Adjust) -> Result<(), Violation> {
    let id = &c.combatant;
    let state = &fighter(play, "combatant", id)?.state;
    if c.recovery_tokens.is_some() && !state.crashed {
        let detail = format!("{id} is not Crashed: it has no recovery tokens");
        return Err(Violation::new("not_crashed", "VE-20", detail));
    }
    if c.turns.is_some() && state.timed.len() >= MOST_TIMED {
        let detail = format!("{id} has {MOST_TIMED} timed changes already: leave `turns` out");
        return Err(Violation::new("too_many_timed_changes", "AVE18", detail));
    }
    let table = play.table();
    let open = matches!(table.state.phase, Phase::FreeActions { .. }) || react::acting(table) == Some(id);
    if c.acted == Some(true) && open {
        let detail = format!("{id} has the turn, or no turn has come yet: it has not acted");
        return Err(Violation::new("not_acted_yet", "AVE19", detail));
    }
    Ok(())
}

/// Notes a change of Initiative that is about to happen, so that it is taken back later (AVE18).
fn time(play: &mut Fight<'_>, id: &CombatantId, delta: i64, turns: Int<1, 10_000>) -> Result<(), Violation> {
    let state = &play.combatant("combatant", id)?.state;
    let initiative = (state.initiative + delta).clamp(-20, 20) - state.initiative;
    if initiative != 0 {
        let mut changes = state.timed.clone();
        changes.push(TimedChange { initiative: Int::clamped(initiative), turns });
        play.own(TimedChangesSet { combatant: id.clone(), changes });
    }
    Ok(())
}

/// Start of turn, step 1: timed changes count down, and those that are over are taken back (VE-14, AVE18).
pub(super) fn count_timed(play: &mut Fight<'_>, id: &CombatantId) -> Result<(), Violation> {
    let changes = play.combatant("combatant", id)?.state.timed.clone();
    if changes.is_empty() {
        return Ok(());
    }
    let (over, mut going): (Vec<_>, Vec<_>) = changes.into_iter().partition(|timed| timed.turns.get() == 1);
    going.iter_mut().for_each(|timed| timed.turns = Int::clamped(timed.turns.get() - 1));
    play.own(TimedChangesSet { combatant: id.clone(), changes: going });
    for timed in over {
        change(play, id, -timed.initiative.get(), Cause::Expired, None)?;
    }
    Ok(())
}

/// Sets what the command says beside the Initiative, and nothing that follows from it (AVE19).
fn correct(play: &mut Fight<'_>, c: &Adjust) -> Result<(), Violation> {
    let state = &play.combatant("combatant", &c.combatant)?.state;
    let (crashed, delaying, combatant) = (state.crashed, state.delaying, c.combatant.clone());
    match c.crashed {
        Some(true) if !crashed => {
            let by = c.by.clone().filter(|by| *by != combatant);
            play.own(Crashed { combatant: combatant.clone(), by });
        }
        Some(false) if crashed => play.own(CrashEnded { combatant: combatant.clone() }),
        _ => {}
    }
    let crashed = c.crashed.unwrap_or(crashed);
    let recovery_tokens = c.recovery_tokens.filter(|_| crashed).map(Int::get);
    let onslaught = c.onslaught.and_then(|points| u32::try_from(points.get()).ok());
    if recovery_tokens.is_some() || onslaught.is_some() || c.acted.is_some() {
        let acted = c.acted;
        play.own(Corrected { combatant: combatant.clone(), recovery_tokens, onslaught, acted });
    }
    if c.acted == Some(true) && delaying {
        play.own(DelayLapsed { combatant });
    }
    Ok(())
}

pub(super) fn declare(play: &mut Fight<'_>, c: &Declare) -> Result<(), Violation> {
    let effects = &fighter(play, "combatant", &c.combatant)?.state.start_effects;
    if effects.len() >= MOST_START_EFFECTS {
        let detail = format!("{} has {MOST_START_EFFECTS} of them already: withdraw one first", c.combatant);
        return Err(Violation::new("too_many_start_effects", "VE-17", detail));
    }
    if effects.iter().any(|effect| effect.name == c.name) {
        let detail = format!("{} is declared for {} already: withdraw it first", c.name, c.combatant);
        return Err(Violation::new("already_declared", "VE-17", detail));
    }
    let effect = StartEffect { name: c.name.clone(), initiative: c.initiative, motes: c.motes };
    play.own(StartEffectDeclared { combatant: c.combatant.clone(), effect });
    Ok(())
}

pub(super) fn withdraw(play: &mut Fight<'_>, c: &Withdraw) -> Result<(), Violation> {
    let effects = &play.combatant("combatant", &c.combatant)?.state.start_effects;
    if !effects.iter().any(|effect| effect.name == c.name) {
        let detail = format!("nothing of this name happens at the start of {}'s turns", c.combatant);
        return Err(Violation::new("not_declared", "VE-17", detail));
    }
    let (combatant, name) = (c.combatant.clone(), c.name.clone());
    play.own(StartEffectWithdrawn { combatant, name });
    Ok(())
}

pub(in super::super) fn motes_of(c: &Fighter) -> i64 {
    c.stats.motes.map_or(0, |motes| motes.get())
}

/// Motes come, or go where negative, between 0 and the maximum.
pub(super) fn regain_motes(play: &mut Fight<'_>, id: &CombatantId, delta: i64) {
    let Some(c) = play.table().get(id) else { return };
    let from = motes_of(c);
    let to = (from + delta).clamp(0, c.stats.max_motes.get());
    if from != to {
        play.own(MotesChanged { combatant: id.clone(), from, to });
    }
}

/// Takes motes away that are more than a maximum that was lowered.
pub(in super::super) fn cap_motes(play: &mut Fight<'_>, id: &CombatantId) {
    regain_motes(play, id, 0);
}
