//! The commands of Active Initiative.

use super::Means;
use crate::vocabulary::{CombatantId, D20, Text, commands};
use std::collections::BTreeMap;

commands! {
    /// A command of Active Initiative.
    Command;

    /// Begin the scene: `first`, who triggered it, takes the first turn (AI-2), else the highest roll does (AI-3).
    "start" (Gm) => Start says "Start the scene[ with {first}]" {
        /// Who triggered the scene: a combatant, a group or a hazard (AI-6).
        first: Option<CombatantId>,
        /// The d20 of each combatant that rolled at the table, where nobody triggered it, in place of its `roll_initiative`; the server
        /// rolls the others.
        rolls: BTreeMap<CombatantId, D20>,
    }

    /// Give the d20 that a combatant's player rolled, before a `start` without `first` (AI-3). A later roll replaces it.
    "roll_initiative" (Player: combatant) => RollInitiative says "Roll initiative for {combatant}" {
        combatant: CombatantId,
        /// The d20.
        roll: D20,
    }

    /// End a turn. With `next`, name the next combatant too (AI-7); with `begin`, its turn begins.
    "end_turn" (Player: combatant) => EndTurn says "End {combatant}'s turn[ and name {next}][{begin} and begin the next][{begin_unopposed}, to begin at once]" {
        combatant: CombatantId,
        /// A combatant that has not acted this round (AI-8), or the first of the next round (AI-41).
        next: Option<CombatantId>,
        /// Whether nobody wants to interrupt, so that the turn of `next` begins at once. A player needs the right to both combatants.
        begin: bool = false,
        /// Whether the turn of `next` begins at once if nobody could interrupt (AAI15).
        begin_unopposed: bool = false,
    }

    /// Name the next combatant, if the turn ended without a name or the named one is gone.
    "nominate" (Player: combatant) => Nominate says "Name the next to act[ as {combatant}][{begin} and begin the turn][{begin_unopposed}, to begin at once]" {
        /// Who names: the one who took the last turn. The game master leaves it out where that one has left the encounter.
        combatant: Option<CombatantId>,
        /// Who is named.
        next: CombatantId,
        /// Whether nobody wants to interrupt, so that the turn of `next` begins at once. A player needs the right to both combatants.
        begin: bool = false,
        /// Whether the turn of `next` begins at once if nobody could interrupt (AAI15).
        begin_unopposed: bool = false,
    }

    /// Begin the turn of the named combatant; nobody can interrupt any more (AI-24).
    "begin_turn" (Player: combatant) => BeginTurn says "Begin {combatant}'s turn" { combatant: CombatantId }

    /// Steal the next turn from the named combatant (AI-22).
    "interrupt" (Player: combatant) => Interrupt says "Interrupt as {combatant}" {
        combatant: CombatantId,
        /// What pays for it.
        means: Means,
    }

    /// Ready an action in your own turn; the place in the round stays (AI-12).
    "ready" (Player: combatant) => Ready says "Ready an action as {combatant}" {
        combatant: CombatantId,
        /// What will be done.
        action: Text<200>,
        /// What it waits for.
        trigger: Text<200>,
    }

    /// Carry out a readied action; it does not change who names the next combatant (AI-13).
    "fire" (Player: combatant) => Fire says "Carry out {combatant}'s readied action" { combatant: CombatantId }

    /// Give an inspiration point to a combatant, which holds at most three (AI-28).
    "inspire" (Gm) => Inspire says "Give an inspiration point[ to {combatant}]" { combatant: CombatantId }

    /// Spend an inspiration point on advantage for a roll, before it is rolled (AI-29).
    "spend" (Player: combatant) => Spend says "Spend an inspiration point of {combatant}" { combatant: CombatantId }

    /// Always refused: nobody passes or delays under Active Initiative (AI-11).
    "delay" (Player: combatant) => Delay says "Delay {combatant}'s turn" { combatant: CombatantId }
}
