//! Requests that are refused, with the field that is wrong and what is said of it: see `tests/refusals`.

use super::scripts::play;
use super::{Api, text};
use serde_json::{Value, json};

#[tokio::test]
async fn a_list_is_no_object_wherever_a_client_writes_one() {
    play("refusals/lists").await;
}

#[tokio::test]
async fn a_field_that_is_there_twice_is_refused_wherever_it_is() {
    play("refusals/twice").await;
}

#[tokio::test]
async fn a_field_that_is_missing_or_misspelt_is_named_with_all_that_there_are() {
    play("refusals/fields").await;
}

#[tokio::test]
async fn what_is_wrong_is_said_for_people() {
    play("refusals/values").await;
}

#[tokio::test]
async fn a_whole_number_may_be_written_with_a_fraction_of_nothing() {
    let api = Api::start().await;
    let fight = api.fight().await;
    for amount in ["3.0", "3e0", "30e-1", "3"] {
        let body = format!(r#"{{"type": "damage", "target": "chansi", "amount": {amount}}}"#);
        let answer = api.post_text(&fight.path("/commands"), body).token(&fight.token).send().await.expect(200);
        assert_eq!(answer.json()["events"][0]["amount"].to_string(), "3", "{amount}");
    }
    for seed in ["0", "7.0", "9223372036854775808", "18446744073709551615"] {
        let body = format!(r#"{{"ruleset": "seize", "seed": {seed}}}"#);
        api.post_text("/v1/encounters", body).send().await.expect(201);
    }
    play("refusals/numbers").await;
}

#[tokio::test]
async fn a_parameter_names_one_range_whatever_is_wrong_with_it() {
    play("refusals/parameters").await;
}

#[tokio::test]
async fn a_token_that_makes_no_sense_is_refused_with_its_field() {
    play("refusals/tokens").await;
}

#[tokio::test]
async fn an_undo_that_makes_no_sense_is_refused_with_its_field() {
    play("refusals/undo").await;
}

#[tokio::test]
async fn every_bad_combatant_of_a_creation_is_reported() {
    let api = Api::start().await;
    let create = async |creation: Value| {
        let answer = api.post("/v1/encounters", &creation).send().await;
        let errors = answer.json()["errors"].as_array().cloned().unwrap_or_else(|| panic!("{answer:?}"));
        (answer.status, errors.iter().map(|error| text(&error["path"])).collect::<Vec<_>>())
    };
    let mut creation = json!({"ruleset": "seize", "combatants": [
        {"name": ""}, {"id": "ann"}, {"id": "ann"}, {"name": "C", "hp": {"current": 5, "max": 3}}, {"name": "D", "dex_modifier": 99}]});
    let expected = ["combatants.0.name", "combatants.2.id", "combatants.3.hp.current", "combatants.4.dex_modifier"];
    assert_eq!(create(creation.clone()).await, (422, expected.map(str::to_owned).to_vec()));
    creation["options"] = json!({"critt": 1});
    let (status, paths) = create(creation).await;
    assert_eq!((status, paths[0].as_str(), paths.len()), (400, "options.critt", 5));
    let many = vec![json!({"name": ""}); 400];
    let (status, paths) = create(json!({"ruleset": "seize", "combatants": many})).await;
    assert_eq!((status, paths.len()), (422, 20), "a bounded number");
}

#[tokio::test]
async fn options_that_make_no_sense_are_refused_with_their_field() {
    play("refusals/options").await;
}
