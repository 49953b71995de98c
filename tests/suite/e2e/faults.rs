//! Several servers on one Redis, and a Redis that is away.

use super::cell::{self, Servers};
use super::{Answer, Api, Client, Fight, ambush, note};
use crate::support::eventually;
use crate::support::proxy::{Gate, Proxy};
use crate::support::redis::{DURABLE, RedisServer};
use async_trait::async_trait;
use futures::future::join_all;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// A fight of four in which it is ann's turn.
async fn fight(api: &Client) -> Fight {
    let combatants =
        json!([{"id": "ann"}, {"id": "bob"}, {"id": "cat"}, {"id": "orc", "side": "monsters"}]);
    let fight = api
        .create(&json!({"ruleset": "active-initiative", "combatants": combatants}))
        .await;
    fight
        .accepted(json!({"type": "start", "first": "ann"}))
        .await;
    fight
}

/// Ends a turn and begins the next one.
fn pass(from: &str, to: &str) -> Value {
    json!({"type": "end_turn", "combatant": from, "next": to, "begin": true})
}

#[tokio::test]
async fn a_stale_copy_neither_applies_a_command_again_nor_refuses_one() {
    let (a, b) = Api::pair().await;
    let here = fight(&a).await;
    let there = here.through(&b);
    // Both processes have a copy now.
    assert_eq!(there.read("").await["current"], json!(["ann"]));
    here.accepted(pass("ann", "bob")).await;
    assert_eq!(
        there
            .refused(pass("ann", "bob"), 409, "not_your_turn")
            .await["rule"],
        "AI-7"
    );
    // By the copy that `there` had it is ann's turn, by the one that `here` has it is bob's.
    there.accepted(pass("bob", "cat")).await;
    assert_eq!(
        here.refused(pass("bob", "cat"), 409, "not_your_turn").await["rule"],
        "AI-7"
    );
    here.accepted(pass("cat", "orc")).await;
    assert!(json!(there.options().await).to_string().contains("\"orc\""));
    here.accepted(pass("orc", "ann")).await;
    // `there` last saw the turn of orc: by that this would be refused.
    there.accepted(pass("ann", "bob")).await;
    assert_eq!(there.read("").await["current"], json!(["bob"]));
    assert_eq!(there.read("").await, here.read("").await);
    assert_eq!(there.log().await, [1, 2, 3, 4, 5, 6]);
    // And one that depends on the version alone.
    here.accepted(note("seven")).await;
    assert_eq!(
        there
            .command(&note("eight"))
            .if_match("\"7\"")
            .send()
            .await
            .expect(200)
            .version(),
        8
    );
    let stale = here
        .command(&note("x"))
        .if_match("\"7\"")
        .send()
        .await
        .problem(412, "stale_version");
    assert_eq!(stale["current_version"], 8);
}

#[tokio::test]
async fn what_is_deleted_through_one_process_is_gone_for_the_other() {
    let redis = cell::some_redis();
    let (a, b) = Api::pair_on(&redis.url).await;
    let (here, other) = (fight(&a).await, fight(&a).await);
    let there = here.through(&b);
    there.accepted(note("there has a copy")).await;
    here.delete().send().await.expect(204);
    for fight in [&there, &here] {
        let nobody = json!({"type": "begin_turn", "combatant": "nobody"});
        let reads = ["", "/options", "/events"].map(|rest| fight.get(rest));
        let writes = [
            fight.command(&note("gone")),
            fight.command(&nobody),
            fight.dry_run(&note("gone")),
            fight.delete(),
        ];
        for call in reads.into_iter().chain(writes) {
            call.send().await.problem(404, "not_found");
        }
    }
    assert!(
        !redis.keys().iter().any(|key| key.contains(&here.id)),
        "{:?}",
        redis.keys()
    );
    other.through(&b).read("").await;
}

/// Whatever needs the store says in time that it is away; the rest works.
async fn away(fight: &Fight) {
    let lambda = cell::event_source().is_some();
    let mut calls = vec![fight.command(&note("lost")), fight.get("")];
    // A function's two instances serve one request each.
    if !lambda {
        let hand_out = || fight.ask(&json!({"role": "spectator"}));
        calls.extend((0..20).map(|_| fight.command(&note("lost"))));
        calls.extend([
            fight.command(&note("lost")).key("lost"),
            fight.command(&pass("bob", "cat")),
            fight.get("/options"),
            fight.get("/events"),
            fight.delete(),
            hand_out(),
            hand_out(),
            fight
                .api
                .call("DELETE", &fight.path("/tokens/player-nobody"))
                .token(&fight.token),
            fight.api.post("/v1/encounters", &ambush()),
            fight.api.get("/readyz"),
        ]);
    }
    let asked = Instant::now();
    let answers: Vec<Answer> = join_all(calls.into_iter().map(|call| call.send())).await;
    let (took, limit) = (asked.elapsed(), if lambda { 2500 } else { 2000 });
    assert!(took < Duration::from_millis(limit), "they took {took:?}");
    for answer in &answers {
        answer.problem(503, "store_away");
        assert!(
            answer
                .header("retry-after")
                .parse::<u64>()
                .is_ok_and(|seconds| seconds >= 1),
            "{answer:?}"
        );
    }
    for path in ["/livez", "/v1/rulesets"] {
        fight.api.get(path).send().await.expect(200);
    }
}

/// The store is back: within 2 seconds commands are accepted again, and nothing is lost.
async fn recovers(fight: &Fight) {
    let back = Instant::now();
    let answer = loop {
        let answer = fight.command(&note("back")).key("back").send().await;
        if answer.status != 503 || back.elapsed() > Duration::from_secs(2) {
            break answer.expect(200);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let entries = fight.entries().await;
    assert_eq!(entries.len() as u64, answer.version());
    assert_eq!(
        entries.last().map(|entry| &entry["events"][0]["text"]),
        Some(&json!("back"))
    );
    fight.api.get("/readyz").send().await.expect(200);
}

async fn ready(api: &Client) {
    let ready = async || api.get("/readyz").send().await.status == 200;
    eventually("the store is found again", Duration::from_secs(2), ready).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_redis_is_a_503_in_time_until_it_is_back() {
    let mut redis = RedisServer::with(&DURABLE);
    let api = Api::on_redis(&redis.url()).await;
    let fight = fight(&api).await;
    redis.kill();
    away(&fight).await;
    away(&fight).await;
    redis.again();
    recovers(&fight).await;
    assert_eq!(fight.log().await, [1, 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_redis_is_a_503_in_time_until_it_goes_on() {
    let redis = Servers::own();
    let api = Api::on_redis(&redis.url).await;
    let fight = fight(&api).await;
    redis.pause();
    away(&fight).await;
    redis.resume();
    // What was sent to it may still have been done, the deletion too: that is what the 503 says.
    ready(&api).await;
    recovers(&self::fight(&api).await).await;
}

#[tokio::test]
async fn a_server_whose_redis_is_not_there_yet_waits_for_it() {
    let mut redis = Servers::own();
    redis.kill();
    let api = Api::on_redis(&redis.url).await;
    api.get("/readyz").send().await.problem(503, "store_away");
    api.post("/v1/encounters", &ambush())
        .send()
        .await
        .problem(503, "store_away");
    api.get("/v1/rulesets").send().await.expect(200);
    redis.again();
    ready(&api).await;
    recovers(&fight(&api).await).await;
}

/// Lets the answer to the next deletion get lost, once it is armed.
#[derive(Default)]
struct LosesDeletion(AtomicU8);

const ARMED: u8 = 1;
const SENT: u8 = 2;
const LOST: u8 = 3;

#[async_trait]
impl Gate for LosesDeletion {
    async fn pass(&self, bytes: &mut Vec<u8>) -> bool {
        // Of the calls of a deletion only its script names the log.
        let names_log = String::from_utf8_lossy(bytes).contains(":log");
        match self.0.load(Ordering::SeqCst) {
            ARMED if names_log => self.0.store(SENT, Ordering::SeqCst),
            SENT => {
                self.0.store(LOST, Ordering::SeqCst);
                bytes.clear();
                return false;
            }
            _ => {}
        }
        true
    }
}

#[tokio::test]
async fn a_deletion_whose_answer_was_lost_is_done() {
    let redis = RedisServer::start();
    let gate = Arc::new(LosesDeletion::default());
    let proxy = Proxy::gated(redis.port(), gate.clone()).await;
    let api = Api::on_redis(&proxy.url()).await;
    // The server knows the script from here on.
    fight(&api).await.delete().send().await.expect(204);
    let fight = fight(&api).await;
    gate.0.store(ARMED, Ordering::SeqCst);
    fight.delete().send().await.expect(204);
    assert_eq!(gate.0.load(Ordering::SeqCst), LOST);
    fight.get("").send().await.problem(404, "not_found");
}

#[tokio::test]
async fn a_full_redis_says_that_nothing_was_changed_and_why_it_is_not_ready() {
    let redis = RedisServer::start();
    let api = Api::on_redis(&redis.url()).await;
    let fight = fight(&api).await;
    redis.command(&["CONFIG", "SET", "maxmemory", "1"]);
    let detail = |problem: Value| problem["detail"].as_str().expect("a detail").to_owned();
    let refused = detail(
        fight
            .command(&note("full"))
            .send()
            .await
            .problem(503, "store_away"),
    );
    assert!(
        refused.contains("This attempt changed nothing") && !refused.contains("may have been"),
        "{refused}"
    );
    let unready = detail(api.get("/readyz").send().await.problem(503, "store_away"));
    assert!(
        unready.contains("OOM") && unready.contains(&format!(":{}", redis.port())),
        "{unready}"
    );
    fight.delete().send().await.expect(204);
    redis.command(&["CONFIG", "SET", "maxmemory", "0"]);
    api.get("/readyz").send().await.expect(200);
}
