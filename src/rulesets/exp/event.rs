//! The events of EXP.

use super::{Component, Roll, Sequence, Use};
use crate::vocabulary::{CombatantId, Die, Text, tagged};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

tagged! {
    /// Something that happens under EXP alone.
    pub enum Event {
        "initiative_rolled" => InitiativeRolled,
        "pass_started" => PassStarted,
        "asked" => Asked,
        "announced" => Announced,
        "declared" => Declared,
        "wait_jumped" => WaitJumped,
        "mental_duel_rolled" => MentalDuelRolled,
        "mental_attacked" => MentalAttacked,
        "components_lost" => ComponentsLost,
        "components_restored" => ComponentsRestored,
        "dropped_out" => DroppedOut,
        "duel_broken_off" => DuelBrokenOff,
        "unit_over" => UnitOver,
    }
}

/// Everybody rolled initiative for a unit (EX-2); both components of each are pending, and the first pass begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InitiativeRolled {
    /// The list, highest first (EX-5), without ties (EX-6).
    pub ranking: Vec<Roll>,
}

/// Another pass through the list begins at the top (EX-16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PassStarted {
    /// Its number in the unit.
    pub pass: u32,
}

/// The list has come to somebody who can still do something (EX-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Asked {
    /// The rank that is asked.
    pub rank: u32,
    /// Who is asked: one persona, or those of a crowd.
    pub combatants: Vec<CombatantId>,
}

/// Somebody said what it is about to do (AEX13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Announced {
    /// Who.
    pub combatant: CombatantId,
    /// What is done with the move.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub movement: Option<Use>,
    /// What is done with the attack or action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub act: Option<Use>,
    /// Which comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub order: Option<Sequence>,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Text<200>>,
}

/// Somebody answered, and did what it does now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Declared {
    /// Who.
    pub combatant: CombatantId,
    /// What is done with the move.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub movement: Option<Use>,
    /// What is done with the attack or action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub act: Option<Use>,
    /// Which comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub order: Option<Sequence>,
    /// Whether it was the lowest and had to spend all that it had left (EX-15).
    pub forced: bool,
}

/// Somebody tried to jump ahead of a lower persona's act (EX-25).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WaitJumped {
    /// Who.
    pub combatant: CombatantId,
    /// The waited component, used where the jump came off (EX-27) and still waited where not (EX-28).
    #[schema(inline)]
    pub component: Component,
    /// Ahead of whom.
    pub before: Vec<CombatantId>,
    /// The d20 of the AWE roll.
    pub die: Die,
    /// AWE and level.
    pub bonus: i64,
    /// The referee's d20, where it is rolled against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referee_die: Option<Die>,
    /// Whether it came off.
    pub success: bool,
}

/// Two mental attackers rolled for who is first (EX-32).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MentalDuelRolled {
    /// The two, the first attacker first.
    pub duel: Vec<Roll>,
}

/// A mental mutation attacked outside the list (EX-31).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MentalAttacked {
    /// Who.
    pub combatant: CombatantId,
    /// Whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<CombatantId>,
}

/// Somebody lost what it had not yet used, for this unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComponentsLost {
    /// Who.
    pub combatant: CombatantId,
    /// What it lost.
    #[schema(inline)]
    pub components: Vec<Component>,
    /// Why.
    #[schema(inline)]
    pub because: Loss,
}

/// Why components were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// It cannot act any more: what had waited is lost (EX-23).
    CannotAct,
    /// It could not act when the list came to it (AEX9).
    CouldNotAnswer,
    /// It joined when the unit was going on, and rolls for the next one (AEX11).
    JoinedLate,
}

/// The game master gave somebody both components again, to set its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ComponentsRestored {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody who left is not asked any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DroppedOut {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody takes part in the mental duel no more: one of the two declined, left, or can no longer attack with its mind, or the
/// game master set whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DuelBrokenOff {
    /// Who.
    pub combatant: CombatantId,
}

/// Nobody has anything left: the unit is over (EX-19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnitOver {
    /// How many passes it took.
    pub passes: u32,
}
