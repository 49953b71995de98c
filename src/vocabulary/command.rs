//! The commands that every ruleset understands.

use super::{CombatantId, EffectDraft, EffectId, Int, Slug, Text, tagged};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

tagged! {
    /// A command that every ruleset understands.
    pub enum SharedCommand {
        "damage" => Damage,
        "heal" => Heal,
        "set_condition" => SetCondition,
        "clear_condition" => ClearCondition,
        "add_effect" => AddEffect,
        "remove_effect" => RemoveEffect,
        "add_combatant" => AddCombatant,
        "update_combatant" => UpdateCombatant,
        "remove_combatant" => RemoveCombatant,
        "override" => Override,
        "note" => Note,
        "end_encounter" => EndEncounter,
        "undo" => Undo,
        "redo" => Redo,
    }
}

/// Somebody takes damage; with tracked hit points they go down, and at 0 it is defeated, or a player's character what its ruleset
/// says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Damage {
    /// Who takes it.
    pub target: CombatantId,
    /// Which member, where the target is a group; needed where the hit points are those of its members alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Slug>,
    /// How much is left after every reduction; 0 counts as no damage.
    pub amount: Int<0, 1_000_000>,
    /// Who deals it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<CombatantId>,
}

/// Somebody regains hit points, at most up to the maximum; one that was defeated by their loss stands again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Heal {
    /// Who is healed.
    pub target: CombatantId,
    /// Which member, where the target is a group; needed where the hit points are those of its members alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Slug>,
    /// How much.
    pub amount: Int<0, 1_000_000>,
}

/// Somebody gets a condition. `dead` and `defeated` take it out of the fight in every ruleset; a manifest says which others
/// its ruleset heeds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetCondition {
    /// Who gets it.
    pub target: CombatantId,
    /// Which member, where it is one of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Slug>,
    /// Which condition.
    pub condition: Slug,
}

/// Somebody loses a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClearCondition {
    /// Who loses it.
    pub target: CombatantId,
    /// Which member, where it is one of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<Slug>,
    /// Which condition.
    pub condition: Slug,
}

/// An effect begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddEffect {
    /// The effect.
    pub effect: EffectDraft,
}

/// An effect ends before its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveEffect {
    /// Which effect.
    pub effect: EffectId,
}

/// Somebody joins the encounter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddCombatant {
    /// The combatant, described as at the creation of the encounter.
    pub combatant: Value,
}

/// Something about a combatant changes: its name, side, controller, hit points, or the ruleset's own stats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateCombatant {
    /// Who.
    pub combatant: CombatantId,
    /// The fields that change, with their new values.
    pub changes: Value,
}

/// Somebody leaves the encounter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveCombatant {
    /// Who.
    pub combatant: CombatantId,
}

/// The game master says whose turn it is, whatever the rules say; it is logged as such.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// Whose turn it is now.
    pub combatant: CombatantId,
}

/// Who may read a line of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Readers {
    /// The game master.
    #[default]
    Gm,
    /// Everybody.
    All,
}

impl Readers {
    /// Whether it is for the game master alone.
    pub fn gm(&self) -> bool {
        *self == Self::Gm
    }
}

/// A line for the log, at most 2000 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// What it says.
    pub text: Text<2000>,
    /// Who may read it: the game master alone, or everybody.
    #[serde(default, skip_serializing_if = "Readers::gm")]
    #[schema(inline, default = "gm")]
    pub readers: Readers,
}

/// The encounter is over; nothing but notes, undo and redo can follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EndEncounter {}

/// Everything is again as it was: before what was accepted last and is not undone yet, or at a version of choice. Nothing is
/// lost: the log goes on, and `redo` takes it back. Sent alone, never within a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// The version whose state is wanted, any that is earlier than the present one and still kept; without it, a single step back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_version: Option<u64>,
}

/// Everything is again as it was before the newest undo that was not taken back; any other command makes an end of redoing.
/// Sent alone, never within a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Redo {}
