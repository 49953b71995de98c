//! Files of other trackers: what becomes of each, and that it can be played.

use super::{Answer, Api, Client, Fight, note};
use crate::fuzz::distort;
use crate::reference::page_is;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rstest::rstest;
use serde_json::{Value, json};

/// Files as other programs write them.
const FILES: &str = "tests/fixtures/trackers";

async fn convert(api: &Client, query: &str, file: impl Into<Vec<u8>>) -> Answer {
    let path = format!("/v1/encounters/convert{query}");
    api.post_text(&path, file.into()).send().await
}

/// The files by their names.
pub fn trackers() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(FILES).expect(FILES) {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        files.push((name, std::fs::read(&path).expect("a file")));
    }
    files.sort();
    files
}

#[tokio::test]
async fn each_file_becomes_what_it_says_and_the_rest_is_listed() {
    let api = Api::start().await;
    let mut said = serde_json::Map::new();
    for (name, file) in trackers() {
        let answer = convert(&api, "", file).await.expect(200);
        said.insert(name, answer.json());
    }
    let said = serde_json::to_string_pretty(&said).expect("JSON") + "\n";
    page_is("tests/fixtures/converted.json", &said);
}

/// Ends turns, and lets the rules decide what is asked, until the third round.
async fn play(fight: &Fight) -> usize {
    fight.accepted(json!({"type": "start"})).await;
    for step in 0..200 {
        let encounter = fight.read("").await;
        if encounter["round"] == 3 {
            return step;
        }
        let command = match encounter["current"].get(0) {
            Some(combatant) => json!({"type": "end_turn", "combatant": combatant}),
            None => json!({"type": "resolve"}),
        };
        fight.accepted(command).await;
    }
    panic!("no third round: {}", fight.read("").await);
}

#[tokio::test]
async fn each_file_is_created_and_played_for_two_rounds() {
    let api = Api::start().await;
    for (name, file) in trackers() {
        let created = convert(&api, "?create=true", file).await;
        assert_eq!(created.status, 201, "{name}: {created:?}");
        let fight = Fight::of(&api, &created);
        let steps = play(&fight).await;
        assert!(steps > 2, "{name}: {steps} steps");
    }
}

#[tokio::test]
async fn each_file_becomes_a_fight_of_each_ruleset() {
    let api = Api::start().await;
    for ruleset in api.read("/v1/rulesets").await["items"]
        .as_array()
        .expect("rulesets")
    {
        let id = ruleset["id"].as_str().expect("an id");
        for (name, file) in trackers() {
            let query = format!("?create=true&ruleset={id}");
            let created = convert(&api, &query, file).await;
            assert_eq!(created.status, 201, "{id}, {name}: {created:?}");
        }
    }
}

#[tokio::test]
async fn a_known_order_is_the_files_also_among_equals() {
    let api = Api::start().await;
    let row = |id: &str, pr: Value| json!({"id": id, "pr": pr, "custom": ""});
    let rows = json!([
        row("c", json!("15.03")),
        row("d", json!(15.03)),
        row("b", json!("15.03")),
        row("z", json!(20)),
        row("y", json!("-0.5")),
        row("a", json!(0)),
    ]);
    let created = convert(&api, "?create=true", rows.to_string()).await;
    let fight = Fight::of(&api, &created);
    let started = fight.accepted(json!({"type": "start"})).await.json();
    let order = started["encounter"]["order"].as_array().expect("an order");
    let order: Vec<_> = order
        .iter()
        .map(|row| row["combatant"].as_str().expect("an id"))
        .collect();
    assert_eq!(order, ["z", "c", "d", "b", "a", "y"]);
    assert_eq!(started["encounter"]["order"][1]["initiative"], 15.03);
}

#[tokio::test]
async fn what_is_made_of_a_file_can_be_created_whatever_the_file_says() {
    let api = Api::start().await;
    let mut rng = StdRng::seed_from_u64(56);
    let mut converted = 0;
    for _ in 0..60 {
        for (name, file) in trackers() {
            let mut file: Value = serde_json::from_slice(&file).expect("JSON");
            for _ in 0..rng.random_range(1..6) {
                distort(&mut rng, &mut file);
            }
            let answer = convert(&api, "", file.to_string()).await;
            if answer.status != 200 {
                answer.problem(422, "invalid_value");
                continue;
            }
            converted += 1;
            let creation = answer.json()["creation"].clone();
            let created = api.post("/v1/encounters", &creation).send().await;
            assert_eq!(
                created.status, 201,
                "{name}: {file}: {creation}: {created:?}"
            );
        }
    }
    assert!(converted > 200, "only {converted} files were read");
}

#[tokio::test]
async fn a_creation_is_made_once_for_a_key() {
    let api = Api::start().await;
    let file = json!([{"name": "Ogre", "count": 2}]).to_string();
    let key = "a-key-of-more-than-22-characters";
    let path = "/v1/encounters/convert?create=true";
    let first = api
        .post_text(path, file.clone())
        .key(key)
        .send()
        .await
        .expect(201);
    let again = api
        .post_text(path, file.clone())
        .key(key)
        .send()
        .await
        .expect(201);
    assert_eq!(first.json()["token"], again.json()["token"]);
    let other = api
        .post_text(path, file.replace('2', "3"))
        .key(key)
        .send()
        .await;
    other.problem(422, "idempotency_key_reused");
}

#[rstest]
#[case::of_several(
    "?create=true",
    r#"{"encounters": {"One": {"creatures": [{"name": "A"}]}, "Two": {"creatures": []}}}"#,
    "The file has 2 fights: One, Two. Say which one with `encounter`."
)]
#[case::of_another_name(
    "?encounter=Three",
    r#"{"encounters": {"One": {"creatures": [{"name": "A"}]}}}"#,
    "The file has no fight of this name. It has: One."
)]
#[case::empty(
    "?encounter=Two",
    r#"{"encounters": {"One": {"creatures": [{"name": "A"}]}, "Two": {"creatures": []}}}"#,
    "The fight has no creatures. Add some in the tracker first."
)]
#[case::too_many(
    "",
    r#"[{"name": "Rat", "count": 501}]"#,
    "The fight has more than 500 creatures, the most of an encounter. Remove some first."
)]
#[case::unknown("", r#"{"hello": "world"}"#, "No known file.")]
#[case::an_empty_list("", "[]", "No known file.")]
#[case::numbers("", "[1, 2, 3]", "No known file.")]
#[case::a_number("", "3", "No known file.")]
#[case::ruleset("?ruleset=chess", r#"["Ogre"]"#, "ruleset: Unknown ruleset.")]
#[tokio::test]
async fn a_file_without_a_fight_is_refused(
    #[case] query: &str,
    #[case] file: &str,
    #[case] detail: &str,
) {
    let api = Api::start().await;
    let problem = convert(&api, query, file)
        .await
        .problem(422, "invalid_value");
    let said = problem["detail"].as_str().expect("a detail");
    assert!(said.starts_with(detail), "{said}");
}

#[tokio::test]
async fn a_file_that_is_no_json_is_malformed_and_a_mark_of_bytes_is_none() {
    let api = Api::start().await;
    convert(&api, "", "{\"state\": ")
        .await
        .problem(400, "invalid_json");
    // Not through the client, which reads each body as JSON.
    let marked = api.post_text("/v1/encounters/convert", "\u{feff}[\"Ogre\"]");
    let answer = marked.request().send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
}

/// What a spectator sees of a file's fight, before the start and after it.
async fn seen(api: &Client, file: &Value) -> Vec<Value> {
    let created = convert(api, "?create=true", file.to_string()).await;
    let fight = Fight::of(api, &created);
    let spectator = fight.spectator().await;
    let mut seen = Vec::new();
    for command in [note("x"), json!({"type": "start"})] {
        fight.accepted(command).await;
        let mut view = spectator.read("").await;
        for own in ["id", "created_at", "since", "version", "you"] {
            view.as_object_mut().expect("an object").remove(own);
        }
        seen.push(view);
    }
    seen
}

#[rstest]
#[case::a_namesake(json!({"name": "Goblin", "initiative": 12}))]
#[case::an_equal(json!({"name": "Assassin", "initiative": 12}))]
#[case::another(json!({"name": "Wraith", "initiative": 7, "hp": 9, "ac": 15, "note": "It waits"}))]
#[case::with_a_number(json!({"name": "Goblin", "number": 2, "initiative": 3}))]
#[tokio::test]
async fn a_hidden_creature_of_a_file_shows_nowhere(#[case] mut hidden: Value) {
    let api = Api::start().await;
    hidden["hidden"] = json!(true);
    for seen_ones in [
        json!([{"name": "Goblin", "initiative": 12, "id": "1"}, {"name": "Orc", "initiative": 5, "id": "3"}]),
        json!([{"name": "Goblin", "initiative": 12, "number": 1}, {"name": "Goblin", "number": 3, "initiative": 12},
            {"name": "Ann", "player": true, "initiative": 12}]),
    ] {
        let alone = json!({"creatures": seen_ones});
        let mut both = alone.clone();
        let creatures = both["creatures"].as_array_mut().expect("creatures");
        creatures.insert(1, hidden.clone());
        // The file's numbers and its short ids are kept only where a gap shows nothing.
        let mut bare = alone.clone();
        for creature in bare["creatures"].as_array_mut().expect("creatures") {
            for field in ["id", "number"] {
                creature.as_object_mut().expect("an object").remove(field);
            }
        }
        let with_hidden = seen(&api, &both).await;
        let without = [seen(&api, &alone).await, seen(&api, &bare).await];
        assert!(
            without.contains(&with_hidden),
            "{with_hidden:?}\n{without:?}"
        );
    }
}

#[rstest]
#[case::conditions(json!([{"name": "N".repeat(74), "count": 500, "conditions": vec!["!"; 3000]}]))]
#[case::conditions_apart(json!([{"name": "A", "count": 500,
    "conditions": (0..3000).map(|n| format!("c{n}")).collect::<Vec<_>>()}]))]
#[case::long_notes(json!([{"name": "A", "count": 400, "notes": "x".repeat(1_000_000)}]))]
#[case::long_names(json!([{"name": "y".repeat(1_000_000), "count": 500}]))]
#[case::a_long_group(json!({"channel": "1", "dm": 1, "combatants": [
    {"type": "group", "name": "g".repeat(1_000_000), "combatants": vec![json!({}); 400]}]}))]
#[case::one_actor(json!({"combat": {"combatants": vec![json!({"tokenId": "a", "actorId": "x"}); 400]},
    "actors": [{"_id": "x", "data": {"name": "y".repeat(1_000_000)}}]}))]
#[case::a_long_fight(json!({"encounters": {"k".repeat(1_000_000): {"creatures": [{"name": "A"}]}}}))]
#[case::unknown_fields(json!([(0..5000).map(|n| (format!("f{n}"), json!(1)))
    .chain([("name".to_owned(), json!("A")), ("count".to_owned(), json!(500))]).collect::<Value>()]))]
#[tokio::test]
async fn an_answer_does_not_grow_with_what_a_file_repeats(#[case] file: Value) {
    let api = Api::start().await;
    let answer = convert(&api, "", file.to_string()).await.expect(200);
    let size = answer.body.len();
    assert!(size < 1_000_000, "{size} bytes");
    let count = answer.json()["creation"]["combatants"]
        .as_array()
        .expect("combatants")
        .len();
    assert!(count <= 500);
}

#[tokio::test]
async fn what_cannot_be_read_is_said_and_takes_nothing_with_it() {
    let api = Api::start().await;
    let file = r#"{"creatures": [
        {"\ud83d": 1, "name": "Half \ud83d of it", "hp": 7, "currentHP": "7/7", "initiative": 1e400,
            "modifier": "+2x", "status": [{"x": 1}, "Prone"]},
        {"name": "Other\u2028line\u202e", "initiative": "3", "hp": "9", "number": 1e300},
        {"name": "Other\u2028line", "initiative": 3, "number": 2}]}"#;
    // Not through the client, which reads each body as JSON.
    let call = api.post_text("/v1/encounters/convert", file);
    let answer = call.request().send().await.expect("an answer");
    let text = answer.text().await.expect("a text");
    let conversion: Value = serde_json::from_str(&text).expect("JSON");
    let combatants = &conversion["creation"]["combatants"];
    assert_eq!(combatants[0]["hp"], json!({"current": 7, "max": 7}));
    assert_eq!(combatants[0]["conditions"], json!(["prone"]));
    assert_eq!(combatants[1]["name"], "Other line 1");
    let left = conversion["left_out"].as_array().expect("a list");
    for (field, why) in [
        ("currentHP", "\"7/7\" is no number."),
        ("initiative", "1e400 is no number."),
        ("modifier", "\"+2x\" is no number."),
        ("status", "A condition without a name."),
    ] {
        let said = left
            .iter()
            .any(|one| one["field"] == field && one["why"] == why && one["count"] == 1);
        assert!(said, "{field}: {left:?}");
    }
}

#[tokio::test]
async fn what_is_more_than_a_number_is_in_the_notes() {
    let api = Api::start().await;
    for (ac, level, armor_class, expected, notes) in [
        ("16", "4", json!(16), json!(4), Value::Null),
        (
            "+15 (shield)",
            "1/2",
            json!(15),
            Value::Null,
            json!("Level: 1/2\nAC: +15 (shield)"),
        ),
        ("500", "25", json!(500), json!(25), Value::Null),
        (
            "hide",
            "0",
            Value::Null,
            Value::Null,
            json!("Level: 0\nAC: hide"),
        ),
    ] {
        let file = json!([{"name": "Ogre", "ac": ac, "level": level}]).to_string();
        for ruleset in ["custom", "dc20", "exp"] {
            let query = format!("?ruleset={ruleset}&create=true");
            let created = convert(&api, &query, file.clone()).await.expect(201).json();
            let ogre = &created["encounter"]["combatants"][0];
            let said = [&ogre["armor_class"], &ogre["level"], &ogre["notes"]];
            assert_eq!(
                said,
                [&armor_class, &expected, &notes],
                "{ruleset}: {ac}, {level}"
            );
        }
    }
}

#[tokio::test]
async fn fights_of_one_name_are_told_apart() {
    let api = Api::start().await;
    let fight = |name: &str| json!({"name": "Cave", "roundNum": 0, "players": [], "monsters": [{"name": name}]});
    let file = json!({"data": [fight("Bat"), fight("Rat")]}).to_string();
    let conversion = convert(&api, "?encounter=Cave%20(2)", file)
        .await
        .expect(200)
        .json();
    assert_eq!(conversion["encounters"], json!(["Cave", "Cave (2)"]));
    assert_eq!(conversion["creation"]["combatants"][0]["name"], "Rat");
}
