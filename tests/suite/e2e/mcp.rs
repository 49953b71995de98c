//! `/mcp`: what a language model and its client get. `integrations/mcp/check` holds the official
//! suite of conformance and the official client against the program.

use super::applications::{key, named};
use super::{Answer, Api, Call, Client, Fight, Setup, ambush, cell, note, text};
use serde_json::{Value, json};
use std::time::Duration;
use turnkeeper::app::{Limits, Token};
use turnkeeper::engine::Role;
use turnkeeper::http::{Origins, Settings};

const STATELESS: &str = "2026-07-28";

/// What a client of the stateless revision says with each request.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A request of the stateless revision.
fn request(api: &Client, method: &str, mut params: Value) -> Call {
    params["_meta"] = meta();
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let call = api
        .post("/mcp", &message)
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", STATELESS)
        .header("mcp-method", method);
    match params["name"].as_str() {
        Some(name) => call.header("mcp-name", name),
        None => call,
    }
}

/// The result of a request, which must have one.
#[track_caller]
fn result(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), "application/json");
    let message = answer.json();
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    assert_eq!(message["id"], 7, "{message}");
    assert!(message["result"].is_object(), "{message}");
    message["result"].clone()
}

/// The JSON-RPC error of a request, with the status of its answer.
#[track_caller]
fn error(answer: &Answer) -> (u16, i64) {
    let message = answer.json();
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    let words = message["error"]["message"].as_str().expect("a message");
    assert!(!words.is_empty() && message["result"].is_null());
    (
        answer.status,
        message["error"]["code"].as_i64().expect("a code"),
    )
}

fn tool(api: &Client, name: &str, arguments: &Value) -> Call {
    request(
        api,
        "tools/call",
        json!({"name": name, "arguments": arguments}),
    )
}

/// The result of a tool, which must not refuse.
async fn told(api: &Client, name: &str, arguments: Value) -> Value {
    let result = result(&tool(api, name, &arguments).send().await);
    assert_eq!(result["isError"], false, "{name} {arguments}: {result}");
    assert_eq!(result["resultType"], "complete");
    result
}

/// The structured content of a tool.
async fn content(api: &Client, name: &str, arguments: Value) -> Value {
    told(api, name, arguments).await["structuredContent"].clone()
}

/// The refusal of a tool: its problem and its options.
async fn refused(api: &Client, name: &str, arguments: Value, code: &str) -> Value {
    let result = result(&tool(api, name, &arguments).send().await);
    assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
    let content = result["structuredContent"].clone();
    assert_eq!(content["problem"]["code"], code, "{content}");
    assert_eq!(content["problem"]["instance"], "/mcp");
    let said = text(&result["content"][0]["text"]);
    assert!(
        said.starts_with(&text(&content["problem"]["detail"])),
        "{said}"
    );
    content
}

/// The arguments that name an encounter.
fn seat(fight: &Fight) -> Value {
    json!({"encounter": fight.id, "token": fight.token})
}

fn with(mut arguments: Value, more: Value) -> Value {
    let fields = arguments.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    arguments
}

/// The option of this label.
#[track_caller]
fn option(options: &Value, label: &str) -> Value {
    let items = options["items"].as_array().expect("items");
    let found = items.iter().find(|item| item["label"] == label);
    found
        .unwrap_or_else(|| panic!("no {label} in {options}"))
        .clone()
}

/// Chooses an option at the version of the options.
async fn choose(api: &Client, seat: &Value, options: &Value, id: &Value, values: Value) -> Value {
    let choice = json!({"option": id, "version": options["version"], "values": values});
    content(api, "choose_option", with(seat.clone(), choice)).await
}

#[tokio::test]
async fn a_model_creates_a_fight_plays_it_and_undoes() {
    let api = Api::start().await;
    let rulesets = content(&api, "list_rulesets", json!({})).await;
    assert_eq!(rulesets["items"].as_array().expect("items").len(), 6);
    let dc20 = content(&api, "list_rulesets", json!({"ruleset": "dc20"})).await;
    assert_eq!(dc20["options"]["type"], "object", "{dc20}");
    assert!(dc20["combatant"]["properties"]["name"].is_object() && dc20["presets"].is_null());
    let created = told(&api, "create_encounter", ambush()).await;
    let words = text(&created["content"][0]["text"]);
    let created = &created["structuredContent"];
    assert!(
        words.contains(&text(&created["token"])) && words.contains("Chansi"),
        "{words}"
    );
    let seat = json!({"encounter": created["encounter"], "token": created["token"]});
    let start = option(&created["options"], "Start: choose who goes first");
    assert!(words.contains(&text(&start["id"])), "{words}");
    let first = json!({"first": "chansi"});
    let started = choose(&api, &seat, &created["options"], &start["id"], first).await;
    assert_eq!(
        (&started["version"], &started["current"][0]),
        (&json!(1), &json!("chansi"))
    );
    assert!(text(&started["table"]).contains("round 1"), "{started}");
    let table = content(&api, "see_table", seat.clone()).await;
    assert_eq!(table["table"], started["table"]);
    assert_eq!(
        (&table["round"], &table["you"]["role"]),
        (&json!(1), &json!("gm"))
    );
    let tools = content(
        &api,
        "list_options",
        with(seat.clone(), json!({"tools": true})),
    )
    .await;
    let damage = option(&tools, "Deal damage");
    assert_eq!(
        (&damage["complete"], &damage["command"]),
        (&json!(false), &Value::Null)
    );
    let hit = json!({"target": "brakkus", "amount": 4});
    let hurt = choose(&api, &seat, &tools, &damage["id"], hit).await;
    assert!(text(&hurt["table"]).contains("hp 5/9"), "{hurt}");
    let tools = content(
        &api,
        "list_options",
        with(seat.clone(), json!({"tools": true})),
    )
    .await;
    let undo = option(&tools, "Undo the last step");
    let undone = choose(&api, &seat, &tools, &undo["id"], json!({})).await;
    assert!(text(&undone["table"]).contains("hp 9/9"), "{undone}");
    let log = told(&api, "read_log", with(seat.clone(), json!({"after": 1}))).await;
    let lines = text(&log["content"][0]["text"]);
    assert!(
        lines.starts_with("2: ") && lines.contains("Brakkus"),
        "{lines}"
    );
    let log = &log["structuredContent"];
    assert_eq!(
        (log["entries"].as_array().map(Vec::len), &log["next"]),
        (Some(2), &Value::Null)
    );
    let page = content(&api, "read_log", with(seat.clone(), json!({"limit": 1}))).await;
    assert_eq!(
        (&page["entries"][0]["version"], &page["next"]),
        (&json!(1), &json!(1))
    );
}

#[tokio::test]
async fn a_repeated_choice_acts_once_and_a_stale_one_not_at_all() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight
        .accepted(json!({"type": "start", "first": "chansi"}))
        .await;
    let tools = with(seat(&fight), json!({"tools": true}));
    let options = content(&api, "list_options", tools).await;
    let damage = option(&options, "Deal damage");
    let hit =
        json!({"option": damage["id"], "version": 1, "values": {"target": "brakkus", "amount": 2}});
    let hit = with(seat(&fight), hit);
    let once = content(&api, "choose_option", hit.clone()).await;
    let again = content(&api, "choose_option", hit.clone()).await;
    assert_eq!(
        (&once["version"], &once["events"]),
        (&again["version"], &again["events"])
    );
    assert_eq!(fight.log().await, [1, 2]);
    // Another one of the same version has not been sent before.
    let other = with(hit, json!({"values": {"target": "brakkus", "amount": 3}}));
    let stale = refused(&api, "choose_option", other, "stale_version").await;
    assert_eq!(stale["problem"]["current_version"], 2);
    assert_eq!(stale["options"]["version"], 2, "{stale}");
    assert_eq!(fight.log().await, [1, 2]);
}

#[tokio::test]
async fn what_a_model_gets_wrong_is_explained_to_it() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let seat = seat(&fight);
    let choice = |more: Value| {
        with(
            with(seat.clone(), json!({"version": 0, "option": "x"})),
            more,
        )
    };
    let unknown = refused(&api, "choose_option", choice(json!({})), "invalid_value").await;
    assert_eq!(unknown["problem"]["errors"][0]["path"], "option");
    let options = &unknown["options"];
    let start = option(options, "Start: choose who goes first")["id"].clone();
    let missing = choice(json!({"option": start}));
    let missing = refused(&api, "choose_option", missing, "invalid_body").await;
    assert_eq!(missing["problem"]["errors"][0]["path"], "values.first");
    assert!(text(&missing["problem"]["detail"]).contains("chansi, "));
    let more =
        choice(json!({"option": start, "values": {"first": "chansi", "type": "end_encounter"}}));
    let more = refused(&api, "choose_option", more, "invalid_body").await;
    assert_eq!(more["problem"]["errors"][0]["path"], "values.type");
    for (name, arguments, code) in [
        ("see_table", json!({}), "invalid_body"),
        (
            "see_table",
            with(seat.clone(), json!({"x": 1})),
            "invalid_body",
        ),
        ("see_table", json!({"encounter": fight.id}), "unauthorized"),
        (
            "see_table",
            json!({"encounter": fight.id, "token": "secret"}),
            "unauthorized",
        ),
        (
            "see_table",
            json!({"encounter": "no id!", "token": fight.token}),
            "not_found",
        ),
        (
            "see_table",
            with(seat.clone(), json!({"encounter": "other"})),
            "not_found",
        ),
        (
            "list_options",
            with(seat.clone(), json!({"tools": "yes"})),
            "invalid_body",
        ),
        (
            "read_log",
            with(seat.clone(), json!({"after": 9})),
            "no_such_version",
        ),
        (
            "read_log",
            with(seat.clone(), json!({"limit": 1000})),
            "invalid_value",
        ),
        ("list_rulesets", json!({"ruleset": "chess"}), "not_found"),
        (
            "create_encounter",
            json!({"ruleset": "chess"}),
            "invalid_value",
        ),
        (
            "create_encounter",
            with(ambush(), json!({"idempotency_key": "short"})),
            "short_idempotency_key",
        ),
    ] {
        refused(&api, name, arguments, code).await;
    }
    assert_eq!(fight.log().await, [0_u64; 0]);
}

#[tokio::test]
async fn a_creation_under_a_key_happens_once() {
    let api = Api::start().await;
    let keyed = with(
        ambush(),
        json!({"idempotency_key": format!("{:032x}", rand::random::<u128>())}),
    );
    let first = content(&api, "create_encounter", keyed.clone()).await;
    let again = content(&api, "create_encounter", keyed.clone()).await;
    assert_eq!(
        (&first["encounter"], &first["token"]),
        (&again["encounter"], &again["token"])
    );
    let other = with(keyed, json!({"name": "Other"}));
    refused(&api, "create_encounter", other, "idempotency_key_reused").await;
}

#[tokio::test]
async fn a_players_token_shows_nothing_that_is_hidden_and_acts_for_its_own() {
    let api = Api::start().await;
    let mut creation = ambush();
    let spy = json!({"id": "spy", "name": "Zarathustra", "side": "monsters", "hidden": true});
    creation["combatants"]
        .as_array_mut()
        .expect("combatants")
        .push(spy);
    creation["tokens"] =
        json!([{"role": "player", "combatants": ["chansi"]}, {"role": "spectator"}]);
    let created = content(&api, "create_encounter", creation).await;
    let seat = |token: &Value| json!({"encounter": created["encounter"], "token": token});
    let gm = seat(&created["token"]);
    let start = option(&created["options"], "Start: choose who goes first");
    let first = json!({"first": "chansi"});
    choose(&api, &gm, &created["options"], &start["id"], first).await;
    let tools = content(
        &api,
        "list_options",
        with(gm.clone(), json!({"tools": true})),
    )
    .await;
    let damage = option(&tools, "Deal damage");
    let shown = damage.to_string() + &tools["$defs"].to_string();
    assert!(shown.contains("Zarathustra"), "{shown}");
    let hit = json!({"target": "spy", "amount": 3});
    choose(&api, &gm, &tools, &damage["id"], hit).await;
    let player = seat(&created["tokens"][0]["token"]);
    let watcher = seat(&created["tokens"][1]["token"]);
    let mut answers = Vec::new();
    for seat in [&player, &watcher] {
        for (name, more) in [
            ("see_table", json!({})),
            ("list_options", json!({"tools": true})),
            ("list_options", json!({"combatant": "spy"})),
            ("read_log", json!({})),
            (
                "choose_option",
                json!({"option": damage["id"], "version": 2, "values": {"target": "spy", "amount": 1}}),
            ),
            ("choose_option", json!({"option": "x", "version": 0})),
        ] {
            answers.push(
                tool(&api, name, &with(seat.clone(), more))
                    .send()
                    .await
                    .text(),
            );
        }
    }
    let options = content(&api, "list_options", player.clone()).await;
    let items = options["items"].as_array().expect("items");
    let end = items
        .iter()
        .find(|item| text(&item["id"]).starts_with("end_turn"))
        .expect("an end");
    assert!(
        items.iter().all(|item| item["actor"] == "chansi"),
        "{options}"
    );
    let ended =
        json!({"option": end["id"], "version": options["version"], "values": {"next": "valiant"}});
    answers.push(
        tool(&api, "choose_option", &with(player.clone(), ended))
            .send()
            .await
            .text(),
    );
    let watched = content(&api, "list_options", watcher).await;
    assert_eq!(watched["items"], json!([]));
    for answer in answers {
        assert!(
            !answer.contains("Zarathustra") && !answer.contains("spy\\\""),
            "{answer}"
        );
    }
    let table = content(&api, "see_table", player).await;
    assert!(
        text(&table["table"]).contains("Valiant")
            && table["you"]["combatants"] == json!(["chansi"])
    );
}

#[tokio::test]
async fn the_token_may_be_in_the_header_and_an_application_creates_with_its_key() {
    let (key, pair) = key(&named("mcp"));
    let api = Api::with_keys(&pair).await;
    refused(&api, "create_encounter", ambush(), "unauthorized").await;
    let created = tool(&api, "create_encounter", &ambush())
        .token(&key)
        .send()
        .await;
    let created = result(&created)["structuredContent"].clone();
    let id = json!({"encounter": created["encounter"]});
    let token = text(&created["token"]);
    let table = tool(&api, "see_table", &id).token(&token).send().await;
    assert_eq!(result(&table)["isError"], false);
    // The key stays in the header, and opens no encounter.
    let keyed = tool(&api, "see_table", &id).token(&key).send().await;
    assert_eq!(
        result(&keyed)["structuredContent"]["problem"]["code"],
        "unauthorized"
    );
    let both = with(id, json!({"token": token}));
    let both = tool(&api, "see_table", &both).token(&key).send().await;
    assert_eq!(result(&both)["isError"], false);
    let listed = api
        .get("/v1/encounters")
        .token(&key)
        .send()
        .await
        .expect(200);
    assert_eq!(listed.json()["items"][0]["id"], created["encounter"]);
    let foreign = tool(&api, "create_encounter", &ambush())
        .token(&token)
        .send()
        .await;
    let foreign = result(&foreign)["structuredContent"]["problem"]["code"].clone();
    assert_eq!(foreign, "application_key_needed");
}

#[tokio::test]
async fn the_log_waits_for_the_next_entry() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let waiting = with(seat(&fight), json!({"after": 0, "wait": 20}));
    let call = tool(&api, "read_log", &waiting).send();
    if cell::event_source().is_some() {
        // A function has one event at a time.
        return;
    }
    let later = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        fight.accepted(note("Rain.")).await;
    };
    let (answer, ()) = tokio::join!(call, later);
    let log = result(&answer)["structuredContent"].clone();
    assert_eq!(log["entries"][0]["version"], 1, "{log}");
}

#[tokio::test]
async fn the_protocol_is_held_to_the_letter() {
    let api = Api::start().await;
    let discovered = result(&request(&api, "server/discover", json!({})).send().await);
    assert_eq!(discovered["supportedVersions"][0], STATELESS);
    assert_eq!(discovered["capabilities"], json!({"tools": {}}));
    assert_eq!(
        (&discovered["cacheScope"], &discovered["resultType"]),
        (&json!("public"), &json!("complete"))
    );
    let server = &discovered["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "turnkeeper");
    let listed = result(&request(&api, "tools/list", json!({})).send().await);
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "list_rulesets",
            "create_encounter",
            "see_table",
            "list_options",
            "choose_option",
            "read_log"
        ]
    );
    assert!(listed["ttlMs"].is_u64());
    for (method, params, expected) in [
        ("tools/list", json!({"cursor": "x"}), (200, -32602)),
        ("tools/call", json!({"name": "roll_dice"}), (200, -32602)),
        (
            "tools/call",
            json!({"name": "see_table", "arguments": []}),
            (200, -32602),
        ),
        ("resources/list", json!({}), (404, -32601)),
        ("initialize", json!({}), (404, -32601)),
    ] {
        assert_eq!(
            error(&request(&api, method, params).send().await),
            expected,
            "{method}"
        );
    }
    let message =
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta()}});
    let call = |message: &Value| api.post("/mcp", message);
    let current = |message: &Value| call(message).header("mcp-protocol-version", STATELESS);
    for (call, expected) in [
        (call(&message), (400, -32020)),
        (current(&message), (400, -32020)),
        (
            current(&message).header("mcp-method", "tools/call"),
            (400, -32020),
        ),
        (
            current(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}))
                .header("mcp-method", "tools/list"),
            (400, -32602),
        ),
        (
            call(&message).header("mcp-protocol-version", "2025-11-25"),
            (400, -32020),
        ),
        (call(&json!([message])), (400, -32600)),
        (
            call(&json!({"jsonrpc": "2.0", "id": null, "method": "ping"})),
            (400, -32600),
        ),
        (call(&json!({"id": 7, "method": "ping"})), (400, -32600)),
        (
            call(&json!({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []})),
            (400, -32602),
        ),
        (api.post_text("/mcp", "{"), (400, -32700)),
        (
            api.post_text("/mcp", r#"{"id": 1, "id": 2}"#),
            (400, -32700),
        ),
    ] {
        assert_eq!(error(&call.send().await), expected);
    }
    let unknown = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"});
    let unknown = call(&unknown)
        .header("mcp-protocol-version", "1999-01-01")
        .send()
        .await;
    assert_eq!(error(&unknown), (400, -32022));
    assert_eq!(unknown.json()["error"]["data"]["requested"], "1999-01-01");
    // A name that no header can hold comes encoded.
    let encoded = json!({"name": "see_table", "arguments": {}, "_meta": meta()});
    let encoded = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": encoded});
    let encoded = current(&encoded).header("mcp-method", "tools/call");
    let encoded = encoded
        .header("mcp-name", "=?base64?c2VlX3RhYmxl?=")
        .send()
        .await;
    assert_eq!(result(&encoded)["isError"], true);
}

#[tokio::test]
async fn clients_of_earlier_revisions_shake_hands_and_get_the_same_tools() {
    let api = Api::start().await;
    let send = async |method: &str, params: Value, version: Option<&str>| {
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let mut call = api.post("/mcp", &message);
        if let Some(version) = version {
            call = call.header("mcp-protocol-version", version);
        }
        call.send().await
    };
    for (asked, agreed) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2024-11-05", "2025-11-25"),
    ] {
        let hello = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let answer = send("initialize", hello, None).await;
        assert_eq!(answer.header("mcp-session-id"), "");
        let hello = result(&answer);
        assert_eq!(hello["protocolVersion"], agreed);
        assert_eq!(hello["serverInfo"]["name"], "turnkeeper");
        assert!(text(&hello["instructions"]).contains("options"));
    }
    let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let done = api.post("/mcp", &done).send().await.expect(202);
    assert_eq!(done.body.len(), 0);
    let version = Some("2025-06-18");
    assert_eq!(result(&send("ping", json!({}), version).await), json!({}));
    let listed = result(&send("tools/list", json!({}), version).await);
    assert_eq!(
        (listed["tools"].as_array().map(Vec::len), &listed["ttlMs"]),
        (Some(6), &Value::Null)
    );
    let call = json!({"name": "list_rulesets", "arguments": {}});
    let called = result(&send("tools/call", call, version).await);
    assert_eq!(
        (&called["isError"], &called["resultType"]),
        (&json!(false), &Value::Null)
    );
    assert_eq!(
        error(&send("prompts/list", json!({}), version).await),
        (200, -32601)
    );
    assert_eq!(
        error(&send("server/discover", json!({}), version).await),
        (200, -32601)
    );
}

#[tokio::test]
async fn only_known_pages_call_and_only_by_post() {
    let api = Api::start().await;
    let from = async |api: &Client, origin: &str| {
        request(api, "tools/list", json!({}))
            .header("origin", origin)
            .send()
            .await
    };
    for page in [
        "http://localhost:6274",
        "http://127.0.0.1",
        "http://[::1]:8080",
    ] {
        result(&from(&api, page).await);
    }
    for page in [
        "http://evil.example",
        "null",
        "http://localhost.evil.example",
        "https://app.example",
    ] {
        from(&api, page).await.problem(403, "origin_not_allowed");
    }
    for method in ["GET", "DELETE"] {
        let answer = api.call(method, "/mcp").send().await;
        answer.problem(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), "POST");
    }
    let origins = Origins::Only(vec!["https://app.example".parse().expect("an origin")]);
    let named = Api::with(Settings {
        origins,
        ..Settings::default()
    })
    .await;
    result(&from(&named, "https://app.example").await);
    from(&named, "https://other.example")
        .await
        .problem(403, "origin_not_allowed");
    let preflight = named
        .call("OPTIONS", "/mcp")
        .header("origin", "https://app.example");
    let preflight = preflight.header("access-control-request-method", "POST");
    let preflight = preflight
        .header("access-control-request-headers", "mcp-method")
        .send()
        .await;
    let allowed = preflight.header("access-control-allow-headers").to_owned();
    for header in ["mcp-method", "mcp-name", "mcp-protocol-version"] {
        assert!(allowed.contains(header), "{allowed}");
    }
}

#[tokio::test]
async fn bodies_and_answers_are_those_of_all_routes() {
    let api = Api::with(Settings {
        body_limit: 4096,
        ..Settings::default()
    })
    .await;
    let large = tool(&api, "list_rulesets", &json!({"ruleset": "x".repeat(5000)}));
    large.send().await.problem(413, "body_too_large");
    let plain = api
        .call("POST", "/mcp")
        .header("content-type", "text/plain");
    plain.body("{}").send().await.problem(415, "not_json");
    let call = request(&api, "tools/list", json!({})).header("accept-encoding", "gzip");
    let answer = call.send().await;
    assert_eq!(answer.header("content-encoding"), "gzip");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert!(!answer.header("x-request-id").is_empty());
}

#[tokio::test]
async fn calls_count_against_their_token_or_their_address() {
    let rate = |text: &str| Some(text.parse().expect("a rate"));
    let settings = Settings {
        limits: Limits {
            token: rate("3/1h"),
            address: rate("4/1h"),
            ..Limits::default()
        },
        client_header: Some("x-real-client".parse().expect("a header's name")),
        ..Settings::default()
    };
    let api = Api::set_up(Setup {
        settings,
        ..Setup::default()
    })
    .await;
    // Some stores are shared.
    let address = std::net::Ipv4Addr::from(rand::random::<u32>()).to_string();
    let call = async |name: &str, arguments: &Value| {
        let call = tool(&api, name, arguments).header("x-real-client", &address);
        call.send().await
    };
    let created = result(&call("create_encounter", &ambush()).await)["structuredContent"].clone();
    let seat = json!({"encounter": created["encounter"], "token": created["token"]});
    for left in [2, 1, 0] {
        let answer = call("see_table", &seat).await;
        assert_eq!(result(&answer)["isError"], false);
        let limit = answer.header("ratelimit");
        assert!(
            limit.starts_with(&format!("\"token\";r={left};")),
            "{limit}"
        );
    }
    let over = call("see_table", &seat).await;
    over.problem(429, "rate_limited");
    assert!(!over.header("retry-after").is_empty());
    // Anyone can invent a token.
    for n in 0..3 {
        let invented = Token::new(Role::Gm, &[n; 32]);
        let invented = with(seat.clone(), json!({"token": invented.reveal()}));
        let answer = result(&call("see_table", &invented).await);
        assert_eq!(answer["structuredContent"]["problem"]["code"], "not_found");
    }
    let over = call("create_encounter", &ambush()).await;
    over.problem(429, "rate_limited");
    assert_eq!(
        result(&call("list_rulesets", &json!({})).await)["isError"],
        false
    );
}

#[tokio::test]
async fn the_endpoint_can_be_switched_off() {
    let api = Api::with(Settings {
        mcp: false,
        ..Settings::default()
    })
    .await;
    request(&api, "tools/list", json!({}))
        .send()
        .await
        .problem(404, "not_found");
    api.get("/table").send().await.expect(200);
}

#[tokio::test]
async fn strange_arguments_are_refused_in_words() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let strange = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("\u{0}\u{202e}é".repeat(100)),
        json!([]),
        json!({"": {}}),
    ];
    let listed = result(&request(&api, "tools/list", json!({})).send().await);
    for listed in listed["tools"].as_array().expect("tools") {
        let name = text(&listed["name"]);
        let fields = listed["inputSchema"]["properties"].as_object();
        for field in fields.expect("fields").keys() {
            for value in &strange {
                let mut arguments = with(seat(&fight), json!({"option": "x", "version": 0}));
                if name != "choose_option" {
                    arguments = seat(&fight);
                }
                if ["list_rulesets", "create_encounter"].contains(&&*name) {
                    arguments = json!({});
                }
                arguments[field] = value.clone();
                let answer = result(&tool(&api, &name, &arguments).send().await);
                let said = text(&answer["content"][0]["text"]);
                assert!(!said.is_empty(), "{name} {arguments}");
                let status = answer["structuredContent"]["problem"]["status"].as_u64();
                assert!(status.is_none_or(|status| status < 500), "{answer}");
            }
        }
    }
    assert_eq!(fight.log().await, [0_u64; 0]);
}
