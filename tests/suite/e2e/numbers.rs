//! Numbers: JSON writes a whole one in several ways, and one that is too large is no less a number.

use super::{Api, ambush};
use serde_json::json;

#[tokio::test]
async fn a_whole_number_may_be_written_with_a_fraction_of_nothing() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let damage = async |amount: &str| {
        let call = api.call("POST", &fight.path("/commands")).token(&fight.token);
        let body = format!(r#"{{"type": "damage", "target": "chansi", "amount": {amount}}}"#);
        call.header("content-type", "application/json").body(body).send().await
    };
    for amount in ["3.0", "3e0", "30e-1", "3"] {
        let answer = damage(amount).await;
        assert_eq!(answer.status, 200, "{amount}: {answer:?}");
        assert_eq!(answer.json()["events"][0]["amount"].to_string(), "3", "{amount}");
    }
    let number = "a whole number from 0 to 1000000 is expected";
    for (amount, status, code, said) in [
        ("3.5", 400, "invalid_body", format!("{number}, not 3.5")),
        ("-3.0", 422, "invalid_value", format!("{number}, not -3")),
        ("1e15", 422, "invalid_value", format!("{number}, not 1000000000000000")),
        ("9999999999999999999", 422, "invalid_value", format!("{number}, not 9999999999999999999")),
        // More digits than are kept: what was not sent is not quoted.
        ("99999999999999999999", 422, "invalid_value", format!("{number}, not a number of that size")),
        ("-1e300", 422, "invalid_value", format!("{number}, not a number of that size")),
        ("9007199254740993.0", 422, "invalid_value", format!("{number}, not a number of that size")),
        ("\"3\"", 400, "invalid_body", format!("{number}, not \"3\"")),
    ] {
        let problem = damage(amount).await.problem(status, code);
        assert_eq!(problem["errors"][0], json!({"path": "amount", "message": said}), "{amount}");
    }
    let text = json!({"type": "note", "text": 1e30});
    let problem = fight.command(&text).send().await.problem(400, "invalid_body");
    assert_eq!(problem["errors"][0]["message"], "text is expected, not a number of that size");
}

#[tokio::test]
async fn a_seed_is_any_number_of_64_bits_and_what_is_beyond_is_out_of_range() {
    let api = Api::start().await;
    let create = async |seed: &str| {
        let body = ambush().to_string().replacen('{', &format!("{{\"seed\": {seed}, "), 1);
        api.call("POST", "/v1/encounters").header("content-type", "application/json").body(body).send().await
    };
    for seed in ["0", "7.0", "9223372036854775808", "18446744073709551615"] {
        assert_eq!(create(seed).await.status, 201, "{seed}");
    }
    for (seed, status) in [("-1", 422), ("18446744073709551616", 422), ("-1e25", 422), ("0.5", 400), ("null", 201)] {
        assert_eq!(create(seed).await.status, status, "{seed}");
    }
    let refused = create("18446744073709551616").await.problem(422, "invalid_value");
    assert!(!refused.to_string().contains("18446744073709552"), "{refused}");
}

#[tokio::test]
async fn a_parameter_names_one_range_whatever_is_wrong_with_it() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let version = "a whole number from 0 to 18446744073709551615 is expected";
    let (limit, wait) = ("a whole number from 1 to 1000 is expected", "a whole number from 0 to 60 is expected");
    for (query, status, path, said) in [
        ("/events?limit=x", 400, "limit", format!("{limit}, not \"x\"")),
        ("/events?limit=1.5", 400, "limit", format!("{limit}, not \"1.5\"")),
        ("/events?limit=0", 422, "limit", format!("{limit}, not 0")),
        ("/events?limit=1001", 422, "limit", format!("{limit}, not 1001")),
        ("/events?limit=-1", 422, "limit", format!("{limit}, not -1")),
        ("/events?limit=99999999999999999999", 422, "limit", format!("{limit}, not \"99999999999999999999\"")),
        ("/events?wait=61", 422, "wait", format!("{wait}, not 61")),
        ("/events?wait=", 400, "wait", format!("{wait}, not \"\"")),
        ("/events?after=-1", 422, "after", format!("{version}, not \"-1\"")),
        ("?at=18446744073709551616", 422, "at", format!("{version}, not \"18446744073709551616\"")),
        ("?at=-", 400, "at", format!("{version}, not \"-\"")),
    ] {
        let code = if status == 400 { "invalid_query" } else { "invalid_value" };
        let problem = fight.get(query).send().await.problem(status, code);
        assert_eq!(problem["errors"][0], json!({"path": path, "message": said}), "{query}");
    }
    assert_eq!(fight.get("/events?limit=1&wait=0").send().await.status, 200);
}
