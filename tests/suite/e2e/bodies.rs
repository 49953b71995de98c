//! How bodies and query parameters are read: nothing is taken for what it is not, and errors are for people.

use super::{Api, Call, Fight};
use crate::support::client::Answer;
use serde_json::{Value, json};

/// Two under Seize the initiative.
async fn fight(api: &Api) -> Fight<'_> {
    api.create(&json!({"ruleset": "seize", "combatants": [{"id": "ann", "hp": {"current": 5}}, {"id": "bob"}]})).await
}

/// A body that is written like this.
fn post<'a>(api: &'a Api, path: &str, text: &str) -> Call<'a> {
    api.call("POST", path).header("content-type", "application/json").body(text.to_owned())
}

/// The path and message of the first bad field of an answer, which must have this status.
#[track_caller]
fn first(answer: &Answer, status: u16) -> (String, String) {
    assert_eq!((answer.status, answer.header("content-type")), (status, "application/problem+json"), "{answer:?}");
    let problem = answer.json();
    let text = |name: &str| problem["errors"][0][name].as_str().unwrap_or_else(|| panic!("{problem}")).to_owned();
    let (path, message) = (text("path"), text("message"));
    let detail = problem["detail"].as_str().expect("a detail");
    assert!(detail.contains(&message) && detail.contains(&path), "{problem}");
    for rust in ["struct ", "enum ", "u64", "usize", "invalid type", "invalid value", "invalid length", "variant"] {
        assert!(!detail.contains(rust), "{rust:?} is Rust's: {problem}");
    }
    (path, message)
}

#[tokio::test]
async fn a_list_is_no_object_wherever_a_client_writes_one() {
    let api = Api::start().await;
    for (body, path) in [
        (r#"["seize", "arr", {}, [{"name": "A"}], "exact", 5, false]"#, ""),
        ("[]", ""),
        (r#"{"ruleset": "seize", "options": ["total", "fixed"]}"#, "options"),
        (r#"{"ruleset": "seize", "options": []}"#, "options"),
        (r#"{"ruleset": "seize", "combatants": [["A"]]}"#, "combatants.0"),
        (r#"{"ruleset": "seize", "combatants": [{"name": "A", "hp": [3, 4]}]}"#, "combatants.0.hp"),
        (
            r#"{"ruleset": "seize", "combatants": [{"name": "A", "members": [["a", {"current": 3}]]}]}"#,
            "combatants.0.members.0",
        ),
        (
            r#"{"ruleset": "seize", "combatants": [{"name": "A", "members": [{"id": "a", "hp": [3]}]}]}"#,
            "combatants.0.members.0.hp",
        ),
    ] {
        let (got, message) = first(&post(&api, "/v1/encounters", body).send().await, 400);
        assert_eq!(got, path, "{body}: {message}");
        assert!(message.contains("an object") && message.contains("is expected"), "{body}: {message}");
    }
    let fight = fight(&api).await;
    for (body, path) in [
        (r#"["note", "x"]"#, "0"),
        (r#"[["note", "x"]]"#, "0"),
        (r#"{"type": "add_effect", "effect": ["bless", "Bless", null, null, false, {"at": "removed"}]}"#, "effect"),
        (r#"{"type": "add_effect", "effect": {"name": "Bless", "expires": ["round_end", 3]}}"#, "effect.expires"),
        (
            r#"[{"type": "add_effect", "effect": {"name": "Bless", "expires": [{"at": "removed"}]}}]"#,
            "0.effect.expires",
        ),
        (r#"{"type": "add_combatant", "combatant": ["cid"]}"#, "combatant"),
        (r#"{"type": "update_combatant", "combatant": "ann", "changes": []}"#, "changes"),
        (r#"{"type": "update_combatant", "combatant": "ann", "changes": {"hp": [1, 2]}}"#, "changes.hp"),
        (r#"{"type": "start", "rolls": [["ann", 3]]}"#, "rolls"),
    ] {
        let (got, message) = first(&post(&api, &fight.path("/commands"), body).token(&fight.token).send().await, 400);
        assert_eq!(got, path, "{body}: {message}");
        assert!(message.contains("an object") || message.contains("JSON object"), "{body}: {message}");
    }
    let (path, message) = first(&fight.ask(&json!(["spectator"])).send().await, 400);
    assert_eq!((path.as_str(), message.as_str()), ("", "an object is expected, not a list"));
    assert_eq!(fight.get("").send().await.json()["version"], 0, "nothing was applied");
}

#[tokio::test]
async fn a_field_that_is_there_twice_is_refused_wherever_it_is() {
    let api = Api::start().await;
    for (body, path) in [
        (r#"{"ruleset": "seize", "ruleset": "exp"}"#, "ruleset"),
        (r#"{"ruleset": "seize", "options": {"crit_on": "total", "crit_on": "total"}}"#, "options.crit_on"),
        (
            r#"{"ruleset": "seize", "combatants": [{"name": "A"}, {"name": "B", "side": "x", "name": "C"}]}"#,
            "combatants.1.name",
        ),
        (
            r#"{"ruleset": "seize", "combatants": [{"name": "A", "dex_modifier": 1, "dex_modifier": 2}]}"#,
            "combatants.0.dex_modifier",
        ),
        (
            r#"{"ruleset": "seize", "combatants": [{"name": "A", "hp": {"current": 1, "\u0063urrent": 2}}]}"#,
            "combatants.0.hp.current",
        ),
    ] {
        let (got, message) = first(&post(&api, "/v1/encounters", body).send().await, 400);
        assert_eq!((got.as_str(), message.as_str()), (path, "it is there twice: send it once"), "{body}");
    }
    let fight = fight(&api).await;
    for (body, path) in [
        (r#"{"type": "note", "type": "end_encounter", "text": "x"}"#, "type"),
        (r#"{"type": "note", "text": "x", "text": "y"}"#, "text"),
        (r#"[{"type": "note", "text": "x"}, {"type": "note", "text": "x", "text": "x"}]"#, "1.text"),
        (
            r#"{"type": "add_effect", "effect": {"name": "B", "expires": {"at": "removed", "at": "removed"}}}"#,
            "effect.expires.at",
        ),
        (r#"{"type": "update_combatant", "combatant": "ann", "changes": {"side": "x", "side": "y"}}"#, "changes.side"),
        (r#"{"type": "start", "rolls": {"ann": 3, "ann": 4}}"#, "rolls.ann"),
    ] {
        let (got, message) = first(&post(&api, &fight.path("/commands"), body).token(&fight.token).send().await, 400);
        assert_eq!((got.as_str(), message.as_str()), (path, "it is there twice: send it once"), "{body}");
    }
    let answer =
        post(&api, &fight.path("/tokens"), r#"{"role": "spectator", "role": "gm"}"#).token(&fight.token).send().await;
    assert_eq!(first(&answer, 400).0, "role");
    assert_eq!(first(&fight.get("?at=0&at=0").send().await, 400).0, "at");
    assert_eq!(fight.get("").send().await.json()["version"], 0, "nothing was applied");
}

#[tokio::test]
async fn a_field_that_is_missing_or_misspelt_is_named_with_all_that_there_are() {
    let api = Api::start().await;
    let fight = fight(&api).await;
    for (body, path, message) in [
        (json!({"type": "end_turn"}), "combatant", "missing field `combatant`"),
        (json!([{"type": "start"}, {"type": "end_turn"}]), "1.combatant", "missing field `combatant`"),
        (json!({"type": "add_effect", "effect": {"name": "B"}}), "effect.expires", "missing field `expires`"),
        (
            json!({"type": "add_effect", "effect": {"name": "B", "expires": {}}}),
            "effect.expires.at",
            "missing field `at`",
        ),
        (
            json!({"type": "end_turn", "combatant": "ann", "nxt": "bob"}),
            "nxt",
            "there is no such field: there are type, combatant, next",
        ),
        (
            json!({"type": "add_effect", "effect": {"name": "B", "expires": {"at": "round_end", "round": 1}}}),
            "effect.expires.round",
            "there is no such field: there are at, rounds",
        ),
        (
            json!({"type": "add_effect", "effect": {"name": "B", "expires": {"at": "turn_end", "rounds": 1}}}),
            "effect.expires.rounds",
            "there is no such field: there are at, of, turns",
        ),
        (
            json!({"type": "add_effect", "effect": {"name": "B", "expires": {"of": "ann", "at": "removed"}}}),
            "effect.expires.of",
            "there is no such field: there are at",
        ),
        (
            json!({"type": "add_effect", "effect": {"name": "B", "expires": {"at": "round_end"}}}),
            "effect.expires.rounds",
            "missing field `rounds`",
        ),
        (
            json!({"type": "add_effect", "effect": {"name": "B", "expires": {"at": "turn_end", "turns": null}}}),
            "effect.expires.turns",
            "a whole number from 1 to 10000 is expected, not null",
        ),
        (json!({"type": "end_encounter", "now": true}), "now", "there is no such field: there are type"),
        (
            json!({"type": "update_combatant", "combatant": "ann", "changes": {"sde": "x"}}),
            "changes.sde",
            "there is no such field: there are id, name, side, kind, controller, hidden, hp, members, conditions, initiative_bonus, \
             dex_modifier, roll_group",
        ),
        (
            json!({"type": "update_combatant", "combatant": "ann", "changes": {"hp": {"curent": 3}}}),
            "changes.hp.curent",
            "there is no such field: there are current, max, temp",
        ),
    ] {
        let got = first(&fight.command(&body).send().await, 400);
        assert_eq!((got.0.as_str(), got.1.as_str()), (path, message), "{body}");
    }
    let creation = json!({"ruleset": "exp", "combatants": [{"name": "A"}, {"name": "B", "sde": "monsters"}]});
    let (path, message) = first(&api.post("/v1/encounters", &creation).send().await, 400);
    assert_eq!(path, "combatants.1.sde");
    let fields = turnkeeper::vocabulary::Draft::FIELDS.join(", ");
    assert!(message.starts_with(&format!("there is no such field: there are {fields}, ")), "{message}");
}

#[tokio::test]
async fn what_is_wrong_is_said_for_people() {
    let api = Api::start().await;
    let named = |more: Value| {
        let mut creation = json!({"ruleset": "seize"});
        creation.as_object_mut().expect("fields").extend(more.as_object().expect("fields").clone());
        creation
    };
    let number = "a whole number from 0 to 18446744073709551615 is expected";
    for (creation, status, path, message) in [
        (json!([]), 400, "", "an object is expected, not a list".to_owned()),
        (json!(7), 400, "", "an object is expected, not 7".to_owned()),
        (json!({"ruleset": null}), 400, "ruleset", "text is expected, not null".to_owned()),
        (named(json!({"seed": -1})), 422, "seed", format!("{number}, not -1")),
        (named(json!({"seed": 1.5})), 400, "seed", format!("{number}, not 1.5")),
        (named(json!({"player_undo": "yes"})), 400, "player_undo", "true or false is expected, not \"yes\"".to_owned()),
        (named(json!({"foe_hp": "all"})), 422, "foe_hp", "one of exact, banded, none is expected, not \"all\"".to_owned()),
        (named(json!({"foe_hp": 3})), 400, "foe_hp", "one of exact, banded, none is expected, not 3".to_owned()),
        (named(json!({"combatants": {}})), 400, "combatants", "a list is expected, not an object".to_owned()),
        (named(json!({"combatants": [{"name": "A", "hp": 12}]})), 400, "combatants.0.hp",
            "an object is expected, not 12".to_owned()),
        (named(json!({"combatants": [{"name": "A", "hp": {"current": -1}}]})), 422, "combatants.0.hp.current",
            "a whole number from 0 to 1000000 is expected, not -1".to_owned()),
        (named(json!({"combatants": [{"name": "A", "members": [3]}]})), 400, "combatants.0.members.0",
            "a member's id, or an object with its id and hit points, is expected, not 3".to_owned()),
        (named(json!({"combatants": [{"name": "A", "members": ["A B"]}]})), 422, "combatants.0.members.0",
            "a short name of lower-case letters, digits, - and _ (at most 40), such as goblin-1 is expected, not \"A B\"".to_owned()),
        (named(json!({"combatants": [{"id": "a"}, {"id": "a"}]})), 422, "combatants.1.id",
            "there is a combatant a already: choose another id".to_owned()),
        (named(json!({"combatants": [{"id": "a", "members": ["m", {"id": "m", "hp": {"current": 3}}]}]})), 422,
            "combatants.0.members.1.id", "there is a member m already: choose another id".to_owned()),
        (named(json!({"combatants": [{"id": "a", "members": ["l", "m", "m"]}]})), 422, "combatants.0.members.2",
            "there is a member m already: choose another id".to_owned()),
    ] {
        let got = first(&api.post("/v1/encounters", &creation).send().await, status);
        assert_eq!((got.0.as_str(), &got.1), (path, &message), "{creation}");
    }
    let fight = fight(&api).await;
    for (expires, path, message) in [
        (
            json!({"at": "round_end", "rounds": 0}),
            "effect.expires.rounds",
            "a whole number from 1 to 10000 is expected, not 0",
        ),
        (
            json!({"turns": 10_001, "at": "turn_end"}),
            "effect.expires.turns",
            "a whole number from 1 to 10000 is expected, not 10001",
        ),
        (
            json!({"at": "turn_start", "of": "A B"}),
            "effect.expires.of",
            "a short name of lower-case letters, digits, - and _ (at most 40), such as goblin-1 is expected, not \"A B\"",
        ),
    ] {
        let command = json!({"type": "add_effect", "effect": {"name": "B", "expires": expires}});
        let got = first(&fight.command(&command).send().await, 422);
        assert_eq!((got.0.as_str(), got.1.as_str()), (path, message), "{command}");
    }
    for (query, path, message) in [
        ("?at=abc", "at", format!("{number}, not \"abc\"")),
        ("?at=", "at", format!("{number}, not \"\"")),
        ("?att=1", "att", "there is no such field: there are at".to_owned()),
        ("/events?after=x", "after", format!("{number}, not \"x\"")),
        ("/options?x=1", "x", "there is no such field: none is expected here".to_owned()),
    ] {
        let got = first(&fight.get(query).send().await, 400);
        assert_eq!((got.0.as_str(), &got.1), (path, &message), "{query}");
    }
    let dry = api.post(&fight.path("/commands?dry_run=1"), &super::note("x")).token(&fight.token).send().await;
    let got = first(&dry, 400);
    assert_eq!(got, ("dry_run".to_owned(), "true or false is expected, not \"1\"".to_owned()));
}

#[tokio::test]
async fn every_bad_combatant_of_a_creation_is_reported() {
    let api = Api::start().await;
    let paths = |answer: &Answer| -> Vec<String> {
        let problem = answer.json();
        let errors = problem["errors"].as_array().unwrap_or_else(|| panic!("{problem}"));
        errors.iter().map(|error| error["path"].as_str().expect("a path").to_owned()).collect()
    };
    let mut creation = json!({"ruleset": "seize", "combatants": [
        {"name": ""}, {"id": "ann"}, {"id": "ann"}, {"name": "C", "hp": {"current": 5, "max": 3}}, {"name": "D", "dex_modifier": 99}]});
    let answer = api.post("/v1/encounters", &creation).send().await;
    let expected = ["combatants.0.name", "combatants.2.id", "combatants.3.hp.current", "combatants.4.dex_modifier"];
    assert_eq!((answer.status, paths(&answer)), (422, expected.map(str::to_owned).to_vec()), "{answer:?}");
    creation["options"] = json!({"critt": 1});
    let answer = api.post("/v1/encounters", &creation).send().await;
    assert_eq!((answer.status, paths(&answer)[0].as_str()), (400, "options.critt"), "{answer:?}");
    assert_eq!(paths(&answer).len(), 5, "{answer:?}");
    let many: Vec<Value> = (0..400).map(|_| json!({"name": ""})).collect();
    let answer = api.post("/v1/encounters", &json!({"ruleset": "seize", "combatants": many})).send().await;
    assert_eq!((answer.status, paths(&answer).len()), (422, 20), "a bounded number: {answer:?}");
}
