//! The commands that every ruleset understands.

use super::{
    ChangesSchema, CombatantId, DraftSchema, EffectDraft, EffectId, HitPoints, Int, Lines,
    MemberId, Metadata, Slug, Text, command, commands, is_default, word,
};
use serde_json::Value;

/// A command that every ruleset understands.
#[commands]
pub enum SharedCommand {
    Damage,
    Heal,
    SetCondition,
    ClearCondition,
    SetAside,
    BringBack,
    AddEffect,
    RemoveEffect,
    ApplyEffect,
    AddCombatant,
    UpdateCombatant,
    RemoveCombatant,
    UpdateEncounter,
    Override,
    Note,
    EndEncounter,
    Undo,
    Redo,
}

/// Deals damage. If hit points are tracked and reach 0, the target is defeated; player characters
/// get the ruleset's `down` condition.
#[command(target, "Deal damage[ to {target}]")]
pub struct Damage {
    /// The combatant that takes the damage. Required without `targets`.
    pub target: Option<CombatantId>,
    /// The combatants that take the damage, each as much, in this order. A group whose members alone
    /// have hit points stands for those that have some left, or for all if none has.
    #[schema(min_items = 1, max_items = 500)]
    pub targets: Option<Vec<CombatantId>>,
    /// The member of a group. Required with a `target` of which only the members have hit points.
    pub member: Option<MemberId>,
    /// Damage after all reductions. 0 counts as no damage.
    pub amount: HitPoints,
    /// The combatant that deals the damage.
    pub source: Option<CombatantId>,
}

/// Restores hit points, at most up to the maximum. A target that was at 0 gets up again.
#[command(target, "Heal[ {target}][{!target} a combatant]")]
pub struct Heal {
    /// The combatant that regains hit points. Required without `targets`.
    pub target: Option<CombatantId>,
    /// The combatants that regain hit points, each as many, in this order. A group whose members
    /// alone have hit points stands for those that have some left, or for all if none has.
    #[schema(min_items = 1, max_items = 500)]
    pub targets: Option<Vec<CombatantId>>,
    /// The member of a group. Required with a `target` of which only the members have hit points.
    pub member: Option<MemberId>,
    /// Hit points to restore.
    pub amount: HitPoints,
}

/// Adds a condition. `dead`, `defeated` and `aside` take a combatant out of the fight in every
/// ruleset; the manifest lists the other conditions that its ruleset heeds.
#[command(gm, "Add[ {condition}][{!condition} a condition][ to {target}]")]
pub struct SetCondition {
    /// The combatant. Required without `targets`.
    pub target: Option<CombatantId>,
    /// The combatants that get it, in this order. Those that have it stay as they are; refused if all
    /// have it.
    #[schema(min_items = 1, max_items = 500)]
    pub targets: Option<Vec<CombatantId>>,
    /// The member of a group, with `target`.
    pub member: Option<MemberId>,
    /// The condition.
    pub condition: Slug,
}

/// Removes a condition.
#[command(
    gm,
    "Remove a condition[ from {member} of {target}][{!member} from {target}]"
)]
pub struct ClearCondition {
    /// The combatant. Required without `targets`.
    pub target: Option<CombatantId>,
    /// The combatants that lose it, in this order. Those that don't have it stay as they are; refused
    /// if none has it.
    #[schema(min_items = 1, max_items = 500)]
    pub targets: Option<Vec<CombatantId>>,
    /// The member of a group, with `target`.
    pub member: Option<MemberId>,
    /// The condition.
    pub condition: Slug,
}

/// Takes combatants out of the fight that are not defeated: they get the condition `aside`.
#[command(gm, "Set[ {target}][{!target} a combatant] aside")]
pub struct SetAside {
    /// The combatant. Required without `targets`.
    pub target: Option<CombatantId>,
    /// The combatants. Those that are aside stay so; refused if all are.
    #[schema(min_items = 1, max_items = 500)]
    pub targets: Option<Vec<CombatantId>>,
}

/// Brings combatants back that were set aside: they lose the condition `aside`.
#[command(gm, "Bring[ {target}][{!target} a combatant] back")]
pub struct BringBack {
    /// The combatant. Required without `targets`.
    pub target: Option<CombatantId>,
    /// The combatants. Those that are not aside stay as they are; refused if none is.
    #[schema(min_items = 1, max_items = 500)]
    pub targets: Option<Vec<CombatantId>>,
}

/// Starts an effect, or one on each of several targets.
#[command(source, "Add an effect")]
pub struct AddEffect {
    /// The effect.
    pub effect: EffectDraft,
}

/// Ends an effect early.
#[command(gm, "End an effect")]
pub struct RemoveEffect {
    /// Id of the effect.
    pub effect_id: EffectId,
}

/// Applies an effect that is due: its damage, its healing, or the roll of its die.
#[command(gm, "Apply {effect_id}")]
pub struct ApplyEffect {
    /// Id of the effect.
    pub effect_id: EffectId,
    /// The face of its die, if the table rolled it. Else the server rolls.
    pub roll: Option<Int<1, 100>>,
}

/// Adds a combatant to the encounter.
#[command(gm, "Add a combatant")]
pub struct AddCombatant {
    /// Fields of the combatant, as in the creation of an encounter.
    #[schema(value_type = DraftSchema)]
    pub details: Value,
}

/// Changes fields of a combatant: name, side, controller, hit points, or the ruleset's own stats.
#[command(gm, "Edit a combatant")]
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
#[command(gm, "Remove a combatant")]
pub struct RemoveCombatant {
    /// The combatant.
    pub combatant: CombatantId,
}

/// Changes the name of the encounter, its metadata, or the time of a turn.
#[command(gm, "Edit the encounter")]
pub struct UpdateEncounter {
    /// The new name.
    pub name: Option<Text<120>>,
    /// The new metadata, which replaces the old one.
    #[advanced]
    pub metadata: Option<Metadata>,
    /// The seconds that a turn may take, or 0 for no set time. Clients count them from `since`;
    /// nothing ends by itself.
    pub turn_seconds: Option<Int<0, 86_400>>,
}

/// Gives the turn to a combatant, whatever the rules say. The log records it as an override.
#[command(gm, "Override: set whose turn it is")]
pub struct Override {
    /// The combatant that gets the turn.
    pub combatant: CombatantId,
}

/// Adds a note to the log, of at most 2000 characters.
#[command(gm, "Write a note")]
pub struct Note {
    /// The note.
    pub text: Lines<2000>,
    /// Readers of the note: only the game master, or all.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schema(inline, default = "gm")]
    pub readers: Readers,
}

/// Ends the encounter. Only notes, undo and redo can follow.
#[command(gm, "End the encounter")]
pub struct EndEncounter {}

/// Restores the state before the last command that is not undone, or at `to_version`. The log keeps
/// everything; `redo` reverts it. Send it alone, not in a list.
#[command(author, "Undo the last step")]
pub struct Undo {
    /// Version to restore: earlier than the current one, and still kept. Absent for one step back.
    pub to_version: Option<u64>,
}

/// Restores the state before the last undo, if no other command followed. Send it alone, not in a
/// list.
#[command(gm, "Redo the last undo")]
pub struct Redo {}

/// Readers of a note.
#[word]
pub enum Readers {
    /// The game master.
    #[default]
    Gm,
    /// All viewers.
    All,
}
