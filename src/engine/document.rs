//! What is stored: the document of an encounter and the entries of its log.

use crate::vocabulary::{CombatantId, Ruleset, Table};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The schema number of the documents that this program writes; it reads this one and older ones.
pub const SCHEMA: u32 = 1;

/// What is known of an encounter besides its fight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The encounter's id, unguessable.
    pub id: String,
    /// When it was created, RFC 3339.
    pub created_at: String,
    /// The seed of its dice, where its creator gave one. Nobody sees it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// A digest of the request that created it, where that had an idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Who may do what.
    pub tokens: Vec<TokenRecord>,
}

/// A token as it is kept: never the token itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// Names the token in lists and in the log.
    pub id: String,
    /// SHA-256 of the token, in hexadecimal.
    pub digest: String,
    /// `gm`, `player` or `spectator`.
    pub role: String,
    /// The combatants that a player's token may act for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub combatants: Vec<CombatantId>,
}

/// The stored document: everything that a load brings.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Document<'a, R: Ruleset> {
    pub schema: u32,
    pub ruleset: std::borrow::Cow<'a, str>,
    pub meta: std::borrow::Cow<'a, Meta>,
    pub table: std::borrow::Cow<'a, Table<R>>,
}

/// As much of a document as tells how to read the rest.
#[derive(Deserialize)]
pub(super) struct Cover {
    pub schema: u32,
    pub ruleset: String,
}

/// One entry of the log: what one transition brought about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogEntry {
    /// The version that it made.
    pub version: u64,
    /// When, RFC 3339.
    pub at: String,
    /// The token that sent it, by its id.
    pub by: String,
    /// The types of the commands that were sent.
    pub commands: Vec<String>,
    /// What happened, in order.
    pub events: Box<RawValue>,
}
