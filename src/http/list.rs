//! The list of an application's encounters.

use super::Shared;
use super::extract::{Creator, Parameters};
use super::problem::Problem;
use super::reply::{List, Reply};
use crate::app::{AppError, is_cursor};
use crate::engine::Summary;
use crate::openapi::*;
use crate::vocabulary::{FieldError, Int};
use axum::extract::State;
use axum::http::header::LINK;
use axum::http::{HeaderValue, StatusCode};
use serde::Deserialize;
use utoipa::IntoParams;

/// The page of the list to read.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// The `next_cursor` of the page before. Without it, the list begins with the newest encounter.
    cursor: Option<String>,
    /// The maximum number of encounters on the page.
    #[serde(default = "usual")]
    #[param(value_type = usize, default = 50, minimum = 1, maximum = 100)]
    limit: Int<1, 100>,
}

fn usual() -> Int<1, 100> {
    Int::clamped(50)
}

impl ListQuery {
    fn check(&self) -> Result<(), Problem> {
        match self.cursor.as_deref().filter(|cursor| !is_cursor(cursor)) {
            None => Ok(()),
            Some(wrong) => {
                let wrong: String = wrong.chars().take(40).collect();
                let message = format!("the next_cursor of the page before is expected, not {wrong:?}");
                Err(Problem::parameter(FieldError::malformed("cursor", message)))
            }
        }
    }
}

/// List an application's encounters
///
/// Answers with the encounters that the application created or imported, newest first. Needs a server that is configured with
/// applications. A page may be shorter than `limit` though `next_cursor` says that more follow.
#[utoipa::path(get, path = "/v1/encounters", operation_id = "list_encounters", tag = "encounters", params(ListQuery),
    security(("application" = [])),
    responses((status = 200, description = "A page of the list", body = inline(List<Summary>), headers(("Link"))),
        BadRequest, Unauthorized, Forbidden, RequestTimeout, UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn list_encounters(
    State(shared): State<Shared>, Creator(application): Creator, Parameters(query): Parameters<ListQuery>,
) -> Result<Reply, Problem> {
    const NONE: &str =
        "this server has no applications, so it lists no encounters: its operator sets TURNKEEPER_APP_KEYS";
    let application = application.ok_or(Problem::new(StatusCode::FORBIDDEN, "no_applications", NONE))?;
    query.check()?;
    let page =
        shared.app.list(&application, query.cursor.as_deref(), query.limit.get().try_into().unwrap_or(1)).await?;
    let link =
        page.next.as_ref().map(|next| format!("</v1/encounters?cursor={next}&limit={}>; rel=\"next\"", query.limit));
    let list = List { items: page.items, next_cursor: page.next };
    let reply = Reply::json(serde_json::to_vec(&list).map_err(AppError::from)?);
    let link = link.and_then(|link| HeaderValue::try_from(link).ok());
    Ok(link.into_iter().fold(reply, |reply, link| reply.header(LINK, link)))
}
