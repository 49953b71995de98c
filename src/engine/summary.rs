//! An encounter in a list.

use crate::vocabulary::{Metadata, Status};
use serde::Serialize;
use utoipa::ToSchema;

/// An encounter in a list, without combatants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = EncounterSummary)]
pub struct Summary {
    /// Names the encounter; unguessable.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Texts of the client's own; left out if it has none.
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    #[schema(required = false)]
    pub metadata: Metadata,
    /// The id of its ruleset.
    pub ruleset: &'static str,
    /// How far it is.
    pub status: Status,
    /// The round (or unit), from 1; 0 before the first.
    pub round: u32,
    /// How many transitions made it; `If-Match` takes it in quotes.
    pub version: u64,
    /// When it was created, RFC 3339.
    #[schema(format = "date-time")]
    pub created_at: String,
}
