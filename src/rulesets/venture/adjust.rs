//! The game master's corrections (VE-13, VE-16a, VE-23b, VE-24), and changes that last for a number
//! of turns (VE-14).

use super::initiative::{Blow, change, change_motes};
use super::track::in_battle;
use super::{Cause, Combatant, CrashEnded, Crashed, Join, Phase, Play, Venture};
use crate::vocabulary::{
    CombatantId, Count, Fold, Int, LegalCommand, Violation, command, event, fact, require,
};
use serde_json::Value;
use std::sync::Arc;

/// Correct the state of a combatant (VE-13, VE-24). The change of Initiative and its consequences
/// come first; then `crashed`, `recovery_tokens`, `onslaught` and `acted` are set.
#[command(gm, "{combatant}: correct Initiative and other values")]
pub struct Adjust {
    /// The combatant.
    pub combatant: CombatantId,
    /// Initiative gained, or lost if negative.
    #[default]
    pub initiative: Int<-40, 40>,
    /// Motes gained, or lost if negative.
    #[default]
    pub motes: Int<-1000, 1000>,
    /// The combatant that caused the change: an opponent that forces a Crash gains a bonus (VE-26).
    pub source: Option<CombatantId>,
    /// The new Join Battle roll of `source`, if this shifts the fight (VE-31).
    pub rejoin: Option<Join>,
    /// The number of turn starts after which the change of Initiative ends: 1 for the combatant's
    /// next (VE-14a). Without it the change is permanent. A combatant can have 8 timed changes.
    pub turns: Option<Count>,
    /// True if it is Crashed, without cost or bonus, until the Initiative changes next (VE-23b).
    pub crashed: Option<bool>,
    /// The recovery tokens (VE-20); ignored unless the combatant is Crashed after the rest
    /// (VE-16a).
    pub recovery_tokens: Option<Int<0, 4>>,
    /// The Onslaught (VE-30).
    pub onslaught: Option<Int<0, 1000>>,
    /// True if it has acted in this round and gets no further turn in it (VE-13).
    pub acted: Option<bool>,
}

/// The timed changes of a combatant's Initiative began, counted down, or ended (VE-14a).
#[event(
    "[Initiative changes of {combatant} that will end: {timed_changes}.]\
     [{!timed_changes}No Initiative change of {combatant} will end.]"
)]
pub struct TimedChangesSet {
    /// The combatant.
    pub combatant: CombatantId,
    /// All timed changes after that.
    pub timed_changes: Vec<TimedChange>,
}

/// The game master corrected the state of a combatant (VE-23b).
#[event(
    "The game master corrects {combatant}.[ Recovery tokens: {recovery_tokens}.]\
     [ Onslaught: {onslaught}.]"
)]
pub struct Corrected {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its recovery tokens, if they were set.
    pub recovery_tokens: Option<i64>,
    /// Its Onslaught, if it was set.
    pub onslaught: Option<u32>,
    /// True if it has acted in this round, if that was set.
    pub acted: Option<bool>,
}

/// A change of Initiative that lasts for a number of turns (VE-14a).
#[fact(row, "{initiative} in {turns} {turns:turn|turns}")]
pub struct TimedChange {
    /// Initiative that was gained, or lost if negative.
    pub initiative: Int<-40, 40>,
    /// The number of its turn starts until the change ends, 1 for the next.
    pub turns: Count,
}

/// The maximum of timed changes of a combatant.
pub(super) const MAX_TIMED: usize = 8;

impl Adjust {
    /// Corrects the Initiative first, with its consequences, then the rest without any (VE-23b).
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let state = &in_battle(play, id)?.state;
        require(
            self.turns.is_none() || state.timed_changes.len() < MAX_TIMED,
            "too_many_timed_changes",
            "VE-14a",
            || format!("{id} can't have more than {MAX_TIMED} timed changes. Leave out \"turns\"."),
        )?;
        let phase = &play.encounter().state.phase;
        let not_yet = matches!(phase, Phase::FreeActions { .. }) || phase.acting() == Some(id);
        require(
            self.acted != Some(true) || !not_yet,
            "not_acted_yet",
            "VE-23b",
            || format!("{id} hasn't had a turn yet. Leave out \"acted\", or end the turn."),
        )?;
        let delta = self.initiative.get();
        let change_within_bounds = (state.initiative + delta).clamp(-20, 20) - state.initiative;
        if let Some(turns) = self.turns
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
        if let Some(source) = &self.source {
            play.combatant("source", source)?;
        }
        let rejoin = self.rejoin.clone().unwrap_or_default();
        let blow = self.source.as_ref().map(|by| Blow { by, rejoin });
        change(play, id, delta, Cause::Adjusted, blow)?;
        change_motes(play, id, self.motes.get());

        let crashed = play.combatant("combatant", id)?.state.crashed;
        match self.crashed {
            Some(true) if !crashed => {
                let crashed_by = self.source.clone().filter(|source| source != id);
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
        let crashed = self.crashed.unwrap_or(crashed);
        let recovery_tokens = self.recovery_tokens.filter(|_| crashed).map(Int::get);
        let onslaught = self.onslaught.map(Int::count);
        if recovery_tokens.is_some() || onslaught.is_some() || self.acted.is_some() {
            play.emit(Corrected {
                combatant: id.clone(),
                recovery_tokens,
                onslaught,
                acted: self.acted,
            });
        }
        Ok(())
    }
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

impl TimedChangesSet {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.state.timed_changes.clone_from(&self.timed_changes);
        });
    }
}

impl Corrected {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.state.recovery_tokens = self.recovery_tokens.unwrap_or(c.state.recovery_tokens);
            c.state.onslaught = self.onslaught.unwrap_or(c.state.onslaught);
            c.state.delaying &= self.acted != Some(true);
            c.acted = self.acted.unwrap_or(c.acted);
        });
    }
}

pub(super) fn options(c: &Combatant, all: &Arc<[Value]>) -> LegalCommand {
    let adjust = LegalCommand::of::<Adjust>("VE-24")
        .with("combatant", c.id.as_str())
        .among("source", all, None)
        .object("rejoin", Join::usual());
    if c.state.timed_changes.len() < MAX_TIMED {
        adjust
    } else {
        adjust.without(&["turns"])
    }
}
