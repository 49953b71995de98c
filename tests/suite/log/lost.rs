//! A Redis that comes back without its newest writes: what it lost stays lost, for every process
//! and every follower.

use super::feed::{LINES, SSE, Stream};
use crate::e2e::{Api, Fight, note};
use crate::support::redis::RedisServer;
use serde_json::{Value, json};

fn damage(amount: u64) -> Value {
    json!({"type": "damage", "target": "ann", "amount": amount})
}

fn hp(state: &Value) -> &Value {
    &state["combatants"][0]["hp"]["current"]
}

/// A fight at version 1, through two servers on one Redis.
async fn wounded(here: &Api, there: &Api) -> [Fight; 2] {
    let ann = json!({"id": "ann", "hp": {"current": 1000, "max": 1000}});
    let fight = here
        .create(&json!({"ruleset": "active-initiative", "combatants": [ann]}))
        .await;
    fight.accepted(damage(1)).await;
    [fight.through(there), fight]
}

/// Both servers read the same, and a log that folds to it.
async fn agreed(here: &Fight, there: &Fight, left: u64, versions: usize) {
    let (one, other) = (
        here.get("").send().await.expect(200),
        there.get("").send().await.expect(200),
    );
    assert_eq!(
        (&one.body, one.header("etag")),
        (&other.body, other.header("etag"))
    );
    assert_eq!(hp(&one.json()), left);
    let entries = here.entries().await;
    assert_eq!(
        (entries.len(), &entries),
        (versions, &there.entries().await)
    );
    let elsewhere = Api::start().await;
    let imported = elsewhere
        .post("/v1/encounters/import", &here.read("/export").await)
        .send()
        .await
        .expect(201);
    assert_eq!(
        imported.json()["encounter"]["combatants"],
        one.json()["combatants"],
        "the log folds to the state"
    );
}

#[tokio::test]
async fn a_write_that_redis_lost_does_not_come_back_to_life() {
    let mut redis = RedisServer::start();
    let (a, b) = Api::pair_on(&redis.url()).await;
    let [there, here] = wounded(&a, &b).await;
    assert_eq!(hp(&there.read("").await), 999);
    redis.command(&["SAVE"]);
    here.accepted(damage(100)).await;
    let lost = here.get("").send().await.expect(200);
    assert_eq!(hp(&lost.json()), 899);
    redis.restart();
    // Another write makes version 2 again, while `here` has a copy of the lost one.
    there.accepted(damage(7)).await;
    let now = here
        .get("")
        .header("if-none-match", lost.header("etag"))
        .send()
        .await
        .expect(200);
    assert_eq!(hp(&now.json()), 992, "not what was lost");
    here.command(&damage(1))
        .if_match(lost.header("etag"))
        .send()
        .await
        .problem(412, "stale_version");
    agreed(&here, &there, 992, 2).await;
    here.accepted(damage(1)).await;
    agreed(&here, &there, 991, 3).await;
}

#[tokio::test]
async fn nothing_is_committed_on_a_copy_of_a_lost_write() {
    let mut redis = RedisServer::start();
    let (a, b) = Api::pair_on(&redis.url()).await;
    let [there, here] = wounded(&a, &b).await;
    redis.command(&["SAVE"]);
    for round in 1..=3 {
        // As many writes on both sides, so that every count is the same; one of them makes no
        // version.
        here.accepted(damage(100)).await;
        here.spectator().await;
        redis.restart();
        there.accepted(damage(10)).await;
        there.spectator().await;
        redis.command(&["SAVE"]);
        // The first that `here` does is a command. Its connection has dropped, so it is sent twice,
        // and the first sending may still arrive: it may have to be repeated with its key.
        let key = format!("the-key-of-the-damage-{round}");
        let command = || here.command(&damage(1)).key(&key);
        let mut answer = command().send().await;
        if answer.status == 503 {
            answer = command().send().await;
        }
        answer.expect(200);
        redis.command(&["SAVE"]);
        agreed(&here, &there, 999 - 11 * round, 1 + 2 * round as usize).await;
        let tokens = here.read("/tokens").await;
        assert_eq!(
            tokens["items"].as_array().map(Vec::len),
            Some(1 + round as usize),
            "{tokens}"
        );
    }
}

#[tokio::test]
async fn followers_of_what_redis_lost_are_shown_the_encounter_anew() {
    // Fewer writes than were lost, as many, and more.
    for writes in 1..=3_u64 {
        let mut redis = RedisServer::start();
        let (a, b) = Api::pair_on(&redis.url()).await;
        let fights = wounded(&a, &b).await;
        let [there, here] = &fights;
        let mut streams = Vec::new();
        redis.command(&["SAVE"]);
        for accept in [LINES, SSE] {
            for fight in &fights {
                streams.push(
                    Stream::open(fight, accept, Some(1))
                        .await
                        .expect("a stream"),
                );
            }
        }
        here.accepted(damage(100)).await;
        here.accepted(damage(100)).await;
        for stream in &mut streams {
            assert_eq!(
                (stream.transition().await, stream.transition().await),
                (Some(2), Some(3))
            );
        }
        redis.restart();
        for _ in 0..writes {
            there.accepted(damage(1)).await;
        }
        for stream in &mut streams {
            let shown = loop {
                let message = stream.next().await.expect("the stream goes on");
                assert_ne!(
                    message.kind, "transition",
                    "nothing follows what was lost: {message:?}"
                );
                if message.kind == "snapshot" {
                    break message;
                }
            };
            let mut version = shown.data["version"].as_u64().expect("a version");
            assert_eq!(
                hp(&shown.data["encounter"]),
                999 - (version - 1),
                "as it is now"
            );
            while version < 1 + writes {
                version += 1;
                assert_eq!(
                    stream.transition().await,
                    Some(version),
                    "what came after comes once"
                );
            }
        }
        // A client that saw a lost version is refused; one that begins now goes on.
        assert_eq!(
            Stream::open(there, LINES, Some(2 + writes)).await.err(),
            Some(422)
        );
        streams.push(
            Stream::open(there, LINES, Some(1 + writes))
                .await
                .expect("a stream"),
        );
        here.accepted(damage(1)).await;
        for stream in &mut streams {
            assert_eq!(stream.transition().await, Some(2 + writes));
        }
    }
}

#[tokio::test]
async fn a_client_that_returns_with_the_id_of_a_lost_entry_is_shown_the_encounter_anew() {
    let mut redis = RedisServer::start();
    let (a, b) = Api::pair_on(&redis.url()).await;
    let [there, here] = wounded(&a, &b).await;
    let mut stream = Stream::open(&here, LINES, Some(1)).await.expect("a stream");
    let kept = stream.next().await.and_then(|message| message.id);
    let kept = kept.expect("an id");
    redis.command(&["SAVE"]);
    here.accepted(damage(100)).await;
    let lost = stream.next().await.and_then(|message| message.id);
    let lost = lost.expect("an id");
    redis.restart();
    let begins = async |fight: &Fight, accept: &str, id: &str| {
        let call = fight.get("/events").header("last-event-id", id);
        let mut stream = Stream::of(call, accept).await.expect("a stream");
        let first = stream.next().await.expect("a message");
        (first.kind, first.data["version"].as_u64())
    };
    // First nothing has the version of the lost entry, then another entry.
    for version in [1, 2] {
        for fight in [&there, &here] {
            for accept in [LINES, SSE] {
                let snapshot = ("snapshot".to_owned(), Some(version));
                assert_eq!(begins(fight, accept, &lost).await, snapshot);
            }
        }
        if version == 1 {
            there.accepted(damage(7)).await;
        }
    }
    let transition = ("transition".to_owned(), Some(2));
    assert_eq!(begins(&there, LINES, &kept).await, transition);
    assert_eq!(begins(&there, SSE, "1").await, transition);
    let after = |id: &str| there.get(&format!("/events?after={id}")).send();
    after(&lost).await.problem(410, "version_gone");
    let page = after(&kept).await.expect(200).json();
    assert_eq!(page["items"][0]["version"], 2);
}

#[tokio::test]
async fn a_follower_reads_every_entry_where_its_feed_left_some_out() {
    let redis = RedisServer::start();
    let (a, b) = Api::pair_on(&redis.url()).await;
    let fight = a.fight().await;
    fight.notes(3).await;
    for key in redis.keys() {
        redis.command(&["COPY", &key, &format!("kept:{key}")]);
    }
    // This follower stays: its process has announced version 7, and announces only later ones.
    let mut ahead = Stream::open(&fight.through(&b), LINES, Some(3))
        .await
        .expect("a stream");
    fight.notes(4).await;
    for version in 4..=7 {
        assert_eq!(ahead.transition().await, Some(version));
    }
    // The keys are as they were, and no connection breaks.
    for kept in redis.keys() {
        if let Some(key) = kept.strip_prefix("kept:") {
            redis.command(&["COPY", &kept, key, "REPLACE"]);
        }
    }
    let mut late = Stream::open(&fight.through(&b), LINES, None)
        .await
        .expect("a stream");
    for _ in 0..6 {
        fight.accepted(note("again")).await;
    }
    for version in 4..=9 {
        assert_eq!(
            late.transition().await,
            Some(version),
            "no gap, no repetition, in order"
        );
    }
}

#[tokio::test]
async fn a_deletion_that_no_notice_told_of_is_told_when_notices_may_be_lost() {
    let redis = RedisServer::start();
    let (a, _) = Api::pair_on(&redis.url()).await;
    let fight = a.fight().await;
    let mut stream = Stream::open(&fight, LINES, None).await.expect("a stream");
    assert_eq!(
        stream.next().await.map(|message| message.kind),
        Some("snapshot".to_owned())
    );
    for key in redis.keys() {
        redis.command(&["DEL", &key]);
    }
    // After a message that it cannot read, a store says that notices may be lost.
    redis.command(&["PUBLISH", "turnkeeper:commits", "nonsense"]);
    assert_eq!(
        stream.next().await.map(|message| message.kind),
        Some("deleted".to_owned())
    );
}

/// The version of the exported base, the number of entries after it, and the hit points that they
/// lead to elsewhere.
async fn exported(fight: &Fight) -> (u64, usize, Value) {
    let log = fight.read("/export").await;
    let elsewhere = Api::start().await;
    let imported = elsewhere
        .post("/v1/encounters/import", &log)
        .send()
        .await
        .expect(201)
        .json();
    let base = log["base"]["version"].as_u64().expect("a version");
    (
        base,
        log["entries"].as_array().map_or(0, Vec::len),
        hp(&imported["encounter"]).clone(),
    )
}

#[tokio::test]
async fn what_an_evicted_log_held_is_gone_and_everything_after_it_is_there() {
    let redis = RedisServer::start();
    let (a, b) = Api::pair_on(&redis.url()).await;
    let [there, here] = wounded(&a, &b).await;
    let keyed = async |fight: &Fight| fight.command(&damage(2)).key("once").send().await;
    keyed(&here).await.expect(200);
    here.accepted(damage(3)).await;
    redis.command(&["DEL", &format!("{{turnkeeper:{}}}:log", here.id)]);
    for fight in [&here, &there] {
        for gone in ["?at=1", "/events?after=1", "/events?after=0&wait=1"] {
            let problem = fight.get(gone).send().await.problem(410, "version_gone");
            assert_eq!(problem["oldest_version"], 3, "{gone}");
        }
        assert_eq!(Stream::open(fight, LINES, Some(1)).await.err(), Some(410));
        for accept in [LINES, SSE] {
            let call = fight.get("/events").header("last-event-id", "1");
            let mut anew = Stream::of(call, accept).await.expect("a stream");
            let first = anew.next().await.expect("a message");
            assert_eq!(first.kind, "snapshot", "an error would end an EventSource");
        }
        fight
            .refused(json!({"type": "undo"}), 410, "version_gone")
            .await;
        keyed(fight).await.problem(410, "answer_gone");
        assert_eq!(fight.read("/events").await["items"], json!([]));
        let options = fight.options().await;
        assert!(
            !json!(options).to_string().contains("\"undo\""),
            "{options:?}"
        );
        assert_eq!(exported(fight).await, (3, 0, json!(994)));
    }
    let mut stream = Stream::open(&there, LINES, Some(3))
        .await
        .expect("a stream");
    here.accepted(damage(4)).await;
    assert_eq!(stream.transition().await, Some(4));
    here.get("?at=2").send().await.problem(410, "version_gone");
    assert_eq!(hp(&there.read("?at=3").await), 994);
    there.accepted(json!({"type": "undo"})).await;
    assert_eq!(exported(&here).await, (3, 2, json!(994)));
    assert_eq!(hp(&there.read("").await), 994);
}
