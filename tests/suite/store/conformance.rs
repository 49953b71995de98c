//! The conformance suite: what every store must do.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use turnkeeper::store::{Committed, NewEncounter, Notice, Store, StoreConfig, StoreError};

pub use super::answers::*;
pub use super::lists::*;
pub use super::revisions::*;
use super::{Stand, answered, bytes, entry, eventually, filled, imported, logged, new, rebased, unlogged, whole_log};

/// Makes a test of each check on a stand of its own, or one test of all checks on one stand.
macro_rules! conformance {
    ($(in $test:ident,)? $stand:expr) => {
        $crate::store::conformance::conformance! { @($(in $test,)? $stand)
            a_new_encounter_is_loaded_as_it_was_created
            creating_twice_keeps_the_first
            an_imported_log_is_there_from_its_base_on_and_goes_on
            only_one_of_many_creators_creates
            an_unknown_encounter_is_missing_everywhere
            a_known_revision_is_not_sent_again
            a_commit_without_an_entry_makes_a_revision_and_no_version
            a_commit_is_compared_with_the_newest_write_and_with_no_other
            a_commit_against_an_old_revision_conflicts_and_shows_the_newest
            a_recorded_answer_wins_over_a_conflict
            one_key_used_at_once_by_many_is_applied_once
            an_answer_is_forgotten_after_its_time
            an_answer_of_the_span_before_is_found
            an_entry_that_does_not_follow_is_refused_whole
            the_log_is_paged_by_entries_and_by_bytes
            a_rebase_replaces_the_base_and_drops_what_it_folds
            a_rebase_out_of_range_is_refused_whole
            deleting_removes_everything
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

pub const KEPT: StoreConfig = StoreConfig { ttl: None, answers: Duration::from_secs(24 * 60 * 60) };

pub async fn a_new_encounter_is_loaded_as_it_was_created(stand: &impl Stand, id: &str) {
    let store = stand.store(StoreConfig::default());
    assert_eq!(store.create(id, new("v0")).await.unwrap(), None);
    let encounter = store.load(id, None, None).await.unwrap();
    assert_eq!((encounter.revision, encounter.version), (1, 0));
    assert_eq!((encounter.document, encounter.answer), (Some(bytes("v0")), None));
    let base = store.base(id).await.unwrap();
    assert_eq!((base.version, base.document), (0, bytes("v0")));
    let page = store.log(id, 0, 10, 1000).await.unwrap();
    assert_eq!((page.base_version, page.version, page.entries.len()), (0, 0, 0));
}

pub async fn creating_twice_keeps_the_first(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 3).await;
    assert_eq!(store.create(id, new("other")).await.unwrap(), Some(bytes("v0")));
    let commit = rebased(logged(4, "v4", 4), 4, "v4");
    assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
    let commit = rebased(logged(5, "v5", 5), 5, "v5");
    assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
    assert_eq!(store.create(id, new("other")).await.unwrap(), Some(bytes("v0")));
    assert_eq!(store.load(id, None, None).await.unwrap().document, Some(bytes("v5")));
}

pub async fn only_one_of_many_creators_creates(stand: &impl Stand, id: &str) {
    let stores = stand.stores(4, KEPT);
    let creations = (0..32).map(|n| {
        let (store, id) = (stores[n % 4].clone(), id.to_owned());
        tokio::spawn(async move { (n, store.create(&id, new(&format!("by {n}"))).await.unwrap()) })
    });
    let results: Vec<_> = futures::future::join_all(creations).await.into_iter().map(|done| done.unwrap()).collect();
    let creators: Vec<_> = results.iter().filter(|(_, created)| created.is_none()).collect();
    assert_eq!(creators.len(), 1, "{creators:?}");
    let kept = bytes(&format!("by {}", creators[0].0));
    for (_, created) in &results {
        assert!(created.as_ref().is_none_or(|first| *first == kept));
    }
}

pub async fn an_unknown_encounter_is_missing_everywhere(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    assert!(matches!(store.load(id, None, None).await, Err(StoreError::Missing)));
    assert!(matches!(store.load(id, Some(1), Some(&[1; 32])).await, Err(StoreError::Missing)));
    assert!(matches!(store.commit(id, answered(logged(1, "v1", 1), 1, "a")).await, Err(StoreError::Missing)));
    assert!(matches!(store.log(id, 0, 1, 1).await, Err(StoreError::Missing)));
    assert!(matches!(store.base(id).await, Err(StoreError::Missing)));
    assert!(matches!(store.delete(id).await, Err(StoreError::Missing)));
    assert!(matches!(store.load(id, None, None).await, Err(StoreError::Missing)));
}

pub async fn a_recorded_answer_wins_over_a_conflict(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    store.create(id, new("v0")).await.unwrap();
    assert_eq!(store.commit(id, answered(logged(1, "v1", 1), 7, "first")).await.unwrap(), Committed::Done);
    // The key was used, whatever the revision.
    for commit in [logged(1, "v1", 1), logged(2, "v2", 2), unlogged(2, "v2")] {
        let replayed = store.commit(id, answered(commit, 7, "second")).await.unwrap();
        assert_eq!(replayed, Committed::Replayed(bytes("first")));
    }
    let encounter = store.load(id, Some(2), Some(&[7; 32])).await.unwrap();
    assert_eq!((encounter.revision, encounter.answer), (2, Some(bytes("first"))));
    assert_eq!(store.load(id, None, Some(&[8; 32])).await.unwrap().answer, None);
    assert_eq!(store.commit(id, answered(logged(2, "v2", 2), 8, "other")).await.unwrap(), Committed::Done);
    assert_eq!(store.load(id, None, Some(&[7; 32])).await.unwrap().answer, Some(bytes("first")));
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
    let results: Vec<_> = futures::future::join_all(attempts).await.into_iter().map(|done| done.unwrap()).collect();
    let winners: Vec<_> = results.iter().filter(|(_, result)| *result == Committed::Done).collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    let answer = bytes(&format!("answer {}", winners[0].0));
    let replayed = results.iter().filter(|(_, result)| *result == Committed::Replayed(answer.clone())).count();
    assert_eq!(replayed, 39);
    assert_eq!(whole_log(&*stores[1], id, 0).await.len(), 1);
}

pub async fn an_answer_is_forgotten_after_its_time(stand: &impl Stand, id: &str) {
    let store = stand.store(StoreConfig { ttl: None, answers: Duration::from_millis(600) });
    store.create(id, new("v0")).await.unwrap();
    let start = Instant::now();
    assert_eq!(store.commit(id, answered(logged(1, "v1", 1), 7, "first")).await.unwrap(), Committed::Done);
    eventually("the answer is forgotten", async || {
        store.load(id, None, Some(&[7; 32])).await.unwrap().answer.is_none()
    })
    .await;
    assert!(start.elapsed() >= Duration::from_millis(550), "after {:?}", start.elapsed());
    assert_eq!(store.commit(id, answered(logged(2, "v2", 2), 7, "again")).await.unwrap(), Committed::Done);
    assert_eq!(store.load(id, None, Some(&[7; 32])).await.unwrap().answer, Some(bytes("again")));
    // The sweep of the first answer must not remove the second one.
    tokio::time::sleep(Duration::from_millis(350)).await;
    let commit = answered(logged(3, "v3", 3), 8, "another");
    assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
    assert_eq!(store.load(id, None, Some(&[8; 32])).await.unwrap().answer, Some(bytes("another")));
}

pub async fn an_entry_that_does_not_follow_is_refused_whole(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 2).await;
    for version in [0, 1, 2, 4, u64::MAX] {
        let refused = store.commit(id, answered(logged(3, "wrong", version), 1, "a")).await;
        assert!(matches!(refused, Err(StoreError::Corrupt(_))), "entry {version}: {refused:?}");
    }
    let encounter = store.load(id, None, Some(&[1; 32])).await.unwrap();
    assert_eq!((encounter.revision, encounter.version, encounter.answer), (3, 2, None));
    assert_eq!(encounter.document, Some(bytes("v2")));
    assert_eq!(whole_log(&*store, id, 0).await.len(), 2);
    assert_eq!(store.commit(id, logged(3, "v3", 3)).await.unwrap(), Committed::Done);
}

pub async fn the_log_is_paged_by_entries_and_by_bytes(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 150).await;
    let versions = async |after, limit, max_bytes| {
        let page = store.log(id, after, limit, max_bytes).await.unwrap();
        assert_eq!((page.base_version, page.version), (0, 150));
        for entry in &page.entries {
            assert_eq!(entry.bytes, bytes(&format!("entry {}", entry.version)));
        }
        page.entries.iter().map(|entry| entry.version).collect::<Vec<_>>()
    };
    assert_eq!(versions(0, 3, 1000).await, [1, 2, 3]);
    assert_eq!(versions(148, 10, 1000).await, [149, 150]);
    assert_eq!(versions(0, 1000, 1 << 20).await, (1..=150).collect::<Vec<_>>());
    assert_eq!(versions(3, 130, 1 << 20).await, (4..=133).collect::<Vec<_>>());
    // "entry 1" has 7 bytes.
    assert_eq!(versions(0, 10, 21).await, [1, 2, 3]);
    assert_eq!(versions(0, 10, 20).await, [1, 2]);
    assert_eq!(versions(0, 10, 0).await, [1]);
    for (after, limit) in [(150, 10), (151, 10), (u64::MAX, 10), (0, 0)] {
        assert_eq!(versions(after, limit, 1000).await, [0; 0], "after {after}, limit {limit}");
    }
}

pub async fn a_rebase_replaces_the_base_and_drops_what_it_folds(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 5).await;
    assert_eq!(store.commit(id, rebased(logged(6, "v6", 6), 4, "v4")).await.unwrap(), Committed::Done);
    let base = store.base(id).await.unwrap();
    assert_eq!((base.version, base.document), (4, bytes("v4")));
    for after in [0, 3, 4] {
        let page = store.log(id, after, 10, 1000).await.unwrap();
        assert_eq!((page.base_version, page.version), (4, 6));
        assert_eq!(page.entries.iter().map(|entry| entry.version).collect::<Vec<_>>(), [5, 6], "after {after}");
    }
    // A rebase to the newest version, without an entry; the log goes on from there.
    assert_eq!(store.commit(id, rebased(unlogged(7, "v6"), 6, "v6")).await.unwrap(), Committed::Done);
    let page = store.log(id, 0, 10, 1000).await.unwrap();
    assert_eq!((page.base_version, page.version, page.entries.len()), (6, 6, 0));
    assert_eq!(store.commit(id, logged(8, "v7", 7)).await.unwrap(), Committed::Done);
    assert_eq!(whole_log(&*store, id, 0).await.first().map(|entry| entry.version), Some(7));
}

pub async fn a_rebase_out_of_range_is_refused_whole(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 5).await;
    assert_eq!(store.commit(id, rebased(unlogged(6, "v5"), 3, "v3")).await.unwrap(), Committed::Done);
    for commit in
        [rebased(unlogged(7, "x"), 2, "x"), rebased(unlogged(7, "x"), 6, "x"), rebased(logged(7, "x", 6), 7, "x")]
    {
        assert!(matches!(store.commit(id, commit).await, Err(StoreError::Corrupt(_))));
    }
    assert_eq!(store.load(id, None, None).await.unwrap().revision, 7);
    assert_eq!(store.base(id).await.unwrap().version, 3);
    assert_eq!(whole_log(&*store, id, 0).await.len(), 2);
}

pub async fn deleting_removes_everything(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 3).await;
    filled(&*store, &format!("{id}2"), 1).await;
    let commit = rebased(answered(logged(4, "v4", 4), 1, "a"), 2, "v2");
    assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
    store.delete(id).await.unwrap();
    assert!(matches!(store.load(id, None, Some(&[1; 32])).await, Err(StoreError::Missing)));
    assert!(matches!(store.log(id, 0, 1, 1).await, Err(StoreError::Missing)));
    assert!(matches!(store.base(id).await, Err(StoreError::Missing)));
    assert!(matches!(store.commit(id, answered(logged(5, "v5", 5), 1, "b")).await, Err(StoreError::Missing)));
    assert!(matches!(store.delete(id).await, Err(StoreError::Missing)));
    // A new encounter with the same id inherits nothing.
    assert_eq!(store.create(id, new("fresh")).await.unwrap(), None);
    let fresh = store.load(id, None, Some(&[1; 32])).await.unwrap();
    assert_eq!((fresh.revision, fresh.version, fresh.answer), (1, 0, None));
    assert_eq!(whole_log(&*store, id, 0).await, []);
    assert_eq!(store.base(id).await.unwrap().document, bytes("fresh"));
    assert_eq!(store.create(id, new("other")).await.unwrap(), Some(bytes("fresh")));
    assert_eq!(store.commit(id, logged(1, "v1", 1)).await.unwrap(), Committed::Done);
    assert_eq!(store.load(&format!("{id}2"), None, None).await.unwrap().version, 1);
}

pub async fn an_idle_encounter_expires_and_commits_renew_it(stand: &impl Stand, id: &str) {
    let ttl = Duration::from_millis(1500);
    let store = stand.store(StoreConfig { ttl: Some(ttl), ..StoreConfig::default() });
    store.create(id, new("v0")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert_eq!(store.commit(id, answered(logged(1, "v1", 1), 1, "a")).await.unwrap(), Committed::Done);
    let renewed = Instant::now();
    tokio::time::sleep(Duration::from_millis(900)).await;
    let encounter = store.load(id, None, Some(&[1; 32])).await.unwrap();
    assert_eq!((encounter.version, encounter.answer), (1, Some(bytes("a"))), "the commit renewed it");
    eventually("it expires although it is read", async || {
        matches!(store.load(id, None, None).await, Err(StoreError::Missing))
    })
    .await;
    let idle = renewed.elapsed();
    assert!(idle >= ttl - Duration::from_millis(100) && idle < 2 * ttl, "after {idle:?}");
    assert!(matches!(store.log(id, 0, 1, 1).await, Err(StoreError::Missing)));
    assert!(matches!(store.base(id).await, Err(StoreError::Missing)));
    assert!(matches!(store.commit(id, logged(2, "v2", 2)).await, Err(StoreError::Missing)));
    assert!(matches!(store.delete(id).await, Err(StoreError::Missing)));
    assert_eq!(store.create(id, new("fresh")).await.unwrap(), None);
    assert_eq!(store.commit(id, logged(1, "v1", 1)).await.unwrap(), Committed::Done);
    assert_eq!(store.load(id, None, Some(&[1; 32])).await.unwrap().answer, None);
}

/// Adds one line to the document and the same as a log entry, until it is accepted.
async fn append(store: &dyn Store, id: &str, line: &str) {
    let mut newest = store.load(id, None, None).await.unwrap();
    loop {
        let document = String::from_utf8(newest.document.expect("a document").to_vec()).unwrap() + line + "\n";
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
    let lines: Vec<String> = log.iter().map(|entry| String::from_utf8(entry.bytes.to_vec()).unwrap()).collect();
    assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), 16 * 12, "each line once");
    let encounter = stores[0].load(id, None, None).await.unwrap();
    assert_eq!((encounter.revision, encounter.version), (1 + 16 * 12, 16 * 12));
    assert_eq!(encounter.document, Some(bytes(&(lines.join("\n") + "\n"))), "the document is the fold of the log");
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
    let mut notices = stores[1].commits();
    stores[0].create(id, new("v0")).await.unwrap();
    // A subscription may begin with a Resync, and what was committed before that is not announced.
    let mut revision = 1;
    let mut heard = None;
    while heard.is_none() {
        assert_eq!(stores[0].commit(id, unlogged(revision, "v0")).await.unwrap(), Committed::Done);
        revision += 1;
        heard = match tokio::time::timeout(Duration::from_millis(100), notices.recv()).await {
            Ok(Ok(Notice::Resync)) | Err(_) => None,
            Ok(notice) => Some(notice.unwrap()),
        };
        assert!(revision < 100, "nothing is heard");
    }
    assert_eq!(heard, Some(Notice::Committed { id: id.into(), version: 0 }));
    assert_eq!(stores[0].commit(id, logged(revision, "v1", 1)).await.unwrap(), Committed::Done);
    assert!(matches!(stores[1].commit(id, unlogged(1, "lost")).await.unwrap(), Committed::Conflict(_)));
    assert_eq!(stores[1].commit(id, logged(revision + 1, "v2", 2)).await.unwrap(), Committed::Done);
    stores[0].delete(id).await.unwrap();
    assert!(matches!(stores[0].delete(id).await, Err(StoreError::Missing)));
    let mut rest = Vec::new();
    while rest.last() != Some(&Notice::Deleted { id: id.into() }) {
        let notice = tokio::time::timeout(Duration::from_secs(5), notices.recv()).await;
        rest.push(notice.expect("a notice in time").unwrap());
    }
    rest.retain(|notice| !matches!(notice, Notice::Committed { version: 0, .. }));
    let committed = |version| Notice::Committed { id: id.into(), version };
    assert_eq!(rest, [committed(1), committed(2), Notice::Deleted { id: id.into() }]);
    let more = tokio::time::timeout(Duration::from_millis(100), notices.recv()).await;
    assert!(more.is_err(), "nothing else happened: {more:?}");
}

pub async fn an_imported_log_is_there_from_its_base_on_and_goes_on(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    let new = NewEncounter { revision: 5, ..imported("v9", "v6", 6, &[7, 8, 9]) };
    let import = || store.create(id, new.clone());
    assert_eq!(import().await.unwrap(), None);
    assert_eq!(import().await.unwrap(), Some(bytes("v6")));
    let encounter = store.load(id, None, None).await.unwrap();
    assert_eq!((encounter.revision, encounter.version, encounter.document), (5, 9, Some(bytes("v9"))));
    let base = store.base(id).await.unwrap();
    assert_eq!((base.version, base.document), (6, bytes("v6")));
    assert_eq!(store.commit(id, logged(5, "v10", 10)).await.unwrap(), Committed::Done);
    let page = store.log(id, 0, 10, 1000).await.unwrap();
    assert_eq!((page.base_version, page.version), (6, 10));
    assert_eq!(page.entries, [entry(7), entry(8), entry(9), entry(10)]);
    assert_eq!(store.commit(id, rebased(logged(6, "v11", 11), 8, "v8")).await.unwrap(), Committed::Done);
    assert_eq!(whole_log(&*store, id, 8).await, [entry(9), entry(10), entry(11)]);
    let empty = store.create(&format!("{id}-empty"), imported("v3", "v3", 3, &[])).await.unwrap();
    assert_eq!(empty, None);
    let page = store.log(&format!("{id}-empty"), 3, 10, 1000).await.unwrap();
    assert_eq!((page.base_version, page.version, page.entries.len()), (3, 3, 0));
}

pub async fn any_id_and_any_bytes_are_kept(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    let every_byte: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let long = "x".repeat(500);
    let ids = ["", " ", "}", "{}", "a}:log", "a", "a b -", "ünï", "\u{0}\n", "*", &long];
    for (n, strange) in ids.iter().enumerate() {
        let strange = format!("{strange}{id}");
        let strange = if n == 0 { "" } else { &strange };
        let document: bytes::Bytes = every_byte[n..].to_vec().into();
        let created = store.create(strange, NewEncounter { document: document.clone(), ..new("") });
        assert_eq!(created.await.unwrap(), None, "{strange:?}");
        let mut commit = logged(1, "", 1);
        commit.document = document.clone();
        commit.entry.as_mut().unwrap().bytes = document.clone();
        commit.answer = Some(([n as u8; 32], document.clone()));
        assert_eq!(store.commit(strange, commit).await.unwrap(), Committed::Done);
        let encounter = store.load(strange, None, Some(&[n as u8; 32])).await.unwrap();
        assert!(encounter.document.as_ref() == Some(&document), "{strange:?}");
        assert!(encounter.answer.as_ref() == Some(&document), "{strange:?}");
        assert!(whole_log(&*store, strange, 0).await[0].bytes == document, "{strange:?}");
        store.delete(strange).await.unwrap();
    }
}

pub async fn a_store_that_works_is_ready(stand: &impl Stand, _id: &str) {
    let store = stand.store(KEPT);
    store.ready().await.unwrap();
    store.close().await;
}
