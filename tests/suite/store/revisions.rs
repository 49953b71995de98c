//! Revisions, on every store: part of the conformance suite.

use turnkeeper::store::{Commit, Committed};

use super::conformance::KEPT;
use super::{Stand, bytes, filled, logged};

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
