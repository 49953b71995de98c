//! Plays a round of every ruleset by options alone, with the client of openapi-generator's rust.

use openapi::apis::configuration::Configuration;
use openapi::apis::{commands_api, encounters_api, rulesets_api};
use openapi::models::{CommandRequest, LegalCommand, LegalCommands};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;

/// A value that a choice allows, another one at another turn. References lead to the `$defs` of the answer.
fn value(schema: &Value, defs: &Value, turn: usize) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next()) {
        let mut whole = defs[name].clone();
        whole["not"] = schema["not"].clone();
        return value(&whole, defs, turn);
    }
    let out = |value: &Value| schema["not"]["const"] == *value || list(&schema["not"]["enum"]).contains(value);
    let mut values = Vec::new();
    for one in list(&schema["oneOf"]) {
        if !out(&one["const"]) {
            values.push(&one["const"]);
        }
    }
    if !values.is_empty() {
        return values[turn % values.len()].clone();
    }
    if let [first, ..] = list(&schema["anyOf"]) {
        return value(first, defs, turn);
    }
    match schema["type"].as_str() {
        Some("integer") => schema[if turn % 2 == 1 { "maximum" } else { "minimum" }].clone(),
        Some("boolean") => (turn % 2 == 1).into(),
        Some("array") => {
            let least = schema["minItems"].as_u64().unwrap_or_default();
            (0..least).map(|_| value(&schema["items"], defs, turn)).collect()
        }
        Some("object") => {
            let required = list(&schema["required"]).iter().filter_map(Value::as_str);
            required.map(|field| (field.to_owned(), value(&schema["properties"][field], defs, turn))).collect()
        }
        _ => "marked".into(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn verb(option: &LegalCommand) -> Result<String, Box<dyn Error>> {
    Ok(serde_json::to_value(&option.command)?["type"].as_str().unwrap_or_default().to_owned())
}

fn filled(option: &LegalCommand, options: &LegalCommands, turn: usize) -> Result<Value, Box<dyn Error>> {
    let mut command = serde_json::to_value(&option.command)?;
    let defs = serde_json::to_value(&options.dollar_defs)?;
    for choice in &option.choices {
        if choice.required {
            command[&choice.field] = value(&serde_json::to_value(&choice.schema)?, &defs, turn);
        }
    }
    Ok(command)
}

async fn play(base_path: &str, ruleset: &str) -> Result<usize, Box<dyn Error>> {
    let mut api = Configuration { base_path: base_path.to_owned(), ..Configuration::default() };
    let combatants = json!([{"name": "Ann"}, {"name": "Bob"}, {"name": "Orc", "side": "monsters"}, {"name": "Wolf", "side": "monsters"}]);
    let new = serde_json::from_value(json!({"ruleset": ruleset, "seed": 1, "combatants": combatants}))?;
    let created = encounters_api::create_encounter(&api, new, None).await?;
    api.bearer_access_token = Some(created.token);
    let id = created.encounter.id;
    let mut pending = created.encounter.pending;
    let mut sent: BTreeMap<String, usize> = BTreeMap::new();
    for turn in 1..=200 {
        let options = commands_api::list_options(&api, &id, None, None, None, None).await?;
        let verbs = pending.map_or_else(|| vec!["start".to_owned()], |pending| pending.commands);
        let mut fitting = Vec::new();
        for option in &options.items {
            let verb = verb(option)?;
            if verbs.contains(&verb) {
                fitting.push((sent.get(&verb).copied().unwrap_or_default(), verb, option));
            }
        }
        let (uses, verb, option) = fitting.into_iter().min_by_key(|(uses, ..)| *uses).ok_or("nothing to send")?;
        sent.insert(verb, uses + 1);
        let command = CommandRequest::Command(filled(option, &options, turn)?);
        let answer = commands_api::send_command(&api, &id, command, None, None, None, None, None, None, None).await?;
        pending = answer.encounter.ok_or("an answer without an encounter")?.pending;
        let ended = |event: &Value| event["type"] == "round_ended" && event["round"] != 0;
        if answer.events.iter().any(ended) {
            return Ok(turn);
        }
    }
    Err("the round does not end".into())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let base_path = std::env::args().nth(1).ok_or("the server's address is expected")?;
    let api = Configuration { base_path: base_path.clone(), ..Configuration::default() };
    for ruleset in rulesets_api::list_rulesets(&api, None).await?.items {
        let turns = play(&base_path, &ruleset.id).await?;
        println!("openapi-generator-rust: {}: a round in {turns} commands", ruleset.id);
    }
    Ok(())
}
