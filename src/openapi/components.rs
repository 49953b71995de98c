//! The schemas of the document: those of shared types, and those that each registered ruleset brings.
//!
//! Only tests build the document: the program serves the committed one, which spares it a tenth of its code.

use super::bodies::RosterChange;
use super::naming::{Components, SchemaSet, reference};
use crate::engine::{Creation, EncounterView, TypeSchema, UNIONS, type_schema};
use crate::vocabulary::{Draft, Manifest, Registrar, Ruleset, SharedCommand, SharedEvent};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The schemas of one ruleset's types. A list of them registers every ruleset.
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

impl Registrar for Vec<Schemas> {
    fn add<R: Ruleset>(&mut self) {
        self.push(Schemas {
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

/// All schemas by name. `declared` are those that operations refer to; a ruleset's own have its name in front.
pub fn components(declared: &BTreeMap<String, RefOr<Schema>>) -> Components {
    let mut set = SchemaSet::default();
    declared.iter().for_each(|(name, schema)| set.add(name, schema));
    take::<SharedCommand>(&mut set);
    take::<SharedEvent>(&mut set);
    take::<RosterChange>(&mut set);
    take::<Creation>(&mut set);
    take::<Draft>(&mut set);
    let mut rulesets: Vec<Schemas> = Vec::new();
    crate::rulesets::register(&mut rulesets);
    rulesets.iter().for_each(|ruleset| set.take("EncounterFields", &ruleset.encounter));
    let mut all = set.publish("", &BTreeSet::new());
    // Each ruleset's own schemas are made of these parts and of the fields that are left out here.
    let parts: [(&str, &str, &[&str]); 2] = [
        ("NewEncounter", "NewEncounterFields", &["ruleset", "options", "combatants"]),
        ("CombatantDraft", "DraftFields", &["id"]),
    ];
    for (name, part, without) in parts {
        let mut schema = all.remove(name).unwrap_or_default();
        open(&mut schema);
        without.iter().for_each(|field| _ = schema["properties"].as_object_mut().map(|fields| fields.remove(*field)));
        all.insert(part.to_owned(), schema);
    }
    all.retain(|name, _| UNIONS.iter().all(|(union, ..)| name != union));
    let shared: BTreeSet<String> = all.keys().cloned().collect();
    let ids: Vec<&str> = rulesets.iter().map(|ruleset| ruleset.manifest.id).collect();
    for ruleset in &rulesets {
        all.extend(of_ruleset(ruleset, &shared));
    }
    for (name, what, shared) in UNIONS {
        all.insert((*name).to_owned(), union(name, what.trim(), shared, &ids));
    }
    // These commands read a combatant as plain JSON.
    all.entry("AddCombatant".to_owned()).or_default()["properties"]["combatant"] = reference("CombatantDraft");
    all.entry("UpdateCombatant".to_owned()).or_default()["properties"]["changes"] = json!({
        "description": "The fields that change, with their new values. A combatant keeps its id.",
        "allOf": [reference("CombatantDraft")], "not": {"properties": {"id": {}}, "required": ["id"]},
    });
    all
}

fn take<T: ToSchema + PartialSchema>(set: &mut SchemaSet) {
    set.take(&T::name(), &type_schema::<T>());
}

/// Makes an object a part of larger ones, where all fields may be missing and others may stand beside them.
fn open(schema: &mut Value) {
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("additionalProperties");
        schema.remove("required");
    }
}

/// `active-initiative` becomes `ActiveInitiative`.
fn prefix(id: &str) -> String {
    let capitalised = id.split('-').map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        first.to_uppercase() + rest
    });
    capitalised.collect()
}

/// The union over all rulesets of the schemas of this name.
fn union(name: &str, description: &str, shared: &[&str], ids: &[&str]) -> Value {
    let own = |id: &&str| reference(&format!("{}{name}", prefix(id)));
    let variants: Vec<Value> = shared.iter().map(|name| reference(name)).chain(ids.iter().map(own)).collect();
    if !matches!(name, "Encounter" | "NewEncounter") {
        return json!({"type": "object", "description": description, "anyOf": variants});
    }
    let mapping: Map<_, _> = ids.iter().map(|id| ((*id).to_owned(), own(id)["$ref"].clone())).collect();
    let discriminator = json!({"propertyName": "ruleset", "mapping": mapping});
    json!({"type": "object", "description": description, "oneOf": variants, "discriminator": discriminator})
}

/// The schemas of one ruleset.
fn of_ruleset(ruleset: &Schemas, shared: &BTreeSet<String>) -> Components {
    let Manifest { id, title, .. } = *ruleset.manifest;
    let prefix = prefix(id);
    let mut set = SchemaSet::default();
    let parts = [
        ("Options", &ruleset.options),
        ("CombatantStats", &ruleset.stats),
        ("CombatantState", &ruleset.combatant_state),
        ("State", &ruleset.state),
        ("Command", &ruleset.command),
        ("Event", &ruleset.event),
    ];
    parts.into_iter().for_each(|(name, schema)| set.take(name, schema));
    let mut own = set.publish(&prefix, shared);
    let part = |name: &str| reference(&format!("{prefix}{name}"));
    for name in ["CombatantStats", "CombatantState"] {
        own.get_mut(&format!("{prefix}{name}")).into_iter().for_each(open);
    }
    let described = |what: &str| format!("{what} under {title}.");
    let ruleset = json!({"type": "string", "enum": [id], "description": "The id of the ruleset."});
    let drafts = json!({"type": "array", "items": part("CombatantDraft"), "maxItems": 500,
        "description": "The combatants, at most 500. More can join later."});
    let combatants = json!({"type": "array", "items": part("Combatant"),
        "description": "The combatants in the order of joining."});
    let flag = |what: &str| json!({"type": "boolean", "description": what});
    let combatant_id = json!({"type": "string", "pattern": crate::vocabulary::ID_PATTERN,
        "description": "Names the combatant within the encounter. Made from the name where it is not given."});
    let schemas = json!({
        "Encounter": {
            "description": described("An encounter"),
            "allOf": [reference("EncounterFields")],
            "properties": {"ruleset": ruleset, "combatants": combatants, "options": part("Options"), "state": part("State")},
            "required": ["ruleset", "combatants", "options", "state"],
        },
        "NewEncounter": {
            "description": described("A new encounter"),
            "allOf": [reference("NewEncounterFields")],
            "properties": {"ruleset": ruleset, "options": part("Options"), "combatants": drafts},
            "required": ["ruleset"],
            "unevaluatedProperties": false,
        },
        "Combatant": {
            "description": described("A combatant"),
            "allOf": [reference("CombatantFields"), part("CombatantStats"), part("CombatantState")],
            "properties": {"active": flag("Whether it is still in the fight.")},
            "required": ["hidden", "members", "conditions", "active", "acted"],
        },
        "CombatantDraft": {
            "description": described("A combatant as a client describes it, with a name or an id,"),
            "allOf": [reference("DraftFields"), part("CombatantStats")],
            "properties": {"id": combatant_id},
            "unevaluatedProperties": false,
        },
    });
    let schemas = schemas.as_object().cloned().unwrap_or_default();
    own.extend(schemas.into_iter().map(|(name, schema)| (format!("{prefix}{name}"), schema)));
    own
}
