//! Commands and their answers.

use super::Api;
use crate::support::choices::completed;
use serde_json::json;

#[tokio::test]
async fn a_seed_makes_the_dice_reproducible_and_a_dry_run_does_not_show_them() {
    let api = Api::start().await;
    let mut creation = super::ambush();
    creation["seed"] = json!(7);
    let (mut rolls, mut rehearsals) = (Vec::new(), std::collections::BTreeSet::new());
    for _ in 0..2 {
        let fight = api.create(&creation).await;
        assert!(
            fight.read("").await.get("seed").is_none(),
            "the seed would show the dice"
        );
        let roll = json!({"type": "start"});
        for _ in 0..20 {
            rehearsals.insert(fight.dry_run(&roll).send().await.json()["events"].to_string());
        }
        rolls.push(fight.accepted(roll).await.json()["events"].to_string());
    }
    assert!(
        rolls[0].contains("\"given\":false"),
        "the server rolled: {}",
        rolls[0]
    );
    assert_eq!(rolls[0], rolls[1]);
    assert!(
        rehearsals.len() > 1,
        "40 rehearsals with the same dice: {rehearsals:?}"
    );
}

#[tokio::test]
async fn every_command_that_is_listed_is_accepted_as_it_stands() {
    let api = Api::start().await;
    let fight = api.fight().await;
    fight
        .accepted(json!({"type": "start", "first": "chansi"}))
        .await;
    let options = fight.get("/options").send().await;
    let body = options.json();
    assert!(options.header("etag").starts_with("\"1-"), "{options:?}");
    assert_eq!(body["version"], json!(1));
    let listed = fight.options().await;
    assert!(
        listed
            .iter()
            .any(|option| option["command"]["type"] == "end_turn"),
        "{body}"
    );
    for option in listed {
        fight.dry_run(&completed(&option)).send().await.expect(200);
    }
}
