//! The rulesets: their list, their manifests and their documents. Tests make all of them, as they
//! make the published document.

use super::extract::{Conditions, NoParameters};
use super::problem::Problem;
use super::published::{LIST, Published, RULESETS, reply, ruleset_ids};
use super::reply::Reply;
use crate::openapi::*;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::HeaderMap;

/// List the rulesets
///
/// Answers with a summary of each ruleset, and with the commands and rules that all share.
#[utoipa::path(get, path = "/v1/rulesets", tag = "rulesets",
    params(("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The rulesets", body = RulesetList, headers(("ETag"))),
        (status = 304, description = "The list has not changed"), BadRequest, UnprocessableEntity,
            RequestTimeout))]
pub(super) async fn list_rulesets(
    headers: HeaderMap,
    _: NoParameters,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    Ok(reply(LIST, &headers, &conditions)?)
}

/// Read a ruleset
///
/// Answers with the ruleset's manifest: its commands, events, decisions and rules, and the schemas
/// of its options and combatants. Each schema stands alone.
#[utoipa::path(get, path = "/v1/rulesets/{ruleset}", tag = "rulesets",
    params(("ruleset" = String, Path, description = "The id of the ruleset."),
        ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The manifest", body = RulesetManifest, headers(("ETag"))),
        (status = 304, description = "The manifest has not changed"), BadRequest, UnprocessableEntity, NotFound,
            RequestTimeout))]
pub(super) async fn read_ruleset(
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    _: NoParameters,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    Ok(reply(published(id)?.manifest, &headers, &conditions)?)
}

/// Read a ruleset's document
///
/// Answers with an OpenAPI document of the same operations with the ruleset's own commands, events,
/// options, combatants and states.
#[utoipa::path(get, path = "/v1/rulesets/{ruleset}/openapi.json", tag = "rulesets",
    params(("ruleset" = String, Path, description = "The id of the ruleset."),
        ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The document", body = Object, headers(("ETag"))),
        (status = 304, description = "The document has not changed"), BadRequest, UnprocessableEntity, NotFound,
            RequestTimeout))]
pub(super) async fn read_ruleset_document(
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    _: NoParameters,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    Ok(reply(published(id)?.document, &headers, &conditions)?)
}

/// What is published about the ruleset of a path.
fn published(id: Result<Path<String>, PathRejection>) -> Result<&'static Published, Problem> {
    if let Ok(Path(id)) = id
        && let Some(published) = RULESETS.iter().find(|known| known.id == id)
    {
        return Ok(published);
    }
    let known = ruleset_ids();
    Err(Problem::not_found(format!(
        "Unknown ruleset. Rulesets: {known}."
    )))
}
