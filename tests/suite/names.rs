//! Sentences for people have names, also where ids look like nothing a person would say.

use crate::support::table::{RULESETS, Table, owned, seeded, sentences_of};
use crate::transcripts;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use turnkeeper::engine::Request;
use turnkeeper::vocabulary::{CombatantId, Time};

/// An id as virtual tabletops make them.
fn foreign(id: &str) -> String {
    format!("Token.{id}:1")
}

/// The combatants that a transcript creates or adds.
fn combatants(transcript: &Value) -> Vec<&Value> {
    let list = |value: &'static str, within: &Value| within[value].as_array().map_or(0, Vec::len);
    let created = (0..list("combatants", &transcript["create"]))
        .map(|i| &transcript["create"]["combatants"][i]);
    let steps = transcript["steps"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|step| &step["send"]);
    let sent = steps.flat_map(|send| {
        send.as_array()
            .map_or(std::slice::from_ref(send), Vec::as_slice)
    });
    created
        .chain(
            sent.filter(|command| command["type"] == "add_combatant")
                .map(|add| &add["details"]),
        )
        .collect()
}

/// The same JSON with other ids; what had no name but its id keeps that as its name.
fn renamed(value: &Value, ids: &HashSet<&str>) -> Value {
    match value {
        Value::String(id) if ids.contains(id.as_str()) => json!(foreign(id)),
        Value::Array(items) => items.iter().map(|item| renamed(item, ids)).collect(),
        Value::Object(fields) => {
            let mut other: Map<String, Value> = Map::new();
            if let Some(id) = fields
                .get("id")
                .filter(|id| id.as_str().is_some_and(|id| ids.contains(id)))
            {
                other.insert("name".to_owned(), id.clone());
            }
            for (field, value) in fields {
                let plain = ["name", "type", "text"].contains(&field.as_str());
                let key = if ids.contains(field.as_str()) {
                    foreign(field)
                } else {
                    field.clone()
                };
                other.insert(
                    key,
                    if plain {
                        value.clone()
                    } else {
                        renamed(value, ids)
                    },
                );
            }
            Value::Object(other)
        }
        value => value.clone(),
    }
}

/// The table holds every refusal against its promise; here the ids of all transcripts are not the
/// names.
#[test]
fn no_refusal_shows_an_id() {
    for ruleset in RULESETS.iter().map(|ruleset| ruleset.manifest.id) {
        let mut refusals = 0;
        for (file, transcript) in transcripts::of(ruleset)
            .into_iter()
            .chain(transcripts::of("every"))
        {
            let ids = combatants(&transcript)
                .into_iter()
                .filter_map(|combatant| combatant["id"].as_str())
                .collect();
            let mut creation = renamed(&transcript["create"], &ids);
            creation["ruleset"] = json!(ruleset);
            let Ok(mut table) = Table::try_create(creation) else {
                continue;
            };
            for (number, step) in (1..).zip(transcript["steps"].as_array().into_iter().flatten()) {
                let Some(sent) = step.get("send") else {
                    continue;
                };
                let sent = renamed(sent, &ids);
                let answer = table.try_send(sent.clone(), &mut seeded(number));
                let answer =
                    answer.unwrap_or_else(|broken| panic!("{file} in {ruleset}: {sent}: {broken}"));
                refusals += usize::from(answer.is_err_and(|refused| refused.rule.is_some()));
            }
        }
        assert!(refusals > 5, "{ruleset}: {refusals}");
    }
}

#[test]
fn an_unknown_combatant_is_answered_with_twenty_ids_at_most() {
    let heal = json!({"type": "heal", "target": "nobody", "amount": 1});
    let with = |count: usize| {
        let combatants: Vec<_> = (1..=count)
            .map(|n| json!({"id": format!("c{n}")}))
            .collect();
        Table::create(json!({"ruleset": "round-robin", "combatants": combatants}))
            .refuse(heal.clone())
            .detail
    };
    let none = "Unknown combatant \"nobody\".";
    assert_eq!(with(0), none);
    assert_eq!(with(2), format!("{none} Combatants: c1, c2."));
    assert!(
        with(20).ends_with(", c19, c20.") && with(23).ends_with(", c19, c20 and 3 more."),
        "{}",
        with(23)
    );
}

#[test]
fn a_player_is_told_no_hidden_id() {
    let combatants =
        json!([{"id": "a1", "name": "Ann"}, {"id": "s1", "name": "Shade", "hidden": true}]);
    let table = Table::create(json!({"ruleset": "round-robin", "combatants": combatants}));
    let heal = Request::read(json!({"type": "heal", "target": "s1", "amount": 1})).unwrap();
    let refused = table
        .game
        .examine(
            &owned(&*table.game, &[CombatantId::fixed("a1")]),
            &heal,
            &|| false,
        )
        .unwrap_err();
    let detail = crate::support::table::Refused::from(refused).detail;
    assert_eq!(detail, "Unknown combatant \"s1\". Combatants: a1.");
}

#[test]
fn a_sentence_has_the_names_of_its_time_and_none_that_is_hidden_since() {
    let combatants =
        json!([{"id": "goblin", "name": "Goblin"}, {"id": "boss", "name": "Boss", "hidden": true}]);
    let mut table = Table::create(json!({"ruleset": "round-robin", "combatants": combatants}));
    let effect = |name: &str, target: &str| {
        let effect =
            json!({"id": "e", "name": name, "target": target, "expires": {"at": "removed"}});
        json!({"type": "add_effect", "effect": effect})
    };
    table.accept(effect("Bless", "goblin"));
    let texts = |body: Value| {
        let request = Request::read(body).expect("a request");
        let decided = table
            .game
            .decide(&[], &request, Time::default(), &mut seeded(1), &|| false)
            .expect("it is legal");
        let redactions = decided.redactions.expect("something is hidden");
        let redacted = redactions.to("spectator").expect("a redacted entry");
        (
            sentences_of(&redacted.events),
            sentences_of(&decided.events),
        )
    };
    let (told, all) =
        texts(json!([{"type": "remove_effect", "effect_id": "e"}, effect("Dark Pact", "boss")]));
    assert_eq!(told, ["Bless on Goblin ends."]);
    assert_eq!(all, ["Bless on Goblin ends.", "Dark Pact on Boss starts."]);
    let leaves = ["Bless on Goblin ends.", "Goblin leaves."];
    let changes = json!({"name": "Assassin", "hidden": true});
    let (told, _) =
        texts(json!({"type": "update_combatant", "combatant": "goblin", "changes": changes}));
    assert_eq!(told, leaves);
    let dragon = json!({"id": "goblin", "name": "Dragon", "hidden": true});
    let remove = json!({"type": "remove_combatant", "combatant": "goblin"});
    let (told, all) = texts(json!([remove, {"type": "add_combatant", "details": dragon}]));
    assert_eq!(told, leaves);
    assert_eq!(all, [leaves[0], leaves[1], "Dragon joins."]);
}

#[test]
fn a_persona_that_is_asked_first_is_told_once() {
    let combatants = json!([{"id": "abel", "dex": 9}, {"id": "babel"}]);
    let mut table = Table::create(json!({"ruleset": "exp", "combatants": combatants}));
    let rolls = json!({"abel": 20, "babel": 1});
    let texts = |table: &mut Table, command: Value| -> Vec<String> {
        let events = table.send(command).expect("it is accepted");
        let texts = events.iter().filter_map(|event| event["text"].as_str());
        texts.map(str::to_owned).collect()
    };
    let told = texts(&mut table, json!({"type": "start", "rolls": rolls}));
    assert_eq!(told.last().map(String::as_str), Some("abel's turn starts."));
    assert!(!told.iter().any(|text| text.contains("wait")), "{told:?}");
    let waits = json!({"type": "declare", "combatant": "abel", "move": "wait", "act": "wait"});
    table.accept(waits);
    let acts = json!({"type": "declare", "combatant": "babel", "move": "now", "act": "now"});
    let told = texts(&mut table, acts);
    assert_eq!(
        told.last().map(String::as_str),
        Some("abel acts and can't wait.")
    );
}

#[test]
fn the_round_before_the_first_is_that_of_the_free_actions() {
    let combatants = json!([{"id": "a"}, {"id": "b", "side": "monsters"}]);
    let mut table = Table::create(json!({"ruleset": "venture", "combatants": combatants}));
    let events = table.send(json!({"type": "start"})).expect("it starts");
    let told: Vec<_> = events.iter().map(|event| &event["text"]).collect();
    let starts = json!("The round of free actions starts.");
    assert!(told.contains(&&starts), "{told:?}");
    let heading = table.game.text().lines().next().map(str::to_owned);
    let heading = heading.unwrap_or_default();
    assert!(
        heading.ends_with(", the round of free actions"),
        "{heading}"
    );
}

#[test]
fn a_turn_table_numbers_equal_names_as_labels_do() {
    let mut table = Table::create(json!({"ruleset": "seize", "combatants": [
        {"id": "ann", "name": "Ann"},
        {"id": "grey", "name": "Wolf", "side": "monsters"},
        {"id": "white", "name": "Wolf", "side": "monsters"},
    ]}));
    table.accept(json!({"type": "start", "rolls": {"ann": 5, "grey": 4, "white": 19}}));
    table.accept(json!({"type": "add_effect", "effect":
        {"name": "Bless", "target": "grey", "expires": {"at": "turn_end", "of": "white"}}}));
    let printed = table.game.text();
    let lines: Vec<&str> = printed.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "> 19  Wolf #2  monsters",
            "      Ann      players",
            "      Wolf #1  monsters",
            "* Bless on Wolf #1, until the end of Wolf #2's next turn",
            "awaiting: end turn by Wolf #2 (end_turn)",
        ]
    );
}

#[test]
fn a_turn_table_says_sides_and_conditions_in_words() {
    let ann = json!({"id": "ann", "side": "cave_bears", "conditions": ["in_cover"]});
    let pack = json!({"id": "pack", "members": ["one"]});
    let mut table = Table::create(json!({"ruleset": "round-robin", "combatants": [ann, pack]}));
    let of_one = json!({"type": "set_condition", "target": "pack", "member": "one", "condition": "off-guard"});
    table.accept(of_one);
    let text = table.game.text();
    for words in ["cave bears", "in cover", "off guard"] {
        assert!(text.contains(words), "{text}");
    }
}
