//! One schema is read: documents and entries of another number, or with a field that this program
//! does not know, are refused.

use crate::support::table::{RULESETS, Table, entry, seeded};
use crate::transcripts;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};
use turnkeeper::engine::{LoadError, LogEntry, Request, SCHEMA};
use turnkeeper::vocabulary::Time;

/// The document of an encounter as JSON.
fn document(table: &Table) -> Value {
    serde_json::from_slice(&table.document().expect("a document")).expect("JSON")
}

#[test]
fn a_document_of_another_schema_is_refused_with_both_numbers() {
    let table = Table::create(
        json!({"ruleset": "seize", "combatants": [{"id": "ann", "side": "players"}]}),
    );
    for found in [0, SCHEMA + 1] {
        let mut other = document(&table);
        other["schema"] = json!(found);
        let refused = RULESETS.load(other.to_string().as_bytes()).err();
        assert_eq!(
            refused,
            Some(LoadError::OtherSchema {
                found,
                read: SCHEMA
            })
        );
    }
}

/// The pointers to all objects in a value, the outermost first.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(at.to_owned());
            fields
                .iter()
                .for_each(|(name, value)| objects(value, &format!("{at}/{name}"), found));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(i, value)| objects(value, &format!("{at}/{i}"), found));
        }
        _ => {}
    }
}

/// The value with a field more in each of its objects in turn. No map has such a value, and no
/// field this name.
fn with_a_stray_field(value: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    objects(value, "", &mut places);
    let stray = |place: String| {
        let mut changed = value.clone();
        let object = changed
            .pointer_mut(&place)
            .and_then(Value::as_object_mut)
            .expect("an object");
        object.insert("stray".to_owned(), json!([[[]]]));
        (place, changed)
    };
    places.into_iter().map(stray).collect()
}

/// The encounter of a ruleset's longest transcript at its end, and each entry of its log with the
/// encounter before it.
fn played(ruleset: &str) -> (Table, Vec<(Table, LogEntry)>) {
    let all = transcripts::of(ruleset)
        .into_iter()
        .map(|(_, transcript)| transcript);
    let transcript = all
        .max_by_key(|t| t["steps"].as_array().map_or(0, Vec::len))
        .expect("a transcript");
    let mut table = Table::create(transcript["create"].clone());
    let mut entries = Vec::new();
    for body in transcript["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|step| step.get("send"))
    {
        let before = table.clone();
        let request = Request::read(body.clone());
        let decided = request.and_then(|request| {
            before
                .game
                .decide(&[], &request, Time::default(), &mut seeded(1), &|| false)
        });
        if let Ok(decided) = decided {
            entries.push((before, entry(&decided)));
            table.game = decided.next;
        }
    }
    (table, entries)
}

#[test]
fn a_field_that_the_program_does_not_know_is_refused_wherever_it_stands() {
    for ruleset in RULESETS.iter().map(|ruleset| ruleset.manifest.id) {
        let (table, entries) = played(ruleset);
        let document = document(&table);
        assert!(
            RULESETS.load(document.to_string().as_bytes()).is_ok(),
            "{ruleset}"
        );
        for (place, changed) in with_a_stray_field(&document) {
            let read = RULESETS.load(changed.to_string().as_bytes());
            assert!(
                matches!(read, Err(LoadError::Unreadable(_))),
                "{ruleset}: a field at {place} of the document is lost"
            );
        }
        assert!(!entries.is_empty(), "{ruleset}");
        for (before, entry) in &entries {
            let refused = |changed: &Value, entry: LogEntry| {
                let folded = before.game.fold(&entry);
                assert!(folded.is_err(), "{ruleset}: a field of {changed} is lost");
            };
            let events: Value = serde_json::from_str(entry.events.get()).expect("events");
            for (_, changed) in with_a_stray_field(&events) {
                let events = to_raw_value(&changed).expect("JSON");
                let entry = entry.clone();
                refused(&changed, LogEntry { events, ..entry });
            }
            let Some(kept) = &entry.kept else { continue };
            let kept: Value = serde_json::from_str(kept.get()).expect("kept events");
            for (_, changed) in with_a_stray_field(&kept) {
                let kept = Some(to_raw_value(&changed).expect("JSON"));
                let entry = entry.clone();
                refused(&changed, LogEntry { kept, ..entry });
            }
        }
    }
}

#[test]
fn an_entry_with_a_field_that_the_program_does_not_know_is_refused() {
    let redacted = json!({"commands": [], "events": []});
    let entry = json!({"version": 1, "at": "2026-01-01T00:00:00Z", "token": "gm", "commands": [], "events": [],
        "redactions": {"everybody": redacted, "owners": {"player": redacted}}});
    assert!(serde_json::from_value::<LogEntry>(entry.clone()).is_ok());
    for place in [
        "",
        "/redactions",
        "/redactions/everybody",
        "/redactions/owners/player",
    ] {
        let mut changed = entry.clone();
        let object: &mut Map<String, Value> = changed
            .pointer_mut(place)
            .and_then(Value::as_object_mut)
            .expect("an object");
        object.insert("stray".to_owned(), json!(1));
        assert!(
            serde_json::from_value::<LogEntry>(changed).is_err(),
            "a field at {place:?} is lost"
        );
    }
}

#[test]
fn an_import_refuses_a_kept_event_among_those_that_are_read() {
    let (_, entries) = played("custom");
    let kept = |(_, entry): &(Table, LogEntry)| entry.kept.is_some();
    let (before, entry) = entries.iter().find(|played| kept(played)).expect("one");
    let all: Value = serde_json::from_str(entry.kept.as_ref().expect("kept").get()).expect("JSON");
    let events = to_raw_value(&[&all[0]["event"]]).expect("JSON");
    let mut entry = LogEntry {
        events,
        ..entry.clone()
    };
    let refused = before.game.import_entry(&mut entry, &|| false).err();
    let refused = format!("{refused:?}");
    assert!(refused.contains("No client reads this event."), "{refused}");
}
