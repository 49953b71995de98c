//! Whether a command is among those that are listed as legal.

use serde_json::Value;
use std::collections::BTreeMap;
use turnkeeper::vocabulary::{LegalCommand, Values};

/// Fields that no option lists: whose the command is, its type, the field, and why.
pub const UNLISTED: &[(&str, &str, &str, &str)] = &[
    (
        "custom",
        "change_definition",
        "definition",
        MORE_THAN_A_SCHEMA,
    ),
    ("venture", "join_battle", "faces", MORE_THAN_A_SCHEMA),
    ("dc20", "start", "fate_dice", MORE_THAN_A_SCHEMA),
    ("dc20", "assign", "others", MORE_THAN_A_SCHEMA),
    ("dc20", "claim", "others", MORE_THAN_A_SCHEMA),
    ("exp", "mental_duel", "rolls", MORE_THAN_A_SCHEMA),
    ("exp", "mental_duel", "tie_rolls", MORE_THAN_A_SCHEMA),
];

/// What the field may hold depends on other fields, which no schema of it alone can say.
const MORE_THAN_A_SCHEMA: &str = "what it may hold depends on other fields";

/// Whether one of `legal_commands` lists `command`: its type, its decided fields, and in each open
/// field a value that is listed there.
pub fn listed(legal_commands: &[LegalCommand], command: &Value) -> bool {
    let mut options = legal_commands.iter();
    options.any(|option| lists(option, command, &admits))
}

/// Whether one of `legal_commands` of a ruleset is about `command`: lists, objects and texts may
/// hold more than what is listed, and fields that no option lists may hold anything.
pub fn covered(ruleset: &str, legal_commands: &[LegalCommand], command: &Value) -> bool {
    let mut sent = command.clone();
    if let Some(fields) = sent.as_object_mut() {
        for (whose, verb, field, _) in UNLISTED {
            if *whose == ruleset && command["type"] == *verb {
                fields.remove(*field);
            }
        }
    }
    let mut options = legal_commands.iter();
    options.any(|option| lists(option, &sent, &admits_more))
}

fn admits_more(values: &Values, value: &Value) -> bool {
    match values {
        Values::OneOf(_) | Values::Shared(_) | Values::Range(..) | Values::Decimal(..) => {
            admits(values, value)
        }
        _ => true,
    }
}

fn lists(option: &LegalCommand, command: &Value, admits: &dyn Fn(&Values, &Value) -> bool) -> bool {
    let (Some(decided), Some(sent)) = (option.decided(), command.as_object()) else {
        return false;
    };
    let choice = |field: &str| option.choices.iter().find(|choice| choice.field == field);
    let admitted = sent.iter().all(|(field, value)| match choice(field) {
        Some(choice) => admits(&choice.values, value),
        None => decided
            .get(field)
            .map_or(says_nothing(value), |decided| decided == value),
    });
    let mut required = option.choices.iter().filter(|choice| choice.required);
    admitted
        && decided.keys().all(|field| sent.contains_key(field))
        && required.all(|choice| sent.contains_key(choice.field))
}

/// Whether a field may hold this value.
fn admits(values: &Values, value: &Value) -> bool {
    match values {
        Values::OneOf(list) => list.values.contains(value),
        Values::Shared(list) => list.iter().any(|listed| listed == value),
        Values::Range(least, most) => value
            .as_i64()
            .is_some_and(|n| (*least..=*most).contains(&n)),
        Values::Decimal(least, most) => value
            .as_f64()
            .is_some_and(|n| (*least as f64..=*most as f64).contains(&n)),
        Values::Text(most) => value
            .as_str()
            .is_some_and(|text| text.chars().count() <= *most),
        Values::NewText(_, known) => value.is_string() && !known.contains(value),
        Values::NewWord(known) => value.is_string() && !known.contains(value),
        Values::List { items, length, .. } => value.as_array().is_some_and(|list| {
            (length[0]..=length[1]).contains(&list.len())
                && list.iter().all(|item| admits(items, item))
        }),
        Values::Map { keys, values, most } => value.as_object().is_some_and(|map| {
            map.len() <= *most
                && map.iter().all(|(key, value)| {
                    admits(keys, &Value::from(key.as_str())) && admits(values, value)
                })
        }),
        Values::Object(properties) => value.as_object().is_some_and(|object| {
            object.iter().all(|(field, value)| {
                properties
                    .iter()
                    .any(|property| property.field == *field && admits(&property.values, value))
            }) && properties
                .iter()
                .all(|property| !property.required || object.contains_key(&*property.field))
        }),
        Values::AnyOf(shapes) => shapes.iter().any(|shape| admits(&shape.values, value)),
    }
}

/// A label that two options have, with their commands, if there is one.
pub fn repeated_label(legal_commands: &[LegalCommand]) -> Option<String> {
    let mut labels = BTreeMap::new();
    for option in legal_commands {
        let LegalCommand { label, command, .. } = option;
        if let Some(other) = labels.insert(label, command) {
            return Some(format!("{label:?}: {other} and {command}"));
        }
    }
    None
}

/// Every value that is listed one by one.
pub fn listed_values(values: &Values) -> Vec<&Value> {
    match values {
        Values::OneOf(list) => list.values.iter().collect(),
        Values::Shared(list) => list.iter().collect(),
        _ => Vec::new(),
    }
}

/// The command of an option with the first value in each required field.
pub fn completed(option: &LegalCommand) -> Value {
    option.completed().expect("a value")
}

/// Whether a field that holds this could as well be left out.
fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::String(_) => false,
    }
}
