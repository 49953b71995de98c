//! Documents of every schema there has been are read from files; those of later ones are refused.

use crate::support::sources::text;
use crate::support::table::{RULESETS, Table, entry, seeded};
use serde_json::{Value, json};
use turnkeeper::engine::{LoadError, LogEntry, Request, SCHEMA};

fn fixture(schema: u32) -> Vec<u8> {
    text(&format!("tests/fixtures/document-v{schema}.json")).into_bytes()
}

#[test]
fn documents_of_every_schema_are_read_as_the_newest() {
    for schema in 1..=SCHEMA {
        let written: Value = serde_json::from_slice(&fixture(schema)).expect("JSON");
        assert_eq!(written["schema"], schema, "the fixture says which schema it is");
        let game = RULESETS.load(&fixture(schema)).unwrap_or_else(|error| panic!("schema {schema}: {error}"));
        let again: Value = serde_json::from_slice(&game.document().expect("a document")).expect("JSON");
        assert_eq!(again["schema"], SCHEMA);
        assert_eq!((&again["meta"], &again["table"]), (&written["meta"], &written["table"]), "schema {schema}");
    }
    let (first, second) = (RULESETS.load(&fixture(1)).expect("v1"), RULESETS.load(&fixture(2)).expect("v2"));
    assert_eq!(first.document().expect("a document"), second.document().expect("a document"), "one fight in both");
}

#[test]
fn an_import_leaves_out_events_that_only_older_programs_wrote() {
    let table = Table::create(json!({"ruleset": "seize", "combatants": [{"id": "ann", "side": "players"}]}));
    let start = Request::read(json!({"type": "start"})).expect("a request");
    let decided = table.game.decide(&start, &mut seeded(1), &|| false).expect("a start");
    let events = decided.events.get();
    let older = format!(r#"{},{{"type":"fight_closed"}}]"#, events.strip_suffix(']').expect("a list"));
    let mut entry = LogEntry { events: serde_json::from_str(&older).expect("JSON"), ..entry(&decided) };
    assert_eq!(table.game.import_entry(&mut entry, &|| false), Ok(()));
    assert_eq!(entry.events.get(), events);
}

#[test]
fn an_older_log_that_asks_who_is_next_between_an_override_and_its_turn_is_read_as_one_that_does_not() {
    let combatants = json!([{"id": "ann", "side": "players"}, {"id": "orc", "side": "monsters"}]);
    let mut table = Table::create(json!({"ruleset": "active-initiative", "combatants": combatants}));
    table.accept(json!({"type": "start", "first": "ann"}));
    let request = Request::read(json!({"type": "override", "combatant": "orc"})).expect("a request");
    let decided = table.game.decide(&request, &mut seeded(1), &|| false).expect("an override");
    let mut older: Vec<Value> = serde_json::from_str(decided.events.get()).expect("events");
    assert_eq!(older.iter().map(|event| &event["type"]).collect::<Vec<_>>(), ["overridden", "turn_started"]);
    older.insert(1, json!({"type": "choice_opened", "chooser": "ann", "starter": false}));
    let events = serde_json::from_str(&Value::from(older).to_string()).expect("JSON");
    let folded = table.game.fold(&LogEntry { events, ..entry(&decided) }).expect("an encounter");
    assert_eq!(folded.document().expect("a document"), decided.next.document().expect("a document"));
}

#[test]
fn a_migrated_document_can_be_undone() {
    let game = RULESETS.load(&fixture(1)).expect("a document");
    let undo = Request::read(json!({"type": "undo"})).expect("a request");
    let rewind = game.rewind_target(&undo).expect("a way back").expect("an undo");
    assert_eq!(rewind.to_version, game.version() - 1);
}

#[test]
fn a_document_of_a_later_schema_is_refused_with_both_numbers() {
    let mut later: Value = serde_json::from_slice(&fixture(SCHEMA)).expect("JSON");
    later["schema"] = json!(SCHEMA + 1);
    let refused = RULESETS.load(later.to_string().as_bytes()).err().expect("a refusal");
    assert_eq!(refused, LoadError::Newer { found: SCHEMA + 1, newest: SCHEMA });
    later["schema"] = json!(0);
    assert!(matches!(RULESETS.load(later.to_string().as_bytes()), Err(LoadError::Unreadable(_))));
}
