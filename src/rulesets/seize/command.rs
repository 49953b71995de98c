//! The commands of Seize the initiative.

use crate::vocabulary::{
    Actor, AllowedRole, CombatantId, CommandSpec, Commands, D20, Slug, Summary, Tagged, Word,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A command of Seize the initiative.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Tagged!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum Command {
    #[serde(rename = "start")]
    Start(Start),
    #[serde(rename = "roll_initiative")]
    RollInitiative(RollInitiative),
    #[serde(rename = "end_turn")]
    EndTurn(EndTurn),
    #[serde(rename = "seize")]
    SeizeTurn(SeizeTurn),
    #[serde(rename = "decline")]
    Decline(Decline),
    #[serde(rename = "close_seizing")]
    CloseSeizing(CloseSeizing),
    #[serde(rename = "nominate")]
    Nominate(Nominate),
    #[serde(rename = "spend")]
    Spend(Spend),
}

/// Begin the fight and its first turn: everybody rolls (WA-1), the server where no die is given.
/// Enemies are all combatants except on the side `players` and on the sides of the option
/// `not_enemies`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Whether the enemies roll one by one and group by group, or once for all of them (WA-3).
    #[serde(default)]
    #[schema(inline, default = "apart")]
    pub enemies: Enemies,
    /// The d20 of each combatant that rolled for itself at the table, in place of its
    /// `roll_initiative`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d20 of each group that rolled at the table, by the group's `roll_group`; all enemies
    /// together are `enemies`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub group_rolls: BTreeMap<Slug, D20>,
    /// The d20 with which a combatant rolls off a full tie, should there be one (WA-5a).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub roll_offs: BTreeMap<CombatantId, D20>,
    /// The same of a group.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub group_roll_offs: BTreeMap<Slug, D20>,
}

/// Give the d20 that a combatant's player rolled, before `start`. A later roll replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct RollInitiative {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20.
    pub roll: D20,
}

/// End a turn. Combatants that lost hit points in it may seize the next one (WA-13); else `next`
/// takes it (WA-8).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// A combatant without a turn in this round (WA-9), or the first of the next round (WA-11).
    pub next: Option<CombatantId>,
}

/// Seize the next turn after losing hit points (WA-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct SeizeTurn {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Decline to seize the next turn (WA-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Decline {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Go on: combatants that have not seized by now decline (WA-13).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct CloseSeizing {
    /// Whose turn is next, if nobody has seized it.
    pub next: Option<CombatantId>,
}

/// Pick whose turn is next, if the last turn ended without a pick; the turn begins.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Nominate {
    /// Who picks: the one who took the last turn. The game master leaves it out where that one has
    /// left the encounter.
    pub combatant: Option<CombatantId>,
    /// Who is picked.
    pub next: CombatantId,
}

/// Spend the extra Action of a 20, in your own first turn (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new("start", AllowedRole::Gm, "Start the fight", Start::SUMMARY),
        CommandSpec::new(
            "roll_initiative",
            AllowedRole::Player,
            "Roll initiative for {combatant}",
            RollInitiative::SUMMARY,
        ),
        CommandSpec::new(
            "end_turn",
            AllowedRole::Player,
            "End {combatant}'s turn",
            EndTurn::SUMMARY,
        ),
        CommandSpec::new(
            "seize",
            AllowedRole::Player,
            "Seize the next turn as {combatant}",
            SeizeTurn::SUMMARY,
        ),
        CommandSpec::new(
            "decline",
            AllowedRole::Player,
            "Decline to seize as {combatant}",
            Decline::SUMMARY,
        ),
        CommandSpec::new(
            "close_seizing",
            AllowedRole::Gm,
            "Let nobody else seize",
            CloseSeizing::SUMMARY,
        ),
        CommandSpec::new(
            "nominate",
            AllowedRole::Player,
            "Pick the next to act[ as {combatant}]",
            Nominate::SUMMARY,
        ),
        CommandSpec::new(
            "spend",
            AllowedRole::Player,
            "Spend {combatant}'s extra Action",
            Spend::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_) | Self::CloseSeizing(_) => Actor::Gm,
            Self::RollInitiative(RollInitiative { combatant, .. })
            | Self::EndTurn(EndTurn { combatant, .. })
            | Self::SeizeTurn(SeizeTurn { combatant, .. })
            | Self::Decline(Decline { combatant, .. })
            | Self::Spend(Spend { combatant, .. }) => Actor::of(combatant),
            Self::Nominate(Nominate { combatant, .. }) => Actor::of_optional(combatant.as_ref()),
        }
    }
}

/// How the enemies roll (WA-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Enemies {
    /// Each for itself, and those with the same `roll_group` once.
    #[default]
    Apart,
    /// Once for all of them.
    Together,
}
