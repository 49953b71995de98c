//! The rulesets' manifests.

use super::Shared;
use super::extract::{Nothing, Parameters};
use super::problem::Problem;
use super::reply::{List, Reply};
use crate::app::AppError;
use crate::engine::{AnyRuleset, TypeSchema, type_schema};
use crate::vocabulary::{Draft, Manifest};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// A ruleset: what never changes about it, and what it needs.
#[derive(Serialize, ToSchema)]
#[schema(as = RulesetInfo)]
pub(super) struct RulesetInfo {
    #[serde(flatten)]
    manifest: &'static Manifest,
    /// The JSON Schema of its options, with their defaults.
    #[schema(value_type = Object)]
    options: Value,
    /// The JSON Schema of a combatant as a client describes it: the shared fields and the ruleset's own.
    #[schema(value_type = Object)]
    combatant: Value,
}

impl RulesetInfo {
    fn of(ruleset: &dyn AnyRuleset) -> Self {
        let schemas = ruleset.schemas();
        let mut combatant = standalone(type_schema::<Draft>());
        let stats = standalone(schemas.stats);
        if let (Some(fields), Some(Value::Object(own))) =
            (combatant.get_mut("properties").and_then(Value::as_object_mut), stats.get("properties"))
        {
            fields.extend(own.clone());
        }
        Self { manifest: ruleset.manifest(), options: standalone(schemas.options), combatant }
    }
}

/// The schema with every reference replaced by what it refers to. Options and stats are plain data: nothing in them refers to
/// itself, and the depth says so.
fn standalone(TypeSchema { schema, components }: TypeSchema) -> Value {
    const DEPTH: usize = 12;
    let json = |schema| serde_json::to_value(schema).unwrap_or_default();
    let components = components.into_iter().map(|(name, schema)| (name, json(schema))).collect();
    resolved(json(schema), &components, DEPTH)
}

fn resolved(value: Value, components: &Map<String, Value>, depth: usize) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(|item| resolved(item, components, depth)).collect(),
        Value::Object(mut fields) => {
            let target = fields.get("$ref").and_then(Value::as_str).and_then(|target| target.rsplit('/').next());
            if let Some(Value::Object(target)) = target.and_then(|name| components.get(name)).filter(|_| depth > 0) {
                let mut target = target.clone();
                fields.remove("$ref");
                // What stands beside a reference says more than what it refers to.
                target.extend(fields);
                return resolved(Value::Object(target), components, depth - 1);
            }
            fields.into_iter().map(|(name, value)| (name, resolved(value, components, depth))).collect()
        }
        value => value,
    }
}

/// List the rulesets
#[utoipa::path(get, path = "/v1/rulesets", operation_id = "list_rulesets", tag = "rulesets",
    responses((status = 200, description = "The manifests of all rulesets", body = List<RulesetInfo>)))]
pub(super) async fn list_rulesets(
    State(shared): State<Shared>, Parameters(Nothing {}): Parameters<Nothing>,
) -> Result<Reply, Problem> {
    let items = shared.app.rulesets().iter().map(RulesetInfo::of).collect();
    let list = List { items, next_cursor: None };
    Ok(Reply::json(serde_json::to_vec(&list).map_err(AppError::from)?))
}

/// Read a ruleset's manifest
#[utoipa::path(get, path = "/v1/rulesets/{ruleset}", operation_id = "read_ruleset", tag = "rulesets",
    params(("ruleset" = String, Path, description = "The ruleset's id")),
    responses((status = 200, description = "The manifest", body = RulesetInfo)))]
pub(super) async fn read_ruleset(
    State(shared): State<Shared>, id: Result<Path<String>, PathRejection>, Parameters(Nothing {}): Parameters<Nothing>,
) -> Result<Reply, Problem> {
    let rulesets = shared.app.rulesets();
    let ruleset = id.ok().and_then(|Path(id)| rulesets.get(&id));
    let known = || AppError::NoRuleset(rulesets.iter().map(|ruleset| ruleset.manifest().id).collect());
    let info = RulesetInfo::of(ruleset.ok_or_else(known)?);
    Ok(Reply::json(serde_json::to_vec(&info).map_err(AppError::from)?))
}
