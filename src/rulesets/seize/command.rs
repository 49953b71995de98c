//! The commands of Seize the initiative.

use crate::vocabulary::{CombatantId, D20, Slug, commands, words};
use std::collections::BTreeMap;

commands! {
    /// A command of Seize the initiative.
    Command;

    /// The fight begins: everybody rolls (WA-1), and the first turn with it.
    ///
    /// A die that is not given is rolled by the server. Enemies are all combatants except those on the side `players`
    /// and on the sides of the option `not_enemies`.
    "start" (Gm) => Start {
        /// Whether the enemies roll one by one and group by group, or once for all of them (WA-3).
        #[serde(default)]
        #[schema(inline, default = "apart")]
        enemies: Enemies,
        /// The d20 of each combatant that rolled for itself at the table.
        rolls: BTreeMap<CombatantId, D20>,
        /// The d20 of each group that rolled at the table, by the group's `roll_group`; all enemies together are `enemies`.
        group_rolls: BTreeMap<Slug, D20>,
        /// The d20 with which a combatant rolls off a full tie, should there be one (AWA2).
        roll_offs: BTreeMap<CombatantId, D20>,
        /// The same of a group.
        group_roll_offs: BTreeMap<Slug, D20>,
    }

    /// A turn ends. Whoever lost hit points in it may seize the next one now (WA-13); where nobody can, `next` is picked in the same
    /// breath (WA-8).
    "end_turn" (Player: combatant) => EndTurn {
        combatant: CombatantId,
        /// Whose turn is next: of anybody who has had none in this round (WA-9), or who starts the next round where this turn was the
        /// last (WA-11).
        next: Option<CombatantId>,
    }

    /// Seizes the next turn after losing hit points (WA-12).
    "seize" (Player: combatant) => SeizeTurn { combatant: CombatantId }

    /// Leaves it at having lost hit points: seizing is nobody's duty (WA-13).
    "decline" (Player: combatant) => Decline { combatant: CombatantId }

    /// The game master goes on: whoever has not seized by now declines.
    "close_seizing" (Gm) => CloseSeizing {
        /// Whose turn is next, where nobody has seized it.
        next: Option<CombatantId>,
    }

    /// Picks whose turn is next, where the last turn ended without that; the turn begins.
    "nominate" (Player: combatant) => Nominate {
        /// Who picks: the one who took the last turn. The game master leaves it out where that one has left the encounter.
        combatant: Option<CombatantId>,
        /// Who is picked.
        next: CombatantId,
    }

    /// Spends the extra Action that a 20 gives, in one's own first turn (WA-6).
    "spend" (Player: combatant) => Spend { combatant: CombatantId }
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
