//! The commands of `custom`.

use super::Card;
use crate::vocabulary::{CombatantId, Int, Slug, commands};
use std::collections::BTreeMap;

commands! {
    /// A command of `custom`.
    Command;

    /// Begin the fight. Where nobody declares anything first, it rolls or deals.
    "start" (Gm) => Start says "Start the fight" {
        /// What the table rolled, the sum of the dice, by combatant, group or side; the server rolls the rest.
        #[schema(value_type = std::collections::HashMap<String, u16>)] rolls: BTreeMap<CombatantId, Int<1, 900>>,
        /// The cards that the table dealt, such as `qs`, `10h` or `j1`, by combatant or group; the server deals the rest.
        #[schema(value_type = std::collections::HashMap<String, String>)] cards: BTreeMap<CombatantId, Card>,
        /// Who is surprised.
        surprised: Vec<CombatantId>,
        /// The side that opens, whatever the dice say.
        first: Option<Slug>,
    }

    /// Roll or deal for this round.
    "roll" (Gm) => Roll says "Roll for the round" {
        /// What the table rolled, the sum of the dice, by combatant, group or side; the server rolls the rest.
        #[schema(value_type = std::collections::HashMap<String, u16>)] rolls: BTreeMap<CombatantId, Int<1, 900>>,
        /// The cards that the table dealt, by combatant or group; the server deals the rest.
        #[schema(value_type = std::collections::HashMap<String, String>)] cards: BTreeMap<CombatantId, Card>,
    }

    /// Go on with what the rules say where nobody decides: defaults, the server's dice, the first in order, the next step, no rights.
    "go_on" (Gm) => GoOn says "Go on by the rules" {}

    /// Change the points of a pool, between 0 and its maximum.
    "grant" (Gm) => Grant says "Change points[ of {pool}]" {
        /// The pool.
        pool: Slug,
        /// Whose; left out for a pool of the table.
        combatant: Option<CombatantId>,
        /// The points that are added, or taken where negative.
        amount: Int<-100, 100>,
    }

    /// Declare, once a round.
    "declare" (Player: combatant) => Declare says "Declare as {combatant}[: {choice}]" {
        combatant: CombatantId,
        /// One of the definition's choices.
        choice: Slug,
    }

    /// Begin a turn where somebody picks.
    "begin" (Player: combatant) => Begin says "Begin {combatant}'s turn" {
        combatant: CombatantId,
        /// Who picks, where the combatant that acted last does.
        by: Option<CombatantId>,
    }

    /// End a turn, or the combatant's part of a shared turn.
    "end_turn" (Player: combatant) => EndTurn says "End {combatant}'s turn" {
        combatant: CombatantId,
        /// The ticks that the turn costs, the fewest if left out.
        cost: Option<Int<1, 100>>,
    }

    /// Wait, and return to the turn later.
    "wait" (Player: combatant) => Wait says "Wait with {combatant}" { combatant: CombatantId }

    /// Return after waiting.
    "go_now" (Player: combatant) => GoNow says "Act now with {combatant}" { combatant: CombatantId }

    /// Use no right in this gap, or act in a later phase.
    "pass" (Player: combatant) => Pass says "Pass as {combatant}" { combatant: CombatantId }

    /// Fill a pool in the combatant's turn, to be used before its next turn.
    "ready" (Player: combatant) => Ready says "Ready an action as {combatant} ({pool})" {
        combatant: CombatantId,
        /// The pool.
        pool: Slug,
    }

    /// Spend points for an action or a turn outside the combatant's turn.
    "interject" (Player: combatant) => Interject says "Act with {combatant} for {pool}" {
        combatant: CombatantId,
        /// The pool.
        pool: Slug,
        /// The points, the fewest if left out.
        cost: Option<Int<0, 100>>,
    }
}
