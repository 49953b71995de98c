//! The published documents as a contract: requests and answers of tests are validated against the
//! envelope and against the ruleset's document. Undocumented fields fail, although the published
//! schemas of answers allow them.

use super::client::Answer;
use super::openapi::{self, AllSchemas, Examples};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use turnkeeper::http;

/// A document whose answers have no fields but those that it names.
struct Contract {
    document: Value,
    validators: Mutex<HashMap<String, Arc<OnceLock<jsonschema::Validator>>>>,
}

/// The document that fits all rulesets.
static ENVELOPE: LazyLock<Contract> = LazyLock::new(|| Contract::of(published()));

/// The document of each ruleset.
static CONTRACTS: LazyLock<BTreeMap<&str, Contract>> = LazyLock::new(|| {
    let mut contracts = BTreeMap::new();
    for schemas in AllSchemas::shipped().0 {
        let document = openapi::document(&http::openapi(), &Examples::default(), Some(&schemas));
        contracts.insert(schemas.manifest.id, Contract::of(document));
    }
    contracts
});

/// The ruleset of each encounter that was created.
static ENCOUNTERS: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

/// The envelope without examples.
pub fn published() -> Value {
    openapi::document(&http::openapi(), &Examples::default(), None)
}

/// Every operation of a document: method, path, operation.
pub fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().expect("paths").iter();
    let operations = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods").iter();
        methods.map(move |(method, operation)| {
            (method.to_uppercase(), path.clone(), operation.clone())
        })
    });
    operations.collect()
}

/// Visits every object in a value, the outer ones first.
fn each_object(value: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each_object(item, visit)),
        Value::Object(fields) => {
            visit(fields);
            fields
                .values_mut()
                .for_each(|value| each_object(value, visit));
        }
        _ => {}
    }
}

/// Forbids fields that a schema does not name.
fn forbid_unknown_fields(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    for (name, value) in fields.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.values_mut().for_each(forbid_unknown_fields);
            }
            ("items" | "additionalProperties", value) => forbid_unknown_fields(value),
            ("anyOf" | "oneOf", Value::Array(variants)) => {
                variants.iter_mut().for_each(forbid_unknown_fields);
            }
            _ => {}
        }
    }
    if fields.contains_key("properties") {
        let closed = || json!(false);
        fields.entry("additionalProperties").or_insert_with(closed);
    }
}

impl Contract {
    fn of(mut document: Value) -> Self {
        let schemas = document["components"]["schemas"].as_object_mut();
        schemas
            .expect("schemas")
            .values_mut()
            .for_each(forbid_unknown_fields);
        for part in ["/paths", "/components/responses"] {
            each_object(document.pointer_mut(part).expect("a part"), &mut |fields| {
                if let Some(schema) = fields.get_mut("schema") {
                    forbid_unknown_fields(schema);
                }
            });
        }
        Self {
            document,
            validators: Mutex::default(),
        }
    }

    /// What is wrong with a value by the schema at this pointer of the document.
    fn schema_errors(&self, pointer: &str, value: &Value) -> Vec<String> {
        let cell = self
            .validators
            .lock()
            .expect("no panic")
            .entry(pointer.to_owned())
            .or_default()
            .clone();
        let validator = cell.get_or_init(|| self.validator(pointer));
        let described = |error: jsonschema::ValidationError<'_>| {
            format!("{pointer}{}: {error}", error.instance_path())
        };
        validator.iter_errors(value).map(described).collect()
    }

    /// The validator of a schema, with those that it leads to and no others: less to compile.
    fn validator(&self, pointer: &str) -> jsonschema::Validator {
        let schema = self
            .document
            .pointer(pointer)
            .unwrap_or_else(|| panic!("there is no {pointer}"));
        let mut whole = json!({"allOf": [schema], "components": {"schemas": {}}});
        let mut wanted = vec![schema];
        while let Some(schema) = wanted.pop() {
            match schema {
                Value::Array(items) => wanted.extend(items),
                Value::Object(fields) => wanted.extend(fields.values()),
                Value::String(target) if target.starts_with("#/components/schemas/") => {
                    let name = target.rsplit('/').next().unwrap_or_default();
                    if whole["components"]["schemas"][name].is_null() {
                        let target = self
                            .document
                            .pointer(&target[1..])
                            .unwrap_or_else(|| panic!("there is no {target}"));
                        whole["components"]["schemas"][name] = target.clone();
                        wanted.push(target);
                    }
                }
                _ => {}
            }
        }
        jsonschema::draft202012::new(&whole).unwrap_or_else(|e| panic!("a schema: {e}"))
    }

    /// The template of a path, where the document has one: the one with the fewest parameters.
    fn template(&self, path: &str) -> Option<&str> {
        let steps: Vec<&str> = path.split('/').collect();
        let fits = |template: &str| {
            let template: Vec<&str> = template.split('/').collect();
            template.len() == steps.len()
                && template
                    .iter()
                    .zip(&steps)
                    .all(|(part, step)| part == step || part.starts_with('{') && !step.is_empty())
        };
        let paths = self.document["paths"]
            .as_object()?
            .keys()
            .map(String::as_str);
        paths
            .filter(|template| fits(template))
            .min_by_key(|template| template.matches('{').count())
    }
}

/// What is wrong with a value by the schema at this pointer: by the envelope, and by the document
/// of the ruleset. Without one, it is right under some ruleset.
fn errors_at(pointer: &str, ruleset: Option<&str>, value: &Value) -> Vec<String> {
    let mut errors = ENVELOPE.schema_errors(pointer, value);
    if let Some(contract) = ruleset.and_then(|id| CONTRACTS.get(id)) {
        errors.extend(contract.schema_errors(pointer, value));
    } else {
        let all = CONTRACTS
            .values()
            .map(|contract| contract.schema_errors(pointer, value));
        errors.extend(all.min_by_key(Vec::len).unwrap_or_default());
    }
    errors
}

/// What is wrong with a value by the schema of this name, by the envelope and by the document of
/// the ruleset that the value names.
pub fn schema_errors(schema: &str, value: &Value) -> Vec<String> {
    errors_at(
        &format!("{SCHEMAS}{schema}"),
        ruleset_of(value).as_deref(),
        value,
    )
}

/// What is wrong with a value of this ruleset by the schema of this name. The tests' own rulesets
/// are not published.
pub fn ruleset_errors(ruleset: &str, schema: &str, value: &Value) -> Vec<String> {
    if !CONTRACTS.contains_key(ruleset) {
        return Vec::new();
    }
    errors_at(&format!("{SCHEMAS}{schema}"), Some(ruleset), value)
}

/// Whether the ruleset's document allows a request of commands. None if it is not published.
pub fn allows_commands(ruleset: &str, sent: &Value) -> Option<bool> {
    let contract = CONTRACTS.get(ruleset)?;
    let pointer = format!("{SCHEMAS}CommandRequest");
    Some(contract.schema_errors(&pointer, sent).is_empty())
}

const SCHEMAS: &str = "/components/schemas/";

/// The ruleset that a value names.
fn ruleset_of(value: &Value) -> Option<String> {
    let id = value
        .get("ruleset")
        .or(value.pointer("/encounter/ruleset"))?;
    id.as_str().map(str::to_owned)
}

/// Holds an exchange against the document: an accepted request has the shape that it asks for, and
/// any answer a shape that it promises.
#[track_caller]
pub fn check(method: &str, path: &str, sent: &[u8], answer: &Answer) {
    let broken = if answer.header("content-encoding").is_empty() {
        breaches(method, path, sent, answer)
    } else {
        Vec::new()
    };
    let status = answer.status;
    assert!(
        broken.is_empty(),
        "{method} {path}, answered {status}, is not as the document says: {broken:#?}"
    );
}

fn breaches(method: &str, path: &str, sent: &[u8], answer: &Answer) -> Vec<String> {
    let path = path.split('?').next().unwrap_or_default();
    let contract = &*ENVELOPE;
    let Some(template) = contract.template(path) else {
        return Vec::new();
    };
    let operation = format!(
        "/paths/{}/{}",
        template.replace('/', "~1"),
        method.to_lowercase()
    );
    if contract.document.pointer(&operation).is_none() {
        return Vec::new();
    }
    let mut broken = Vec::new();
    let ruleset = ruleset_of_exchange(path, sent, answer);
    let body = format!("{operation}/requestBody");
    if contract.document.pointer(&body).is_some() {
        let schema = format!("{body}/content/application~1json/schema");
        broken.extend(request_errors(&schema, ruleset.as_deref(), sent, answer));
    }
    let mut response = format!("{operation}/responses/{}", answer.status);
    if let Some(shared) = contract
        .document
        .pointer(&response)
        .and_then(|response| response["$ref"].as_str())
    {
        response = shared[1..].to_owned();
    }
    let Some(declared) = contract.document.pointer(&response) else {
        broken.push(format!(
            "{operation} does not say that it may answer {}",
            answer.status
        ));
        return broken;
    };
    let media = answer
        .header("content-type")
        .split(';')
        .next()
        .unwrap_or_default();
    if declared["content"].is_null() && answer.body.is_empty() {
        return broken;
    }
    let content = format!("{response}/content/{}", media.replace('/', "~1"));
    if contract.document.pointer(&content).is_none() {
        broken.push(format!("{response} does not say that it may be {media:?}"));
        return broken;
    }
    let text = String::from_utf8_lossy(&answer.body);
    let json = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    let schema = format!("{content}/schema");
    let errors = |pointer: &str, value: &Value| errors_at(pointer, ruleset.as_deref(), value);
    match media {
        "application/x-ndjson" => {
            for line in text.lines() {
                broken.extend(errors(&schema, &json(line)));
            }
        }
        "text/event-stream" => {
            let line = format!("{SCHEMAS}FeedLine");
            for data in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
                broken.extend(errors(&line, &json(data)));
            }
        }
        "text/plain" | "text/html" => broken.extend(errors(&schema, &json!(text))),
        _ => broken.extend(errors(&schema, &json(&text))),
    }
    broken
}

/// What is wrong with a request, as it was answered: what was accepted has the schema, and what was
/// refused for its shape has not.
fn request_errors(
    schema: &str,
    ruleset: Option<&str>,
    sent: &[u8],
    answer: &Answer,
) -> Vec<String> {
    if answer.status < 300 {
        let value = serde_json::from_slice(sent).expect("what is accepted is JSON");
        return errors_at(schema, ruleset, &value);
    }
    let problem: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let field = problem.pointer("/errors/0/path").and_then(Value::as_str);
    // No schema says what a merge patch holds.
    let is_patch = field.is_some_and(|field| field.starts_with("options.definition"));
    if problem["code"] != "invalid_body" || is_patch {
        return Vec::new();
    }
    if let Some(contract) = ruleset.and_then(|id| CONTRACTS.get(id))
        && let Ok(value) = serde_json::from_slice(sent)
        && contract.schema_errors(schema, &value).is_empty()
    {
        return vec![format!("{schema} allows what is refused: {value}")];
    }
    Vec::new()
}

/// The ruleset of the encounter that an exchange is about, if it is known.
fn ruleset_of_exchange(path: &str, sent: &[u8], answer: &Answer) -> Option<String> {
    if path == "/v1/encounters" && answer.status >= 300 {
        return ruleset_of(&serde_json::from_slice(sent).ok()?);
    }
    let mut encounters = ENCOUNTERS.lock().expect("no panic");
    if answer.status == 201 && !path.ends_with("/tokens") {
        let created: Value = serde_json::from_slice(&answer.body).ok()?;
        let id = created.pointer("/encounter/id").and_then(Value::as_str)?;
        let ruleset = ruleset_of(&created)?;
        encounters.insert(id.to_owned(), ruleset.clone());
        return Some(ruleset);
    }
    let id = path.split('/').nth(3)?;
    encounters.get(id).cloned()
}
