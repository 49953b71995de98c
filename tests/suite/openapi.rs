//! The published document: what is committed is what the code says, and its examples are what a
//! server answered. `TURNKEEPER_BLESS=1 tests/run openapi` rewrites it. `openapi/check` holds
//! references, descriptions, tags and examples.

use crate::e2e::applications::{key, named};
use crate::e2e::{Api, Fight, text};
use crate::support::client::{Answer, Client};
use crate::support::contract::{self, operations};
use crate::support::{openapi, sources};
use crate::transcripts;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use turnkeeper::engine::Rulesets;
use turnkeeper::http;

const FILE: &str = "openapi/openapi.json";
const RULESETS: &str = "openapi/rulesets.json";

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
                        ("at" | "created_at" | "exported_at", Value::String(time))
                            if time.contains('T') =>
                        {
                            *time = "2026-01-01T00:00:00Z".into();
                        }
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

async fn captured() -> Map<String, Value> {
    let mut capture = Capture::default();
    let api = Api::start().await;
    for ruleset in Rulesets::shipped().iter().map(|r| r.manifest) {
        let transcript = example(ruleset.id);
        let name = ruleset.id.replace('-', "_");
        capture.request(
            "create_encounter",
            &name,
            ruleset.title,
            &transcript["create"],
        );
        let created = api
            .post("/v1/encounters", &transcript["create"])
            .send()
            .await;
        let fight = Fight::of(&api, &created);
        let mut shown = BTreeSet::new();
        for send in transcripts::sent_without_dice(&transcript)
            .into_iter()
            .flatten()
        {
            let command = fight.command(send);
            // One whole encounter is enough to read.
            let command = if ruleset.id == "active-initiative" {
                command
            } else {
                command.minimal()
            };
            let answer = command.send().await;
            let verb = send["type"].as_str().unwrap_or("list").to_owned();
            if shown.len() < 8 && shown.insert((verb.clone(), answer.status)) {
                // Readers of the document sort by these names: what a fight begins with comes
                // first.
                let (example, summary) = (
                    format!("{name}_{}_{verb}", shown.len()),
                    format!("{}: {verb}", ruleset.title),
                );
                if answer.status == 200 {
                    capture.request("send_command", &example, &summary, send);
                }
                // One refusal shows what all are like.
                let refused = answer.status == 409
                    && !capture.0["send_command"]["responses"]["409"].is_object();
                if refused || shown.len() == 2 && answer.status == 200 && send.is_object() {
                    capture.answer("send_command", &example, &answer);
                }
            }
        }
        if ruleset.id == "active-initiative" {
            capture.answer("create_encounter", &name, &created);
            reads(&mut capture, &fight).await;
        }
    }
    capture.answer(
        "list_encounters",
        "no_applications",
        &api.get("/v1/encounters").send().await,
    );
    listed(&mut capture).await;
    capture.0
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
async fn short_fight(api: &Client) -> Fight {
    let creation = json!({"ruleset": "active-initiative", "name": "Ambush", "combatants": [{"name": "Valiant"}]});
    let fight = Fight::of(api, &api.post("/v1/encounters", &creation).send().await);
    fight
        .command(&json!({"type": "start", "first": "valiant"}))
        .send()
        .await
        .expect(200);
    fight
}

async fn reads(capture: &mut Capture, fight: &Fight) {
    let api = &fight.api;
    capture.answer("read_encounter", "json", &fight.get("").send().await);
    capture.answer(
        "read_encounter",
        "turn_table",
        &fight.get("").header("accept", "text/plain").send().await,
    );
    let mut options = fight.get("/options").send().await;
    let mut list = options.json();
    list["items"].as_array_mut().expect("items").truncate(5);
    options.body = list.to_string().into();
    capture.answer("list_options", "options", &options);
    capture.answer(
        "list_events",
        "page",
        &fight.get("/events?limit=2").send().await,
    );
    let short = short_fight(api).await;
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
    capture.answer(
        "read_encounter",
        "no_such_version",
        &fight.get("?at=1000000").send().await,
    );
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
    for (operation, path) in [
        ("list_rulesets", ""),
        ("read_ruleset", "/active-initiative"),
    ] {
        let mut answer = api.get(&format!("/v1/rulesets{path}")).send().await;
        let manifests = serde_json::to_value(openapi::rulesets()).expect("JSON");
        let said = if path.is_empty() {
            manifests
        } else {
            manifests["items"][0].clone()
        };
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

/// A ruleset, or a list of rulesets, with the first entry of each list only, and one field of a
/// combatant.
fn shortened(mut answer: Value) -> Value {
    if let Some(fields) = answer
        .pointer_mut("/combatant/properties")
        .and_then(Value::as_object_mut)
    {
        fields.retain(|field, _| field == "name");
    }
    for field in [
        "items",
        "commands",
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
async fn the_committed_document_is_what_the_code_says() {
    compare(
        FILE,
        &openapi::document(&http::openapi(), &captured().await),
    );
}

#[test]
fn the_committed_manifests_are_what_the_code_says() {
    compare(RULESETS, &openapi::rulesets());
}

fn compare(file: &str, document: &impl Serialize) {
    let mut text = serde_json::to_string_pretty(document).expect("JSON");
    text.push('\n');
    if std::env::var_os("TURNKEEPER_BLESS").is_some() {
        std::fs::write(sources::path(file), &text).expect("the document can be written");
    }
    assert!(
        sources::text(file) == text,
        "{file} is not what the code says: TURNKEEPER_BLESS=1 tests/run openapi"
    );
}

fn published() -> Value {
    serde_json::from_str(&sources::text(FILE)).expect("JSON")
}

#[test]
fn the_document_stays_small() {
    let document = published();
    let schemas = document["components"]["schemas"]
        .as_object()
        .expect("schemas");
    // What an event holds counts as a part of its union.
    let unions = schemas
        .iter()
        .filter(|(name, schema)| name.ends_with("Event") && schema["oneOf"].is_array());
    let variants = unions.flat_map(|(_, union)| union["oneOf"].as_array().into_iter().flatten());
    let events: BTreeSet<&str> = variants
        .filter_map(|variant| variant["$ref"].as_str())
        .collect();
    let count = schemas.len() - events.len();
    let most = 100 + 28 * crate::support::table::RULESETS.iter().count();
    assert!(
        count <= most,
        "{count} schemas, at most {most} are expected"
    );
    let served = http::document().expect("the document").len();
    assert!(served <= 330_000, "{served} bytes");
}

#[test]
fn every_variant_of_a_union_carries_the_tag_that_tells_it_from_the_others() {
    let document = published();
    let schemas = document["components"]["schemas"]
        .as_object()
        .expect("schemas");
    let mut tags = 0;
    for (name, union) in schemas {
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
            let variant = variant.pointer("/allOf/0").unwrap_or(variant);
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
    for (method, path, operation) in operations(&published()) {
        let what = format!("{method} {path}");
        let needed = match operation["operationId"].as_str() {
            Some("create_token") => json!([{"token": []}, {"application": []}]),
            _ if path.starts_with("/v1/encounters/{id}") => json!([{"token": []}]),
            Some("list_encounters") => json!([{"application": []}]),
            Some("create_encounter" | "import_encounter") => json!([{"application": []}, {}]),
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
            .filter(|_| !path.ends_with('z'))
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

#[test]
fn the_first_example_of_a_command_starts_the_first_example_of_a_fight() {
    let document = published();
    let first = |path: &str| {
        let examples = &document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
            ["examples"];
        examples
            .as_object()
            .and_then(|examples| examples.values().next())
            .expect("an example")["value"]
            .clone()
    };
    let (fight, start) = (
        first("/v1/encounters"),
        first("/v1/encounters/{id}/commands"),
    );
    assert_eq!(start["type"], "start");
    let ids: Vec<&Value> = fight["combatants"]
        .as_array()
        .expect("combatants")
        .iter()
        .map(|c| &c["id"])
        .collect();
    assert!(
        ids.contains(&&start["first"]),
        "{start} starts none of {ids:?}"
    );
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
    let seed = &document["components"]["schemas"]["NewEncounterFields"]["properties"]["seed"];
    assert_eq!(
        (&seed["format"], &seed["minimum"]),
        (&json!("uint64"), &json!(0)),
        "{seed}"
    );
}
