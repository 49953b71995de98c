//! Several servers on one Redis, and a Redis that is away.

use super::cell::{self, Servers};
use super::{Api, Fight, note};
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_server_that_remembers_an_older_state_decides_on_the_newest() {
    let redis = cell::some_redis();
    let (a, b) = (Api::on_redis(&redis.url).await, Api::on_redis(&redis.url).await);
    let here = a.fight().await;
    let there = here.through(&b);
    there.accepted(json!({"type": "start", "first": "chansi"})).await;
    let refused = here.command(&json!({"type": "start", "first": "chansi"})).send().await;
    assert_eq!(refused.status, 409, "refused on what b did: {refused:?}");
    there.accepted(json!({"type": "end_turn", "combatant": "chansi", "next": "valiant", "begin": true})).await;
    let end =
        here.accepted(json!({"type": "end_turn", "combatant": "valiant", "next": "brakkus", "begin": true})).await;
    assert_eq!(end.json()["version"], 3, "accepted on what b did");
    let stale = there.command(&note("x")).header("if-match", "\"2\"").send().await.problem(412, "stale_version");
    assert_eq!(stale["current_version"], 3);
    assert_eq!(here.command(&note("x")).header("if-match", "\"3\"").send().await.status, 200);
    assert_eq!(there.get("").send().await.json(), here.get("").send().await.json());
    assert_eq!(a.call("DELETE", &here.path("")).token(&here.token).send().await.status, 204);
    there.command(&note("x")).send().await.problem(404, "not_found");
    there.get("").send().await.problem(404, "not_found");
}

#[tokio::test]
async fn many_writers_through_two_servers_lose_nothing() {
    let redis = cell::some_redis();
    let (a, b) = (Api::on_redis(&redis.url).await, Api::on_redis(&redis.url).await);
    let fight = a.fight().await;
    let there = fight.through(&b);
    let writers = (0..32).map(|i| {
        let fight = if i % 2 == 0 { fight.clone() } else { there.clone() };
        async move {
            let mut accepted = 0;
            for n in 0..10 {
                let answer = fight.command(&note(&format!("{i}.{n}"))).header("prefer", "return=minimal").send().await;
                match answer.status {
                    200 => accepted += 1,
                    503 => drop(answer.problem(503, "contended")),
                    _ => panic!("{answer:?}"),
                }
            }
            accepted
        }
    });
    let accepted: u64 = futures::future::join_all(writers).await.into_iter().sum();
    assert_eq!(fight.log().await, (1..=accepted).collect::<Vec<_>>());
    assert!(accepted > 200, "{accepted} of 320");
}

/// Waits until it can be written again.
async fn comes_back(fight: &Fight<'_>) {
    let back = async {
        while fight.command(&note("after")).send().await.status != 200 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), back).await.expect("it comes back by itself");
}

#[tokio::test]
async fn a_store_that_is_away_is_a_503_within_seconds_and_comes_back() {
    let redis = Servers::own();
    let api = Api::on_redis(&redis.url).await;
    let fight = api.fight().await;
    fight.accepted(note("before")).await;
    redis.pause();
    let started = Instant::now();
    let (write, read) = tokio::join!(fight.command(&note("x")).send(), fight.get("").send());
    for answer in [&write, &read] {
        answer.problem(503, "store_away");
        assert_eq!(answer.header("retry-after"), "1");
    }
    assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
    assert_eq!(api.get("/livez").send().await.status, 200);
    redis.resume();
    comes_back(&fight).await;
    assert_eq!(api.get("/readyz").send().await.status, 200);
}

#[tokio::test]
async fn a_store_that_is_away_is_as_short_a_503_for_many_at_once() {
    let redis = Servers::own();
    let api = Api::on_redis(&redis.url).await;
    let fight = api.fight().await;
    redis.pause();
    let started = Instant::now();
    let commands = (0..20).map(|_| fight.command(&note("x")).send());
    let (commands, create, ready, live) = tokio::join!(
        futures::future::join_all(commands),
        api.post("/v1/encounters", &super::ambush()).send(),
        api.get("/readyz").send(),
        api.get("/livez").send()
    );
    for answer in commands.iter().chain([&create, &ready]) {
        answer.problem(503, "store_away");
    }
    assert_eq!(live.status, 200);
    assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
    redis.resume();
    comes_back(&fight).await;
}

#[tokio::test]
async fn a_server_starts_while_its_store_is_away() {
    let mut redis = Servers::own();
    redis.kill();
    let api = Api::on_redis(&redis.url).await;
    api.get("/readyz").send().await.problem(503, "store_away");
    api.post("/v1/encounters", &super::ambush()).send().await.problem(503, "store_away");
    assert_eq!(api.get("/v1/rulesets").send().await.status, 200);
    redis.again();
    tokio::time::timeout(Duration::from_secs(10), async {
        while api.post("/v1/encounters", &super::ambush()).send().await.status != 201 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await
    .expect("it is found when it comes");
    assert_eq!(api.get("/readyz").send().await.status, 200);
}
