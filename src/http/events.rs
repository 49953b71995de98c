//! The log: a page of it, a page as soon as there is one, or a stream.

use super::Shared;
use super::extract::{Caller, EncounterId, Parameters};
use super::feed::{self, Format, Terms, Wanted};
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{AppError, BearerToken, Page};
use crate::vocabulary::Int;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::LINK;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::time::Duration;
use utoipa::IntoParams;

/// Which query of the log.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EventsQuery {
    /// Only entries with a higher version; without it a page begins with the oldest entry that there is, a stream with the present.
    after: Option<u64>,
    /// At most so many entries: on a page 100 where nothing is said. A stream ends after so many; without it, it goes on.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000)]
    limit: Option<Int<1, 1000>>,
    /// For so many seconds at most the answer waits while there is nothing on the page; a stream waits anyhow. It is out a second before
    /// the server's own limit for a request (its setting TURNKEEPER_REQUEST_TIMEOUT): with the usual 30 seconds after 29, whatever more
    /// is asked for.
    #[serde(default)]
    #[param(value_type = u64, default = 0, minimum = 0, maximum = 60)]
    wait: Int<0, 60>,
}

/// So many entries are on a page where nothing is said.
const USUAL: usize = 100;

impl EventsQuery {
    fn limit(&self) -> Option<usize> {
        self.limit.and_then(|limit| limit.get().try_into().ok())
    }
}

/// Read or follow the log
///
/// One entry for each accepted request: its version, when, by which token, the commands' types, and what happened. A page ends
/// early after about half a MiB; with `wait` an empty page waits for its first entry. The `next_cursor` of a page is the `after` of the next.
/// A page of a player or spectator leaves out what they are not told, and may be shorter than `limit`, or empty, though `next_cursor` says
/// that more follow.
///
/// With `Accept: application/x-ndjson` or `text/event-stream` the answer goes on: first a `snapshot` of the encounter (with `after`, as
/// it was then), then a `transition` for each entry, `deleted` when the encounter is, and now and then a sign of life. Such a stream ends
/// by itself after some minutes, or after `limit` transitions; go on with `after`, or with `Last-Event-ID`, from the last version that came,
/// without gap or repetition. With `Last-Event-ID` there is no snapshot: what came before is known. A `snapshot` in the middle of a stream
/// replaces the state so far: the store has lost entries that were told, as a Redis can in a crash.
#[utoipa::path(get, path = "/v1/encounters/{id}/events", operation_id = "list_events", tag = "events",
    params(("id" = String, Path, description = "The encounter"), EventsQuery),
    responses((status = 200, description = "A page of the log, or the log as it goes on", body = Object)))]
pub(super) async fn list_events(
    State(shared): State<Shared>, Caller(token): Caller, EncounterId(id): EncounterId,
    Parameters(query): Parameters<EventsQuery>, wanted: Wanted,
) -> Result<Response, Problem> {
    if let Some(format) = wanted.format {
        return stream(&shared, &id, &token, &query, &wanted, format).await;
    }
    // The answer must be out before the request's own time is over.
    let time = wanted.deadline.map_or(shared.settings.timeout, |end| end.remaining().min(shared.settings.timeout));
    let wait = Duration::from_secs(query.wait.get().unsigned_abs()).min(time.saturating_sub(Duration::from_secs(1)));
    let limit = query.limit().unwrap_or(USUAL);
    let page = shared.app.await_log(&id, &token, query.after, limit, wait).await?;
    Ok(answer(&id, limit, &page)?.into_response())
}

/// The log as it goes on. Whoever goes on after the last event that came knows the state; anybody else is shown it first.
async fn stream(
    shared: &Shared, id: &str, token: &BearerToken, query: &EventsQuery, wanted: &Wanted, format: Format,
) -> Result<Response, Problem> {
    let after = wanted.last.or(query.after);
    let (now, follower) = shared.app.follow(id, token, after).await?;
    let first = match (wanted.last, after) {
        (Some(_), _) => None,
        (None, Some(version)) => Some(shared.app.read(id, token, Some(version)).await?.0),
        (None, None) => Some(now),
    };
    let terms = Terms { first, resumed: after.is_some(), limit: query.limit(), deadline: wanted.deadline };
    feed::answer(&shared.settings, format, follower, terms)
}

fn answer(id: &str, limit: usize, page: &Page) -> Result<Reply, AppError> {
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
    let link = HeaderValue::try_from(link).map_err(|error| AppError::Internal(error.to_string()))?;
    Ok(Reply::json(body).header(LINK, link))
}
