//! The commands that every ruleset understands.

use super::{
    ChangesSchema, CombatantId, DraftSchema, EffectDraft, EffectId, Int, MemberId, Metadata, Slug,
    Text, commands, is_default, words,
};
use serde_json::Value;

commands! {
    /// A command that every ruleset understands.
    SharedCommand;

    /// Somebody takes damage; with tracked hit points they go down, and at 0 it is defeated, or a player's character what its ruleset
    /// says.
    "damage" (Gm) => Damage says "Deal damage[ to {target}]" {
        /// Who takes it.
        target: CombatantId,
        /// Which member, where the target is a group; needed where the hit points are those of its members alone.
        member: Option<MemberId>,
        /// How much is left after every reduction; 0 counts as no damage.
        amount: Int<0, 1_000_000>,
        /// Who deals it.
        source: Option<CombatantId>,
    }

    /// Somebody regains hit points, at most up to the maximum; one that was defeated by their loss stands again.
    "heal" (Gm) => Heal says "Heal[ {target}]" {
        /// Who is healed.
        target: CombatantId,
        /// Which member, where the target is a group; needed where the hit points are those of its members alone.
        member: Option<MemberId>,
        /// How much.
        amount: Int<0, 1_000_000>,
    }

    /// Somebody gets a condition. `dead` and `defeated` take it out of the fight in every ruleset; a manifest says which others
    /// its ruleset heeds.
    "set_condition" (Gm) => SetCondition says "Give[ {target}] a condition" {
        /// Who gets it.
        target: CombatantId,
        /// Which member, where it is one of a group.
        member: Option<MemberId>,
        /// Which condition.
        condition: Slug,
    }

    /// Somebody loses a condition.
    "clear_condition" (Gm) => ClearCondition says "Clear a condition[ of {target}]" {
        /// Who loses it.
        target: CombatantId,
        /// Which member, where it is one of a group.
        member: Option<MemberId>,
        /// Which condition.
        condition: Slug,
    }

    /// An effect begins.
    "add_effect" (Source) => AddEffect says "Add an effect" {
        /// The effect.
        effect: EffectDraft,
    }

    /// An effect ends before its time.
    "remove_effect" (Gm) => RemoveEffect says "End an effect" {
        /// Which effect.
        effect: EffectId,
    }

    /// Somebody joins the encounter.
    "add_combatant" (Gm) => AddCombatant says "Add a combatant" {
        /// The combatant, described as at the creation of the encounter.
        #[schema(value_type = DraftSchema)]
        combatant: Value,
    }

    /// Something about a combatant changes: its name, side, controller, hit points, or the ruleset's own stats.
    "update_combatant" (Gm) => UpdateCombatant says "Change a combatant" {
        /// Who.
        combatant: CombatantId,
        /// The fields that change, with their new values. A `max` or `temp` that `hp` leaves out stays as it is.
        #[schema(value_type = ChangesSchema)]
        changes: Value,
    }

    /// Somebody leaves the encounter.
    "remove_combatant" (Gm) => RemoveCombatant says "Remove a combatant" {
        /// Who.
        combatant: CombatantId,
    }

    /// The encounter gets another name, or other metadata, or both.
    "update_encounter" (Gm) => UpdateEncounter says "Change the encounter" {
        /// Its new name.
        name: Option<Text<120>>,
        /// Its new metadata, which replace all that it has.
        metadata: Option<Metadata>,
    }

    /// The game master says whose turn it is, whatever the rules say; it is logged as such.
    "override" (Gm) => Override says "Give the turn to a combatant" {
        /// Whose turn it is now.
        combatant: CombatantId,
    }

    /// A line for the log, at most 2000 characters.
    "note" (Gm) => Note says "Write a note" {
        /// What it says.
        text: Text<2000>,
        /// Who may read it: the game master alone, or everybody.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schema(inline, default = "gm")]
        readers: Readers,
    }

    /// The encounter is over; nothing but notes, undo and redo can follow.
    "end_encounter" (Gm) => EndEncounter says "End the encounter" {}

    /// Everything is again as it was: before what was accepted last and is not undone yet, or at a version of choice. Nothing is
    /// lost: the log goes on, and `redo` takes it back. Sent alone, never within a list.
    "undo" (Author) => Undo says "Undo the last step" {
        /// The version whose state is wanted, any that is earlier than the present one and still kept; without it, a single step back.
        to_version: Option<u64>,
    }

    /// Everything is again as it was before the newest undo that was not taken back; any other command makes an end of redoing.
    /// Sent alone, never within a list.
    "redo" (Gm) => Redo says "Redo the last undo" {}
}

words! {
    /// Who may read a line of the log.
    Readers = Gm {
        /// The game master.
        Gm,
        /// Everybody.
        All,
    }
}
