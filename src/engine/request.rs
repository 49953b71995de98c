//! Requests as clients send them, read as far as that needs no ruleset.

use super::{MAX_COMMANDS, NewToken, Refusal};
use crate::json::{FieldError, read_tagged};
use crate::vocabulary::{FoeHp, Metadata, Text, TurnSeconds};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// One command, or a list that is applied all or nothing: each an object with a `type`.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The type of each command, and its other fields.
    pub(super) commands: Vec<(String, Map<String, Value>)>,
    /// True if the client sent a list, also one of a single command.
    pub(super) is_list: bool,
}

impl Request {
    /// Reads a request's JSON.
    pub fn read(body: Value) -> Result<Self, Refusal> {
        match body {
            Value::Array(items) => Self::read_list(items),
            item => Ok(Self {
                commands: vec![read_command(item)?],
                is_list: false,
            }),
        }
    }

    fn read_list(items: Vec<Value>) -> Result<Self, Refusal> {
        if items.is_empty() {
            let message = "The list of commands is empty. Send at least one command.";
            return Err(FieldError::malformed("", message).into());
        }
        if items.len() > MAX_COMMANDS {
            let message = format!(
                "A list holds at most {MAX_COMMANDS} commands, and this one has {}. Send several \
                 requests.",
                items.len()
            );
            return Err(FieldError::meaningless("", message).into());
        }
        let mut commands = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let command = read_command(item).map_err(|error| error.within(&index.to_string()))?;
            commands.push(command);
        }
        Ok(Self {
            commands,
            is_list: true,
        })
    }

    /// The request to undo the last version.
    pub fn undo() -> Self {
        Self {
            commands: vec![("undo".to_owned(), Map::new())],
            is_list: false,
        }
    }

    /// The path of the command at `index`, which goes before the fields of its errors: empty for a
    /// command that is no list's.
    pub(super) fn path(&self, index: usize) -> String {
        if self.is_list {
            index.to_string()
        } else {
            String::new()
        }
    }

    /// The types of its commands, in order.
    pub fn verbs(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().map(|(verb, _)| verb.as_str())
    }
}

fn read_command(item: Value) -> Result<(String, Map<String, Value>), FieldError> {
    read_tagged(
        item,
        "A command must be a JSON object such as {\"type\": \"note\", \"text\": \"...\"}.",
    )
}

/// A new encounter as a client describes it.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewEncounterFields)]
pub struct Creation {
    /// Id of the ruleset.
    pub ruleset: String,
    /// Name for people.
    #[serde(default = "unnamed")]
    #[schema(default = "Encounter")]
    pub name: Text<120>,
    /// Texts that the client keeps with it.
    #[serde(default)]
    pub metadata: Metadata,
    /// Options of the ruleset; each has a default.
    #[serde(default = "no_options")]
    #[schema(value_type = Object)]
    pub options: Value,
    /// Combatants, at most 500. More can join later.
    #[serde(default)]
    #[schema(value_type = Vec<Object>, max_items = 500)]
    pub combatants: Vec<Value>,
    /// Tokens to create with the encounter, at most 50.
    #[serde(default)]
    #[schema(max_items = 50)]
    pub tokens: Vec<NewToken>,
    /// How players and spectators see the hit points of foes.
    #[serde(default)]
    #[schema(inline, default = "banded")]
    pub foe_hp: FoeHp,
    /// The seconds that a turn may take; without it there is no set time. Clients count them from
    /// `since`; nothing ends by itself.
    #[schema(inline)]
    pub turn_seconds: Option<TurnSeconds>,
    /// Makes the server's dice reproducible: a whole number from 0 to 18446744073709551615.
    #[schema(format = "uint64")]
    pub seed: Option<u64>,
    /// True if a player may undo their own last command until someone else acts.
    #[serde(default)]
    #[schema(default = false)]
    pub player_undo: bool,
    /// True if players may add effects of their combatants.
    #[serde(default)]
    #[schema(default = false)]
    pub player_effects: bool,
    /// True if players may record damage and healing of their combatants.
    #[serde(default)]
    #[schema(default = false)]
    pub player_damage: bool,
}

fn unnamed() -> Text<120> {
    Text::fixed("Encounter")
}

fn no_options() -> Value {
    Value::Object(Map::new())
}
