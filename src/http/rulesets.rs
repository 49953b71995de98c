//! The rulesets' manifests.

use super::Shared;
use super::extract::{Nothing, Parameters};
use super::problem::Problem;
use super::reply::{List, Reply};
use crate::app::AppError;
use crate::vocabulary::Manifest;
use axum::extract::{Path, State};

/// List the rulesets
#[utoipa::path(get, path = "/v1/rulesets", operation_id = "list_rulesets", tag = "rulesets",
    responses((status = 200, description = "The manifests of all rulesets", body = List<Manifest>)))]
pub(super) async fn list_rulesets(
    State(shared): State<Shared>, Parameters(Nothing {}): Parameters<Nothing>,
) -> Result<Reply, Problem> {
    let items = shared.app.rulesets().iter().map(|ruleset| ruleset.manifest()).collect();
    let list = List { items, next_cursor: None };
    Ok(Reply::json(serde_json::to_vec(&list).map_err(AppError::from)?))
}

/// Read a ruleset's manifest
#[utoipa::path(get, path = "/v1/rulesets/{ruleset}", operation_id = "read_ruleset", tag = "rulesets",
    params(("ruleset" = String, Path, description = "The ruleset's id")),
    responses((status = 200, description = "The manifest", body = Manifest)))]
pub(super) async fn read_ruleset(
    State(shared): State<Shared>, id: Result<Path<String>, axum::extract::rejection::PathRejection>,
    Parameters(Nothing {}): Parameters<Nothing>,
) -> Result<Reply, Problem> {
    let rulesets = shared.app.rulesets();
    let ruleset = id.ok().and_then(|Path(id)| rulesets.get(&id));
    let known = || AppError::NoRuleset(rulesets.iter().map(|ruleset| ruleset.manifest().id).collect());
    let manifest = ruleset.ok_or_else(known)?.manifest();
    Ok(Reply::json(serde_json::to_vec(manifest).map_err(AppError::from)?))
}
