//! Plays the files of `tests/refusals`: requests that are refused, with the field that is wrong and what is said of it.

use super::{Api, text};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Requests to one encounter, each of which is refused and changes nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    create: Value,
    /// Commands that are accepted before.
    #[serde(default)]
    before: Vec<Value>,
    /// Members of every case, unless the case has its own.
    each: Map<String, Value>,
    cases: Vec<Map<String, Value>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// The path of a GET, below the encounter's unless it begins with `/v1`.
    get: Option<String>,
    /// The path of a POST, `/commands` by default.
    #[serde(default)]
    to: Option<String>,
    body: Option<Value>,
    /// A body that `body` cannot express; an apostrophe stands for a quotation mark.
    text: Option<String>,
    status: u16,
    code: Option<String>,
    /// The path of the first field that is wrong.
    path: Option<String>,
    /// What is said of it, word for word.
    message: Option<String>,
    /// Parts of what is said of it.
    #[serde(default)]
    mentions: Vec<String>,
}

/// Plays the file of this name.
pub async fn play(name: &str) {
    let path = format!("{}/tests/refusals/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file: File = serde_json::from_str(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
    let api = Api::start().await;
    let fight = api.create(&file.create).await;
    for command in file.before {
        fight.accepted(command).await;
    }
    let before = (fight.read("").await, fight.read("/tokens").await);
    for case in file.cases {
        let what = Value::Object(case.clone()).to_string();
        let members: Map<String, Value> = file.each.clone().into_iter().chain(case).collect();
        let case: Case = serde_json::from_value(Value::Object(members)).unwrap_or_else(|e| panic!("{e}: {what}"));
        let place = |path: &str| if path.starts_with("/v1") { path.to_owned() } else { fight.path(path) };
        let call = match (&case.get, &case.text) {
            (Some(path), _) => api.get(&place(path)),
            (None, text) => {
                let body = text.as_ref().map(|text| text.replace('\'', "\""));
                let body = body.or(case.body.as_ref().map(Value::to_string)).expect("a body or a text");
                api.post_text(&place(case.to.as_deref().unwrap_or("/commands")), body)
            }
        };
        let creates = case.to.as_deref() == Some("/v1/encounters");
        let answer = if creates { call.send().await } else { call.token(&fight.token).send().await };
        let code = case.code.unwrap_or_else(|| text(&answer.json()["code"]));
        let problem = answer.problem(case.status, &code);
        let detail = text(&problem["detail"]);
        for rust in ["struct ", "enum ", "u64", "usize", "invalid type", "invalid value", "invalid length", "variant"] {
            assert!(!detail.contains(rust), "{what}: {rust:?} is Rust's: {problem}");
        }
        let Some(path) = case.path else { continue };
        let (at, message) = (text(&problem["errors"][0]["path"]), text(&problem["errors"][0]["message"]));
        assert_eq!(at, path, "{what}: {problem}");
        assert!(!message.is_empty() && detail.contains(&message), "{what}: {problem}");
        let malformed = ["invalid_body", "invalid_value", "invalid_query", "duplicate_field"].contains(&code.as_str());
        assert!(!malformed || case.message.is_none() || detail.contains(&path), "{what}: {problem}");
        assert_eq!(case.message.as_ref().unwrap_or(&message), &message, "{what}");
        for part in case.mentions {
            assert!(message.contains(&part), "{what}: {part} is not in {message}");
        }
    }
    assert_eq!((fight.read("").await, fight.read("/tokens").await), before, "nothing was applied");
}

#[tokio::test]
async fn a_list_is_no_object_wherever_a_client_writes_one() {
    play("lists").await;
}

#[tokio::test]
async fn a_field_that_is_there_twice_is_refused_wherever_it_is() {
    play("twice").await;
}

#[tokio::test]
async fn a_field_that_is_missing_or_misspelt_is_named_with_all_that_there_are() {
    play("fields").await;
}

#[tokio::test]
async fn what_is_wrong_is_said_for_people() {
    play("values").await;
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
    for seed in ["0", "7.0", "9223372036854775808", "18446744073709551615", "null"] {
        let body = format!(r#"{{"ruleset": "seize", "seed": {seed}}}"#);
        api.post_text("/v1/encounters", body).send().await.expect(201);
    }
    play("numbers").await;
}

#[tokio::test]
async fn a_parameter_names_one_range_whatever_is_wrong_with_it() {
    play("parameters").await;
}

#[tokio::test]
async fn a_token_that_makes_no_sense_is_refused_with_its_field() {
    play("tokens").await;
}

#[tokio::test]
async fn an_undo_that_makes_no_sense_is_refused_with_its_field() {
    play("undo").await;
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
