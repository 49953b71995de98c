//! The Redis store on a healthy Redis.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use turnkeeper::store::redis::RedisStore;
use turnkeeper::store::{Commit, Committed, NewEncounter, Notice, Store, StoreConfig, StoreError};

use super::conformance::conformance;
use super::{Stand, answered, bytes, entry, filled, logged, new, rebased, unlogged, whole_log};
use crate::support::cluster::RedisCluster;
use crate::support::redis::RedisServer;

fn stores(url: &str, count: usize, config: StoreConfig) -> Vec<Arc<dyn Store>> {
    (0..count)
        .map(|_| Arc::new(open(url, config)) as Arc<dyn Store>)
        .collect()
}

impl Stand for RedisServer {
    fn stores(&self, count: usize, config: StoreConfig) -> Vec<Arc<dyn Store>> {
        stores(&self.url(), count, config)
    }
}

impl Stand for RedisCluster {
    fn stores(&self, count: usize, config: StoreConfig) -> Vec<Arc<dyn Store>> {
        stores(&self.url(), count, config)
    }
}

pub fn open(url: &str, config: StoreConfig) -> RedisStore {
    RedisStore::open(url, None, config).expect("a usable URL")
}

/// A Redis with a store on it.
pub fn started() -> (RedisServer, RedisStore) {
    let server = RedisServer::start();
    let store = open(&server.url(), StoreConfig::default());
    (server, store)
}

conformance!(RedisServer::start());
conformance!(in everything_that_holds_for_one_redis_holds_for_a_cluster, RedisCluster::start());

fn expiry(server: &RedisServer, key: &str) -> i64 {
    server.ask(&["PTTL", key])
}

#[tokio::test]
async fn every_key_of_an_encounter_shares_its_hash_tag_and_its_expiry() {
    let server = RedisServer::start();
    let ttl = Duration::from_secs(1000);
    let store = open(
        &server.url(),
        StoreConfig {
            ttl: Some(ttl),
            ..StoreConfig::default()
        },
    );
    filled(&store, "e", 2).await;
    assert_eq!(
        store
            .commit("e", answered(logged(3, "v3", 3), 1, "a"))
            .await
            .unwrap(),
        Committed::Done
    );
    let keys = server.keys();
    let answers = keys.first().expect("a key").clone();
    assert!(
        ["answers0", "answers1"]
            .map(|part| format!("{{turnkeeper:e}}:{part}"))
            .contains(&answers),
        "{answers}"
    );
    assert_eq!(
        keys[1..],
        ["doc", "log"].map(|part| format!("{{turnkeeper:e}}:{part}"))
    );
    // A 64th longer, so that most commits need not renew them.
    let expiries: Vec<i64> = keys.iter().map(|key| expiry(&server, key)).collect();
    for expiry in &expiries {
        assert!((990_000..=1_015_700).contains(expiry), "{expiries:?}");
    }
    // Without a time to live, the next commit makes all keys persistent but the answers.
    let lasting = open(
        &server.url(),
        StoreConfig {
            ttl: None,
            ..StoreConfig::default()
        },
    );
    assert_eq!(
        lasting.commit("e", unlogged(4, "v3")).await.unwrap(),
        Committed::Done
    );
    for key in &keys[1..] {
        assert_eq!(expiry(&server, key), -1, "{key}");
    }
    let day = 24 * 60 * 60 * 1000;
    assert!(
        (day - 10_000..=2 * day).contains(&expiry(&server, &answers)),
        "{}",
        expiry(&server, &answers)
    );
}

#[tokio::test]
async fn every_expiry_is_renewed_before_the_time_to_live_is_over() {
    let server = RedisServer::start();
    let ttl = Duration::from_millis(3200);
    let store = open(
        &server.url(),
        StoreConfig {
            ttl: Some(ttl),
            ..StoreConfig::default()
        },
    );
    filled(&store, "e", 0).await;
    for version in 1..=60 {
        let commit = answered(logged(version, "v", version), version as u8, "a");
        let commit = if version % 3 == 0 {
            logged(version, "v", version)
        } else {
            commit
        };
        let before = std::time::Instant::now();
        assert_eq!(store.commit("e", commit).await.unwrap(), Committed::Done);
        for key in server.keys() {
            let left = expiry(&server, &key);
            let least = 3_195 - before.elapsed().as_millis() as i64;
            assert!((least..=3_251).contains(&left), "{key}: {left}");
        }
        tokio::time::sleep(Duration::from_millis(7)).await;
    }
}

#[tokio::test]
async fn deleting_leaves_no_key_behind() {
    let (server, store) = started();
    filled(&store, "e", 2).await;
    let commit = rebased(answered(logged(3, "v3", 3), 1, "a"), 1, "v1");
    assert_eq!(store.commit("e", commit).await.unwrap(), Committed::Done);
    assert_eq!(server.keys().len(), 3);
    store.delete("e").await.unwrap();
    assert_eq!(server.keys(), [""; 0]);
    store
        .create(
            "e",
            NewEncounter {
                application: Some("table".to_owned()),
                ..new("v0")
            },
        )
        .await
        .unwrap();
    assert_eq!(
        server.keys(),
        ["turnkeeper:application:table", "{turnkeeper:e}:doc"]
    );
    store.delete("e").await.unwrap();
    assert_eq!(server.keys(), [""; 0]);
}

#[tokio::test]
async fn a_list_that_nobody_reads_does_not_keep_what_has_expired() {
    let server = RedisServer::start();
    let ttl = Some(Duration::from_millis(60));
    let store = open(
        &server.url(),
        StoreConfig {
            ttl,
            ..StoreConfig::default()
        },
    );
    for n in 0..1500 {
        let application = Some("table".to_owned());
        store
            .create(
                &format!("e{n}"),
                NewEncounter {
                    application,
                    ..new("v0")
                },
            )
            .await
            .unwrap();
    }
    let places: usize = server.ask(&["ZCARD", "turnkeeper:application:table"]);
    assert!(
        places < 1000,
        "{places} places are kept of 1500 encounters of which few are there"
    );
    let listing = store.list("table", None, 10, 1 << 20).await.unwrap();
    assert!(listing.items.len() <= 10);
}

#[tokio::test]
async fn answers_that_are_too_old_are_gone() {
    let server = RedisServer::start();
    let store = open(
        &server.url(),
        StoreConfig {
            ttl: None,
            answers: Duration::from_millis(300),
        },
    );
    store.create("e", new("v0")).await.unwrap();
    for n in 1..=5 {
        assert_eq!(
            store
                .commit("e", answered(unlogged(n, "v0"), n as u8, "a"))
                .await
                .unwrap(),
            Committed::Done
        );
    }
    let kept = |part: &str| -> i64 { server.ask(&["HLEN", &format!("{{turnkeeper:e}}:{part}")]) };
    assert_eq!(kept("answers0") + kept("answers1"), 5);
    tokio::time::sleep(Duration::from_millis(650)).await;
    assert_eq!(server.keys(), ["{turnkeeper:e}:doc"]);
    assert_eq!(
        store
            .commit("e", answered(unlogged(6, "v0"), 9, "a"))
            .await
            .unwrap(),
        Committed::Done
    );
    assert_eq!(kept("answers0") + kept("answers1"), 1);
}

#[tokio::test]
async fn a_server_that_forgot_the_scripts_is_given_them_again() {
    let (server, store) = started();
    filled(&store, "e", 1).await;
    for version in 2..5 {
        server.command(&["SCRIPT", "FLUSH"]);
        assert_eq!(
            store
                .commit("e", logged(version, "v", version))
                .await
                .unwrap(),
            Committed::Done
        );
        server.command(&["SCRIPT", "FLUSH"]);
        assert_eq!(store.load("e", None, None).await.unwrap().version, version);
    }
}

#[tokio::test]
async fn what_another_program_wrote_is_called_unreadable() {
    let (server, store) = started();
    server.command(&["SET", "{turnkeeper:string}:doc", "mine"]);
    assert!(matches!(
        store.load("string", None, None).await,
        Err(StoreError::Corrupt(_))
    ));
    assert!(matches!(
        store.create("string", new("v0")).await,
        Err(StoreError::Corrupt(_))
    ));
    server.command(&[
        "HSET",
        "{turnkeeper:word}:doc",
        "revision",
        "one",
        "version",
        "1",
    ]);
    assert!(matches!(
        store.load("word", None, None).await,
        Err(StoreError::Corrupt(_))
    ));
    server.command(&["HDEL", "{turnkeeper:word}:doc", "revision"]);
    server.command(&["HSET", "{turnkeeper:word}:doc", "layout", "1"]);
    assert!(matches!(
        store.base("word").await,
        Err(StoreError::Corrupt(_))
    ));
    server.command(&["SET", "turnkeeper:salt", "short"]);
    assert!(matches!(store.salt().await, Err(StoreError::Corrupt(_))));
}

#[tokio::test]
async fn an_evicted_log_ends_at_the_newest_version_and_begins_anew_with_the_next_commit() {
    let server = RedisServer::start();
    let store = open(
        &server.url(),
        StoreConfig {
            ttl: Some(Duration::from_secs(1000)),
            ..StoreConfig::default()
        },
    );
    let (log, gone) = ("{turnkeeper:e}:log", ["DEL", "{turnkeeper:e}:log"]);
    let gap = ["XDEL", log, "2-0"];
    for (id, lost, logs) in [
        ("whole", &gone[..], true),
        ("part", &gap[..], true),
        ("token", &gone[..], false),
    ] {
        store.delete("e").await.ok();
        filled(&store, "e", 3).await;
        server.command(lost);
        let page = store
            .log("e", 1, 10, 1000)
            .await
            .expect("a page of what is there");
        assert_eq!(
            (page.base_version, page.version, page.entries.len()),
            (3, 3, 0),
            "{id}"
        );
        let base = store.base("e").await.expect("a base");
        assert_eq!((base.version, &base.document[..]), (3, &b"v3"[..]), "{id}");
        let next = if logs {
            logged(4, "v4", 4)
        } else {
            unlogged(4, "v3")
        };
        // A base that was decided on while the log was there is not there any more.
        let next = if logs { rebased(next, 2, "v2") } else { next };
        let entry_bytes = next.entry.as_ref().map_or(0, |entry| entry.bytes.len());
        assert_eq!(
            store.commit("e", next).await.expect("an answer"),
            Committed::Anew,
            "{id}"
        );
        let found = store.load("e", None, None).await.expect("an encounter");
        assert_eq!(found.log_bytes, entry_bytes as u64, "{id}");
        let base = store.base("e").await.expect("a base");
        assert_eq!((base.version, &base.document[..]), (3, &b"v3"[..]), "{id}");
        assert_eq!(
            whole_log(&store, "e", 3).await.len(),
            usize::from(logs),
            "{id}"
        );
        let version = if logs { 5 } else { 4 };
        assert_eq!(
            store
                .commit("e", logged(5, "v", version))
                .await
                .expect("an answer"),
            Committed::Done,
            "{id}"
        );
        assert_eq!(
            whole_log(&store, "e", 3).await.len() as u64,
            version - 3,
            "{id}"
        );
        assert!(
            expiry(&server, log) > 900_000,
            "{id}: {}",
            expiry(&server, log)
        );
    }
}

#[tokio::test]
async fn what_another_layout_holds_is_refused_and_stays_as_it_is() {
    let server = RedisServer::start();
    let store = open(&server.url(), StoreConfig::default());
    filled(&store, "e", 2).await;
    assert!(store.ready().await.is_ok());
    let doc = "{turnkeeper:e}:doc";
    server.command(&["HSET", doc, "layout", "7"]);
    server.command(&["SET", "turnkeeper:layout", "8"]);
    let dump = || {
        let log = server.ask::<u64>(&["XLEN", "{turnkeeper:e}:log"]);
        (server.ask::<Vec<String>>(&["HGETALL", doc]), log)
    };
    let before = dump();
    let refused = [
        store.load("e", None, None).await.err(),
        store.load("e", Some(1), None).await.err(),
        store.commit("e", logged(3, "v3", 3)).await.err(),
        store.log("e", 0, 9, 1000).await.err(),
        store.base("e").await.err(),
        store.create("e", new("other")).await.err(),
        store.delete("e").await.err(),
    ];
    for error in refused {
        assert!(matches!(error, Some(StoreError::Foreign(7))), "{error:?}");
    }
    let error = store.ready().await.err();
    assert!(matches!(error, Some(StoreError::Foreign(8))), "{error:?}");
    assert_eq!(dump(), before);
}

/// A Redis with a login that may do everything, and a store that uses it.
fn logged_in() -> (RedisServer, RedisStore) {
    let server = RedisServer::start();
    server.command(&[
        "ACL", "SETUSER", "table", "on", ">word", "~*", "&*", "+@all",
    ]);
    let store = open(
        &format!("redis://table:word@127.0.0.1:{}", server.port()),
        StoreConfig::default(),
    );
    (server, store)
}

#[tokio::test]
async fn a_login_that_gets_a_right_back_goes_on_where_it_stopped() {
    let (server, store) = logged_in();
    for entries in [0, 2] {
        store.delete("e").await.ok();
        filled(&store, "e", entries).await;
        server.command(&["ACL", "SETUSER", "table", "-hset"]);
        for _ in 0..2 {
            let refused = store
                .commit("e", logged(entries + 1, "lost", entries + 1))
                .await;
            assert!(
                matches!(refused, Err(StoreError::Unavailable(_))),
                "{refused:?}"
            );
        }
        assert_eq!(
            whole_log(&store, "e", 0).await.len() as u64,
            entries,
            "what is above the version is not read"
        );
        server.command(&["ACL", "SETUSER", "table", "+hset"]);
        for version in entries + 1..entries + 3 {
            let committed = store
                .commit("e", logged(version, &format!("v{version}"), version))
                .await;
            assert_eq!(committed.expect("the right is back"), Committed::Done);
        }
        assert_eq!(
            whole_log(&store, "e", 0).await.len() as u64,
            entries + 2,
            "no entry is lost or doubled"
        );
        assert_eq!(store.base("e").await.expect("a base").version, 0);
    }
}

#[tokio::test]
async fn a_login_that_lacks_a_right_at_a_new_base_doubles_nothing_and_keeps_the_log() {
    let (server, store) = logged_in();
    for right in ["hsetnx", "xtrim"] {
        store.delete("e").await.ok();
        filled(&store, "e", 4).await;
        let write = answered(rebased(logged(5, "v5", 5), 3, "v3"), 1, "a");
        server.command(&["ACL", "SETUSER", "table", &format!("-{right}")]);
        let refused = store.commit("e", write.clone()).await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))));
        server.command(&["ACL", "SETUSER", "table", "+@all"]);
        let again = store
            .commit(
                "e",
                Commit {
                    revision: 99,
                    ..write
                },
            )
            .await;
        assert_eq!(again.unwrap(), Committed::Replayed(bytes("a")), "{right}");
        let log = whole_log(&store, "e", 0).await;
        assert_eq!(log, (1..=5).map(entry).collect::<Vec<_>>(), "{right}");
        let next = rebased(logged(6, "v6", 6), 3, "v3");
        assert_eq!(store.commit("e", next).await.unwrap(), Committed::Done);
        let log = whole_log(&store, "e", 3).await;
        assert_eq!(log, (4..=6).map(entry).collect::<Vec<_>>(), "{right}");
        let first = store.create("e", new("other")).await.unwrap();
        assert_eq!(first, Some(bytes("v0")), "{right}");
    }
}

#[tokio::test]
async fn a_log_that_a_login_may_not_begin_anew_is_read_as_lost() {
    let (server, store) = logged_in();
    for right in ["hset", "hsetnx", "xadd", "xtrim"] {
        store.delete("e").await.ok();
        filled(&store, "e", 3).await;
        server.command(&["DEL", "{turnkeeper:e}:log"]);
        server.command(&["ACL", "SETUSER", "table", &format!("-{right}")]);
        let refused = store.commit("e", logged(4, "v4", 4)).await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))));
        let page = store.log("e", 0, 10, 1000).await.unwrap();
        assert_eq!(
            (page.base_version, page.version, page.entries),
            (3, 3, vec![]),
            "{right}"
        );
        let base = store.base("e").await.unwrap();
        assert_eq!((base.version, base.document), (3, bytes("v3")), "{right}");
        server.command(&["ACL", "SETUSER", "table", "+@all"]);
        let next = store.commit("e", logged(4, "v4", 4)).await.unwrap();
        // After a refused XADD an empty log may already be a new one.
        assert!(matches!(next, Committed::Anew | Committed::Done), "{right}");
        assert_eq!(whole_log(&store, "e", 3).await, [entry(4)], "{right}");
    }
}

#[tokio::test]
async fn a_log_that_was_half_written_anew_goes_with_its_encounter() {
    let (server, store) = logged_in();
    filled(&store, "e", 2).await;
    for (lacks, has) in [("-hset", "+hset"), ("-rename", "+rename")] {
        server.command(&["ACL", "SETUSER", "table", lacks]);
        let refused = store.commit("e", logged(3, "v3", 3)).await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))));
        server.command(&["ACL", "SETUSER", "table", has]);
    }
    store.delete("e").await.unwrap();
    assert_eq!(server.keys(), [""; 0]);
}

/// What the store says of why it is not ready.
async fn not_ready(store: &dyn Store) -> String {
    store
        .ready()
        .await
        .expect_err("it is not ready")
        .to_string()
}

#[tokio::test]
async fn a_store_that_takes_no_writes_is_not_ready_and_says_why() {
    let (server, store) = logged_in();
    store.ready().await.expect("a store that is ready");
    assert_eq!(server.keys(), ["turnkeeper:layout"]);
    let address = format!("127.0.0.1:{}", server.port());
    let wrong = async |code: &str| {
        let reason = not_ready(&store).await;
        assert!(
            reason.contains(code) && reason.contains(&address),
            "{reason}"
        );
        reason
    };
    for right in ["hset", "xadd", "xtrim", "pexpire", "unlink", "rename"] {
        server.command(&["ACL", "SETUSER", "table", &format!("-{right}")]);
        let reason = wrong("NOPERM").await;
        assert!(reason.contains(&right.to_uppercase()), "{reason}");
        server.command(&["ACL", "SETUSER", "table", "+@all"]);
    }
    server.command(&["CONFIG", "SET", "maxmemory", "1"]);
    wrong("OOM").await;
    let refused = store.create("full", new("v0")).await;
    assert!(
        matches!(refused, Err(StoreError::Refused(_))),
        "{refused:?}"
    );
    server.command(&["CONFIG", "SET", "maxmemory", "0"]);
    // A folder where its snapshot belongs.
    let folder: Vec<String> = server.ask(&["CONFIG", "GET", "dir"]);
    std::fs::create_dir(std::path::Path::new(&folder[1]).join("dump.rdb")).expect("a folder");
    server.command(&["CONFIG", "SET", "save", "3600 1"]);
    server.command(&["BGSAVE"]);
    let failed = async || {
        server
            .ask::<String>(&["INFO", "persistence"])
            .contains("rdb_last_bgsave_status:err")
    };
    super::eventually("the snapshot fails", failed).await;
    wrong("MISCONF").await;
    server.command(&["CONFIG", "SET", "save", ""]);
    store.ready().await.expect("a store that is ready again");
}

#[tokio::test]
async fn the_primary_of_a_cluster_that_takes_no_writes_is_named() {
    let cluster = RedisCluster::start();
    let store = open(&cluster.url(), StoreConfig::default());
    store.ready().await.expect("a store that is ready");
    for server in &cluster.servers {
        server.command(&["CONFIG", "SET", "maxmemory", "1"]);
        let reason = not_ready(&store).await;
        assert!(
            reason.contains("OOM") && reason.contains(&format!(":{}", server.port())),
            "{reason}"
        );
        server.command(&["CONFIG", "SET", "maxmemory", "0"]);
    }
    store.ready().await.expect("a store that is ready again");
}

#[tokio::test]
async fn an_evicted_document_leaves_nothing_to_a_namesake() {
    let (server, store) = started();
    filled(&store, "e", 2).await;
    assert_eq!(
        store
            .commit("e", answered(logged(3, "v3", 3), 1, "a"))
            .await
            .unwrap(),
        Committed::Done
    );
    server.command(&["DEL", "{turnkeeper:e}:doc"]);
    filled(&store, "e", 1).await;
    assert_eq!(
        store.load("e", None, Some(&[1; 32])).await.unwrap().answer,
        None
    );
    assert_eq!(whole_log(&store, "e", 0).await.len(), 1);
}

#[tokio::test]
async fn two_databases_of_one_server_are_two_stores() {
    let server = RedisServer::start();
    let zero = open(&server.url(), StoreConfig::default());
    let three = open(&format!("{}/3", server.url()), StoreConfig::default());
    filled(&zero, "e", 1).await;
    filled(&three, "e", 2).await;
    assert_eq!(zero.load("e", None, None).await.unwrap().version, 1);
    assert_eq!(three.load("e", None, None).await.unwrap().version, 2);
}

#[tokio::test]
async fn a_password_is_used_and_a_wrong_one_is_a_store_that_is_away() {
    let server = RedisServer::start();
    server.command(&["CONFIG", "SET", "requirepass", "secret"]);
    let right = open(
        &format!("redis://:secret@127.0.0.1:{}", server.port()),
        StoreConfig::default(),
    );
    filled(&right, "e", 1).await;
    for url in [
        server.url(),
        format!("redis://:wrong@127.0.0.1:{}", server.port()),
    ] {
        let refused = open(&url, StoreConfig::default())
            .load("e", None, None)
            .await;
        assert!(
            matches!(refused, Err(StoreError::Unavailable(_))),
            "{refused:?}"
        );
    }
}

/// A certificate authority, and a server certificate by it for 127.0.0.1, in the server's
/// directory.
fn certificates(directory: &std::path::Path) {
    let script = "
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=authority' -keyout ca.key -out ca.crt
        openssl req -newkey rsa:2048 -nodes -subj '/CN=redis' -keyout redis.key -out redis.csr
        printf 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth,clientAuth' > ext
        openssl x509 -req -in redis.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out redis.crt";
    let made = Command::new("sh")
        .args(["-ec", script])
        .current_dir(directory)
        .output()
        .expect("a shell");
    assert!(
        made.status.success(),
        "openssl: {} (run tests/setup first)",
        String::from_utf8_lossy(&made.stderr)
    );
}

#[tokio::test]
async fn tls_is_spoken_and_a_stranger_is_not_trusted() {
    let keys = tempfile::TempDir::new().unwrap();
    certificates(keys.path());
    let path = |name: &str| keys.path().join(name).display().to_string();
    let port = crate::support::redis::free_port().to_string();
    let (cert, key, ca) = (path("redis.crt"), path("redis.key"), path("ca.crt"));
    let settings = [
        "--tls-port",
        &port,
        "--tls-cert-file",
        &cert,
        "--tls-key-file",
        &key,
        "--tls-ca-cert-file",
        &ca,
    ];
    let _server = RedisServer::on(port.parse().unwrap(), &settings);
    let url = format!("rediss://127.0.0.1:{port}");
    let certificates = redis::TlsCertificates {
        client_tls: Some(redis::ClientTlsConfig {
            client_cert: std::fs::read(&cert).unwrap(),
            client_key: std::fs::read(&key).unwrap(),
        }),
        root_cert: Some(std::fs::read(&ca).unwrap()),
    };
    let store = RedisStore::open(&url, Some(certificates), StoreConfig::default()).unwrap();
    let mut notices = store.notices();
    filled(&store, "e", 3).await;
    assert_eq!(whole_log(&store, "e", 0).await.len(), 3);
    tokio::time::timeout(Duration::from_secs(5), notices.recv())
        .await
        .expect("a subscription over TLS")
        .unwrap();
    let distrustful = open(&url, StoreConfig::default())
        .load("e", None, None)
        .await;
    assert!(
        matches!(distrustful, Err(StoreError::Unavailable(_))),
        "{distrustful:?}"
    );
}

#[tokio::test]
async fn no_more_of_a_list_is_read_than_a_page_holds() {
    let (server, store) = started();
    for n in 0..40 {
        let new = NewEncounter {
            application: Some("table".to_owned()),
            ..new(&"x".repeat(100_000))
        };
        store.create(&format!("e{n}"), new).await.unwrap();
    }
    let sent = || server.stat("stats", "total_net_output_bytes:");
    let before = sent();
    let page = store.list("table", None, 40, 250_000).await.unwrap();
    let read = sent() - before;
    assert_eq!((page.items.len(), page.next.is_some()), (2, true));
    assert!(read < 300_000, "{read} bytes for a page of 250,000");
}

#[tokio::test]
async fn a_message_that_no_store_has_written_may_mean_anything() {
    let (server, store) = started();
    let mut notices = store.notices();
    let heard = async |message: &str, notices: &mut tokio::sync::broadcast::Receiver<Notice>| {
        server.command(&["PUBLISH", "turnkeeper:commits", message]);
        let notice = tokio::time::timeout(Duration::from_secs(5), notices.recv()).await;
        notice.expect("a notice in time").expect("a notice")
    };
    let begun = tokio::time::timeout(Duration::from_secs(5), notices.recv()).await;
    assert_eq!(
        begun.expect("a subscription in time").expect("a notice"),
        Notice::Resync
    );
    for (message, notice) in [
        (
            "e 7",
            Notice::Committed {
                id: "e".into(),
                version: 7,
            },
        ),
        ("e -", Notice::Deleted { id: "e".into() }),
        ("e seven", Notice::Resync),
        ("e ", Notice::Resync),
        ("nonsense", Notice::Resync),
    ] {
        assert_eq!(heard(message, &mut notices).await, notice, "{message}");
    }
}
