//! The bytes of a log are bounded.

use crate::e2e::{Api, Fight, Setup, cell, note};
use crate::support::client::version;
use serde_json::{Value, json};

/// A log of at most this many MiB.
fn of_mib(mib: u64) -> Setup<'static> {
    Setup {
        log_mib: Some(mib),
        ..Setup::default()
    }
}

/// Adds an entry of about 200 KB.
async fn long_entry(fight: &Fight) {
    let notes: Vec<Value> = (0..50).map(|_| note(&"x".repeat(2000))).collect();
    fight
        .command(&json!(notes))
        .minimal()
        .send()
        .await
        .expect(200);
}

#[tokio::test]
async fn the_oldest_entries_go_where_a_log_has_too_many_bytes() {
    let redis = cell::some_redis();
    for api in [
        Api::set_up(of_mib(1)).await,
        Api::on_url(&redis.url, of_mib(1)).await,
    ] {
        let fight = api.fight().await;
        for _ in 0..20 {
            long_entry(&fight).await;
        }
        let exported = fight.get("/export").send().await.expect(200).body.len();
        assert!((500_000..1_100_000).contains(&exported), "{exported} bytes");
        let gone = fight
            .get("/events?after=0")
            .send()
            .await
            .problem(410, "version_gone");
        let oldest = gone["oldest_version"].as_u64().expect("a version");
        assert!((12..18).contains(&oldest), "{gone}");
        fight
            .get(&format!("?at={}", oldest - 1))
            .send()
            .await
            .problem(410, "version_gone");
        // What is left is whole: every version is there, and can be undone to.
        for version in oldest..=20 {
            assert_eq!(
                fight.read(&format!("?at={version}")).await["version"],
                json!(version)
            );
        }
        fight
            .accepted(json!({"type": "undo", "to_version": oldest}))
            .await;
        // The next entries fit beside those that are left.
        fight.notes(3).await;
        assert_eq!(version(&fight.read("").await), 24);
        assert_eq!(
            fight.read("/events?after=21").await["items"]
                .as_array()
                .map(Vec::len),
            Some(3)
        );
    }
}
