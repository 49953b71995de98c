//! The commands of Seize the initiative.

use crate::vocabulary::{CombatantId, D20, Slug, command, commands, word};
use std::collections::BTreeMap;

/// A command of Seize the initiative.
#[commands]
pub enum Command {
    Start,
    Roll,
    EndTurn,
    #[name = "seize"]
    SeizeTurn,
    Pass,
    Resolve,
    Nominate,
    TakeExtraAction,
}

/// Start the fight and its first turn. All combatants roll (WA-1); the server rolls the missing
/// dice. Enemies are all combatants except those on the side `players` and on the sides of
/// the option `not_enemies`.
#[command(gm, "Start the fight")]
pub struct Start {
    /// The way in which the enemies roll: one by one and by group, or one roll for all (WA-3).
    #[default]
    #[schema(inline, default = "apart")]
    pub enemies: Enemies,
    /// d20 rolled at the table, by combatant; they replace a die given by `roll`. The server rolls
    /// the rest.
    #[default]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// d20 rolled at the table for groups, by `roll_group`; all enemies together are the group
    /// `enemies`.
    #[default]
    pub group_rolls: BTreeMap<Slug, D20>,
    /// d20 rolled at the table for the roll-off of a full tie, by combatant (WA-5a). The server
    /// rolls the rest.
    #[default]
    pub roll_offs: BTreeMap<CombatantId, D20>,
    /// d20 rolled at the table for the roll-off of a full tie, by group.
    #[default]
    pub group_roll_offs: BTreeMap<Slug, D20>,
}

/// Roll a combatant's d20 before `start` (WA-1). A later roll replaces it.
#[command(player, "{combatant}: roll initiative")]
pub struct Roll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20 rolled at the table. The server rolls it if left out.
    pub roll: Option<D20>,
}

/// End a turn. Combatants that lost hit points in it may seize the next one (WA-13); otherwise
/// `next` acts next (WA-8).
#[command(player, "{combatant}: end turn")]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that acts next: one without a turn in this round (WA-9), or the first of the
    /// next round (WA-11).
    pub next: Option<CombatantId>,
}

/// Seize the next turn after losing hit points (WA-12).
#[command(player, "{combatant}: seize the next turn")]
pub struct SeizeTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Decline to seize the next turn (WA-13).
#[command(player, "{combatant}: decline to seize")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Close seizing: all combatants that have not decided pass (WA-13).
#[command(gm, "Close seizing")]
pub struct Resolve {
    /// The combatant that acts next, if no combatant has seized the turn.
    pub next: Option<CombatantId>,
}

/// Choose who acts next, if the last turn ended without a choice; that turn starts.
#[command(player, "[{combatant}: choose][{!combatant}Choose] who acts next")]
pub struct Nominate {
    /// The combatant that chooses: the one that took the last turn. The game master leaves it out
    /// if that one has left the encounter.
    pub combatant: Option<CombatantId>,
    /// The combatant that acts next.
    pub next: CombatantId,
}

/// Take the extra Action for a 20, in your own first turn (WA-6).
#[command(player, "{combatant}: take the extra Action")]
pub struct TakeExtraAction {
    /// The combatant.
    pub combatant: CombatantId,
}

/// The way in which the enemies roll (WA-3).
#[word]
pub enum Enemies {
    /// One roll for each combatant, and one for all with the same `roll_group`.
    #[default]
    Apart,
    /// One roll for all of them.
    Together,
}
