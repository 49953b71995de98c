//! Undo, redo and earlier states over the API, near and far, as long as the log keeps them.

use super::keeping;
use crate::e2e::{Api, Fight};
use crate::support::choices::completed;
use crate::support::proxy::{Gate, Proxy};
use crate::support::redis::RedisServer;
use crate::support::{setting, shows};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[tokio::test]
async fn the_encounter_shows_itself_at_every_version_there_has_been() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let mut states = vec![fight.read("").await];
    let commands = [
        json!({"type": "damage", "target": "chansi", "amount": 1}),
        json!({"type": "set_condition", "target": "valiant", "condition": "marked"}),
        json!({"type": "clear_condition", "target": "valiant", "condition": "marked"}),
        json!({"type": "heal", "target": "chansi", "amount": 1}),
        json!({"type": "undo"}),
    ];
    for n in 0..600 {
        states.push(
            fight
                .accepted(commands[n % commands.len()].clone())
                .await
                .json()["encounter"]
                .clone(),
        );
    }
    for version in (0..=600)
        .step_by(7)
        .chain([255, 256, 257, 511, 512, 513, 600])
    {
        let then = fight.get(&format!("?at={version}")).send().await;
        assert_eq!(
            (then.status, &then.json()),
            (200, &states[version]),
            "version {version}"
        );
    }
    let text = fight
        .get("?at=0")
        .header("accept", "text/plain")
        .send()
        .await;
    assert!(text.text().contains("not started"));
    let future = fight
        .get("?at=601")
        .send()
        .await
        .problem(422, "no_such_version");
    assert_eq!(future["current_version"], 600);
}

/// Counts the bytes that pass.
#[derive(Default)]
struct Meter(AtomicUsize);

#[async_trait]
impl Gate for Meter {
    async fn pass(&self, bytes: &mut Vec<u8>) -> bool {
        self.0.fetch_add(bytes.len(), Ordering::SeqCst);
        true
    }
}

#[tokio::test]
async fn an_earlier_state_takes_the_entries_from_the_checkpoint_before_it_and_no_more() {
    let (redis, meter) = (RedisServer::start(), Arc::new(Meter::default()));
    let api = Api::on_redis(&Proxy::gated(redis.port(), meter.clone()).await.url()).await;
    let fight = api.fight().await;
    fight.notes(1100).await;
    let read = async |query: &str| {
        let before = meter.0.load(Ordering::SeqCst);
        assert_eq!(fight.get(query).send().await.status, 200);
        meter.0.load(Ordering::SeqCst) - before
    };
    let whole = read("/events?limit=1000").await;
    for (version, entries) in [(1000, 233), (800, 33), (520, 9), (511, 256), (200, 200)] {
        let taken = read(&format!("?at={version}")).await;
        // A state is read as well, which takes a few entries' bytes.
        assert!(
            taken < (entries + 30) * whole / 1000,
            "{taken} bytes for version {version}, where 1000 entries take {whole}"
        );
    }
}

/// The option of undo or redo.
async fn listed(fight: &Fight, verb: &str) -> Option<Value> {
    fight
        .options()
        .await
        .into_iter()
        .find(|option| option["command"]["type"] == verb)
}

/// Holds an option of undo with this range against the server: both its ends are accepted, and what
/// lies beyond them is not.
async fn reaches(fight: &Fight, option: &Value, oldest: u64, last: u64) {
    let schema = &option["choices"][0]["schema"];
    assert_eq!(
        (
            &option["choices"][0]["field"],
            &schema["minimum"],
            &schema["maximum"]
        ),
        (&json!("to_version"), &json!(oldest), &json!(last)),
        "{option}"
    );
    let dry = async |command: &Value| fight.dry_run(command).send().await.status;
    for version in [oldest, last] {
        assert_eq!(
            dry(&json!({"type": "undo", "to_version": version})).await,
            200,
            "{version}"
        );
    }
    assert_eq!(
        dry(&json!({"type": "undo", "to_version": oldest - 1})).await,
        410
    );
    assert_eq!(dry(&completed(option)).await, 200, "{option}");
}

#[tokio::test]
async fn the_ways_back_that_options_lists_reach_as_far_as_the_log_does_and_no_further() {
    shows(&["TK-8"]);
    let api = keeping(2).await;
    let fight = api.fight().await;
    fight.notes(520).await;
    let undo = listed(&fight, "undo").await.expect("an undo");
    assert_eq!(
        (&undo["command"], &undo["choices"][0]["required"]),
        (&json!({"type": "undo"}), &json!(false))
    );
    reaches(&fight, &undo, 256, 519).await;
    // Back at the oldest version a single step would lead to one that is gone.
    fight
        .accepted(json!({"type": "undo", "to_version": 256}))
        .await;
    let undo = listed(&fight, "undo").await.expect("an undo");
    assert_eq!(
        (&undo["complete"], &undo["choices"][0]["required"]),
        (&json!(false), &json!(true))
    );
    reaches(&fight, &undo, 256, 520).await;

    let fight = api.fight().await;
    fight.notes(259).await;
    for n in 0..509 {
        assert!(listed(&fight, "redo").await.is_some() || n % 2 == 0);
        fight
            .accepted(json!({"type": if n % 2 == 0 { "undo" } else { "redo" }}))
            .await;
    }
    // What could be redone is as old as what could be undone.
    assert_eq!(listed(&fight, "redo").await, None);
    fight
        .refused(json!({"type": "redo"}), 410, "version_gone")
        .await;
    reaches(
        &fight,
        &listed(&fight, "undo").await.expect("an undo"),
        512,
        767,
    )
    .await;
}

/// `TURNKEEPER_LONG_LOG` sets the length of the log; at 10,000 an undo takes at most 20 ms of a
/// released server's time.
#[tokio::test]
async fn an_undo_far_down_a_long_log_is_quick() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let length = setting("TURNKEEPER_LONG_LOG").unwrap_or(600);
    fight.notes(length).await;
    let mut times = Vec::new();
    for n in 0..20 {
        let began = Instant::now();
        fight
            .accepted(json!({"type": "undo", "to_version": (length - 1) * n / 20}))
            .await;
        times.push(began.elapsed());
    }
    times.sort();
    let bound = Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 20 });
    assert!(times[10] <= bound, "median {:?}", times[10]);
}
