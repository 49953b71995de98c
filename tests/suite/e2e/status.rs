//! The table of statuses, row by row.

use super::{Api, note};
use serde_json::json;

#[tokio::test]
async fn status_400_for_what_is_not_json_or_not_the_shape_with_the_path_of_the_field() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let raw = |body: &str| {
        let call = fight.api.call("POST", &fight.path("/commands")).token(&fight.token);
        call.header("content-type", "application/json").body(body.to_owned())
    };
    let problem = raw("{\"type\": \"note\",\n oops}").send().await.problem(400, "invalid_json");
    assert!(problem["detail"].as_str().unwrap().contains("line 2 column 2"), "{problem}");
    assert_eq!(problem["instance"], fight.path("/commands"));
    raw("").send().await.problem(400, "invalid_json");
    raw(&"[".repeat(100_000)).send().await.problem(400, "invalid_json");
    let deep = format!("{}1{}", "{\"a\":".repeat(2000), "}".repeat(2000));
    raw(&deep).send().await.problem(400, "invalid_json");

    for (body, path) in [
        (r#"{"type": "note", "text": "a", "text": "b"}"#, "text"),
        (r#"[{"type": "note", "text": "a"}, {"type": "note", "te\u0078t": "a", "text": "a"}]"#, "1.text"),
        (
            r#"{"type": "add_effect", "effect": {"name": "Bless", "expires": {"at": "never", "at": "never"}}}"#,
            "effect.expires.at",
        ),
        (r#"{"type": "note", "text": {"x": [{"y": 1, "y": 2}]}}"#, "text.x.0.y"),
    ] {
        let problem = raw(body).send().await.problem(400, "duplicate_field");
        assert_eq!(problem["errors"][0]["path"], path, "{body}: {problem}");
    }
    raw(r#"{"type": "note", "text": "text", "text ": "x"}"#).send().await.problem(400, "invalid_body");
    raw(r#"{"type": "note", "type": "not"#).send().await.problem(400, "duplicate_field");

    let cases = [
        (json!("note"), "", "invalid_body"),
        (json!([]), "", "invalid_body"),
        (json!({"text": "x"}), "type", "invalid_body"),
        (json!({"type": 7}), "type", "invalid_body"),
        (json!({"type": "note"}), "text", "invalid_body"),
        (json!({"type": "note", "text": 7}), "text", "invalid_body"),
        (json!({"type": "damage", "target": "brakkus", "amonut": 3}), "amonut", "invalid_body"),
        (json!([note("a"), {"type": "note", "text": {}}]), "1.text", "invalid_body"),
    ];
    for (body, path, code) in cases {
        let problem = fight.command(&body).send().await.problem(400, code);
        assert_eq!(problem["errors"][0]["path"], path, "{body}: {problem}");
        assert!(problem["errors"][0]["message"].as_str().is_some_and(|m| !m.is_empty()), "{problem}");
    }
    let creation = json!({"ruleset": "active-initiative", "combatants": [{"name": "A"}, {"name": "B", "hpp": 3}]});
    let problem = api.post("/v1/encounters", &creation).send().await.problem(400, "invalid_body");
    assert_eq!(problem["errors"][0]["path"], "combatants.1.hpp", "{problem}");
    let creation = json!({"ruleset": "active-initiative", "options": {"interupt_points": true}});
    let problem = api.post("/v1/encounters", &creation).send().await.problem(400, "invalid_body");
    assert_eq!(problem["errors"][0]["path"], "options.interupt_points", "{problem}");
}

#[tokio::test]
async fn status_400_for_query_parameters_and_headers_that_are_unknown_or_malformed() {
    let api = Api::start().await;
    let fight = api.fight().await;
    for query in ["?limit=x", "?limit=1.0", "?after=1.5", "?afther=1", "?limit=%FF", "?="] {
        fight.get(&format!("/events{query}")).send().await.problem(400, "invalid_query");
    }
    let problem = fight.get("/events?limit=ten").send().await.problem(400, "invalid_query");
    assert_eq!(problem["errors"][0]["path"], "limit", "{problem}");
    for (path, query) in [("", "?at"), ("/options", "?x=1")] {
        fight.get(&format!("{path}{query}")).send().await.problem(400, "invalid_query");
    }
    api.get("/v1/rulesets?page=2").send().await.problem(400, "invalid_query");
    fight.get("").header("if-none-match", "\"1").send().await.problem(400, "invalid_header");
    fight.command(&note("x")).header("if-match", "abc").send().await.problem(400, "invalid_header");
    for key in ["", "two words", &"k".repeat(256), "clé"] {
        fight.command(&note("x")).key(key).send().await.problem(400, "invalid_header");
    }
    assert_eq!(fight.log().await, [0; 0]);
}

#[tokio::test]
async fn status_401_where_no_token_is_sent_or_none_of_ours() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let short = &fight.token[..40];
    let schemes = ["", "Bearer", "Bearer ", &fight.token, "Basic Zm9vOmJhcg==", "Bearer x", &format!("Bearer {short}")];
    for scheme in schemes {
        for (method, rest) in [("GET", ""), ("DELETE", ""), ("GET", "/options"), ("GET", "/events")] {
            let answer = api.call(method, &fight.path(rest)).header("authorization", scheme).send().await;
            answer.problem(401, "unauthorized");
            assert_eq!(answer.header("www-authenticate"), "Bearer");
        }
    }
    api.get(&fight.path("")).send().await.problem(401, "unauthorized");
    api.get("/v1/encounters/unknown").send().await.problem(401, "unauthorized");
    api.post(&fight.path("/commands"), &note("x")).send().await.problem(401, "unauthorized");
    let lower = api.get(&fight.path("")).header("authorization", &format!("bearer {}", fight.token));
    assert_eq!(lower.send().await.status, 200);
}

#[tokio::test]
async fn query_parameters_that_are_there_twice_are_refused() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let problem = fight.get("/events?limit=1&limit=2").send().await.problem(400, "invalid_query");
    assert_eq!(problem["errors"][0]["path"], "limit", "{problem}");
}

#[tokio::test]
async fn headers_that_are_there_twice_are_refused() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let bearer = format!("Bearer {}", fight.token);
    let twice = api.get(&fight.path("")).header("authorization", &bearer).header("authorization", &bearer);
    let problem = twice.send().await.problem(401, "unauthorized");
    assert!(problem["detail"].as_str().unwrap().contains("must stand there once"), "{problem}");
    let twice = fight.command(&note("x")).header("if-match", "\"0\"").header("if-match", "\"1\"");
    twice.send().await.problem(400, "invalid_header");
    let twice = fight.command(&note("x")).header("content-type", "application/json");
    twice.send().await.problem(400, "invalid_header");
    assert_eq!(fight.log().await, [0; 0]);
}

#[tokio::test]
async fn status_404_is_the_same_for_an_unknown_encounter_and_for_a_strangers_token() {
    let api = Api::start().await;
    let (fight, other) = (api.fight().await, api.fight().await);
    let strip = |mut problem: serde_json::Value| {
        problem["instance"] = json!(null);
        problem
    };
    let unknown: String = fight.id.chars().rev().collect();
    for (method, rest) in [("GET", ""), ("DELETE", ""), ("GET", "/options"), ("GET", "/events"), ("POST", "/commands")]
    {
        let mut answers = Vec::new();
        for path in [fight.path(rest), format!("/v1/encounters/{unknown}{rest}"), format!("/v1/encounters/%20{rest}")] {
            let body = if method == "POST" { note("x").to_string() } else { String::new() };
            let call = api.call(method, &path).header("content-type", "application/json").body(body);
            let answer = call.token(&other.token).header("x-request-id", "same").send().await;
            let mut headers = answer.headers.clone();
            headers.remove("date");
            headers.remove("content-length");
            answers.push((headers, strip(answer.problem(404, "not_found"))));
        }
        assert_eq!(answers[0], answers[1], "{method} {rest}");
        assert_eq!(answers[0], answers[2], "{method} {rest}");
    }
    assert_eq!(fight.get("").send().await.status, 200, "nothing was deleted");
}

#[tokio::test]
async fn status_404_and_405_for_paths_and_methods_that_there_are_not() {
    let api = Api::start().await;
    let fight = api.fight().await;
    for path in ["/v1", "/v2/encounters", "/v1/encounter", "/v1/rulesets/chess", "/v1/rulesets/%FF", "/%FF/x"] {
        api.get(path).send().await.problem(404, "not_found");
    }
    for (method, path, allowed) in [
        ("PUT", fight.path(""), "GET,HEAD,DELETE"),
        ("GET", fight.path("/commands"), "POST"),
        ("POST", "/v1/rulesets".to_owned(), "GET,HEAD"),
        ("BREW", "/livez".to_owned(), "GET,HEAD"),
    ] {
        let answer = api.call(method, &path).token(&fight.token).send().await;
        answer.problem(405, "method_not_allowed");
        let methods =
            |text: &str| text.split(',').map(|m| m.trim().to_owned()).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(methods(answer.header("allow")), methods(allowed), "{method} {path}");
    }
}

#[tokio::test]
async fn status_409_with_code_and_rule_where_the_rules_refuse_it_now() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let problem = fight.command(&json!({"type": "end_turn", "combatant": "chansi", "next": "valiant"})).send().await;
    let problem = problem.problem(409, "not_started");
    assert!(problem["rule"].as_str().is_some_and(|rule| rule.starts_with("AI-")), "{problem}");
    fight.accepted(json!({"type": "set_condition", "target": "chansi", "condition": "prone"})).await;
    let again = json!([note("first"), {"type": "set_condition", "target": "chansi", "condition": "prone"}]);
    let problem = fight.command(&again).send().await.problem(409, "condition_already_set");
    assert_eq!((&problem["rule"], &problem["errors"][0]["path"]), (&json!("TK-3"), &json!("1")), "{problem}");
    fight.accepted(json!({"type": "end_encounter"})).await;
    let problem = fight.command(&json!({"type": "start"})).send().await.problem(409, "encounter_ended");
    assert_eq!(problem["rule"], "TK-1", "{problem}");
    fight.accepted(note("a note is still possible")).await;
}

#[tokio::test]
async fn status_412_for_a_stale_version_says_the_current_one() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight.accepted(note("one")).await;
    let problem = fight.command(&note("two")).header("if-match", "\"0\"").send().await.problem(412, "stale_version");
    assert_eq!(problem["current_version"], 1, "{problem}");
    let problem = fight.command(&note("two")).header("if-match", "\"7\"").send().await.problem(412, "stale_version");
    assert_eq!(problem["current_version"], 1, "{problem}");
    assert_eq!(fight.log().await, [1]);
}

#[tokio::test]
async fn status_422_for_what_is_well_formed_but_meaningless() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let cases = [
        (json!({"type": "damage", "target": "nobody", "amount": 3}), "unknown_combatant", "target"),
        (json!({"type": "damage", "target": "brakkus", "amount": -3}), "invalid_value", "amount"),
        (json!({"type": "damage", "target": "brakkus", "member": "m", "amount": 3}), "unknown_member", "member"),
        (json!([note("a"), {"type": "heal", "target": "nobody", "amount": 3}]), "unknown_combatant", "1.target"),
        (json!({"type": "seize_the_initiative"}), "unknown_command", "type"),
        (json!([note("a"), {"type": "dance"}]), "unknown_command", "1.type"),
    ];
    for (body, code, path) in cases {
        let problem = fight.command(&body).send().await.problem(422, code);
        assert_eq!(problem["errors"][0]["path"], path, "{body}: {problem}");
    }
    let problem = fight.command(&json!({"type": "dance"})).send().await.problem(422, "unknown_command");
    for verb in ["end_turn", "damage", "note"] {
        assert!(problem["detail"].as_str().unwrap().contains(verb), "the detail says which there are: {problem}");
    }
    let creation = json!({"ruleset": "chess"});
    let problem = api.post("/v1/encounters", &creation).send().await.problem(422, "invalid_value");
    assert_eq!(problem["errors"][0]["path"], "ruleset", "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("active-initiative"), "{problem}");
    let problem = fight.get("/events?limit=0").send().await.problem(422, "invalid_value");
    assert_eq!(problem["errors"][0]["path"], "limit", "{problem}");
    fight.get("/events?limit=1001").send().await.problem(422, "invalid_value");
    assert_eq!(fight.log().await, [0; 0]);
}

#[tokio::test]
async fn status_413_and_415_for_bodies_that_are_too_large_or_not_json() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let large = note(&"x".repeat(300_000));
    fight.command(&large).send().await.problem(413, "body_too_large");
    for content_type in ["text/plain", "application/x-www-form-urlencoded", "", "json", "application/jsonx"] {
        let call = api.call("POST", &fight.path("/commands")).token(&fight.token);
        let call = call.header("content-type", content_type).body(note("x").to_string());
        call.send().await.problem(415, "not_json");
    }
    let bare = api.call("POST", &fight.path("/commands")).token(&fight.token).body(note("x").to_string());
    bare.send().await.problem(415, "not_json");
    for content_type in [
        "application/json; charset=utf-8",
        "application/json;Charset=\"UTF-8\"; q=1",
        "Application/JSON",
        "application/vnd.x+json",
    ] {
        let call = api.call("POST", &fight.path("/commands")).token(&fight.token);
        let call = call.header("content-type", content_type).body(note("x").to_string());
        assert_eq!(call.send().await.status, 200, "{content_type}");
    }
    for content_type in ["application/json; charset=iso-8859-1", "application/json; q=1; CHARSET=utf-16"] {
        let call = api.call("POST", &fight.path("/commands")).token(&fight.token);
        let call = call.header("content-type", content_type).body(note("x").to_string());
        let problem = call.send().await.problem(415, "not_utf8");
        assert!(problem["detail"].as_str().unwrap().contains("UTF-8"), "{problem}");
    }
    for (encoding, plain) in [("gzip", false), ("identity, br", false), ("Identity", true), ("", true)] {
        let answer = fight.command(&note("x")).header("content-encoding", encoding).send().await;
        if plain {
            assert_eq!(answer.status, 200, "{encoding}: {answer:?}");
            continue;
        }
        let problem = answer.problem(415, "encoded_body");
        assert!(problem["detail"].as_str().unwrap().contains("Content-Encoding"), "{problem}");
        assert_eq!(answer.header("accept-encoding"), "identity");
    }
}
