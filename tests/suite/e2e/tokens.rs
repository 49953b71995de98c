//! Tokens over HTTP: handed out, listed, revoked, and what each kind of token is answered on every route.

use super::{Answer, Api, Fight, Setup, cell, note};
use crate::support::redis::RedisServer;
use crate::support::shows;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

impl<'a> Fight<'a> {
    async fn player(&self, combatants: &[&str]) -> Fight<'a> {
        self.hand_out(json!({"role": "player", "combatants": combatants})).await.0
    }

    async fn revoke(&self, id: &str) -> Answer {
        self.api.call("DELETE", &self.path(&format!("/tokens/{id}"))).token(&self.token).send().await
    }

    async fn tokens(&self) -> Vec<Value> {
        let list = self.get("/tokens").send().await;
        assert_eq!((list.status, list.json()["next_cursor"].clone()), (200, Value::Null), "{list:?}");
        list.json()["items"].as_array().expect("items").clone()
    }
}

#[tokio::test]
async fn tokens_are_shown_once_listed_without_their_secrets_and_revoked() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let before = fight.get("").send().await;
    let answer = fight.ask(&json!({"role": "player", "combatants": ["valiant", "chansi", "valiant"]})).send().await;
    assert_eq!((answer.status, answer.header("cache-control")), (201, "no-store"), "{answer:?}");
    let handed = answer.json();
    let id = handed["id"].as_str().expect("an id").to_owned();
    let token = handed["token"].as_str().expect("a token").to_owned();
    assert!(token.starts_with("tk_player_") && id.starts_with("player-"), "{handed}");
    assert_eq!(handed, json!({"id": id, "token": token, "role": "player", "combatants": ["valiant", "chansi"]}));
    let (onlooker, onlooker_id) = fight.hand_out(json!({"role": "spectator"})).await;
    let (other_gm, gm_id) = fight.hand_out(json!({"role": "gm"})).await;
    assert!(onlooker.token.starts_with("tk_spectator_") && other_gm.token.starts_with("tk_gm_"));
    let listed = other_gm.tokens().await;
    let ids: Vec<&str> = listed.iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!(ids, ["gm", &id, &onlooker_id, &gm_id]);
    let text = fight.get("/tokens").send().await.text();
    for secret in [&fight.token, &token, &onlooker.token, &other_gm.token] {
        assert!(!text.contains(secret.as_str()) && !text.contains("digest"), "{text}");
    }
    // No version is made, nothing is logged, and what was read before is still true.
    let after = fight.get("").header("if-none-match", before.header("etag")).send().await;
    assert_eq!((after.status, fight.log().await), (304, vec![]));
    let gone = fight.revoke(&onlooker_id).await;
    assert_eq!((gone.status, gone.body.len()), (204, 0), "{gone:?}");
    onlooker.get("").send().await.problem(404, "not_found");
    fight.revoke(&onlooker_id).await.problem(404, "not_found");
    fight.revoke("nobody").await.problem(404, "not_found");
    assert_eq!(fight.tokens().await.len(), 3);
}

#[tokio::test]
async fn the_game_masters_list_says_whom_a_token_is_for() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let body = json!({"role": "player", "name": "Anna at the window", "combatants": ["valiant"]});
    let (first, again) = (fight.ask(&body).key("anna").send().await, fight.ask(&body).key("anna").send().await);
    assert_eq!(first.json()["name"], body["name"], "{first:?}");
    assert_eq!(first.json(), again.json());
    fight.hand_out(json!({"role": "spectator"})).await;
    let names: Vec<_> = fight.tokens().await.iter().map(|token| token.get("name").cloned()).collect();
    assert_eq!(names, [None, Some(body["name"].clone()), None]);
    fight.accepted(note("the name is in no answer but these")).await;
    for rest in ["", "/events", "/export", "/options"] {
        assert!(!fight.get(rest).send().await.text().contains("window"), "{rest}");
    }
}

#[tokio::test]
async fn a_token_that_makes_no_sense_is_refused_with_its_field() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let cases = [
        (json!({"role": "player", "combatants": ["valiant", "nobody"]}), 422, "unknown_combatant", "combatants.1"),
        (json!({"role": "player"}), 422, "invalid_value", "combatants"),
        (json!({"role": "spectator", "combatants": ["valiant"]}), 422, "invalid_value", "combatants"),
        (json!({"role": "gm", "combatants": ["valiant"]}), 422, "invalid_value", "combatants"),
        (json!({"role": "king"}), 422, "invalid_value", "role"),
        (json!({"role": "gm", "expires_at": "yesterday"}), 422, "invalid_value", "expires_at"),
        (json!({"role": "gm", "expires_at": "2020-01-01T00:00:00Z"}), 422, "invalid_value", "expires_at"),
        (
            json!({"role": "gm", "expires_at": "2999-01-01T00:00:00Z", "expires_in": 5}),
            422,
            "invalid_value",
            "expires_in",
        ),
        (json!({"role": "gm", "expires_in": 0}), 422, "invalid_value", "expires_in"),
        (json!({"role": "gm", "name": ""}), 422, "invalid_value", "name"),
        (json!({"role": "gm", "name": "x".repeat(81)}), 422, "invalid_value", "name"),
        (json!({"role": "gm", "lives": 9}), 400, "invalid_body", "lives"),
        (json!({}), 400, "invalid_body", "role"),
    ];
    for (body, status, code, path) in cases {
        let problem = fight.ask(&body).send().await.problem(status, code);
        assert_eq!(problem["errors"][0]["path"], path, "{body}: {problem}");
    }
    assert_eq!(fight.tokens().await.len(), 1, "nothing was handed out");
    let endless = fight.ask(&json!({"role": "gm", "expires_at": "9999-12-31T00:00:00Z"})).send().await;
    let problem = endless.problem(422, "invalid_value");
    assert!(problem["detail"].as_str().unwrap().contains("9999-12-30T22:00:00Z"), "it says until when: {problem}");
    let lasting = fight.ask(&json!({"role": "spectator", "expires_at": "2999-01-01T01:00:00+01:00"})).send().await;
    assert_eq!(lasting.json()["expires_at"], "2999-01-01T00:00:00.000Z", "{lasting:?}");
    for _ in 2..100 {
        fight.hand_out(json!({"role": "spectator"})).await;
    }
    let problem = fight.ask(&json!({"role": "spectator"})).send().await.problem(409, "too_many_tokens");
    assert_eq!(problem["rule"], "TK-4");
}

#[tokio::test]
async fn the_same_request_hands_out_one_token_and_no_answer_keeps_it() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let body = json!({"role": "player", "combatants": ["valiant"], "expires_in": 3600});
    let first = fight.ask(&body).key("one").send().await;
    let again = fight.ask(&body).key("one").send().await;
    assert_eq!((first.status, again.status), (201, 201), "{first:?} {again:?}");
    assert_eq!((first.json(), again.header("idempotency-replayed")), (again.json(), "true"));
    assert_eq!((fight.tokens().await.len(), first.header("idempotency-replayed")), (2, ""));
    let other = json!({"role": "spectator"});
    fight.ask(&other).key("one").send().await.problem(422, "idempotency_key_reused");
    let second = fight.ask(&body).key("two").send().await.json();
    assert!(second["token"] != first.json()["token"] && second["id"] != first.json()["id"]);
    // The same key in another encounter, or in another hand, gives another token.
    let elsewhere = api.fight().await.ask(&body).key("one").send().await.json();
    let (other_gm, _) = fight.hand_out(json!({"role": "gm"})).await;
    let by_another = other_gm.ask(&body).key("one").send().await.json();
    assert!(elsewhere["token"] != first.json()["token"] && by_another["token"] != first.json()["token"]);
}

#[tokio::test]
async fn a_repetition_hands_out_no_token_that_was_revoked_or_has_ended() {
    shows(&["TK-12"]);
    let api = Api::start().await;
    let fight = api.fight().await;
    let lasting = json!({"role": "spectator"});
    let handed = fight.ask(&lasting).key("handed-out-once").send().await.json();
    assert_eq!(fight.ask(&lasting).key("handed-out-once").send().await.json(), handed);
    assert_eq!(fight.revoke(handed["id"].as_str().unwrap()).await.status, 204);
    for _ in 0..2 {
        let problem = fight.ask(&lasting).key("handed-out-once").send().await.problem(409, "token_ended");
        assert!(problem["detail"].as_str().unwrap().contains("another Idempotency-Key"), "{problem}");
    }
    assert_eq!(fight.tokens().await.len(), 1, "none is handed out in its stead");
    let brief = json!({"role": "spectator", "expires_in": 1});
    assert_eq!(fight.ask(&brief).key("handed-out-briefly").send().await.status, 201);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    fight.ask(&brief).key("handed-out-briefly").send().await.problem(409, "token_ended");
    assert_eq!(fight.ask(&lasting).key("handed-out-anew").send().await.status, 201);
}

#[tokio::test]
async fn a_key_that_is_forgotten_brings_no_revoked_token_back() {
    shows(&["TK-12"]);
    let redis = RedisServer::start();
    let api = Api::on_url(&redis.url(), Setup::default()).await;
    let fight = api.fight().await;
    let body = json!({"role": "spectator"});
    let handed = fight.ask(&body).key("handed-out").send().await.json();
    assert_eq!(fight.revoke(handed["id"].as_str().unwrap()).await.status, 204);
    for answers in ["answers0", "answers1"] {
        redis.command(&["DEL", &format!("{{turnkeeper:{}}}:{answers}", fight.id)]);
    }
    let anew = fight.ask(&body).key("handed-out").send().await;
    assert_eq!((anew.status, anew.header("idempotency-replayed")), (201, ""));
    let dead = api.get(&fight.path("")).token(handed["token"].as_str().unwrap()).send().await;
    assert_eq!(dead.status, 404, "{dead:?}");
    let living = api.get(&fight.path("")).token(anew.json()["token"].as_str().unwrap()).send().await;
    assert_eq!(living.status, 200, "{living:?}");
}

#[tokio::test]
async fn the_last_game_masters_token_that_lasts_cannot_be_revoked() {
    shows(&["TK-10"]);
    let api = Api::start().await;
    let fight = api.fight().await;
    let problem = fight.revoke("gm").await.problem(409, "last_gm_token");
    assert_eq!(problem["rule"], "TK-10");
    fight.hand_out(json!({"role": "gm", "expires_in": 3600})).await;
    fight.revoke("gm").await.problem(409, "last_gm_token");
    let (other, id) = fight.hand_out(json!({"role": "gm"})).await;
    assert_eq!(other.revoke("gm").await.status, 204);
    fight.get("").send().await.problem(404, "not_found");
    other.revoke(&id).await.problem(409, "last_gm_token");
}

/// Every operation of an encounter, as the document has it: method, path, operation.
fn operations() -> Vec<(String, String, Value)> {
    let document = turnkeeper::openapi::document(&turnkeeper::http::openapi(), &serde_json::Map::new());
    let paths = document["paths"].as_object().expect("paths").clone();
    let all = paths.into_iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods").clone();
        methods.into_iter().map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation))
    });
    all.collect()
}

#[test]
fn the_document_declares_a_scheme_on_every_operation() {
    let document = turnkeeper::openapi::document(&turnkeeper::http::openapi(), &serde_json::Map::new());
    let schemes = document["components"]["securitySchemes"].as_object().expect("schemes");
    let mut secured = 0;
    for (method, path, operation) in operations() {
        let needs = operation["security"].as_array().unwrap_or_else(|| panic!("{method} {path} says nothing"));
        let names: Vec<&String> = needs.iter().flat_map(|n| n.as_object().expect("a requirement").keys()).collect();
        assert!(names.iter().all(|name| schemes.contains_key(*name)), "{method} {path}: {names:?}");
        if path.starts_with("/v1/encounters/{id}") {
            assert!(names.iter().any(|name| *name == "token"), "{method} {path}: {names:?}");
            let mut answers = vec!["401", "404"];
            let gm = path.contains("tokens") || path.ends_with("export") || method != "GET";
            answers.extend(gm.then_some("403"));
            for status in answers {
                assert!(operation["responses"][status].is_object(), "{method} {path} has no {status}");
            }
            secured += 1;
        }
    }
    println!("{secured} operations need a token");
    assert!(secured >= 9, "{secured}");
}

#[tokio::test]
async fn every_route_answers_each_kind_of_token_as_it_must() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let stranger = api.fight().await;
    let player = fight.player(&["valiant"]).await;
    let (onlooker, _) = fight.hand_out(json!({"role": "spectator"})).await;
    let (revoked, id) = fight.hand_out(json!({"role": "gm"})).await;
    assert_eq!(fight.revoke(&id).await.status, 204);
    let (expired, _) = fight.hand_out(json!({"role": "gm", "expires_in": 1})).await;
    assert_eq!(expired.get("").send().await.status, 200, "it lasts a second");
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let short = &fight.token[..fight.token.len() - 1];
    let relabelled = player.token.replace("tk_player_", "tk_gm_");
    let mut checked = 0;
    for (method, path, operation) in operations() {
        if !path.starts_with("/v1/encounters/{id}") {
            continue;
        }
        let url = path.replace("{id}", &fight.id).replace("{token}", "player-nobody");
        let body = match operation["operationId"].as_str() {
            Some("send_command") => note("x"),
            _ => json!({"role": "spectator"}),
        };
        let call = async |token: Option<&str>| {
            let call = if method == "POST" { api.post(&url, &body) } else { api.call(&method, &url) };
            let call = if let Some(token) = token { call.token(token) } else { call };
            call.send().await
        };
        call(None).await.problem(401, "unauthorized");
        for malformed in [short, "tk_gm_", "gm", &fight.token[6..], &fight.token.replace("tk_gm_", "tk_king_")] {
            call(Some(malformed)).await.problem(401, "unauthorized");
        }
        let texts = [&stranger.token, &revoked.token, &expired.token, &relabelled];
        let mut same = Vec::new();
        for token in texts {
            same.push(call(Some(token)).await.problem(404, "not_found"));
        }
        assert!(same.windows(2).all(|pair| pair[0] == pair[1]), "all of them look alike: {same:?}");
        let gm_only = path.contains("/tokens") || path.ends_with("/export") || method == "DELETE" || method == "POST";
        for wrong in [&player.token, &onlooker.token] {
            let answer = call(Some(wrong)).await;
            if gm_only {
                answer.problem(403, "forbidden");
            } else {
                assert_eq!(answer.status, 200, "{method} {path}: {answer:?}");
            }
        }
        checked += 1;
    }
    assert!(checked >= 9, "{checked}");
    assert_eq!(fight.get("").send().await.json()["version"], 0, "nothing of it changed anything");
}

#[tokio::test]
async fn a_player_acts_for_its_own_combatants_and_for_no_others() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let (valiant, brakkus) = (fight.player(&["valiant"]).await, fight.player(&["brakkus"]).await);
    let begin = json!({"type": "start", "first": "valiant"});
    let problem = valiant.command(&begin).send().await.problem(403, "forbidden");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("game master")), "{problem}");
    fight.accepted(begin).await;
    let end = json!({"type": "end_turn", "combatant": "valiant", "next": "brakkus"});
    let problem = brakkus.command(&end).send().await.problem(403, "forbidden");
    let detail = problem["detail"].as_str().expect("a detail");
    assert!(detail.contains("valiant's") && detail.contains("brakkus"), "whose it is, and whose it is not: {detail}");
    let dry = api.post(&fight.path("/commands?dry_run=true"), &end);
    dry.token(&brakkus.token).send().await.problem(403, "forbidden");
    // A right is looked at before a version.
    brakkus.command(&end).header("if-match", "\"99\"").send().await.problem(403, "forbidden");
    let list = json!([{"type": "begin_turn", "combatant": "brakkus"}, end]);
    let problem = brakkus.command(&list).send().await.problem(403, "forbidden");
    assert_eq!(problem["errors"][0]["path"], "1", "{problem}");
    // To begin the next turn at once is for whoever has both.
    let both = json!({"type": "end_turn", "combatant": "valiant", "next": "brakkus", "begin": true});
    valiant.command(&both).send().await.problem(403, "forbidden");
    valiant.accepted(end).await;
    brakkus.accepted(json!({"type": "begin_turn", "combatant": "brakkus"})).await;
    for other in [json!({"type": "damage", "target": "brakkus", "amount": 1}), note("x"), json!({"type": "undo"})] {
        brakkus.command(&other).send().await.problem(403, "forbidden");
    }
    let log = fight.get("/events").send().await.json();
    let by: Vec<&str> = log["items"].as_array().into_iter().flatten().filter_map(|e| e["by"].as_str()).collect();
    assert!(by[0] == "gm" && by[1].starts_with("player-") && by[2].starts_with("player-") && by[1] != by[2], "{by:?}");
}

#[tokio::test]
async fn options_are_those_of_the_token() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let (valiant, brakkus) = (fight.player(&["valiant"]).await, fight.player(&["brakkus"]).await);
    let (onlooker, _) = fight.hand_out(json!({"role": "spectator"})).await;
    fight.accepted(json!({"type": "start", "first": "valiant"})).await;
    let types = async |fight: &Fight<'_>| -> Vec<String> {
        let options = fight.get("/options").send().await;
        assert_eq!(options.status, 200, "{options:?}");
        let items = options.json()["items"].as_array().expect("items").clone();
        items.iter().map(|item| item["command"]["type"].as_str().expect("a type").to_owned()).collect()
    };
    assert!(types(&onlooker).await.is_empty() && types(&brakkus).await.is_empty());
    let own = types(&valiant).await;
    assert!(own.contains(&"end_turn".to_owned()) && !own.contains(&"damage".to_owned()), "{own:?}");
    let all = types(&fight).await;
    assert!(all.contains(&"damage".to_owned()) && all.contains(&"undo".to_owned()), "{all:?}");
}

#[tokio::test]
async fn where_the_encounter_allows_it_a_player_takes_back_the_own_last_command() {
    shows(&["TK-9"]);
    let api = Api::start().await;
    let creation = json!({"ruleset": "active-initiative", "player_undo": true,
        "combatants": [{"id": "valiant"}, {"id": "clanda"}, {"id": "chansi"}]});
    let created = api.post("/v1/encounters", &creation).send().await.json();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let fight = Fight { api: &api, id: text(&created["encounter"]["id"]), token: text(&created["token"]) };
    let (valiant, clanda) = (fight.player(&["valiant"]).await, fight.player(&["clanda"]).await);
    let undo = json!({"type": "undo"});
    let offers_undo = async |fight: &Fight<'_>| {
        let options = fight.get("/options").send().await.json();
        options["items"].as_array().into_iter().flatten().any(|item| item["command"] == json!({"type": "undo"}))
    };
    assert!(!offers_undo(&valiant).await, "there is nothing to take back");
    valiant.command(&undo).send().await.problem(409, "nothing_to_undo");
    fight.accepted(json!({"type": "start", "first": "valiant"})).await;
    let problem = valiant.command(&undo).send().await.problem(409, "not_yours_to_undo");
    assert_eq!(problem["rule"], "TK-9");
    let before = fight.get("").send().await.json();
    valiant.accepted(json!({"type": "end_turn", "combatant": "valiant", "next": "clanda"})).await;
    assert!(offers_undo(&valiant).await && !offers_undo(&clanda).await);
    clanda.command(&undo).send().await.problem(409, "not_yours_to_undo");
    let further = json!({"type": "undo", "to_version": 0});
    valiant.command(&further).send().await.problem(409, "not_yours_to_undo");
    valiant.command(&json!({"type": "redo"})).send().await.problem(403, "forbidden");
    valiant.accepted(undo.clone()).await;
    let mut after = fight.get("").send().await.json();
    after["version"] = before["version"].clone();
    assert_eq!(after, before, "it is as it was");
    assert!(!offers_undo(&valiant).await, "what comes before it is the game master's");
    valiant.command(&undo).send().await.problem(409, "not_yours_to_undo");
    // Two of the own, one after the other.
    valiant.accepted(json!({"type": "end_turn", "combatant": "valiant"})).await;
    valiant.accepted(json!({"type": "nominate", "combatant": "valiant", "next": "clanda"})).await;
    valiant.accepted(undo.clone()).await;
    valiant.accepted(json!({"type": "undo", "to_version": 3})).await;
    // Somebody has acted on it.
    valiant.accepted(json!({"type": "end_turn", "combatant": "valiant", "next": "clanda"})).await;
    clanda.accepted(json!({"type": "begin_turn", "combatant": "clanda"})).await;
    assert!(!offers_undo(&valiant).await && offers_undo(&clanda).await);
    valiant.command(&undo).send().await.problem(409, "not_yours_to_undo");
    fight.accepted(undo.clone()).await;
    let why = "the game master took back what came after it, and has so acted too";
    assert_eq!(valiant.command(&undo).send().await.status, 409, "{why}");
    fight.accepted(undo).await;
}

/// How long a stream goes on after `then`, at most five seconds.
async fn ends(fight: &Fight<'_>, then: impl AsyncFnOnce()) -> Duration {
    let url = format!("{}{}", fight.api.base, fight.path("/events"));
    let request = fight.api.client.get(url).bearer_auth(&fight.token).header("accept", "application/x-ndjson");
    let mut response = request.send().await.expect("an answer");
    assert_eq!(response.status(), 200);
    if cell::front().is_none() {
        assert!(response.chunk().await.expect("a snapshot").is_some());
    }
    then().await;
    let started = Instant::now();
    let rest = async { while response.chunk().await.is_ok_and(|chunk| chunk.is_some()) {} };
    let over = tokio::time::timeout(Duration::from_secs(5), rest).await;
    assert!(over.is_ok(), "the stream goes on");
    started.elapsed()
}

#[tokio::test]
async fn streams_of_a_revoked_or_expired_token_end_and_those_of_others_go_on() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let (onlooker, id) = fight.hand_out(json!({"role": "spectator"})).await;
    let revoke = ends(&onlooker, async || assert_eq!(fight.revoke(&id).await.status, 204)).await;
    let (brief, _) = fight.hand_out(json!({"role": "spectator", "expires_in": 1})).await;
    let expire = ends(&brief, async || {}).await;
    println!("a stream ends {revoke:?} after its token is revoked, and {expire:?} after it was opened for a second");
    assert!(revoke < Duration::from_secs(1) && expire < Duration::from_secs(3));
    if cell::front().is_some() {
        return;
    }
    // Others stay: they hear what comes after a token was handed out and revoked.
    let url = format!("{}{}", api.base, fight.path("/events"));
    let request = api.client.get(url).bearer_auth(&fight.token).header("accept", "application/x-ndjson");
    let mut response = request.send().await.expect("an answer");
    response.chunk().await.expect("a snapshot");
    let (_, id) = fight.hand_out(json!({"role": "spectator"})).await;
    fight.revoke(&id).await;
    fight.accepted(note("still there")).await;
    let told = tokio::time::timeout(Duration::from_secs(5), response.chunk()).await.expect("in time").expect("a chunk");
    assert!(told.is_some_and(|chunk| String::from_utf8_lossy(&chunk).contains("still there")));
}

#[tokio::test]
async fn a_token_that_one_server_revokes_is_nothing_to_another_that_knew_it() {
    let redis = RedisServer::start();
    let (here, there) = (Api::on_redis(&redis.url()).await, Api::on_redis(&redis.url()).await);
    let fight = here.fight().await;
    fight.accepted(json!({"type": "start", "first": "valiant"})).await;
    let (player, id) = fight.hand_out(json!({"role": "player", "combatants": ["valiant"]})).await;
    let player = player.through(&there);
    player.accepted(json!({"type": "end_turn", "combatant": "valiant"})).await;
    let streamed = ends(&player, async || assert_eq!(fight.revoke(&id).await.status, 204)).await;
    let next = json!({"type": "nominate", "combatant": "valiant", "next": "brakkus"});
    player.command(&next).send().await.problem(404, "not_found");
    player.get("/options").send().await.problem(404, "not_found");
    println!("a stream of another server ends {streamed:?} after its token is revoked");
    assert_eq!(fight.log().await, [1, 2]);
    // A repetition is no way around it, although that server's copy still has the token.
    let (second, id) = fight.hand_out(json!({"role": "gm"})).await;
    let second = second.through(&there);
    let keyed = async || second.command(&note("once")).header("idempotency-key", "once").send().await;
    assert_eq!(keyed().await.status, 200);
    assert_eq!(fight.revoke(&id).await.status, 204);
    keyed().await.problem(404, "not_found");
}
