//! The commands of EXP.

use super::Component;
use crate::vocabulary::{CombatantId, D10, D20, Text, commands, words};
use std::collections::BTreeMap;

commands! {
    /// A command of EXP.
    Command;

    /// Begin the fight: everybody rolls initiative for the first unit (EX-2).
    "start" (Gm) => Start says "Start the fight" {
        /// The d20s rolled at the table, in place of those of `roll_initiative`; the server rolls the others.
        rolls: BTreeMap<CombatantId, D20>,
        /// The d10s rolled at the table for ties; the server rolls the others.
        tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
    }

    /// Give the d20 that a persona's player rolled for the next unit, before `start` or `roll_unit`. A later roll replaces it.
    "roll_initiative" (Player: combatant) => RollInitiative says "Roll initiative for {combatant}" {
        combatant: CombatantId,
        /// The d20.
        roll: D20,
        /// The d10s for ties: at most 16, used in their order; the server rolls the others.
        tie_rolls: Vec<D10>,
    }

    /// Begin the next unit: everybody rolls initiative again (EX-3).
    "roll_unit" (Player) => RollUnit says "Roll the next unit" {
        /// The d20s rolled at the table, in place of those of `roll_initiative`; the server rolls the others.
        rolls: BTreeMap<CombatantId, D20>,
        /// The d10s rolled at the table for ties; the server rolls the others.
        tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
    }

    /// Answer as a persona that is asked; what it does now happens (EX-14, EX-15).
    "declare" (Player: combatant) => Declare says "Declare as {combatant}[: move {move}][, act {act}][, {order}]" {
        combatant: CombatantId,
        /// What to do with the move; left out if the move is spent.
        #[serde(rename = "move")]
        movement: Option<Use>,
        /// What to do with the attack or action; left out if it is spent.
        act: Option<Use>,
        /// Which comes first, if both happen now.
        order: Option<Sequence>,
    }

    /// Say what a persona that is asked will declare, so that others may jump ahead of it (AEX13).
    "announce" (Player: combatant) => Announce says "Announce as {combatant}[: move {move}][, act {act}][, {order}]" {
        combatant: CombatantId,
        /// What to do with the move; left out if the move is spent.
        #[serde(rename = "move")]
        movement: Option<Use>,
        /// What to do with the attack or action; left out if it is spent.
        act: Option<Use>,
        /// Which comes first, if both happen now.
        order: Option<Sequence>,
        /// In words: whom it shoots, where it runs.
        text: Option<Text<200>>,
    }

    /// Try a wait jump: use a waited component ahead of the lower persona that is asked (EX-25).
    "jump" (Player: combatant) => Jump says "Jump ahead with {combatant}[: {component}]" {
        combatant: CombatantId,
        /// Which waited component it uses (EX-29). Left out where the option `jump_both` is on, it uses both.
        component: Option<Component>,
        /// The d20 of its AWE roll, if rolled at the table.
        roll: Option<D20>,
        /// The referee's d20, if rolled at the table; only with `awe_mode` `opposed_d20`.
        referee_roll: Option<D20>,
    }

    /// Let the announced act go ahead and keep waiting, with the option `jump_window` (AEX15).
    "keep_waiting" (Player: combatant) => KeepWaiting says "Keep waiting with {combatant}[{standing} until further notice]" {
        combatant: CombatantId,
        /// Whether it keeps waiting at all later acts too, unasked, until `ask_again` (AEX16).
        standing: bool = false,
    }

    /// End a standing `keep_waiting`: the persona is asked again whether it jumps (AEX16).
    "ask_again" (Player: combatant) => AskAgain says "Ask again whether {combatant} jumps" { combatant: CombatantId }

    /// Go on: personas that have not jumped by now keep waiting (AEX15).
    "close_jumps" (Gm) => CloseJumps says "Let nobody else jump ahead" {}

    /// Attack with a mental mutation, at any moment of the unit and outside the list (EX-31, AEX8).
    "mental_attack" (Player: combatant) => MentalAttack says "Attack with {combatant}'s mind" {
        combatant: CombatantId,
        /// The target.
        target: Option<CombatantId>,
    }

    /// Roll for two mental attackers who face each other: the higher attacks first (EX-32).
    "mental_duel" (Gm) => MentalDuel says "Roll a mental duel[ of {combatant}][ and {opponent}]" {
        /// One of them.
        combatant: CombatantId,
        /// The other.
        opponent: CombatantId,
        /// The d20s rolled at the table; the server rolls the others.
        rolls: BTreeMap<CombatantId, D20>,
        /// The d10s rolled at the table for a tie; the server rolls the others.
        tie_rolls: BTreeMap<CombatantId, Vec<D10>>,
    }

    /// Decline a mental duel: the duellist keeps its attack, and the duel ends (AEX14).
    "decline_duel" (Player: combatant) => DeclineDuel says "Decline the duel as {combatant}" { combatant: CombatantId }
}

/// The d20s rolled at the table, by persona or crowd.
pub type Rolls = BTreeMap<CombatantId, D20>;
/// The d10s rolled at the table for ties, by persona or crowd: at most 16 each, used in their order.
pub type TieRolls = BTreeMap<CombatantId, Vec<D10>>;

words! {
    /// What to do with a component now.
    Use {
        /// Use it now.
        Now,
        /// Wait with it; not open to the lowest persona (EX-15).
        Wait,
        /// Let it go unused: stay put, hold fire (AEX2).
        Nothing,
    }

    /// Which of two components comes first (EX-20).
    Sequence {
        /// Move, then act.
        MoveFirst,
        /// Act, then move.
        ActFirst,
    }
}
