//! The published document: what the operations declare, the schemas, and what all operations share.

use super::components::{Schemas, components};
use super::naming::{publish, reference};
use super::responses::{header_reference, headers, pattern, responses};
use super::schema::{Components, REF, json as schema_json};
use super::shape::flatten;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use turnkeeper::openapi::EVERYWHERE;

/// Examples by operation id: `request` and, by status, `responses`; each a map of named OpenAPI
/// examples. Those that several operations show are under `shared`.
pub type Examples = Map<String, Value>;

/// What the description of a ruleset's document says besides the summary.
const OWN: &str = "The operations are those of all rulesets. The commands, events, options, combatants and states \
    are the ruleset's own. `/openapi.json` fits every ruleset.";

/// The document: of one ruleset, or the envelope, which fits all rulesets.
pub fn document(
    routes: &utoipa::openapi::OpenApi,
    examples: &Examples,
    ruleset: Option<&Schemas>,
) -> Value {
    let mut paths = serde_json::to_value(&routes.paths).unwrap_or_default();
    let declared = routes.components.clone().unwrap_or_default().schemas;
    let schemas = components(&declared, ruleset);
    let declared: Components = declared
        .iter()
        .map(|(name, schema)| (name.clone(), schema_json(schema)))
        .collect();
    let mut components = json!({
        "schemas": schemas,
        "responses": responses(),
        "headers": headers(),
        "parameters": {},
        "examples": examples.get("shared").cloned().unwrap_or(json!({})),
        "securitySchemes": security_schemes(),
    });
    let items = paths.as_object_mut().into_iter().flat_map(Map::values_mut);
    let operations = items
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut);
    for operation in operations.filter_map(Value::as_object_mut) {
        operation.entry("security").or_insert(json!([]));
        for (status, name) in EVERYWHERE {
            let shared = json!({"$ref": format!("#/components/responses/{name}")});
            operation["responses"][status] = shared;
        }
        for parameter in operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            share(parameter, &mut components["parameters"]);
        }
        for part in ["requestBody", "responses"] {
            let part = operation.get_mut(part).into_iter();
            part.for_each(|part| {
                publish(part, &declared);
                flatten(part, &schemas);
                refer(part, &schemas);
            });
        }
        let responses = operation["responses"]
            .as_object_mut()
            .into_iter()
            .flat_map(Map::values_mut);
        for headers in responses.filter_map(|response| response.get_mut("headers")?.as_object_mut())
        {
            headers
                .iter_mut()
                .for_each(|(name, header)| *header = header_reference(name));
        }
        if let Some(examples) = operation["operationId"]
            .as_str()
            .and_then(|id| examples.get(id))
        {
            show(&examples.clone(), operation, &mut components["responses"]);
        }
    }
    let (title, description, server) = match ruleset {
        None => (
            "Turnkeeper".to_owned(),
            include_str!("walkthrough.md").to_owned(),
            ".",
        ),
        Some(Schemas { manifest, .. }) => (
            format!("Turnkeeper: {}", manifest.title),
            format!("{}\n\n{OWN}", manifest.summary),
            "../../..",
        ),
    };
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": env!("CARGO_PKG_VERSION"),
            "summary": env!("CARGO_PKG_DESCRIPTION"),
            "description": description,
            "contact": {"name": "Turnkeeper"},
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": server, "description": "This server"}],
        "tags": [
            {"name": "rulesets", "description": "The initiative systems and their rules"},
            {"name": "encounters", "description": "Create, read, list, move and delete encounters"},
            {"name": "tokens", "description": "The rights of players, spectators and game masters"},
            {"name": "commands", "description": "Send commands, and list those that are legal now"},
            {"name": "events", "description": "Read and follow the log"},
            {"name": "problems", "description": "The kinds of problems, with cause and remedy"},
            {"name": "operations", "description": "The process and its store"},
        ],
        "paths": paths,
        "components": components,
    });
    prune(&mut document);
    document
}

/// Replaces each schema that has a name by a reference to it: generic types hold their arguments
/// themselves.
fn refer(value: &mut Value, schemas: &Components) {
    let named = || {
        schemas
            .iter()
            .find(|(_, schema)| *schema == value)
            .map(|(name, _)| reference(name))
    };
    if let Some(reference) = value.get("properties").is_some().then(named).flatten() {
        *value = reference;
    }
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| refer(item, schemas)),
        Value::Object(fields) => fields.values_mut().for_each(|field| refer(field, schemas)),
        _ => {}
    }
}

/// Drops the schemas that nothing refers to: those that became parts of others.
fn prune(document: &mut Value) {
    let mut wanted = vec![&document["paths"], &document["components"]["responses"]];
    let mut found = BTreeSet::new();
    while let Some(value) = wanted.pop() {
        match value {
            Value::Array(items) => wanted.extend(items),
            Value::Object(fields) => wanted.extend(fields.values()),
            Value::String(target) => {
                let name = target
                    .strip_prefix(REF)
                    .filter(|name| found.insert((*name).to_owned()));
                wanted.extend(name.map(|name| &document["components"]["schemas"][name]));
            }
            _ => {}
        }
    }
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| found.contains(name));
    }
}

fn security_schemes() -> Value {
    json!({
        "token": {"type": "http", "scheme": "bearer", "description": "A token of the encounter. The game master's comes with the \
            creation and allows everything. A player's allows the commands of the combatants that it names. A spectator's \
            allows reading."},
        "application": {"type": "http", "scheme": "bearer", "description": "The key of an application, `tk_app_...`. Creating, \
            importing and listing encounters need it if the server is configured with applications. It also creates game \
            masters' tokens of its own encounters."},
    })
}

/// Moves a path or header parameter to the shared ones. Both are text, which is never null.
fn share(parameter: &mut Value, shared: &mut Value) {
    if parameter["in"] != "query" {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        let reference = json!({"$ref": format!("#/components/parameters/{name}")});
        parameter["schema"] = json!({"type": "string"});
        if let Some(pattern) = pattern(&name) {
            parameter["schema"]["pattern"] = pattern.into();
        }
        shared[name] = std::mem::replace(parameter, reference);
    }
}

/// Adds an operation's examples to its request and its responses, the shared ones included.
fn show(examples: &Value, operation: &mut Map<String, Value>, shared: &mut Value) {
    if let Some(request) = examples.get("request") {
        operation["requestBody"]["content"]["application/json"]["examples"] = request.clone();
    }
    for (status, by_media) in examples["responses"].as_object().into_iter().flatten() {
        let response = &mut operation["responses"][status];
        let name = response["$ref"]
            .as_str()
            .and_then(|target| target.rsplit('/').next())
            .map(str::to_owned);
        let response = name.map_or(response, |name| &mut shared[name]);
        for (media, named) in by_media.as_object().into_iter().flatten() {
            for (name, example) in named.as_object().into_iter().flatten() {
                response["content"][media]["examples"][name] = example.clone();
            }
        }
    }
}
