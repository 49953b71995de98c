//! Conditional requests: `ETag`, `If-None-Match`, `If-Match`.

use super::{Api, Fight, note};
use serde_json::json;
use std::collections::BTreeSet;

const TEXT: &str = "text/plain";

/// The tag of what `viewer` is shown.
async fn tag(viewer: &Fight, rest: &str, accept: &str) -> String {
    let answer = viewer.get(rest).header("accept", accept).send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("etag").to_owned()
}

#[tokio::test]
async fn every_audience_and_form_has_a_tag_of_its_own() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let spectator = fight.spectator().await;
    let player = fight.player(&["chansi"]).await;
    let other = fight.player(&["valiant"]).await;
    let mut tags = BTreeSet::new();
    for viewer in [&fight, &spectator, &player, &other] {
        for (rest, accept) in [("", "application/json"), ("", TEXT), ("/options", "*/*")] {
            let own = tag(viewer, rest, accept).await;
            assert!(own.starts_with("\"0-") && own.len() == 20, "{own}");
            assert!(
                tags.insert(own.clone()),
                "{rest} {accept}: {own} names something else"
            );
            // No other viewer is answered that it has this already.
            for stranger in [&fight, &spectator, &player, &other]
                .into_iter()
                .filter(|s| s.token != viewer.token)
            {
                let answer = stranger
                    .get(rest)
                    .header("accept", accept)
                    .header("if-none-match", &own)
                    .send()
                    .await;
                assert_eq!(answer.status, 200, "{rest} {accept}");
                let answer = stranger.command(&note("x")).if_match(&own).send().await;
                assert!(matches!(answer.status, 403 | 412), "{answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn if_match_takes_every_tag_that_this_token_was_given_for_the_present_state() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let player = fight.player(&["chansi"]).await;
    fight
        .accepted(json!({"type": "start", "first": "chansi"}))
        .await;
    let old = tag(&fight, "?at=0", "*/*").await;
    for (rest, accept) in [
        ("", "application/json"),
        ("", TEXT),
        ("/options", "*/*"),
        ("?at=1", TEXT),
    ] {
        let version = fight.read("").await["version"].to_string();
        let at = rest.replace("at=1", &format!("at={version}"));
        let own = tag(&player, &at, accept).await;
        let command = json!({"type": "end_turn", "combatant": "chansi", "next": "valiant"});
        let dry = player.dry_run(&command);
        let dry = dry.if_match(&own).send().await;
        assert_eq!(dry.status, 200, "{rest} {accept}: {dry:?}");
        let matching = fight
            .command(&note("x"))
            .if_match(&tag(&fight, &at, accept).await)
            .send()
            .await;
        assert_eq!(matching.status, 200, "{rest} {accept}: {matching:?}");
        fight
            .command(&note("x"))
            .if_match(&old)
            .send()
            .await
            .problem(412, "stale_version");
    }
    // The version is right, the state is another one.
    let version = fight.read("").await["version"].to_string();
    let import = format!("\"{version}-AAAAAAAAAAAAAAAA\"");
    let stale = fight.command(&note("x")).if_match(&import).send().await;
    assert_eq!(
        stale.problem(412, "stale_version")["current_version"].to_string(),
        version
    );
    let delete = |tag: &str| fight.delete().if_match(tag).send();
    delete(&import).await.problem(412, "stale_version");
    assert_eq!(delete(&tag(&fight, "", "*/*").await).await.status, 204);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_clients_with_one_if_match_one_is_accepted_and_one_answered_the_version() {
    let (a, b) = Api::pair().await;
    let here = a.fight().await;
    let there = here.through(&b);
    for round in 0..20_u64 {
        let tag = format!("\"{round}\"");
        let send = |fight: &Fight| fight.command(&note("x")).if_match(&tag).send();
        let (one, other) = tokio::join!(
            send(&here),
            send(if round % 2 == 0 { &here } else { &there })
        );
        let (won, lost) = if one.status == 200 {
            (one, other)
        } else {
            (other, one)
        };
        assert_eq!(won.expect(200).version(), round + 1);
        assert_eq!(
            lost.problem(412, "stale_version")["current_version"],
            round + 1
        );
    }
    assert_eq!(there.log().await, (1..=20).collect::<Vec<_>>());
}
