//! What must not grow: the document of an encounter with its log, and the memory of an idle server.

use crate::support::client::{Fight, version};
use crate::support::redis::RedisServer;
use crate::support::server::Server;
use serde_json::{Value, json};
use std::time::Duration;

async fn fight(server: &Server) -> Fight {
    let combatants: Vec<Value> =
        (0..16).map(|n| json!({"id": format!("c{n}"), "hp": {"current": 1_000_000, "max": 1_000_000}})).collect();
    server.client().create(&json!({"ruleset": "active-initiative", "combatants": combatants})).await
}

/// Sends `count` pairs of commands, the second of which takes back the first.
async fn exercise(fight: &Fight, count: usize) {
    for n in 0..count {
        for verb in ["damage", "heal"] {
            fight.accepted(json!({"type": verb, "target": format!("c{}", n % 16), "amount": 7})).await;
        }
    }
}

/// An encounter with a long log and one with a short log; both are in the same state.
async fn long_and_short_log(server: &Server) -> [Fight; 2] {
    let fights = [fight(server).await, fight(server).await];
    exercise(&fights[0], 250).await;
    exercise(&fights[1], 25).await;
    let [mut long, mut short] = [fights[0].read("").await, fights[1].read("").await];
    assert_eq!((version(&long), version(&short)), (500, 50));
    for state in [&mut long, &mut short] {
        for field in ["id", "version", "created_at"] {
            state[field] = Value::Null;
        }
    }
    assert_eq!(long, short);
    fights
}

#[tokio::test]
async fn a_long_log_makes_an_encounter_in_redis_no_larger() {
    let redis = RedisServer::start();
    let server = Server::on(&redis);
    let sizes = long_and_short_log(&server)
        .await
        .map(|fight| redis.ask::<i64>(&["HSTRLEN", &format!("{{turnkeeper:{}}}:doc", fight.id), "document"]));
    // The version itself has some digits more.
    assert!((0..8).contains(&(sizes[0] - sizes[1])), "the documents have {sizes:?} bytes");
}

#[tokio::test]
async fn the_idle_server_is_small() {
    let redis = RedisServer::start();
    for server in [Server::on(&redis), Server::embedded()] {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let idle = server.resident();
        assert!(idle < 20 * 1024, "the idle server takes {idle} KiB");
    }
}
