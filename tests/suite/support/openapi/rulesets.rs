//! The answer of `GET /v1/rulesets`.

use super::components::{AllSchemas, Schemas};
use super::schema::{standalone, type_schema};
use serde::Serialize;
use serde_json::Value;
use turnkeeper::openapi::RulesetInfo;
use turnkeeper::vocabulary::{Commands, Draft, HOUSE_RULES, SharedCommand};

/// The list of the manifests.
#[derive(Serialize)]
pub struct Manifests {
    items: Vec<RulesetInfo>,
}

/// The manifests of the rulesets that ship.
pub fn rulesets() -> Manifests {
    let mut all = AllSchemas::default();
    turnkeeper::rulesets::register(&mut all);
    Manifests {
        items: all.0.iter().map(manifest).collect(),
    }
}

fn manifest(schemas: &Schemas) -> RulesetInfo {
    let mut combatant = standalone(&type_schema::<Draft>());
    let stats = standalone(&schemas.stats);
    if let (Some(fields), Some(Value::Object(own))) = (
        combatant
            .get_mut("properties")
            .and_then(Value::as_object_mut),
        stats.get("properties"),
    ) {
        fields.extend(own.clone());
    }
    RulesetInfo {
        manifest: schemas.manifest,
        shared_commands: SharedCommand::SPECS,
        shared_rules: HOUSE_RULES,
        options: standalone(&schemas.options),
        combatant,
    }
}
