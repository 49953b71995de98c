//! The law of a partial change, in every ruleset: a field that is given alone changes itself and
//! what follows from it, a field that is left out stays, null is refused, and the same value again
//! changes nothing.

use super::chance::Chance;
use super::subjects;
use crate::support::schema::Shapes;
use crate::support::table::{Refused, Table};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use turnkeeper::vocabulary::DRAFT_FIELDS;

/// The combatants whose fields change: one with hit points, one without, and a group.
const CHANGED: [&str; 3] = ["ann", "rat", "horde"];

/// How many values of each of the ruleset's own fields are tried.
const VALUES: usize = 12;

/// Fields that may follow another one: hit points and the kind bring or take the condition at 0,
/// the kind
/// and what is on the dice decide whether inspiration and rolls are kept, a maximum what is left.
const FOLLOW: &[(&str, &str)] = &[
    ("hp", "conditions"),
    ("kind", "conditions"),
    ("kind", "inspiration"),
    ("side", "roll"),
    ("group", "roll"),
    ("numbers", "roll"),
    ("max_motes", "motes"),
];

/// An encounter of a ruleset with one combatant of each sort.
fn encounter(ruleset: &str) -> Table {
    let mut creation = json!({"ruleset": ruleset, "combatants": [
        {"id": "ann", "side": "players", "hp": {"current": 6, "max": 10, "temp": 2}, "conditions": ["marked"], "armor_class": 12, "notes": "old", "link": "https://example.org/old", "metadata": {"sheet": "7"}},
        {"id": "rat", "side": "monsters"},
        {"id": "horde", "side": "monsters", "members": [{"id": "x", "hp": {"current": 5}}, {"id": "y", "hp": {"current": 4, "max": 5}}, "z"]},
    ]});
    if ruleset == "custom" {
        creation["options"] = json!({"preset": "d20"});
        creation["combatants"][0]["numbers"] = json!({"dex": 3, "legendary": 2});
    }
    Table::create(creation)
}

/// The same encounter after its start, by the first option that starts it.
fn started(ruleset: &str) -> Table {
    let mut table = encounter(ruleset);
    let mut chance = Chance::new(1);
    for option in table.legal_commands() {
        if option.command["type"] == "start" && table.send(chance.fill(&option)).is_ok() {
            return table;
        }
    }
    panic!("{ruleset} did not start");
}

fn combatant(table: &Table, id: &str) -> Map<String, Value> {
    let Value::Object(fields) = table.at(&format!("combatants.{id}")) else {
        panic!("{id} is no object");
    };
    fields
}

fn change(id: &str, changes: &Value) -> Value {
    json!({"type": "update_combatant", "combatant": id, "changes": changes})
}

/// Other values of the fields that all rulesets share.
fn shared_values(id: &str) -> Vec<(&'static str, Value)> {
    let mut values = vec![
        ("name", json!("Someone else")),
        ("side", json!("others")),
        ("kind", json!("npc")),
        ("kind", json!("hazard")),
        ("controller", json!("Robin")),
        ("hidden", json!(true)),
        ("conditions", json!(["prone", "marked"])),
        ("conditions", json!([])),
        ("armor_class", json!(17)),
        ("armor_class_seen_by", json!("all")),
        ("level", json!(3)),
        ("level_seen_by", json!("all")),
        ("notes", json!("It fears fire")),
        ("notes", json!("")),
        ("notes_seen_by", json!("player")),
        ("link", json!("https://example.org/sheet")),
        ("link", json!("")),
        ("link_seen_by", json!("all")),
        ("mention", json!("123456789")),
        ("mention", json!("")),
        ("metadata", json!({"token": "9"})),
        ("metadata", json!({})),
    ];
    match id {
        "ann" => values.extend([
            ("hp", json!({"current": 3})),
            ("hp", json!({"current": 0})),
            ("hp", json!({"current": 12, "max": 12})),
            ("hp", json!({"max": 20})),
            ("hp", json!({"temp": 0})),
            ("hp", json!({"temp": 5})),
        ]),
        "rat" => values.push(("hp", json!({"current": 3}))),
        _ => values.extend([
            ("members", json!(["x", "z"])),
            ("members", json!([{"id": "y", "hp": {"temp": 1}}, "x", "z", {"id": "v", "hp": {"current": 2}}])),
            ("members", json!([])),
        ]),
    }
    values
}

/// Values of the fields that a ruleset adds.
fn own_values(shapes: &Shapes, chance: &mut Chance) -> Vec<(String, Value)> {
    let names = ["dex".to_owned(), "legendary".to_owned()];
    let fields = shapes.root()["properties"].as_object();
    let mut values = Vec::new();
    for (field, schema) in fields.into_iter().flatten() {
        for _ in 0..VALUES {
            values.push((field.clone(), chance.value(shapes, schema, &names)));
        }
    }
    values
}

/// Whether a field is one that a client sets.
fn is_set_by_clients(field: &str, own: &BTreeSet<String>) -> bool {
    DRAFT_FIELDS.contains(&field) || own.contains(field)
}

/// Whether `after` has each part of the value that was given.
fn holds(after: &Value, given: &Value) -> bool {
    match (after, given) {
        (Value::Object(after), Value::Object(given)) => given
            .iter()
            .all(|(key, value)| after.get(key).is_some_and(|after| holds(after, value))),
        (Value::Array(after), Value::Array(given)) => {
            let mut pairs = after.iter().zip(given);
            after.len() == given.len() && pairs.all(|(after, given)| holds(after, given))
        }
        // A member may be given by its id alone.
        (Value::Object(after), Value::String(id)) => after["id"] == *id,
        // Equal numbers may be written differently.
        (Value::Number(after), Value::Number(given)) => after.as_f64() == given.as_f64(),
        (after, given) => after == given,
    }
}

/// Checks a field that is given alone.
fn alone(
    table: &Table,
    id: &str,
    field: &str,
    value: &Value,
    own: &BTreeSet<String>,
) -> Result<(), String> {
    let mut table = table.clone();
    let before = combatant(&table, id);
    let changes = json!({field: value});
    if let Err(Refused {
        field: path,
        detail,
        ..
    }) = table.send(change(id, &changes))
    {
        let named = path.unwrap_or_default();
        if named.starts_with(&format!("changes.{field}")) {
            return Ok(());
        }
        return Err(format!("{id} {changes}: refused at {named:?}: {detail}"));
    }
    let after = combatant(&table, id);
    // A default is not written.
    let held = after.get(field).unwrap_or(&Value::Null);
    if after.contains_key(field) && !holds(held, value) {
        return Err(format!("{id} {changes}: {field} is {held}"));
    }
    for key in before.keys().chain(after.keys()) {
        let follows = FOLLOW.contains(&(field, key.as_str()));
        if key == field || follows || !is_set_by_clients(key, own) {
            continue;
        }
        if before.get(key) != after.get(key) {
            return Err(format!(
                "{id} {changes}: {key} was {:?}, is {:?}",
                before.get(key),
                after.get(key)
            ));
        }
    }
    Ok(())
}

/// Checks a field that is given as it is.
fn unchanged(table: &Table, id: &str, field: &str) -> Result<(), String> {
    let mut table = table.clone();
    let before = combatant(&table, id);
    let Some(value) = before.get(field) else {
        return Ok(());
    };
    let is_empty = value.as_object().is_some_and(Map::is_empty);
    match table.send(change(id, &json!({field: value}))) {
        Err(refused) if is_empty => {
            if refused.detail.starts_with("Nothing to change") {
                return Ok(());
            }
            Err(format!("{id} {field} as it is: {refused:?}"))
        }
        Err(refused) => Err(format!("{id} {field} as it is: {refused:?}")),
        Ok(events) => {
            let after = combatant(&table, id);
            if after == before && events.len() == 1 {
                return Ok(());
            }
            Err(format!("{id} {field} as it is: {events:?}"))
        }
    }
}

/// Checks that null is refused in a field and in each part of the value that it has.
fn null(table: &Table, id: &str, field: &str) -> Result<(), String> {
    let value = combatant(table, id).get(field).cloned().unwrap_or_default();
    let mut changes = vec![Value::Null];
    match &value {
        Value::Object(parts) => {
            for part in parts.keys() {
                changes.push(json!({part: null}));
            }
        }
        Value::Array(items) => {
            for item in items {
                changes.push(json!([null]));
                for part in item.as_object().into_iter().flat_map(Map::keys) {
                    let mut item = item.clone();
                    item[part] = Value::Null;
                    changes.push(json!([item]));
                }
            }
        }
        _ => {}
    }
    for value in changes {
        let mut table = table.clone();
        let sent = json!({field: value});
        match table.send(change(id, &sent)) {
            Err(refused) if refused.code == "malformed" => {}
            answer => return Err(format!("{id} {sent}: {answer:?}")),
        }
    }
    Ok(())
}

#[test]
fn a_change_changes_what_it_gives_and_no_more() {
    let mut breaches = Vec::new();
    for subject in subjects() {
        let shapes = Shapes::of_ruleset(subject.id, |schemas| &schemas.stats);
        let mut chance = Chance::new(7);
        let own_values = own_values(&shapes, &mut chance);
        let own: BTreeSet<String> = own_values.iter().map(|(field, _)| field.clone()).collect();
        for table in [encounter(subject.id), started(subject.id)] {
            for id in CHANGED {
                let mut found = Vec::new();
                for (field, value) in shared_values(id) {
                    found.push(alone(&table, id, field, &value, &own));
                }
                for (field, value) in &own_values {
                    found.push(alone(&table, id, field, value, &own));
                }
                let fields = DRAFT_FIELDS.iter().copied().filter(|field| *field != "id");
                for field in fields.chain(own.iter().map(String::as_str)) {
                    found.push(unchanged(&table, id, field));
                    found.push(null(&table, id, field));
                }
                for breach in found.into_iter().filter_map(Result::err) {
                    breaches.push(format!("{}: {breach}", subject.id));
                }
                let mut table = table.clone();
                let nothing = table.refuse(change(id, &json!({})));
                assert_eq!(nothing.field.as_deref(), Some("changes"), "{nothing:?}");
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}
