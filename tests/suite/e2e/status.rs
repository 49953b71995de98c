//! Statuses that scripts cannot show: see `tests/http/status.json` and `tests/refusals`.

use super::{Api, note};
use serde_json::Value;
use std::collections::BTreeSet;

#[tokio::test]
async fn status_400_for_json_that_is_too_deep() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let deep = format!("{}1{}", "{\"a\":".repeat(2000), "}".repeat(2000));
    for body in [&"[".repeat(100_000), &deep] {
        let call = api.post_text(&fight.path("/commands"), body.clone()).token(&fight.token);
        call.send().await.problem(400, "invalid_json");
    }
    assert_eq!(fight.log().await, [0; 0]);
}

#[tokio::test]
async fn headers_that_are_there_twice_are_refused() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let problem = fight.get("").token(&fight.token).send().await.problem(401, "unauthorized");
    assert!(problem["detail"].as_str().unwrap().contains("must stand there once"), "{problem}");
    let note = fight.command(&note("x"));
    let twice = [note.clone().if_match("\"0\"").if_match("\"1\""), note.header("content-type", "application/json")];
    for call in twice {
        call.send().await.problem(400, "invalid_header");
    }
    assert_eq!(fight.log().await, [0; 0]);
}

#[tokio::test]
async fn status_404_is_the_same_for_an_unknown_encounter_and_for_a_strangers_token() {
    let api = Api::start().await;
    let (fight, other) = (api.fight().await, api.fight().await);
    let unknown: String = fight.id.chars().rev().collect();
    for (method, rest) in [("GET", ""), ("DELETE", ""), ("GET", "/options"), ("GET", "/events"), ("POST", "/commands")]
    {
        let mut answers = Vec::new();
        for path in [fight.path(rest), format!("/v1/encounters/{unknown}{rest}"), format!("/v1/encounters/%20{rest}")] {
            let body = if method == "POST" { note("x").to_string() } else { String::new() };
            let call = api.call(method, &path).header("content-type", "application/json").body(body);
            let answer = call.token(&other.token).header("x-request-id", "same").send().await;
            let mut problem = answer.problem(404, "not_found");
            problem["instance"] = Value::Null;
            let mut headers = answer.headers;
            headers.remove("date");
            headers.remove("content-length");
            answers.push((headers, problem));
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{method} {rest}: {answers:?}");
    }
    fight.get("").send().await.expect(200);
}

#[tokio::test]
async fn status_404_and_405_for_paths_and_methods_that_there_are_not() {
    let api = Api::start().await;
    let fight = api.fight().await;
    for path in ["/v1", "/v2/encounters", "/v1/encounter", "/v1/rulesets/chess", "/v1/rulesets/%FF", "/%FF/x"] {
        api.get(path).send().await.problem(404, "not_found");
    }
    for (method, path, allowed) in [
        ("PUT", fight.path(""), ["GET", "HEAD", "DELETE"].as_slice()),
        ("GET", fight.path("/commands"), &["POST"]),
        ("POST", "/v1/rulesets".to_owned(), &["GET", "HEAD"]),
        ("BREW", "/livez".to_owned(), &["GET", "HEAD"]),
    ] {
        let answer = api.call(method, &path).token(&fight.token).send().await;
        answer.problem(405, "method_not_allowed");
        let methods: BTreeSet<&str> = answer.header("allow").split(',').map(str::trim).collect();
        assert_eq!(methods, allowed.iter().copied().collect(), "{method} {path}");
    }
}

#[tokio::test]
async fn status_413_for_a_body_that_is_too_large() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.refused(note(&"x".repeat(300_000)), 413, "body_too_large").await;
}
