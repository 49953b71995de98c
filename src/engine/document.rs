//! What is stored: the document of an encounter, its checkpoints, and the entries of its log.

use super::history::UndoHistory;
use super::{LoadError, Redactions, Role, Since, Viewer};
use crate::json::{CachedJson, FieldError, read_json};
use crate::vocabulary::{Encounter, EventSchema, OwnCombatant, Ruleset, Text};
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use utoipa::ToSchema;

/// The number of the shape of everything that is stored and exported: documents, log entries,
/// tokens and recorded answers.
///
/// The program reads this one alone, because a program that does not know a field would drop it at
/// the next write. A test (`tests/suite/log/schema.rs`) pins the shape to the number.
pub const SCHEMA: u32 = 1;

/// The part of an encounter besides its state.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Meta {
    /// The encounter's id, unguessable.
    pub id: String,
    /// When it was created, RFC 3339.
    pub created_at: String,
    /// The seed of its dice, if its creator gave one. No answer shows it.
    pub seed: Option<u64>,
    /// A digest of the request that created it, where that had an idempotency key.
    pub request: Option<String>,
    /// Whether a player may undo their own last command.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub player_undo: bool,
    /// Whether players may add effects of their combatants.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub player_effects: bool,
    /// Whether players may record damage and healing of their combatants.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub player_damage: bool,
    /// Who may do what.
    pub tokens: Vec<TokenRecord>,
}

/// A token as it is stored: only its digest.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenRecord {
    /// Names the token in lists and in the log.
    pub id: String,
    /// SHA-256 of the token, in hexadecimal.
    pub digest: String,
    /// What it is for.
    pub role: Role,
    /// Whom it is for, for people.
    pub name: Option<Text<80>>,
    /// The combatants that a player's token may act for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub combatants: Vec<OwnCombatant>,
    /// When it ends: RFC 3339 in UTC to the millisecond, so that two times compare as their texts
    /// do. None: never.
    pub expires_at: Option<String>,
    /// When it took the place of another token under an idempotency key: RFC 3339.
    pub replaced_at: Option<String>,
}

impl TokenRecord {
    /// The viewer that presents the token.
    pub fn viewer(&self) -> Viewer {
        let Self {
            id: token_id,
            role,
            name,
            combatants,
            expires_at,
            ..
        } = self.clone();
        Viewer {
            token_id,
            role,
            name,
            combatants,
            expires_at,
        }
    }
}

/// The stored document: everything that a load brings. Without meta, so without secrets, it is a
/// checkpoint: the encounter's state at its version.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(bound = "")]
#[schema(bound = "R: Ruleset")]
pub struct Document<'a, R: Ruleset> {
    /// The number of its shape.
    pub schema: u32,
    /// The id of its ruleset.
    #[schema(value_type = String)]
    pub ruleset: Cow<'a, str>,
    /// The part besides its state; None in a checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Meta>)]
    pub meta: Option<CachedJson<Meta>>,
    /// What undo and redo go back to.
    #[schema(value_type = UndoHistory)]
    pub history: Cow<'a, UndoHistory>,
    /// Since when it waits for what it waits for.
    #[serde(default)]
    #[schema(inline)]
    pub since: Since,
    /// The fight.
    #[schema(value_type = Object)]
    pub encounter: Cow<'a, Encounter<R>>,
}

/// The fields of a document or checkpoint that say how to read the rest.
pub(super) struct DocumentHeader {
    pub schema: u32,
    pub ruleset: String,
}

impl DocumentHeader {
    /// Reads no further than the header, which stands first in all documents of this program.
    fn of(stored: &[u8]) -> Result<Self, LoadError> {
        let mut fields = HeaderFields::default();
        let read = serde_json::Deserializer::from_slice(stored).deserialize_map(&mut fields);
        if let HeaderFields {
            schema: Some(schema),
            ruleset: Some(ruleset),
        } = fields
        {
            return Ok(Self { schema, ruleset });
        }
        read.map_err(unreadable)?;
        Err(LoadError::Unreadable(
            "a document without schema or ruleset".to_owned(),
        ))
    }

    /// The header of an imported checkpoint.
    pub fn read(checkpoint: &RawValue) -> Result<Self, FieldError> {
        let fields: BTreeMap<String, &RawValue> = read_json(checkpoint.get())?;
        Ok(Self {
            schema: header_field(&fields, "schema")?,
            ruleset: header_field(&fields, "ruleset")?,
        })
    }
}

/// The fields of a header that were found.
#[derive(Default)]
struct HeaderFields {
    schema: Option<u32>,
    ruleset: Option<String>,
}

/// Stops when it has both.
impl<'de> Visitor<'de> for &mut HeaderFields {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while self.schema.is_none() || self.ruleset.is_none() {
            match fields.next_key::<Cow<'_, str>>()?.as_deref() {
                Some("schema") => self.schema = Some(fields.next_value()?),
                Some("ruleset") => self.ruleset = Some(fields.next_value()?),
                Some(_) => _ = fields.next_value::<IgnoredAny>()?,
                None => break,
            }
        }
        Ok(())
    }
}

fn header_field<T: DeserializeOwned>(
    fields: &BTreeMap<String, &RawValue>,
    name: &str,
) -> Result<T, FieldError> {
    match fields.get(name) {
        Some(field) => read_json(field.get()).map_err(|error| error.within(name)),
        None => Err(FieldError::malformed(name, "This field is required.")),
    }
}

/// The header of a document or checkpoint; refuses another schema.
pub(super) fn check_schema(stored: &[u8]) -> Result<DocumentHeader, LoadError> {
    let header = DocumentHeader::of(stored)?;
    if header.schema != SCHEMA {
        return Err(LoadError::OtherSchema {
            found: header.schema,
            read: SCHEMA,
        });
    }
    Ok(header)
}

/// Reads a stored document or checkpoint, and refuses a field that this program does not know: it
/// would be lost at the next write.
pub(super) fn read_stored<'de, T: Deserialize<'de>>(stored: &'de [u8]) -> Result<T, LoadError> {
    let mut unknown = None;
    let mut json = serde_json::Deserializer::from_slice(stored);
    let read = serde_ignored::deserialize(&mut json, |field| unknown = Some(field.to_string()))
        .map_err(unreadable)?;
    json.end().map_err(unreadable)?;
    match unknown {
        Some(field) => Err(LoadError::Unreadable(format!("unknown field {field}"))),
        None => Ok(read),
    }
}

pub(super) fn unreadable(error: serde_json::Error) -> LoadError {
    LoadError::Unreadable(error.to_string())
}

/// An entry of the log as it is stored and exported.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ExportedEntry)]
pub struct LogEntry {
    /// The version that the request made.
    pub version: u64,
    /// The time of its acceptance.
    #[schema(format = DateTime)]
    pub at: String,
    /// The id of the token that sent it.
    pub token: String,
    /// The name that this token had then.
    pub token_name: Option<Text<80>>,
    /// The types of the commands that were sent.
    pub commands: Vec<String>,
    /// The events, in order, each with its sentence.
    #[schema(value_type = Vec<EventSchema>)]
    pub events: Box<RawValue>,
    /// Events that no client reads: each followed from another.
    #[schema(required = false, value_type = Vec<Object>)]
    pub kept: Option<Box<RawValue>>,
    /// The redacted forms for players and spectators, if they differ.
    #[schema(required = false, value_type = Object)]
    pub redactions: Option<Redactions>,
    /// Since when the encounter waits for what it waits for, if the entry changed it.
    #[schema(inline)]
    pub since: Option<Since>,
    /// The state after the entry. Every 256th entry carries it, and every undo and redo.
    #[schema(required = false, value_type = Object)]
    pub checkpoint: Option<Box<RawValue>>,
}
