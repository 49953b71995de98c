//! Bodies of which the program has no type of its own, as the published document shows them.

use crate::vocabulary::{AllowedRole, CommandSchema, CommandSpec, Decision, Manifest, Rule};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The rulesets, and what all of them share.
#[derive(Serialize, ToSchema)]
pub struct RulesetList {
    /// A summary of each ruleset.
    pub items: Vec<RulesetSummary>,
    /// The commands that every ruleset understands.
    pub shared_commands: &'static [CommandSpec],
    /// The rules that hold in every ruleset. Refusals name them too.
    pub shared_rules: &'static [Rule],
}

/// A summary of a ruleset.
#[derive(Serialize, ToSchema)]
pub struct RulesetSummary {
    /// Its id, as encounters name it.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The author or publisher of the system.
    pub author: &'static str,
    /// The address of its text.
    pub source: &'static str,
    /// The system in a sentence or two.
    pub summary: &'static str,
    /// Its word for a round, in lower case.
    pub round: &'static str,
    /// The address of its manifest, relative to this list.
    #[schema(example = "rulesets/seize")]
    pub manifest: String,
    /// The address of its OpenAPI document, relative to this list.
    #[schema(example = "rulesets/seize/openapi.json")]
    pub openapi: String,
}

/// A ruleset in full. Each schema in it is JSON Schema 2020-12 and stands alone.
#[derive(Serialize, ToSchema)]
pub struct RulesetManifest {
    /// Its description.
    #[serde(flatten)]
    pub manifest: &'static Manifest,
    /// The commands that can be sent: its own, then those that every ruleset understands.
    pub commands: Vec<CommandInfo>,
    /// The events that can happen: its own, then those that every ruleset has.
    pub events: Vec<EventInfo>,
    /// The decisions that an encounter may await.
    #[schema(inline)]
    pub decisions: Vec<Decision>,
    /// Options to start from. Left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(inline, required = false)]
    pub presets: Vec<PresetInfo>,
    /// The JSON Schema of its options, with their defaults.
    #[schema(value_type = Object)]
    pub options: Value,
    /// The JSON Schema of a combatant as a client describes it: the shared fields and those of the
    /// ruleset.
    #[schema(value_type = Object)]
    pub combatant: Value,
}

/// A command with its schema.
#[derive(Serialize, ToSchema)]
pub struct CommandInfo {
    /// Its `type`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its effect, in one line.
    pub summary: &'static str,
    /// The roles that may send it.
    pub sender: AllowedRole,
    /// True if every ruleset understands it.
    pub shared: bool,
    /// Its JSON Schema.
    #[schema(value_type = Object)]
    pub schema: Value,
}

/// An event with its schema.
#[derive(Serialize, ToSchema)]
pub struct EventInfo {
    /// Its `type`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The event in one line.
    pub summary: String,
    /// True if every ruleset has it.
    pub shared: bool,
    /// Its JSON Schema.
    #[schema(value_type = Object)]
    pub schema: Value,
}

/// Options to start from.
#[derive(Serialize, ToSchema)]
pub struct PresetInfo {
    /// Its id: the option `preset`.
    pub id: &'static str,
    /// Its order of turns, in a few words.
    pub title: &'static str,
    /// The games that are played so.
    pub plays: &'static str,
    /// The conditions that these games name, for people to choose from. Left out if none is known.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(required = false)]
    pub conditions: &'static [&'static str],
    /// Its definition: the option `definition` in full.
    #[schema(value_type = Object)]
    pub definition: Value,
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
