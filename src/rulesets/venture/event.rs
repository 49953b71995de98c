//! The events of Venture.

use super::{JoinRoll, StartEffect, TimedChange};
use crate::vocabulary::{CombatantId, Text, event, events, word};

/// An event of Venture.
#[events]
pub enum Event {
    Settled,
    JoinedBattle,
    FreeActionReached,
    FreeActionTaken,
    Passed,
    TickReached,
    StandstillReached,
    OnslaughtEnded,
    FollowUpOffered,
    FollowUpTaken,
    Recovered,
    StartEffectDeclared,
    StartEffectWithdrawn,
    StartEffectResolved,
    ActionTaken,
    Attacked,
    Flurried,
    Moved,
    Delayed,
    DelayLapsed,
    Returned,
    InitiativeChanged,
    Crashed,
    CrashEnded,
    Shifted,
    RecoveryTokensGained,
    MotesChanged,
    TimedChangesSet,
    Corrected,
}

/// The fight with a combatant that is no Worthy Foe was settled with one roll (VE-1).
#[event("The fight with {combatant} is settled: {loser} {loser:loses|lose}.")]
pub struct Settled {
    /// The combatant that is no Worthy Foe.
    pub combatant: CombatantId,
    /// The combatant that lost and is defeated.
    pub loser: CombatantId,
}

/// A combatant Joined Battle and has a place on the track (VE-5).
#[event("{combatant} {combatant:joins|join} battle at Initiative {initiative}.")]
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
#[event("{combatant} may take the free action.")]
pub struct FreeActionReached {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant took its free action (VE-6).
#[event("{combatant} {combatant:takes|take} the free action: {action}.")]
pub struct FreeActionTaken {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Text<200>,
}

/// A combatant gave up its free action (VE-6), or the move left over from a Rush or Disengage
/// (VE-15).
#[event(
    "{combatant} {combatant:gives|give} up [{follow_up}the leftover move][{!follow_up}the free action]."
)]
pub struct Passed {
    /// The combatant.
    pub combatant: CombatantId,
    /// True if it gave up the leftover move, not the free action.
    pub follow_up: bool,
}

/// A combatant is next, unless the track changes before its turn starts (VE-9, VE-13).
#[event("{combatant} {combatant:acts|act} next, at Initiative {tick}.")]
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
#[event("The fight waits for a combatant to join battle.")]
pub struct StandstillReached {}

/// Start of turn, step 1: Onslaught ends (VE-14).
#[event("{combatant}'s Onslaught of {points} ends.")]
pub struct OnslaughtEnded {
    /// The combatant.
    pub combatant: CombatantId,
    /// The points of Onslaught.
    pub points: u32,
}

/// Start of turn, step 2: a combatant may make the move left over from a Rush or Disengage (VE-15).
#[event("{combatant} may make the leftover move.")]
pub struct FollowUpOffered {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant made the move left over from a Rush or Disengage (VE-15).
#[event("{combatant} {combatant:makes|make} the leftover move.")]
pub struct FollowUpTaken {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Start of turn, step 3: recovery tokens ended the Crash (VE-16).
#[event("{combatant} {combatant:recovers|recover} from Crash at Initiative {to}.")]
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
#[event(
    "{combatant} {combatant:starts|start} {start_effect}, which applies at the start of each turn."
)]
pub struct StartEffectDeclared {
    /// The combatant.
    pub combatant: CombatantId,
    /// The effect.
    pub start_effect: StartEffect,
}

/// An effect that was declared for the start of turns ended.
#[event("{combatant} {combatant:ends|end} {name}.")]
pub struct StartEffectWithdrawn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect.
    pub name: Text<80>,
}

/// Start of turn, step 4: a declared effect applies; its changes follow as events (VE-17).
#[event("{name} applies to {combatant}.")]
pub struct StartEffectResolved {
    /// The combatant.
    pub combatant: CombatantId,
    /// The name of the effect.
    pub name: Text<80>,
}

/// A combatant took a combat action (VE-10).
#[event(
    "[{!reflexive}{combatant} {combatant:takes|take} a combat action]\
     [{reflexive}{combatant} {combatant:attacks|attack} outside the turn][: {action}]."
)]
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
#[event("{combatant} {combatant:attacks|attack} {target}, whose Onslaught is {onslaught}.")]
pub struct Attacked {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that was attacked.
    pub target: CombatantId,
    /// The target's Onslaught after that, which lowers its Defense.
    pub onslaught: u32,
}

/// A combatant started a flurry, for a second combat action (VE-11).
#[event("{combatant} {combatant:starts|start} a flurry.")]
pub struct Flurried {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant made the reflexive move of its turn (VE-10).
#[event("{combatant} {combatant:moves|move}.")]
pub struct Moved {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant delayed its turn (VE-12).
#[event("{combatant} {combatant:delays|delay} the turn.")]
pub struct Delayed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant that delays fell out of the fight and lost the turn (VE-12).
#[event("{combatant} {combatant:loses|lose} the delayed turn.")]
pub struct DelayLapsed {
    /// The combatant.
    pub combatant: CombatantId,
}

/// A combatant takes its delayed turn (VE-12).
#[event("{combatant} {combatant:takes|take} the delayed turn.")]
pub struct Returned {
    /// The combatant.
    pub combatant: CombatantId,
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

/// End of turn, step 2: a Crashed combatant gets recovery tokens (VE-20).
#[event(
    "{combatant} {combatant:has|have} {recovery_tokens} recovery {recovery_tokens:token|tokens}."
)]
pub struct RecoveryTokensGained {
    /// The combatant.
    pub combatant: CombatantId,
    /// The number gained: 1, or 2 after a turn without an attack.
    pub gained: i64,
    /// Its recovery tokens after that, at most 4.
    pub recovery_tokens: i64,
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
