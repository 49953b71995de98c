//! Tokens over HTTP: handed out, listed, revoked, and what each kind of token is answered on every route.

use super::{Api, Fight, cell, note, text};
use crate::log::feed::{LINES, Stream};
use crate::support::redis::RedisServer;
use crate::support::shows;
use serde_json::{Value, json};
use std::time::Duration;

async fn tokens(fight: &Fight) -> Vec<Value> {
    let list = fight.read("/tokens").await;
    assert_eq!(list["next_cursor"], Value::Null, "{list}");
    list["items"].as_array().expect("items").clone()
}

#[tokio::test]
async fn tokens_are_shown_once_listed_without_their_secrets_and_revoked() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let before = fight.get("").send().await;
    let answer = fight.ask(&json!({"role": "player", "combatants": ["valiant", "chansi", "valiant"]})).send().await;
    assert_eq!((answer.status, answer.header("cache-control")), (201, "no-store"), "{answer:?}");
    let handed = answer.json();
    let (id, token) = (text(&handed["id"]), text(&handed["token"]));
    assert!(token.starts_with("tk_player_") && id.starts_with("player-"), "{handed}");
    assert_eq!(handed, json!({"id": id, "token": token, "role": "player", "combatants": ["valiant", "chansi"]}));
    let (onlooker, onlooker_id) = fight.hand_out(json!({"role": "spectator"})).await;
    let (other_gm, gm_id) = fight.hand_out(json!({"role": "gm"})).await;
    assert!(onlooker.token.starts_with("tk_spectator_") && other_gm.token.starts_with("tk_gm_"));
    let listed = tokens(&other_gm).await;
    let ids: Vec<&str> = listed.iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!(ids, ["gm", &id, &onlooker_id, &gm_id]);
    let listed = fight.get("/tokens").send().await.text();
    for secret in [&fight.token, &token, &onlooker.token, &other_gm.token] {
        assert!(!listed.contains(secret.as_str()) && !listed.contains("digest"), "{listed}");
    }
    // No version is made, nothing is logged, and what was read before is still true.
    let after = fight.get("").header("if-none-match", before.header("etag")).send().await;
    assert_eq!((after.status, fight.log().await), (304, vec![]));
    let gone = fight.revoke(&onlooker_id).await;
    assert_eq!((gone.status, gone.body.len()), (204, 0), "{gone:?}");
    onlooker.get("").send().await.problem(404, "not_found");
    fight.revoke(&onlooker_id).await.problem(404, "not_found");
    fight.revoke("nobody").await.problem(404, "not_found");
    assert_eq!(tokens(&fight).await.len(), 3);
}

#[tokio::test]
async fn an_encounter_has_at_most_100_tokens() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let lasting = fight.ask(&json!({"role": "spectator", "expires_at": "2999-01-01T01:00:00+01:00"})).send().await;
    assert_eq!(lasting.json()["expires_at"], "2999-01-01T00:00:00.000Z", "{lasting:?}");
    for _ in 2..100 {
        fight.spectator().await;
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
    assert_eq!((tokens(&fight).await.len(), first.header("idempotency-replayed")), (2, ""));
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
    assert_eq!(fight.revoke(&text(&handed["id"])).await.status, 204);
    for _ in 0..2 {
        let problem = fight.ask(&lasting).key("handed-out-once").send().await.problem(409, "token_ended");
        assert!(problem["detail"].as_str().unwrap().contains("another Idempotency-Key"), "{problem}");
    }
    assert_eq!(tokens(&fight).await.len(), 1, "none is handed out in its stead");
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
    let api = Api::on_redis(&redis.url()).await;
    let fight = api.fight().await;
    let body = json!({"role": "spectator"});
    let handed = fight.ask(&body).key("handed-out").send().await.json();
    assert_eq!(fight.revoke(&text(&handed["id"])).await.status, 204);
    for answers in ["answers0", "answers1"] {
        redis.command(&["DEL", &format!("{{turnkeeper:{}}}:{answers}", fight.id)]);
    }
    let anew = fight.ask(&body).key("handed-out").send().await;
    assert_eq!((anew.status, anew.header("idempotency-replayed")), (201, ""));
    fight.with_token(&text(&handed["token"])).get("").send().await.expect(404);
    fight.with_token(&text(&anew.json()["token"])).read("").await;
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

#[tokio::test]
async fn every_route_answers_each_kind_of_token_as_it_must() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let stranger = api.fight().await;
    let player = fight.player(&["valiant"]).await;
    let onlooker = fight.spectator().await;
    let (revoked, id) = fight.hand_out(json!({"role": "gm"})).await;
    fight.revoke(&id).await.expect(204);
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
            token.into_iter().fold(call, |call, token| call.token(token)).send().await
        };
        call(None).await.problem(401, "unauthorized");
        for malformed in [short, "tk_gm_", "gm", &fight.token[6..], &fight.token.replace("tk_gm_", "tk_king_")] {
            call(Some(malformed)).await.problem(401, "unauthorized");
        }
        let mut same = Vec::new();
        for token in [&stranger.token, &revoked.token, &expired.token, &relabelled] {
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
    assert_eq!(fight.read("").await["version"], 0, "nothing of it changed anything");
}

/// A stream of the token's, whose first message is read where it can be read alone.
async fn stream(fight: &Fight) -> Stream {
    let mut stream = Stream::open(fight, LINES, None).await.expect("a stream");
    if cell::front().is_none() {
        assert_eq!(stream.next().await.expect("a snapshot").kind, "snapshot");
    }
    stream
}

/// The stream ends within this time.
async fn ends(mut stream: Stream, patience: Duration) {
    let rest = async { while stream.next().await.is_some() {} };
    assert!(tokio::time::timeout(patience, rest).await.is_ok(), "the stream goes on");
}

#[tokio::test]
async fn streams_of_a_revoked_or_expired_token_end_and_those_of_others_go_on() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let (onlooker, id) = fight.hand_out(json!({"role": "spectator"})).await;
    let revoked = stream(&onlooker).await;
    fight.revoke(&id).await.expect(204);
    ends(revoked, Duration::from_secs(1)).await;
    let (brief, _) = fight.hand_out(json!({"role": "spectator", "expires_in": 1})).await;
    ends(stream(&brief).await, Duration::from_secs(3)).await;
    if cell::front().is_some() {
        return;
    }
    // Others stay: they hear what comes after a token was handed out and revoked.
    let mut other = stream(&fight).await;
    let (_, id) = fight.hand_out(json!({"role": "spectator"})).await;
    fight.revoke(&id).await.expect(204);
    fight.accepted(note("still there")).await;
    let entry = tokio::time::timeout(Duration::from_secs(5), other.next()).await.expect("in time").expect("an entry");
    assert_eq!(entry.data["events"][0]["text"], "still there");
}

#[tokio::test]
async fn a_token_that_one_server_revokes_is_nothing_to_another_that_knew_it() {
    let redis = RedisServer::start();
    let (here, there) = Api::pair_on(&redis.url()).await;
    let fight = here.fight().await;
    fight.accepted(json!({"type": "start", "first": "valiant"})).await;
    let (player, id) = fight.hand_out(json!({"role": "player", "combatants": ["valiant"]})).await;
    let player = player.through(&there);
    player.accepted(json!({"type": "end_turn", "combatant": "valiant"})).await;
    let streamed = stream(&player).await;
    fight.revoke(&id).await.expect(204);
    ends(streamed, Duration::from_secs(5)).await;
    let next = json!({"type": "nominate", "combatant": "valiant", "next": "brakkus"});
    player.refused(next, 404, "not_found").await;
    player.get("/options").send().await.problem(404, "not_found");
    assert_eq!(fight.log().await, [1, 2]);
    // A repetition is no way around it, although that server's copy still has the token.
    let (second, id) = fight.hand_out(json!({"role": "gm"})).await;
    let second = second.through(&there);
    let keyed = async || second.command(&note("once")).key("once").send().await;
    assert_eq!(keyed().await.status, 200);
    fight.revoke(&id).await.expect(204);
    keyed().await.problem(404, "not_found");
}
