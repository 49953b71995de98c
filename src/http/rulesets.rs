//! The rulesets' manifests.

use super::Shared;
use super::extract::{Nothing, Parameters};
use super::problem::Problem;
use super::reply::{List, Reply};
use crate::app::AppError;
use crate::engine::{AnyRuleset, Rulesets, type_schema};
use crate::openapi::standalone;
use crate::vocabulary::{CommandSpec, Commands, Draft, HOUSE_RULES, Manifest, Rule, SharedCommand};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::Value;
use std::sync::OnceLock;
use utoipa::ToSchema;

/// A ruleset: what never changes about it, and what it needs.
#[derive(Serialize, ToSchema)]
#[schema(as = RulesetInfo)]
pub(super) struct RulesetInfo {
    #[serde(flatten)]
    manifest: &'static Manifest,
    /// The commands that every ruleset understands.
    shared_commands: &'static [CommandSpec],
    /// The rules that hold in every ruleset: refusals name them too.
    shared_rules: &'static [Rule],
    /// The JSON Schema of its options, with their defaults.
    #[schema(value_type = Object)]
    options: Value,
    /// The JSON Schema of a combatant as a client describes it: the shared fields and the ruleset's own.
    #[schema(value_type = Object)]
    combatant: Value,
}

/// Every ruleset's manifest, made when somebody first asks.
#[derive(Default)]
pub(super) struct Manifests(OnceLock<Vec<RulesetInfo>>);

impl Manifests {
    fn of(&self, rulesets: &Rulesets) -> &[RulesetInfo] {
        self.0.get_or_init(|| rulesets.iter().map(RulesetInfo::of).collect())
    }
}

impl RulesetInfo {
    fn of(ruleset: &dyn AnyRuleset) -> Self {
        let mut combatant = standalone(type_schema::<Draft>());
        let stats = standalone(ruleset.stats());
        if let (Some(fields), Some(Value::Object(own))) =
            (combatant.get_mut("properties").and_then(Value::as_object_mut), stats.get("properties"))
        {
            fields.extend(own.clone());
        }
        Self {
            manifest: ruleset.manifest(),
            shared_commands: SharedCommand::SPECS,
            shared_rules: HOUSE_RULES,
            options: standalone(ruleset.options()),
            combatant,
        }
    }
}

/// List the rulesets
#[utoipa::path(get, path = "/v1/rulesets", operation_id = "list_rulesets", tag = "rulesets",
    responses((status = 200, description = "The manifests of all rulesets", body = List<RulesetInfo>)))]
pub(super) async fn list_rulesets(
    State(shared): State<Shared>, Parameters(Nothing {}): Parameters<Nothing>,
) -> Result<Reply, Problem> {
    let items = shared.manifests.of(shared.app.rulesets()).iter().collect();
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
    let all = shared.manifests.of(shared.app.rulesets());
    let info = id.ok().and_then(|Path(id)| all.iter().find(|info| info.manifest.id == id));
    let known = || AppError::NoRuleset(all.iter().map(|info| info.manifest.id).collect());
    Ok(Reply::json(serde_json::to_vec(info.ok_or_else(known)?).map_err(AppError::from)?))
}
