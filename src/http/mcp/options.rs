//! Options as a model reads them: each with an id, its choices in words, and what fills it in.

use crate::app::AppError;
use crate::json::{FieldError, shortened};
use crate::vocabulary::CombatantId;
use data_encoding::BASE32_NOPAD_NOCASE as BASE32;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Maximum listed values that a text names; the schema has all.
const NAMED: usize = 60;
/// The bytes of a digest in an option's id.
const DIGEST: usize = 4;

/// The options of an encounter: the legal commands of the application's answer, each with an id.
#[derive(Deserialize, Serialize)]
pub(super) struct Options {
    pub version: u64,
    items: Vec<ModelOption>,
    #[serde(rename = "$defs", default, skip_serializing_if = "BTreeMap::is_empty")]
    definitions: BTreeMap<String, Value>,
}

/// An option that a model chooses by its id.
#[serde_with::skip_serializing_none]
#[derive(Deserialize, Serialize)]
struct ModelOption {
    #[serde(default)]
    id: String,
    label: String,
    group: String,
    actor: Option<CombatantId>,
    primary: bool,
    complete: bool,
    choices: Vec<OpenChoice>,
    rule: String,
    /// The decided part of the command, which the model need not know.
    #[serde(skip_serializing)]
    command: Map<String, Value>,
}

#[derive(Deserialize, Serialize)]
struct OpenChoice {
    field: String,
    title: String,
    required: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    advanced: bool,
    schema: Value,
}

impl Options {
    /// Reads the legal commands of the application's answer.
    pub fn read(json: &str) -> Result<Self, AppError> {
        let mut options: Self = serde_json::from_str(json)?;
        for option in &mut options.items {
            option.id = option.derived_id();
        }
        Ok(options)
    }

    /// The command of the option with this id, with `values` in its choices; None if no option has
    /// the id.
    pub fn command(
        &self,
        id: &str,
        values: &Map<String, Value>,
    ) -> Option<Result<Value, FieldError>> {
        let option = self.items.iter().find(|option| option.id == id)?;
        Some(option.filled(values))
    }

    /// All options as lines of text.
    pub fn text(&self) -> String {
        if self.items.is_empty() {
            return "No options: others decide.\n".to_owned();
        }
        let mut text = format!("Options at version {}:\n", self.version);
        for option in &self.items {
            option.write(&mut text);
        }
        for (name, schema) in &self.definitions {
            let _ = writeln!(text, "{name}: {}", in_words(schema));
        }
        text
    }
}

impl ModelOption {
    /// The command's type and a digest of what tells it from others. The same option has the same
    /// id at each version.
    fn derived_id(&self) -> String {
        let mut digest = Sha256::new_with_prefix(&self.label);
        digest.update([0]);
        digest.update(Value::Object(self.command.clone()).to_string());
        for choice in &self.choices {
            digest.update([0]);
            digest.update(&choice.field);
        }
        let digest = digest.finalize();
        let short = BASE32.encode(digest.get(..DIGEST).unwrap_or_default());
        let verb = self.command.get("type").and_then(Value::as_str);
        let verb = verb.unwrap_or_default();
        format!("{verb}-{}", short.to_ascii_lowercase())
    }

    fn filled(&self, values: &Map<String, Value>) -> Result<Value, FieldError> {
        for field in values.keys() {
            if !self.choices.iter().any(|choice| choice.field == *field) {
                let message = format!(
                    "{} has no choice of this name. Choices: {}.",
                    self.id,
                    self.fields()
                );
                return Err(FieldError::malformed(shortened(field), message).within("values"));
            }
        }
        let mut command = self.command.clone();
        for choice in &self.choices {
            if let Some(value) = values.get(&choice.field) {
                command.insert(choice.field.clone(), value.clone());
            } else if choice.required {
                let message = format!(
                    "{} needs this choice. Send it in \"values\": {}.",
                    self.id,
                    in_words(&choice.schema)
                );
                return Err(FieldError::malformed(&choice.field, message).within("values"));
            }
        }
        Ok(Value::Object(command))
    }

    /// The names of its choices, for people.
    fn fields(&self) -> String {
        let fields: Vec<&str> = self.choices.iter().map(|choice| &*choice.field).collect();
        if fields.is_empty() {
            "none".to_owned()
        } else {
            fields.join(", ")
        }
    }

    fn write(&self, text: &mut String) {
        let usual = if self.primary { " (usual)" } else { "" };
        let _ = writeln!(text, "- {}: {}{usual}", self.id, self.label);
        for choice in &self.choices {
            if choice.advanced {
                continue;
            }
            let required = if choice.required {
                "required"
            } else {
                "optional"
            };
            let words = in_words(&choice.schema);
            let _ = writeln!(text, "    {} ({required}): {words}", choice.field);
        }
    }
}

/// The values that a schema allows, in words.
fn in_words(schema: &Value) -> String {
    let text = |field: &str| schema[field].as_str().unwrap_or_default();
    if let Some(shared) = schema["$ref"].as_str() {
        let name = shared.trim_start_matches("#/$defs/");
        return format!("one of {name}{}", exceptions(&schema["not"]));
    }
    if let Some(items) = schema["oneOf"].as_array() {
        return listed(items) + &exceptions(&schema["not"]);
    }
    if let Some(shapes) = schema["anyOf"].as_array() {
        let shapes: Vec<String> = shapes.iter().map(in_words).collect();
        return shapes.join(" or ");
    }
    match text("type") {
        "boolean" => "true or false".to_owned(),
        "integer" => format!("{} to {}", schema["minimum"], schema["maximum"]),
        "array" => format!("a list of ({})", in_words(&schema["items"])),
        "object" => object(schema),
        "string" => match schema["maxLength"].as_u64() {
            Some(most) => format!("text of at most {most} characters"),
            None => "a word of letters, digits, - and _".to_owned(),
        },
        _ => schema.to_string(),
    }
}

/// Listed values, each with its title if that says more.
fn listed(items: &[Value]) -> String {
    let mut words = Vec::new();
    for item in items.iter().take(NAMED) {
        let value = match &item["const"] {
            Value::String(word) => word.clone(),
            other => other.to_string(),
        };
        match item["title"].as_str() {
            Some(title) if !title.eq_ignore_ascii_case(&value.replace('_', " ")) => {
                words.push(format!("{value} ({title})"));
            }
            _ => words.push(value),
        }
    }
    if items.len() > NAMED {
        words.push(format!("and {} more", items.len() - NAMED));
    }
    words.join(", ")
}

/// The values that `not` rules out.
fn exceptions(not: &Value) -> String {
    let values = match &not["enum"] {
        Value::Array(values) => values.clone(),
        _ if not["const"].is_null() => return String::new(),
        _ => vec![not["const"].clone()],
    };
    let words: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!(", but not {}", words.join(", "))
}

/// The fields of an object.
fn object(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object() else {
        return format!(
            "an object of ({}) by ({})",
            in_words(&schema["additionalProperties"]),
            in_words(&schema["propertyNames"])
        );
    };
    let required = |field: &String| {
        let names = schema["required"].as_array();
        names.is_some_and(|names| names.iter().any(|name| name == field))
    };
    let mut fields = Vec::new();
    for (field, schema) in properties {
        let mark = if required(field) { "" } else { "?" };
        fields.push(format!("{field}{mark}: {}", in_words(schema)));
    }
    format!("an object {{{}}}", fields.join("; "))
}
