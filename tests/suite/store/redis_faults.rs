//! Faults of Redis: the store returns an error within 2 seconds, and recovers by itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use turnkeeper::store::redis::RedisStore;
use turnkeeper::store::{Committed, Notice, Store, StoreConfig, StoreError};

use super::redis::{open, started};
use super::{answered, bytes, eventually, filled, logged, new, unlogged, whole_log};
use crate::support::cluster::RedisCluster;
use crate::support::proxy::Proxy;
use crate::support::redis::{DURABLE, RedisServer};

const TIME_LIMIT: Duration = Duration::from_secs(2);

async fn away<T: std::fmt::Debug>(what: &str, call: impl Future<Output = Result<T, StoreError>>) {
    let start = Instant::now();
    let answer = tokio::time::timeout(Duration::from_secs(20), call)
        .await
        .expect("an answer at all");
    assert!(
        start.elapsed() < TIME_LIMIT,
        "{what} took {:?}",
        start.elapsed()
    );
    assert!(
        matches!(
            answer,
            Err(StoreError::Unavailable(_) | StoreError::Refused(_))
        ),
        "{what}: {answer:?}"
    );
}

/// Every call fails in time, one after the other and many at once.
async fn everything_is_away(store: &RedisStore) {
    away("load", store.load("e", None, None)).await;
    away("commit", store.commit("e", logged(1, "lost", 1))).await;
    away("ready", store.ready()).await;
    for _ in 0..2 {
        let loads = (0..50).map(|_| away("one of many loads", store.load("e", None, None)));
        let commits = (0..50).map(|_| {
            away(
                "one of many commits",
                store.commit("e", unlogged(99, "lost")),
            )
        });
        tokio::join!(
            futures::future::join_all(loads),
            futures::future::join_all(commits),
            away("create", store.create("lost", new("lost"))),
            away("log", store.log("e", 0, 1, 1)),
            away("base", store.base("e")),
            away("delete", store.delete("e")),
            away("salt", store.salt()),
            away("ready", store.ready()),
        );
    }
}

/// Everything works within 2 seconds after Redis is back.
async fn recovers(store: &RedisStore) {
    let start = Instant::now();
    while let Err(error) = store.ready().await {
        assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
        assert!(
            start.elapsed() < TIME_LIMIT,
            "not back after {:?}: {error}",
            start.elapsed()
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    filled(store, "after", 3).await;
    assert_eq!(whole_log(store, "after", 0).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_is_not_there_yet_is_waited_for() {
    let mut server = RedisServer::not_started();
    let store = open(&server.url(), StoreConfig::default());
    everything_is_away(&store).await;
    server.again();
    recovers(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_redis_is_away_until_it_is_back() {
    let (mut server, store) = started();
    filled(&store, "e", 1).await;
    server.kill();
    everything_is_away(&store).await;
    server.again();
    recovers(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_redis_is_away_until_it_goes_on() {
    let (server, store) = started();
    filled(&store, "e", 1).await;
    server.pause();
    everything_is_away(&store).await;
    server.resume();
    recovers(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_redis_is_away_until_it_goes_on() {
    let (server, store) = started();
    filled(&store, "e", 1).await;
    // The pause also delays the command that would end it.
    let end = Instant::now() + Duration::from_secs(9);
    server.command(&["CLIENT", "PAUSE", "9000", "ALL"]);
    everything_is_away(&store).await;
    tokio::time::sleep_until(end.into()).await;
    recovers(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_never_answers_is_away() {
    // A server that accepts every connection and never answers, and an address reserved for
    // documentation.
    let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = mute.local_addr().unwrap().port();
    everything_is_away(&open(
        &format!("redis://127.0.0.1:{port}"),
        StoreConfig::default(),
    ))
    .await;
    everything_is_away(&open("redis://192.0.2.1:6379", StoreConfig::default())).await;
    everything_is_away(&open(
        "redis://no-such-host.invalid:6379",
        StoreConfig::default(),
    ))
    .await;
    let cluster = format!("redis://127.0.0.1:{port},redis://192.0.2.1:6379");
    everything_is_away(&open(&cluster, StoreConfig::default())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_between_two_calls_is_not_noticed() {
    let mut server = RedisServer::with(&DURABLE);
    let store = open(&server.url(), StoreConfig::default());
    filled(&store, "e", 1).await;
    for version in 2..6 {
        server.restart();
        let committed = store
            .commit("e", logged(version, &format!("v{version}"), version))
            .await;
        assert_eq!(
            committed.expect("the first call after a restart"),
            Committed::Done
        );
        server.restart();
        let loaded = store
            .load("e", None, None)
            .await
            .expect("the first call after a restart");
        assert_eq!(loaded.version, version);
    }
    assert_eq!(whole_log(&store, "e", 0).await.len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_go_on_over_broken_connections_and_repeat_nothing() {
    let server = RedisServer::start();
    let store = Arc::new(open(&server.url(), StoreConfig::default()));
    filled(&*store, "e", 0).await;
    let writer = tokio::spawn({
        let store = store.clone();
        async move {
            for version in 1..=2000 {
                // A connection may break twice in a row; then only a read shows the outcome.
                loop {
                    match store
                        .commit("e", logged(version, &format!("v{version}"), version))
                        .await
                    {
                        Ok(Committed::Done) => break,
                        Ok(other) => panic!("{other:?}"),
                        Err(error) => {
                            assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
                            if store.load("e", None, None).await.unwrap().version == version {
                                break;
                            }
                        }
                    }
                }
            }
        }
    });
    while !writer.is_finished() {
        server.command(&["CLIENT", "KILL", "TYPE", "normal"]);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    writer.await.unwrap();
    assert_eq!(whole_log(&*store, "e", 0).await.len(), 2000);
    assert_eq!(store.load("e", None, None).await.unwrap().revision, 2001);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_answer_was_lost_is_done_and_done_once() {
    let server = RedisServer::start();
    let proxy = Proxy::before(&server).await;
    let store = open(&proxy.url(), StoreConfig::default());
    store.ready().await.unwrap();
    // Every script is known to the server, so that a call has one answer.
    filled(&store, "warm", 1).await;

    proxy.swallow_the_next_answer();
    assert_eq!(store.create("e", new("v0")).await.unwrap(), None);
    assert!(proxy.swallowed());
    let writes = [
        (logged(1, "v1", 1), 1),
        (unlogged(2, "v1"), 1),
        (answered(logged(3, "v2", 2), 1, "a"), 2),
        (answered(unlogged(4, "v2"), 2, "b"), 2),
    ];
    for (revision, (commit, version)) in (2..).zip(writes) {
        proxy.swallow_the_next_answer();
        assert_eq!(
            store.commit("e", commit).await.unwrap(),
            Committed::Done,
            "revision {revision}"
        );
        assert!(proxy.swallowed());
        let encounter = store.load("e", None, None).await.unwrap();
        assert_eq!((encounter.revision, encounter.version), (revision, version));
    }
    assert_eq!(whole_log(&store, "e", 0).await.len(), 2);
    // The same write by another store is not taken for ours.
    let other = open(&server.url(), StoreConfig::default());
    assert!(matches!(
        other.commit("e", unlogged(4, "v2")).await.unwrap(),
        Committed::Conflict(_)
    ));
    assert!(matches!(
        other.commit("e", logged(3, "v2", 2)).await.unwrap(),
        Committed::Conflict(_)
    ));
    let replayed = other
        .commit("e", answered(unlogged(4, "v2"), 2, "b"))
        .await
        .unwrap();
    assert_eq!(replayed, Committed::Replayed(bytes("b")));
}

/// Redis may have lost what the write was decided on, and get it back from a write that is sent
/// again. The first attempt is applied then, should it arrive late.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conflict_of_a_second_attempt_is_told_only_if_redis_is_past_the_write() {
    let server = RedisServer::start();
    let proxy = Proxy::before(&server).await;
    let store = open(&proxy.url(), StoreConfig::default());
    filled(&store, "e", 2).await;
    let twice = async |commit| {
        proxy.swallow_the_next_answer();
        let committed = store.commit("e", commit).await;
        assert!(proxy.swallowed());
        committed
    };
    let past = twice(logged(2, "another second", 2)).await;
    assert!(matches!(past, Ok(Committed::Conflict(_))), "{past:?}");
    for (what, commit) in [
        ("of a lost write", logged(9, "third", 3)),
        ("without a version", unlogged(2, "a token")),
    ] {
        let again = twice(commit.clone()).await;
        assert!(
            matches!(again, Err(StoreError::Unavailable(_))),
            "{what}: {again:?}"
        );
        let once = store.commit("e", commit).await;
        assert!(
            matches!(once, Ok(Committed::Conflict(_))),
            "{what}: {once:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_refuses_is_away_and_nothing_is_half_written() {
    let (server, store) = started();
    filled(&store, "e", 2).await;
    let refuses = async |how: &[&str], back: &[&str]| {
        server.command(how);
        away(
            &how.join(" "),
            store.commit("e", answered(logged(3, "v3", 3), 1, "a")),
        )
        .await;
        away(&how.join(" "), store.create("f", new("v0"))).await;
        server.command(back);
        let encounter = store.load("e", None, Some(&[1; 32])).await.unwrap();
        assert_eq!(
            (encounter.revision, encounter.version, encounter.answer),
            (3, 2, None),
            "{how:?}"
        );
        assert_eq!(whole_log(&store, "e", 0).await.len(), 2, "{how:?}");
    };
    refuses(
        &["CONFIG", "SET", "maxmemory", "1"],
        &["CONFIG", "SET", "maxmemory", "0"],
    )
    .await;
    refuses(
        &["CONFIG", "SET", "min-replicas-to-write", "1"],
        &["CONFIG", "SET", "min-replicas-to-write", "0"],
    )
    .await;
    refuses(
        &["REPLICAOF", "127.0.0.1", "1"],
        &["REPLICAOF", "NO", "ONE"],
    )
    .await;
    server.command(&["CONFIG", "SET", "replica-serve-stale-data", "no"]);
    server.command(&["REPLICAOF", "127.0.0.1", "1"]);
    everything_is_away(&store).await;
    server.command(&["REPLICAOF", "NO", "ONE"]);
    recovers(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_that_became_a_replica_is_left_for_the_one_behind_its_name() {
    let servers = [RedisServer::start(), RedisServer::start()];
    let proxy = Proxy::before(&servers[0]).await;
    let store = open(&proxy.url(), StoreConfig::default());
    filled(&store, "e", 1).await;
    for (version, (old, new)) in (2..).zip([(0, 1), (1, 0), (0, 1)]) {
        let (old, new) = (&servers[old], &servers[new]);
        new.command(&["REPLICAOF", "127.0.0.1", &old.port().to_string()]);
        eventually("the replica has it all", async || {
            new.ask::<String>(&["INFO", "replication"])
                .contains("master_link_status:up")
        })
        .await;
        new.command(&["REPLICAOF", "NO", "ONE"]);
        old.command(&["REPLICAOF", "127.0.0.1", &new.port().to_string()]);
        if version != 3 {
            // While the name leads to the replica, the store cannot be written.
            away("ready", store.ready()).await;
        }
        proxy.lead_to(new.port());
        let committed = store
            .commit("e", logged(version, &format!("v{version}"), version))
            .await;
        assert_eq!(
            committed.expect("the first call after the name was moved"),
            Committed::Done
        );
        store.ready().await.expect("a primary");
        assert_eq!(whole_log(&store, "e", 0).await.len() as u64, version);
    }
}

/// How often the server was asked this since `CONFIG RESETSTAT`.
fn calls(server: &RedisServer, command: &str) -> usize {
    let stats = server.ask::<String>(&["INFO", "commandstats"]);
    let calls = stats
        .split(&format!("cmdstat_{command}:calls="))
        .nth(1)
        .and_then(|rest| rest.split(',').next());
    calls.map_or(0, |calls| calls.parse().expect("a number"))
}

#[tokio::test]
async fn what_redis_refuses_is_sent_once_and_costs_no_connection() {
    let server = RedisServer::start();
    let proxy = Proxy::before(&server).await;
    let store = open(&proxy.url(), StoreConfig::default());
    // The script is known from here on.
    filled(&store, "e", 1).await;
    server.command(&["SET", "{turnkeeper:string}:doc", "mine"]);
    server.command(&["CONFIG", "RESETSTAT"]);
    assert!(matches!(
        store.create("string", new("v0")).await,
        Err(StoreError::Corrupt(_))
    ));
    store
        .load("e", None, None)
        .await
        .expect("the same connection");
    assert_eq!(
        (
            calls(&server, "evalsha"),
            calls(&server, "eval"),
            proxy.made()
        ),
        (1, 0, 1)
    );
}

#[tokio::test]
async fn a_slow_answer_is_waited_for_on_a_connection_that_was_just_used() {
    let server = RedisServer::start();
    let proxy = Proxy::before(&server).await;
    let store = open(&proxy.url(), StoreConfig::default());
    filled(&store, "e", 1).await;
    server.command(&["CLIENT", "PAUSE", "500", "ALL"]);
    assert_eq!(
        store
            .load("e", None, None)
            .await
            .expect("an answer after the pause")
            .version,
        1
    );
    assert_eq!(proxy.made(), 1);
}

#[tokio::test]
async fn a_connection_that_has_gone_silent_costs_one_call_and_none_where_it_was_idle() {
    let server = RedisServer::start();
    let proxy = Proxy::before(&server).await;
    let store = open(&proxy.url(), StoreConfig::default());
    filled(&store, "e", 1).await;
    proxy.forget();
    away("the call that finds out", store.load("e", None, None)).await;
    store.load("e", None, None).await.expect("a new connection");
    proxy.forget();
    tokio::time::sleep(Duration::from_millis(2100)).await;
    let asked = Instant::now();
    store
        .load("e", None, None)
        .await
        .expect("a new connection at once");
    assert!(
        asked.elapsed() < Duration::from_millis(800),
        "{:?}",
        asked.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_of_a_cluster_that_is_taken_for_a_single_server_says_what_is_missing() {
    let cluster = RedisCluster::start();
    let store = open(&cluster.servers[0].url(), StoreConfig::default());
    let mut refusals = Vec::new();
    for id in 0..20 {
        refusals.extend(store.create(&id.to_string(), new("v0")).await.err());
    }
    let named = |error: &StoreError| matches!(error, StoreError::Unavailable(reason) if reason.contains("?cluster=true"));
    assert!(
        !refusals.is_empty() && refusals.iter().all(named),
        "{refusals:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_read_again_after_every_break() {
    let (mut server, store) = started();
    let mut notices = store.notices();
    let mut second = store.notices();
    let next = async |notices: &mut tokio::sync::broadcast::Receiver<Notice>| {
        tokio::time::timeout(Duration::from_secs(5), notices.recv())
            .await
            .expect("a notice in time")
            .unwrap()
    };
    assert_eq!(next(&mut notices).await, Notice::Resync);
    // The second follower may have missed the first notice.
    let _ = second.try_recv();
    for id in ["one", "two"] {
        filled(&store, id, 1).await;
        assert_eq!(
            next(&mut notices).await,
            Notice::Committed {
                id: id.into(),
                version: 1
            }
        );
        server.kill();
        tokio::time::sleep(Duration::from_millis(300)).await;
        server.again();
        assert_eq!(next(&mut notices).await, Notice::Resync);
        server.command(&["CLIENT", "KILL", "TYPE", "pubsub"]);
        assert_eq!(next(&mut notices).await, Notice::Resync);
    }
    let mut heard = 0;
    while second.try_recv().is_ok() {
        heard += 1;
    }
    assert_eq!(heard, 6, "both followers hear the same");
    let subscribers: Vec<redis::Value> = server.ask(&["PUBSUB", "NUMSUB", "turnkeeper:commits"]);
    assert_eq!(
        subscribers[1],
        redis::Value::Int(1),
        "one subscription for all followers"
    );
    drop(store);
    eventually("the subscription ends with the store", async || {
        server
            .ask::<Vec<String>>(&["PUBSUB", "CHANNELS"])
            .is_empty()
    })
    .await;
}
