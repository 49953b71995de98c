//! A primary that is killed and replaced, slots that move, a Redis that restarts, all under load: nothing that was acknowledged is
//! lost, nothing is applied twice. `TURNKEEPER_FAILOVER=full` disturbs for longer. The longest spell of 503s is printed.

use super::{Answer, Api, Fight, cell, note};
use crate::support::cluster::RedisCluster;
use crate::support::redis::RedisServer;
use futures::future::join_all;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often each disturbance happens.
fn rounds() -> u32 {
    if std::env::var("TURNKEEPER_FAILOVER").is_ok_and(|size| size == "full") { 6 } else { 1 }
}

/// What one writer was told: its acknowledged notes, its longest wait from a first 503 to the next 200, and that its encounter is gone.
struct Redactions {
    notes: Vec<String>,
    longest: Duration,
    gone: Option<Answer>,
}

/// Sends one note after the other, each until it is acknowledged.
async fn write(fight: Fight<'_>, name: String, over: &AtomicBool) -> Redactions {
    let mut told = Redactions { notes: Vec::new(), longest: Duration::ZERO, gone: None };
    while !over.load(Ordering::SeqCst) {
        let text = format!("{name}.{}", told.notes.len());
        let mut refused: Option<Instant> = None;
        loop {
            let command = fight.command(&note(&text)).key(&text).header("prefer", "return=minimal");
            let answer = command.send().await;
            match answer.status {
                200 => break,
                503 => {
                    let since = *refused.get_or_insert_with(Instant::now);
                    assert!(
                        since.elapsed() < Duration::from_secs(120),
                        "it does not come back: {answer:?}\n{}",
                        fight.api.log()
                    );
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                404 => {
                    told.gone = Some(answer);
                    return told;
                }
                _ => panic!("{answer:?}"),
            }
        }
        told.longest = told.longest.max(refused.map_or(Duration::ZERO, |since| since.elapsed()));
        told.notes.push(text);
    }
    told
}

/// How often each note is in the log.
async fn logged(fight: &Fight<'_>) -> HashMap<String, u32> {
    let (mut notes, mut after) = (HashMap::new(), 0);
    loop {
        let page = fight.get(&format!("/events?limit=1000&after={after}")).send().await.json();
        for item in page["items"].as_array().expect("items") {
            after += 1;
            assert_eq!(item["version"], after, "the versions have no gap");
            let text = item["events"][0]["text"].as_str().expect("a note");
            *notes.entry(text.to_owned()).or_default() += 1;
        }
        if page["next_cursor"].is_null() {
            return notes;
        }
    }
}

/// Disturbs a store while two servers write to several encounters on it; then everything must be as the writers were told. False
/// where the store `lost` an encounter by itself: then nothing is shown.
async fn survives<S: Send + 'static>(
    what: &str, url: &str, mut store: S, disturb: impl FnOnce(&mut S, &[String]) + Send + 'static,
    lost: impl Fn(&S, &str) -> bool,
) -> bool {
    let apis = [Api::on_redis(url).await, Api::on_redis(url).await];
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
    let (store, told) = tokio::join!(disturbance, join_all(writers));
    for (fight, told) in fights.iter().zip(told.chunks(apis.len())) {
        if let Some(gone) = told.iter().find_map(|told| told.gone.as_ref()) {
            assert!(lost(&store, &fight.id), "{what}: the store has it: {gone:?}");
            return false;
        }
    }
    for (fight, told) in fights.iter().zip(told.chunks(apis.len())) {
        let logged = logged(fight).await;
        let acknowledged: Vec<&String> = told.iter().flat_map(|told| &told.notes).collect();
        let lost: Vec<_> = acknowledged.iter().filter(|note| !logged.contains_key(**note)).collect();
        assert!(lost.is_empty(), "{what}: acknowledged and lost: {lost:?}");
        let twice: Vec<_> = logged.iter().filter(|(_, times)| **times != 1).collect();
        assert!(twice.is_empty(), "{what}: applied more than once: {twice:?}");
        assert_eq!(logged.len(), acknowledged.len(), "{what}: nothing else is logged");
    }
    let count: usize = told.iter().map(|told| told.notes.len()).sum();
    let longest = told.iter().map(|told| told.longest).max().unwrap_or_default();
    assert!(count >= told.len() * 2, "{what}: only {count} commands by {} writers", told.len());
    println!(
        "{what}: {count} commands acknowledged, none lost, none twice; longest 503 spell {} ms",
        longest.as_millis()
    );
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
                cluster.wait_until_whole();
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
        for round in 0..rounds() as usize * 24 / ids.len() {
            for id in ids {
                cluster.migrate(&format!("{{turnkeeper:{id}}}"), round + 1);
            }
        }
    };
    survives("slots migrated", &url, cluster, disturb, |_, _| false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_restarts_and_nothing_is_lost_or_doubled() {
    let server = RedisServer::with(&["--appendonly", "yes", "--appendfsync", "always"]);
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
