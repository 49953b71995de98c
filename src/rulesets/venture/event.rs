//! The events of Venture.

use super::{JoinRoll, StartEffect, Tick, TimedChange};
use crate::vocabulary::{CombatantId, Text, events, words};

events! {
    /// An event of Venture.
    Event;

    /// One roll settled the fight with a combatant that is no Worthy Foe (VE-1).
    "settled" => Settled says "The fight with {combatant} is settled: {loser} is defeated." {
        /// The combatant that is no Worthy Foe.
        combatant: CombatantId,
        /// Who lost and is defeated.
        loser: CombatantId,
    }

    /// A combatant Joined Battle and has a place on the track (VE-5).
    "joined_battle" => JoinedBattle says "{combatant} Joins Battle at Initiative {initiative}." {
        combatant: CombatantId,
        /// The pool, the dice and the successes.
        roll: JoinRoll,
        /// 3 and the successes, at most 20.
        initiative: i64,
        /// Its motes.
        motes: i64,
    }

    /// A combatant's free action is next (VE-7).
    "free_action_reached" => FreeActionReached says "{combatant} may take its free action." { combatant: CombatantId }

    /// A combatant took its free action (VE-6).
    "free_action_taken" => FreeActionTaken says "{combatant} takes its free action: {action}." {
        combatant: CombatantId,
        /// What it did.
        action: Text<200>,
    }

    /// A combatant gave up its free action.
    "free_action_passed" => FreeActionPassed says "{combatant} gives up its free action." { combatant: CombatantId }

    /// A combatant is next, unless the track changes before its turn begins (VE-9, VE-13).
    "tick_reached" => TickReached says "{tick}." {
        /// Whose turn comes next, and on which tick.
        tick: Tick,
    }

    /// Nobody in the fight has Joined Battle; a newcomer must.
    "standstill_reached" => StandstillReached says "Nobody has Joined Battle." {}

    /// Start of turn, step 1: Onslaught is over (VE-14).
    "onslaught_ended" => OnslaughtEnded says "{combatant}'s Onslaught of {points} is over." {
        combatant: CombatantId,
        /// Its points.
        points: u32,
    }

    /// Start of turn, step 2: the move left from a Rush or Disengage can be made now (VE-15).
    "follow_up_offered" => FollowUpOffered says "{combatant} may make the move that it has left." { combatant: CombatantId }

    /// The move from a Rush or Disengage was made (VE-15).
    "follow_up_taken" => FollowUpTaken says "{combatant} makes the move that it had left." { combatant: CombatantId }

    /// The move from a Rush or Disengage was given up (VE-15).
    "follow_up_passed" => FollowUpPassed says "{combatant} gives up the move that it had left." { combatant: CombatantId }

    /// Start of turn, step 3: recovery tokens ended the Crash (VE-16).
    "recovered" => Recovered says "{combatant} recovers from its Crash at Initiative {to}." {
        combatant: CombatantId,
        /// The spent tokens: all of them (AVE8).
        tokens_spent: i64,
        /// The Initiative before.
        from: i64,
        /// The Initiative now: 3, wherever it was (AVE11).
        to: i64,
    }

    /// Something was declared for the start of each turn of a combatant (VE-17).
    "start_effect_declared" => StartEffectDeclared says "{combatant} declares[ {effect}] for its turns' starts." {
        combatant: CombatantId,
        /// What happens.
        effect: StartEffect,
    }

    /// Something that was declared for the start of turns ended.
    "start_effect_withdrawn" => StartEffectWithdrawn says "{combatant} withdraws {name}." {
        combatant: CombatantId,
        /// Its name.
        name: Text<80>,
    }

    /// Start of turn, step 4: something that was declared happens; its changes follow as events (VE-17).
    "start_effect_resolved" => StartEffectResolved says "{name} happens to {combatant}." {
        combatant: CombatantId,
        /// Its name.
        name: Text<80>,
    }

    /// A combatant took a combat action (VE-10).
    "action_taken" => ActionTaken says "{combatant} takes a combat action[: {action}]." {
        combatant: CombatantId,
        /// What it did, if that was said.
        action: Option<Text<200>>,
        /// Whether it was an attack.
        attack: bool,
        /// Whether it was a decisive attack.
        decisive: bool,
        /// Whether a Rush or Disengage leaves its move open.
        follow_up: bool,
        /// Whether it is an attack outside the attacker's turn, which takes no combat action (AVE16).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        reflexive: bool,
    }

    /// A combatant was attacked, hit or missed: its Onslaught rises (VE-30).
    "attacked" => Attacked says "{combatant} attacks {target}, whose Onslaught is {onslaught}." {
        combatant: CombatantId,
        /// Who was attacked.
        target: CombatantId,
        /// Its Onslaught now, which lowers its Defense.
        onslaught: u32,
    }

    /// A combatant opened a second combat action (VE-11).
    "flurried" => Flurried says "{combatant} opens a flurry." { combatant: CombatantId }

    /// A combatant made the reflexive move of its turn (VE-10).
    "moved" => Moved says "{combatant} makes its reflexive move." { combatant: CombatantId }

    /// A combatant delayed its turn (VE-12).
    "delayed" => Delayed says "{combatant} delays its turn." { combatant: CombatantId }

    /// A combatant rose or fell on the track (VE-13), within -20 and 20 (VE-24).
    "initiative_changed" => InitiativeChanged says "{combatant} goes from Initiative {from} to {to} ({because})." {
        combatant: CombatantId,
        /// The Initiative before.
        from: i64,
        /// The Initiative now.
        to: i64,
        /// Why.
        because: Cause,
    }

    /// A combatant is at 0 or less on the track and is Crashed, without recovery tokens (VE-23).
    "crashed" => Crashed says "{combatant} is Crashed[ by {by}]." {
        combatant: CombatantId,
        /// Who forced it, if anybody else did.
        by: Option<CombatantId>,
    }

    /// A combatant's Crash and its recovery tokens are gone, because it rose above 0 or the game master said so (VE-23, AVE12).
    "crash_ended" => CrashEnded says "{combatant} is no longer Crashed." { combatant: CombatantId }

    /// A combatant crashed the combatant that had crashed it, and Joins Battle again (VE-31).
    "shifted" => Shifted says "{combatant} shifts the fight and Joins Battle again." {
        combatant: CombatantId,
        /// The pool, the dice and the successes that are added to its Initiative.
        roll: JoinRoll,
    }

    /// End of turn, step 2: a Crashed combatant gets recovery tokens (VE-20).
    "recovery_tokens_gained" => RecoveryTokensGained says "{combatant} has {tokens} recovery tokens." {
        combatant: CombatantId,
        /// How many: 1, or 2 after a turn without an attack.
        gained: i64,
        /// How many it has now, at most 4.
        tokens: i64,
    }

    /// A combatant's motes changed: regained at the end of its turn, step 4 (VE-22), spent, or set.
    "motes_changed" => MotesChanged says "{combatant} goes from {from} to {to} motes." {
        combatant: CombatantId,
        /// The motes before.
        from: i64,
        /// The motes now, at most its maximum.
        to: i64,
    }

    /// The timed changes of a combatant's Initiative began, counted down, or ended (AVE18).
    "timed_changes_set" => TimedChangesSet says "{combatant}'s timed changes of Initiative are counted." {
        combatant: CombatantId,
        /// All of them, as they are now.
        changes: Vec<TimedChange>,
    }

    /// The game master corrected the state of a combatant (AVE19).
    "corrected" => Corrected says "The game master corrects {combatant}." {
        combatant: CombatantId,
        /// Its recovery tokens now, if they were set.
        recovery_tokens: Option<i64>,
        /// Its Onslaught now, if it was set.
        onslaught: Option<u32>,
        /// Whether it has acted in this round, if that was set.
        acted: Option<bool>,
    }
}

words! {
    /// Why a combatant rose or fell on the track.
    Cause {
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
        /// Start of turn, step 1: a timed change ended (AVE18).
        Expired,
    }
}
