//! The health of the process and its store.

use super::AppState;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::AppError;
use crate::openapi::*;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

/// The health of the process.
#[derive(Serialize, ToSchema)]
struct Health {
    /// `live`.
    status: &'static str,
}

/// The health of the store.
#[derive(Serialize, ToSchema)]
struct Readiness {
    /// `ready`.
    status: &'static str,
    /// A sentence about damaged data, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    damage: Option<String>,
}

/// Check the process
///
/// Returns 200 if the process runs.
#[utoipa::path(get, path = "/livez", tag = "operations",
    responses((status = 200, description = "The process runs", body = inline(Health)),
        RequestTimeout))]
pub(super) async fn livez() -> Result<Reply, Problem> {
    Ok(Reply::of(&Health { status: "live" })?)
}

/// Check the store
///
/// Returns 200 if the store takes writes and the server does not stop. The `detail` of a refusal
/// gives the cause, such as a full Redis.
#[utoipa::path(get, path = "/readyz", tag = "operations",
    responses((status = 200, description = "The store takes writes", body = inline(Readiness)),
        RequestTimeout, ServiceUnavailable))]
pub(super) async fn readyz(State(shared): State<AppState>) -> Result<Reply, Problem> {
    if shared.app.is_stopping() {
        return Err(Problem::unavailable(
            "stopping",
            "The server stops. Send requests to another one.",
        ));
    }
    shared.app.ready().await.map_err(|error| match error {
        AppError::Unavailable(reason)
        | AppError::StoreRefuses(reason)
        | AppError::Internal(reason) => {
            tracing::warn!(%reason, "not ready");
            Problem::unavailable("store_away", format!("The store takes no writes: {reason}"))
        }
        error => error.into(),
    })?;
    Ok(Reply::of(&Readiness {
        status: "ready",
        damage: shared.app.damage(),
    })?)
}
