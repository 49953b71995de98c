//! The health of the process and its store.

use super::AppState;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::AppError;
use crate::openapi::*;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

/// The health of the process or its store.
#[derive(Serialize, ToSchema)]
struct Health {
    /// `live` or `ready`.
    status: &'static str,
}

/// Check the process
///
/// Answers as long as the process runs.
#[utoipa::path(get, path = "/livez", tag = "operations",
    responses((status = 200, description = "The process runs", body = inline(Health)), RequestTimeout))]
pub(super) async fn livez() -> Result<Reply, Problem> {
    Ok(Reply::of(&Health { status: "live" })?)
}

/// Check the store
///
/// Answers 200 when the store takes writes. The detail of a refusal says why it does not, such as a full Redis.
#[utoipa::path(get, path = "/readyz", tag = "operations",
    responses((status = 200, description = "The store takes writes", body = inline(Health)), RequestTimeout, ServiceUnavailable))]
pub(super) async fn readyz(State(shared): State<AppState>) -> Result<Reply, Problem> {
    shared.app.ready().await.map_err(|error| match error {
        AppError::Unavailable(reason) | AppError::StoreRefuses(reason) | AppError::Internal(reason) => {
            tracing::warn!(%reason, "not ready");
            Problem::unavailable("store_away", format!("the store is not ready: {reason}"))
        }
        error => error.into(),
    })?;
    Ok(Reply::of(&Health { status: "ready" })?)
}
