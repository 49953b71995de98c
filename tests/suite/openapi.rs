//! The published documents and manifests: what is committed is what the code says, and its examples
//! are what a server answered. `TURNKEEPER_BLESS=1 tests/run openapi` rewrites it. `openapi/check` holds
//! references, descriptions, tags and examples.

use crate::e2e::applications::{key, named};
use crate::e2e::{Api, Fight, text};
use crate::support::client::{Answer, Client};
use crate::support::contract::{self, operations};
use crate::support::openapi::{self, AllSchemas};
use crate::support::sources;
use crate::transcripts;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use turnkeeper::engine::Rulesets;
use turnkeeper::http;
use turnkeeper::vocabulary::Manifest;

const ENVELOPE: &str = "openapi/openapi.json";
const RULESETS: &str = "openapi/rulesets.json";
const TOOLS: &str = "openapi/mcp.json";

/// Examples as they are captured: by operation, by status and media type, by name.
#[derive(Default)]
struct Capture(Map<String, Value>);

impl Capture {
    fn request(&mut self, operation: &str, name: &str, summary: &str, body: &Value) {
        self.0.entry(operation).or_insert(json!({}))["request"][name] =
            json!({"summary": summary, "value": body});
    }

    fn answer(&mut self, operation: &str, name: &str, answer: &Answer) {
        let media = answer
            .header("content-type")
            .split(';')
            .next()
            .unwrap_or_default();
        let value = if media == "text/plain" {
            json!(answer.text())
        } else {
            scrubbed(answer.json())
        };
        self.example(operation, name, answer, &value);
    }

    /// The lines of a stream, or its server-sent events as one text.
    fn stream(&mut self, operation: &str, answer: &Answer) {
        let message = |line: &str| -> Value { scrubbed(serde_json::from_str(line).expect("JSON")) };
        if answer
            .header("content-type")
            .starts_with("text/event-stream")
        {
            let line = |line: &str| match line.split_once("data: ") {
                Some((_, data)) => format!("data: {}\n", message(data)),
                None if line.starts_with("id: ") => format!("{}\n", event_id(line)),
                None => format!("{line}\n"),
            };
            let text: String = answer.text().lines().map(line).collect();
            return self.example(operation, "events", answer, &text.into());
        }
        for line in answer.text().lines().map(message) {
            self.example(operation, &text(&line["type"]), answer, &line);
        }
    }

    /// What one operation answers and another one takes, as one example.
    fn shared(&mut self, [answer, request]: [&str; 2], name: &str, summary: &str, value: &Value) {
        self.0.entry("shared").or_insert(json!({}))[name] =
            json!({"summary": summary, "value": value});
        let reference = json!({"$ref": format!("#/components/examples/{name}")});
        self.0.entry(answer).or_insert(json!({}))["responses"]["200"]["application/json"][name] =
            reference.clone();
        self.0.entry(request).or_insert(json!({}))["request"][name] = reference;
    }

    fn example(&mut self, operation: &str, name: &str, answer: &Answer, value: &Value) {
        let status = answer.status.to_string();
        let media = answer
            .header("content-type")
            .split(';')
            .next()
            .unwrap_or_default();
        let slot = &mut self.0.entry(operation).or_insert(json!({}))["responses"][status][media];
        slot[name] = json!({"value": value});
    }
}

/// The id of an event with a digest that is the same in every run.
fn event_id(id: &str) -> String {
    match id.split_once('-') {
        Some((version, _)) => format!("{version}-Yk0pTq3mR8sWvx2a"),
        None => id.to_owned(),
    }
}

/// What differs from run to run, made the same.
fn scrubbed(mut value: Value) -> Value {
    fn walk(value: &mut Value, id: &str) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| walk(item, id)),
            Value::Object(fields) => {
                for (key, value) in fields.iter_mut() {
                    match (key.as_str(), &mut *value) {
                        (
                            "at" | "created_at" | "exported_at" | "since" | "everybody" | "gm",
                            Value::String(time),
                        ) if time.contains('T') => {
                            *time = "2026-01-01T00:00:00Z".into();
                        }
                        ("seconds", seconds) => *seconds = json!(42),
                        ("request_id", Value::String(id)) => *id = "5b1a7c09e3d2f648".into(),
                        ("token", Value::String(token)) if token.starts_with("tk_") => {
                            *token = "tk_gm_shown-only-here".into();
                        }
                        ("event_id", Value::String(id)) => *id = event_id(id),
                        ("id", Value::String(id)) if id.starts_with("player-") => {
                            *id = "player-k7q2m9xa".into();
                        }
                        ("token", Value::String(id)) if id.len() > 8 => *id = "gm".into(),
                        (_, value) => walk(value, id),
                    }
                }
            }
            Value::String(text) if !id.is_empty() => *text = text.replace(id, ID),
            _ => {}
        }
    }
    let id = value
        .pointer("/encounter/id")
        .or(value.get("id").filter(|_| value.get("version").is_some()));
    let path = value
        .get("instance")
        .and_then(Value::as_str)
        .and_then(|path| path.split('/').nth(3))
        .map(str::to_owned);
    let id = id
        .and_then(Value::as_str)
        .map(str::to_owned)
        .or(path)
        .unwrap_or_default();
    walk(&mut value, &id);
    value
}

const ID: &str = "hVq2yK0m3ZrWc8sT1uXe5A";

/// The transcript that serves as a ruleset's example: the first worked example that needs no dice
/// of the server's.
fn example(ruleset: &str) -> Value {
    let mut all = transcripts::of(ruleset);
    all.sort_by_key(|(file, _)| !file.starts_with(&format!("{ruleset}/t")));
    let fit = |transcript: &Value| {
        transcripts::sent_without_dice(transcript).is_some_and(|sent| sent.len() > 3)
    };
    let found = all.into_iter().map(|(_, transcript)| transcript).find(fit);
    found.unwrap_or_else(|| panic!("{ruleset} has no transcript without dice"))
}

/// The examples of the envelope, and those of each ruleset's document.
async fn captured() -> (
    Map<String, Value>,
    BTreeMap<&'static str, Map<String, Value>>,
) {
    let mut shared = Capture::default();
    let mut of_rulesets = BTreeMap::new();
    let api = Api::start().await;
    for ruleset in Rulesets::shipped().iter().map(|r| r.manifest) {
        let mut own = Capture::default();
        let fight = played(&mut own, &api, ruleset).await;
        if ruleset.id == "active-initiative" {
            for (operation, examples) in own.0.clone() {
                shared.0.insert(operation, examples);
            }
            reads(&mut shared, &fight).await;
        }
        of_rulesets.insert(ruleset.id, own.0);
    }
    let no_applications = api.get("/v1/encounters").send().await;
    shared.answer("list_encounters", "no_applications", &no_applications);
    listed(&mut shared).await;
    (shared.0, of_rulesets)
}

/// Creates the example of a ruleset and plays it.
async fn played(capture: &mut Capture, api: &Client, ruleset: &Manifest) -> Fight {
    let transcript = example(ruleset.id);
    let name = ruleset.id.replace('-', "_");
    let creation = &transcript["create"];
    capture.request("create_encounter", &name, ruleset.title, creation);
    let created = api.post("/v1/encounters", creation).send().await;
    let fight = Fight::of(api, &created);
    let mut shown = BTreeSet::new();
    for send in transcripts::sent_without_dice(&transcript)
        .into_iter()
        .flatten()
    {
        let command = fight.command(send);
        // `read_encounter` shows a whole encounter.
        let answer = command.minimal().send().await;
        let verb = send["type"].as_str().unwrap_or("list").to_owned();
        if shown.len() == 8 || !shown.insert((verb.clone(), answer.status)) {
            continue;
        }
        // Readers of the document sort by these names: what a fight begins with comes first.
        let example = format!("{name}_{}_{verb}", shown.len());
        let summary = format!("{}: {verb}", ruleset.title);
        if answer.status == 200 {
            capture.request("send_command", &example, &summary, send);
        }
        // One refusal shows what all are like.
        let shows_a_refusal = capture
            .0
            .get("send_command")
            .is_some_and(|operation| operation["responses"]["409"].is_object());
        let refused = answer.status == 409 && !shows_a_refusal;
        if refused || shown.len() == 2 && answer.status == 200 && send.is_object() {
            capture.answer("send_command", &example, &answer);
        }
    }
    fight
}

async fn listed(capture: &mut Capture) {
    let (key, pair) = key(&named("table"));
    let api = Api::with_keys(&pair).await;
    let creation = json!({"ruleset": "active-initiative", "name": "Ambush", "combatants": [{"name": "Valiant"}]});
    for _ in 0..2 {
        Fight::of(
            &api,
            &api.post("/v1/encounters", &creation)
                .token(&key)
                .send()
                .await,
        );
    }
    let mut page = api.get("/v1/encounters?limit=1").token(&key).send().await;
    let mut list = page.json();
    (list["items"][0]["id"], list["next_cursor"]) =
        (json!(ID), json!(format!("1767225600000-{ID}")));
    page.body = list.to_string().into();
    capture.answer("list_encounters", "page", &page);
    capture.answer(
        "list_encounters",
        "no_key",
        &api.get("/v1/encounters").send().await,
    );
}

/// A fight with one combatant, for examples with a whole encounter that another example shows in
/// full.
async fn short_fight(capture: &mut Capture, api: &Client) -> Fight {
    let creation = json!({"ruleset": "active-initiative", "name": "Ambush", "combatants": [{"name": "Valiant"}]});
    let created = api.post("/v1/encounters", &creation).send().await;
    capture.answer("create_encounter", "active_initiative", &created);
    let fight = Fight::of(api, &created);
    fight
        .command(&json!({"type": "start", "first": "valiant"}))
        .send()
        .await
        .expect(200);
    fight
}

async fn reads(capture: &mut Capture, fight: &Fight) {
    let api = &fight.api;
    capture.answer(
        "read_encounter",
        "turn_table",
        &fight.get("").header("accept", "text/plain").send().await,
    );
    let mut options = fight.get("/options").send().await;
    let mut list = options.json();
    // Generators follow references also in examples.
    if let Some(items) = list["items"].as_array_mut() {
        items.retain(|item| !item.to_string().contains("$ref"));
        items.truncate(3);
    }
    list.as_object_mut().expect("a list").remove("$defs");
    options.body = list.to_string().into();
    capture.answer("list_options", "options", &options);
    capture.answer(
        "list_events",
        "page",
        &fight.get("/events?limit=2").send().await,
    );
    let statistics = fight.get("/statistics").send().await;
    capture.answer("read_statistics", "fight", &statistics);
    let short = short_fight(capture, api).await;
    capture.answer("read_encounter", "json", &short.get("").send().await);
    let lines = short
        .get("/events?after=0&limit=1")
        .header("accept", "application/x-ndjson");
    capture.stream("list_events", &lines.send().await);
    let events = fight
        .get("/events?limit=1")
        .header("accept", "text/event-stream");
    capture.stream(
        "list_events",
        &events.header("last-event-id", "0").send().await,
    );
    let log = short.get("/export").send().await.json();
    let imported = api.post("/v1/encounters/import", &log).send().await;
    assert_eq!(
        imported.status,
        201,
        "the example can be sent: {}",
        imported.text()
    );
    capture.shared(
        ["export_encounter", "import_encounter"],
        "log",
        "An exported log",
        &scrubbed(log),
    );
    let rows = json!([
        {"id": "-1", "pr": 17, "custom": "Ann"},
        {"id": "-1", "pr": "15.5", "custom": "Orc", "formula": "1"},
    ]);
    let converted = api.post("/v1/encounters/convert", &rows).send().await;
    capture.request("convert_file", "turn_order", "Roll20's turn order", &rows);
    capture.answer("convert_file", "turn_order", &converted);
    let named = fight.read("").await["combatants"][0]["id"].clone();
    let player = json!({"role": "player", "combatants": [named]});
    let handed = fight.ask(&player).send().await;
    capture.request("create_token", "player", "A player's token", &player);
    let onlooker = json!({"role": "spectator", "expires_in": 86400});
    capture.request(
        "create_token",
        "spectator",
        "An onlooker's, for a day",
        &onlooker,
    );
    capture.answer("create_token", "player", &handed);
    capture.request(
        "create_token",
        "gm",
        "Another game master's token",
        &json!({"role": "gm", "name": "Spare"}),
    );
    let path = fight.path("/tokens/replace");
    let replaced = api
        .call("POST", &path)
        .token(&text(&handed.json()["token"]))
        .send()
        .await;
    capture.answer("replace_token", "player", &replaced);
    capture.answer("list_tokens", "tokens", &fight.get("/tokens").send().await);
    let player = fight.with_token(&text(&replaced.json()["token"]));
    capture.answer(
        "send_command",
        "forbidden",
        &player.command(&json!({"type": "undo"})).send().await,
    );
    let list = serde_json::to_value(openapi::ruleset_list()).expect("JSON");
    let [active_initiative, ..] = &AllSchemas::shipped().0[..] else {
        panic!("no ruleset ships");
    };
    let manifest = openapi::ruleset_manifest(active_initiative);
    let manifest = serde_json::to_value(manifest).expect("JSON");
    for (operation, path, said) in [
        ("list_rulesets", "", list),
        ("read_ruleset", "/active-initiative", manifest),
    ] {
        // The program has the files that were committed when it was built.
        let answer = api.get(&format!("/v1/rulesets{path}")).try_send().await;
        let mut answer = answer.expect("an answer");
        answer.body = shortened(said).to_string().into();
        capture.answer(operation, "shortened", &answer);
    }
    for (operation, path) in [
        ("list_problems", "/problems"),
        ("read_problem", "/problems/stale_version"),
    ] {
        let mut answer = api.get(path).send().await;
        answer.body = shortened(answer.json()).to_string().into();
        capture.answer(operation, "shortened", &answer);
    }
    capture.answer(
        "read_encounter",
        "no_token",
        &api.get(&fight.path("")).send().await,
    );
    let unknown = json!({"type": "damage", "target": "dragon", "amount": 1});
    capture.answer(
        "send_command",
        "unknown_combatant",
        &fight.command(&unknown).send().await,
    );
    let typo = json!({"type": "note", "txt": "hello"});
    capture.answer(
        "send_command",
        "unknown_field",
        &fight.command(&typo).send().await,
    );
}

/// A ruleset, or a list of rulesets, with the first entry of each list only, and at most one field
/// of a combatant and of the options.
fn shortened(mut answer: Value) -> Value {
    // Generators follow references also in examples.
    if let Some(Value::Object(schema)) = answer.get_mut("schema") {
        schema.retain(|field, _| field == "type");
    }
    for schema in ["/combatant/properties", "/options/properties"] {
        let fields = answer.pointer_mut(schema).and_then(Value::as_object_mut);
        if let Some(fields) = fields {
            fields.retain(|field, _| field == "name");
        }
    }
    for field in [
        "items",
        "commands",
        "events",
        "decisions",
        "rules",
        "shared_commands",
        "shared_rules",
    ] {
        if let Some(list) = answer.get_mut(field).and_then(Value::as_array_mut) {
            list.truncate(1);
            list.iter_mut()
                .for_each(|item| *item = shortened(item.take()));
        }
    }
    answer
}

#[tokio::test]
async fn the_committed_documents_are_what_the_code_says() {
    let (shared, of_rulesets) = captured().await;
    let mut files = Files::default();
    let routes = http::openapi();
    files.hold(ENVELOPE, &openapi::document(&routes, &shared, None));
    for schemas in AllSchemas::shipped().0 {
        let id = schemas.manifest.id;
        let document = openapi::document(&routes, &of_rulesets[id], Some(&schemas));
        files.hold(&format!("openapi/{id}.json"), &document);
    }
    files.verdict();
}

#[test]
fn the_committed_manifests_are_what_the_code_says() {
    let mut files = Files::default();
    files.hold(RULESETS, &openapi::ruleset_list());
    files.hold(TOOLS, &openapi::tools_list());
    for schemas in AllSchemas::shipped().0 {
        let file = format!("openapi/manifests/{}.json", schemas.manifest.id);
        files.hold(&file, &openapi::ruleset_manifest(&schemas));
    }
    files.verdict();
}

/// The committed files that are not what the code says.
#[derive(Default)]
struct Files(Vec<String>);

impl Files {
    /// Compares a file with what it should be, or writes it.
    fn hold(&mut self, file: &str, document: &impl Serialize) {
        let mut text = serde_json::to_string_pretty(document).expect("JSON");
        text.push('\n');
        let path = sources::path(file);
        if std::env::var_os("TURNKEEPER_BLESS").is_some() {
            std::fs::write(&path, &text).expect("the document can be written");
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        if committed != text {
            self.0.push(file.to_owned());
        }
    }

    #[track_caller]
    fn verdict(self) {
        assert!(
            self.0.is_empty(),
            "{:?} are not what the code says: TURNKEEPER_BLESS=1 tests/run openapi",
            self.0
        );
    }
}

/// A committed document.
fn committed(file: &str) -> Value {
    serde_json::from_str(&sources::text(file)).expect("JSON")
}

/// The committed envelope, and each ruleset's document.
fn documents() -> Vec<Value> {
    let mut documents = vec![committed(ENVELOPE)];
    for ruleset in Rulesets::shipped().iter() {
        documents.push(committed(&format!("openapi/{}.json", ruleset.manifest.id)));
    }
    documents
}

#[test]
fn the_envelope_stays_small() {
    let document = committed(ENVELOPE);
    let schemas = document["components"]["schemas"].as_object();
    let count = schemas.expect("schemas").len();
    assert!(count <= 51, "{count} schemas");
    let bytes = document.to_string().len();
    assert!(bytes <= 115_000, "{bytes} bytes");
}

#[test]
fn what_is_published_fits_an_answer_of_a_load_balancers_function() {
    let list = committed(RULESETS).to_string().len();
    assert!(list < 10_000, "{list} bytes of the list");
    for ruleset in Rulesets::shipped().iter() {
        let id = ruleset.manifest.id;
        for file in [
            format!("openapi/{id}.json"),
            format!("openapi/manifests/{id}.json"),
        ] {
            let bytes = committed(&file).to_string().len();
            assert!(bytes < 1_000_000, "{file} has {bytes} bytes");
        }
    }
}

#[test]
fn the_list_of_tools_is_small_and_its_schemas_stand_alone() {
    let list = committed(TOOLS);
    let bytes = list.to_string().len();
    assert!(bytes < 11_200, "{bytes} bytes");
    let tools = list["tools"].as_array().expect("tools");
    assert_eq!(tools.len(), 6);
    for tool in tools {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{tool}");
        assert_eq!(schema["additionalProperties"], false, "{tool}");
        assert!(!schema.to_string().contains("$ref"), "{tool}");
        jsonschema::draft202012::meta::validate(schema)
            .unwrap_or_else(|error| panic!("{}: {error}", tool["name"]));
    }
}

#[test]
fn schemas_of_manifests_stand_alone() {
    for ruleset in Rulesets::shipped().iter() {
        let id = ruleset.manifest.id;
        let manifest = committed(&format!("openapi/manifests/{id}.json"));
        let mut schemas = vec![&manifest["options"], &manifest["combatant"]];
        for list in ["commands", "events"] {
            let items = manifest[list].as_array().expect("a list");
            schemas.extend(items.iter().map(|item| &item["schema"]));
        }
        assert!(schemas.len() > 40, "{id}: {} schemas", schemas.len());
        for schema in schemas {
            jsonschema::draft202012::meta::validate(schema)
                .unwrap_or_else(|error| panic!("{id}: {error}: {schema}"));
            jsonschema::draft202012::new(schema)
                .unwrap_or_else(|error| panic!("{id}: {error}: {schema}"));
            let text = schema.to_string();
            assert!(!text.contains("#/components"), "{id}: {text}");
        }
    }
}

#[test]
fn every_variant_of_a_union_carries_the_tag_that_tells_it_from_the_others() {
    let documents = documents();
    let mut tags = 0;
    for (document, (name, union)) in documents.iter().flat_map(|document| {
        let schemas = document["components"]["schemas"].as_object();
        let schemas = schemas.expect("schemas").iter();
        schemas.map(move |schema| (document, schema))
    }) {
        let Some(mapping) = union["discriminator"]["mapping"].as_object() else {
            continue;
        };
        let tag = union["discriminator"]["propertyName"]
            .as_str()
            .expect("a field");
        assert_eq!(
            union["oneOf"].as_array().map(Vec::len),
            Some(mapping.len()),
            "{name}: one variant for each tag"
        );
        for (value, target) in mapping {
            assert!(
                union["oneOf"]
                    .as_array()
                    .expect("variants")
                    .contains(&json!({"$ref": target})),
                "{name}: {target}"
            );
            let variant = document
                .pointer(&target.as_str().expect("a reference")[1..])
                .expect("a schema");
            let required = variant["required"]
                .as_array()
                .is_some_and(|required| required.contains(&json!(tag)));
            assert!(required, "{name} does not require {tag} of {variant}");
            assert_eq!(
                variant["properties"][tag]["const"], *value,
                "{name}: {target}"
            );
        }
        tags += mapping.len();
    }
    assert!(tags > 180, "only {tags} variants");
}

#[test]
fn every_operation_says_who_may_send_it_and_shows_an_example() {
    for (method, path, operation) in operations(&committed(ENVELOPE)) {
        let what = format!("{method} {path}");
        let needed = match operation["operationId"].as_str() {
            Some("create_token") => json!([{"token": []}, {"application": []}]),
            _ if path.starts_with("/v1/encounters/{id}") => json!([{"token": []}]),
            Some("list_encounters") => json!([{"application": []}]),
            Some("create_encounter" | "import_encounter" | "convert_file") => {
                json!([{"application": []}, {}])
            }
            _ => json!([]),
        };
        assert_eq!(operation["security"], needed, "{what}: who may");
        if path.starts_with("/v1/encounters/{id}") {
            let every_role = path.ends_with("/replace");
            let gm = !every_role
                && (path.contains("tokens") || path.ends_with("export") || method != "GET");
            for status in ["401", "404"].into_iter().chain(gm.then_some("403")) {
                assert!(
                    operation["responses"][status].is_object(),
                    "{what} has no {status}"
                );
            }
        }
        let shows = [
            "/requestBody/content/application~1json",
            "/responses/200/content/application~1json",
        ];
        let has_body = |pointer: &&str| operation.pointer(pointer).is_some();
        for pointer in shows
            .iter()
            .filter(|p| has_body(p))
            .filter(|_| !path.ends_with('z') && !path.ends_with(".json"))
        {
            let examples = operation.pointer(&format!("{pointer}/examples"));
            assert!(
                examples
                    .and_then(Value::as_object)
                    .is_some_and(|e| !e.is_empty()),
                "{what}: {pointer}"
            );
        }
    }
}

/// The operation of this id, of the document as the code says it.
fn operation(id: &str) -> Value {
    let mut operations = operations(&contract::published()).into_iter();
    let found = operations
        .find_map(|(_, _, operation)| (operation["operationId"] == id).then_some(operation));
    found.unwrap_or_else(|| panic!("there is no {id}"))
}

#[tokio::test]
async fn the_first_examples_of_each_document_play() {
    let api = Api::start().await;
    for document in documents() {
        let first = |path: &str| {
            let body = &document["paths"][path]["post"]["requestBody"];
            let examples = body["content"]["application/json"]["examples"].as_object();
            let example = examples.and_then(|examples| examples.values().next());
            example.expect("an example")["value"].clone()
        };
        let creation = first("/v1/encounters");
        let created = api.post("/v1/encounters", &creation).send().await;
        let fight = Fight::of(&api, &created);
        let command = first("/v1/encounters/{id}/commands");
        fight.command(&command).send().await.expect(200);
    }
}

#[test]
fn the_document_says_how_a_list_goes_on() {
    let document = contract::published();
    let said = |id: &str| {
        let schema =
            operation(id)["responses"]["200"]["content"]["application/json"]["schema"].clone();
        let named = schema["$ref"]
            .as_str()
            .and_then(|target| document.pointer(&target[1..]))
            .cloned();
        named.unwrap_or(schema)["properties"]["next_cursor"]["description"].clone()
    };
    for id in ["list_events", "list_encounters", "list_tokens"] {
        let next = said(id);
        assert!(
            next.as_str().is_some_and(|next| next.contains("`cursor`")),
            "{id}: {next}"
        );
        let pages = |name: &str| {
            let parameters = operation(id)["parameters"].clone();
            let mut all = parameters.as_array().expect("parameters").iter();
            all.any(|parameter| parameter["name"] == name)
        };
        assert!(pages("cursor") && pages("limit"), "{id}");
    }
    for id in ["list_options", "list_rulesets", "list_problems"] {
        assert!(said(id).is_null(), "{id} has one page");
    }
}

#[test]
fn the_document_says_what_every_operation_may_be_answered_and_numbers_may_be() {
    let document = contract::published();
    for (_, _, operation) in operations(&document) {
        assert!(
            operation["responses"]["408"].is_object(),
            "{} may be too slow",
            operation["operationId"]
        );
    }
    let events = operation("list_events");
    let parameter = |name: &str| {
        let all = events["parameters"].as_array().expect("parameters");
        all.iter()
            .find(|parameter| parameter["name"] == name)
            .cloned()
            .expect("a parameter")
    };
    for (name, least, most) in [("wait", 0, 60), ("limit", 1, 1000)] {
        let (schema, required) = (&parameter(name)["schema"], &parameter(name)["required"]);
        assert_eq!(required, false, "{name} may be left out");
        assert_eq!(
            (&schema["minimum"], &schema["maximum"]),
            (&json!(least), &json!(most)),
            "{name}: {schema}"
        );
    }
    let seed = &document["components"]["schemas"]["NewEncounter"]["properties"]["seed"];
    assert_eq!(
        (&seed["format"], &seed["minimum"]),
        (&json!("uint64"), &json!(0)),
        "{seed}"
    );
}
