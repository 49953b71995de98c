//! What is legal now.

use super::Shared;
use super::conditions::Conditions;
use super::extract::{Caller, EncounterId, Nothing, Parameters};
use super::problem::Problem;
use super::reply::Reply;
use crate::app::AppError;
use crate::vocabulary::Offer;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

/// Everything that is legal now.
#[derive(Serialize, ToSchema)]
pub(super) struct Legal {
    /// The version of the encounter that it holds for.
    version: u64,
    /// Commands that are ready to send, each with the fields that may hold something else.
    items: Vec<Offer>,
    /// Always null: all there is stands here.
    next_cursor: Option<String>,
}

/// Ask what is legal now
///
/// Each item is a command that can be sent as it stands, with the choices that it leaves open and the rule that gives the right.
#[utoipa::path(get, path = "/v1/encounters/{id}/options", operation_id = "list_options", tag = "commands",
    params(("id" = String, Path, description = "The encounter")),
    responses((status = 200, description = "What is legal now", body = Legal), (status = 304, description = "Unchanged")))]
pub(super) async fn list_options(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Nothing {}): Parameters<Nothing>, conditions: Conditions,
) -> Result<Reply, Problem> {
    let (game, _viewer) = shared.app.read(&id, &token, None).await?;
    let version = game.version();
    if conditions.none_matching.is_some_and(|known| known.admits(version)) {
        return Ok(Reply::empty(StatusCode::NOT_MODIFIED).version(version).revalidated());
    }
    // Every offer is tried out: with hundreds of combatants that takes a while, which is not for the threads of the runtime.
    let body = tokio::task::spawn_blocking(move || {
        serde_json::to_vec(&Legal { version, items: game.options(), next_cursor: None })
    });
    let body = body.await.map_err(|error| AppError::Broken(error.to_string()))?.map_err(AppError::from)?;
    Ok(Reply::json(body).version(version).revalidated())
}
