//! Revisions, on every store: part of the conformance suite.

use turnkeeper::store::{Commit, Committed};

use super::conformance::KEPT;
use super::{Stand, answered, bytes, filled, logged, unlogged, whole_log};

pub async fn a_known_revision_is_not_sent_again(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 1).await;
    let same = store.load(id, Some(2), None).await.unwrap();
    assert_eq!((same.revision, same.version, same.document), (2, 1, None));
    for other in [0, 1, 3, u64::MAX] {
        let newer = store.load(id, Some(other), None).await.unwrap();
        assert_eq!(newer.document, Some(bytes("v1")), "known: {other}");
    }
}

pub async fn a_commit_without_an_entry_makes_a_revision_and_no_version(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 1).await;
    for revision in 2..50 {
        let commit = unlogged(revision, &format!("unlogged {revision}"));
        assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
    }
    let encounter = store.load(id, None, None).await.unwrap();
    assert_eq!((encounter.revision, encounter.version), (50, 1));
    assert_eq!(encounter.document, Some(bytes("unlogged 49")));
    assert_eq!(store.commit(id, logged(50, "v2", 2)).await.unwrap(), Committed::Done);
}

pub async fn a_commit_is_compared_with_the_newest_write_and_with_no_other(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 1).await;
    // Revisions have no order, and every number can be one.
    let mut expected = 2;
    for (version, revision) in (2..).zip([u64::MAX, 0, 1 << 53, (1 << 53) + 1, u64::MAX - 1, 1, 3]) {
        let commit = Commit { revision, ..logged(expected, &format!("v{version}"), version) };
        assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
        let encounter = store.load(id, None, None).await.unwrap();
        assert_eq!((encounter.revision, encounter.version), (revision, version));
        assert_eq!(store.load(id, Some(revision), None).await.unwrap().document, None);
        for other in [expected, revision.wrapping_add(1), revision.wrapping_sub(1), revision ^ (1 << 63)] {
            let refused = store.commit(id, logged(other, "lost", version + 1)).await.unwrap();
            assert!(matches!(refused, Committed::Conflict(found) if found.revision == revision), "{other}");
            let newest = store.load(id, Some(other), None).await.unwrap();
            assert_eq!(newest.document, Some(bytes(&format!("v{version}"))), "known: {other}");
        }
        expected = revision;
    }
}

pub async fn a_commit_against_an_old_revision_conflicts_and_shows_the_newest(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    filled(&*store, id, 3).await;
    for expected in [0, 1, 3, 5, 99] {
        for commit in [unlogged(expected, "lost"), logged(expected, "lost", 4), logged(expected, "lost", 1)] {
            let Committed::Conflict(newest) = store.commit(id, answered(commit, 1, "a")).await.unwrap() else {
                panic!("revision {expected} is not the newest");
            };
            assert_eq!((newest.revision, newest.version), (4, 3));
            assert_eq!((newest.document, newest.answer), (Some(bytes("v3")), None));
        }
    }
    let encounter = store.load(id, None, Some(&[1; 32])).await.unwrap();
    assert_eq!((encounter.revision, encounter.answer), (4, None), "a conflict leaves nothing behind");
    assert_eq!(whole_log(&*store, id, 0).await.len(), 3);
}
