//! Answers under idempotency keys, on every store: part of the conformance suite.

use std::time::{Duration, Instant};

use turnkeeper::store::{Committed, StoreConfig};

use super::{Stand, answered, bytes, logged, new};

pub async fn an_answer_of_the_span_before_is_found(stand: &impl Stand, id: &str) {
    let keep = Duration::from_millis(1000);
    let store = stand.store(StoreConfig {
        ttl: None,
        answers: keep,
    });
    store.create(id, new("v0")).await.unwrap();
    let mut in_time = 0;
    // Spans are as long as answers are kept. Of two of these pauses one at least goes into the next
    // span.
    for key in 1..=4 {
        let given = Instant::now();
        let recorded = answered(logged(u64::from(key), "v", key.into()), key, "first");
        assert_eq!(store.commit(id, recorded).await.unwrap(), Committed::Done);
        tokio::time::sleep(keep * 6 / 10).await;
        let known = Some(u64::from(key) + 1);
        let (fresh, again) = (
            store.load(id, None, Some(&[key; 32])).await.unwrap().answer,
            store
                .load(id, known, Some(&[key; 32]))
                .await
                .unwrap()
                .answer,
        );
        let repeated = answered(logged(u64::from(key), "v", key.into()), key, "second");
        let repeated = store.commit(id, repeated).await.unwrap();
        if given.elapsed() < keep {
            in_time += 1;
            assert_eq!(
                (fresh, again),
                (Some(bytes("first")), Some(bytes("first"))),
                "key {key}"
            );
            assert_eq!(repeated, Committed::Replayed(bytes("first")), "key {key}");
        }
    }
    assert!(in_time > 0, "this machine is too slow to tell");
}
