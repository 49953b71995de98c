//! The conformance suite: what every store must do.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use turnkeeper::store::{Committed, NewEncounter, Notice, Store, StoreConfig, StoreError};

pub use super::answers::*;
pub use super::lists::*;
pub use super::revisions::*;
pub use super::scripts::*;
use super::{Stand, answered, bytes, eventually, logged, new, unlogged, whole_log};

/// Makes a test of each check on a stand of its own, or one test of all checks on one stand.
macro_rules! conformance {
    ($(in $test:ident,)? $stand:expr) => {
        $crate::store::conformance::conformance! { @($(in $test,)? $stand)
            only_one_of_many_creators_creates
            calls_are_answered_as_written
            a_commit_is_compared_with_the_newest_write_and_with_no_other
            the_bytes_of_a_log_are_kept_as_the_newest_write_says
            one_key_used_at_once_by_many_is_applied_once
            an_answer_is_forgotten_after_its_time
            an_answer_of_the_span_before_is_found
            an_applications_encounters_are_listed_newest_first_in_pages
            what_is_deleted_or_expired_vanishes_from_the_list
            a_creation_that_is_repeated_is_listed_once
            many_creators_are_all_listed
            a_page_of_a_list_ends_after_so_many_bytes
            a_bucket_grants_its_quota_once_in_a_window
            a_bucket_that_many_take_from_is_never_exceeded
            an_idle_encounter_expires_and_commits_renew_it
            many_writers_lose_and_repeat_nothing
            the_salt_is_the_same_for_all
            commits_and_deletions_are_noticed
            any_id_and_any_bytes_are_kept
            a_store_that_works_is_ready
        }
    };
    (@($stand:expr) $($check:ident)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $check() {
                $crate::store::conformance::$check(&$stand, "e").await;
            }
        )*
    };
    (@(in $test:ident, $stand:expr) $($check:ident)*) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $test() {
            let stand = $stand;
            $( $crate::store::conformance::$check(&stand, stringify!($check)).await; )*
        }
    };
}

pub(super) use conformance;

pub const KEPT: StoreConfig = StoreConfig {
    ttl: None,
    answers: Duration::from_secs(24 * 60 * 60),
};

pub async fn only_one_of_many_creators_creates(stand: &impl Stand, id: &str) {
    let stores = stand.stores(4, KEPT);
    let creations = (0..32).map(|n| {
        let (store, id) = (stores[n % 4].clone(), id.to_owned());
        tokio::spawn(async move { (n, store.create(&id, new(&format!("by {n}"))).await.unwrap()) })
    });
    let results: Vec<_> = futures::future::join_all(creations)
        .await
        .into_iter()
        .map(|done| done.unwrap())
        .collect();
    let creators: Vec<_> = results
        .iter()
        .filter(|(_, created)| created.is_none())
        .collect();
    assert_eq!(creators.len(), 1, "{creators:?}");
    let kept = bytes(&format!("by {}", creators[0].0));
    for (_, created) in &results {
        assert!(created.as_ref().is_none_or(|first| *first == kept));
    }
}

pub async fn one_key_used_at_once_by_many_is_applied_once(stand: &impl Stand, id: &str) {
    let stores = stand.stores(2, KEPT);
    stores[0].create(id, new("v0")).await.unwrap();
    let attempts = (0..40).map(|n| {
        let (store, id) = (stores[n % 2].clone(), id.to_owned());
        tokio::spawn(async move {
            let commit = answered(logged(1, &format!("by {n}"), 1), 5, &format!("answer {n}"));
            (n, store.commit(&id, commit).await.unwrap())
        })
    });
    let results: Vec<_> = futures::future::join_all(attempts)
        .await
        .into_iter()
        .map(|done| done.unwrap())
        .collect();
    let winners: Vec<_> = results
        .iter()
        .filter(|(_, result)| *result == Committed::Done)
        .collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    let answer = bytes(&format!("answer {}", winners[0].0));
    let replayed = results
        .iter()
        .filter(|(_, result)| *result == Committed::Replayed(answer.clone()))
        .count();
    assert_eq!(replayed, 39);
    assert_eq!(whole_log(&*stores[1], id, 0).await.len(), 1);
}

pub async fn an_answer_is_forgotten_after_its_time(stand: &impl Stand, id: &str) {
    let store = stand.store(StoreConfig {
        ttl: None,
        answers: Duration::from_millis(600),
    });
    store.create(id, new("v0")).await.unwrap();
    let start = Instant::now();
    assert_eq!(
        store
            .commit(id, answered(logged(1, "v1", 1), 7, "first"))
            .await
            .unwrap(),
        Committed::Done
    );
    eventually("the answer is forgotten", async || {
        store
            .load(id, None, Some(&[7; 32]))
            .await
            .unwrap()
            .answer
            .is_none()
    })
    .await;
    assert!(
        start.elapsed() >= Duration::from_millis(550),
        "after {:?}",
        start.elapsed()
    );
    assert_eq!(
        store
            .commit(id, answered(logged(2, "v2", 2), 7, "again"))
            .await
            .unwrap(),
        Committed::Done
    );
    assert_eq!(
        store.load(id, None, Some(&[7; 32])).await.unwrap().answer,
        Some(bytes("again"))
    );
    // The sweep of the first answer must not remove the second one.
    tokio::time::sleep(Duration::from_millis(350)).await;
    let commit = answered(logged(3, "v3", 3), 8, "another");
    assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
    assert_eq!(
        store.load(id, None, Some(&[8; 32])).await.unwrap().answer,
        Some(bytes("another"))
    );
}

pub async fn an_idle_encounter_expires_and_commits_renew_it(stand: &impl Stand, id: &str) {
    let ttl = Duration::from_millis(1500);
    let store = stand.store(StoreConfig {
        ttl: Some(ttl),
        ..StoreConfig::default()
    });
    store.create(id, new("v0")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert_eq!(
        store
            .commit(id, answered(logged(1, "v1", 1), 1, "a"))
            .await
            .unwrap(),
        Committed::Done
    );
    let renewed = Instant::now();
    tokio::time::sleep(Duration::from_millis(900)).await;
    let encounter = store.load(id, None, Some(&[1; 32])).await.unwrap();
    assert_eq!(
        (encounter.version, encounter.answer),
        (1, Some(bytes("a"))),
        "the commit renewed it"
    );
    eventually("it expires although it is read", async || {
        matches!(store.load(id, None, None).await, Err(StoreError::Missing))
    })
    .await;
    let idle = renewed.elapsed();
    assert!(
        idle >= ttl - Duration::from_millis(100) && idle < 2 * ttl,
        "after {idle:?}"
    );
    assert!(matches!(
        store.log(id, 0, 1, 1).await,
        Err(StoreError::Missing)
    ));
    assert!(matches!(store.base(id).await, Err(StoreError::Missing)));
    assert!(matches!(
        store.commit(id, logged(2, "v2", 2)).await,
        Err(StoreError::Missing)
    ));
    assert!(matches!(store.delete(id).await, Err(StoreError::Missing)));
    assert_eq!(store.create(id, new("fresh")).await.unwrap(), None);
    assert_eq!(
        store.commit(id, logged(1, "v1", 1)).await.unwrap(),
        Committed::Done
    );
    assert_eq!(
        store.load(id, None, Some(&[1; 32])).await.unwrap().answer,
        None
    );
}

/// Adds one line to the document and the same as a log entry, until it is accepted.
async fn append(store: &dyn Store, id: &str, line: &str) {
    let mut newest = store.load(id, None, None).await.unwrap();
    loop {
        let document =
            String::from_utf8(newest.document.expect("a document").to_vec()).unwrap() + line + "\n";
        let mut commit = logged(newest.revision, &document, newest.version + 1);
        if let Some(entry) = &mut commit.entry {
            entry.bytes = bytes(line);
        }
        match store.commit(id, commit).await.unwrap() {
            Committed::Done => return,
            Committed::Conflict(found) => newest = found,
            other => panic!("{other:?}"),
        }
    }
}

pub async fn many_writers_lose_and_repeat_nothing(stand: &impl Stand, id: &str) {
    let stores = stand.stores(2, StoreConfig::default());
    stores[0].create(id, new("")).await.unwrap();
    let writers = (0..16).map(|writer| {
        let (store, id): (Arc<dyn Store>, _) = (stores[writer % 2].clone(), id.to_owned());
        tokio::spawn(async move {
            for line in 0..12 {
                append(&*store, &id, &format!("{writer}/{line}")).await;
            }
        })
    });
    for writer in futures::future::join_all(writers).await {
        writer.unwrap();
    }
    let log = whole_log(&*stores[1], id, 0).await;
    let versions: Vec<u64> = log.iter().map(|entry| entry.version).collect();
    assert_eq!(versions, (1..=16 * 12).collect::<Vec<_>>());
    let lines: Vec<String> = log
        .iter()
        .map(|entry| String::from_utf8(entry.bytes.to_vec()).unwrap())
        .collect();
    assert_eq!(
        lines.iter().collect::<BTreeSet<_>>().len(),
        16 * 12,
        "each line once"
    );
    let encounter = stores[0].load(id, None, None).await.unwrap();
    assert_eq!(
        (encounter.revision, encounter.version),
        (1 + 16 * 12, 16 * 12)
    );
    assert_eq!(
        encounter.document,
        Some(bytes(&(lines.join("\n") + "\n"))),
        "the document is the fold of the log"
    );
}

pub async fn the_salt_is_the_same_for_all(stand: &impl Stand, _id: &str) {
    let stores = stand.stores(4, KEPT);
    let salts = futures::future::join_all(stores.iter().map(|store| store.salt())).await;
    let first = *salts[0].as_ref().unwrap();
    assert_ne!(first, [0; 32]);
    for salt in salts {
        assert_eq!(salt.unwrap(), first);
    }
    assert_eq!(stores[3].salt().await.unwrap(), first);
}

pub async fn commits_and_deletions_are_noticed(stand: &impl Stand, id: &str) {
    let stores = stand.stores(2, KEPT);
    let mut notices = stores[1].notices();
    stores[0].create(id, new("v0")).await.unwrap();
    // A subscription may begin with a Resync, and what was committed before that is not announced.
    let mut revision = 1;
    let mut heard = None;
    while heard.is_none() {
        assert_eq!(
            stores[0]
                .commit(id, unlogged(revision, "v0"))
                .await
                .unwrap(),
            Committed::Done
        );
        revision += 1;
        heard = match tokio::time::timeout(Duration::from_millis(100), notices.recv()).await {
            Ok(Ok(Notice::Resync)) | Err(_) => None,
            Ok(notice) => Some(notice.unwrap()),
        };
        assert!(revision < 100, "nothing is heard");
    }
    assert_eq!(
        heard,
        Some(Notice::Committed {
            id: id.into(),
            version: 0
        })
    );
    assert_eq!(
        stores[0]
            .commit(id, logged(revision, "v1", 1))
            .await
            .unwrap(),
        Committed::Done
    );
    assert!(matches!(
        stores[1].commit(id, unlogged(1, "lost")).await.unwrap(),
        Committed::Conflict(_)
    ));
    assert_eq!(
        stores[1]
            .commit(id, logged(revision + 1, "v2", 2))
            .await
            .unwrap(),
        Committed::Done
    );
    stores[0].delete(id).await.unwrap();
    assert!(matches!(
        stores[0].delete(id).await,
        Err(StoreError::Missing)
    ));
    let mut rest = Vec::new();
    while rest.last() != Some(&Notice::Deleted { id: id.into() }) {
        let notice = tokio::time::timeout(Duration::from_secs(5), notices.recv()).await;
        rest.push(notice.expect("a notice in time").unwrap());
    }
    rest.retain(|notice| !matches!(notice, Notice::Committed { version: 0, .. }));
    let committed = |version| Notice::Committed {
        id: id.into(),
        version,
    };
    assert_eq!(
        rest,
        [
            committed(1),
            committed(2),
            Notice::Deleted { id: id.into() }
        ]
    );
    let more = tokio::time::timeout(Duration::from_millis(100), notices.recv()).await;
    assert!(more.is_err(), "nothing else happened: {more:?}");
}

pub async fn any_id_and_any_bytes_are_kept(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    let every_byte: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let long = "x".repeat(500);
    let ids = [
        "", " ", "}", "{}", "a}:log", "a", "a b -", "ünï", "\u{0}\n", "*", &long,
    ];
    for (n, strange) in ids.iter().enumerate() {
        let strange = format!("{strange}{id}");
        let strange = if n == 0 { "" } else { &strange };
        let document: bytes::Bytes = every_byte[n..].to_vec().into();
        let created = store.create(
            strange,
            NewEncounter {
                document: document.clone(),
                ..new("")
            },
        );
        assert_eq!(created.await.unwrap(), None, "{strange:?}");
        let mut commit = logged(1, "", 1);
        commit.document = document.clone();
        commit.entry.as_mut().unwrap().bytes = document.clone();
        commit.answer = Some(([n as u8; 32], document.clone()));
        assert_eq!(
            store.commit(strange, commit).await.unwrap(),
            Committed::Done
        );
        let encounter = store
            .load(strange, None, Some(&[n as u8; 32]))
            .await
            .unwrap();
        assert!(
            encounter.document.as_ref() == Some(&document),
            "{strange:?}"
        );
        assert!(encounter.answer.as_ref() == Some(&document), "{strange:?}");
        assert!(
            whole_log(&*store, strange, 0).await[0].bytes == document,
            "{strange:?}"
        );
        store.delete(strange).await.unwrap();
    }
}

pub async fn a_store_that_works_is_ready(stand: &impl Stand, _id: &str) {
    let store = stand.store(KEPT);
    store.ready().await.unwrap();
}
