//! The events of Venture.

use super::{JoinRoll, StartEffect, Tick, TimedChange};
use crate::vocabulary::{CombatantId, Text, tagged};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

tagged! {
    /// Something that happens under Venture alone.
    pub enum Event {
        "settled" => Settled,
        "joined_battle" => JoinedBattle,
        "free_action_reached" => FreeActionReached,
        "free_action_taken" => FreeActionTaken,
        "free_action_passed" => FreeActionPassed,
        "tick_reached" => TickReached,
        "standstill_reached" => StandstillReached,
        "onslaught_ended" => OnslaughtEnded,
        "follow_up_offered" => FollowUpOffered,
        "follow_up_taken" => FollowUpTaken,
        "follow_up_passed" => FollowUpPassed,
        "recovered" => Recovered,
        "start_effect_declared" => StartEffectDeclared,
        "start_effect_withdrawn" => StartEffectWithdrawn,
        "start_effect_resolved" => StartEffectResolved,
        "actions_refreshed" => ActionsRefreshed,
        "action_taken" => ActionTaken,
        "attacked" => Attacked,
        "flurried" => Flurried,
        "moved" => Moved,
        "delayed" => Delayed,
        "delay_lapsed" => DelayLapsed,
        "initiative_changed" => InitiativeChanged,
        "crashed" => Crashed,
        "crash_ended" => CrashEnded,
        "shifted" => Shifted,
        "recovery_tokens_gained" => RecoveryTokensGained,
        "motes_changed" => MotesChanged,
        "timed_changes_set" => TimedChangesSet,
        "corrected" => Corrected,
    }
}

/// One roll settled the fight with one who is no Worthy Foe (VE-1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Settled {
    /// The one who is no Worthy Foe.
    pub combatant: CombatantId,
    /// Who lost and is defeated.
    pub loser: CombatantId,
}

/// Somebody Joined Battle and has a place on the track (VE-5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JoinedBattle {
    /// Who.
    pub combatant: CombatantId,
    /// The pool, the dice and the successes.
    pub roll: JoinRoll,
    /// 3 and the successes, at most 20.
    pub initiative: i64,
    /// The motes that it has.
    pub motes: i64,
}

/// It is somebody's time for a free action (VE-7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeActionReached {
    /// Whose.
    pub combatant: CombatantId,
}

/// Somebody took its free action (VE-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeActionTaken {
    /// Who.
    pub combatant: CombatantId,
    /// What it did.
    pub action: Text<200>,
}

/// Somebody gave up its free action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeActionPassed {
    /// Who.
    pub combatant: CombatantId,
}

/// The next turn is somebody's, unless the track changes before it begins (VE-9, VE-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TickReached {
    /// Whose turn comes next, and on which tick.
    pub tick: Tick,
}

/// Nobody in the fight has Joined Battle: it waits for a newcomer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StandstillReached {}

/// Start of turn, step 1: Onslaught is over (VE-14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OnslaughtEnded {
    /// Whose.
    pub combatant: CombatantId,
    /// How much there was.
    pub points: u32,
}

/// Start of turn, step 2: the move from a Rush or Disengage can be made now (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FollowUpOffered {
    /// Who may move.
    pub combatant: CombatantId,
}

/// The move from a Rush or Disengage was made (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FollowUpTaken {
    /// Who moved.
    pub combatant: CombatantId,
}

/// The move from a Rush or Disengage was given up (VE-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FollowUpPassed {
    /// Who.
    pub combatant: CombatantId,
}

/// Start of turn, step 3: recovery tokens bought the way out of Crash (VE-16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Recovered {
    /// Who.
    pub combatant: CombatantId,
    /// The tokens that are gone: all of them (AVE8).
    pub tokens_spent: i64,
    /// The Initiative before.
    pub from: i64,
    /// The Initiative now: 3, wherever it was (AVE11).
    pub to: i64,
}

/// Something will happen at the start of each turn of a combatant (VE-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StartEffectDeclared {
    /// Whose turns.
    pub combatant: CombatantId,
    /// What happens.
    pub effect: StartEffect,
}

/// Something happens no more at the start of turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StartEffectWithdrawn {
    /// Whose turns.
    pub combatant: CombatantId,
    /// Its name.
    pub name: Text<80>,
}

/// Start of turn, step 4: something happens; changes of Initiative and motes follow as events of their own (VE-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StartEffectResolved {
    /// Whose turn.
    pub combatant: CombatantId,
    /// Its name.
    pub name: Text<80>,
}

/// Start of turn, step 5: the combat action and the reflexive move are there again, and the turn goes on (VE-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionsRefreshed {
    /// Whose turn.
    pub combatant: CombatantId,
}

/// Somebody took a combat action (VE-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionTaken {
    /// Who.
    pub combatant: CombatantId,
    /// What it did, where that was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Text<200>>,
    /// Whether it was an attack.
    pub attack: bool,
    /// Whether it was a decisive attack.
    pub decisive: bool,
    /// Whether a move is still owed to it, after a Rush or Disengage.
    pub follow_up: bool,
    /// Whether it is an attack outside the own turn, which takes no combat action (AVE16).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reflexive: bool,
}

/// Somebody was attacked, hit or missed: its Onslaught rises (VE-30).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Attacked {
    /// Who attacked.
    pub combatant: CombatantId,
    /// Who was attacked.
    pub target: CombatantId,
    /// Its Onslaught now: so much is off its Defense.
    pub onslaught: u32,
}

/// Somebody flurries: a second combat action is open (VE-11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Flurried {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody made the reflexive move of its turn (VE-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Moved {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody holds its action back (VE-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delayed {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody who held its action back holds it no more: it is out of the fight, or the game master said that it has acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DelayLapsed {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody rose or fell on the track (VE-13), within -20 and 20 (VE-24).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InitiativeChanged {
    /// Who.
    pub combatant: CombatantId,
    /// The Initiative before.
    pub from: i64,
    /// The Initiative now.
    pub to: i64,
    /// Why.
    pub because: Cause,
}

/// Why somebody rose or fell on the track.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// End of turn, step 1: a turn without an attack (VE-19).
    NoAttack,
    /// End of turn, step 3: a flurry is paid (VE-21).
    Flurry,
    /// A cost was paid (VE-25).
    Spent,
    /// It was attacked (VE-27).
    Attacked,
    /// It made an attack that costs Initiative, such as a killing blow (VE-27).
    OwnAttack,
    /// It forced an opponent into Crash (VE-26).
    CrashBonus,
    /// It went into Crash (VE-27).
    CrashLoss,
    /// It crashed the one who had crashed it (VE-31).
    Shift,
    /// Something at the start of its turn (VE-17).
    StartEffect,
    /// The game master moved it.
    Adjusted,
    /// Start of turn, step 1: a timed change is taken back (AVE18).
    Expired,
}

/// Somebody is at 0 or less on the track and is Crashed, without recovery tokens (VE-23).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Crashed {
    /// Who.
    pub combatant: CombatantId,
    /// Who forced it, where somebody else did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<CombatantId>,
}

/// Somebody rose above 0 on the track and is Crashed no more; its recovery tokens are gone (VE-23, AVE12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CrashEnded {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody crashed the one who had crashed it and Joins Battle anew (VE-31).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Shifted {
    /// Who.
    pub combatant: CombatantId,
    /// The pool, the dice and the successes that are added to its Initiative.
    pub roll: JoinRoll,
}

/// End of turn, step 2: one who is Crashed gets recovery tokens (VE-20).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecoveryTokensGained {
    /// Who.
    pub combatant: CombatantId,
    /// How many: 1, or 2 after a turn without an attack.
    pub gained: i64,
    /// How many it has now, at most 4.
    pub tokens: i64,
}

/// Somebody's motes changed: regained at the end of its turn, step 4 (VE-22), spent, or set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MotesChanged {
    /// Who.
    pub combatant: CombatantId,
    /// The motes before.
    pub from: i64,
    /// The motes now, at most its maximum.
    pub to: i64,
}

/// The timed changes of somebody's Initiative began, counted down, or ended (AVE18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TimedChangesSet {
    /// Whose.
    pub combatant: CombatantId,
    /// All of them, as they are now.
    pub changes: Vec<TimedChange>,
}

/// The game master corrected what is kept about somebody (AVE19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Corrected {
    /// Who.
    pub combatant: CombatantId,
    /// Its recovery tokens now, where they were set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_tokens: Option<i64>,
    /// Its Onslaught now, where it was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onslaught: Option<u32>,
    /// Whether it has acted in this round, where that was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acted: Option<bool>,
}
