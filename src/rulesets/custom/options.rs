//! The options: a preset, a preset with changes, or a whole definition.

use super::check::check;
use super::definition::Definition;
use crate::vocabulary::{CachedJson, FieldError, read};
use serde::de::{self, Deserializer};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A turn order that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Highest d20 first; lair, legendary and readied actions.
    D20,
    /// Highest d20 first, with delay.
    D20Delay,
    /// Sides alternate, free within a side.
    Zipper,
    /// Fast turns before slow turns, players before foes.
    FastSlow,
    /// One die for each side, each round.
    Side,
    /// One shared turn for each side, in steps.
    Phases,
    /// The combatant that acted last names the next.
    Popcorn,
    /// A playing card each, each round.
    Cards,
    /// The lowest tick acts; a turn costs ticks.
    Clock,
    /// Players act freely; the game master buys turns.
    Spotlight,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::D20,
        Self::D20Delay,
        Self::Zipper,
        Self::FastSlow,
        Self::Side,
        Self::Phases,
        Self::Popcorn,
        Self::Cards,
        Self::Clock,
        Self::Spotlight,
    ];

    /// Its definition as JSON.
    pub fn json(self) -> &'static str {
        match self {
            Self::D20 => include_str!("presets/d20.json"),
            Self::D20Delay => include_str!("presets/d20-delay.json"),
            Self::Zipper => include_str!("presets/zipper.json"),
            Self::FastSlow => include_str!("presets/fast-slow.json"),
            Self::Side => include_str!("presets/side.json"),
            Self::Phases => include_str!("presets/phases.json"),
            Self::Popcorn => include_str!("presets/popcorn.json"),
            Self::Cards => include_str!("presets/cards.json"),
            Self::Clock => include_str!("presets/clock.json"),
            Self::Spotlight => include_str!("presets/spotlight.json"),
        }
    }
}

/// Options of `custom`: without any, the preset `d20`.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct Sent {
    /// Where the definition starts. An encounter shows the whole definition instead.
    #[schema(inline)]
    preset: Option<Preset>,
    /// The definition; beside a preset, the lines that differ. As in a JSON merge patch, objects are merged, and null takes a line back
    /// to its default.
    #[schema(value_type = Option<Definition>)]
    definition: Option<Map<String, Value>>,
}

/// The options: the definition as it was written, and as the rules read it.
#[derive(Debug, Clone)]
pub struct Options(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    written: CachedJson<Value>,
    definition: Definition,
}

impl Options {
    /// The definition.
    pub fn definition(&self) -> &Definition {
        &self.0.definition
    }

    /// Reads what a client sends; the errors name every mistake.
    pub(super) fn read(value: &Value) -> Result<Self, Vec<FieldError>> {
        let options = Self::parse(value).map_err(|error| vec![error])?;
        let wrong = check(options.definition());
        if wrong.is_empty() {
            return Ok(options);
        }
        Err(wrong.into_iter().map(|error| error.within("definition")).collect())
    }

    fn parse(value: &Value) -> Result<Self, FieldError> {
        let sent: Sent = read(value)?;
        let preset = sent.preset.or(sent.definition.is_none().then_some(Preset::D20));
        let start = preset.and_then(|preset| serde_json::from_str(preset.json()).ok());
        let mut written = start.unwrap_or_else(|| Value::Object(Map::new()));
        merge(&mut written, Value::Object(sent.definition.unwrap_or_default()));
        let definition = read(&written).map_err(|error| error.within("definition"))?;
        Ok(Self(Arc::new(Parts { written: written.into(), definition })))
    }
}

/// Lays a JSON merge patch (RFC 7396) over a value.
fn merge(value: &mut Value, patch: Value) {
    match (value, patch) {
        (Value::Object(fields), Value::Object(patch)) => {
            for (name, patch) in patch {
                if patch.is_null() {
                    fields.remove(&name);
                } else {
                    merge(fields.entry(name).or_insert(Value::Null), patch);
                }
            }
        }
        (value, Value::Object(patch)) => {
            *value = Value::Object(Map::new());
            merge(value, Value::Object(patch));
        }
        (value, patch) => *value = patch,
    }
}

impl Default for Options {
    fn default() -> Self {
        static D20: LazyLock<Options> = LazyLock::new(|| {
            let empty = Parts { written: Value::Object(Map::new()).into(), definition: Definition::default() };
            Options::parse(&Value::Object(Map::new())).unwrap_or(Options(Arc::new(empty)))
        });
        D20.clone()
    }
}

impl PartialEq for Options {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || *self.0.written == *other.0.written
    }
}

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut options = serializer.serialize_struct("Options", 1)?;
        options.serialize_field("definition", &self.0.written)?;
        options.end()
    }
}

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&Value::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl PartialSchema for Options {
    /// With the presets as examples.
    fn schema() -> RefOr<Schema> {
        let mut schema = Sent::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            let definition = |preset: &Preset| serde_json::from_str::<Value>(preset.json()).unwrap_or_default();
            object.examples = Preset::ALL.iter().map(|preset| json!({"preset": preset, "definition": definition(preset)})).collect();
        }
        schema
    }
}

impl ToSchema for Options {
    fn name() -> Cow<'static, str> {
        "Options".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Sent::schemas(schemas);
    }
}
