//! One page for each ruleset, `docs/reference/{ruleset}.md`, with its fields, options, commands,
//! decisions, events and rules, and one page of what all rulesets share.

use super::{answers, followed, manifests, page_is, reference};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use turnkeeper::openapi::RulesetManifest;
use turnkeeper::vocabulary::{AllowedRole, Decision, HOUSE_RULES, Rule};

const SHARED: &str = "docs/reference/all-rulesets.md";

const INTRODUCTION: &str = "# Every ruleset

Each ruleset has these. The rest is on the pages ";

#[test]
fn each_ruleset_has_a_page_of_what_its_openapi_manifest_adds() {
    let manifests = manifests();
    for manifest in &manifests {
        let id = manifest.manifest.id;
        page_is(
            &format!("docs/reference/{id}.md"),
            &own_page(manifest, &manifests),
        );
    }
}

#[test]
fn one_page_has_what_all_openapi_manifests_share() {
    let manifests = manifests();
    let first = manifests.first().expect("a ruleset");
    let mut page = String::from(INTRODUCTION);
    let links: Vec<String> = manifests.iter().map(link).collect();
    let _ = writeln!(page, "{}.", links.join(", "));
    let shared = shared_fields(&manifests);
    let mut objects = Objects::default();
    let fields = rows(&first.combatant, &mut objects, |field| {
        shared.contains(field)
    });
    section(&mut page, "A combatant", &fields);
    commands(&mut page, first, true, &mut objects);
    let decisions: Vec<&Decision> = first
        .decisions
        .iter()
        .filter(|decision| is_shared(decision, &manifests))
        .collect();
    list_decisions(&mut page, &decisions);
    events(&mut page, first, true, &mut objects);
    objects.write(&mut page);
    rules(&mut page, HOUSE_RULES);
    page_is(SHARED, &page);
}

fn link(manifest: &RulesetManifest) -> String {
    format!("[{}]({}.md)", manifest.manifest.title, manifest.manifest.id)
}

fn own_page(manifest: &RulesetManifest, all: &[RulesetManifest]) -> String {
    let about = manifest.manifest;
    let mut page = format!(
        "# {}: reference\n\nThese are of `{}` alone. [All rulesets](all-rulesets.md) share the rest. \
         [{}](../rulesets/{}.md) shows how it plays.\n",
        about.title, about.id, about.title, about.id
    );
    let shared = shared_fields(all);
    let mut objects = Objects::default();
    let fields = rows(&manifest.combatant, &mut objects, |field| {
        !shared.contains(field)
    });
    section(&mut page, "A combatant", &fields);
    let options = rows(&manifest.options, &mut objects, |_| true);
    section(&mut page, "Options", &options);
    commands(&mut page, manifest, false, &mut objects);
    let decisions: Vec<&Decision> = manifest
        .decisions
        .iter()
        .filter(|decision| !is_shared(decision, all))
        .collect();
    list_decisions(&mut page, &decisions);
    events(&mut page, manifest, false, &mut objects);
    objects.write(&mut page);
    rules(&mut page, about.rules);
    page
}

/// The fields of a combatant that are the same in all rulesets.
fn shared_fields(manifests: &[RulesetManifest]) -> BTreeSet<String> {
    let mut shared: Option<BTreeSet<String>> = None;
    for manifest in manifests {
        let fields = manifest.combatant["properties"].as_object();
        let fields: BTreeSet<String> = fields
            .into_iter()
            .flatten()
            .map(|(f, _)| f.clone())
            .collect();
        shared = Some(match shared {
            Some(shared) => shared.intersection(&fields).cloned().collect(),
            None => fields,
        });
    }
    shared.unwrap_or_default()
}

fn is_shared(decision: &Decision, manifests: &[RulesetManifest]) -> bool {
    manifests
        .iter()
        .all(|manifest| manifest.decisions.contains(decision))
}

/// A field of an object: its name, type, whether it is needed or what it is without one, and its
/// meaning.
struct Row {
    field: String,
    kind: String,
    default: String,
    meaning: String,
}

/// The objects that fields refer to by name.
#[derive(Default)]
struct Objects(BTreeMap<String, (Value, Value)>);

impl Objects {
    /// Writes a table for each, also for those that their own fields refer to.
    fn write(mut self, page: &mut String) {
        let mut written: BTreeMap<String, String> = BTreeMap::new();
        while let Some((name, (schema, root))) = self.0.pop_first() {
            if written.contains_key(&name) {
                continue;
            }
            let mut part = format!("\n### {name}\n\n{}\n", cell(description(&schema)));
            let fields = rows_of(&schema, &root, &mut self, |_| true);
            table(&mut part, &fields);
            written.insert(name, part);
        }
        if written.is_empty() {
            return;
        }
        page.push_str("\n## Objects\n");
        page.extend(written.into_values());
    }
}

fn rows(schema: &Value, objects: &mut Objects, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    rows_of(schema, schema, objects, wanted)
}

/// The fields of an object, and of each of its forms where it has several.
fn rows_of(
    schema: &Value,
    root: &Value,
    objects: &mut Objects,
    wanted: impl Fn(&str) -> bool,
) -> Vec<Row> {
    let mut rows = Vec::new();
    let forms = schema["oneOf"].as_array().into_iter().flatten();
    for form in forms.chain([schema]) {
        let form = followed(form, root);
        for (field, value) in form["properties"].as_object().into_iter().flatten() {
            let is_text_of_event = reference(value) == Some("EventText");
            let is_known = rows.iter().any(|row: &Row| row.field == *field);
            if is_text_of_event || is_known || !wanted(field) {
                continue;
            }
            let required = form["required"].as_array().into_iter().flatten();
            let is_required = required.into_iter().any(|one| one == field);
            rows.push(Row {
                field: field.clone(),
                kind: kind(value, root, objects),
                default: default(value, is_required),
                meaning: meaning(value, root),
            });
        }
    }
    // The constant that tells the forms apart, and the type of a command or event.
    rows.retain(|row| row.field != "type" || !row.kind.starts_with('`'));
    rows
}

fn default(schema: &Value, is_required: bool) -> String {
    match &schema["default"] {
        _ if is_required => "required".to_owned(),
        Value::Null => String::new(),
        value => format!("`{value}`"),
    }
}

fn meaning(schema: &Value, root: &Value) -> String {
    let own = description(schema);
    let text = if own.is_empty() {
        description(followed(schema, root))
    } else {
        own
    };
    cell(text)
}

fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

/// What a field holds, in words.
fn kind(schema: &Value, root: &Value, objects: &mut Objects) -> String {
    if let Some(name) = reference(schema) {
        let target = &root["$defs"][name];
        let is_object = target["type"] == "object" || target["oneOf"].is_array();
        if !is_object || target["additionalProperties"].is_object() {
            return match name {
                "CombatantId" => "id".to_owned(),
                _ => kind(target, root, objects),
            };
        }
        objects
            .0
            .insert(name.to_owned(), (target.clone(), root.clone()));
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .map(|word| format!("`{}`", plain(word)))
            .collect();
        return words.join(", ");
    }
    if !schema["const"].is_null() {
        return format!("`{}`", plain(&schema["const"]));
    }
    for union in ["oneOf", "anyOf"] {
        if let Some(forms) = schema[union].as_array() {
            let mut kinds: Vec<String> =
                forms.iter().map(|form| kind(form, root, objects)).collect();
            kinds.dedup();
            return kinds.join(" or ");
        }
    }
    match schema["type"].as_str() {
        Some("array") => {
            let most = match schema["maxItems"].as_u64() {
                Some(most) => format!("at most {most} of "),
                None => "list of ".to_owned(),
            };
            format!("{most}{}", kind(&schema["items"], root, objects))
        }
        Some("object") if schema["additionalProperties"].is_object() => {
            format!(
                "map to {}",
                kind(&schema["additionalProperties"], root, objects)
            )
        }
        Some("object") => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let fields: Vec<String> = fields.map(|(field, _)| format!("`{field}`")).collect();
            if fields.is_empty() {
                "object".to_owned()
            } else {
                format!("object with {}", fields.join(", "))
            }
        }
        Some("string") => match (schema["minLength"].as_u64(), schema["maxLength"].as_u64()) {
            (Some(least), Some(most)) => format!("text of {least} to {most} characters"),
            (None, Some(most)) => format!("text, {most} characters at most"),
            _ => "text".to_owned(),
        },
        Some("integer" | "number") => match (&schema["minimum"], &schema["maximum"]) {
            (Value::Null, _) | (_, Value::Null) => "number".to_owned(),
            (least, most) => format!("number {least} to {most}"),
        },
        Some("boolean") => "true or false".to_owned(),
        Some(other) => other.to_owned(),
        None => "any".to_owned(),
    }
}

fn plain(word: &Value) -> String {
    word.to_string().replace('"', "")
}

fn section(page: &mut String, title: &str, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let _ = write!(page, "\n## {title}\n");
    table(page, rows);
}

/// The table of an object's fields, if it has any.
fn table(page: &mut String, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    page.push_str("\n| field | type | default | meaning |\n| --- | --- | --- | --- |\n");
    for row in rows {
        let Row {
            field,
            kind,
            default,
            meaning,
        } = row;
        let _ = writeln!(page, "| `{field}` | {kind} | {default} | {meaning} |");
    }
}

fn commands(page: &mut String, manifest: &RulesetManifest, shared: bool, objects: &mut Objects) {
    page.push_str("\n## Commands\n");
    for command in manifest
        .commands
        .iter()
        .filter(|command| command.shared == shared)
    {
        let sender = match command.sender {
            AllowedRole::Player => "A player sends it for their combatants, or the game master.",
            AllowedRole::Gm => "The game master sends it.",
            AllowedRole::Author => {
                "The game master sends it; if the encounter allows it, also the player whose command it undoes."
            }
            AllowedRole::Source => {
                "The game master sends it; if the encounter allows it, also the player of the effect's source."
            }
            AllowedRole::Target => {
                "The game master sends it; if the encounter allows it, also the player of all of its targets."
            }
        };
        let summary = cell(command.summary);
        let _ = write!(page, "\n### {}\n\n{summary} {sender}\n", command.kind);
        table(page, &rows(&command.schema, objects, |_| true));
    }
}

fn list_decisions(page: &mut String, decisions: &[&Decision]) {
    if decisions.is_empty() {
        return;
    }
    page.push_str("\n## Decisions\n\n`pending.decision` names what the fight awaits.\n\n| decision | meaning | commands that answer it |\n| --- | --- | --- |\n");
    for decision in decisions {
        let Decision { id, summary, .. } = decision;
        let _ = writeln!(
            page,
            "| `{id}` | {} | {} |",
            cell(summary),
            answers(decision)
        );
    }
}

fn events(page: &mut String, manifest: &RulesetManifest, shared: bool, objects: &mut Objects) {
    page.push_str("\n## Events\n\nEach event also has its `type`, and its sentence as `text`.\n");
    for event in manifest
        .events
        .iter()
        .filter(|event| event.shared == shared)
    {
        let _ = write!(page, "\n### {}\n\n{}\n", event.kind, cell(&event.summary));
        table(page, &rows(&event.schema, objects, |_| true));
    }
}

fn rules(page: &mut String, rules: &[Rule]) {
    page.push_str(
        "\n## Rules\n\nRefusals and the order name these ids.\n\n| id | rule |\n| --- | --- |\n",
    );
    for rule in rules {
        let _ = writeln!(page, "| `{}` | {} |", rule.id, cell(rule.summary));
    }
}
