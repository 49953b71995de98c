//! The options: a preset, a preset with changes, or a whole definition.

use super::check::check;
use super::definition::Definition;
use super::manifest::MANIFEST;
use crate::json::{CachedJson, FieldError, read};
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
    /// All of them, with their definitions as JSON.
    pub const ALL: [(Self, &'static str); 21] = [
        (Self::D20, Self::D20.definition()),
        (Self::D20Delay, Self::D20Delay.definition()),
        (Self::Zipper, Self::Zipper.definition()),
        (Self::FastSlow, Self::FastSlow.definition()),
        (Self::Side, Self::Side.definition()),
        (Self::Phases, Self::Phases.definition()),
        (Self::Popcorn, Self::Popcorn.definition()),
        (Self::Cards, Self::Cards.definition()),
        (Self::Clock, Self::Clock.definition()),
        (Self::Spotlight, Self::Spotlight.definition()),
        (Self::CallOfCthulhu, Self::CallOfCthulhu.definition()),
        (Self::Gurps, Self::Gurps.definition()),
        (Self::WarhammerFantasy, Self::WarhammerFantasy.definition()),
        (Self::YearZero, Self::YearZero.definition()),
        (Self::Dragonbane, Self::Dragonbane.definition()),
        (Self::Genesys, Self::Genesys.definition()),
        (Self::Shadowrun, Self::Shadowrun.definition()),
        (Self::Mythras, Self::Mythras.definition()),
        (Self::FengShui, Self::FengShui.definition()),
        (
            Self::StarTrekAdventures,
            Self::StarTrekAdventures.definition(),
        ),
        (Self::Shadowdark, Self::Shadowdark.definition()),
    ];

    /// Its definition as JSON.
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

    /// Its definition.
    fn json(self) -> Value {
        serde_json::from_str(self.definition()).unwrap_or_default()
    }
}

/// What the field `definition` is.
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Options {
    #[serde(rename = "definition")]
    written: CachedJson<Value>,
    #[serde(skip)]
    definition: Arc<Definition>,
}

impl Options {
    /// The definition.
    pub(super) fn definition(&self) -> &Definition {
        &self.definition
    }

    /// The games of the preset whose definition this is; None if the table has changed it.
    pub(super) fn games(&self) -> Option<&'static str> {
        let mut games = GAMES.iter();
        let (_, games) = games.find(|(definition, _)| *definition == *self.written)?;
        Some(games)
    }

    /// Reads what a client sends; the errors name every mistake.
    pub(super) fn read(value: &Value) -> Result<Self, Vec<FieldError>> {
        let options = Self::parse(value).map_err(|error| vec![error])?;
        let wrong = check(options.definition());
        if wrong.is_empty() {
            return Ok(options);
        }
        let wrong = wrong.into_iter();
        Err(wrong.map(|error| error.within("definition")).collect())
    }

    fn parse(value: &Value) -> Result<Self, FieldError> {
        let sent: Sent = read(value)?;
        let preset = sent
            .preset
            .or(sent.definition.is_none().then_some(Preset::D20));
        let mut written = preset.map_or_else(|| json!({}), Preset::json);
        let lines = Value::Object(sent.definition.unwrap_or_default());
        json_patch::merge(&mut written, &lines);
        let definition = read(&written).map_err(|error| error.within("definition"))?;
        Ok(Self {
            written: written.into(),
            definition,
        })
    }
}

impl Default for Options {
    fn default() -> Self {
        match Self::parse(&json!({})) {
            Ok(options) => options,
            Err(_) => Self {
                written: json!({}).into(),
                definition: Arc::default(),
            },
        }
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
            let example =
                |(preset, _): &(Preset, _)| json!({"preset": preset, "definition": preset.json()});
            let lines = ObjectBuilder::new()
                .description(Some("Lines over a preset, null for the default of a line."));
            let definition = AnyOfBuilder::new()
                .item(Ref::from_schema_name(Definition::name()))
                .item(lines);
            let definition = definition.description(Some(DEFINITION)).into();
            object
                .properties
                .insert("definition".to_owned(), definition);
            object.examples = Preset::ALL.iter().map(example).collect();
        }
        schema
    }
}

impl ToSchema for Options {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Sent::schemas(schemas);
    }
}
