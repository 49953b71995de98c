//! The schemas of exported logs and of the live feed's lines.

use super::naming::{Components, reference};
use serde_json::{Map, Value, json};

fn version(description: &str) -> Value {
    json!({"type": "integer", "format": "int64", "minimum": 0, "description": description})
}

/// The schemas by their names.
pub(super) fn components() -> Components {
    let tag = |tag: &str| json!({"type": "string", "enum": [tag]});
    let checkpoint = json!({"type": "object", "description": "A state of the encounter as it is kept."});
    let base = json!({
        "type": "object", "required": ["version", "document"], "additionalProperties": false,
        "description": "What the log is folded from.",
        "properties": {"version": version("The version of this state."), "document": checkpoint},
    });
    let log = json!({
        "type": "object", "additionalProperties": false, "required": ["format", "schema", "ruleset", "version", "base", "entries"],
        "description": "The whole log of an encounter; it folds to the same state wherever it is imported. What an import checks, and what it takes on trust, its operation says.",
        "properties": {
            "format": tag("turnkeeper-log"),
            "schema": {"type": "integer", "enum": [1], "description": "The number of this form."},
            "ruleset": {"type": "string", "description": "The id of its ruleset."},
            "exported_at": {"type": "string", "format": "date-time", "description": "When it was exported."},
            "version": version("The version that the log ends at."),
            "base": base,
            "entries": {"type": "array", "items": reference("ExportedEntry"), "description": "Every entry after the base."},
        },
    });
    let kinds = [
        ("snapshot", "FeedSnapshot"),
        ("transition", "FeedTransition"),
        ("keep_alive", "FeedKeepAlive"),
        ("deleted", "FeedDeleted"),
    ];
    let target = |name: &str| format!("#/components/schemas/{name}");
    let mapping: Map<_, _> = kinds.iter().map(|(tag, name)| ((*tag).to_owned(), target(name).into())).collect();
    let line = json!({
        "description": "A line of the live feed, or the data of a server-sent event.",
        "oneOf": kinds.map(|(_, name)| reference(name)),
        "discriminator": {"propertyName": "type", "mapping": mapping},
    });
    let bare = |kind: &str, what: &str| json!({"type": "object", "required": ["type"], "description": what, "properties": {"type": tag(kind)}});
    let snapshot = json!({
        "type": "object", "required": ["type", "version", "encounter"], "description": "The encounter that the transitions follow.",
        "properties": {"type": tag("snapshot"), "version": version("The version to go on from."), "encounter": reference("Encounter")},
    });
    let mut transition = bare("transition", "What one transition brought about: an entry of the log.");
    transition["allOf"] = json!([reference("LogEntry")]);
    let named = [
        ("ExportedLog", log),
        ("FeedLine", line),
        ("FeedSnapshot", snapshot),
        ("FeedTransition", transition),
        ("FeedKeepAlive", bare("keep_alive", "Nothing has happened.")),
        ("FeedDeleted", bare("deleted", "The encounter is gone; nothing follows.")),
    ];
    named.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}
