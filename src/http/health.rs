//! The health of the process and its store.

use super::Shared;
use super::problem::Problem;
use super::reply::Reply;
use crate::openapi::*;
use axum::extract::State;

/// Check the process
///
/// Answers as long as the process runs.
#[utoipa::path(get, path = "/livez", operation_id = "livez", tag = "operations",
    responses((status = 200, description = "The process runs", body = inline(Health)), RequestTimeout))]
pub(super) async fn livez() -> Reply {
    Reply::json("{\"status\":\"live\"}")
}

/// Check the store
///
/// Answers 200 when the store answers.
#[utoipa::path(get, path = "/readyz", operation_id = "readyz", tag = "operations",
    responses((status = 200, description = "The store answers", body = inline(Health)), RequestTimeout, ServiceUnavailable))]
pub(super) async fn readyz(State(shared): State<Shared>) -> Result<Reply, Problem> {
    shared.app.ready().await?;
    Ok(Reply::json("{\"status\":\"ready\"}"))
}
