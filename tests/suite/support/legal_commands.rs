//! Whether a command is among those that are listed as legal.

use serde_json::Value;
use turnkeeper::vocabulary::{LegalCommand, Values};

/// Whether one of `legal_commands` lists `command`: its type, its fixed fields, and in each open
/// field a value that is listed there.
pub fn listed(legal_commands: &[LegalCommand], command: &Value) -> bool {
    legal_commands.iter().any(|option| lists(option, command))
}

fn lists(option: &LegalCommand, command: &Value) -> bool {
    let (Some(fixed), Some(sent)) = (option.fields(), command.as_object()) else {
        return false;
    };
    let choice = |field: &str| option.choices.iter().find(|choice| choice.field == field);
    let admitted = sent.iter().all(|(field, value)| match choice(field) {
        Some(choice) => match &choice.values {
            Values::OneOf(_) | Values::From(_) => listed_values(&choice.values).contains(&value),
            Values::Range { min, max } => {
                value.as_i64().is_some_and(|n| (*min..=*max).contains(&n))
            }
            Values::Like(_) => true,
        },
        None => fixed
            .get(field)
            .map_or(says_nothing(value), |fixed| fixed == value),
    });
    let complete = fixed
        .keys()
        .all(|field| sent.contains_key(field) || choice(field).is_some_and(|c| !c.required));
    admitted && complete
}

/// Every value that is listed one by one.
pub fn listed_values(values: &Values) -> Vec<&Value> {
    match values {
        Values::OneOf(values) => values.iter().collect(),
        Values::From(listed) => listed.iter().collect(),
        Values::Range { .. } | Values::Like(_) => Vec::new(),
    }
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

/// Whether one of `legal_commands` promises that `command` is accepted: free text counts only as
/// the example has it.
pub fn promised(legal_commands: &[LegalCommand], command: &Value) -> bool {
    legal_commands.iter().any(|option| {
        let free = |field: &str| {
            option
                .choices
                .iter()
                .any(|c| c.field == field && matches!(c.values, Values::Like(_)))
        };
        let as_listed = |(field, value): (&String, &Value)| {
            !free(field) || option.command.get(field) == Some(value)
        };
        lists(option, command)
            && command
                .as_object()
                .is_some_and(|fields| fields.iter().all(as_listed))
    })
}
