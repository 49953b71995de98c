//! A server with more to do than it has time for.

use super::{Api, Fight, note};
use crate::log::feed::{LINES, Stream};
use futures::future::join_all;
use serde_json::{Value, json};

/// A started fight that is too large for its options to be listed at once.
async fn crowd(api: &Api) -> Fight {
    let combatant = |n: usize| {
        let side = if n.is_multiple_of(2) { "players" } else { "monsters" };
        json!({"id": format!("c{n}"), "side": side, "hp": {"current": 9, "max": 9}})
    };
    let combatants: Vec<Value> = (0..60).map(combatant).collect();
    let fight = api.create(&json!({"ruleset": "active-initiative", "combatants": combatants})).await;
    fight.accepted(json!({"type": "start", "first": "c0"})).await;
    fight
}

#[tokio::test]
async fn a_command_that_is_applied_is_answered_with_success_however_many_options_wait() {
    let api = Api::start().await;
    let fight = crowd(&api).await;
    let path = fight.path("/commands?include=options");
    let commands = (0..100).map(|n| api.post(&path, &note(&format!("note {n}"))).token(&fight.token).minimal().send());
    let answers = join_all(commands).await;
    // Where the disk is slow, some wait too long for the commands before them, and are not applied.
    let (applied, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    for answer in refused {
        answer.problem(503, "contended");
    }
    assert!(applied.iter().any(|answer| answer.json()["options"]["items"].is_array()), "some have their options");
    assert_eq!(fight.log().await.len(), applied.len() + 1);
}

#[tokio::test]
async fn readers_with_one_audience_share_the_work_of_their_options() {
    let api = Api::start().await;
    let fight = crowd(&api).await;
    let mut spectators = Vec::new();
    for _ in 0..10 {
        spectators.push(fight.player(&["c0"]).await);
    }
    let reading = (0..100).map(|n| spectators[n % 10].get("/options").send());
    let answers = join_all(reading).await;
    let first = answers[0].clone().expect(200).json();
    for answer in answers {
        assert_eq!(answer.expect(200).json(), first);
    }
}

#[tokio::test]
async fn each_of_many_streams_includes_all_that_it_asked_for() {
    let api = Api::start().await;
    let fight = crowd(&api).await;
    let mut viewers = vec![fight.clone()];
    for n in 0..40 {
        viewers.push(fight.player(&[&format!("c{n}")]).await);
    }
    let open = viewers.iter().chain(&viewers).map(|viewer| {
        let call = viewer.get("/events?include=encounter,options").header("last-event-id", "1");
        async { Stream::of(call, LINES).await.expect("a stream") }
    });
    let streams = join_all(open).await;
    for _ in 0..3 {
        fight.accepted(json!({"type": "damage", "target": "c0", "amount": 1})).await;
    }
    let heard = streams.into_iter().map(|mut stream| async move {
        loop {
            let entry = stream.next().await.expect("a transition").data;
            if entry["version"] == 4 {
                return entry;
            }
        }
    });
    let heard = join_all(heard).await;
    for (entry, viewer) in heard.into_iter().zip(viewers.iter().chain(&viewers)) {
        assert_eq!(entry["encounter"]["version"], 4, "{entry}");
        assert_eq!(entry["options"]["version"], 4, "{entry}");
        assert_eq!(entry["encounter"], viewer.read("").await);
    }
}
