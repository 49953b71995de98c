//! The manifests of the rulesets.

use super::AppState;
use super::extract::{Conditions, Nothing, Parameters};
use super::problem::Problem;
use super::reply::{List, Reply};
use crate::app::{AppError, Tag};
use crate::engine::{AnyRuleset, Rulesets};
use crate::openapi::*;
use crate::vocabulary::{CommandSpec, Commands, Draft, HOUSE_RULES, Manifest, Rule, SharedCommand, type_schema};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use serde::Serialize;
use serde_json::Value;
use std::sync::OnceLock;
use utoipa::ToSchema;

/// A ruleset: its manifest, and what all rulesets share.
#[derive(Serialize, ToSchema)]
#[schema(as = RulesetInfo)]
pub(super) struct RulesetInfo {
    #[serde(flatten)]
    manifest: &'static Manifest,
    /// The commands that every ruleset understands.
    shared_commands: &'static [CommandSpec],
    /// The rules that hold in every ruleset. Refusals name them too.
    shared_rules: &'static [Rule],
    /// The JSON Schema of its options, with their defaults.
    #[schema(value_type = Object)]
    options: Value,
    /// The JSON Schema of a combatant as a client describes it: the shared fields and those of the ruleset.
    #[schema(value_type = Object)]
    combatant: Value,
}

/// Every ruleset's manifest, made for the first request.
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
///
/// Answers with the manifests of all rulesets.
#[utoipa::path(get, path = "/v1/rulesets", operation_id = "list_rulesets", tag = "rulesets",
    params(("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The manifests", body = inline(List<RulesetInfo>), headers(("ETag"))),
        (status = 304, description = "The manifests have not changed"), BadRequest, RequestTimeout))]
pub(super) async fn list_rulesets(
    State(shared): State<AppState>, Parameters(Nothing {}): Parameters<Nothing>, conditions: Conditions,
) -> Result<Reply, Problem> {
    let items = shared.manifests.of(shared.app.rulesets()).iter().collect();
    Ok(public(&List { items, next_cursor: None }, &conditions)?)
}

/// Read a ruleset
///
/// Answers with the ruleset's manifest: its commands, its rules, and the schemas of its options and combatants.
#[utoipa::path(get, path = "/v1/rulesets/{ruleset}", operation_id = "read_ruleset", tag = "rulesets",
    params(("ruleset" = String, Path, description = "The id of the ruleset."),
        ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The manifest", body = RulesetInfo, headers(("ETag"))),
        (status = 304, description = "The manifest has not changed"), BadRequest, NotFound, RequestTimeout))]
pub(super) async fn read_ruleset(
    State(shared): State<AppState>, id: Result<Path<String>, PathRejection>,
    Parameters(Nothing {}): Parameters<Nothing>, conditions: Conditions,
) -> Result<Reply, Problem> {
    let all = shared.manifests.of(shared.app.rulesets());
    let info = id.ok().and_then(|Path(id)| all.iter().find(|info| info.manifest.id == id));
    let known = || AppError::NoRuleset(all.iter().map(|info| info.manifest.id).collect());
    Ok(public(info.ok_or_else(known)?, &conditions)?)
}

fn public(body: &impl Serialize, conditions: &Conditions) -> Result<Reply, AppError> {
    let body = serde_json::to_vec(body)?;
    let tag = Tag::of_body(&body);
    Ok(Reply::json(body).public(&tag, conditions))
}
