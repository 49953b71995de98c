//! Bodies of which the program has no type of its own, as the published document shows them.

use crate::vocabulary::{CommandSchema, CommandSpec, Manifest, Rule};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A ruleset: its manifest, and what all rulesets share.
#[derive(Serialize, ToSchema)]
pub struct RulesetInfo {
    /// Its manifest.
    #[serde(flatten)]
    pub manifest: &'static Manifest,
    /// The commands that every ruleset understands.
    pub shared_commands: &'static [CommandSpec],
    /// The rules that hold in every ruleset. Refusals name them too.
    pub shared_rules: &'static [Rule],
    /// The JSON Schema of its options, with their defaults.
    #[schema(value_type = Object)]
    pub options: Value,
    /// The JSON Schema of a combatant as a client describes it: the shared fields and those of the
    /// ruleset.
    #[schema(value_type = Object)]
    pub combatant: Value,
}

/// One command, or a list of commands.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum CommandRequest {
    /// A single command.
    One(CommandSchema),
    /// Commands that are applied all or nothing.
    List(#[schema(inline)] CommandList),
}

/// Commands that are applied all or nothing.
#[derive(ToSchema)]
#[schema(min_items = 1, max_items = 50)]
pub struct CommandList(pub Vec<CommandSchema>);
