//! The events of Venture.

use super::{JoinRoll, StartEffect, Tick, TimedChange};
use crate::vocabulary::{
    CombatantId, Describe, Names, OwnEvents, Redact, Tagged, Tellable, Text, Word, tell,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// An event of Venture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Redact!, Tellable!, Tagged!, OwnEvents!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Event {
    #[serde(rename = "settled")]
    Settled(Settled),
    #[serde(rename = "joined_battle")]
    JoinedBattle(JoinedBattle),
    #[serde(rename = "free_action_reached")]
    FreeActionReached(FreeActionReached),
    #[serde(rename = "free_action_taken")]
    FreeActionTaken(FreeActionTaken),
    #[serde(rename = "free_action_passed")]
    FreeActionPassed(FreeActionPassed),
    #[serde(rename = "tick_reached")]
    TickReached(TickReached),
    #[serde(rename = "standstill_reached")]
    StandstillReached(StandstillReached),
    #[serde(rename = "onslaught_ended")]
    OnslaughtEnded(OnslaughtEnded),
    #[serde(rename = "follow_up_offered")]
    FollowUpOffered(FollowUpOffered),
    #[serde(rename = "follow_up_taken")]
    FollowUpTaken(FollowUpTaken),
    #[serde(rename = "follow_up_passed")]
    FollowUpPassed(FollowUpPassed),
    #[serde(rename = "recovered")]
    Recovered(Recovered),
    #[serde(rename = "start_effect_declared")]
    StartEffectDeclared(StartEffectDeclared),
    #[serde(rename = "start_effect_withdrawn")]
    StartEffectWithdrawn(StartEffectWithdrawn),
    #[serde(rename = "start_effect_resolved")]
    StartEffectResolved(StartEffectResolved),
    #[serde(rename = "action_taken")]
    ActionTaken(ActionTaken),
    #[serde(rename = "attacked")]
    Attacked(Attacked),
    #[serde(rename = "flurried")]
    Flurried(Flurried),
    #[serde(rename = "moved")]
    Moved(Moved),
    #[serde(rename = "delayed")]
    Delayed(Delayed),
    #[serde(rename = "initiative_changed")]
    InitiativeChanged(InitiativeChanged),
    #[serde(rename = "crashed")]
    Crashed(Crashed),
    #[serde(rename = "crash_ended")]
    CrashEnded(CrashEnded),
    #[serde(rename = "shifted")]
    Shifted(Shifted),
    #[serde(rename = "recovery_tokens_gained")]
    RecoveryTokensGained(RecoveryTokensGained),
    #[serde(rename = "motes_changed")]
    MotesChanged(MotesChanged),
    #[serde(rename = "timed_changes_set")]
    TimedChangesSet(TimedChangesSet),
    #[serde(rename = "corrected")]
    Corrected(Corrected),
}

/// One roll settled the fight with a combatant that is no Worthy Foe (VE-1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Settled {
    /// The combatant that is no Worthy Foe.
    pub combatant: CombatantId,
    /// Who lost and is defeated.
    pub loser: CombatantId,
}

/// A combatant Joined Battle and has a place on the track (VE-5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct JoinedBattle {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool, the dice and the successes.
    pub roll: JoinRoll,
    /// 3 and the successes, at most 20.
    pub initiative: i64,
    /// Its motes.
    pub motes: i64,
}

/// A combatant's free action is next (VE-7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FreeActionReached {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant took its free action (VE-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FreeActionTaken {
    /// The combatant.
    pub combatant: CombatantId,
    /// What it did.
    pub action: Text<200>,
}

/// A combatant gave up its free action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FreeActionPassed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant is next, unless the track changes before its turn begins (VE-9, VE-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TickReached {
    /// Whose turn comes next, and on which tick.
    pub tick: Tick,
}

/// Nobody in the fight has Joined Battle; a newcomer must.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StandstillReached {}

/// Start of turn, step 1: Onslaught is over (VE-14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct OnslaughtEnded {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its points.
    pub points: u32,
}

/// Start of turn, step 2: the move left from a Rush or Disengage can be made now (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FollowUpOffered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The move from a Rush or Disengage was made (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FollowUpTaken {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The move from a Rush or Disengage was given up (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FollowUpPassed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Start of turn, step 3: recovery tokens ended the Crash (VE-16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Recovered {
    /// The combatant.
    pub combatant: CombatantId,
    /// The spent tokens: all of them (VE-16a).
    pub tokens_spent: i64,
    /// The Initiative before.
    pub from: i64,
    /// The Initiative now: 3, wherever it was (VE-16b).
    pub to: i64,
}

/// Something was declared for the start of each turn of a combatant (VE-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StartEffectDeclared {
    /// The combatant.
    pub combatant: CombatantId,
    /// What happens.
    pub effect: StartEffect,
}

/// Something that was declared for the start of turns ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StartEffectWithdrawn {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its name.
    pub name: Text<80>,
}

/// Start of turn, step 4: something that was declared happens; its changes follow as events
/// (VE-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StartEffectResolved {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its name.
    pub name: Text<80>,
}

/// A combatant took a combat action (VE-10).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ActionTaken {
    /// The combatant.
    pub combatant: CombatantId,
    /// What it did, if that was said.
    pub action: Option<Text<200>>,
    /// Whether it was an attack.
    pub attack: bool,
    /// Whether it was a decisive attack.
    pub decisive: bool,
    /// Whether a Rush or Disengage leaves its move open.
    pub follow_up: bool,
    /// Whether it is an attack outside the attacker's turn, which takes no combat action (VE-10a).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reflexive: bool,
}

/// A combatant was attacked, hit or missed: its Onslaught rises (VE-30).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Attacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// Who was attacked.
    pub target: CombatantId,
    /// Its Onslaught now, which lowers its Defense.
    pub onslaught: u32,
}

/// A combatant opened a second combat action (VE-11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Flurried {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant made the reflexive move of its turn (VE-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Moved {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant delayed its turn (VE-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Delayed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant rose or fell on the track (VE-13), within -20 and 20 (VE-24).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct InitiativeChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The Initiative before.
    pub from: i64,
    /// The Initiative now.
    pub to: i64,
    /// Why.
    pub because: Cause,
}

/// A combatant is at 0 or less on the track and is Crashed, without recovery tokens (VE-23).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Crashed {
    /// The combatant.
    pub combatant: CombatantId,
    /// Who forced it, if anybody else did.
    pub by: Option<CombatantId>,
}

/// A combatant's Crash and its recovery tokens are gone, because it rose above 0 or the game master
/// said so (VE-23, VE-23a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct CrashEnded {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant crashed the combatant that had crashed it, and Joins Battle again (VE-31).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Shifted {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool, the dice and the successes that are added to its Initiative.
    pub roll: JoinRoll,
}

/// End of turn, step 2: a Crashed combatant gets recovery tokens (VE-20).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RecoveryTokensGained {
    /// The combatant.
    pub combatant: CombatantId,
    /// How many: 1, or 2 after a turn without an attack.
    pub gained: i64,
    /// How many it has now, at most 4.
    pub tokens: i64,
}

/// A combatant's motes changed: regained at the end of its turn, step 4 (VE-22), spent, or set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct MotesChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The motes before.
    pub from: i64,
    /// The motes now, at most its maximum.
    pub to: i64,
}

/// The timed changes of a combatant's Initiative began, counted down, or ended (VE-14a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TimedChangesSet {
    /// The combatant.
    pub combatant: CombatantId,
    /// All of them, as they are now.
    pub changes: Vec<TimedChange>,
}

/// The game master corrected the state of a combatant (VE-23b).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Corrected {
    /// The combatant.
    pub combatant: CombatantId,
    /// Its recovery tokens now, if they were set.
    pub recovery_tokens: Option<i64>,
    /// Its Onslaught now, if it was set.
    pub onslaught: Option<u32>,
    /// Whether it has acted in this round, if that was set.
    pub acted: Option<bool>,
}

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::Settled(_) => "The fight with {combatant} is settled: {loser} is defeated.",
            Self::JoinedBattle(_) => "{combatant} Joins Battle at Initiative {initiative}.",
            Self::FreeActionReached(_) => "{combatant} may take its free action.",
            Self::FreeActionTaken(_) => "{combatant} takes its free action: {action}.",
            Self::FreeActionPassed(_) => "{combatant} gives up its free action.",
            Self::TickReached(_) => "{tick}.",
            Self::StandstillReached(_) => "Nobody has Joined Battle.",
            Self::OnslaughtEnded(_) => "{combatant}'s Onslaught of {points} is over.",
            Self::FollowUpOffered(_) => "{combatant} may make the move that it has left.",
            Self::FollowUpTaken(_) => "{combatant} makes the move that it had left.",
            Self::FollowUpPassed(_) => "{combatant} gives up the move that it had left.",
            Self::Recovered(_) => "{combatant} recovers from its Crash at Initiative {to}.",
            Self::StartEffectDeclared(_) => {
                "{combatant} declares[ {effect}] for its turns' starts."
            }
            Self::StartEffectWithdrawn(_) => "{combatant} withdraws {name}.",
            Self::StartEffectResolved(_) => "{name} happens to {combatant}.",
            Self::ActionTaken(_) => "{combatant} takes a combat action[: {action}].",
            Self::Attacked(_) => "{combatant} attacks {target}, whose Onslaught is {onslaught}.",
            Self::Flurried(_) => "{combatant} opens a flurry.",
            Self::Moved(_) => "{combatant} makes its reflexive move.",
            Self::Delayed(_) => "{combatant} delays its turn.",
            Self::InitiativeChanged(_) => {
                "{combatant} goes from Initiative {from} to {to} ({because})."
            }
            Self::Crashed(_) => "{combatant} is Crashed[ by {by}].",
            Self::CrashEnded(_) => "{combatant} is no longer Crashed.",
            Self::Shifted(_) => "{combatant} shifts the fight and Joins Battle again.",
            Self::RecoveryTokensGained(_) => "{combatant} has {tokens} recovery tokens.",
            Self::MotesChanged(_) => "{combatant} goes from {from} to {to} motes.",
            Self::TimedChangesSet(_) => "{combatant}'s timed changes of Initiative are counted.",
            Self::Corrected(_) => "The game master corrects {combatant}.",
        };
        tell(sentence, self, names, out)
    }
}

/// Why a combatant rose or fell on the track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// End of turn, step 1: a turn without an attack (VE-19).
    NoAttack,
    /// End of turn, step 3: a flurry is paid (VE-21).
    Flurry,
    /// A cost (VE-25).
    Spent,
    /// It was attacked (VE-27).
    Attacked,
    /// It made an attack that costs Initiative, such as a killing blow (VE-27).
    OwnAttack,
    /// It forced an opponent into Crash (VE-26).
    CrashBonus,
    /// It went into Crash (VE-27).
    CrashLoss,
    /// It crashed the combatant that had crashed it (VE-31).
    Shift,
    /// Something at the start of its turn (VE-17).
    StartEffect,
    /// The game master moved it.
    Adjusted,
    /// Start of turn, step 1: a timed change ended (VE-14a).
    Expired,
}
