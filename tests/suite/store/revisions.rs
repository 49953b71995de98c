//! Revisions, on every store: part of the conformance suite.

use turnkeeper::store::{Commit, Committed};

use super::conformance::KEPT;
use super::{Stand, bytes, filled, imported, logged};

pub async fn a_commit_is_compared_with_the_newest_write_and_with_no_other(
    stand: &impl Stand,
    id: &str,
) {
    let store = stand.store(KEPT);
    filled(&*store, id, 1).await;
    // Revisions have no order, and every number can be one.
    let mut expected = 2;
    for (version, revision) in (2..).zip([u64::MAX, 0, 1 << 53, (1 << 53) + 1, u64::MAX - 1, 1, 3])
    {
        let commit = Commit {
            revision,
            ..logged(expected, &format!("v{version}"), version)
        };
        assert_eq!(store.commit(id, commit).await.unwrap(), Committed::Done);
        let encounter = store.load(id, None, None).await.unwrap();
        assert_eq!((encounter.revision, encounter.version), (revision, version));
        assert_eq!(
            store.load(id, Some(revision), None).await.unwrap().document,
            None
        );
        for other in [
            expected,
            revision.wrapping_add(1),
            revision.wrapping_sub(1),
            revision ^ (1 << 63),
        ] {
            let refused = store
                .commit(id, logged(other, "lost", version + 1))
                .await
                .unwrap();
            assert!(
                matches!(refused, Committed::Conflict(found) if found.revision == revision),
                "{other}"
            );
            let newest = store.load(id, Some(other), None).await.unwrap();
            assert_eq!(
                newest.document,
                Some(bytes(&format!("v{version}"))),
                "known: {other}"
            );
        }
        expected = revision;
    }
}

pub async fn the_bytes_of_a_log_are_kept_as_the_newest_write_says(stand: &impl Stand, id: &str) {
    let store = stand.store(KEPT);
    store
        .create(id, imported("v2", "v0", 0, &[1, 2]))
        .await
        .expect("a new encounter");
    let log_bytes = async || {
        store
            .load(id, None, None)
            .await
            .expect("an encounter")
            .log_bytes
    };
    assert_eq!(log_bytes().await, 2 * "entry 1".len() as u64);
    let write = Commit {
        log_bytes: 99,
        ..logged(1, "v3", 3)
    };
    assert_eq!(
        store.commit(id, write).await.expect("a store that answers"),
        Committed::Done
    );
    assert_eq!(log_bytes().await, 99);
    match store
        .commit(id, logged(1, "v4", 4))
        .await
        .expect("a store that answers")
    {
        Committed::Conflict(found) => assert_eq!(found.log_bytes, 99),
        other => panic!("expected a conflict, got {other:?}"),
    }
}
