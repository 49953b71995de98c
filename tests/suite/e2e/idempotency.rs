//! The same request under the same key happens once.

use super::{Api, Client, Fight, ambush, note};
use serde_json::json;

#[tokio::test]
async fn a_key_is_good_for_one_request_only() {
    let api = Api::start().await;
    let fight = api.fight().await;
    assert_eq!(fight.command(&note("a")).key("k").send().await.status, 200);
    fight.command(&note("b")).key("k").send().await.problem(422, "idempotency_key_reused");
    let other = api.fight().await;
    assert_eq!(other.command(&note("b")).key("k").send().await.status, 200, "keys belong to their encounter");
    assert_eq!(fight.log().await, [1]);
}

#[tokio::test]
async fn a_repeated_command_is_answered_alike_and_applied_once() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let start = json!({"type": "start", "first": "chansi"});
    let first = fight.command(&start).key("k-1").send().await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (200, ""));
    fight.accepted(note("in between")).await;
    for _ in 0..2 {
        let again = fight.command(&start).key("k-1").send().await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (200, "true"), "{again:?}");
        assert_eq!((again.body.clone(), again.header("etag")), (first.body.clone(), first.header("etag")));
    }
    let stale = fight.command(&start).key("k-1").if_match("\"0\"").send().await;
    assert_eq!(
        (stale.status, stale.header("idempotency-replayed")),
        (200, "true"),
        "the answer outlives its condition"
    );
    assert_eq!(fight.log().await, [1, 2]);
}

#[tokio::test]
async fn a_repeated_request_gets_the_first_answer_however_much_it_wants_to_be_told_now() {
    let api = Api::start().await;
    let fight = api.fight().await;
    for (key, first, applied) in [("brief", "return=minimal", "return=minimal"), ("full", "return=representation", "")]
    {
        let send = |prefer: &'static str| fight.command(&note("x")).key(key).header("prefer", prefer).send();
        let first = send(first).await;
        assert_eq!((first.status, first.header("preference-applied")), (200, applied));
        for again in [send("return=minimal").await, send("").await, send("return=representation, wait=5").await] {
            assert_eq!((again.status, again.header("idempotency-replayed")), (200, "true"), "{key}: {again:?}");
            assert_eq!((&again.body, again.header("preference-applied")), (&first.body, applied), "{key}");
        }
    }
    assert_eq!(fight.log().await, [1, 2]);
    let create = |prefer: &'static str| api.post("/v1/encounters", &ambush()).key("c").header("prefer", prefer).send();
    let (first, again) = (create("return=minimal").await, create("").await);
    assert_eq!((again.status, again.body), (201, first.body), "a creation too");
}

#[tokio::test]
async fn a_repeated_creation_finds_what_the_first_one_made() {
    let api = Api::start().await;
    let create = |body: &serde_json::Value| api.post("/v1/encounters", body).key("create-1").send();
    let first = create(&ambush()).await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (201, ""));
    let fight = Fight::of(&api, &first);
    fight.accepted(note("it goes on")).await;
    let again = create(&ambush()).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (201, "true"));
    assert_eq!(again.body, first.body, "the encounter as it was created, and the same token");
    assert_eq!((again.header("location"), again.header("etag")), (first.header("location"), "\"0\""));
    create(&json!({"ruleset": "active-initiative"})).await.problem(422, "idempotency_key_reused");
    let unkeyed = api.fight().await;
    assert_ne!(unkeyed.id, fight.id);
    assert_eq!(fight.log().await, [1]);
}

#[tokio::test]
async fn many_repetitions_at_once_through_two_servers_make_one_transition() {
    let (a, b) = Api::pair().await;
    let fight = a.fight().await;
    let there = fight.through(&b);
    let calls = (0..40).map(|i| {
        let through = if i % 2 == 0 { &fight } else { &there };
        through.command(&json!({"type": "start", "first": "chansi"})).key("once").send()
    });
    let answers = futures::future::join_all(calls).await;
    let fresh = answers.iter().filter(|answer| answer.header("idempotency-replayed").is_empty()).count();
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.body == answers[0].body));
    assert_eq!((fresh, fight.log().await), (1, vec![1]));
    let creations =
        (0..10).map(|i| (if i % 2 == 0 { &a } else { &b }).post("/v1/encounters", &ambush()).key("c").send());
    let answers = futures::future::join_all(creations).await;
    assert!(answers.iter().all(|answer| answer.status == 201 && answer.body == answers[0].body));
}

#[tokio::test]
async fn an_encounter_that_was_deleted_and_created_anew_under_its_key_is_another_one() {
    let (a, b) = Api::pair().await;
    let create = async |api: &Client| {
        let made = api.post("/v1/encounters", &ambush()).key("phoenix").send().await;
        Fight::of(api, &made)
    };
    let here = create(&a).await;
    here.accepted(json!({"type": "damage", "target": "brakkus", "amount": 2})).await;
    let there = here.through(&b);
    there.delete().send().await.expect(204);
    assert_eq!(create(&b).await.id, here.id);
    there.accepted(note("another life")).await;
    let answer = here.accepted(note("through the server that remembers the first life")).await;
    let brakkus = answer.json()["encounter"]["combatants"][2].clone();
    assert_eq!((&brakkus["id"], &brakkus["hp"]["current"]), (&json!("brakkus"), &json!(9)), "{brakkus}");
    assert_eq!(here.read("").await, there.read("").await);
}
