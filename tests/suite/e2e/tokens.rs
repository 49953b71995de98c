//! What each kind of token is answered on every route, and what a revoked token ends: see also
//! `tests/http/tokens.json`.

use super::{Answer, Api, Fight, cell, note, text};
use crate::log::feed::{LINES, Stream};
use crate::support::contract::{self, operations};
use crate::support::redis::RedisServer;
use crate::support::shows;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::time::Duration;

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
    let again = fight.ask(&body).key("handed-out").send().await;
    assert_eq!(
        (again.status, again.header("idempotency-replayed")),
        (201, "")
    );
    fight
        .with_token(&text(&handed["token"]))
        .get("")
        .send()
        .await
        .expect(404);
    fight
        .with_token(&text(&again.json()["token"]))
        .read("")
        .await;
}

/// The answer of an encounter that is unknown to the token: headers and problem, without what
/// differs from request to request.
fn unknown(mut answer: Answer) -> (HeaderMap, Value) {
    let mut problem = answer.problem(404, "not_found");
    problem["instance"].take();
    problem["request_id"].take();
    for header in ["date", "content-length", "x-request-id"] {
        answer.headers.remove(header);
    }
    (answer.headers, problem)
}

#[tokio::test]
async fn every_route_answers_each_kind_of_token_as_it_must() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let stranger = api.fight().await;
    let (revoked, id) = fight.hand_out(json!({"role": "gm"})).await;
    fight.revoke(&id).await.expect(204);
    let (expired, _) = fight.hand_out(json!({"role": "gm", "expires_in": 1})).await;
    assert_eq!(
        expired.get("").send().await.status,
        200,
        "it lasts a second"
    );
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let short = &fight.token[..fight.token.len() - 1];
    let reversed: String = fight.id.chars().rev().collect();
    let relabelled = fight
        .player(&["valiant"])
        .await
        .token
        .replace("tk_player_", "tk_gm_");
    let mut checked = 0;
    for (method, path, operation) in operations(&contract::published()) {
        if !path.starts_with("/v1/encounters/{id}") {
            continue;
        }
        let url = path
            .replace("{id}", &fight.id)
            .replace("{token}", "player-nobody");
        let body = match operation["operationId"].as_str() {
            Some("send_command") => note("x"),
            _ => json!({"role": "spectator"}),
        };
        let call = async |url: &str, token: Option<&str>| {
            let call = if method == "POST" {
                api.post(url, &body)
            } else {
                api.call(&method, url)
            };
            token
                .into_iter()
                .fold(call, |call, token| call.token(token))
                .send()
                .await
        };
        call(&url, None).await.problem(401, "unauthorized");
        for malformed in [
            short,
            "tk_gm_",
            "gm",
            &fight.token[6..],
            &fight.token.replace("tk_gm_", "tk_king_"),
        ] {
            call(&url, Some(malformed))
                .await
                .problem(401, "unauthorized");
        }
        let mut answers = Vec::new();
        for token in [&stranger.token, &revoked.token, &expired.token, &relabelled] {
            answers.push(unknown(call(&url, Some(token)).await));
        }
        for id in [&reversed, "%20"] {
            answers.push(unknown(
                call(&url.replace(&fight.id, id), Some(&stranger.token)).await,
            ));
        }
        assert!(
            answers.windows(2).all(|pair| pair[0] == pair[1]),
            "all of them look alike: {answers:?}"
        );
        let gm_only = path.contains("/tokens")
            || path.ends_with("/export")
            || method == "DELETE"
            || method == "POST";
        for wrong in [fight.player(&["valiant"]).await, fight.spectator().await] {
            let answer = call(&url, Some(&wrong.token)).await;
            if gm_only && !path.ends_with("/replace") {
                answer.problem(403, "forbidden");
            } else {
                assert_eq!(answer.status, 200, "{method} {path}: {answer:?}");
            }
        }
        checked += 1;
    }
    assert!(checked >= 9, "{checked}");
    assert_eq!(
        fight.read("").await["version"],
        0,
        "nothing of it changed anything"
    );
}

/// A stream of the token's, whose first message is read where it can be read alone.
async fn stream(fight: &Fight) -> Stream {
    let mut stream = Stream::open(fight, LINES, None).await.expect("a stream");
    if cell::event_source().is_none() {
        assert_eq!(stream.next().await.expect("a snapshot").kind, "snapshot");
    }
    stream
}

/// The stream ends within this time.
async fn ends(mut stream: Stream, timeout: Duration) {
    let rest = async { while stream.next().await.is_some() {} };
    assert!(
        tokio::time::timeout(timeout, rest).await.is_ok(),
        "the stream goes on"
    );
}

#[tokio::test]
async fn streams_of_a_revoked_replaced_or_expired_token_end_and_those_of_others_go_on() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let (onlooker, id) = fight.hand_out(json!({"role": "spectator"})).await;
    let revoked = stream(&onlooker).await;
    fight.revoke(&id).await.expect(204);
    ends(revoked, Duration::from_secs(1)).await;
    let onlooker = fight.spectator().await;
    let replaced = stream(&onlooker).await;
    let onlooker = onlooker.replace().await;
    ends(replaced, Duration::from_secs(1)).await;
    stream(&onlooker).await;
    let (brief, _) = fight
        .hand_out(json!({"role": "spectator", "expires_in": 1}))
        .await;
    ends(stream(&brief).await, Duration::from_secs(3)).await;
    if cell::event_source().is_some() {
        return;
    }
    // Others stay: they hear what comes after a token was handed out and revoked.
    let mut other = stream(&fight).await;
    let (_, id) = fight.hand_out(json!({"role": "spectator"})).await;
    fight.revoke(&id).await.expect(204);
    fight.accepted(note("still there")).await;
    let entry = tokio::time::timeout(Duration::from_secs(5), other.next())
        .await
        .expect("in time")
        .expect("an entry");
    assert_eq!(entry.data["events"][0]["text"], "still there");
}

#[tokio::test]
async fn a_token_that_one_server_revokes_is_nothing_to_another_that_knew_it() {
    let redis = RedisServer::start();
    let (here, there) = Api::pair_on(&redis.url()).await;
    let fight = here.fight().await;
    fight
        .accepted(json!({"type": "start", "first": "valiant"}))
        .await;
    let (player, id) = fight
        .hand_out(json!({"role": "player", "combatants": ["valiant"]}))
        .await;
    let player = player.through(&there);
    player
        .accepted(json!({"type": "end_turn", "combatant": "valiant"}))
        .await;
    let streamed = stream(&player).await;
    fight.revoke(&id).await.expect(204);
    ends(streamed, Duration::from_secs(5)).await;
    let next = json!({"type": "nominate", "combatant": "valiant", "next": "brakkus"});
    player.refused(next, 404, "not_found").await;
    player
        .get("/options")
        .send()
        .await
        .problem(404, "not_found");
    assert_eq!(fight.log().await, [1, 2]);
    // A repetition is no way around it, although that server's copy still has the token.
    let (second, id) = fight.hand_out(json!({"role": "gm"})).await;
    let second = second.through(&there);
    let keyed = async || second.command(&note("once")).key("once").send().await;
    assert_eq!(keyed().await.status, 200);
    fight.revoke(&id).await.expect(204);
    keyed().await.problem(404, "not_found");
}

#[tokio::test]
async fn what_a_repetition_needs_is_recorded_and_no_more() {
    let redis = RedisServer::start();
    let api = Api::on_redis(&redis.url()).await;
    let ids: Vec<String> = (0..500)
        .map(|n| format!("{n:03}{}", "x".repeat(61)))
        .collect();
    let combatants: Vec<Value> = ids.iter().map(|id| json!({"id": id})).collect();
    let fight = api
        .create(&json!({"ruleset": "seize", "combatants": combatants}))
        .await;
    let recorded = || {
        let answers =
            ["answers0", "answers1"].map(|part| format!("{{turnkeeper:{}}}:{part}", fight.id));
        let all = answers
            .iter()
            .flat_map(|key| redis.ask::<Vec<Vec<u8>>>(&["HVALS", key]));
        all.map(|answer| answer.len()).collect::<Vec<_>>()
    };
    let body = json!({"role": "player", "combatants": ids});
    let ask = async || fight.ask(&body).key("handed-out").send().await;
    let (first, again) = (ask().await, ask().await);
    assert_eq!((first.status, first.json()), (201, again.json()));
    assert_eq!(
        recorded(),
        [65],
        "40 KB of combatants stand in the encounter"
    );
    let player = fight.with_token(&text(&first.json()["token"]));
    let replace = async || {
        api.call("POST", &player.path("/tokens/replace"))
            .token(&player.token)
            .key("replaced")
            .send()
            .await
    };
    let (first, again) = (replace().await, replace().await);
    assert_eq!(
        (
            first.status,
            first.json()["combatants"].as_array().map(Vec::len)
        ),
        (200, Some(500))
    );
    assert_eq!(
        (again.header("idempotency-replayed"), again.json()),
        ("true", first.json())
    );
    assert_eq!(
        recorded(),
        [65],
        "the replacement is found among the tokens"
    );
}

#[tokio::test]
async fn a_token_names_at_most_as_many_combatants_as_an_encounter_has() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let wanted = |count: usize| json!({"role": "player", "combatants": vec!["valiant"; count]});
    let handed = fight.ask(&wanted(500)).send().await.expect(201).json();
    assert_eq!(handed["combatants"], json!(["valiant"]), "each once");
    let refused = fight
        .ask(&wanted(501))
        .send()
        .await
        .problem(422, "invalid_value");
    assert_eq!(refused["errors"][0]["path"], "combatants", "{refused}");
}

#[tokio::test]
async fn a_creation_hands_out_fifty_tokens_and_no_more() {
    let api = Api::start().await;
    let creation = |count: usize| json!({"ruleset": "seize", "tokens": vec![json!({"role": "spectator"}); count]});
    let created = api
        .post("/v1/encounters", &creation(50))
        .send()
        .await
        .expect(201)
        .json();
    assert_eq!(created["tokens"].as_array().map(Vec::len), Some(50));
    for count in [51, 52] {
        let refused = api
            .post("/v1/encounters", &creation(count))
            .send()
            .await
            .problem(422, "invalid_value");
        assert_eq!(refused["errors"][0]["path"], "tokens", "{refused}");
    }
}

#[tokio::test]
async fn a_token_of_a_combatant_that_left_is_none_of_the_next_one_with_its_id() {
    let api = Api::start().await;
    let wolf = |side: &str| json!({"id": "wolf", "side": side, "hp": {"current": 7}});
    let combatants = json!([{"id": "ann", "side": "players"}, wolf("players")]);
    let body = json!({"ruleset": "active-initiative", "foe_hp": "none", "combatants": combatants});
    let fight = api.create(&body).await;
    let player = fight.player(&["wolf"]).await;
    fight
        .accepted(json!({"type": "start", "first": "wolf"}))
        .await;
    assert_eq!(player.read("").await["you"]["combatants"], json!(["wolf"]));
    let mut hidden = wolf("monsters");
    hidden["hidden"] = json!(true);
    fight
        .accepted(json!({"type": "remove_combatant", "combatant": "wolf"}))
        .await;
    fight
        .accepted(json!({"type": "add_combatant", "details": hidden}))
        .await;
    let seen = player.read("").await;
    assert_eq!(
        seen["combatants"].as_array().map(Vec::len),
        Some(1),
        "the hidden one shows: {seen}"
    );
    let trigger = json!({"type": "trigger", "combatant": "wolf"});
    player
        .refused(trigger.clone(), 422, "unknown_combatant")
        .await;
    let shown =
        json!({"type": "update_combatant", "combatant": "wolf", "changes": {"hidden": false}});
    fight.accepted(shown).await;
    let seen = player.read("").await;
    assert_eq!(
        (&seen["combatants"][1]["id"], &seen["combatants"][1]["hp"]),
        (&json!("wolf"), &Value::Null)
    );
    assert_eq!(seen["you"]["combatants"], json!([]));
    fight
        .accepted(json!({"type": "override", "combatant": "wolf"}))
        .await;
    player
        .refused(
            json!({"type": "end_turn", "combatant": "wolf"}),
            403,
            "forbidden",
        )
        .await;
    player.refused(trigger, 403, "forbidden").await;
    // Nor is the first one that of the next one's player.
    let next = fight.player(&["wolf"]).await;
    assert_eq!(next.read("?at=1").await["you"]["combatants"], json!([]));
    assert_eq!(next.read("").await["combatants"][1]["hp"]["current"], 7);
    fight
        .accepted(json!({"type": "undo", "to_version": 1}))
        .await;
    assert_eq!(player.read("").await["you"]["combatants"], json!(["wolf"]));
    next.refused(
        json!({"type": "end_turn", "combatant": "wolf"}),
        403,
        "forbidden",
    )
    .await;
    player
        .accepted(json!({"type": "end_turn", "combatant": "wolf"}))
        .await;
}
