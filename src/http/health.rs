//! The health of the process and its store.

use super::AppState;
use super::problem::Problem;
use super::reply::Reply;
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
/// Answers 200 when the store answers.
#[utoipa::path(get, path = "/readyz", tag = "operations",
    responses((status = 200, description = "The store answers", body = inline(Health)), RequestTimeout, ServiceUnavailable))]
pub(super) async fn readyz(State(shared): State<AppState>) -> Result<Reply, Problem> {
    shared.app.ready().await?;
    Ok(Reply::of(&Health { status: "ready" })?)
}
