//! The list of the tools of `/mcp`.

use super::components::components;
use super::schema::{correct, standalone, type_schema};
use serde_json::{Value, json};
use turnkeeper::http;
use turnkeeper::openapi::{
    ChooseOption, CreateEncounter, ListOptions, ListRulesets, ReadLog, Seat, SeeTable, TOOLS,
};
use utoipa::{PartialSchema, ToSchema};

/// A body has no schema that is deeper.
const DEPTH: usize = 12;

/// The tools with the schemas of their arguments, each of which stands alone.
pub fn tools_list() -> Value {
    let tools = TOOLS.iter().map(|tool| {
        let schema = match tool.name {
            "list_rulesets" => of::<ListRulesets>(),
            "create_encounter" => merged(new_encounter(), of::<CreateEncounter>()),
            "see_table" => merged(of::<Seat>(), of::<SeeTable>()),
            "list_options" => merged(of::<Seat>(), of::<ListOptions>()),
            "choose_option" => merged(of::<Seat>(), of::<ChooseOption>()),
            "read_log" => merged(of::<Seat>(), of::<ReadLog>()),
            other => panic!("{other} has no arguments here"),
        };
        let schema = tidied(schema);
        json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": schema,
            "annotations": {
                "readOnlyHint": tool.read_only,
                "destructiveHint": false,
                "idempotentHint": tool.name != "create_encounter",
                "openWorldHint": false,
            },
        })
    });
    json!({"tools": tools.collect::<Vec<_>>()})
}

fn of<T: ToSchema + PartialSchema>() -> Value {
    let mut schema = standalone(&type_schema::<T>());
    // The tool itself is described.
    schema
        .as_object_mut()
        .expect("an object")
        .remove("description");
    schema
}

/// A schema without what a model does not need: line breaks, and the sizes of integers.
fn tidied(schema: Value) -> Value {
    match schema {
        Value::Array(items) => items.into_iter().map(tidied).collect(),
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(_, value)| {
                let size = value.as_str().unwrap_or_default();
                !matches!(size, "int64" | "uint64")
            });
            kept.map(|(field, value)| (field, tidied(value))).collect()
        }
        Value::String(text) => text.replace('\n', " ").into(),
        other => other,
    }
}

/// An object with the fields of both.
fn merged(mut one: Value, other: Value) -> Value {
    let fields = other["properties"].as_object().cloned().unwrap_or_default();
    one["properties"]
        .as_object_mut()
        .expect("fields")
        .extend(fields);
    let required = other["required"].as_array().cloned().unwrap_or_default();
    if !required.is_empty() {
        let all = one["required"].as_array_mut().expect("required fields");
        all.extend(required);
    }
    one
}

/// The body of `POST /v1/encounters`, without the texts for other programs, and who sees a sheet.
fn new_encounter() -> Value {
    let declared = http::openapi().components.unwrap_or_default().schemas;
    let all = components(&declared, None);
    let mut schema = all["NewEncounter"].clone();
    correct(&mut schema, &all, DEPTH);
    drop_what_models_do_not_set(&mut schema);
    schema["additionalProperties"] = json!(false);
    let fields = schema.as_object_mut().expect("an object");
    fields.remove("description");
    let draft = &mut fields["properties"]["combatants"]["items"];
    draft["description"] =
        json!("A combatant: the fields of all rulesets, and those that list_rulesets describes.");
    fields["properties"]["options"]["description"] =
        json!("The ruleset's options, which list_rulesets describes. All have defaults.");
    schema
}

fn drop_what_models_do_not_set(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(drop_what_models_do_not_set),
        Value::Object(fields) => {
            if let Some(properties) = fields.get_mut("properties").and_then(Value::as_object_mut) {
                properties.retain(|name, _| name != "metadata" && !name.ends_with("_seen_by"));
            }
            fields.values_mut().for_each(drop_what_models_do_not_set);
        }
        _ => {}
    }
}
