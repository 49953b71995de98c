//! A combatant that has left is named nowhere, so that nothing is taken for the next one that has
//! its id.

use serde_json::Value;
use std::collections::BTreeSet;

/// What may hold the word of a crowd, and what a person wrote.
const WORDS: [&str; 6] = ["crowd", "group", "roll_group", "name", "action", "trigger"];

/// The first place in an encounter that names a combatant of a random play that is not here.
pub fn named_but_gone(view: &Value, here: &BTreeSet<String>) -> Option<String> {
    ["state", "effects", "combatants"]
        .iter()
        .find_map(|part| search(part, &view[*part], here))
}

fn search(path: &str, value: &Value, here: &BTreeSet<String>) -> Option<String> {
    match value {
        Value::String(text) if is_id(text) && !here.contains(text) => {
            Some(format!("{path} is {text}"))
        }
        Value::Array(items) => items.iter().find_map(|item| search(path, item, here)),
        Value::Object(fields) => {
            // The id of a roll of EXP may be the word of a crowd.
            let is_word = |field: &str| {
                WORDS.contains(&field) || field == "id" && fields.contains_key("digits")
            };
            let mut names = fields.iter().filter(|(field, _)| !is_word(field));
            names.find_map(|(field, value)| search(&format!("{path}.{field}"), value, here))
        }
        _ => None,
    }
}

/// Whether a text is an id of a combatant in random play: `c1` to `c20`.
fn is_id(text: &str) -> bool {
    text.strip_prefix('c')
        .is_some_and(|number| number.parse::<u8>().is_ok())
}
