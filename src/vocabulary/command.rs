//! The commands that every ruleset understands.

use super::{
    AllowedRole, ChangesSchema, CombatantId, CommandSpec, Commands, DraftSchema, EffectDraft,
    EffectId, Int, Lines, MemberId, Metadata, Slug, Summary, Tagged, Text, Word, is_default,
};
use macro_rules_attribute::derive;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// A command that every ruleset understands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Tagged!)]
#[serde(tag = "type")]
#[allow(missing_docs, reason = "each variant is its struct, documented there")]
pub enum SharedCommand {
    #[serde(rename = "damage")]
    Damage(Damage),
    #[serde(rename = "heal")]
    Heal(Heal),
    #[serde(rename = "set_condition")]
    SetCondition(SetCondition),
    #[serde(rename = "clear_condition")]
    ClearCondition(ClearCondition),
    #[serde(rename = "add_effect")]
    AddEffect(AddEffect),
    #[serde(rename = "remove_effect")]
    RemoveEffect(RemoveEffect),
    #[serde(rename = "add_combatant")]
    AddCombatant(AddCombatant),
    #[serde(rename = "update_combatant")]
    UpdateCombatant(UpdateCombatant),
    #[serde(rename = "remove_combatant")]
    RemoveCombatant(RemoveCombatant),
    #[serde(rename = "update_encounter")]
    UpdateEncounter(UpdateEncounter),
    #[serde(rename = "override")]
    Override(Override),
    #[serde(rename = "note")]
    Note(Note),
    #[serde(rename = "end_encounter")]
    EndEncounter(EndEncounter),
    #[serde(rename = "undo")]
    Undo(Undo),
    #[serde(rename = "redo")]
    Redo(Redo),
}

/// Deals damage. If hit points are tracked and reach 0, the target is defeated; player characters
/// get the ruleset's `down` condition.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Damage {
    /// The combatant that takes the damage.
    pub target: CombatantId,
    /// The member of a group. Required if only the members have hit points.
    pub member: Option<MemberId>,
    /// Damage after all reductions. 0 counts as no damage.
    pub amount: Int<0, 1_000_000>,
    /// The combatant that deals the damage.
    pub source: Option<CombatantId>,
}

/// Restores hit points, at most up to the maximum. A target that was at 0 gets up again.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Heal {
    /// The combatant that regains hit points.
    pub target: CombatantId,
    /// The member of a group. Required if only the members have hit points.
    pub member: Option<MemberId>,
    /// Hit points to restore.
    pub amount: Int<0, 1_000_000>,
}

/// Adds a condition. `dead` and `defeated` take a combatant out of the fight in every ruleset; the
/// manifest lists the other conditions that its ruleset heeds.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct SetCondition {
    /// The combatant.
    pub target: CombatantId,
    /// The member of a group.
    pub member: Option<MemberId>,
    /// The condition.
    pub condition: Slug,
}

/// Removes a condition.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct ClearCondition {
    /// The combatant.
    pub target: CombatantId,
    /// The member of a group.
    pub member: Option<MemberId>,
    /// The condition.
    pub condition: Slug,
}

/// Starts an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct AddEffect {
    /// The effect.
    pub effect: EffectDraft,
}

/// Ends an effect early.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct RemoveEffect {
    /// Id of the effect.
    pub effect_id: EffectId,
}

/// Adds a combatant to the encounter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct AddCombatant {
    /// Fields of the combatant, as in the creation of an encounter.
    #[schema(value_type = DraftSchema)]
    pub details: Value,
}

/// Changes fields of a combatant: name, side, controller, hit points, or the ruleset's own stats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct UpdateCombatant {
    /// The combatant.
    pub combatant: CombatantId,
    /// New values of the fields that change, at least one. The others stay, also the parts of `hp`,
    /// the members of a group and the named numbers. Lower current hit points are damage, higher
    /// ones healing.
    #[schema(value_type = ChangesSchema)]
    pub changes: Value,
}

/// Removes a combatant from the encounter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct RemoveCombatant {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Changes the name of the encounter, its metadata, or both.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct UpdateEncounter {
    /// The new name.
    pub name: Option<Text<120>>,
    /// The new metadata, which replaces the old one.
    pub metadata: Option<Metadata>,
}

/// Gives the turn to a combatant, whatever the rules say. The log records it as an override.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// The combatant that gets the turn.
    pub combatant: CombatantId,
}

/// Adds a note to the log, of at most 2000 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The note.
    pub text: Lines<2000>,
    /// Readers of the note: only the game master, or all.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(inline, default = "gm")]
    pub readers: Readers,
}

/// Ends the encounter. Only notes, undo and redo can follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndEncounter {}

/// Restores the state before the last command that is not undone, or at `to_version`. The log keeps
/// everything; `redo` reverts it. Send it alone, not in a list.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// Version to restore: earlier than the current one, and still kept. Absent for one step back.
    pub to_version: Option<u64>,
}

/// Restores the state before the last undo, if no other command followed. Send it alone, not in a
/// list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Redo {}

impl Commands for SharedCommand {
    const SPECS: &'static [CommandSpec] = &[
        CommandSpec::new(
            "damage",
            AllowedRole::Gm,
            "Deal damage[ to {target}]",
            Damage::SUMMARY,
        ),
        CommandSpec::new(
            "heal",
            AllowedRole::Gm,
            "Heal[ {target}][{!target} a combatant]",
            Heal::SUMMARY,
        ),
        CommandSpec::new(
            "set_condition",
            AllowedRole::Gm,
            "Add[ {condition}][{!condition} a condition][ to {target}]",
            SetCondition::SUMMARY,
        ),
        CommandSpec::new(
            "clear_condition",
            AllowedRole::Gm,
            "Remove a condition[ from {member} of {target}][{!member} from {target}]",
            ClearCondition::SUMMARY,
        ),
        CommandSpec::new(
            "add_effect",
            AllowedRole::Source,
            "Add an effect",
            AddEffect::SUMMARY,
        ),
        CommandSpec::new(
            "remove_effect",
            AllowedRole::Gm,
            "End an effect",
            RemoveEffect::SUMMARY,
        ),
        CommandSpec::new(
            "add_combatant",
            AllowedRole::Gm,
            "Add a combatant",
            AddCombatant::SUMMARY,
        ),
        CommandSpec::new(
            "update_combatant",
            AllowedRole::Gm,
            "Edit a combatant",
            UpdateCombatant::SUMMARY,
        ),
        CommandSpec::new(
            "remove_combatant",
            AllowedRole::Gm,
            "Remove a combatant",
            RemoveCombatant::SUMMARY,
        ),
        CommandSpec::new(
            "update_encounter",
            AllowedRole::Gm,
            "Edit the encounter",
            UpdateEncounter::SUMMARY,
        ),
        CommandSpec::new(
            "override",
            AllowedRole::Gm,
            "Override: set whose turn it is",
            Override::SUMMARY,
        ),
        CommandSpec::new("note", AllowedRole::Gm, "Write a note", Note::SUMMARY),
        CommandSpec::new(
            "end_encounter",
            AllowedRole::Gm,
            "End the encounter",
            EndEncounter::SUMMARY,
        ),
        CommandSpec::new(
            "undo",
            AllowedRole::Author,
            "Undo the last step",
            Undo::SUMMARY,
        ),
        CommandSpec::new("redo", AllowedRole::Gm, "Redo the last undo", Redo::SUMMARY),
    ];
}

/// Readers of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[derive(Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Readers {
    /// The game master.
    #[default]
    Gm,
    /// All viewers.
    All,
}
