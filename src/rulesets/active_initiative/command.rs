//! The commands of Active Initiative.

use super::Means;
use crate::vocabulary::{
    Actor, AllowedRole, CombatantId, CommandSpec, Commands, D20, Summary, Tagged, Text,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of Active Initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Tagged!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Command {
    #[serde(rename = "start")]
    Start(Start),
    #[serde(rename = "roll")]
    Roll(Roll),
    #[serde(rename = "end_turn")]
    EndTurn(EndTurn),
    #[serde(rename = "nominate")]
    Nominate(Nominate),
    #[serde(rename = "begin_turn")]
    BeginTurn(BeginTurn),
    #[serde(rename = "interrupt")]
    Interrupt(Interrupt),
    #[serde(rename = "pass")]
    Pass(Pass),
    #[serde(rename = "resolve")]
    Resolve(Resolve),
    #[serde(rename = "ready")]
    Ready(Ready),
    #[serde(rename = "trigger")]
    Trigger(Trigger),
    #[serde(rename = "inspire")]
    Inspire(Inspire),
    #[serde(rename = "spend_inspiration")]
    SpendInspiration(SpendInspiration),
}

/// Start the scene. The combatant in `first` takes the first turn (AI-2); without it all combatants
/// roll, and the highest result does (AI-3).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The combatant, group or hazard that triggered the scene (AI-6).
    pub first: Option<CombatantId>,
    /// d20 rolled at the table, by combatant; they replace a die given by `roll`. The server rolls
    /// the rest. Leave it out with `first`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, D20>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// d20 rolled at the table for the roll-off of a full tie, by combatant (AI-5a). The server
    /// rolls the rest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, D20>)]
    pub roll_offs: BTreeMap<CombatantId, D20>,
}

/// Roll a combatant's d20 before a `start` without `first` (AI-3). A later roll replaces it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20 rolled at the table. The server rolls it if left out.
    pub roll: Option<D20>,
}

/// End a turn. With `next`, also choose who acts next (AI-7); with `begin`, start that turn at once
/// if no combatant could interrupt.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that acts next: one that has not acted this round (AI-8), or the first of the
    /// next round (AI-41).
    pub next: Option<CombatantId>,
    /// True if the turn of `next` starts at once, unless it waits for combatants that could
    /// interrupt (AI-17b).
    #[serde(default)]
    #[schema(default = false)]
    pub begin: bool,
}

/// Choose who acts next, if the turn ended without a choice or the chosen combatant is gone.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Nominate {
    /// The combatant that chooses: the one that took the last turn. The game master leaves it out
    /// if that one has left the encounter.
    pub combatant: Option<CombatantId>,
    /// The combatant that acts next.
    pub next: CombatantId,
    /// True if the turn of `next` starts at once, unless it waits for combatants that could
    /// interrupt (AI-17b).
    #[serde(default)]
    #[schema(default = false)]
    pub begin: bool,
}

/// Start the turn of the combatant that acts next, once all that could interrupt have interrupted
/// or passed (AI-17b). After that it is too late to interrupt (AI-24).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct BeginTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Steal the next turn from the combatant that was chosen (AI-22).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Interrupt {
    /// The combatant.
    pub combatant: CombatantId,
    /// The means that pay for it.
    pub means: Means,
}

/// Decline to interrupt the next turn, or the choice of it (AI-17b).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Close the window for interrupts: all combatants that have not decided pass. If the next
/// combatant is chosen, its turn starts (AI-17b).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Resolve {}

/// Ready an action on your own turn. Your place in the round stays the same (AI-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// The combatant.
    pub combatant: CombatantId,
    /// The action.
    pub action: Text<200>,
    /// The occasion that it waits for.
    pub trigger: Text<200>,
}

/// Use a readied action. It does not change who chooses the next combatant (AI-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Trigger {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Give an inspiration point to a combatant, which can hold three (AI-28).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Inspire {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Spend an inspiration point on advantage for a roll, before rolling (AI-29).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct SpendInspiration {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new(
            "start",
            AllowedRole::Gm,
            "Start the fight[: {first} goes first]",
            Start::SUMMARY,
        ),
        CommandSpec::new(
            "roll",
            AllowedRole::Player,
            "{combatant}: roll initiative",
            Roll::SUMMARY,
        ),
        CommandSpec::new(
            "end_turn",
            AllowedRole::Player,
            "{combatant}: end turn[{begin} and start the next one if unopposed]",
            EndTurn::SUMMARY,
        ),
        CommandSpec::new(
            "nominate",
            AllowedRole::Player,
            "[{combatant}: choose][{!combatant}Choose] who acts next[{begin} and start that turn if unopposed]",
            Nominate::SUMMARY,
        ),
        CommandSpec::new(
            "begin_turn",
            AllowedRole::Player,
            "{combatant}: start turn",
            BeginTurn::SUMMARY,
        ),
        CommandSpec::new(
            "interrupt",
            AllowedRole::Player,
            "{combatant}: interrupt",
            Interrupt::SUMMARY,
        ),
        CommandSpec::new(
            "pass",
            AllowedRole::Player,
            "{combatant}: decline to interrupt",
            Pass::SUMMARY,
        ),
        CommandSpec::new(
            "resolve",
            AllowedRole::Gm,
            "Close interrupts",
            Resolve::SUMMARY,
        ),
        CommandSpec::new(
            "ready",
            AllowedRole::Player,
            "{combatant}: ready an action",
            Ready::SUMMARY,
        ),
        CommandSpec::new(
            "trigger",
            AllowedRole::Player,
            "{combatant}: use the readied action",
            Trigger::SUMMARY,
        ),
        CommandSpec::new(
            "inspire",
            AllowedRole::Gm,
            "[{combatant}: gain][{!combatant}Give] an inspiration point",
            Inspire::SUMMARY,
        ),
        CommandSpec::new(
            "spend_inspiration",
            AllowedRole::Player,
            "{combatant}: spend an inspiration point",
            SpendInspiration::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_) | Self::Resolve(_) | Self::Inspire(_) => Actor::Gm,
            Self::Roll(Roll { combatant, .. })
            | Self::EndTurn(EndTurn { combatant, .. })
            | Self::BeginTurn(BeginTurn { combatant, .. })
            | Self::Interrupt(Interrupt { combatant, .. })
            | Self::Pass(Pass { combatant })
            | Self::Ready(Ready { combatant, .. })
            | Self::Trigger(Trigger { combatant, .. })
            | Self::SpendInspiration(SpendInspiration { combatant, .. }) => Actor::of(combatant),
            Self::Nominate(Nominate { combatant, .. }) => Actor::of_optional(combatant.as_ref()),
        }
    }
}
