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
    #[serde(rename = "roll")]
    Roll(Roll),
    #[serde(rename = "end_turn")]
    EndTurn(EndTurn),
    #[serde(rename = "seize")]
    SeizeTurn(SeizeTurn),
    #[serde(rename = "pass")]
    Pass(Pass),
    #[serde(rename = "resolve")]
    Resolve(Resolve),
    #[serde(rename = "nominate")]
    Nominate(Nominate),
    #[serde(rename = "take_extra_action")]
    TakeExtraAction(TakeExtraAction),
}

/// Start the fight and its first turn. All combatants roll (WA-1); the server rolls the missing
/// dice. Enemies are all combatants except those on the side `players` and on the sides of
/// the option `not_enemies`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The way in which the enemies roll: one by one and by group, or one roll for all (WA-3).
    #[serde(default)]
    #[schema(inline, default = "apart")]
    pub enemies: Enemies,
    /// d20 rolled at the table, by combatant; they replace a die given by `roll`. The server rolls
    /// the rest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, D20>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// d20 rolled at the table for groups, by `roll_group`; all enemies together are the group
    /// `enemies`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, D20>)]
    pub group_rolls: BTreeMap<Slug, D20>,
    /// d20 rolled at the table for the roll-off of a full tie, by combatant (WA-5a). The server
    /// rolls the rest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, D20>)]
    pub roll_offs: BTreeMap<CombatantId, D20>,
    /// d20 rolled at the table for the roll-off of a full tie, by group.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, D20>)]
    pub group_roll_offs: BTreeMap<Slug, D20>,
}

/// Roll a combatant's d20 before `start` (WA-1). A later roll replaces it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// The combatant.
    pub combatant: CombatantId,
    /// The d20 rolled at the table. The server rolls it if left out.
    pub roll: Option<D20>,
}

/// End a turn. Combatants that lost hit points in it may seize the next one (WA-13); otherwise
/// `next` acts next (WA-8).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// The combatant.
    pub combatant: CombatantId,
    /// The combatant that acts next: one without a turn in this round (WA-9), or the first of the
    /// next round (WA-11).
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
pub struct Pass {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Close seizing: all combatants that have not decided pass (WA-13).
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Resolve {
    /// The combatant that acts next, if no combatant has seized the turn.
    pub next: Option<CombatantId>,
}

/// Choose who acts next, if the last turn ended without a choice; that turn starts.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Nominate {
    /// The combatant that chooses: the one that took the last turn. The game master leaves it out
    /// if that one has left the encounter.
    pub combatant: Option<CombatantId>,
    /// The combatant that acts next.
    pub next: CombatantId,
}

/// Take the extra Action for a 20, in your own first turn (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct TakeExtraAction {
    /// The combatant.
    pub combatant: CombatantId,
}

impl Commands for Command {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new("start", AllowedRole::Gm, "Start the fight", Start::SUMMARY),
        CommandSpec::new(
            "roll",
            AllowedRole::Player,
            "{combatant}: roll initiative",
            Roll::SUMMARY,
        ),
        CommandSpec::new(
            "end_turn",
            AllowedRole::Player,
            "{combatant}: end turn",
            EndTurn::SUMMARY,
        ),
        CommandSpec::new(
            "seize",
            AllowedRole::Player,
            "{combatant}: seize the next turn",
            SeizeTurn::SUMMARY,
        ),
        CommandSpec::new(
            "pass",
            AllowedRole::Player,
            "{combatant}: decline to seize",
            Pass::SUMMARY,
        ),
        CommandSpec::new(
            "resolve",
            AllowedRole::Gm,
            "Close seizing",
            Resolve::SUMMARY,
        ),
        CommandSpec::new(
            "nominate",
            AllowedRole::Player,
            "[{combatant}: choose][{!combatant}Choose] who acts next",
            Nominate::SUMMARY,
        ),
        CommandSpec::new(
            "take_extra_action",
            AllowedRole::Player,
            "{combatant}: take the extra Action",
            TakeExtraAction::SUMMARY,
        ),
    ];

    fn actor(&self) -> Actor<'_> {
        match self {
            Self::Start(_) | Self::Resolve(_) => Actor::Gm,
            Self::Roll(Roll { combatant, .. })
            | Self::EndTurn(EndTurn { combatant, .. })
            | Self::SeizeTurn(SeizeTurn { combatant, .. })
            | Self::Pass(Pass { combatant, .. })
            | Self::TakeExtraAction(TakeExtraAction { combatant, .. }) => Actor::of(combatant),
            Self::Nominate(Nominate { combatant, .. }) => Actor::of_optional(combatant.as_ref()),
        }
    }
}

/// The way in which the enemies roll (WA-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Enemies {
    /// One roll for each combatant, and one for all with the same `roll_group`.
    #[default]
    Apart,
    /// One roll for all of them.
    Together,
}
