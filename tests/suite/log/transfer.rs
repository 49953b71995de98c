//! Export and import: every ruleset's longest transcript goes to the other store and goes on there.

use super::keeping;
use crate::e2e::{Api, Fight};
use crate::support::client::Answer;
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use crate::support::sources::text;
use crate::support::table::RULESETS;
use crate::transcripts;
use serde::Deserialize;
use serde_json::{Value, json};

/// A change of an exported log, and the path of the error that follows.
#[derive(Debug, Deserialize)]
struct Spoil {
    path: String,
    /// A pointer to what is changed, the path itself by default.
    at: Option<String>,
    #[serde(default)]
    value: Value,
    /// Whether it is removed instead of changed.
    #[serde(default)]
    remove: bool,
    status: u16,
    /// A part of what is said of it.
    #[serde(default)]
    message: String,
}

impl Spoil {
    fn apply(&self, log: &mut Value) {
        let at = self.at.clone().unwrap_or_else(|| {
            self.path
                .split('.')
                .map(|step| format!("/{step}"))
                .collect()
        });
        let (place, field) = at.rsplit_once('/').expect("a pointer");
        match log.pointer_mut(place).expect("a place") {
            Value::Array(items) if self.remove => {
                _ = items.remove(field.parse().expect("a number"));
            }
            Value::Object(fields) if self.remove => _ = fields.remove(field),
            Value::Array(items) => {
                items[field.parse::<usize>().expect("a number")] = self.value.clone();
            }
            object => object[field] = self.value.clone(),
        }
    }
}

async fn import(api: &Api, log: &Value) -> Answer {
    api.post("/v1/encounters/import", log).send().await
}

async fn imported(api: &Api, log: &Value) -> Fight {
    Fight::of(api, &import(api, log).await)
}

/// What is not the encounter's own name or age.
fn state(mut encounter: Value) -> Value {
    for field in ["id", "created_at"] {
        encounter[field].take();
    }
    encounter
}

/// What creates the encounter of the longest transcript of a ruleset, and what is sent in it.
fn longest(ruleset: &str) -> (Value, Vec<Value>) {
    let all = transcripts::of(ruleset)
        .into_iter()
        .map(|(_, transcript)| transcript);
    let sends = |t: &Value| {
        t["steps"]
            .as_array()
            .expect("steps")
            .iter()
            .filter_map(|s| s.get("send").cloned())
            .collect()
    };
    let longest = all
        .max_by_key(|t| t["steps"].as_array().map_or(0, Vec::len))
        .expect("a transcript");
    (longest["create"].clone(), sends(&longest))
}

#[tokio::test]
async fn every_rulesets_longest_transcript_goes_on_on_the_other_store() {
    let redis = RedisServer::start();
    let (embedded, shared) = (Api::start().await, Api::on_redis(&redis.url()).await);
    for (n, ruleset) in RULESETS
        .iter()
        .map(|r| r.manifest.id)
        .filter(|id| *id != "round-robin")
        .enumerate()
    {
        let (from, to) = if n % 2 == 0 {
            (&embedded, &shared)
        } else {
            (&shared, &embedded)
        };
        let (creation, sends) = longest(ruleset);
        let fight = from.create(&creation).await;
        let mut accepted = 0;
        for send in sends {
            accepted += u64::from(fight.command(&send).send().await.status == 200);
        }
        for command in [
            json!({"type": "undo"}),
            json!({"type": "redo"}),
            json!({"type": "undo", "to_version": 1}),
        ] {
            fight.accepted(command).await;
        }
        let log = fight.read("/export").await;
        assert_eq!(
            (&log["format"], &log["schema"]),
            (&json!("turnkeeper-log"), &json!(1))
        );
        assert_eq!(
            log["entries"].as_array().map(Vec::len),
            Some(accepted as usize + 3)
        );
        let text = log.to_string();
        let secret = ["\"digest\"", "\"seed\"", "\"meta\"", fight.token.as_str()];
        assert!(
            secret.iter().all(|secret| !text.contains(secret)),
            "no secret leaves: {text}"
        );
        let again = imported(to, &log).await;
        assert_ne!(again.id, fight.id);
        for same in ["/options", "/events?limit=1000"] {
            assert_eq!(
                again.read(same).await,
                fight.read(same).await,
                "{ruleset}: {same}"
            );
        }
        let versions = (0..accepted + 3).map(|version| format!("?at={version}"));
        for rest in versions.chain([String::new()]) {
            let (before, after) = (fight.read(&rest).await, again.read(&rest).await);
            assert_eq!(state(after), state(before), "{ruleset} {rest}");
        }
        for fight in [&fight, &again] {
            fight.accepted(json!({"type": "redo"})).await;
            fight.notes(1).await;
        }
        let (first, second) = (fight.read("/export").await, again.read("/export").await);
        let entries = |log: &Value| log["entries"].as_array().expect("entries").clone();
        let (first, second, kept) = (entries(&first), entries(&second), accepted as usize + 3);
        assert_eq!(
            (first.len(), &first[..kept]),
            (second.len(), &second[..kept]),
            "{ruleset}"
        );
    }
}

#[tokio::test]
async fn a_log_whose_beginning_is_folded_away_can_be_moved_too() {
    let redis = RedisServer::start();
    let (embedded, shared) = (keeping(256).await, Api::on_redis(&redis.url()).await);
    let fight = embedded.fight().await;
    fight.notes(300).await;
    // To a state that is folded away later, and to the one that the log begins with later.
    for to_version in [250, 256] {
        fight
            .accepted(json!({"type": "undo", "to_version": to_version}))
            .await;
    }
    fight.notes(398).await;
    let log = fight.read("/export").await;
    assert_eq!(
        (
            &log["base"]["version"],
            log["entries"].as_array().map(Vec::len)
        ),
        (&json!(256), Some(444))
    );
    let mut forged = log.clone();
    let undone = &mut forged["entries"][302 - 257];
    assert_eq!(undone["events"][0]["to_version"], 256);
    let foe = &mut undone["checkpoint"]["encounter"]["combatants"][0];
    assert_ne!(foe["name"], "Mallory");
    foe["name"] = json!("Mallory");
    let refused = import(&shared, &forged)
        .await
        .problem(422, "inconsistent_log");
    assert_eq!(refused["errors"][0]["path"], "entries.45", "{refused}");
    let again = imported(&shared, &log).await;
    assert_eq!(
        again
            .get("?at=100")
            .send()
            .await
            .problem(410, "version_gone")["oldest_version"],
        256
    );
    assert_eq!(again.read("?at=400").await["version"], 400);
    again.accepted(json!({"type": "undo"})).await;
    let back = imported(&embedded, &again.read("/export").await).await;
    assert_eq!(state(back.read("").await), state(again.read("").await));
}

#[tokio::test]
async fn an_import_happens_once_for_each_key() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.notes(3).await;
    let mut log = fight.read("/export").await;
    let import = async |log: &Value| {
        api.post("/v1/encounters/import", log)
            .key("0b7e1a52-0001-import-one")
            .send()
            .await
    };
    let (first, again) = (import(&log).await, import(&log).await);
    assert_eq!(
        (first.status, first.header("idempotency-replayed")),
        (201, "")
    );
    assert_eq!(
        (
            again.status,
            again.header("idempotency-replayed"),
            again.json()
        ),
        (201, "true", first.json())
    );
    log["entries"][1]["events"][0]["text"] = json!("note one");
    import(&log).await.problem(422, "idempotency_key_reused");
}

/// What takes most memory for its length, as the whole log, within it, and as much of it as is
/// valid.
#[tokio::test]
async fn an_import_takes_a_small_multiple_of_its_bytes() {
    const SIZE: usize = (16 << 20) - 4096;
    let server = Server::embedded();
    let api = server.client();
    let fight = api
        .create(&json!({"ruleset": "seize", "combatants": [{"id": "a"}]}))
        .await;
    fight.notes(1).await;
    let mut log = fight.read("/export").await;
    let combatant = log["base"]["document"]["encounter"]["combatants"][0].to_string();
    let mut note = log["entries"][0].clone();
    note["events"][0]["text"] = json!("x".repeat(2000));
    let note = note.to_string();
    let repeated = |item: &str, size: usize| {
        format!(
            "[{}{item}]",
            format!("{item},").repeat(size / (item.len() + 1))
        )
    };
    let numbered = |n: usize| note.replacen("\"version\":1", &format!("\"version\":{n}"), 1);
    let count = SIZE / (note.len() + 5);
    let notes: Vec<String> = (1..=count).map(numbered).collect();
    let part = |pointer: &str, value: String| {
        let mut log = log.clone();
        let (parent, field) = pointer.rsplit_once('/').expect("a part");
        match log.pointer_mut(parent).expect("a part") {
            Value::Array(items) => items[0] = json!("*"),
            object => object[field] = json!("*"),
        }
        log.to_string().replace("\"*\"", &value)
    };
    for (pointer, value) in [
        ("/base/document", repeated("[]", SIZE)),
        (
            "/base/document/encounter/combatants",
            repeated(&combatant, 2 << 20),
        ),
        (
            "/base/document/encounter/combatants",
            repeated(&combatant, (2 << 20) - 4096),
        ),
        ("/base/document/encounter/options", repeated("[]", 1 << 20)),
        ("/base/document/encounter/state/queue", repeated("0", SIZE)),
        ("/entries", repeated("0", SIZE)),
        ("/entries", repeated("{}", SIZE)),
        ("/entries/0/events", repeated("{}", SIZE)),
        ("/entries/0/events", repeated("{}", (4 << 20) - 4096)),
        ("/entries/0/commands", repeated("\"\"", (4 << 20) - 4096)),
        ("/entries/0/checkpoint", repeated("[]", (4 << 20) - 4096)),
    ] {
        let body = part(pointer, value);
        assert!(body.len() < 16 << 20, "{pointer}: {}", body.len());
        let answer = api.post_text("/v1/encounters/import", body).send().await;
        assert_eq!(answer.status, 422, "{pointer}: {answer:?}");
        assert!(
            server.peak() < 256 << 10,
            "{pointer}: {} KiB",
            server.peak()
        );
    }
    log["version"] = json!(count);
    log["entries"] = json!("*");
    let body = log
        .to_string()
        .replace("\"*\"", &format!("[{}]", notes.join(",")));
    let answer = api.post_text("/v1/encounters/import", body).send().await;
    assert_eq!(answer.status, 201, "{answer:?}");
    assert!(
        server.peak() < 256 << 10,
        "{count} notes: {} KiB",
        server.peak()
    );
}

#[tokio::test]
async fn an_entry_with_more_events_than_a_request_may_bring_about_is_refused() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.notes(1).await;
    let mut log = fight.read("/export").await;
    let note = log["entries"][0]["events"][0].clone();
    log["entries"][0]["events"] = json!(vec![note; 20_001]);
    let refused = import(&api, &log).await.problem(422, "invalid_value");
    assert_eq!(
        refused["errors"][0]["path"], "entries.0.events",
        "{refused}"
    );
}

#[tokio::test]
async fn sentences_that_name_everybody_go_along() {
    let api = Api::start().await;
    let names = (0..300)
        .map(|n| json!({"id": format!("c{n}"), "name": format!("{n:03} {}", "\u{e9}".repeat(76))}));
    let fight = api
        .create(&json!({"ruleset": "seize", "combatants": names.collect::<Vec<_>>()}))
        .await;
    fight.accepted(json!({"type": "start"})).await;
    let mut log = fight.read("/export").await;
    let again = imported(&api, &log).await;
    assert_eq!(again.read("/events").await, fight.read("/events").await);
    let text = &mut log["entries"][0]["events"][0]["text"];
    *text = json!("x".repeat(500_000));
    assert_eq!(import(&api, &log).await.status, 201);
    log["entries"][0]["events"][0]["text"] = json!("x".repeat(500_001));
    let refused = import(&api, &log).await.problem(422, "invalid_value");
    let path = &refused["errors"][0]["path"];
    assert_eq!(path, "entries.0.events.0.text", "{refused}");
}

#[tokio::test]
async fn what_is_no_json_is_refused_as_by_every_other_post() {
    let api = Api::start().await;
    let bodies: [&[u8]; 5] = [
        b"",
        b"{",
        b"[1,",
        b"{\"entries\": [\"\xff\"]}",
        b"{\"format\": \"\xff\"}",
    ];
    for body in bodies {
        let detail = async |path: &str| {
            api.post_text(path, body.to_vec())
                .send()
                .await
                .problem(400, "invalid_json")["detail"]
                .clone()
        };
        let (created, imported) = (
            detail("/v1/encounters").await,
            detail("/v1/encounters/import").await,
        );
        assert_eq!(imported, created, "{}", String::from_utf8_lossy(body));
    }
    let half = api.post_text("/v1/encounters/import", "{\"format\": \"turnkeeper-log\"}");
    half.send().await.problem(422, "invalid_body");
}

#[tokio::test]
async fn a_log_that_was_changed_is_refused_with_the_path_of_the_first_wrong_field() {
    let api = Api::start().await;
    let fight = api.fight().await;
    for command in [
        json!({"type": "damage", "target": "chansi", "amount": 3}),
        json!({"type": "damage", "target": "chansi", "amount": 4}),
        json!({"type": "undo"}),
        json!({"type": "add_combatant", "details": {"id": "orc", "hp": {"current": 3}}}),
    ] {
        fight.accepted(command).await;
    }
    fight.notes(260).await;
    let log = fight.read("/export").await;
    let list = import(
        &api,
        &json!(["turnkeeper-log", 1, "active-initiative", "", 0, {}, []]),
    )
    .await;
    let error = &list.problem(422, "invalid_body")["errors"][0];
    assert_eq!(error["path"], "");
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|message| message.contains("Expected an object")),
        "{error}"
    );
    for spoil in serde_json::from_str::<Vec<Spoil>>(&text("tests/imports.json")).expect("spoils") {
        let mut spoilt = log.clone();
        spoil.apply(&mut spoilt);
        let refused = import(&api, &spoilt).await.expect(spoil.status).json();
        let error = &refused["errors"][0];
        let message = error["message"].as_str().expect("a message");
        assert!(
            error["path"] == spoil.path && message.contains(&spoil.message),
            "{spoil:?}: {refused}"
        );
        let inconsistent = spoil.status == 422 && spoil.message.is_empty();
        assert!(
            !inconsistent || refused["code"] == "inconsistent_log",
            "{spoil:?}: {refused}"
        );
        assert!(
            !message.starts_with(&format!("{}:", spoil.path)),
            "{spoil:?}: it says twice where it is: {refused}"
        );
        assert_eq!(
            refused["detail"],
            format!("{}: {message}", spoil.path),
            "{spoil:?}"
        );
    }
    let written = log.to_string();
    for (path, once, twice) in [
        ("format", r#""format":"#, r#""format":"other","format":"#),
        ("entries", r#""entries":["#, r#""entries":[],"entries":["#),
        ("base.version", r#""base":{"#, r#""base":{"version":0,"#),
        (
            "entries.0.events.0.amount",
            r#"[{"amount":"#,
            r#"[{"amount":9,"amount":"#,
        ),
    ] {
        let spoilt = written.replacen(once, twice, 1);
        assert_ne!(spoilt, written, "{path}");
        let refused = api.post_text("/v1/encounters/import", spoilt).send().await;
        assert_eq!(
            refused.problem(400, "duplicate_field")["errors"][0]["path"],
            path
        );
    }
    imported(&api, &log).await;
}

#[tokio::test]
async fn options_of_an_imported_log_that_make_no_sense_are_refused_with_their_path() {
    let api = Api::start().await;
    let creation = json!({"ruleset": "custom", "options": {"preset": "zipper"}});
    let mut log = api.create(&creation).await.read("/export").await;
    let definition = "/base/document/encounter/options/definition/order";
    *log.pointer_mut(definition).expect("an order") = json!(["luck"]);
    let refused = import(&api, &log).await.expect(422).json();
    let path = refused["errors"][0]["path"].as_str().expect("a path");
    let options = "base.document.encounter.options.definition";
    assert!(path.starts_with(options), "{refused}");
}
