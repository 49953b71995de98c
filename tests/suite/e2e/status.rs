//! The table of statuses, row by row; `tests/refusals` has the bodies and parameters that are wrong.

use super::{Api, note};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[tokio::test]
async fn status_400_for_what_is_not_json() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let raw = |body: &str| api.post_text(&fight.path("/commands"), body.to_owned()).token(&fight.token).send();
    let problem = raw("{\"type\": \"note\",\n oops}").await.problem(400, "invalid_json");
    assert!(problem["detail"].as_str().unwrap().contains("line 2 column 2"), "{problem}");
    assert_eq!(problem["instance"], fight.path("/commands"));
    let deep = format!("{}1{}", "{\"a\":".repeat(2000), "}".repeat(2000));
    for body in ["", &"[".repeat(100_000), &deep] {
        raw(body).await.problem(400, "invalid_json");
    }
    assert_eq!(fight.log().await, [0; 0]);
}

#[tokio::test]
async fn status_400_for_headers_that_are_malformed() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.get("").header("if-none-match", "\"1").send().await.problem(400, "invalid_header");
    fight.command(&note("x")).if_match("abc").send().await.problem(400, "invalid_header");
    for key in ["", "two words", &"k".repeat(256), "clé"] {
        fight.command(&note("x")).key(key).send().await.problem(400, "invalid_header");
    }
    assert_eq!(fight.log().await, [0; 0]);
}

#[tokio::test]
async fn status_401_where_no_token_is_sent_or_none_of_ours() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let short = format!("Bearer {}", &fight.token[..40]);
    for scheme in ["", "Bearer", "Bearer ", &fight.token, "Basic Zm9vOmJhcg==", "Bearer x", &short] {
        for (method, rest) in [("GET", ""), ("DELETE", ""), ("GET", "/options"), ("GET", "/events")] {
            let answer = api.call(method, &fight.path(rest)).header("authorization", scheme).send().await;
            answer.problem(401, "unauthorized");
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
    }
    let commands = api.post(&fight.path("/commands"), &note("x"));
    for call in [api.get(&fight.path("")), api.get("/v1/encounters/unknown"), commands] {
        call.send().await.problem(401, "unauthorized");
    }
    let lower = api.get(&fight.path("")).header("authorization", &format!("bearer {}", fight.token));
    lower.send().await.expect(200);
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
async fn status_409_with_code_and_rule_where_the_rules_refuse_it_now() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let end = json!({"type": "end_turn", "combatant": "chansi", "next": "valiant"});
    let problem = fight.refused(end, 409, "not_started").await;
    assert!(problem["rule"].as_str().is_some_and(|rule| rule.starts_with("AI-")), "{problem}");
    let prone = json!({"type": "set_condition", "target": "chansi", "condition": "prone"});
    fight.accepted(prone.clone()).await;
    let problem = fight.refused(json!([note("first"), prone]), 409, "condition_already_set").await;
    assert_eq!((&problem["rule"], &problem["errors"][0]["path"]), (&json!("TK-3"), &json!("1")), "{problem}");
    fight.accepted(json!({"type": "end_encounter"})).await;
    let problem = fight.refused(json!({"type": "start"}), 409, "encounter_ended").await;
    assert_eq!(problem["rule"], "TK-1", "{problem}");
    fight.accepted(note("a note is still possible")).await;
}

#[tokio::test]
async fn status_412_for_a_stale_version_says_the_current_one() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.accepted(note("one")).await;
    for tag in ["\"0\"", "\"7\""] {
        let problem = fight.command(&note("two")).if_match(tag).send().await.problem(412, "stale_version");
        assert_eq!(problem["current_version"], 1, "{problem}");
    }
    assert_eq!(fight.log().await, [1]);
}

#[tokio::test]
async fn status_413_and_415_for_bodies_that_are_too_large_or_not_json() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.refused(note(&"x".repeat(300_000)), 413, "body_too_large").await;
    let bare = || api.call("POST", &fight.path("/commands")).token(&fight.token).body(note("x").to_string());
    bare().send().await.problem(415, "not_json");
    for (content_type, code) in [
        ("text/plain", "not_json"),
        ("application/x-www-form-urlencoded", "not_json"),
        ("", "not_json"),
        ("json", "not_json"),
        ("application/jsonx", "not_json"),
        ("application/json; charset=iso-8859-1", "not_utf8"),
        ("application/json; q=1; CHARSET=utf-16", "not_utf8"),
        ("application/json; charset=utf-8", ""),
        ("application/json;Charset=\"UTF-8\"; q=1", ""),
        ("Application/JSON", ""),
        ("application/vnd.x+json", ""),
    ] {
        let answer = bare().header("content-type", content_type).send().await;
        if code.is_empty() {
            answer.expect(200);
            continue;
        }
        let problem = answer.problem(415, code);
        assert!(code != "not_utf8" || problem["detail"].as_str().unwrap().contains("UTF-8"), "{problem}");
    }
    for (encoding, plain) in [("gzip", false), ("identity, br", false), ("Identity", true), ("", true)] {
        let answer = fight.command(&note("x")).header("content-encoding", encoding).send().await;
        if plain {
            answer.expect(200);
            continue;
        }
        let problem = answer.problem(415, "encoded_body");
        assert!(problem["detail"].as_str().unwrap().contains("Content-Encoding"), "{problem}");
        assert_eq!(answer.header("accept-encoding"), "identity");
    }
}
