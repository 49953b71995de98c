//! The tools of `/mcp`, and what they take. Tests make the list of tools (`openapi/mcp.json`) of
//! these types; the program serves the committed one.

use crate::vocabulary::{CombatantId, Int};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A tool as the list of tools describes it.
pub struct ToolSpec {
    /// Its name, for calls.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Its effect and its answer, for models.
    pub description: &'static str,
    /// True if it changes nothing.
    pub read_only: bool,
}

/// All tools, in the order of a game.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec {
        name: "list_rulesets",
        title: "List the rulesets",
        description: "Lists the published initiative systems and the presets of `custom`. With \
                      `ruleset` it describes one: its rules, and the JSON Schemas of its options \
                      and combatants.",
        read_only: true,
    },
    ToolSpec {
        name: "create_encounter",
        title: "Create an encounter",
        description: "Creates a fight under a ruleset and returns its id (`encounter`), the game \
                      master's `token`, the turn table and the options. Keep both: the other tools \
                      take them. Start the fight with the option `start`. For a preset of `custom` \
                      send {\"ruleset\": \"custom\", \"options\": {\"preset\": \"zipper\"}}.",
        read_only: false,
    },
    ToolSpec {
        name: "see_table",
        title: "See the turn table",
        description: "Returns the turn table as text: whose turn it is, the order, hit points, and \
                      the decision that the fight awaits. It shows what the token may see.",
        read_only: true,
    },
    ToolSpec {
        name: "list_options",
        title: "List the options",
        description: "Lists all that the token may do now. Each option has an `id`, and `choices` \
                      with the JSON Schema of their values. `primary` marks the usual ones, \
                      `complete` those without required choices. With `tools` it also lists the \
                      tools of the table: hit points, conditions, effects, combatants, notes, undo.",
        read_only: true,
    },
    ToolSpec {
        name: "choose_option",
        title: "Choose an option",
        description: "Does what an option says, at the version that listed it, and returns what \
                      happened, the turn table and the next options. If the table has changed \
                      since, nothing happens and the answer has the options of now. A call that is \
                      sent again acts once. The server rolls all dice that `values` leaves out.",
        read_only: false,
    },
    ToolSpec {
        name: "read_log",
        title: "Read the log",
        description: "Returns what happened after a version, oldest first. With `wait` it waits \
                      for the next entry if there is none yet, such as for another player's turn.",
        read_only: true,
    },
];

/// The arguments of `list_rulesets`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRulesets {
    /// The id of a ruleset to describe. Without it, all are listed.
    #[schema(required = false, value_type = String)]
    pub ruleset: Option<String>,
}

/// The arguments of `create_encounter` besides those of the body of `POST /v1/encounters`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateEncounter {
    /// A key of your own, such as a UUID: a call that is sent again with the same key returns the
    /// first encounter.
    #[schema(required = false, value_type = String, min_length = 22, max_length = 255,
        pattern = "^[!-~]+$")]
    pub idempotency_key: Option<String>,
}

/// The arguments that all tools of an encounter take.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// The id of the encounter.
    pub encounter: String,
    /// The token, unless the header Authorization has it.
    #[schema(required = false, value_type = String)]
    pub token: Option<String>,
}

/// The arguments of `see_table` besides those of all tools.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SeeTable {}

/// The arguments of `list_options` besides those of all tools.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListOptions {
    /// The id of a combatant, to list only its options.
    #[schema(required = false, value_type = CombatantId)]
    pub combatant: Option<CombatantId>,
    /// True to list the tools of the table too.
    #[serde(default)]
    #[schema(default = false)]
    pub tools: bool,
}

/// The arguments of `choose_option` besides those of all tools.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChooseOption {
    /// The id of the option.
    pub option: String,
    /// The version that the options were listed at.
    pub version: u64,
    /// The values of the option's choices by their fields: all required ones, and others as you
    /// like.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub values: Map<String, Value>,
}

/// The arguments of `read_log` besides those of all tools.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadLog {
    /// The version after which to read. Without it, the answer begins with the oldest entry.
    #[schema(required = false, value_type = u64)]
    pub after: Option<u64>,
    /// The maximum number of entries.
    #[schema(required = false, value_type = usize, default = 20, minimum = 1, maximum = 100)]
    pub limit: Option<Int<1, 100>>,
    /// The maximum number of seconds to wait for an entry if there is none.
    #[serde(default)]
    #[schema(value_type = u64, default = 0, minimum = 0, maximum = 60)]
    pub wait: Int<0, 60>,
}
