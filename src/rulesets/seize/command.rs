//! The commands of Seize the initiative.

use crate::vocabulary::{CombatantId, D20, Slug, commands, words};
use std::collections::BTreeMap;

commands! {
    /// A command of Seize the initiative.
    Command;

    /// Begin the fight and its first turn: everybody rolls (WA-1), the server where no die is given.
    /// Enemies are all combatants except on the side `players` and on the sides of the option `not_enemies`.
    "start" (Gm) => Start says "Start the fight" {
        /// Whether the enemies roll one by one and group by group, or once for all of them (WA-3).
        #[serde(default)]
        #[schema(inline, default = "apart")]
        enemies: Enemies,
        /// The d20 of each combatant that rolled for itself at the table, in place of its `roll_initiative`.
        rolls: BTreeMap<CombatantId, D20>,
        /// The d20 of each group that rolled at the table, by the group's `roll_group`; all enemies together are `enemies`.
        group_rolls: BTreeMap<Slug, D20>,
        /// The d20 with which a combatant rolls off a full tie, should there be one (AWA2).
        roll_offs: BTreeMap<CombatantId, D20>,
        /// The same of a group.
        group_roll_offs: BTreeMap<Slug, D20>,
    }

    /// Give the d20 that a combatant's player rolled, before `start`. A later roll replaces it.
    "roll_initiative" (Player: combatant) => RollInitiative says "Roll initiative for {combatant}" {
        combatant: CombatantId,
        /// The d20.
        roll: D20,
    }

    /// End a turn. Combatants that lost hit points in it may seize the next one (WA-13); else `next` takes it (WA-8).
    "end_turn" (Player: combatant) => EndTurn says "End {combatant}'s turn" {
        combatant: CombatantId,
        /// A combatant without a turn in this round (WA-9), or the first of the next round (WA-11).
        next: Option<CombatantId>,
    }

    /// Seize the next turn after losing hit points (WA-12).
    "seize" (Player: combatant) => SeizeTurn says "Seize the next turn as {combatant}" { combatant: CombatantId }

    /// Decline to seize the next turn (WA-13).
    "decline" (Player: combatant) => Decline says "Decline to seize as {combatant}" { combatant: CombatantId }

    /// Go on: combatants that have not seized by now decline (WA-13).
    "close_seizing" (Gm) => CloseSeizing says "Let nobody else seize" {
        /// Whose turn is next, if nobody has seized it.
        next: Option<CombatantId>,
    }

    /// Pick whose turn is next, if the last turn ended without a pick; the turn begins.
    "nominate" (Player: combatant) => Nominate says "Pick the next to act[ as {combatant}]" {
        /// Who picks: the one who took the last turn. The game master leaves it out where that one has left the encounter.
        combatant: Option<CombatantId>,
        /// Who is picked.
        next: CombatantId,
    }

    /// Spend the extra Action of a 20, in your own first turn (WA-6).
    "spend" (Player: combatant) => Spend says "Spend {combatant}'s extra Action" { combatant: CombatantId }
}

words! {
    /// How the enemies roll (WA-3).
    Enemies = Apart {
        /// Each for itself, and those with the same `roll_group` once.
        Apart,
        /// Once for all of them.
        Together,
    }
}
