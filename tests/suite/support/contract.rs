//! The published document as a contract: requests and answers of tests are validated against it.
//! Undocumented fields fail, although the published schemas of answers allow them.

use super::client::Answer;
use super::openapi::{self, Examples};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use turnkeeper::engine::Rulesets;
use turnkeeper::http;

/// The document for one ruleset: unions over all rulesets hold the ruleset's schema_name variants
/// only.
struct Contract {
    document: Value,
    validators: Mutex<HashMap<String, Arc<OnceLock<jsonschema::Validator>>>>,
}

/// The contracts by the prefix of the ruleset's schemas, such as `Dc20`.
static CONTRACTS: LazyLock<BTreeMap<String, Contract>> = LazyLock::new(|| {
    let published = published();
    let prefixes: Vec<String> = Rulesets::shipped()
        .iter()
        .map(|ruleset| schema_name(ruleset.manifest.id, ""))
        .collect();
    let contract = |prefix: &String| {
        let mut narrowed = published.clone();
        let others: Vec<&String> = prefixes.iter().filter(|other| *other != prefix).collect();
        narrow(&mut narrowed, &others);
        let mut document = narrowed.clone();
        for schema in document["components"]["schemas"]
            .as_object_mut()
            .expect("schemas")
            .values_mut()
        {
            forbid_unknown_fields(schema, &narrowed, false);
        }
        for part in ["/paths", "/components/responses"] {
            each_object(document.pointer_mut(part).expect("a part"), &mut |fields| {
                fields
                    .get_mut("schema")
                    .into_iter()
                    .for_each(|schema| forbid_unknown_fields(schema, &narrowed, false));
            });
        }
        (
            prefix.clone(),
            Contract {
                document,
                validators: Mutex::default(),
            },
        )
    };
    prefixes.iter().map(contract).collect()
});

/// The document without examples.
pub fn published() -> Value {
    openapi::document(&http::openapi(), &Examples::default())
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

/// Takes the variants of other rulesets out of every union.
fn narrow(document: &mut Value, others: &[&String]) {
    each_object(document, &mut |fields| {
        for union in ["anyOf", "oneOf"] {
            if let Some(variants) = fields.get_mut(union).and_then(Value::as_array_mut) {
                let schema = |variant: &Value| {
                    variant["$ref"]
                        .as_str()?
                        .rsplit('/')
                        .next()
                        .map(str::to_owned)
                };
                let theirs =
                    |name: String| others.iter().any(|prefix| concept(&name, prefix).is_some());
                let allowed = |variant: &Value| !schema(variant).is_some_and(theirs);
                if variants.iter().any(allowed) {
                    variants.retain(allowed);
                }
            }
        }
    });
}

/// Forbids fields that a schema does not name. A part of an `allOf` (`part`) stays open, because
/// the other parts name more fields.
fn forbid_unknown_fields(schema: &mut Value, published: &Value, part: bool) {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .filter(|_| part)
        .map(|target| &target[1..]);
    if let Some(target) = target.and_then(|target| published.pointer(target)) {
        *schema = target.clone();
    }
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    for (name, value) in fields.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties
                    .values_mut()
                    .for_each(|property| forbid_unknown_fields(property, published, false));
            }
            ("items" | "additionalProperties", value) => {
                forbid_unknown_fields(value, published, false);
            }
            ("anyOf" | "oneOf", Value::Array(variants)) => {
                variants
                    .iter_mut()
                    .for_each(|variant| forbid_unknown_fields(variant, published, part));
            }
            ("allOf", Value::Array(parts)) => {
                parts
                    .iter_mut()
                    .for_each(|part| forbid_unknown_fields(part, published, true));
            }
            _ => {}
        }
    }
    if !part && fields.contains_key("allOf") {
        fields.insert("unevaluatedProperties".to_owned(), json!(false));
    } else if !part
        && fields.contains_key("properties")
        && !fields.contains_key("additionalProperties")
    {
        fields.insert("additionalProperties".to_owned(), json!(false));
    }
}

impl Contract {
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
                        let target = self.document.pointer(&target[1..]).expect("a schema");
                        whole["components"]["schemas"][name] = target.clone();
                        wanted.push(target);
                    }
                }
                _ => {}
            }
        }
        jsonschema::draft202012::new(&whole).expect("a schema")
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

/// What a schema is for its ruleset: `Event` of `Dc20Event`.
fn concept<'s>(schema: &'s str, prefix: &str) -> Option<&'s str> {
    schema
        .strip_prefix(prefix)
        .filter(|rest| rest.starts_with(char::is_uppercase))
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_uppercase() + rest
}

/// What is wrong with a value by the schema at this pointer, under the ruleset that the value
/// names. One that names none is right under some ruleset.
fn schema_errors_at(pointer: &str, value: &Value) -> Vec<String> {
    let id = value
        .get("ruleset")
        .or(value.pointer("/encounter/ruleset"))
        .and_then(Value::as_str);
    if let Some(contract) = id.and_then(|id| CONTRACTS.get(&schema_name(id, ""))) {
        return contract.schema_errors(pointer, value);
    }
    let all = CONTRACTS
        .values()
        .map(|contract| contract.schema_errors(pointer, value));
    all.min_by_key(Vec::len).unwrap_or_default()
}

/// What is wrong with a value by the schema of this name, which may be a union's name with a
/// ruleset's prefix.
pub fn schema_errors(schema: &str, value: &Value) -> Vec<String> {
    let narrowed = CONTRACTS
        .iter()
        .find_map(|(prefix, contract)| Some((contract, concept(schema, prefix)?)));
    match narrowed {
        Some((contract, union)) => {
            contract.schema_errors(&format!("/components/schemas/{union}"), value)
        }
        None => schema_errors_at(&format!("/components/schemas/{schema}"), value),
    }
}

/// The name of a ruleset's schema_name schema, such as `Dc20Event`.
pub fn schema_name(ruleset: &str, schema: &str) -> String {
    ruleset.split('-').map(capitalised).collect::<String>() + schema
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
    let contract = CONTRACTS.values().next().expect("a ruleset");
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
    let body = format!("{operation}/requestBody");
    if answer.status < 300 && contract.document.pointer(&body).is_some() {
        let sent = serde_json::from_slice(sent).expect("what is accepted is JSON");
        let schema = format!("{body}/content/application~1json/schema");
        broken.extend(schema_errors_at(&schema, &sent));
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
    match media {
        "application/x-ndjson" => text
            .lines()
            .for_each(|line| broken.extend(schema_errors_at(&schema, &json(line)))),
        "text/event-stream" => {
            let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
            data.for_each(|data| broken.extend(schema_errors("FeedLine", &json(data))));
        }
        "text/plain" | "text/html" => {
            broken.extend(schema_errors_at(&schema, &json!(text)));
        }
        _ => broken.extend(schema_errors_at(&schema, &json(&text))),
    }
    broken
}
