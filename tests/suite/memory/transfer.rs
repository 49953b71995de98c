//! Export and import: every ruleset's longest transcript goes to the other store and goes on there.

use super::{Fight, Service, read};
use crate::support::redis::RedisServer;
use crate::support::table::RULESETS;
use crate::transcripts;
use serde_json::{Value, json};
use std::sync::Arc;
use turnkeeper::http::Settings;
use turnkeeper::store::StoreConfig;
use turnkeeper::store::redis::RedisStore;

async fn exported(fight: &Fight, url: &str) -> Value {
    let (status, log) = fight.get(url, "/export").await;
    assert_eq!(status, 200, "{log}");
    log
}

async fn imported(url: &str, log: &Value) -> Fight {
    Fight::post_new(&format!("{url}/v1/encounters/import"), log.to_string()).await
}

/// What is not the encounter's own name or age.
fn state(mut encounter: Value) -> Value {
    for field in ["id", "created_at"] {
        encounter[field].take();
    }
    encounter
}

async fn on_redis(redis: &RedisServer) -> Service {
    let store = RedisStore::open(&redis.url(), None, StoreConfig::default()).expect("a store");
    Service::on(Arc::new(store), 0, Settings::default()).await
}

/// What creates the encounter of the longest transcript of a ruleset, and what is sent in it.
fn longest(ruleset: &str) -> (Value, Vec<Value>) {
    let files = transcripts::files().into_iter().filter(|(file, _)| file.starts_with(&format!("{ruleset}/")));
    let all = files.map(|(_, text)| serde_json::from_str::<Value>(&text).expect("a transcript"));
    let sends =
        |t: &Value| t["steps"].as_array().expect("steps").iter().filter_map(|s| s.get("send").cloned()).collect();
    let longest = all.max_by_key(|t| t["steps"].as_array().map_or(0, Vec::len)).expect("a transcript");
    (longest["create"].clone(), sends(&longest))
}

#[tokio::test]
async fn every_rulesets_longest_transcript_goes_on_on_the_other_store() {
    let redis = RedisServer::start();
    let (embedded, shared) = (Service::keeping(0).await, on_redis(&redis).await);
    for (n, ruleset) in RULESETS.iter().map(|r| r.manifest().id).filter(|id| *id != "tiny").enumerate() {
        let (from, to) = if n % 2 == 0 { (&embedded, &shared) } else { (&shared, &embedded) };
        let (creation, sends) = longest(ruleset);
        let fight = Fight::create(&from.url, &creation).await;
        let mut accepted = 0;
        for send in sends {
            accepted += u64::from(fight.send(&from.url, send).await.0 == 200);
        }
        for command in [json!({"type": "undo"}), json!({"type": "redo"}), json!({"type": "undo", "to_version": 1})] {
            fight.accepted(&from.url, command).await;
        }
        let log = exported(&fight, &from.url).await;
        assert_eq!((&log["format"], &log["schema"]), (&json!("turnkeeper-log"), &json!(1)));
        assert_eq!(log["entries"].as_array().map(Vec::len), Some(accepted as usize + 3));
        let text = log.to_string();
        let secret = ["\"digest\"", "\"seed\"", "\"meta\"", fight.token.as_str()];
        assert!(secret.iter().all(|secret| !text.contains(secret)), "no secret leaves: {text}");
        let again = imported(&to.url, &log).await;
        assert_ne!(again.id, fight.id);
        let (before, after) = (fight.get(&from.url, "").await.1, again.get(&to.url, "").await.1);
        assert_eq!(state(after), state(before), "{ruleset}");
        assert_eq!(again.get(&to.url, "/options").await, fight.get(&from.url, "/options").await, "{ruleset}");
        assert_eq!(again.get(&to.url, "/events?limit=1000").await, fight.get(&from.url, "/events?limit=1000").await);
        for version in 0..accepted + 3 {
            let rest = format!("?at={version}");
            let (before, after) = (fight.get(&from.url, &rest).await.1, again.get(&to.url, &rest).await.1);
            assert_eq!(state(after), state(before), "{ruleset} at version {version}");
        }
        for (fight, service) in [(&fight, from), (&again, to)] {
            fight.accepted(&service.url, json!({"type": "redo"})).await;
            fight.notes(&service.url, 1).await;
        }
        let (first, second) = (exported(&fight, &from.url).await, exported(&again, &to.url).await);
        let entries = |log: &Value| log["entries"].as_array().expect("entries").clone();
        let (first, second, kept) = (entries(&first), entries(&second), accepted as usize + 3);
        assert_eq!((first.len(), &first[..kept]), (second.len(), &second[..kept]), "{ruleset}");
    }
}

#[tokio::test]
async fn a_log_whose_beginning_is_folded_away_can_be_moved_too() {
    let redis = RedisServer::start();
    let (embedded, shared) = (Service::keeping(256).await, on_redis(&redis).await);
    let fight = Fight::ambush(&embedded.url).await;
    fight.notes(&embedded.url, 700).await;
    let log = exported(&fight, &embedded.url).await;
    assert_eq!((&log["base"]["version"], log["entries"].as_array().map(Vec::len)), (&json!(256), Some(444)));
    let again = imported(&shared.url, &log).await;
    assert_eq!(again.get(&shared.url, "?at=100").await.1["oldest_version"], 256);
    assert_eq!(again.get(&shared.url, "?at=400").await.1["version"], 400);
    again.accepted(&shared.url, json!({"type": "undo"})).await;
    let back = imported(&embedded.url, &exported(&again, &shared.url).await).await;
    let (there, here) = (again.get(&shared.url, "").await.1, back.get(&embedded.url, "").await.1);
    assert_eq!(state(here), state(there));
}

#[tokio::test]
async fn an_import_happens_once_for_each_key() {
    let service = Service::keeping(0).await;
    let fight = Fight::ambush(&service.url).await;
    fight.notes(&service.url, 3).await;
    let log = exported(&fight, &service.url).await.to_string();
    let import = async |body: &str| {
        let call = fight.client.post(format!("{}/v1/encounters/import", service.url));
        let call = call.header("content-type", "application/json").header("idempotency-key", "import-1");
        let answer = call.body(body.to_owned()).send().await.expect("an answer");
        let replayed = answer.headers().contains_key("idempotency-replayed");
        (replayed, read(answer).await)
    };
    let (replayed, first) = import(&log).await;
    assert_eq!((replayed, first.0), (false, 201));
    assert_eq!(import(&log).await, (true, first));
    let (_, (status, other)) = import(&log.replace("note 1", "note one")).await;
    assert_eq!((status, &other["code"]), (422, &json!("idempotency_key_reused")));
}

#[tokio::test]
async fn a_log_that_is_not_consistent_is_refused_with_the_first_bad_entry() {
    let service = Service::keeping(0).await;
    let fight = Fight::ambush(&service.url).await;
    for command in [
        json!({"type": "damage", "target": "chansi", "amount": 3}),
        json!({"type": "damage", "target": "chansi", "amount": 4}),
        json!({"type": "undo"}),
        json!({"type": "note", "text": "after"}),
    ] {
        fight.accepted(&service.url, command).await;
    }
    fight.notes(&service.url, 260).await;
    let log = exported(&fight, &service.url).await;
    let joined = json!({"type": "combatant_joined", "combatant": log["base"]["document"]["table"]["combatants"][0]});
    type Spoil<'a> = (&'a str, &'a dyn Fn(&mut Value));
    let spoils: &[Spoil<'_>] = &[
        ("format", &|log| log["format"] = json!("other")),
        ("schema", &|log| log["schema"] = json!(2)),
        ("ruleset", &|log| log["ruleset"] = json!("dc21")),
        ("version", &|log| log["version"] = json!(9000)),
        ("version", &|log| _ = log["entries"].as_array_mut().expect("entries").pop()),
        ("base.version", &|log| log["base"]["version"] = json!(1)),
        ("base.document", &|log| log["base"]["document"]["schema"] = json!(99)),
        ("base.document", &|log| log["base"]["document"]["table"]["round"] = json!("one")),
        ("entries.1", &|log| _ = log["entries"].as_array_mut().expect("entries").remove(1)),
        ("entries.0", &|log| log["entries"][0]["version"] = json!(2)),
        ("entries.0", &|log| log["entries"][0]["at"] = json!("yesterday")),
        ("entries.0", &|log| log["entries"][0]["by"] = json!("x".repeat(65))),
        ("entries.1", &|log| log["entries"][1]["events"] = json!([{"type": "no_such_event"}])),
        ("entries.1", &|log| log["entries"][1]["events"] = json!([joined])),
        ("entries.2", &|log| log["entries"][2]["checkpoint"]["table"]["round"] = json!(7)),
        ("entries.2", &|log| log["entries"][2]["checkpoint"]["timeline"] = json!({"content": 0})),
        ("entries.2", &|log| log["entries"][2]["events"][0]["to_version"] = json!(2)),
        ("entries.2", &|log| _ = log["entries"][2].as_object_mut().expect("an entry").remove("checkpoint")),
        ("entries.2", &|log| log["entries"][0]["events"][0]["hp"] = json!(1)),
        ("entries.255", &|log| log["entries"][255]["checkpoint"]["table"]["name"] = json!("Another")),
    ];
    let import = format!("{}/v1/encounters/import", service.url);
    for (n, (path, spoil)) in spoils.iter().enumerate() {
        let mut spoilt = log.clone();
        spoil(&mut spoilt);
        let call = fight.client.post(&import).header("content-type", "application/json");
        let (status, refused) = read(call.body(spoilt.to_string()).send().await.expect("an answer")).await;
        let told = (status, &refused["code"], &refused["errors"][0]["path"]);
        assert_eq!(told, (422, &json!("inconsistent_log"), &json!(path)), "spoil {n}: {refused}");
    }
    for (body, code) in [("{", "invalid_body"), ("{\"format\": \"turnkeeper-log\"}", "invalid_body")] {
        let call = fight.client.post(&import).header("content-type", "application/json");
        let (status, refused) = read(call.body(body).send().await.expect("an answer")).await;
        assert_eq!((status, &refused["code"]), (400, &json!(code)), "{refused}");
    }
    imported(&service.url, &log).await;
}
