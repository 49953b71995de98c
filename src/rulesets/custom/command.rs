//! The commands of `custom`.

use super::Card;
use crate::vocabulary::{
    Actor, AllowedRole, CombatantId, CommandSpec, Commands, Int, Slug, Summary, Tagged,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of `custom`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Tagged!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Command {
    #[serde(rename = "start")]
    Start(Start),
    #[serde(rename = "roll")]
    Roll(Roll),
    #[serde(rename = "go_on")]
    GoOn(GoOn),
    #[serde(rename = "grant")]
    Grant(Grant),
    #[serde(rename = "declare")]
    Declare(Declare),
    #[serde(rename = "begin")]
    Begin(Begin),
    #[serde(rename = "end_turn")]
    EndTurn(EndTurn),
    #[serde(rename = "wait")]
    Wait(Wait),
    #[serde(rename = "go_now")]
    GoNow(GoNow),
    #[serde(rename = "pass")]
    Pass(Pass),
    #[serde(rename = "ready")]
    Ready(Ready),
    #[serde(rename = "interject")]
    Interject(Interject),
}

/// Begin the fight. Where nobody declares anything first, it rolls or deals.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// What the table rolled, the sum of the dice, by combatant, group or side; the server rolls
    /// the rest.
    #[schema(value_type = std::collections::HashMap<String, u16>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rolls: BTreeMap<CombatantId, Int<1, 900>>,
    /// The cards that the table dealt, such as `qs`, `10h` or `j1`, by combatant or group; the
    /// server deals the rest.
    #[schema(value_type = std::collections::HashMap<String, String>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cards: BTreeMap<CombatantId, Card>,
    /// Who is surprised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surprised: Vec<CombatantId>,
    /// The side that opens, whatever the dice say.
    pub first: Option<Slug>,
}

/// Roll or deal for this round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// What the table rolled, the sum of the dice, by combatant, group or side; the server rolls
    /// the rest.
    #[schema(value_type = std::collections::HashMap<String, u16>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rolls: BTreeMap<CombatantId, Int<1, 900>>,
    /// The cards that the table dealt, by combatant or group; the server deals the rest.
    #[schema(value_type = std::collections::HashMap<String, String>)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cards: BTreeMap<CombatantId, Card>,
}

/// Go on with what the rules say where nobody decides: defaults, the server's dice, the first in
/// order, the next step, no reactions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct GoOn {}

/// Change the points of a pool, between 0 and its maximum.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The pool.
    pub pool: Slug,
    /// Whose; left out for a pool of the table.
    pub combatant: Option<CombatantId>,
    /// The points that are added, or taken where negative.
    pub amount: Int<-100, 100>,
}

/// Declare, once a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Declare {
    /// The combatant.
    pub combatant: CombatantId,
    /// One of the definition's choices.
    pub choice: Slug,
}

/// Begin a turn where somebody picks.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Begin {
    /// The combatant.
    pub combatant: CombatantId,
    /// Who picks, where the combatant that acted last does.
    pub by: Option<CombatantId>,
}

/// End a turn, or the combatant's part of a shared turn.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The ticks that the turn costs, the fewest if left out.
    pub cost: Option<Int<1, 100>>,
}

/// Wait, and return to the turn later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Return after waiting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct GoNow {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Do not react in this gap, or act in a later phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Fill a pool in the combatant's turn, to be used before its next turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool.
    pub pool: Slug,
}

/// Spend points for an action or a turn outside the combatant's turn.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Interject {
    /// The combatant.
    pub combatant: CombatantId,
    /// The pool.
    pub pool: Slug,
    /// The points, the fewest if left out.
    pub cost: Option<Int<0, 100>>,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new("start", AllowedRole::Gm, "Start the fight", Start::SUMMARY),
        CommandSpec::new("roll", AllowedRole::Gm, "Roll for the round", Roll::SUMMARY),
        CommandSpec::new(
            "go_on",
            AllowedRole::Gm,
            "Go on by the rules",
            GoOn::SUMMARY,
        ),
        CommandSpec::new(
            "grant",
            AllowedRole::Gm,
            "Change points[ of {pool}]",
            Grant::SUMMARY,
        ),
        CommandSpec::new(
            "declare",
            AllowedRole::Player,
            "Declare as {combatant}[: {choice}]",
            Declare::SUMMARY,
        ),
        CommandSpec::new(
            "begin",
            AllowedRole::Player,
            "Begin {combatant}'s turn",
            Begin::SUMMARY,
        ),
        CommandSpec::new(
            "end_turn",
            AllowedRole::Player,
            "End {combatant}'s turn",
            EndTurn::SUMMARY,
        ),
        CommandSpec::new(
            "wait",
            AllowedRole::Player,
            "Wait with {combatant}",
            Wait::SUMMARY,
        ),
        CommandSpec::new(
            "go_now",
            AllowedRole::Player,
            "Act now with {combatant}",
            GoNow::SUMMARY,
        ),
        CommandSpec::new(
            "pass",
            AllowedRole::Player,
            "Pass as {combatant}",
            Pass::SUMMARY,
        ),
        CommandSpec::new(
            "ready",
            AllowedRole::Player,
            "Ready an action as {combatant} ({pool})",
            Ready::SUMMARY,
        ),
        CommandSpec::new(
            "interject",
            AllowedRole::Player,
            "Act with {combatant} for {pool}",
            Interject::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_) | Self::Roll(_) | Self::GoOn(_) | Self::Grant(_) => Actor::Gm,
            Self::Declare(Declare { combatant, .. })
            | Self::Begin(Begin { combatant, .. })
            | Self::EndTurn(EndTurn { combatant, .. })
            | Self::Wait(Wait { combatant, .. })
            | Self::GoNow(GoNow { combatant, .. })
            | Self::Pass(Pass { combatant, .. })
            | Self::Ready(Ready { combatant, .. })
            | Self::Interject(Interject { combatant, .. }) => Actor::of(combatant),
        }
    }
}
