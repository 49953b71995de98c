//! Bodies that the program puts together from parts, as the published document shows them.

use crate::vocabulary::{CombatantId, CommandSchema, EncounterSchema, EventSchema, LegalCommands, Pending};
use utoipa::ToSchema;

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

/// What a command changed: the whole encounter, or with `Prefer: return=minimal` only `current` and `pending`.
#[derive(ToSchema)]
pub struct CommandAnswer {
    /// The version that the command made. `If-Match` takes it in quotes.
    pub version: u64,
    /// What happened, in order.
    pub events: Vec<EventSchema>,
    /// The encounter after the command.
    #[schema(required = false)]
    pub encounter: EncounterSchema,
    /// The combatants whose turn it is.
    #[schema(required = false)]
    pub current: Vec<CombatantId>,
    /// The decision that is awaited, if there is one.
    pub pending: Option<Pending>,
    /// What the sender may send now, with `include=options`.
    #[schema(required = false)]
    pub options: LegalCommands,
}
