//! What is legal now.

use super::Shared;
use super::conditions::Conditions;
use super::extract::{Caller, EncounterId, Nothing, Parameters};
use super::problem::Problem;
use super::reply::Reply;
use crate::app::AppError;
use crate::vocabulary::{LegalCommand, Values};
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;

/// Everything that is legal now.
#[derive(Serialize, ToSchema)]
pub(super) struct Legal {
    /// The version of the encounter that it holds for.
    version: u64,
    /// Commands that are ready to send, each with the fields that may hold something else.
    items: Vec<LegalCommand>,
    /// The lists that choices refer to, by name.
    #[schema(value_type = Object)]
    lists: BTreeMap<String, Arc<[Value]>>,
    /// Always null: all there is stands here.
    next_cursor: Option<String>,
}

/// Ask what is legal now
///
/// Each item is a command that this token can send as it stands, with the choices that it leaves open and the rule that gives the right.
#[utoipa::path(get, path = "/v1/encounters/{id}/options", operation_id = "list_options", tag = "commands",
    params(("id" = String, Path, description = "The encounter")),
    responses((status = 200, description = "What is legal now", body = Legal), (status = 304, description = "Unchanged")))]
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

/// The lists that the choices of these legal_commands refer to.
fn lists(legal_commands: &[LegalCommand]) -> BTreeMap<String, Arc<[Value]>> {
    let choices = legal_commands.iter().flat_map(|option| &option.choices);
    let shared = choices.filter_map(|choice| match &choice.values {
        Values::From(listed) => Some((listed.list.clone(), listed.values.clone())),
        Values::OneOf(_) | Values::Range { .. } | Values::Like(_) => None,
    });
    shared.collect()
}
