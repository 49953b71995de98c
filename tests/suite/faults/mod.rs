//! Several processes on one store, crashes, and stores that go away: what clients were told stays true.

mod away;
mod lost;
mod storm;

use crate::support::client::{Answer, Encounter, send, version};
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(2);

/// A fight in which it is ann's turn.
async fn fight(server: &Server) -> Encounter {
    let combatants = json!([{"id": "ann"}, {"id": "bob"}, {"id": "cat"}, {"id": "orc", "side": "monsters"}]);
    let encounter = Encounter::create(server, json!({"ruleset": "active-initiative", "combatants": combatants})).await;
    encounter.tell(server, json!({"type": "start", "first": "ann"})).await.expect(200);
    encounter
}

/// The command that ends a turn and begins the next one.
fn pass(from: &str, to: &str) -> Value {
    json!({"type": "end_turn", "combatant": from, "next": to, "begin": true})
}

fn note(text: &str) -> Value {
    json!({"type": "note", "text": text})
}

#[tokio::test]
async fn a_command_that_came_through_another_process_in_between_is_not_applied_again() {
    let redis = RedisServer::start();
    let (here, there) = (Server::on(&redis), Server::on(&redis));
    let fight = fight(&here).await;
    // Both processes have a copy now.
    assert_eq!(fight.state(&there).await["current"], json!(["ann"]));
    fight.tell(&here, pass("ann", "bob")).await.expect(200);
    let again = fight.tell(&there, pass("ann", "bob")).await;
    assert_eq!(again.problem(409, "not_your_turn")["rule"], "AI-7");
    // By the copy that `there` had it is ann's turn, by the one that `here` has it will be bob's.
    fight.tell(&there, pass("bob", "cat")).await.expect(200);
    assert_eq!(fight.tell(&here, pass("bob", "cat")).await.problem(409, "not_your_turn")["rule"], "AI-7");
    fight.tell(&here, pass("cat", "orc")).await.expect(200);
    assert_eq!(fight.state(&there).await["current"], json!(["orc"]));
    assert_eq!(fight.log(&there).await.len(), 4);
}

#[tokio::test]
async fn a_refusal_is_never_given_on_the_word_of_a_stale_copy() {
    let redis = RedisServer::start();
    let (here, there) = (Server::on(&redis), Server::on(&redis));
    let fight = fight(&here).await;
    fight.state(&there).await;
    fight.tell(&here, pass("ann", "bob")).await.expect(200);
    // `there` last saw ann's turn: by that, all of these would be refused.
    let options = fight.get(&there, "/options").await.expect(200).text();
    assert!(options.contains("\"bob\""), "{options}");
    fight.tell(&here, pass("bob", "cat")).await.expect(200);
    fight.tell(&there, pass("cat", "orc")).await.expect(200);
    // And one that depends on the version alone.
    fight.tell(&here, note("five")).await.expect(200);
    let matching = fight.command(&there, &note("six")).header("if-match", "\"5\"");
    assert_eq!(send(matching).await.expect("an answer").expect(200).version(), 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_clients_with_one_version_in_mind_one_wins_and_one_is_told() {
    let redis = RedisServer::start();
    let (here, there) = (Server::on(&redis), Server::on(&redis));
    let fight = fight(&here).await;
    for round in 1..=50_u64 {
        let tag = format!("\"{round}\"");
        let via = |server, text| send(fight.command(server, &note(text)).header("if-match", &tag));
        let (one, other) = tokio::join!(via(&here, "one"), via(if round % 2 == 0 { &here } else { &there }, "other"));
        let (one, other) = (one.expect("an answer"), other.expect("an answer"));
        let (won, lost) = if one.status == 200 { (one, other) } else { (other, one) };
        assert_eq!(won.expect(200).version(), round + 1);
        assert_eq!(lost.problem(412, "stale_version")["current_version"], round + 1);
    }
    assert_eq!(fight.log(&there).await.len(), 51);
}

#[tokio::test]
async fn what_is_deleted_through_one_process_is_gone_for_the_other() {
    let redis = RedisServer::start();
    let (here, there) = (Server::on(&redis), Server::on(&redis));
    let (fight, other) = (fight(&here).await, fight(&here).await);
    fight.tell(&there, note("there has a copy")).await.expect(200);
    send(fight.request(&here, Method::DELETE, "")).await.expect("an answer").expect(204);
    for server in [&there, &here] {
        let dry = fight.request(server, Method::POST, "/commands?dry_run=true");
        let dry = dry.header("content-type", "application/json").body(note("gone").to_string());
        let answers = [
            fight.get(server, "").await,
            fight.get(server, "/options").await,
            fight.get(server, "/events").await,
            fight.tell(server, note("gone")).await,
            fight.tell(server, json!({"type": "begin_turn", "combatant": "nobody"})).await,
            send(dry).await.expect("an answer"),
            send(fight.request(server, Method::DELETE, "")).await.expect("an answer"),
        ];
        answers.iter().for_each(|answer| {
            answer.problem(404, "not_found");
        });
    }
    assert!(!redis.keys().iter().any(|key| key.contains(&fight.id)), "{:?}", redis.keys());
    other.state(&there).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_in_flight_are_finished_before_the_process_ends() {
    let redis = RedisServer::start();
    let (here, there) = (Server::on(&redis), Server::on(&redis));
    let fight = fight(&here).await;
    redis.pause();
    let requests: Vec<_> =
        (0..8).map(|n| tokio::spawn(send(fight.command(&here, &note(&format!("in flight {n}")))))).collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    here.terminate();
    // A new client is turned away while the old ones still wait.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let late = send(reqwest::Client::new().get(format!("{}/livez", here.url()))).await;
    assert!(late.is_err_and(|error| error.is_connect()));
    redis.resume();
    let mut versions = Vec::new();
    for request in requests {
        versions.push(request.await.expect("no panic").expect("an answer").expect(200).version());
    }
    versions.sort_unstable();
    assert_eq!(versions, [2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(here.ended(PATIENCE).success(), "{}", here.log());
    assert_eq!(fight.log(&there).await.len(), 9);
}

#[tokio::test]
async fn an_embedded_store_that_was_closed_or_killed_opens_with_all_that_it_had() {
    let server = Server::embedded();
    let fight = fight(&server).await;
    for round in 1..=3 {
        fight.tell(&server, note("kept")).await.expect(200);
        if round % 2 == 0 {
            server.crash();
        } else {
            server.terminate();
            assert!(server.ended(PATIENCE).success(), "{}", server.log());
            server.again();
        }
        assert_eq!(fight.log(&server).await.len(), round + 1);
        assert_eq!(version(&fight.state(&server).await), round as u64 + 1);
    }
}

/// Everything that needs the store says in time that it is away; what does not need it works.
async fn away(server: &Server, fight: &Encounter) {
    let asked = Instant::now();
    let create = fight.http.post(format!("{}/v1/encounters", server.url()));
    let create = create.header("content-type", "application/json").body(r#"{"ruleset": "active-initiative"}"#);
    let hand_out = || {
        let request = fight.request(server, Method::POST, "/tokens").header("content-type", "application/json");
        request.body(r#"{"role": "spectator"}"#)
    };
    let answers: Vec<Answer> = futures::future::join_all(
        [
            send(fight.command(server, &note("lost"))),
            send(fight.command(server, &note("lost")).header("idempotency-key", "lost")),
            send(fight.command(server, &pass("bob", "cat"))),
            send(fight.request(server, Method::GET, "")),
            send(fight.request(server, Method::GET, "/options")),
            send(fight.request(server, Method::GET, "/events")),
            send(fight.request(server, Method::DELETE, "")),
            send(hand_out()),
            send(hand_out()),
            send(fight.request(server, Method::DELETE, "/tokens/player-nobody")),
            send(create),
            send(fight.http.get(format!("{}/readyz", server.url()))),
        ]
        .map(async |answer| answer.await.expect("an answer")),
    )
    .await;
    let took = asked.elapsed();
    for answer in &answers {
        assert_eq!(answer.status, 503, "{}", answer.text());
        assert_eq!(answer.header("content-type"), "application/problem+json");
        assert!(answer.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds >= 1), "{answer:?}");
    }
    assert!(took < PATIENCE, "they took {took:?}");
    for path in ["/livez", "/v1/rulesets"] {
        send(fight.http.get(format!("{}{path}", server.url()))).await.expect("an answer").expect(200);
    }
}

/// The store is back: within 2 seconds commands are accepted again, and nothing is lost.
async fn recovers(server: &Server, fight: &Encounter) {
    let since = Instant::now();
    let answer = loop {
        let answer = send(fight.command(server, &note("back")).header("idempotency-key", "back")).await;
        match answer.expect("an answer") {
            answer if answer.status == 503 && since.elapsed() < PATIENCE => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            answer => break answer.expect(200),
        }
    };
    let log = fight.log(server).await;
    assert_eq!(log.len() as u64, answer.version());
    assert_eq!(log.last().map(|entry| entry["events"][0]["text"].clone()), Some(json!("back")));
    send(fight.http.get(format!("{}/readyz", server.url()))).await.expect("an answer").expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_redis_is_a_503_in_time_until_it_is_back() {
    let mut redis = RedisServer::with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let server = Server::on(&redis);
    let fight = fight(&server).await;
    redis.kill();
    away(&server, &fight).await;
    away(&server, &fight).await;
    redis.again();
    recovers(&server, &fight).await;
    let log = fight.log(&server).await;
    assert_eq!(log.len(), 2, "{log:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_redis_is_a_503_in_time_until_it_goes_on() {
    let redis = RedisServer::start();
    let server = Server::on(&redis);
    let fight = fight(&server).await;
    redis.pause();
    away(&server, &fight).await;
    redis.resume();
    // What was sent to it may still have been done, the deletion too: that is what the 503 says.
    let since = Instant::now();
    while send(fight.http.get(format!("{}/readyz", server.url()))).await.expect("an answer").status != 200 {
        assert!(since.elapsed() < PATIENCE, "it does not recover");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let other = self::fight(&server).await;
    recovers(&server, &other).await;
}

#[tokio::test]
async fn a_server_whose_redis_is_not_there_yet_waits_for_it() {
    let mut redis = RedisServer::not_started();
    let server = Server::on(&redis);
    let http = reqwest::Client::new();
    let ready = || async { send(http.get(format!("{}/readyz", server.url()))).await.expect("an answer") };
    assert_eq!(ready().await.status, 503);
    redis.again();
    let since = Instant::now();
    while ready().await.status != 200 {
        assert!(since.elapsed() < PATIENCE, "it does not find its Redis");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let fight = fight(&server).await;
    recovers(&server, &fight).await;
}
