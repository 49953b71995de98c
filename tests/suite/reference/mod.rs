//! The pages of `docs/reference`, which are written from the manifests.
//! `TURNKEEPER_BLESS=1 tests/run openapi` rewrites them.

mod names;
mod rulesets;

use crate::support::openapi::{self, AllSchemas};
use crate::support::sources;
use serde_json::Value;
use turnkeeper::openapi::RulesetManifest;
use turnkeeper::vocabulary::Decision;

fn manifests() -> Vec<RulesetManifest> {
    let schemas = AllSchemas::shipped().0;
    schemas.iter().map(openapi::ruleset_manifest).collect()
}

/// The name of the definition to which a reference leads.
fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// The schema to which a reference leads.
fn followed<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    match reference(schema) {
        Some(name) => followed(&root["$defs"][name], root),
        None => schema,
    }
}

/// The commands that answer a decision.
fn answers(decision: &Decision) -> String {
    let commands: Vec<String> = decision
        .commands
        .iter()
        .map(|command| format!("`{command}`"))
        .collect();
    if commands.is_empty() {
        return "no command".to_owned();
    }
    commands.join(", ")
}

/// Compares a committed file with what the code says, or rewrites it.
#[track_caller]
pub fn page_is(path: &str, page: &str) {
    if std::env::var_os("TURNKEEPER_BLESS").is_some() {
        std::fs::create_dir_all(sources::path("docs/reference")).expect("a folder");
        std::fs::write(sources::path(path), page).expect("the page can be written");
    }
    assert!(
        sources::text(path) == page,
        "{path} is not what the code says: TURNKEEPER_BLESS=1 and this test again"
    );
}
