//! Whether the process lives, and whether it can serve.

use super::Shared;
use super::problem::{Document, Problem};
use super::reply::Reply;
use axum::extract::State;

/// Ask whether the process lives
#[utoipa::path(get, path = "/livez", operation_id = "livez", tag = "operations",
    responses((status = 200, description = "It does", body = Object)))]
pub(super) async fn livez() -> Reply {
    Reply::json("{\"status\":\"live\"}")
}

/// Ask whether the store answers
#[utoipa::path(get, path = "/readyz", operation_id = "readyz", tag = "operations",
    responses((status = 200, description = "It does", body = Object), (status = 503, description = "It does not", body = Document)))]
pub(super) async fn readyz(State(shared): State<Shared>) -> Result<Reply, Problem> {
    shared.app.ready().await?;
    Ok(Reply::json("{\"status\":\"ready\"}"))
}
