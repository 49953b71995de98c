//! A primary that is killed and replaced, slots that move, a Redis that restarts, all under load:
//! nothing that was acknowledged is lost, nothing is applied twice. `TURNKEEPER_FAILOVER=full`
//! disturbs for longer.

use super::{Api, Client, cell};
use crate::faults::storm::Storm;
use crate::support::cluster::RedisCluster;
use crate::support::redis::{DURABLE, RedisServer};
use std::thread::sleep;
use std::time::Duration;

/// The number of disturbances.
fn rounds() -> usize {
    if std::env::var("TURNKEEPER_FAILOVER").is_ok_and(|size| size == "full") {
        6
    } else {
        1
    }
}

/// Disturbs a store while clients of two servers on it send commands.
async fn survives<S: Send + 'static>(
    url: &str,
    mut store: S,
    disturb: impl FnOnce(&mut S, &[String]) + Send + 'static,
) {
    let apis = <[Api; 2]>::from(Api::pair_on(url).await);
    // Two instances of a function take one command each: more clients would wait for each other,
    // not for the store.
    let count = if cell::event_source().is_some() {
        4
    } else {
        12
    };
    let storm = Storm::new(apis.iter().map(|api| Client::clone(api)).collect(), count).await;
    let ids: Vec<String> = storm
        .encounters
        .iter()
        .map(|encounter| encounter.id.clone())
        .collect();
    let disturbance = async {
        storm.wait_for_more(2 * count).await;
        let disturbed = tokio::task::spawn_blocking(move || {
            disturb(&mut store, &ids);
            store
        });
        let store = disturbed.await.expect("the disturbance");
        storm.wait_for_more(2 * count).await;
        store
    };
    let (sent, _store) = storm.rage(2 * count, disturbance).await;
    storm.check(&sent).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_is_killed_and_replaced_and_nothing_is_lost_or_doubled() {
    let cluster = RedisCluster::with_replicas();
    let url = cluster.url();
    let disturb = |cluster: &mut RedisCluster, _: &[String]| {
        for _ in 0..rounds() {
            let killed = cluster.kill_a_primary();
            cluster.wait_until_served();
            sleep(Duration::from_millis(500));
            cluster.servers[killed].again();
            cluster.wait_until_replicated();
        }
    };
    survives(&url, cluster, disturb).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slots_move_to_another_node_and_nothing_is_lost_or_doubled() {
    let cluster = RedisCluster::start();
    let url = cluster.url();
    let disturb = |cluster: &mut RedisCluster, ids: &[String]| {
        for round in 0..rounds() * 24 / ids.len() {
            for id in ids {
                cluster.migrate(&format!("{{turnkeeper:{id}}}"), round + 1);
            }
        }
    };
    survives(&url, cluster, disturb).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_restarts_and_nothing_is_lost_or_doubled() {
    let server = RedisServer::with(&DURABLE);
    let url = server.url();
    let disturb = |server: &mut RedisServer, _: &[String]| {
        for _ in 0..rounds() + 1 {
            server.kill();
            sleep(Duration::from_millis(200));
            server.again();
            sleep(Duration::from_millis(500));
        }
    };
    survives(&url, server, disturb).await;
}
