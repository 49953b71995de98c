//! The commands of Seize the initiative.

use crate::vocabulary::{Actor, CombatantId, D20, Slug, tagged};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

tagged! {
    /// A command of Seize the initiative.
    pub enum Command {
        "start" => Start,
        "end_turn" => EndTurn,
        "seize" => SeizeTurn,
        "decline" => Decline,
        "close_seizing" => CloseSeizing,
        "nominate" => Nominate,
        "spend" => Spend,
    }
}

/// The fight begins: everybody rolls (WA-1), and the first turn with it.
///
/// A die that is not given is rolled by the server. Enemies are all combatants except those on the side `players`
/// and on the sides of the option `not_enemies`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Whether the enemies roll one by one and group by group, or once for all of them (WA-3).
    #[serde(default)]
    #[schema(inline, default = "apart")]
    pub enemies: Enemies,
    /// The d20 of each combatant that rolled for itself at the table.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub rolls: BTreeMap<CombatantId, D20>,
    /// The d20 of each group that rolled at the table, by the group's `roll_group`; all enemies together are `enemies`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub group_rolls: BTreeMap<Slug, D20>,
    /// The d20 with which a combatant rolls off a full tie, should there be one (AWA2).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub roll_offs: BTreeMap<CombatantId, D20>,
    /// The same of a group.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = std::collections::HashMap<String, u8>)]
    pub group_roll_offs: BTreeMap<Slug, D20>,
}

/// How the enemies roll (WA-3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Enemies {
    /// Each for itself, and those with the same `roll_group` once.
    #[default]
    Apart,
    /// Once for all of them.
    Together,
}

/// A turn ends. Whoever lost hit points in it may seize the next one now (WA-13); where nobody can, `next` is picked in the same
/// breath (WA-8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndTurn {
    /// Whose turn ends.
    pub combatant: CombatantId,
    /// Whose turn is next: of anybody who has had none in this round (WA-9), or who starts the next round where this turn was the
    /// last (WA-11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<CombatantId>,
}

/// Seizes the next turn after losing hit points (WA-12).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeizeTurn {
    /// Who seizes it.
    pub combatant: CombatantId,
}

/// Leaves it at having lost hit points: seizing is nobody's duty (WA-13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Decline {
    /// Who declines.
    pub combatant: CombatantId,
}

/// The game master goes on: whoever has not seized by now declines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseSeizing {
    /// Whose turn is next, where nobody has seized it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<CombatantId>,
}

/// Picks whose turn is next, where the last turn ended without that; the turn begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Nominate {
    /// Who picks: the one who took the last turn. The game master leaves it out where that one has left the encounter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combatant: Option<CombatantId>,
    /// Who is picked.
    pub next: CombatantId,
}

/// Spends the extra Action that a 20 gives, in one's own first turn (WA-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// Who spends it.
    pub combatant: CombatantId,
}

/// In whose name a command is sent.
pub(super) fn sender(command: &Command) -> Actor<'_> {
    match command {
        Command::Start(_) | Command::CloseSeizing(_) => Actor::Gm,
        Command::EndTurn(c) => Actor::one(&c.combatant),
        Command::SeizeTurn(c) => Actor::one(&c.combatant),
        Command::Decline(c) => Actor::one(&c.combatant),
        Command::Nominate(c) => Actor::named(c.combatant.as_ref()),
        Command::Spend(c) => Actor::one(&c.combatant),
    }
}
