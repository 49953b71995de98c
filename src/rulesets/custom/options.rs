//! The options: a preset, a preset with changes, or a whole definition.

use super::check::check;
use super::definition::Definition;
use super::manifest::MANIFEST;
use crate::json::{CachedJson, FieldError, read};
use crate::vocabulary::{Describe, FieldType, Names, Redact, Values};
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A turn order that comes with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the page on this ruleset says what each is")]
pub enum Preset {
    D20,
    D20Delay,
    Zipper,
    FastSlow,
    Side,
    Phases,
    Popcorn,
    Cards,
    Clock,
    Spotlight,
    CallOfCthulhu,
    Gurps,
    WarhammerFantasy,
    YearZero,
    Dragonbane,
    Genesys,
    Shadowrun,
    Mythras,
    FengShui,
    StarTrekAdventures,
    Shadowdark,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 21] = [
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
        Self::CallOfCthulhu,
        Self::Gurps,
        Self::WarhammerFantasy,
        Self::YearZero,
        Self::Dragonbane,
        Self::Genesys,
        Self::Shadowrun,
        Self::Mythras,
        Self::FengShui,
        Self::StarTrekAdventures,
        Self::Shadowdark,
    ];

    /// Its definition as JSON text.
    pub const fn definition(self) -> &'static str {
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
            Self::CallOfCthulhu => include_str!("presets/call-of-cthulhu.json"),
            Self::Gurps => include_str!("presets/gurps.json"),
            Self::WarhammerFantasy => include_str!("presets/warhammer-fantasy.json"),
            Self::YearZero => include_str!("presets/year-zero.json"),
            Self::Dragonbane => include_str!("presets/dragonbane.json"),
            Self::Genesys => include_str!("presets/genesys.json"),
            Self::Shadowrun => include_str!("presets/shadowrun.json"),
            Self::Mythras => include_str!("presets/mythras.json"),
            Self::FengShui => include_str!("presets/feng-shui.json"),
            Self::StarTrekAdventures => include_str!("presets/star-trek-adventures.json"),
            Self::Shadowdark => include_str!("presets/shadowdark.json"),
        }
    }

    /// Its definition as a value.
    fn value(self) -> Value {
        serde_json::from_str(self.definition()).unwrap_or_default()
    }
}

/// The description of the field `definition`.
const DEFINITION: &str = "The definition; with a preset, the lines that differ. As in a JSON merge patch, objects are merged, and \
    null takes a line back to its default.";

/// The definition of each preset, with the games that play by it.
static GAMES: LazyLock<Vec<(Value, &'static str)>> = LazyLock::new(|| {
    let mut games = Vec::with_capacity(MANIFEST.presets.len());
    for preset in MANIFEST.presets {
        let definition = serde_json::from_str(preset.definition).unwrap_or_default();
        games.push((definition, preset.plays));
    }
    games
});

/// Options of `custom`: without any, the preset `d20`.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct Sent {
    /// The preset that the definition changes. An encounter shows the whole definition instead.
    #[schema(inline)]
    preset: Option<Preset>,
    #[schema(value_type = Option<Definition>)]
    definition: Option<Map<String, Value>>,
}

/// The options: the definition as it was written, and as the rules read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Options {
    #[serde(rename = "definition")]
    written: CachedJson<Value>,
    #[serde(skip)]
    definition: Arc<Definition>,
}

impl Options {
    /// The definition as the rules read it.
    pub(super) fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The games of the preset whose definition this is; None if the table has changed it.
    pub(super) fn games(&self) -> Option<&'static str> {
        for (definition, games) in GAMES.iter() {
            if *definition == *self.written {
                return Some(games);
            }
        }
        None
    }

    /// These options with a change: lines over a preset, or over the present definition.
    pub(super) fn changed(
        &self,
        preset: Option<Preset>,
        lines: Option<&Value>,
    ) -> Result<Self, Vec<FieldError>> {
        let mut written = match preset {
            Some(preset) => preset.value(),
            None => Value::clone(&self.written),
        };
        if let Some(lines) = lines {
            if !lines.is_object() {
                let detail = "Expected an object with lines of the definition.";
                return Err(vec![FieldError::meaningless("definition", detail)]);
            }
            json_patch::merge(&mut written, lines);
        }
        Self::read(&json!({"definition": written}))
    }

    /// Reads what a client sends; the errors name every mistake.
    pub(super) fn read(value: &Value) -> Result<Self, Vec<FieldError>> {
        let options = Self::parse(value).map_err(|error| vec![error])?;
        let mut mistakes = Vec::new();
        for mistake in check(options.definition()) {
            mistakes.push(mistake.within("definition"));
        }
        if mistakes.is_empty() {
            Ok(options)
        } else {
            Err(mistakes)
        }
    }

    /// The options without a check whether the definition makes sense: stored ones were checked
    /// when they were sent.
    fn parse(value: &Value) -> Result<Self, FieldError> {
        let sent: Sent = read(value)?;
        let mut written = match sent.preset {
            Some(preset) => preset.value(),
            None if sent.definition.is_none() => Preset::D20.value(),
            None => json!({}),
        };
        let changes = Value::Object(sent.definition.unwrap_or_default());
        json_patch::merge(&mut written, &changes);
        let definition = read(&written).map_err(|error| error.within("definition"))?;
        Ok(Self {
            written: written.into(),
            definition,
        })
    }
}

impl Default for Options {
    /// The preset `d20`. Its definition is sound, so the empty one that stands in for it is never
    /// used.
    fn default() -> Self {
        Self::parse(&json!({})).unwrap_or_else(|_| Self {
            written: json!({}).into(),
            definition: Arc::default(),
        })
    }
}

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&Value::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

/// A definition is known to all.
impl Redact for Options {}

/// Events say that a definition changes, not how.
impl Describe for Options {
    fn describe(&self, _: &dyn Names, _: &mut String) -> bool {
        false
    }
}

impl FieldType for Preset {
    fn values() -> Option<Values> {
        let names = MANIFEST.presets.iter().map(|preset| preset.id);
        Some(Values::words(names))
    }
}

impl PartialSchema for Options {
    /// With the presets as examples.
    fn schema() -> RefOr<Schema> {
        let mut schema = Sent::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            object
                .properties
                .insert("definition".to_owned(), schema_of_definition());
            let mut examples = Vec::new();
            for preset in Preset::ALL {
                examples.push(json!({"preset": preset, "definition": preset.value()}));
            }
            object.examples = examples;
        }
        schema
    }
}

/// A whole definition, or lines over a preset.
fn schema_of_definition() -> RefOr<Schema> {
    let whole = Ref::from_schema_name(Definition::name());
    let lines = ObjectBuilder::new()
        .description(Some("Lines over a preset, null for the default of a line."));
    AnyOfBuilder::new()
        .item(whole)
        .item(lines)
        .description(Some(DEFINITION))
        .into()
}

impl ToSchema for Options {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Sent::schemas(schemas);
    }
}
