//! The answers of `GET /v1/rulesets` and `GET /v1/rulesets/{ruleset}`.

use super::components::{AllSchemas, Schemas, components};
use super::schema::{Components, REF, draft_schema, standalone};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use turnkeeper::http;
use turnkeeper::openapi::{
    CommandInfo, EventInfo, PresetInfo, RulesetList, RulesetManifest, RulesetSummary,
};
use turnkeeper::vocabulary::{
    Commands, Decision, HOUSE_RULES, Hp, Manifest, SHARED_DECISIONS, SharedCommand,
};

/// The list of the rulesets that ship.
pub fn ruleset_list() -> RulesetList {
    let mut items = Vec::new();
    for schemas in AllSchemas::shipped().0 {
        let manifest = schemas.manifest;
        items.push(RulesetSummary {
            id: manifest.id,
            title: manifest.title,
            author: manifest.author,
            source: manifest.source,
            summary: manifest.summary,
            round: manifest.round,
            manifest: format!("rulesets/{}", manifest.id),
            openapi: format!("rulesets/{}/openapi.json", manifest.id),
        });
    }
    RulesetList {
        items,
        shared_commands: SharedCommand::SPECS,
        shared_rules: HOUSE_RULES,
    }
}

/// The manifest of a ruleset.
pub fn ruleset_manifest(schemas: &Schemas) -> RulesetManifest {
    let declared = http::openapi().components.unwrap_or_default().schemas;
    let all = components(&declared, Some(schemas));
    RulesetManifest {
        manifest: schemas.manifest,
        commands: commands(&all, schemas),
        events: events(&all, schemas),
        decisions: decisions(schemas.manifest),
        presets: presets(schemas.manifest),
        options: standalone(&schemas.options),
        combatant: draft(schemas),
    }
}

/// Its own decisions, then those of all rulesets that it has no own form of.
fn decisions(manifest: &Manifest) -> Vec<Decision> {
    let mut decisions = manifest.decisions.to_vec();
    for shared in SHARED_DECISIONS {
        if !decisions.iter().any(|own| own.id == shared.id) {
            decisions.push(*shared);
        }
    }
    decisions
}

fn presets(manifest: &Manifest) -> Vec<PresetInfo> {
    let mut presets = Vec::new();
    for preset in manifest.presets {
        presets.push(PresetInfo {
            id: preset.id,
            title: preset.title,
            plays: preset.plays,
            conditions: preset.conditions,
            definition: serde_json::from_str(preset.definition).expect("JSON"),
        });
    }
    presets
}

/// A combatant as a client describes it.
fn draft(schemas: &Schemas) -> Value {
    let mut combatant = standalone(&draft_schema::<Hp>());
    let stats = standalone(&schemas.stats);
    if let (Some(fields), Some(Value::Object(own))) = (
        combatant
            .get_mut("properties")
            .and_then(Value::as_object_mut),
        stats.get("properties"),
    ) {
        fields.extend(own.clone());
    }
    combatant
}

fn commands(all: &Components, schemas: &Schemas) -> Vec<CommandInfo> {
    let mut commands = Vec::new();
    let own = schemas.manifest.commands.iter().map(|spec| (spec, false));
    let shared = SharedCommand::SPECS.iter().map(|spec| (spec, true));
    for (spec, shared) in own.chain(shared) {
        commands.push(CommandInfo {
            kind: spec.verb.to_owned(),
            summary: spec.summary,
            sender: spec.sender,
            shared,
            schema: variant(all, "Command", spec.verb),
        });
    }
    commands
}

fn events(all: &Components, schemas: &Schemas) -> Vec<EventInfo> {
    let own = tags(&serde_json::to_value(&schemas.event.schema).expect("JSON"));
    let mut events = Vec::new();
    for kind in all["Event"]["discriminator"]["mapping"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
    {
        let schema = variant(all, "Event", kind);
        let summary = schema["description"].as_str().unwrap_or_default();
        events.push(EventInfo {
            kind: kind.clone(),
            summary: summary.replace('\n', " "),
            shared: !own.contains(kind),
            schema,
        });
    }
    events.sort_by_key(|event| event.shared);
    events
}

/// The tags of a union, as its type gives it.
fn tags(union: &Value) -> BTreeSet<String> {
    let variants = union["oneOf"].as_array().into_iter().flatten();
    let tag = |variant: &Value| {
        variant["properties"]["type"]["enum"][0]
            .as_str()
            .map(str::to_owned)
    };
    variants.filter_map(tag).collect()
}

/// The schema of one variant of a union, with those that it refers to.
fn variant(all: &Components, union: &str, tag: &str) -> Value {
    let target = &all[union]["discriminator"]["mapping"][tag];
    let name = target.as_str().and_then(|target| target.strip_prefix(REF));
    let name = name.unwrap_or_else(|| panic!("{union} has no {tag}"));
    alone(&all[name], all)
}

/// A schema that stands alone: the schemas that it refers to are its `$defs`.
fn alone(schema: &Value, all: &Components) -> Value {
    let mut whole = schema.clone();
    let mut defs = Map::new();
    let mut wanted = refer_to_defs(&mut whole);
    while let Some(name) = wanted.pop() {
        if defs.contains_key(&name) {
            continue;
        }
        let mut schema = all[&name].clone();
        wanted.extend(refer_to_defs(&mut schema));
        defs.insert(name, schema);
    }
    if !defs.is_empty() {
        whole["$defs"] = defs.into();
    }
    whole
}

/// Leads the references of a schema to `$defs`, and returns the names that they have there. What
/// only OpenAPI knows goes.
fn refer_to_defs(value: &mut Value) -> Vec<String> {
    let mut names = Vec::new();
    match value {
        Value::Array(items) => {
            for item in items {
                names.extend(refer_to_defs(item));
            }
        }
        Value::Object(fields) => {
            if fields.contains_key("oneOf") {
                fields.remove("discriminator");
            }
            if let Some(name) = fields
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|target| target.strip_prefix(REF))
            {
                let name = name.to_owned();
                fields.insert("$ref".to_owned(), json!(format!("#/$defs/{name}")));
                names.push(name);
            }
            for field in fields.values_mut() {
                names.extend(refer_to_defs(field));
            }
        }
        _ => {}
    }
    names
}
