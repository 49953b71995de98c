//! Undo, redo and earlier states over the API, near and far, as long as the log keeps them.

use super::{Fight, Service, shows, size};
use serde_json::json;
use std::time::{Duration, Instant};

/// The state without what differs from version to version.
fn state(mut encounter: serde_json::Value) -> serde_json::Value {
    encounter["version"] = json!(null);
    encounter
}

#[tokio::test]
async fn undo_goes_back_step_by_step_and_redo_forth_until_something_else_happens() {
    shows(&["TK-7"]);
    let service = Service::keeping(0).await;
    let (url, fight) = (service.url.as_str(), Fight::ambush(&service.url).await);
    let (status, refused) = fight.send(url, json!({"type": "undo"})).await;
    assert_eq!((status, &refused["code"], &refused["rule"]), (409, &json!("nothing_to_undo"), &json!("TK-7")));
    let mut states = vec![fight.get(url, "").await.1];
    for command in [
        json!({"type": "start", "first": "chansi"}),
        json!({"type": "damage", "target": "brakkus", "amount": 9}),
        json!([{"type": "note", "text": "one"}, {"type": "end_turn", "combatant": "chansi", "next": "valiant"}]),
        json!({"type": "end_encounter"}),
    ] {
        states.push(fight.accepted(url, command).await["encounter"].clone());
    }
    for (version, target) in [(5, 3), (6, 2), (7, 1), (8, 0)] {
        let answer = fight.accepted(url, json!({"type": "undo"})).await;
        assert_eq!(
            (&answer["version"], &answer["events"]),
            (&json!(version), &json!([{"type": "undone", "to_version": target}]))
        );
        assert_eq!(state(answer["encounter"].clone()), state(states[target].clone()));
    }
    assert_eq!(fight.send(url, json!({"type": "undo"})).await.1["code"], "nothing_to_undo");
    for (target, before) in states.iter().enumerate().skip(1) {
        let answer = fight.accepted(url, json!({"type": "redo"})).await;
        assert_eq!(answer["events"], json!([{"type": "redone", "to_version": target}]));
        assert_eq!(state(answer["encounter"].clone()), state(before.clone()));
    }
    assert_eq!(fight.send(url, json!({"type": "redo"})).await.1["code"], "nothing_to_redo");
    fight.accepted(url, json!({"type": "undo", "to_version": 1})).await;
    fight.accepted(url, json!({"type": "note", "text": "another way"})).await;
    let (status, refused) = fight.send(url, json!({"type": "redo"})).await;
    assert_eq!((status, &refused["code"]), (409, &json!("nothing_to_redo")));
    let (_, log) = fight.get(url, "/events?limit=1000").await;
    let log = log["items"].as_array().expect("entries");
    assert_eq!(log.len(), 14, "the log only grows");
    assert!(log.iter().all(|entry| entry.get("checkpoint").is_none()), "what is for the store alone is not shown");
}

#[tokio::test]
async fn an_undo_that_makes_no_sense_is_refused_with_its_field() {
    let service = Service::keeping(0).await;
    let (url, fight) = (service.url.as_str(), Fight::ambush(&service.url).await);
    fight.notes(url, 2).await;
    for (command, status, path) in [
        (json!({"type": "undo", "to_version": 2}), 422, "to_version"),
        (json!([{"type": "undo", "to_version": 9}]), 422, "0.to_version"),
        (json!({"type": "undo", "to_version": -1}), 422, "to_version"),
        (json!({"type": "undo", "to_version": "1"}), 400, "to_version"),
        (json!({"type": "redo", "to_version": 1}), 400, "to_version"),
        (json!([{"type": "note", "text": "a"}, {"type": "undo"}]), 422, "1.type"),
        (json!([{"type": "redo"}, {"type": "undo"}]), 422, "0.type"),
    ] {
        let (got, body) = fight.send(url, command.clone()).await;
        assert_eq!((got, &body["errors"][0]["path"]), (status, &json!(path)), "{command}: {body}");
    }
    assert_eq!(fight.get(url, "").await.1["version"], 2, "nothing was applied");
}

#[tokio::test]
async fn a_dry_undo_changes_nothing_and_an_options_list_offers_what_can_be_undone() {
    let service = Service::keeping(0).await;
    let (url, fight) = (service.url.as_str(), Fight::ambush(&service.url).await);
    let offered = async |verb: &str| {
        let (_, options) = fight.get(url, "/options").await;
        options["items"].as_array().expect("offers").iter().any(|offer| offer["command"]["type"] == verb)
    };
    assert!(!offered("undo").await && !offered("redo").await);
    fight.notes(url, 1).await;
    assert!(offered("undo").await && !offered("redo").await);
    let dry = fight.call("POST", url, "/commands?dry_run=true").header("content-type", "application/json");
    let dry = dry.body("{\"type\": \"undo\"}").send().await.expect("an answer");
    assert_eq!(dry.status(), 200);
    assert_eq!(fight.get(url, "").await.1["version"], 1);
    fight.accepted(url, json!({"type": "undo"})).await;
    assert!(!offered("undo").await && offered("redo").await);
}

#[tokio::test]
async fn the_encounter_shows_itself_at_every_version_there_has_been() {
    let service = Service::keeping(0).await;
    let (url, fight) = (service.url.as_str(), Fight::ambush(&service.url).await);
    let mut states = vec![fight.get(url, "").await.1];
    let commands = [
        json!({"type": "damage", "target": "chansi", "amount": 1}),
        json!({"type": "set_condition", "target": "valiant", "condition": "marked"}),
        json!({"type": "clear_condition", "target": "valiant", "condition": "marked"}),
        json!({"type": "heal", "target": "chansi", "amount": 1}),
        json!({"type": "undo"}),
    ];
    for n in 0..600 {
        states.push(fight.accepted(url, commands[n % commands.len()].clone()).await["encounter"].clone());
    }
    for version in (0..=600).step_by(7).chain([255, 256, 257, 511, 512, 513, 600]) {
        let (status, then) = fight.get(url, &format!("?at={version}")).await;
        assert_eq!((status, &then), (200, &states[version]), "version {version}");
    }
    let text = fight.call("GET", url, "?at=0").header("accept", "text/plain").send().await.expect("an answer");
    assert!(text.text().await.expect("a table").contains("not started"));
    let (status, future) = fight.get(url, "?at=601").await;
    assert_eq!((status, &future["code"], &future["current_version"]), (422, &json!("no_such_version"), &json!(600)));
}

#[tokio::test]
async fn what_is_folded_away_is_said_to_be_gone_wherever_it_is_asked_for() {
    shows(&["TK-8"]);
    let service = Service::keeping(300).await;
    let (url, fight) = (service.url.as_str(), Fight::ambush(&service.url).await);
    fight.notes(url, 767).await;
    assert_eq!(fight.get(url, "?at=0").await.0, 200, "nothing is gone yet");
    fight.notes(url, 1).await;
    let oldest = json!(256);
    for rest in ["?at=0", "?at=255", "/events?after=0", "/events?after=255", "/events?after=100&wait=1"] {
        let (status, gone) = fight.get(url, rest).await;
        let told = (status, &gone["code"], &gone["rule"], &gone["oldest_version"]);
        assert_eq!(told, (410, &json!("version_gone"), &json!("TK-8"), &oldest), "{rest}");
    }
    for accept in ["application/x-ndjson", "text/event-stream"] {
        let stream = fight.call("GET", url, "/events?after=255").header("accept", accept).send().await;
        assert_eq!(stream.expect("an answer").status(), 410, "{accept}");
    }
    let (status, gone) = fight.send(url, json!({"type": "undo", "to_version": 10})).await;
    assert_eq!((status, &gone["code"]), (410, &json!("version_gone")));
    for rest in ["?at=256", "?at=400", "/events", "/events?after=256"] {
        assert_eq!(fight.get(url, rest).await.0, 200, "{rest}");
    }
    assert_eq!(
        fight.get(url, "/events").await.1["items"][0]["version"],
        257,
        "the log begins with the oldest there is"
    );
    fight.accepted(url, json!({"type": "undo", "to_version": 256})).await;
    fight.notes(url, 600).await;
    assert_eq!(fight.get(url, "?at=1024").await.0, 200);
    assert_eq!(fight.get(url, "?at=700").await.1["oldest_version"], 768, "more and more is folded away");
}

/// `TURNKEEPER_LONG_LOG` sets the length of the log; at 10,000 an undo takes at most 20 ms of a released server's time.
#[tokio::test]
async fn an_undo_far_down_a_long_log_is_quick() {
    let service = Service::keeping(0).await;
    let (url, fight) = (service.url.as_str(), Fight::ambush(&service.url).await);
    let length = size("TURNKEEPER_LONG_LOG", 600) as u64;
    fight.notes(url, length).await;
    let mut times = Vec::new();
    for n in 0..20 {
        let began = Instant::now();
        fight.accepted(url, json!({"type": "undo", "to_version": (length - 1) * n / 20})).await;
        times.push(began.elapsed());
    }
    times.sort();
    println!("undo at log length {length}: median {:?}, most {:?}", times[10], times[19]);
    let bound = Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 20 });
    assert!(times[10] <= bound, "median {:?}", times[10]);
}
