//! Paths into JSON, and where two values differ.

use serde_json::Value;

/// The value at a dotted path: an object is entered by key, an array of objects with `id` (or
/// `combatant`) by that, any other array by number, and `*` stands for every item. Null where only
/// the last step leads nowhere.
pub fn at(value: &Value, path: &str) -> Result<Value, String> {
    let Some((step, rest)) = path
        .split_once('.')
        .map_or((!path.is_empty()).then_some((path, "")), Some)
    else {
        return Ok(value.clone());
    };
    if let (Value::Array(items), "*") = (value, step) {
        return items
            .iter()
            .map(|item| at(item, rest))
            .collect::<Result<_, _>>()
            .map(Value::Array);
    }
    match enter(value, step) {
        Some(inner) => at(inner, rest),
        None if rest.is_empty() && (value.is_object() || value.is_array()) => Ok(Value::Null),
        None => Err(format!("there is no `{step}` in {}", short(value))),
    }
}

fn enter<'v>(value: &'v Value, step: &str) -> Option<&'v Value> {
    let Value::Array(items) = value else {
        return value.get(step);
    };
    let named = |key: &str| {
        items
            .iter()
            .find(|item| item.get(key).is_some_and(|id| id == step))
    };
    named("id")
        .or_else(|| named("combatant"))
        .or_else(|| items.get(step.parse::<usize>().ok()?))
}

/// Where `got` differs from `expected` for the first time; None where it doesn't.
pub fn difference(path: &str, expected: &Value, got: &Value) -> Option<String> {
    let below = |step: &str| {
        if path.is_empty() {
            step.to_owned()
        } else {
            format!("{path}.{step}")
        }
    };
    match (expected, got) {
        (Value::Object(a), Value::Object(b)) => a.keys().chain(b.keys()).find_map(|key| {
            difference(
                &below(key),
                a.get(key).unwrap_or(&Value::Null),
                b.get(key).unwrap_or(&Value::Null),
            )
        }),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(i, (a, b))| difference(&below(&i.to_string()), a, b)),
        (a, b) if a == b => None,
        (a, b) => Some(format!("{path}: expected {}, got {}", short(a), short(b))),
    }
}

/// A value on one line, cut off where it is long.
pub fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
