//! The log.

use super::Shared;
use super::extract::{Caller, EncounterId, Parameters};
use super::problem::Problem;
use super::reply::Reply;
use crate::app::AppError;
use crate::vocabulary::FieldError;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::LINK;
use serde::Deserialize;
use utoipa::IntoParams;

/// Which part of the log.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Part {
    /// Only entries with a higher version.
    #[serde(default)]
    #[param(default = 0)]
    after: u64,
    /// At most so many entries.
    #[serde(default = "usual")]
    #[param(default = 100, minimum = 1, maximum = 1000)]
    limit: usize,
}

fn usual() -> usize {
    100
}

/// Read the log
///
/// One entry for each accepted request: its version, when, by which token, the commands' types, and what happened. A page ends
/// early after about a MiB.
#[utoipa::path(get, path = "/v1/encounters/{id}/events", operation_id = "list_events", tag = "events",
    params(("id" = String, Path, description = "The encounter"), Part),
    responses((status = 200, description = "A page of the log", body = Object)))]
pub(super) async fn list_events(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(Part { after, limit }): Parameters<Part>,
) -> Result<Reply, Problem> {
    if !(1..=1000).contains(&limit) {
        return Err(Problem::parameter(FieldError::meaningless("limit", "a page has 1 to 1000 entries")));
    }
    let page = shared.app.log(&id, &token, after, limit).await?;
    let size: usize = page.entries.iter().map(|entry| entry.len() + 1).sum();
    let mut body = Vec::with_capacity(size + 64);
    body.extend_from_slice(b"{\"items\":[");
    for (i, entry) in page.entries.iter().enumerate() {
        body.extend_from_slice(if i == 0 { b"" } else { b"," });
        body.extend_from_slice(entry);
    }
    let Some(next) = page.next else {
        body.extend_from_slice(b"],\"next_cursor\":null}");
        return Ok(Reply::json(body));
    };
    body.extend_from_slice(format!("],\"next_cursor\":\"{next}\"}}").as_bytes());
    let link = format!("</v1/encounters/{id}/events?after={next}&limit={limit}>; rel=\"next\"");
    let link = HeaderValue::try_from(link).map_err(|error| AppError::Broken(error.to_string()))?;
    Ok(Reply::json(body).header(LINK, link))
}
