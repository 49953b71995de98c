//! The schemas of a document: those of shared types, and the parts that depend on the ruleset. A
//! ruleset's document has its types there, the envelope has open objects.

use super::bodies::{CombatantFields, RosterChange};
use super::naming::{SchemaSet, reference};
use super::schema::{Components, TypeSchema, correct, draft_schema, type_schema};
use super::shape::{drop_repetitions, pascal, shape, tagged_union};
use crate::round_robin::RoundRobin;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use turnkeeper::engine::{Creation, EncounterView};
use turnkeeper::vocabulary::{
    Hp, HpChanges, Manifest, Participants, Registrar, Ruleset, SharedCommand, SharedEvent,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The schemas of one ruleset's types.
pub struct Schemas {
    /// The ruleset's manifest.
    pub manifest: &'static Manifest,
    /// Its options.
    pub options: TypeSchema,
    /// What a combatant brings beyond the shared fields.
    pub stats: TypeSchema,
    /// What play keeps about a combatant.
    pub combatant_state: TypeSchema,
    /// What play keeps about the encounter.
    pub state: TypeSchema,
    /// Its own commands.
    pub command: TypeSchema,
    /// Its own events.
    pub event: TypeSchema,
}

/// The schemas of every ruleset that is registered.
#[derive(Default)]
pub struct AllSchemas(pub Vec<Schemas>);

impl AllSchemas {
    /// Those of the rulesets that ship.
    pub fn shipped() -> Self {
        let mut all = Self::default();
        turnkeeper::rulesets::register(&mut all);
        all
    }
}

impl Registrar for AllSchemas {
    fn add<R: Ruleset>(&mut self) {
        self.0.push(Schemas {
            manifest: R::MANIFEST,
            options: type_schema::<R::Options>(),
            stats: type_schema::<R::CombatantStats>(),
            combatant_state: type_schema::<R::CombatantState>(),
            state: type_schema::<R::State>(),
            command: type_schema::<R::Command>(),
            event: type_schema::<R::Event>(),
        });
    }
}

/// All schemas by name: `declared` are those that operations refer to. The parts that depend on the
/// ruleset are those of `ruleset`, or open.
pub fn components(
    declared: &BTreeMap<String, RefOr<Schema>>,
    ruleset: Option<&Schemas>,
) -> Components {
    let mut set = SchemaSet::default();
    for (name, schema) in declared {
        set.add(name, schema);
    }
    take::<Creation>(&mut set);
    set.take("DraftFields", &draft_schema::<Hp>());
    set.take("ChangeFields", &draft_schema::<HpChanges>());
    // Its fields are the same for all rulesets.
    take::<EncounterView<'_, RoundRobin>>(&mut set);
    take::<CombatantFields>(&mut set);
    if let Some(ruleset) = ruleset {
        take::<SharedCommand>(&mut set);
        take::<SharedEvent>(&mut set);
        take::<RosterChange>(&mut set);
        take::<Participants>(&mut set);
        set.take("Options", &ruleset.options);
        set.take("CombatantStats", &ruleset.stats);
        set.take("CombatantState", &ruleset.combatant_state);
        set.take("State", &ruleset.state);
        set.take("OwnCommand", &ruleset.command);
        set.take("OwnEvent", &ruleset.event);
    }
    let mut all = name_by_use(set.publish());
    match ruleset {
        Some(ruleset) => of_ruleset(&mut all, ruleset),
        None => envelope(&mut all),
    }
    shape(&mut all);
    if ruleset.is_none() {
        put_in_place(&mut all);
    }
    all.values_mut().for_each(drop_repetitions);
    all
}

/// Names the forms of a type by what they are for: with the hit points of a newcomer, or with
/// changes of them.
fn name_by_use(all: Components) -> Components {
    let mut text = serde_json::to_string(&all).expect("JSON");
    for (of_type, of_use) in [("_HpChanges\"", "Changes\""), ("_Hp\"", "\"")] {
        text = text.replace(of_type, of_use);
    }
    serde_json::from_str(&text).expect("JSON")
}

fn take<T: ToSchema + PartialSchema>(set: &mut SchemaSet) {
    set.take(&T::name(), &type_schema::<T>());
}

/// The parts of the envelope that depend on the ruleset: open objects.
fn envelope(all: &mut Components) {
    let ruleset = json!({"type": "string", "description": "The id of the ruleset."});
    let any = |description: &str| json!({"type": "object", "description": description, "additionalProperties": true});
    let options = any("The ruleset's options. Its document has their schema.");
    let state =
        any("Ruleset-specific state of the encounter. The ruleset's document has its schema.");
    encounters(all, &ruleset, &options, &state);
    combatants(all, &Fields::default(), &Fields::default());
    for name in [
        "NewEncounter",
        "CombatantDraft",
        "CombatantChanges",
        "Combatant",
    ] {
        set_field(all, name, "additionalProperties", true);
    }
    let kind = |what: &str| json!({"type": "string", "description": what});
    let mut actor = reference("CombatantId");
    actor["description"] = "The combatant that acts, if the command is one combatant's.".into();
    let command = json!({
        "type": "object",
        "properties": {
            "type": kind("The kind of command. The ruleset's manifest lists all."),
            "combatant": actor,
        },
        "required": ["type"],
        "additionalProperties": true,
    });
    let event = json!({
        "type": "object",
        "properties": {
            "type": kind("The kind of event. The ruleset's manifest lists all."),
            "text": event_text(),
        },
        "required": ["type"],
        "additionalProperties": true,
    });
    put(all, "Command", command);
    put(all, "Event", event);
    one_object(all, "Expiry");
    // The codes of all rulesets are a twentieth of the document.
    if let Some(code) = all
        .get_mut("Problem")
        .map(|schema| &mut schema["properties"]["code"])
    {
        let about = "A stable name for programs. `GET /problems` lists and explains all of them.";
        *code = json!({"type": "string", "description": about, "examples": ["stale_version"]});
    }
}

/// Makes one object of a tagged union: the tag is a word, and the other fields may be missing.
fn one_object(all: &mut Components, name: &str) {
    let mut properties = Map::new();
    let mut tag = String::new();
    let mut tags = Vec::new();
    for variant in all[name]["oneOf"].as_array().into_iter().flatten() {
        for (field, schema) in variant["properties"].as_object().into_iter().flatten() {
            if let Some([word]) = schema["enum"].as_array().map(Vec::as_slice) {
                tag.clone_from(field);
                tags.push(word.clone());
            } else {
                properties.insert(field.clone(), schema.clone());
            }
        }
    }
    properties.insert(tag.clone(), json!({"type": "string", "enum": tags}));
    let object = json!({"type": "object", "properties": properties, "required": [tag]});
    put(all, name, object);
}

/// The most fields of an object that stands where it is used.
const FEW: usize = 2;

/// Puts words and small objects where they are used: generators write a file for each name. The
/// ids of combatants are in so many places that they keep their name.
fn put_in_place(all: &mut Components) {
    let mut small = Components::new();
    for (name, schema) in all.iter() {
        let is_open = schema["additionalProperties"] == true;
        let fields = schema["properties"].as_object();
        let is_variant = fields.is_some_and(|all| all.values().any(|one| one["const"].is_string()));
        let is_small = fields.is_some_and(|all| all.len() <= FEW) && !is_open && !is_variant;
        if is_small || schema["type"] == "string" && name != "CombatantId" {
            small.insert(name.clone(), schema.clone());
        }
    }
    for schema in all.values_mut() {
        correct(schema, &small, FEW);
    }
}

/// The parts of a ruleset's document that depend on the ruleset.
fn of_ruleset(all: &mut Components, ruleset: &Schemas) {
    let id = json!({"const": ruleset.manifest.id, "description": "The id of the ruleset."});
    encounters(all, &id, &reference("Options"), &reference("State"));
    let stats = Fields::of(&all["CombatantStats"]);
    let state = Fields::of(&all["CombatantState"]);
    combatants(all, &stats, &state);
    for name in ["NewEncounter", "CombatantDraft", "CombatantChanges"] {
        set_field(all, name, "additionalProperties", false);
    }
    // Events carry those parts whose values are not the usual ones.
    for name in ["CombatantStats", "CombatantState"] {
        let mut fields = Fields::of(&all[name]);
        fields.required.clear();
        put(all, name, fields.schema());
    }
    let commands = unions(all, &["SharedCommand", "OwnCommand"]);
    let mut events = unions(all, &["SharedEvent", "RosterChange", "OwnEvent"]);
    for event in &mut events {
        // A note is a text itself.
        if let Some(fields) = event["properties"].as_object_mut() {
            fields.entry("text").or_insert(reference("EventText"));
        }
    }
    all.insert("EventText".to_owned(), event_text());
    for (name, variants) in [("Command", commands), ("Event", events)] {
        let union = tagged_union(&variants, |tag| pascal(tag) + name, all);
        let union = union.unwrap_or_else(|| panic!("{name} has variants without a tag"));
        put(all, name, union);
    }
}

/// The variants of these unions, which go into one.
fn unions(all: &mut Components, names: &[&str]) -> Vec<Value> {
    let mut variants = Vec::new();
    for name in names {
        let union = all.remove(*name).unwrap_or_default();
        variants.extend(union["oneOf"].as_array().cloned().unwrap_or_default());
    }
    variants
}

fn event_text() -> Value {
    let about = "The event as an English sentence, with the names that the reader knows. It may change with any release.";
    json!({"type": "string", "description": about})
}

/// The encounter as it is shown, and as it is created.
fn encounters(all: &mut Components, ruleset: &Value, options: &Value, state: &Value) {
    let mut shown = Fields::of(&all.remove("EncounterFields").unwrap_or_default());
    shown.require("ruleset", ruleset);
    let combatants = json!({"type": "array", "items": reference("Combatant"),
        "description": "The combatants in the order of joining."});
    shown.require("combatants", &combatants);
    shown.require("options", options);
    shown.require("state", state);
    put(all, "Encounter", shown.schema());
    let mut new = Fields::of(&all.remove("NewEncounterFields").unwrap_or_default());
    new.require("ruleset", ruleset);
    new.allow("options", options);
    let drafts = json!({"type": "array", "items": reference("CombatantDraft"), "maxItems": 500,
        "description": "The combatants, at most 500. More can join later."});
    new.allow("combatants", &drafts);
    put(all, "NewEncounter", new.schema());
}

/// A combatant as it is shown, as it is created, and as it changes.
fn combatants(all: &mut Components, stats: &Fields, state: &Fields) {
    let mut draft = Fields::of(&all.remove("DraftFields").unwrap_or_default());
    draft.required.clear();
    draft.properties.extend(stats.properties.clone());
    put(all, "CombatantDraft", draft.schema());
    let mut changes = Fields::of(&all.remove("ChangeFields").unwrap_or_default());
    changes.required.clear();
    changes.properties.extend(stats.properties.clone());
    changes.properties.remove("id");
    put(all, "CombatantChanges", changes.schema());
    let mut shown = Fields::of(&all["CombatantFields"]);
    for field in ["hidden", "members", "conditions", "acted"] {
        shown.required.push(field.to_owned());
    }
    let active = json!({"type": "boolean", "description": "True if it is still in the fight."});
    shown.require("active", &active);
    shown.add(stats);
    shown.add(state);
    put(all, "Combatant", shown.schema());
    set_field(
        all,
        "Combatant",
        "description",
        "A combatant of an encounter.",
    );
}

/// The fields of an object.
#[derive(Default, Clone)]
struct Fields {
    description: Value,
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Fields {
    /// Those of a schema.
    fn of(schema: &Value) -> Self {
        let required = schema["required"].as_array().into_iter().flatten();
        Self {
            description: schema["description"].clone(),
            properties: schema["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default(),
            required: required
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
        }
    }

    fn allow(&mut self, field: &str, schema: &Value) {
        self.properties.insert(field.to_owned(), schema.clone());
    }

    fn require(&mut self, field: &str, schema: &Value) {
        self.allow(field, schema);
        if !self.required.iter().any(|known| known == field) {
            self.required.push(field.to_owned());
        }
    }

    fn add(&mut self, other: &Self) {
        self.properties.extend(other.properties.clone());
        self.required.extend(other.required.clone());
    }

    /// The schema of an object with these fields.
    fn schema(&self) -> Value {
        let mut schema = json!({"type": "object", "properties": self.properties});
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        if self.description.is_string() {
            schema["description"] = self.description.clone();
        }
        schema
    }
}

fn set_field(all: &mut Components, name: &str, field: &str, value: impl Into<Value>) {
    all.entry(name.to_owned()).or_default()[field] = value.into();
}

/// Gives a schema a shape; the description that it has stays.
fn put(all: &mut Components, name: &str, mut schema: Value) {
    let place = all.entry(name.to_owned()).or_default();
    if place["description"].is_string() {
        schema["description"] = place["description"].take();
    }
    *place = schema;
}
