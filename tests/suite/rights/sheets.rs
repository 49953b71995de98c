//! Who reads the parts of a combatant's sheet: the view, the events and the options say nothing else.

use crate::e2e::{Api, Fight};
use rstest::rstest;
use serde_json::{Value, json};
use turnkeeper::engine::Rulesets;

/// The parts of a sheet, each with a value, another one, and who reads it if nobody says.
fn parts() -> [(&'static str, Value, Value, &'static str); 4] {
    [
        ("armor_class", json!(77), json!(88), "player"),
        ("level", json!(13), json!(14), "all"),
        (
            "notes",
            json!("it fears fire"),
            json!("it fears\nwater"),
            "gm",
        ),
        (
            "link",
            json!("https://example.org/77"),
            json!("https://example.org/88"),
            "player",
        ),
    ]
}

/// Whether this reader is among `readers`.
fn reads(reader: &str, readers: &str) -> bool {
    match readers {
        "all" => true,
        "player" => matches!(reader, "gm" | "owner"),
        _ => reader == "gm",
    }
}

async fn readers(gm: &Fight) -> [(&'static str, Fight); 4] {
    [
        ("gm", gm.clone()),
        ("owner", gm.player(&["orc"]).await),
        ("other", gm.player(&["ann"]).await),
        ("spectator", gm.spectator().await),
    ]
}

fn of_orc(view: &Value) -> Value {
    let combatants = view["combatants"].as_array().expect("combatants");
    let orc = combatants.iter().find(|one| one["id"] == "orc");
    orc.expect("the orc").clone()
}

#[rstest]
#[case::usual(None)]
#[case::gm(Some("gm"))]
#[case::player(Some("player"))]
#[case::all(Some("all"))]
#[tokio::test]
async fn each_part_of_a_sheet_is_read_by_its_readers_alone(#[case] set: Option<&str>) {
    let api = Api::start().await;
    for ruleset in Rulesets::shipped().iter() {
        let id = ruleset.manifest.id;
        let combatants =
            json!([{"id": "ann", "name": "Ann"}, {"id": "orc", "name": "Orc", "side": "monsters"}]);
        let gm = api
            .create(&json!({"ruleset": id, "combatants": combatants}))
            .await;
        let readers = readers(&gm).await;
        for (part, first, second, usual) in parts() {
            let who = set.unwrap_or(usual);
            // The rolls of these show it.
            if part == "level" && who != "all" && ["exp", "dc20"].contains(&id) {
                let update = json!({"type": "update_combatant", "combatant": "orc",
                    "changes": {"level": 3, "level_seen_by": who}});
                gm.refused(update, 422, "invalid_value").await;
                continue;
            }
            let mut changes = json!({part: first});
            if let Some(set) = set {
                changes[format!("{part}_seen_by")] = json!(set);
            }
            let update = |changes: Value| json!({"type": "update_combatant", "combatant": "orc", "changes": changes});
            gm.accepted(update(changes)).await;
            let before = gm.read("").await["version"].as_u64().expect("a version");
            gm.accepted(update(json!({part: second}))).await;
            for (reader, fight) in &readers {
                let may = reads(reader, who);
                let seen = of_orc(&fight.read("").await);
                assert_eq!(
                    seen.get(part),
                    may.then_some(&second),
                    "{id}: {part} for {reader}"
                );
                let said = seen.get(format!("{part}_seen_by")).is_some();
                assert_eq!(
                    said,
                    may && set.is_some(),
                    "{id}: readers of {part} for {reader}"
                );
                let events = fight.read(&format!("/events?after={before}")).await;
                let text = events["items"][0]["events"].to_string();
                assert_eq!(
                    text.contains(part),
                    may,
                    "{id}: {part} for {reader} in {text}"
                );
            }
        }
    }
}

#[tokio::test]
async fn an_empty_text_takes_notes_and_a_link_away() {
    let api = Api::start().await;
    let orc = json!({"id": "orc", "name": "Orc", "side": "monsters", "notes": "Line\nbreak", "link": "http://e.org"});
    let fight = api
        .create(&json!({"ruleset": "seize", "combatants": [orc]}))
        .await;
    let update = |changes: Value| json!({"type": "update_combatant", "combatant": "orc", "changes": changes});
    let changes = json!({"armor_class": 15, "armor_class_seen_by": "all"});
    let answer = fight.accepted(update(changes)).await.json();
    let said = answer["events"][0]["text"].as_str().expect("a sentence");
    assert_eq!(
        said,
        "Orc: armor class and readers of the armor class changed."
    );
    let orc = of_orc(&fight.read("").await);
    assert_eq!(
        (&orc["notes"], &orc["link"]),
        (&json!("Line\nbreak"), &json!("http://e.org")),
        "a change keeps the others"
    );
    fight
        .accepted(update(json!({"notes": "", "link": ""})))
        .await;
    let orc = of_orc(&fight.read("").await);
    assert_eq!(
        (orc.get("notes"), orc.get("link"), &orc["armor_class"]),
        (None, None, &json!(15))
    );
    for (changes, path) in [
        (json!({"link": "javascript:alert(1)"}), "changes.link"),
        (json!({"link": "Party/Mira.md"}), "changes.link"),
        (json!({"notes": "x".repeat(1001)}), "changes.notes"),
        (json!({"level": 0}), "changes.level"),
        (
            json!({"notes_seen_by": "everybody"}),
            "changes.notes_seen_by",
        ),
    ] {
        let refused = fight.command(&update(changes)).send().await;
        assert_eq!(refused.status, 422, "{refused:?}");
        assert_eq!(refused.json()["errors"][0]["path"], path);
    }
}

#[tokio::test]
async fn the_turn_table_has_the_armor_class_for_its_readers() {
    let api = Api::start().await;
    let orc = json!({"id": "orc", "name": "Orc", "side": "monsters", "hp": {"current": 9}, "armor_class": 13});
    let fight = api
        .create(&json!({"ruleset": "custom", "combatants": [orc]}))
        .await;
    let table = |fight: Fight| async move {
        let answer = fight.get("").header("accept", "text/plain").send().await;
        answer.expect(200).text()
    };
    assert!(
        table(fight.clone()).await.contains("hp 9/9, AC 13"),
        "for the game master"
    );
    assert!(
        !table(fight.spectator().await).await.contains("13"),
        "for a spectator"
    );
}
