//! A primary that is killed and replaced, slots that move, a Redis that restarts, all under load: nothing that was acknowledged is
//! lost, nothing is applied twice. `TURNKEEPER_FAILOVER=full` disturbs for longer.

use super::{Answer, Api, Fight, cell, note, text};
use crate::support::cluster::RedisCluster;
use crate::support::redis::{DURABLE, RedisServer};
use futures::future::join_all;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often each disturbance happens.
fn rounds() -> usize {
    if std::env::var("TURNKEEPER_FAILOVER").is_ok_and(|size| size == "full") { 6 } else { 1 }
}

/// What one writer was answered: its acknowledged notes, and a 404 after which it gave up.
#[derive(Default)]
struct Acknowledged {
    notes: Vec<String>,
    gone: Option<Answer>,
}

/// Sends one note after the other, each until it is acknowledged.
async fn write(fight: Fight, name: String, over: &AtomicBool) -> Acknowledged {
    let mut acknowledged = Acknowledged::default();
    while !over.load(Ordering::SeqCst) {
        let text = format!("{name}.{}", acknowledged.notes.len());
        let since = Instant::now();
        loop {
            let answer = fight.command(&note(&text)).key(&text).minimal().send().await;
            match answer.status {
                200 => break,
                404 => return Acknowledged { gone: Some(answer), ..acknowledged },
                503 => tokio::time::sleep(Duration::from_millis(20)).await,
                _ => panic!("{answer:?}"),
            }
            assert!(since.elapsed() < Duration::from_secs(120), "it does not come back: {answer:?}");
        }
        acknowledged.notes.push(text);
    }
    acknowledged
}

/// How often each note is in the log.
async fn logged(fight: &Fight) -> HashMap<String, u32> {
    let mut notes = HashMap::new();
    for (entry, expected) in fight.entries().await.iter().zip(1..) {
        assert_eq!(entry["version"], expected, "the versions have no gap");
        *notes.entry(text(&entry["events"][0]["text"])).or_default() += 1;
    }
    notes
}

/// Disturbs a store while two servers write to several encounters on it; then everything that was acknowledged must be there, once. False
/// where the store `lost` an encounter by itself: then nothing is shown.
async fn survives<S: Send + 'static>(
    what: &str, url: &str, mut store: S, disturb: impl FnOnce(&mut S, &[String]) + Send + 'static,
    lost: impl Fn(&S, &str) -> bool,
) -> bool {
    let apis = <[Api; 2]>::from(Api::pair_on(url).await);
    // Two instances of a function take one command each: more writers would wait for each other, not for the store.
    let count = if cell::front().is_some() { 4 } else { 12 };
    let fights = join_all((0..count).map(|_| apis[0].fight())).await;
    let ids: Vec<String> = fights.iter().map(|fight| fight.id.clone()).collect();
    let over = AtomicBool::new(false);
    let writers = fights.iter().enumerate().flat_map(|(i, fight)| {
        let over = &over;
        apis.iter().enumerate().map(move |(j, api)| write(fight.through(api), format!("{i}.{j}"), over))
    });
    let disturbance = async {
        let disturbed = tokio::task::spawn_blocking(move || {
            sleep(Duration::from_millis(500));
            disturb(&mut store, &ids);
            sleep(Duration::from_millis(500));
            store
        });
        let store = disturbed.await.expect("the disturbance");
        over.store(true, Ordering::SeqCst);
        store
    };
    let (store, written) = tokio::join!(disturbance, join_all(writers));
    for (fight, writers) in fights.iter().zip(written.chunks(apis.len())) {
        if let Some(gone) = writers.iter().find_map(|writer| writer.gone.as_ref()) {
            assert!(lost(&store, &fight.id), "{what}: the store has it: {gone:?}");
            return false;
        }
    }
    for (fight, writers) in fights.iter().zip(written.chunks(apis.len())) {
        let logged = logged(fight).await;
        let acknowledged: Vec<&String> = writers.iter().flat_map(|writer| &writer.notes).collect();
        let lost: Vec<_> = acknowledged.iter().filter(|note| !logged.contains_key(**note)).collect();
        assert!(lost.is_empty(), "{what}: acknowledged and lost: {lost:?}");
        let twice: Vec<_> = logged.iter().filter(|(_, times)| **times != 1).collect();
        assert!(twice.is_empty(), "{what}: applied more than once: {twice:?}");
        assert_eq!(logged.len(), acknowledged.len(), "{what}: nothing else is logged");
    }
    let count: usize = written.iter().map(|writer| writer.notes.len()).sum();
    assert!(count >= written.len() * 2, "{what}: only {count} commands by {} writers", written.len());
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_is_killed_and_replaced_and_nothing_is_lost_or_doubled() {
    // On a machine that holds its nodes up for seconds a cluster replaces primaries that nobody killed, also by replicas that have
    // nothing yet: what it loses then nobody else can keep.
    for _ in 0..3 {
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
        let lost = |cluster: &RedisCluster, id: &str| cluster.has_lost(&format!("{{turnkeeper:{id}}}:doc"));
        if survives("a primary killed and replaced", &url, cluster, disturb, lost).await {
            return;
        }
        println!("the cluster lost an encounter by itself: again, with another one");
    }
    panic!("the cluster lost encounters by itself three times");
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
    survives("slots migrated", &url, cluster, disturb, |_, _| false).await;
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
    survives("a Redis restarted", &url, server, disturb, |_, _| false).await;
}
