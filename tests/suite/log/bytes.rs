//! The bytes of a log are bounded.

use crate::e2e::{Api, Fight, Setup, cell, note};
use crate::support::client::version;
use crate::support::redis::RedisServer;
use serde_json::{Value, json};

/// A log of at most this many MiB.
fn of_mib(mib: u64) -> Setup<'static> {
    Setup {
        log_mib: Some(mib),
        ..Setup::default()
    }
}

/// Puts a character before the text of a log's entry that has this version, or takes it away.
const ALTER: &str = "
    local entries = redis.call('XRANGE', KEYS[1], '-', '+')
    redis.call('DEL', KEYS[1])
    for _, entry in ipairs(entries) do
      local text = entry[2][2]
      if entry[1] == ARGV[1] .. '-0' then
        text = ARGV[2] == 'damage' and '!' .. text or string.sub(text, 2)
      end
      redis.call('XADD', KEYS[1], entry[1], 'e', text, 'w', entry[2][4])
    end";

#[tokio::test]
async fn a_log_that_cannot_be_compacted_stops_no_command_and_is_compacted_later() {
    let redis = RedisServer::start();
    let setup = Setup {
        keep: Some(200),
        ..Setup::default()
    };
    let api = Api::on_url(&redis.url(), setup).await;
    let fight = api.fight().await;
    fight.notes(511).await;
    let log = format!("{{turnkeeper:{}}}:log", fight.id);
    redis.command(&["EVAL", ALTER, "1", &log, "256", "damage"]);
    // The base would be folded from the entry that is damaged.
    fight.notes(2).await;
    fight.read("?at=0").await;
    redis.command(&["EVAL", ALTER, "1", &log, "256", "mend"]);
    fight.notes(1).await;
    let gone = fight.get("?at=0").send().await.problem(410, "version_gone");
    assert_eq!(gone["oldest_version"], 256);
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

#[tokio::test]
async fn entries_that_redis_evicted_count_no_more() {
    let redis = RedisServer::start();
    let api = Api::on_url(&redis.url(), of_mib(1)).await;
    let fight = api.fight().await;
    for _ in 0..8 {
        long_entry(&fight).await;
    }
    redis.command(&["DEL", &format!("{{turnkeeper:{}}}:log", fight.id)]);
    for _ in 0..4 {
        long_entry(&fight).await;
    }
    for version in 8..=12 {
        let then = fight.read(&format!("?at={version}")).await;
        assert_eq!(then["version"], json!(version));
    }
}
