//! What must not grow: the document of an encounter with its log, and what an idle server takes.

use crate::support::client::version;
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn a_long_log_makes_an_encounter_in_redis_no_larger() {
    let redis = RedisServer::start();
    let server = Server::on(&redis);
    let hp = json!({"current": 1_000_000, "max": 1_000_000});
    let combatants: Vec<Value> = (0..16)
        .map(|n| json!({"id": format!("c{n}"), "hp": hp}))
        .collect();
    let (mut states, mut sizes) = (Vec::new(), Vec::new());
    for pairs in [250, 25] {
        let fight = server
            .client()
            .create(&json!({"ruleset": "active-initiative", "combatants": combatants}))
            .await;
        // The second command of each pair takes back the first, so that the state is the same in
        // the end.
        for n in 0..pairs {
            for verb in ["damage", "heal"] {
                fight
                    .accepted(json!({"type": verb, "target": format!("c{}", n % 16), "amount": 7}))
                    .await;
            }
        }
        let mut state = fight.read("").await;
        assert_eq!(version(&state), 2 * pairs);
        for field in ["id", "version", "created_at", "since"] {
            state[field].take();
        }
        states.push(state);
        sizes.push(redis.ask::<i64>(&[
            "HSTRLEN",
            &format!("{{turnkeeper:{}}}:doc", fight.id),
            "document",
        ]));
    }
    assert_eq!(states[0], states[1]);
    // The version itself has some digits more.
    assert!(
        (0..8).contains(&(sizes[0] - sizes[1])),
        "the documents have {sizes:?} bytes"
    );
}

#[tokio::test]
async fn the_idle_server_is_small_and_at_rest() {
    let redis = RedisServer::start();
    // The last one sweeps its file twice a second.
    for server in [
        Server::on(&redis),
        Server::embedded(),
        Server::with(&[("TURNKEEPER_TTL", "1s")]),
    ] {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let idle = server.resident();
        assert!(idle < 20 * 1024, "the idle server takes {idle} KiB");
        let before = server.processor_time();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let taken = server.processor_time() - before;
        assert!(
            taken < 10,
            "the idle server works for {taken} hundredths of a second"
        );
    }
}
