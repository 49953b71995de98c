//! The commands of Active Initiative.

use super::Means;
use crate::vocabulary::{Actor, CombatantId, D20, Text, command, commands};
use std::collections::BTreeMap;

/// A command of Active Initiative.
#[commands]
pub enum Command {
    Start,
    Roll,
    EndTurn,
    Nominate,
    BeginTurn,
    Interrupt,
    Pass,
    Resolve,
    Ready,
    Trigger,
    Inspire,
    SpendInspiration,
}

/// Start the scene. The combatant in `first` takes the first turn (AI-2); without it all combatants
/// roll, and the highest result does (AI-3).
#[command(gm, "Start the fight[: {first} goes first]")]
pub struct Start {
    /// The combatant, group or hazard that triggered the scene (AI-6).
    pub first: Option<CombatantId>,
    /// d20 rolled at the table, by combatant; they replace a die given by `roll`. The server rolls
    /// the rest. Leave it out with `first`.
    #[default]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// d20 rolled at the table for the roll-off of a full tie, by combatant (AI-5a). The server
    /// rolls the rest.
    #[default]
    pub roll_offs: BTreeMap<CombatantId, D20>,
}

/// Roll a combatant's d20 before a `start` without `first` (AI-3). A later roll replaces it.
#[command(player, "{combatant}: roll initiative")]
pub struct Roll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20 rolled at the table. The server rolls it if left out.
    pub roll: Option<D20>,
}

/// End a turn. With `next`, also choose who acts next (AI-7); with `begin`, start that turn at once
/// if no combatant could interrupt.
#[command(
    player,
    "{combatant}: end turn[{begin} and start the next one if unopposed]"
)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that acts next: one that has not acted this round (AI-8), or the first of the
    /// next round (AI-41).
    pub next: Option<CombatantId>,
    /// True if the turn of `next` starts at once, unless it waits for combatants that could
    /// interrupt (AI-17b).
    #[default]
    pub begin: bool,
}

/// Choose who acts next, if the turn ended without a choice or the chosen combatant is gone.
#[command(
    player,
    "[{combatant}: choose][{!combatant}Choose] who acts next[{begin} and start that turn if unopposed]"
)]
pub struct Nominate {
    /// The combatant that chooses: the one that took the last turn. The game master leaves it out
    /// if that one has left the encounter.
    pub combatant: Option<CombatantId>,
    /// The combatant that acts next.
    pub next: CombatantId,
    /// True if the turn of `next` starts at once, unless it waits for combatants that could
    /// interrupt (AI-17b).
    #[default]
    pub begin: bool,
}

/// Start the turn of the combatant that acts next, once all that could interrupt have interrupted
/// or passed (AI-17b). After that it is too late to interrupt (AI-24).
#[command(player, "{combatant}: start turn")]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Steal the next turn from the combatant that was chosen (AI-22).
#[command(player, "{combatant}: interrupt", actor)]
pub struct Interrupt {
    /// The combatant.
    pub combatant: CombatantId,
    /// The means that pay for it.
    pub means: Means,
}

impl Interrupt {
    /// The points are the game master's.
    pub(crate) fn actor(&self) -> Actor<'_> {
        if self.means == Means::InterruptPoint {
            Actor::Gm
        } else {
            Actor::of(&self.combatant)
        }
    }
}

/// Decline to interrupt the next turn, or the choice of it (AI-17b).
#[command(player, "{combatant}: decline to interrupt")]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Close the window for interrupts: all combatants that have not decided pass. If the next
/// combatant is chosen, its turn starts (AI-17b).
#[command(gm, "Close interrupts")]
pub struct Resolve {}

/// Ready an action on your own turn. Your place in the round stays the same (AI-12).
#[command(player, "{combatant}: ready an action")]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Text<200>,
    /// The occasion that it waits for.
    pub trigger: Text<200>,
}

/// Use a readied action. It does not change who chooses the next combatant (AI-13).
#[command(player, "{combatant}: use the readied action")]
pub struct Trigger {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Give an inspiration point to a combatant, which can hold three (AI-28).
#[command(gm, "[{combatant}: gain][{!combatant}Give] an inspiration point")]
pub struct Inspire {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Spend an inspiration point on advantage for a roll, before rolling (AI-29).
#[command(player, "{combatant}: spend an inspiration point")]
pub struct SpendInspiration {
    /// The combatant.
    pub combatant: CombatantId,
}
