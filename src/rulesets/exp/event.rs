//! The events of EXP.

use super::{Component, Roll, Sequence, Use};
use crate::vocabulary::{CombatantId, D10, D20, Die, Text, events, words};

events! {
    /// An event of EXP.
    Event;

    /// A persona's player rolled for the next unit.
    "own_roll_given" => OwnRollGiven says "{combatant} rolls {roll} for initiative." {
        combatant: CombatantId,
        /// The d20.
        roll: D20,
        /// The d10s for ties.
        tie_rolls: Vec<D10>,
    }

    /// Everybody rolled initiative for a unit (EX-2); the first pass begins.
    "initiative_rolled" => InitiativeRolled says "Everybody rolled initiative: {ranking}." {
        /// The list, highest first (EX-5), without ties (EX-6).
        ranking: Vec<Roll>,
    }

    /// Another pass through the list begins at the top (EX-16).
    "pass_started" => PassStarted says "Pass {pass} begins." {
        /// Its number in the unit.
        pass: u32,
    }

    /// The list has come to a persona that can still do something (EX-13).
    "asked" => Asked says "{combatants} must answer." {
        /// The rank that is asked.
        rank: u32,
        /// Who is asked: one persona, or several of a crowd.
        combatants: Vec<CombatantId>,
    }

    /// A persona said what it will do (AEX13).
    "announced" => Announced says "{combatant} announces[ move {movement}][, act {act}][, {order}][: {action}]." {
        combatant: CombatantId,
        /// What is done with the move.
        #[serde(rename = "move")]
        movement: Option<Use>,
        /// What is done with the attack or action.
        act: Option<Use>,
        /// Which comes first.
        order: Option<Sequence>,
        /// In words.
        action: Option<Text<200>>,
    }

    /// A persona answered, and did what it does now.
    "declared" => Declared says "{combatant} declares[ move {movement}][, act {act}][, {order}]." {
        combatant: CombatantId,
        /// What is done with the move.
        #[serde(rename = "move")]
        movement: Option<Use>,
        /// What is done with the attack or action.
        act: Option<Use>,
        /// Which comes first.
        order: Option<Sequence>,
        /// Whether it was the lowest and had to spend all that it had left (EX-15).
        forced: bool,
    }

    /// A persona tried to jump ahead of a lower persona's act (EX-25).
    "wait_jumped" => WaitJumped says "{combatant} tries to jump ahead[ of {before}][{success} and succeeds][{!success} and fails]." {
        combatant: CombatantId,
        /// The waited components: used after a success (EX-27), still waited after a failure (EX-28).
        components: Vec<Component>,
        /// Whose act it precedes.
        before: Vec<CombatantId>,
        /// The d20 of the AWE roll.
        die: Die,
        /// AWE and level.
        bonus: i64,
        /// The referee's d20, with the option `opposed_d20`.
        referee_die: Option<Die>,
        /// Whether it succeeded.
        success: bool,
    }

    /// A persona lets the announced act go ahead (AEX15).
    "kept_waiting" => KeptWaiting says "{combatant} keeps waiting[{standing} until further notice]." {
        combatant: CombatantId,
        /// Whether it does so at all later acts, unasked (AEX16).
        standing: bool,
    }

    /// A persona is asked again whether it jumps, after a standing answer (AEX16).
    "asked_again" => AskedAgain says "{combatant} no longer keeps waiting unasked." { combatant: CombatantId }

    /// Two mental attackers rolled for the first attack (EX-32).
    "mental_duel_rolled" => MentalDuelRolled says "The mental attackers rolled: {duel}." {
        /// The two, the first attacker first.
        duel: Vec<Roll>,
    }

    /// A mental mutation attacked outside the list (EX-31).
    "mental_attacked" => MentalAttacked says "{combatant} attacks[ {target}] with its mind." {
        combatant: CombatantId,
        /// The target.
        target: Option<CombatantId>,
    }

    /// A persona lost for this unit what it had not used.
    "components_lost" => ComponentsLost says "{combatant} loses {components} for this unit ({because})." {
        combatant: CombatantId,
        /// What it lost.
        components: Vec<Component>,
        /// Why.
        #[schema(inline)]
        because: Loss,
    }

    /// A persona is out of the mental duel: one of the two declined, left, or can no longer attack with its mind, or the game
    /// master set whose turn it is.
    "duel_broken_off" => DuelBrokenOff says "{combatant} is out of the mental duel." { combatant: CombatantId }
}

words! {
    /// Why components were lost.
    Loss {
        /// It can no longer act: what waited is lost (EX-23).
        CannotAct,
        /// It could not act when the list came to it (AEX9).
        CouldNotAnswer,
        /// It joined during the unit and rolls for the next one (AEX11).
        JoinedLate,
    }
}
