//! What is stored: the document of an encounter, its checkpoints, and the entries of its log.

use super::history::UndoHistory;
use super::{LoadError, Redactions, Role, Viewer};
use crate::vocabulary::{CombatantId, FieldError, Ruleset, Table, Text, read_fields};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The schema number of the documents that this program writes; it reads this one and older ones.
///
/// 1: the beginning. 2: `history`, for undo and redo. 3: roles and ends of tokens, what was told to whom; a program that knew nothing of
/// them would drop them, so it must not read on.
pub const SCHEMA: u32 = 3;

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
    /// Whether a player may undo the own last command.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub player_undo: bool,
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
    /// What it is for.
    pub role: Role,
    /// Whom it is for, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Text<80>>,
    /// The combatants that a player's token may act for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub combatants: Vec<CombatantId>,
    /// When it ends: RFC 3339 in UTC to the millisecond, so that two times compare as their texts do. None: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

impl TokenRecord {
    /// Whoever presents it.
    pub fn viewer(&self) -> Viewer {
        let Self { id, role, combatants, expires_at, .. } = self;
        Viewer { token: id.clone(), role: *role, combatants: combatants.clone(), expires_at: expires_at.clone() }
    }
}

/// The stored document: everything that a load brings.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Document<'a, R: Ruleset> {
    pub schema: u32,
    pub ruleset: Cow<'a, str>,
    pub meta: Cow<'a, Meta>,
    #[serde(rename = "timeline")]
    pub history: Cow<'a, UndoHistory>,
    pub table: Cow<'a, Table<R>>,
}

/// A document without what is not the fight's: it tells no secret, and any state of an encounter can be had from one.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Checkpoint<'a, R: Ruleset> {
    pub schema: u32,
    pub ruleset: Cow<'a, str>,
    #[serde(rename = "timeline")]
    pub history: Cow<'a, UndoHistory>,
    pub table: Cow<'a, Table<R>>,
}

/// As much of a document or checkpoint as tells how to read the rest.
#[derive(Deserialize)]
pub(super) struct DocumentHeader {
    schema: u32,
    pub ruleset: String,
}

impl DocumentHeader {
    /// Reads no more than the first two fields where they are the cover, as in whatever this program wrote.
    fn of(stored: &[u8]) -> Result<Self, LoadError> {
        let second = stored.iter().enumerate().filter(|(_, byte)| **byte == b',').nth(1).map(|(at, _)| at);
        let head = second.and_then(|end| stored.get(..end)).map(|head| [head, b"}"].concat());
        let cover = head.and_then(|head| serde_json::from_slice(&head).ok());
        cover.map_or_else(|| serde_json::from_slice(stored).map_err(unreadable), Ok)
    }

    /// That of a checkpoint from elsewhere.
    pub fn read(checkpoint: &Value) -> Result<Self, FieldError> {
        let fields = checkpoint.as_object().ok_or_else(|| FieldError::malformed("", "an object is expected"))?;
        let cover = fields.iter().filter(|(name, _)| matches!(name.as_str(), "schema" | "ruleset"));
        read_fields(&cover.map(|(name, value)| (name.clone(), value.clone())).collect(), &[])
    }

    /// Whether the rest must be lifted before it is read.
    pub fn is_older(&self) -> bool {
        self.schema == 1
    }

    /// Whether it was written by a newer program.
    pub fn is_newer(&self) -> bool {
        self.schema > SCHEMA
    }
}

/// Reads the cover of a document or checkpoint, and lifts the rest to the present schema where it is older.
pub(super) fn open(stored: &[u8]) -> Result<(DocumentHeader, Cow<'_, [u8]>), LoadError> {
    let cover = DocumentHeader::of(stored)?;
    match cover.schema {
        // What schema 3 brought is left out where it says nothing.
        SCHEMA | 2 => Ok((cover, Cow::Borrowed(stored))),
        1 => {
            let mut document: Value = serde_json::from_slice(stored).map_err(unreadable)?;
            migrate(&mut document);
            Ok((cover, Cow::Owned(serde_json::to_vec(&document).map_err(unreadable)?)))
        }
        0 => Err(LoadError::Unreadable("there is no schema 0".to_owned())),
        found => Err(LoadError::Newer { found, newest: SCHEMA }),
    }
}

/// Lifts a document or checkpoint of schema 1.
pub(super) fn migrate(document: &mut Value) {
    let version = document.pointer("/table/version").cloned().unwrap_or_default();
    if let Some(fields) = document.as_object_mut() {
        fields.insert("timeline".to_owned(), json!({"content": version}));
        fields.insert("schema".to_owned(), SCHEMA.into());
    }
}

pub(super) fn unreadable(error: serde_json::Error) -> LoadError {
    LoadError::Unreadable(error.to_string())
}

/// Reads a field that older programs wrote and keeps nothing of it.
pub(super) fn unread<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    Value::deserialize(deserializer).map(drop)
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
    /// What viewers see of it who may not see everything; None if nothing is redacted. Not for clients.
    #[serde(default, rename = "told", skip_serializing_if = "Option::is_none")]
    pub redactions: Option<Redactions>,
    /// The state after it: with an undo or redo, which takes it from elsewhere, and now and then, so that an earlier state is never
    /// far from one. Not for clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Box<RawValue>>,
}
