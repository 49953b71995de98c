//! The events of Venture.

use super::{JoinRoll, StartEffect, TimedChange};
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
    #[serde(rename = "passed")]
    Passed(Passed),
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
    #[serde(rename = "delay_lapsed")]
    DelayLapsed(DelayLapsed),
    #[serde(rename = "returned")]
    Returned(Returned),
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

/// The fight with a combatant that is no Worthy Foe was settled with one roll (VE-1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Settled {
    /// The combatant that is no Worthy Foe.
    pub combatant: CombatantId,
    /// The combatant that lost and is defeated.
    pub loser: CombatantId,
}

/// A combatant Joined Battle and has a place on the track (VE-5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct JoinedBattle {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool, the dice and the successes.
    pub join_battle: JoinRoll,
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
    /// The action.
    pub action: Text<200>,
}

/// A combatant gave up its free action (VE-6), or the move left over from a Rush or Disengage
/// (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if it gave up the leftover move, not the free action.
    pub follow_up: bool,
}

/// A combatant is next, unless the track changes before its turn starts (VE-9, VE-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TickReached {
    /// The combatant that acts next.
    pub combatant: CombatantId,
    /// Its Initiative.
    pub tick: i64,
    /// True if others that have not acted are on the same tick (VE-9a). Hidden combatants do not
    /// count.
    pub same_tick: bool,
    /// True if it has delayed and every other turn of the round is over (VE-12a).
    pub delayed: bool,
}

/// No combatant in the fight has Joined Battle; a newcomer must.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StandstillReached {}

/// Start of turn, step 1: Onslaught ends (VE-14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct OnslaughtEnded {
    /// The combatant.
    pub combatant: CombatantId,
    /// The points of Onslaught.
    pub points: u32,
}

/// Start of turn, step 2: a combatant may make the move left over from a Rush or Disengage (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FollowUpOffered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant made the move left over from a Rush or Disengage (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct FollowUpTaken {
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
    /// The Initiative after that: 3, whatever it was before (VE-16b).
    pub to: i64,
}

/// A combatant declared an effect for the start of each of its turns (VE-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StartEffectDeclared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The effect.
    pub start_effect: StartEffect,
}

/// An effect that was declared for the start of turns ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StartEffectWithdrawn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect.
    pub name: Text<80>,
}

/// Start of turn, step 4: a declared effect applies; its changes follow as events (VE-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct StartEffectResolved {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect.
    pub name: Text<80>,
}

/// A combatant took a combat action (VE-10).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct ActionTaken {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action, if the command said it.
    pub action: Option<Text<200>>,
    /// True if it was an attack.
    pub attack: bool,
    /// True if it was a decisive attack.
    pub decisive: bool,
    /// True if a Rush or Disengage leaves a move over.
    pub follow_up: bool,
    /// True if it is an attack outside the attacker's turn, which takes no combat action (VE-10a).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reflexive: bool,
}

/// A combatant was attacked, hit or missed: its Onslaught rises (VE-30).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Attacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that was attacked.
    pub target: CombatantId,
    /// The target's Onslaught after that, which lowers its Defense.
    pub onslaught: u32,
}

/// A combatant started a flurry, for a second combat action (VE-11).
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

/// A combatant that delays fell out of the fight and lost the turn (VE-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct DelayLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant takes its delayed turn (VE-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Returned {
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
    /// The Initiative after that.
    pub to: i64,
    /// The cause.
    pub cause: Cause,
}

/// A combatant is at 0 or less on the track and is Crashed, without recovery tokens (VE-23).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct Crashed {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that forced the Crash, if another one did.
    pub crashed_by: Option<CombatantId>,
}

/// A combatant's Crash ended and its recovery tokens are lost, because it rose above 0 or the game
/// master decided so (VE-23, VE-23a).
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
    pub join_battle: JoinRoll,
}

/// End of turn, step 2: a Crashed combatant gets recovery tokens (VE-20).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct RecoveryTokensGained {
    /// The combatant.
    pub combatant: CombatantId,
    /// The number gained: 1, or 2 after a turn without an attack.
    pub gained: i64,
    /// Its recovery tokens after that, at most 4.
    pub recovery_tokens: i64,
}

/// A combatant's motes changed: regained at the end of its turn, step 4 (VE-22), spent, or set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct MotesChanged {
    /// The combatant.
    pub combatant: CombatantId,
    /// The motes before.
    pub from: i64,
    /// The motes after that, at most its maximum.
    pub to: i64,
}

/// The timed changes of a combatant's Initiative began, counted down, or ended (VE-14a).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
pub struct TimedChangesSet {
    /// The combatant.
    pub combatant: CombatantId,
    /// All timed changes after that.
    pub timed_changes: Vec<TimedChange>,
}

/// The game master corrected the state of a combatant (VE-23b).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Redact!, Tellable!)]
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

/// The sentence that tells each event.
impl Describe for Event {
    fn describe(&self, names: &dyn Names, out: &mut String) -> bool {
        let sentence = match self {
            Self::Settled(_) => {
                "The fight with {combatant} is settled: {loser} {loser:loses|lose}."
            }
            Self::JoinedBattle(_) => {
                "{combatant} {combatant:joins|join} battle at Initiative {initiative}."
            }
            Self::FreeActionReached(_) => "{combatant} may take the free action.",
            Self::FreeActionTaken(_) => {
                "{combatant} {combatant:takes|take} the free action: {action}."
            }
            Self::Passed(_) => {
                "{combatant} {combatant:gives|give} up [{follow_up}the leftover move][{!follow_up}the free action]."
            }
            Self::TickReached(_) => "{combatant} {combatant:acts|act} next, at Initiative {tick}.",
            Self::StandstillReached(_) => "The fight waits for a combatant to join battle.",
            Self::OnslaughtEnded(_) => "{combatant}'s Onslaught of {points} ends.",
            Self::FollowUpOffered(_) => "{combatant} may make the leftover move.",
            Self::FollowUpTaken(_) => "{combatant} {combatant:makes|make} the leftover move.",
            Self::Recovered(_) => {
                "{combatant} {combatant:recovers|recover} from Crash at Initiative {to}."
            }
            Self::StartEffectDeclared(_) => {
                "{combatant} {combatant:starts|start} {start_effect}, which applies at the start of each turn."
            }
            Self::StartEffectWithdrawn(_) => "{combatant} {combatant:ends|end} {name}.",
            Self::StartEffectResolved(_) => "{name} applies to {combatant}.",
            Self::ActionTaken(_) => {
                "[{!reflexive}{combatant} {combatant:takes|take} a combat action]\
                 [{reflexive}{combatant} {combatant:attacks|attack} outside the turn][: {action}]."
            }
            Self::Attacked(_) => {
                "{combatant} {combatant:attacks|attack} {target}, whose Onslaught is {onslaught}."
            }
            Self::Flurried(_) => "{combatant} {combatant:starts|start} a flurry.",
            Self::Moved(_) => "{combatant} {combatant:moves|move}.",
            Self::Delayed(_) => "{combatant} {combatant:delays|delay} the turn.",
            Self::DelayLapsed(_) => "{combatant} {combatant:loses|lose} the delayed turn.",
            Self::Returned(_) => "{combatant} {combatant:takes|take} the delayed turn.",
            Self::InitiativeChanged(_) => {
                "{combatant} {combatant:goes|go} from Initiative {from} to {to} \
                 [{cause=no attack}for a turn without an attack][{cause=flurry}for the flurry]\
                 [{cause=spent}as a cost][{cause=attacked}by being attacked]\
                 [{cause=own attack}as the cost of an attack]\
                 [{cause=crash bonus}for crashing an opponent][{cause=crash loss}by the Crash]\
                 [{cause=shift}by the shift][{cause=start effect}by a start-of-turn effect]\
                 [{cause=adjusted}by the game master][{cause=expired}as a timed change ends]."
            }
            Self::Crashed(_) => {
                "[{crashed_by} {crashed_by:crashes|crash} {combatant}.][{!crashed_by}{combatant} {combatant:crashes|crash}.]"
            }
            Self::CrashEnded(_) => "{combatant} {combatant:recovers|recover} from Crash.",
            Self::Shifted(_) => {
                "{combatant} {combatant:shifts|shift} the fight and {combatant:joins|join} battle again."
            }
            Self::RecoveryTokensGained(_) => {
                "{combatant} {combatant:has|have} {recovery_tokens} recovery {recovery_tokens:token|tokens}."
            }
            Self::MotesChanged(_) => "{combatant} {combatant:goes|go} from {from} to {to} motes.",
            Self::TimedChangesSet(_) => {
                "[Initiative changes of {combatant} that will end: {timed_changes}.]\
                 [{!timed_changes}No Initiative change of {combatant} will end.]"
            }
            Self::Corrected(_) => {
                "The game master corrects {combatant}.[ Recovery tokens: {recovery_tokens}.]\
                 [ Onslaught: {onslaught}.]"
            }
        };
        tell(sentence, self, names, out)
    }
}

/// The cause of a rise or fall on the track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
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
