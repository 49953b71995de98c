//! What is legal now.

use super::Shared;
use super::extract::{Caller, Conditions, EncounterId, Nothing, Parameters};
use super::problem::Problem;
use super::reply::Reply;
use crate::app::AppError;
use crate::openapi::*;
use crate::vocabulary::{LegalCommand, Values};
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// The commands that are legal now.
#[derive(Serialize, ToSchema)]
pub(super) struct Legal {
    /// The version of the encounter.
    version: u64,
    /// Commands that are ready to send, each with the values that its fields may take.
    items: Vec<LegalCommand>,
    /// Long lists that several choices share, by name. A choice with `from` takes any value of `lists[from.list]` that is not in
    /// `from.except`. Empty in most encounters: a list of at most 32 values stands in its choice as `one_of`.
    #[schema(value_type = BTreeMap<String, Vec<Value>>)]
    lists: BTreeMap<String, Arc<[Value]>>,
    /// Always null. The list has one page.
    next_cursor: Option<String>,
}

/// List the legal commands
///
/// Each item is a command that this token may send as it is, with the choices that it leaves open and the rule that allows it.
#[utoipa::path(get, path = "/v1/encounters/{id}/options", operation_id = "list_options", tag = "commands", security(("token" = [])),
    params(("id" = String, Path, description = ENCOUNTER_ID),
        ("If-None-Match" = Option<String>, Header, description = IF_NONE_MATCH)),
    responses((status = 200, description = "The legal commands", body = inline(Legal), headers(("ETag"))),
        (status = 304, description = "The legal commands have not changed"),
        BadRequest, Unauthorized, NotFound, RequestTimeout, TooManyRequests, ServiceUnavailable))]
pub(super) async fn list_options(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Nothing {}): Parameters<Nothing>, conditions: Conditions,
) -> Result<Reply, Problem> {
    let (tag, legal_commands) = shared.app.options(&id, &token, conditions.none_matching.as_ref()).await?;
    let Some(items) = legal_commands else {
        return Ok(Reply::empty(StatusCode::NOT_MODIFIED).tagged(&tag));
    };
    let legal = Legal { version: tag.version(), lists: lists(&items), items, next_cursor: None };
    Ok(Reply::json(serde_json::to_vec(&legal).map_err(AppError::from)?).tagged(&tag))
}

/// The lists that the choices of these commands refer to.
fn lists(legal_commands: &[LegalCommand]) -> BTreeMap<String, Arc<[Value]>> {
    let choices = legal_commands.iter().flat_map(|option| &option.choices);
    let shared = choices.filter_map(|choice| match &choice.values {
        Values::From(listed) => Some((listed.list.clone(), listed.values.clone())),
        Values::OneOf(_) | Values::Range { .. } | Values::Like(_) => None,
    });
    shared.collect()
}
