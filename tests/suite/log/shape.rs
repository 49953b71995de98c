//! The shape of everything that is stored, as text: one block for each type, one line for each
//! field.

use crate::support::openapi::{AllSchemas, TypeSchema, type_schema};
use crate::support::sources::path;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{read_to_string, write};
use turnkeeper::engine::{Document, LogEntry, Redactions, SCHEMA};
use turnkeeper::vocabulary::{Combatant, Encounter, INLINE, Registrar, Ruleset, SharedEvent};

/// The blocks of types by their names.
type Blocks = BTreeMap<String, String>;

/// The types that all rulesets share. They leave out what is a ruleset's own, so any ruleset gives
/// the same.
#[derive(Default)]
struct SharedTypes(Vec<(&'static str, TypeSchema)>);

impl Registrar for SharedTypes {
    fn add<R: Ruleset>(&mut self) {
        self.0 = vec![
            ("Document", type_schema::<Document<'_, R>>()),
            ("Table", type_schema::<Encounter<R>>()),
            ("Combatant", type_schema::<Combatant<R>>()),
            ("SharedEvent", type_schema::<SharedEvent>()),
            ("LogEntry", type_schema::<LogEntry>()),
            ("Redactions", type_schema::<Redactions>()),
        ];
    }
}

/// The shape of all that this program stores.
fn stored_shape() -> String {
    let mut types = SharedTypes::default();
    turnkeeper::rulesets::register(&mut types);
    let mut shared = Blocks::new();
    types
        .0
        .iter()
        .for_each(|(name, schema)| add(&mut shared, name, schema));
    let mut text = String::from("# every ruleset\n");
    text.extend(shared.values().cloned());
    let mut rulesets = AllSchemas::default();
    turnkeeper::rulesets::register(&mut rulesets);
    for ruleset in &rulesets.0 {
        let mut own = Blocks::new();
        add(&mut own, "Options", &ruleset.options);
        add(&mut own, "CombatantStats", &ruleset.stats);
        add(&mut own, "CombatantState", &ruleset.combatant_state);
        add(&mut own, "State", &ruleset.state);
        add(&mut own, "Event", &ruleset.event);
        text += &format!("\n# {}\n", ruleset.manifest.id);
        text.extend(
            own.into_iter()
                .filter(|(name, block)| shared.get(name) != Some(block))
                .map(|(_, block)| block),
        );
    }
    text
}

/// Adds the block of a type, and of each type that it names.
fn add(blocks: &mut Blocks, name: &str, TypeSchema { schema, components }: &TypeSchema) {
    let json = |schema| serde_json::to_value(schema).expect("a schema is JSON");
    let named: BTreeMap<&str, Value> = components
        .iter()
        .map(|(name, schema)| (&**name, json(schema)))
        .collect();
    let parts = named
        .iter()
        .filter(|(name, _)| !name.starts_with(INLINE))
        .map(|(name, schema)| (*name, schema));
    for (name, schema) in parts.chain([(name, &json(schema))]) {
        let block = format!("{name}\n{}", lines(schema, &named));
        let before = blocks.insert(name.to_owned(), block.clone());
        assert!(
            before.is_none_or(|before| before == block),
            "two stored types are called {name}"
        );
    }
}

/// A line for each field of an object or each variant of a union; otherwise one line.
fn lines(schema: &Value, named: &BTreeMap<&str, Value>) -> String {
    let lines = match (schema["properties"].as_object(), schema["oneOf"].as_array()) {
        (Some(_), _) => fields(schema, named),
        (None, Some(variants)) => variants
            .iter()
            .map(|variant| kind(variant, named))
            .collect(),
        (None, None) => vec![kind(schema, named)],
    };
    lines
        .into_iter()
        .map(|line| format!("  {line}\n"))
        .collect()
}

/// The fields of an object, each with its kind.
fn fields(schema: &Value, named: &BTreeMap<&str, Value>) -> Vec<String> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let field = |(name, schema): (&String, &Value)| {
        let optional = if required.iter().any(|required| required == name) {
            ""
        } else {
            "?"
        };
        format!("{name}{optional}: {}", kind(schema, named))
    };
    schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(field)
        .collect()
}

/// What a value is, in one line: without descriptions and bounds, which do not change its shape.
fn kind(schema: &Value, named: &BTreeMap<&str, Value>) -> String {
    let all = |list: &str, between: &str| {
        let kinds = schema[list]
            .as_array()
            .into_iter()
            .flatten()
            .map(|schema| kind(schema, named));
        kinds.collect::<Vec<_>>().join(between)
    };
    if let Some(target) = schema["$ref"].as_str() {
        let name = target.rsplit('/').next().unwrap_or_default();
        let scalar = named.get(name).filter(|_| name.starts_with(INLINE));
        return scalar.map_or(name.to_owned(), |scalar| kind(scalar, named));
    }
    if schema["oneOf"].is_array() {
        return all("oneOf", " | ");
    }
    if schema["allOf"].is_array() {
        return all("allOf", " & ");
    }
    if let Some(words) = schema["enum"].as_array() {
        return words
            .iter()
            .map(Value::to_string)
            .collect::<Vec<_>>()
            .join("|");
    }
    if schema["items"].is_object() {
        return format!("[{}]", kind(&schema["items"], named));
    }
    if schema["properties"].is_object() {
        return format!("{{{}}}", fields(schema, named).join(", "));
    }
    if schema["additionalProperties"].is_object() {
        return format!("{{any: {}}}", kind(&schema["additionalProperties"], named));
    }
    let format = schema["format"]
        .as_str()
        .map_or(String::new(), |format| format!(" {format}"));
    format!("{}{format}", schema["type"].to_string().replace('"', ""))
}

/// The parts of a shape by their headings: what all rulesets share, and each ruleset's own.
fn parts(shape: &str) -> BTreeMap<&str, &str> {
    let parts = shape.strip_prefix("# ").map(|parts| parts.split("\n# "));
    parts
        .into_iter()
        .flatten()
        .filter_map(|part| part.split_once('\n'))
        .collect()
}

/// Whether `shape` has all parts of `pinned` as they are. Then it only adds rulesets, and no
/// encounter of those is stored yet.
fn adds_rulesets_only(pinned: &str, shape: &str) -> bool {
    let now = parts(shape);
    parts(pinned)
        .iter()
        .all(|(heading, part)| now.get(heading) == Some(part))
}

#[test]
fn a_new_ruleset_alone_needs_no_new_number() {
    let pinned = "# every ruleset\nEncounter\n  id: string\n\n# b\nState\n  x: string\n";
    let new = "\n# a\nState\n  y: string\n\n# b\n";
    let with_new = pinned.replace("\n# b\n", new);
    assert!(adds_rulesets_only(pinned, &with_new));
    assert!(!adds_rulesets_only(&with_new, pinned));
    let changed = with_new.replace("x: string", "x: integer");
    assert!(!adds_rulesets_only(pinned, &changed));
}

#[test]
fn the_shape_of_what_is_stored_is_pinned_to_its_number() {
    let file = format!("tests/fixtures/stored-{SCHEMA}.txt");
    let shape = stored_shape();
    let before = read_to_string(path(&file)).unwrap_or_default();
    let adds_only = adds_rulesets_only(&before, &shape);
    // Other parts of an existing file stay: programs may have stored that shape under that number.
    if std::env::var_os("TURNKEEPER_BLESS").is_some() && adds_only {
        write(path(&file), &shape).expect("a writable file");
    }
    let pinned = read_to_string(path(&file)).unwrap_or_default();
    assert!(
        pinned == shape || !adds_only,
        "{file} lacks a ruleset: TURNKEEPER_BLESS=1 tests/run pinned adds it. No stored encounter is of it, so SCHEMA stays."
    );
    let missing = pinned
        .lines()
        .filter(|line| !shape.lines().any(|other| other == *line))
        .map(|line| format!("- {line}"));
    let added = shape
        .lines()
        .filter(|line| !pinned.lines().any(|other| other == *line))
        .map(|line| format!("+ {line}"));
    let differences: Vec<String> = missing.chain(added).collect();
    assert!(
        pinned == shape,
        "What is stored has another shape than {file} says:\n{}\n\
         A program would misread what was stored under the number {SCHEMA}. Raise SCHEMA in src/engine/document.rs by one, then run \
         TURNKEEPER_BLESS=1 tests/run pinned. While no release stores schema {SCHEMA}, keep the number: remove {file} first, then run \
         the same.",
        differences.join("\n")
    );
}
