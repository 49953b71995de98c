//! What a client makes of the choices of an option.

use serde_json::{Value, json};

/// The options of an answer, with the schemas of `$defs` in place of the references to them.
pub fn resolved_items(answer: &Value) -> Vec<Value> {
    let mut items = answer["items"].clone();
    resolve(&mut items, &answer["$defs"]);
    items.as_array().expect("items").clone()
}

fn resolve(value: &mut Value, definitions: &Value) {
    match value {
        Value::Array(items) => {
            for item in items {
                resolve(item, definitions);
            }
        }
        Value::Object(fields) => {
            for field in fields.values_mut() {
                resolve(field, definitions);
            }
            if let Some(Value::String(path)) = fields.remove("$ref") {
                let name = path.trim_start_matches("#/$defs/");
                let definition = definitions[name].as_object().expect("a definition");
                fields.extend(definition.clone());
            }
        }
        _ => {}
    }
}

/// The command of an option with a value in each required choice.
pub fn completed(option: &Value) -> Value {
    let mut command = option["command"].clone();
    for choice in option["choices"].as_array().expect("choices") {
        if choice["required"] == true {
            let field = choice["field"].as_str().expect("a field");
            command[field] = smallest(&choice["schema"]);
        }
    }
    command
}

/// The smallest value that a schema allows.
pub fn smallest(schema: &Value) -> Value {
    let refused = |value: &Value| {
        let not = &schema["not"];
        not["const"] == *value || not["enum"].as_array().is_some_and(|e| e.contains(value))
    };
    if let Some(items) = schema["oneOf"].as_array() {
        let mut values = items.iter().map(|item| &item["const"]);
        return values
            .find(|value| !refused(value))
            .expect("a value")
            .clone();
    }
    if let Some(shapes) = schema["anyOf"].as_array() {
        return smallest(&shapes[0]);
    }
    match schema["type"].as_str().expect("a type") {
        "boolean" => json!(false),
        "integer" | "number" => schema["minimum"].clone(),
        "string" => {
            let mut words = (1..).map(|letters| json!("x".repeat(letters)));
            words.find(|word| !refused(word)).expect("a word")
        }
        "array" => {
            let count = schema["minItems"].as_u64().unwrap_or(0);
            (0..count).map(|_| smallest(&schema["items"])).collect()
        }
        _ => {
            let mut object = json!({});
            for field in schema["required"].as_array().into_iter().flatten() {
                let field = field.as_str().expect("a name");
                object[field] = smallest(&schema["properties"][field]);
            }
            object
        }
    }
}
