//! The events of Active Initiative.

use super::{Means, Readied, Way};
use crate::vocabulary::{CombatantId, Die, tagged};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

tagged! {
    /// Something that happens under Active Initiative alone.
    pub enum Event {
        "advised" => Advised,
        "opening_rolled" => OpeningRolled,
        "interrupt_points_gained" => InterruptPointsGained,
        "begun" => Begun,
        "named" => Named,
        "interrupted" => Interrupted,
        "choice_opened" => ChoiceOpened,
        "allowance_renewed" => AllowanceRenewed,
        "exposed" => Exposed,
        "readied" => ActionReadied,
        "readied_fired" => ReadiedFired,
        "readied_lapsed" => ReadiedLapsed,
        "inspired" => Inspired,
        "inspiration_spent" => InspirationSpent,
        "forgotten" => Forgotten,
        "scene_closed" => SceneClosed,
    }
}

/// Advice, not a rule: there are fewer groups of monsters than half the players (AI-15).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Advised {
    /// How many monsters and groups can be named.
    pub groups: u32,
    /// How many there had better be.
    pub wanted: u32,
}

/// Everybody rolled for the first turn; only the highest result matters (AI-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpeningRolled {
    /// The rolls, highest first.
    pub rolls: Vec<OpeningRoll>,
}

/// One combatant's roll for the first turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpeningRoll {
    /// Who rolled.
    pub combatant: CombatantId,
    /// The d20.
    pub die: Die,
    /// The die and the INT modifier (AI-5).
    pub total: i64,
}

/// The game master got interrupt points: one for each player, or as many as the option says (AI-30).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InterruptPointsGained {
    /// How many.
    pub points: u32,
}

/// The window is closed and the turn has begun: damage from before it gives nothing any more (AI-25).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Begun {
    /// Whose turn.
    pub combatant: CombatantId,
    /// How it got the turn.
    pub by: Way,
}

/// Somebody was named to take the next turn; the window for interrupts is open (AI-17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Named {
    /// Who was named.
    pub combatant: CombatantId,
    /// Who named it; nobody where the game master stood in for one who has left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<CombatantId>,
}

/// Somebody stole the next turn; the window stays open (AI-22, AAI2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Interrupted {
    /// Who takes the next turn now.
    pub combatant: CombatantId,
    /// Who was named before and has not acted; untold to those who may not know of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub displaced: Option<CombatantId>,
    /// What paid for it.
    pub means: Means,
}

/// Somebody must be named: the next combatant, or the first of a new round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChoiceOpened {
    /// Whose controller names; nobody where the game master does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chooser: Option<CombatantId>,
    /// True where the one to be named is the first of a round (AI-41).
    pub starter: bool,
}

/// A round began: the game master may spend an interrupt point again (AI-44).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AllowanceRenewed {}

/// Somebody took damage: until the next turn begins it may interrupt for free, if it has not acted (AI-20) and the turn that has just
/// ended was not its own (AAI13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Exposed {
    /// Who.
    pub combatant: CombatantId,
}

/// Somebody readied an action (AI-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ActionReadied {
    /// Who.
    pub combatant: CombatantId,
    /// What, and what it waits for.
    pub readied: Readied,
}

/// A readied action happened (AI-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReadiedFired {
    /// Whose.
    pub combatant: CombatantId,
}

/// A readied action came to nothing: its owner's next turn began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReadiedLapsed {
    /// Whose.
    pub combatant: CombatantId,
}

/// Somebody got an inspiration point (AI-28).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Inspired {
    /// Who.
    pub combatant: CombatantId,
    /// How many it holds now.
    pub held: u32,
}

/// Somebody spent an inspiration point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InspirationSpent {
    /// Who.
    pub combatant: CombatantId,
    /// How many it holds now.
    pub held: u32,
}

/// Whoever took the last turn has left: nobody who comes under the same id names the next one for it (AI-7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Forgotten {
    /// Who.
    pub combatant: CombatantId,
}

/// The scene is over; what the game master had left of the interrupt points is gone (AI-33).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SceneClosed {
    /// How many points were left.
    pub points_lost: u32,
}
