//! The same request under the same key happens once.

use super::{Answer, Api, Client, Fight, ambush, note};
use serde_json::json;

#[tokio::test]
async fn many_repetitions_at_once_through_two_servers_make_one_transition() {
    let (a, b) = Api::pair().await;
    let fight = a.fight().await;
    let there = fight.through(&b);
    let calls = (0..40).map(|i| {
        let through = if i % 2 == 0 { &fight } else { &there };
        through
            .command(&json!({"type": "start", "first": "chansi"}))
            .key("once")
            .send()
    });
    let answers = futures::future::join_all(calls).await;
    let fresh = answers
        .iter()
        .filter(|answer| answer.header("idempotency-replayed").is_empty())
        .count();
    assert!(
        answers
            .iter()
            .all(|answer| answer.status == 200 && answer.body == answers[0].body)
    );
    assert_eq!((fresh, fight.log().await), (1, vec![1]));
    let creations = (0..10).map(|i| {
        (if i % 2 == 0 { &a } else { &b })
            .post("/v1/encounters", &ambush())
            .key("one-key-for-ten-creations")
            .send()
    });
    let answers = futures::future::join_all(creations).await;
    assert!(
        answers
            .iter()
            .all(|answer| answer.status == 201 && answer.body == answers[0].body)
    );
}

/// What a player was told then stays what it is told, whatever it may know by now.
#[tokio::test]
async fn a_players_answer_is_repeated_as_it_was_when_more_was_hidden() {
    let api = Api::start().await;
    let mut body = ambush();
    body["combatants"]
        .as_array_mut()
        .expect("combatants")
        .push(json!({"id": "lurker", "hidden": true}));
    let gm = api.create(&body).await;
    let player = gm.player(&["chansi"]).await;
    gm.accepted(json!({"type": "start", "first": "chansi"}))
        .await;
    let call = async |minimal: bool, key: &str| -> Answer {
        let call = player
            .command(&json!({"type": "end_turn", "combatant": "chansi", "next": "brakkus"}))
            .key(key);
        if minimal { call.minimal() } else { call }.send().await
    };
    for (minimal, key) in [(false, "whole"), (true, "small")] {
        let first = call(minimal, key).await.expect(200);
        let open = [
            json!([{"type": "update_combatant", "combatant": "lurker", "changes": {"hidden": false}}, note("the lurker is seen")]),
            json!({"type": "undo"}),
            json!({"type": "undo"}),
        ];
        for command in open {
            gm.accepted(command).await;
            let again = call(!minimal, key).await.expect(200);
            assert_eq!(
                (again.header("idempotency-replayed"), again.text()),
                ("true", first.text())
            );
        }
    }
}

#[tokio::test]
async fn an_encounter_that_was_deleted_and_created_anew_under_its_key_is_another_one() {
    let (a, b) = Api::pair().await;
    let create = async |api: &Client| {
        let made = api
            .post("/v1/encounters", &ambush())
            .key("phoenix-of-the-fifth-ash")
            .send()
            .await;
        Fight::of(api, &made)
    };
    let here = create(&a).await;
    here.accepted(json!({"type": "damage", "target": "brakkus", "amount": 2}))
        .await;
    let there = here.through(&b);
    there.delete().send().await.expect(204);
    assert_eq!(create(&b).await.id, here.id);
    there.accepted(note("another life")).await;
    let answer = here
        .accepted(note("through the server that remembers the first life"))
        .await;
    let brakkus = answer.json()["encounter"]["combatants"][2].clone();
    assert_eq!(
        (&brakkus["id"], &brakkus["hp"]["current"]),
        (&json!("brakkus"), &json!(9)),
        "{brakkus}"
    );
    assert_eq!(here.read("").await, there.read("").await);
}
