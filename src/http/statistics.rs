//! The numbers of a fight.

use super::AppState;
use super::extract::{EncounterId, NoParameters};
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{AppError, BearerToken, Statistics};
use crate::openapi::*;
use axum::extract::State;

/// Read the statistics of a fight
///
/// Returns the turns and seconds of each combatant, the damage that it dealt and took, and the hit
/// points that it regained, counted from the log as the viewer reads it. Undone commands don't
/// count. A turn counts once it has ended.
#[utoipa::path(get, path = "/v1/encounters/{id}/statistics", tag = "encounters",
    security(("token" = [])), params(EncounterId),
    responses((status = 200, description = "The statistics", body = Statistics),
        BadRequest, Unauthorized, NotFound, RequestTimeout, Gone, UnprocessableEntity,
        TooManyRequests, ServiceUnavailable))]
pub(super) async fn read_statistics(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    _: NoParameters,
) -> Result<Reply, Problem> {
    let statistics = shared.app.statistics(&id, &token).await?;
    let json = serde_json::to_vec(&statistics).map_err(AppError::from)?;
    Ok(Reply::json(json))
}
