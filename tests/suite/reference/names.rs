//! The names of all rulesets side by side: the page `docs/reference/names.md`, and what its tables
//! must hold.

use super::{answers, followed, manifests, page_is};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use turnkeeper::openapi::RulesetManifest;

const PAGE: &str = "docs/reference/names.md";

/// A command or event of a ruleset.
struct Named {
    ruleset: &'static str,
    kind: String,
    summary: String,
    shared: bool,
    schema: Value,
}

fn commands(manifests: &[RulesetManifest]) -> Vec<Named> {
    let mut all = Vec::new();
    for manifest in manifests {
        for command in &manifest.commands {
            all.push(Named {
                ruleset: manifest.manifest.id,
                kind: command.kind.clone(),
                summary: command.summary.to_owned(),
                shared: command.shared,
                schema: command.schema.clone(),
            });
        }
    }
    all
}

fn events(manifests: &[RulesetManifest]) -> Vec<Named> {
    let mut all = Vec::new();
    for manifest in manifests {
        for event in &manifest.events {
            all.push(Named {
                ruleset: manifest.manifest.id,
                kind: event.kind.clone(),
                summary: event.summary.clone(),
                shared: event.shared,
                schema: event.schema.clone(),
            });
        }
    }
    all
}

impl Named {
    /// Its fields besides the type and the sentence.
    fn fields(&self) -> Vec<(&String, &Value)> {
        let mut fields = Vec::new();
        for (field, schema) in self.schema["properties"].as_object().into_iter().flatten() {
            let is_text_of_event = field == "text" && schema["$ref"].is_string();
            if field != "type" && !is_text_of_event {
                fields.push((field, schema));
            }
        }
        fields
    }

    /// Its fields in a cell of a table: those that may be left out have a question mark.
    fn cell(&self) -> String {
        let mut cell = String::new();
        let required = self.schema["required"].as_array();
        for (field, _) in self.fields() {
            let needed = required.is_some_and(|required| required.iter().any(|one| one == field));
            let mark = if needed { "" } else { "?" };
            let comma = if cell.is_empty() { "" } else { ", " };
            let _ = write!(cell, "{comma}`{field}{mark}`");
        }
        if cell.is_empty() {
            cell.push_str("no field");
        }
        cell
    }
}

/// What a field holds: its schema with references followed, without descriptions and bounds.
fn type_of(schema: &Value, root: &Value) -> String {
    type_with(schema, root, object_type)
}

/// The same where an object is an object, whatever fields it has.
fn outer_type_of(schema: &Value, root: &Value) -> String {
    type_with(schema, root, |_, _| "object".to_owned())
}

/// What a field holds, where `object` says what an object is.
fn type_with(schema: &Value, root: &Value, object: fn(&Value, &Value) -> String) -> String {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|target| target.strip_prefix("#/$defs/"))
    {
        let target = &root["$defs"][name];
        let is_id = target["type"] == "string" && !target["enum"].is_array();
        return if is_id {
            name.to_owned()
        } else {
            type_with(target, root, object)
        };
    }
    for words in ["enum", "const"] {
        let words = match &schema[words] {
            Value::Null => continue,
            Value::Array(words) => words.clone(),
            word => vec![word.clone()],
        };
        let words: Vec<String> = words
            .iter()
            .map(|word| word.to_string().replace('"', ""))
            .collect();
        return words.join(" or ");
    }
    for union in ["oneOf", "anyOf"] {
        if let Some(variants) = schema[union].as_array() {
            let types = variants.iter().map(|one| type_with(one, root, object));
            let types: BTreeSet<String> = types.collect();
            return types.into_iter().collect::<Vec<_>>().join(" or ");
        }
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", type_with(&schema["items"], root, object)),
        Some("object") if schema["additionalProperties"].is_object() => {
            let values = type_with(&schema["additionalProperties"], root, object);
            format!("map to {values}")
        }
        Some("object") => object(schema, root),
        Some("string") => "text".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some(other) => other.to_owned(),
        None => "any".to_owned(),
    }
}

fn object_type(schema: &Value, root: &Value) -> String {
    let mut fields = Vec::new();
    for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
        fields.push(format!("{field}: {}", type_of(schema, root)));
    }
    format!("{{{}}}", fields.join(", "))
}

/// These without the copies of what all rulesets share.
fn once(mut all: Vec<Named>) -> Vec<Named> {
    let first = all.first().map(|named| named.ruleset);
    all.retain(|named| !named.shared || Some(named.ruleset) == first);
    all
}

/// Every field of these with its types, and where each type is: `ruleset type`.
fn types_of_fields(all: &[Named]) -> BTreeMap<&str, BTreeMap<String, BTreeSet<String>>> {
    let mut fields: BTreeMap<&str, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for named in all {
        for (field, schema) in named.fields() {
            let types = fields.entry(field).or_default();
            let places = types.entry(type_of(schema, &named.schema)).or_default();
            places.insert(place(named));
        }
    }
    fields
}

fn place(named: &Named) -> String {
    if named.shared {
        named.kind.clone()
    } else {
        format!("{} {}", named.ruleset, named.kind)
    }
}

/// Fields whose type is the ruleset's: the list of rolls, whose items hold what its dice mean, and
/// the cause of a change, whose words are its own. The fields of those items have one type each.
const OF_THE_RULESET: [&str; 2] = ["cause", "ranking"];

/// The field that names the object in which it stands.
const OF_ITS_OBJECT: &str = "id";

/// Collects the fields of all objects in a schema, each with its type. Of an object it is only that:
/// its own fields are collected too.
fn collect_fields(schema: &Value, root: &Value, found: &mut Vec<(String, String)>) {
    let schema = followed(schema, root);
    for union in ["oneOf", "anyOf", "allOf"] {
        for variant in schema[union].as_array().into_iter().flatten() {
            collect_fields(variant, root, found);
        }
    }
    for part in ["items", "additionalProperties"] {
        if schema[part].is_object() {
            collect_fields(&schema[part], root, found);
        }
    }
    for (field, value) in schema["properties"].as_object().into_iter().flatten() {
        // A constant tells the variants of a union apart.
        if followed(value, root)["const"].is_null() {
            found.push((field.clone(), outer_type_of(value, root)));
        }
        collect_fields(value, root, found);
    }
}

/// The fields that have several types, however deep they stand.
fn nested_fields_of_several_types(what: &str, all: &[Named]) -> Vec<String> {
    let mut types: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for named in all {
        let mut found = Vec::new();
        for (field, schema) in named.fields() {
            found.push((field.clone(), outer_type_of(schema, &named.schema)));
            collect_fields(schema, &named.schema, &mut found);
        }
        for (field, kind) in found {
            let places = types.entry(field).or_default().entry(kind).or_default();
            places.insert(place(named));
        }
    }
    let mut wrong = Vec::new();
    for (field, types) in types {
        let is_excepted = field == OF_ITS_OBJECT || OF_THE_RULESET.contains(&field.as_str());
        if types.len() > 1 && !is_excepted {
            wrong.push(format!("{what}: the field `{field}` is {types:?}"));
        }
    }
    wrong
}

/// The fields that have several types.
fn fields_of_several_types(what: &str, all: &[Named]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (field, types) in types_of_fields(all) {
        if types.len() < 2 || OF_THE_RULESET.contains(&field) {
            continue;
        }
        let mut line = format!("{what}: the field `{field}` has {} types", types.len());
        for (kind, places) in types {
            let places: Vec<String> = places.into_iter().collect();
            let kind: String = kind.chars().take(90).collect();
            let _ = write!(line, "\n      {kind}: {}", places.join(", "));
        }
        wrong.push(line);
    }
    wrong
}

/// The acts that have several names: those that are summed up by the same words.
fn acts_of_several_names(what: &str, all: &[Named]) -> Vec<String> {
    let mut by_summary: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for named in all {
        by_summary
            .entry(without_rules(&named.summary))
            .or_default()
            .insert(named.kind.clone());
    }
    let mut wrong = Vec::new();
    for (summary, kinds) in by_summary {
        if kinds.len() > 1 {
            let kinds: Vec<String> = kinds.into_iter().collect();
            wrong.push(format!("{what}: \"{summary}\" is {}", kinds.join(", ")));
        }
    }
    wrong
}

/// A summary without the rules that it names in brackets.
fn without_rules(summary: &str) -> String {
    let mut rest = summary.to_lowercase();
    while let Some(start) = rest.find(" (")
        && let Some(length) = rest[start..].find(')')
    {
        rest.replace_range(start..=start + length, "");
    }
    rest.trim_end_matches('.').to_owned()
}

#[test]
fn the_page_of_names_is_what_the_openapi_manifests_say() {
    let manifests = manifests();
    let mut page = String::from(INTRODUCTION);
    for (title, all) in [
        ("Commands", commands(&manifests)),
        ("Events", events(&manifests)),
    ] {
        acts(&mut page, title, &manifests, &all);
    }
    decisions(&mut page, &manifests);
    fields(&mut page, "Fields of commands", &once(commands(&manifests)));
    fields(&mut page, "Fields of events", &once(events(&manifests)));
    page_is(PAGE, &page);
}

const INTRODUCTION: &str = "# Names

All commands, events, decisions and fields of the rulesets, side by side. A test writes this page from the types.
A field with a question mark may be left out. `GET /v1/rulesets/{ruleset}` has the JSON Schema of each command and event.
";

/// The table of what the rulesets have themselves, and that of what all share.
fn acts(page: &mut String, title: &str, manifests: &[RulesetManifest], all: &[Named]) {
    heading(page, title, manifests);
    let kinds: BTreeSet<&str> = all
        .iter()
        .filter(|named| !named.shared)
        .map(|named| &*named.kind)
        .collect();
    for kind in kinds {
        let _ = write!(page, "| `{kind}` |");
        for manifest in manifests {
            let own = |named: &&Named| named.kind == kind && named.ruleset == manifest.manifest.id;
            let cell = all.iter().find(own).map(Named::cell).unwrap_or_default();
            let _ = write!(page, " {cell} |");
        }
        page.push('\n');
    }
    let _ = write!(
        page,
        "\n### {title} of all rulesets\n\n| type | fields | summary |\n| --- | --- | --- |\n"
    );
    let first = manifests.first().map(|manifest| manifest.manifest.id);
    let shared = all
        .iter()
        .filter(|named| named.shared && Some(named.ruleset) == first);
    let shared: BTreeMap<&str, &Named> = shared.map(|named| (&*named.kind, named)).collect();
    for (kind, named) in shared {
        let _ = writeln!(page, "| `{kind}` | {} | {} |", named.cell(), named.summary);
    }
}

fn decisions(page: &mut String, manifests: &[RulesetManifest]) {
    heading(page, "Decisions", manifests);
    let all = manifests.iter().flat_map(|manifest| &manifest.decisions);
    let ids: BTreeSet<&str> = all.map(|decision| decision.id).collect();
    for id in ids {
        let _ = write!(page, "| `{id}` |");
        for manifest in manifests {
            let own = manifest.decisions.iter().find(|decision| decision.id == id);
            let _ = write!(page, " {} |", own.map(answers).unwrap_or_default());
        }
        page.push('\n');
    }
}

fn heading(page: &mut String, title: &str, manifests: &[RulesetManifest]) {
    let _ = write!(page, "\n## {title}\n\n| |");
    for manifest in manifests {
        let _ = write!(page, " {} |", manifest.manifest.title);
    }
    let _ = writeln!(page, "\n| --- |{}", " --- |".repeat(manifests.len()));
}

fn fields(page: &mut String, title: &str, all: &[Named]) {
    let _ = write!(
        page,
        "\n## {title}\n\n| field | type | in |\n| --- | --- | --- |\n"
    );
    for (field, types) in types_of_fields(all) {
        for (kind, places) in types {
            let mut kinds: BTreeSet<&str> = BTreeSet::new();
            for place in &places {
                kinds.extend(place.rsplit(' ').next());
            }
            let kinds: Vec<String> = kinds.into_iter().map(|kind| format!("`{kind}`")).collect();
            let _ = writeln!(page, "| `{field}` | {} | {} |", kind, kinds.join(", "));
        }
    }
}

#[test]
fn a_field_has_one_type_and_an_act_one_name() {
    let manifests = manifests();
    let mut wrong = Vec::new();
    for (what, all) in [
        ("commands", once(commands(&manifests))),
        ("events", once(events(&manifests))),
    ] {
        wrong.extend(fields_of_several_types(what, &all));
        wrong.extend(acts_of_several_names(what, &all));
    }
    for (what, all) in [
        ("commands", commands(&manifests)),
        ("events", events(&manifests)),
    ] {
        wrong.extend(nested_fields_of_several_types(what, &all));
    }
    assert!(
        wrong.is_empty(),
        "across all rulesets a field has one type and an act one name. docs/reference/names.md lists \
         those in use: take another name, or the same type\n  {}",
        wrong.join("\n  ")
    );
}

#[test]
fn violations_are_found() {
    let named = |kind: &str, summary: &str, schema: Value| Named {
        ruleset: "x",
        kind: kind.to_owned(),
        summary: summary.to_owned(),
        shared: false,
        schema,
    };
    let text =
        serde_json::json!({"properties": {"by": {"type": "string", "description": "A name."}}});
    let number = serde_json::json!({"properties": {"by": {"type": "integer"}}});
    let all = [
        named("one", "End a turn (X-1).", text.clone()),
        named("two", "End a turn.", number),
        named("three", "Begin a turn.", text),
    ];
    assert_eq!(
        fields_of_several_types("commands", &all),
        ["commands: the field `by` has 2 types\n      number: x two\n      text: x one, x three"]
    );
    let nested = |schema: Value| {
        serde_json::json!({"properties": {"list": {"type": "array",
        "items": {"type": "object", "properties": {"of": schema}}}}})
    };
    let deep = [
        named("one", "", nested(serde_json::json!({"type": "integer"}))),
        named("two", "", nested(serde_json::json!({"type": "boolean"}))),
    ];
    assert_eq!(
        nested_fields_of_several_types("events", &deep),
        [r#"events: the field `of` is {"boolean": {"x two"}, "number": {"x one"}}"#]
    );
    assert_eq!(
        acts_of_several_names("commands", &all),
        ["commands: \"end a turn\" is one, two"]
    );
}
