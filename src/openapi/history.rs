//! The schemas of exported logs and of the live feed's lines.

use super::naming::{Components, reference};
use serde_json::{Value, json};

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
        "description": "The whole log of an encounter; it folds to the same state wherever it is imported.",
        "properties": {
            "format": tag("turnkeeper-log"),
            "schema": {"type": "integer", "enum": [1], "description": "The number of this form."},
            "ruleset": {"type": "string", "description": "The id of its ruleset."},
            "exported_at": {"type": "string", "format": "date-time", "description": "When it was exported."},
            "version": version("The version that the log ends at."),
            "base": base,
            "entries": {"type": "array", "items": reference("LogEntry"), "description": "Every entry after the base; some carry the state after them as `checkpoint`."},
        },
    });
    let line = json!({
        "type": "object", "required": ["type"],
        "description": "A line of the live feed. `snapshot` brings `version` and `encounter`, `transition` the fields of a log entry, \
            `keep_alive` nothing; after `deleted` nothing follows.",
        "properties": {
            "type": {"type": "string", "enum": ["snapshot", "transition", "keep_alive", "deleted"]},
            "version": version("The version to go on from."),
        },
    });
    [("ExportedLog", log), ("FeedLine", line)].into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}
