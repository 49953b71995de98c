//! The schemas of the document: those of shared types, and those that each registered ruleset
//! brings.

use super::bodies::RosterChange;
use super::naming::{SchemaSet, reference};
use super::schema::{Components, TypeSchema, type_schema};
use super::shape::{discriminated, drop_repetitions, include, merged, pascal, shape};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use turnkeeper::engine::{Creation, EncounterView};
use turnkeeper::vocabulary::{
    Draft, Manifest, Participants, Registrar, Ruleset, SharedCommand, SharedEvent,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The schemas of one ruleset's types.
pub struct Schemas {
    /// The ruleset's manifest.
    pub manifest: &'static Manifest,
    /// The fields of an encounter that are the same for all rulesets.
    pub encounter: TypeSchema,
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

impl Registrar for AllSchemas {
    fn add<R: Ruleset>(&mut self) {
        self.0.push(Schemas {
            manifest: R::MANIFEST,
            encounter: type_schema::<EncounterView<'_, R>>(),
            options: type_schema::<R::Options>(),
            stats: type_schema::<R::CombatantStats>(),
            combatant_state: type_schema::<R::CombatantState>(),
            state: type_schema::<R::State>(),
            command: type_schema::<R::Command>(),
            event: type_schema::<R::Event>(),
        });
    }
}

/// All schemas by name. `declared` are those that operations refer to; a ruleset's own have its
/// name in front.
pub fn components(declared: &BTreeMap<String, RefOr<Schema>>) -> Components {
    let mut set = SchemaSet::default();
    declared
        .iter()
        .for_each(|(name, schema)| set.add(name, schema));
    take::<SharedCommand>(&mut set);
    take::<SharedEvent>(&mut set);
    take::<RosterChange>(&mut set);
    take::<Creation>(&mut set);
    take::<Draft>(&mut set);
    take::<Participants>(&mut set);
    let mut rulesets = AllSchemas::default();
    turnkeeper::rulesets::register(&mut rulesets);
    let rulesets = rulesets.0;
    rulesets
        .iter()
        .for_each(|ruleset| set.take("EncounterFields", &ruleset.encounter));
    let mut all = set.publish("", &BTreeSet::new());
    // What is put together of the rulesets' own has the same names.
    let own = ["CombatantStats", "CombatantState", "Command", "Event"];
    let shared: BTreeSet<String> = all
        .keys()
        .filter(|name| !own.contains(&name.as_str()))
        .cloned()
        .collect();
    rulesets
        .iter()
        .for_each(|ruleset| all.extend(of_ruleset(ruleset, &shared)));
    // Each ruleset's own schemas are made of these parts and of the fields that are left out here.
    part(&mut all, "EncounterFields", &["ruleset"]);
    part(
        &mut all,
        "NewEncounterFields",
        &["ruleset", "options", "combatants"],
    );
    part(&mut all, "DraftFields", &["id"]);
    ["NewEncounterFields", "DraftFields"]
        .iter()
        .for_each(|name| all.get_mut(*name).into_iter().for_each(open));
    by_ruleset(&mut all, &rulesets);
    by_type(&mut all, &rulesets);
    combatants(&mut all, &rulesets);
    shape(&mut all);
    include(&mut all);
    all.values_mut().for_each(drop_repetitions);
    all
}

fn take<T: ToSchema + PartialSchema>(set: &mut SchemaSet) {
    set.take(&T::name(), &type_schema::<T>());
}

/// Makes a schema a part of larger ones, without some of its fields.
fn part(all: &mut Components, name: &str, without: &[&str]) {
    let schema = all.entry(name.to_owned()).or_default();
    let absent = |field: &str| without.contains(&field);
    if let Some(fields) = schema["properties"].as_object_mut() {
        fields.retain(|field, _| !absent(field));
    }
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|field| !field.as_str().is_some_and(absent));
    }
}

/// Makes an object a part of larger ones, where all fields may be missing and others may stand
/// beside them.
fn open(schema: &mut Value) {
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("additionalProperties");
        schema.remove("required");
    }
}

impl Schemas {
    /// The published name of one of its schemas: `Encounter` of `active-initiative` is
    /// `ActiveInitiativeEncounter`.
    fn published(&self, name: &str) -> String {
        pascal(self.manifest.id) + name
    }
}

/// Gives a schema a shape; its description stays.
fn put(all: &mut Components, name: &str, mut schema: Value) {
    let place = all.entry(name.to_owned()).or_default();
    schema["description"] = place["description"].take();
    *place = schema;
}

/// Unions over the rulesets, told apart by the ruleset's id.
fn by_ruleset(all: &mut Components, rulesets: &[Schemas]) {
    for name in ["Encounter", "NewEncounter"] {
        let own = |ruleset: &Schemas| reference(&ruleset.published(name));
        let variants: Vec<Value> = rulesets.iter().map(own).collect();
        let mapping = rulesets
            .iter()
            .map(|ruleset| (ruleset.manifest.id.to_owned(), own(ruleset)["$ref"].clone()));
        let discriminator =
            json!({"propertyName": "ruleset", "mapping": mapping.collect::<Map<_, _>>()});
        put(
            all,
            name,
            json!({"type": "object", "oneOf": variants, "discriminator": discriminator}),
        );
    }
}

/// Unions of what all rulesets share and of their own, told apart by the type. A type that several
/// have is one schema.
fn by_type(all: &mut Components, rulesets: &[Schemas]) {
    let shared: [(&str, &[&str]); 2] = [
        ("Command", &["SharedCommand"]),
        ("Event", &["SharedEvent", "RosterChange"]),
    ];
    for (name, shared) in shared {
        let own = rulesets
            .iter()
            .map(|ruleset| (ruleset.manifest.title, ruleset.published(name)));
        let names = shared
            .iter()
            .map(|shared| ("", (*shared).to_owned()))
            .chain(own);
        let mut unions: Vec<_> = names
            .filter_map(|(title, name)| Some((title, all.remove(&name)?)))
            .collect();
        if name == "Event" {
            unions.iter_mut().for_each(|(_, union)| tell(union));
            let about = "The event as an English sentence, with the names that the reader knows. It may change with any release.";
            all.insert(
                "EventText".to_owned(),
                json!({"type": "string", "description": about}),
            );
        }
        let unions: Vec<_> = unions
            .iter()
            .map(|(title, union)| (*title, union))
            .collect();
        if let Some(union) = discriminated(&unions, |tag| pascal(tag) + name, all) {
            put(all, name, union);
        }
    }
}

/// Adds the sentence to each event of a union.
fn tell(union: &mut Value) {
    for event in union["oneOf"].as_array_mut().into_iter().flatten() {
        let text = reference("EventText");
        // A note is a text itself.
        event["properties"]
            .as_object_mut()
            .into_iter()
            .for_each(|fields| _ = fields.entry("text").or_insert(text.clone()));
    }
}

/// Combatants whose ruleset the context says: they have the fields of all rulesets.
fn combatants(all: &mut Components, rulesets: &[Schemas]) {
    for name in ["CombatantStats", "CombatantState"] {
        let own = rulesets
            .iter()
            .filter_map(|r| Some((r.manifest.title, all.get(&r.published(name))?)));
        let whole = merged(&own.collect::<Vec<_>>());
        put(all, name, whole);
    }
    let [fields, stats] = ["DraftFields", "CombatantStats"].map(reference);
    put(
        all,
        "CombatantChanges",
        json!({"allOf": [fields, stats], "unevaluatedProperties": false}),
    );
    put(
        all,
        "CombatantDraft",
        json!({"allOf": [draft_id(), fields, stats], "unevaluatedProperties": false}),
    );
    let described = json!({"properties": {"active": {"type": "boolean", "description": "True if it is still in the fight."}},
        "required": ["hidden", "members", "conditions", "active", "acted"]});
    let shown = json!({"description": "The fields that every combatant of an encounter shows.",
        "allOf": [described, reference("CombatantFields")]});
    all.insert("ShownCombatantFields".to_owned(), shown);
}

/// The id of a combatant as a client describes it.
fn draft_id() -> Value {
    let mut id = reference("CombatantId");
    id["description"] = "If omitted, the server derives it from the name.".into();
    json!({"properties": {"id": id}})
}

/// The schemas of one ruleset.
fn of_ruleset(ruleset: &Schemas, shared: &BTreeSet<String>) -> Components {
    let Manifest { id, title, .. } = *ruleset.manifest;
    let prefix = pascal(id);
    let mut set = SchemaSet::default();
    let parts = [
        ("Options", &ruleset.options),
        ("CombatantStats", &ruleset.stats),
        ("CombatantState", &ruleset.combatant_state),
        ("State", &ruleset.state),
        ("Command", &ruleset.command),
        ("Event", &ruleset.event),
    ];
    parts
        .into_iter()
        .for_each(|(name, schema)| set.take(name, schema));
    let mut own = set.publish(&prefix, shared);
    let part = |name: &str| reference(&format!("{prefix}{name}"));
    for name in ["CombatantStats", "CombatantState"] {
        own.get_mut(&format!("{prefix}{name}"))
            .into_iter()
            .for_each(open);
    }
    let described = |what: &str| format!("{what} under {title}.");
    let ruleset = json!({"const": id, "description": "The id of the ruleset."});
    let drafts = json!({"type": "array", "items": part("CombatantDraft"), "maxItems": 500,
        "description": "The combatants, at most 500. More can join later."});
    let combatants = json!({"type": "array", "items": part("Combatant"),
        "description": "The combatants in the order of joining."});
    // The own fields come first: openapi-python-client drops those beside a single reference.
    let schemas = json!({
        "Encounter": {
            "description": described("An encounter"),
            "allOf": [{
                "properties": {"ruleset": ruleset, "combatants": combatants, "options": part("Options"), "state": part("State")},
                "required": ["ruleset", "combatants", "options", "state"],
            }, reference("EncounterFields")],
        },
        "NewEncounter": {
            "description": described("A new encounter"),
            "allOf": [{
                "properties": {"ruleset": ruleset, "options": part("Options"), "combatants": drafts},
                "required": ["ruleset"],
            }, reference("NewEncounterFields")],
            "unevaluatedProperties": false,
        },
        "Combatant": {
            "description": described("A combatant"),
            "allOf": [reference("ShownCombatantFields"), part("CombatantStats"), part("CombatantState")],
        },
        "CombatantDraft": {
            "description": described("A combatant as a client describes it, with a name or an id,"),
            "allOf": [draft_id(), reference("DraftFields"), part("CombatantStats")],
            "unevaluatedProperties": false,
        },
    });
    let schemas = schemas.as_object().cloned().unwrap_or_default();
    own.extend(
        schemas
            .into_iter()
            .map(|(name, schema)| (format!("{prefix}{name}"), schema)),
    );
    own
}
