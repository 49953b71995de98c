//! The commands of Active Initiative.

use super::Means;
use crate::vocabulary::{CombatantId, D20, Text, commands};
use std::collections::BTreeMap;

commands! {
    /// A command of Active Initiative.
    Command;

    /// The scene begins and its first turn with it: of `first`, who triggered it (AI-2), else of whoever rolls highest (AI-3).
    "start" (Gm) => Start {
        /// Who triggered the scene: a combatant, a group or a hazard (AI-6).
        first: Option<CombatantId>,
        /// The d20 of each combatant that rolled at the table, where nobody triggered it; the server rolls the others.
        rolls: BTreeMap<CombatantId, D20>,
    }

    /// A turn ends; with `next` the next combatant is named in the same breath (AI-7), with `begin` its turn begins too.
    "end_turn" (Player: combatant) => EndTurn {
        combatant: CombatantId,
        /// Who is next: anybody who has not acted this round (AI-8), or who starts the next round where this turn was the last (AI-41).
        next: Option<CombatantId>,
        /// True where nobody at the table wants to interrupt: the turn of `next` begins at once.
        begin: bool = false,
    }

    /// Names the next combatant, where the turn ended without that, or where the one who was named is gone.
    "nominate" (Player: combatant) => Nominate {
        /// Who names: the one who took the last turn. The game master leaves it out where that one has left the encounter.
        combatant: Option<CombatantId>,
        /// Who is named.
        next: CombatantId,
    }

    /// The turn of the one who is named begins; nobody can interrupt any more (AI-24).
    "begin_turn" (Player: combatant) => BeginTurn { combatant: CombatantId }

    /// Steals the next turn from the one who is named (AI-22).
    "interrupt" (Player: combatant) => Interrupt {
        combatant: CombatantId,
        /// What pays for it.
        means: Means,
    }

    /// Readies an action in one's own turn; the place in the round stays as it is (AI-12).
    "ready" (Player: combatant) => Ready {
        combatant: CombatantId,
        /// What will be done.
        action: Text<200>,
        /// What it waits for.
        trigger: Text<200>,
    }

    /// A readied action happens; who names the next combatant stays the same (AI-13).
    "fire" (Player: combatant) => Fire { combatant: CombatantId }

    /// The game master hands out an inspiration point; three is the most that anybody holds (AI-28).
    "inspire" (Gm) => Inspire { combatant: CombatantId }

    /// Spends an inspiration point on advantage for a roll, before it is rolled (AI-29).
    "spend" (Player: combatant) => Spend { combatant: CombatantId }

    /// Always refused: nobody passes or delays under Active Initiative (AI-11).
    "delay" (Player: combatant) => Delay { combatant: CombatantId }
}
