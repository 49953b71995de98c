//! The commands that every ruleset understands.

use super::{
    AllowedRole, ChangesSchema, CombatantId, CommandSpec, Commands, DraftSchema, EffectDraft,
    EffectId, Int, MemberId, Metadata, Slug, Summary, Tagged, Text, Word, is_default,
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

/// Somebody takes damage; with tracked hit points they go down, and at 0 it is defeated, or a
/// player's character what its ruleset says.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Damage {
    /// Who takes it.
    pub target: CombatantId,
    /// Which member, where the target is a group; needed where the hit points are those of its
    /// members alone.
    pub member: Option<MemberId>,
    /// How much is left after every reduction; 0 counts as no damage.
    pub amount: Int<0, 1_000_000>,
    /// Who deals it.
    pub source: Option<CombatantId>,
}

/// Somebody regains hit points, at most up to the maximum; one that was defeated by their loss
/// stands again.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Heal {
    /// Who is healed.
    pub target: CombatantId,
    /// Which member, where the target is a group; needed where the hit points are those of its
    /// members alone.
    pub member: Option<MemberId>,
    /// How much.
    pub amount: Int<0, 1_000_000>,
}

/// Somebody gets a condition. `dead` and `defeated` take it out of the fight in every ruleset; a
/// manifest says which others its ruleset heeds.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct SetCondition {
    /// Who gets it.
    pub target: CombatantId,
    /// Which member, where it is one of a group.
    pub member: Option<MemberId>,
    /// Which condition.
    pub condition: Slug,
}

/// Somebody loses a condition.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct ClearCondition {
    /// Who loses it.
    pub target: CombatantId,
    /// Which member, where it is one of a group.
    pub member: Option<MemberId>,
    /// Which condition.
    pub condition: Slug,
}

/// An effect begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct AddEffect {
    /// The effect.
    pub effect: EffectDraft,
}

/// An effect ends before its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct RemoveEffect {
    /// Id of the effect.
    pub effect_id: EffectId,
}

/// Somebody joins the encounter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct AddCombatant {
    /// Fields of the combatant, as in the creation of an encounter.
    #[schema(value_type = DraftSchema)]
    pub details: Value,
}

/// Something about a combatant changes: its name, side, controller, hit points, or the ruleset's
/// own stats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct UpdateCombatant {
    /// Who.
    pub combatant: CombatantId,
    /// The fields that change, with their new values. A `max` or `temp` that `hp` leaves out stays
    /// as it is.
    #[schema(value_type = ChangesSchema)]
    pub changes: Value,
}

/// Somebody leaves the encounter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct RemoveCombatant {
    /// Who.
    pub combatant: CombatantId,
}

/// The encounter gets another name, or other metadata, or both.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct UpdateEncounter {
    /// Its new name.
    pub name: Option<Text<120>>,
    /// Its new metadata, which replace all that it has.
    pub metadata: Option<Metadata>,
}

/// The game master says whose turn it is, whatever the rules say; it is logged as such.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// Whose turn it is now.
    pub combatant: CombatantId,
}

/// A line for the log, at most 2000 characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// What it says.
    pub text: Text<2000>,
    /// Who may read it: the game master alone, or everybody.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(inline, default = "gm")]
    pub readers: Readers,
}

/// The encounter is over; nothing but notes, undo and redo can follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct EndEncounter {}

/// Everything is again as it was: before what was accepted last and is not undone yet, or at a
/// version of choice. Nothing is lost: the log goes on, and `redo` takes it back. Sent alone, never
/// within a list.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, Summary!)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// The version whose state is wanted, any that is earlier than the present one and still kept;
    /// without it, a single step back.
    pub to_version: Option<u64>,
}

/// Everything is again as it was before the newest undo that was not taken back; any other command
/// makes an end of redoing. Sent alone, never within a list.
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
        CommandSpec::new("heal", AllowedRole::Gm, "Heal[ {target}]", Heal::SUMMARY),
        CommandSpec::new(
            "set_condition",
            AllowedRole::Gm,
            "Give[ {target}] a condition",
            SetCondition::SUMMARY,
        ),
        CommandSpec::new(
            "clear_condition",
            AllowedRole::Gm,
            "Clear a condition[ of {target}]",
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
            "Change a combatant",
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
            "Change the encounter",
            UpdateEncounter::SUMMARY,
        ),
        CommandSpec::new(
            "override",
            AllowedRole::Gm,
            "Give the turn to a combatant",
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

/// Who may read a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[derive(Serialize, Deserialize, ToSchema, Word!)]
#[serde(rename_all = "snake_case")]
pub enum Readers {
    /// The game master.
    #[default]
    Gm,
    /// Everybody.
    All,
}
