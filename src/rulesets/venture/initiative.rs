//! How a combatant rises, falls and crashes on the track, and its motes (VE-13, VE-22 to VE-27,
//! VE-29, VE-31).

use super::join_battle::roll;
use super::track::in_battle;
use super::{Combatant, Join, JoinRoll, Play, Venture};
use crate::vocabulary::{
    CombatantId, Fold, Int, LegalCommand, Violation, command, event, field, require, word,
};

/// Pay a cost in Initiative (such as 2i), in motes, or in both, at any time (VE-25).
#[command(player, "{combatant}: spend Initiative or motes")]
pub struct SpendInitiative {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Initiative spent, which may cause a Crash.
    #[default]
    pub initiative: Int<0, 40>,
    /// The motes spent.
    #[default]
    pub motes: Int<0, 1000>,
    /// True if it pays for a Perilous Charm, which a Crashed combatant cannot use (VE-29).
    #[default]
    pub perilous: bool,
}

/// A combatant rose or fell on the track (VE-13), within -20 and 20 (VE-24).
#[event(
    "{combatant} {combatant:goes|go} from Initiative {from} to {to} \
     [{cause=no attack}for a turn without an attack][{cause=flurry}for the flurry]\
     [{cause=spent}as a cost][{cause=attacked}by being attacked]\
     [{cause=own attack}as the cost of an attack]\
     [{cause=crash bonus}for crashing an opponent][{cause=crash loss}by the Crash]\
     [{cause=shift}by the shift][{cause=start effect}by a start-of-turn effect]\
     [{cause=adjusted}by the game master][{cause=expired}as a timed change ends]."
)]
pub struct InitiativeChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Initiative before.
    pub from: i64,
    /// The Initiative after that.
    pub to: i64,
    /// The cause.
    pub cause: Cause,
}

/// The cause of a rise or fall on the track.
#[word]
pub enum Cause {
    /// End of turn, step 1: a turn without an attack (VE-19).
    NoAttack,
    /// End of turn, step 3: the cost of a flurry (VE-21).
    Flurry,
    /// A cost (VE-25).
    Spent,
    /// An attack on it (VE-27).
    Attacked,
    /// An attack of its own that costs Initiative, such as a killing blow (VE-27).
    OwnAttack,
    /// An opponent that it forced into Crash (VE-26).
    CrashBonus,
    /// Its own Crash (VE-27).
    CrashLoss,
    /// The Crash of the combatant that had crashed it (VE-31).
    Shift,
    /// An effect at the start of its turn (VE-17).
    StartEffect,
    /// A change by the game master.
    Adjusted,
    /// Start of turn, step 1: the end of a timed change (VE-14a).
    Expired,
}

/// A combatant is at 0 or less on the track and is Crashed, without recovery tokens (VE-23).
#[event(
    "[{crashed_by} {crashed_by:crashes|crash} {combatant}.][{!crashed_by}{combatant} {combatant:crashes|crash}.]"
)]
pub struct Crashed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that forced the Crash, if another one did.
    pub crashed_by: Option<CombatantId>,
}

/// A combatant's Crash ended and its recovery tokens are lost, because it rose above 0 or the game
/// master decided so (VE-23, VE-23a).
#[event("{combatant} {combatant:recovers|recover} from Crash.")]
pub struct CrashEnded {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant crashed the combatant that had crashed it, and Joins Battle again (VE-31).
#[event("{combatant} {combatant:shifts|shift} the fight and {combatant:joins|join} battle again.")]
pub struct Shifted {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool, the dice and the successes that are added to its Initiative.
    pub join_battle: JoinRoll,
}

/// A combatant's motes changed: regained at the end of its turn, step 4 (VE-22), spent, or set.
#[event("{combatant} {combatant:goes|go} from {from} to {to} motes.")]
pub struct MotesChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The motes before.
    pub from: i64,
    /// The motes after that, at most its maximum.
    pub to: i64,
}

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

impl SpendInitiative {
    pub(super) fn decide(&self, play: &mut Play<'_>) -> Result<(), Violation> {
        let id = &self.combatant;
        let payer = in_battle(play, id)?;
        let initiative = self.initiative.get();
        let motes = self.motes.get();
        let detail = "Nothing is spent. Send \"initiative\", \"motes\" or both.";
        require(
            initiative != 0 || motes != 0,
            "nothing_to_spend",
            field("initiative"),
            || detail,
        )?;
        require(
            !(self.perilous && payer.state.crashed),
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

impl InitiativeChanged {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.initiative = self.to);
    }
}

impl Crashed {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.state.crashed = true;
            c.state.crashed_by = self.crashed_by.clone();
            c.state.recovery_tokens = 0;
        });
    }
}

impl CrashEnded {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.leave_crash());
    }
}

impl Shifted {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| c.state.crashed_by = None);
    }
}

impl MotesChanged {
    pub(super) fn apply(&self, fold: &mut Fold<'_, Venture>) {
        fold.change(&self.combatant, |c| {
            c.stats.motes = Some(Int::clamped(self.to));
        });
    }
}

pub(super) fn options(c: &Combatant) -> [LegalCommand; 2] {
    let initiative = (c.state.initiative + 20).min(40);
    let motes = c.stats.motes();
    let spend = LegalCommand::by::<SpendInitiative>(&c.id, "VE-25");
    [
        spend
            .clone()
            .labelled("{combatant}: spend Initiative")
            .range("initiative", 1, initiative)
            .required("initiative")
            .range("motes", 0, motes),
        spend
            .labelled("{combatant}: spend motes")
            .range("motes", 1, motes)
            .required("motes")
            .range("initiative", 0, initiative),
    ]
}
