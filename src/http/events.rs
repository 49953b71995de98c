//! The log: a page of it, a page as soon as there is one, or a stream.

use super::AppState;
use super::extract::{EncounterId, Parameters};
use super::feed::{self, FeedCall, FeedLine, LogHeaders};
use super::problem::Problem;
use super::reply::{ListPage, Reply};
use crate::app::{AppError, BearerToken, EntryView, Include, Representation, SeenEntry, Tag};
use crate::json::FieldError;
use crate::openapi::*;
use crate::vocabulary::Int;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::time::Duration;
use utoipa::IntoParams;

/// The part of the log to read.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EventsQuery {
    /// The version to continue from, such as 13, or the id of a stream's event. The answer has the
    /// entries after it. Without it, a page begins with the oldest entry and a stream with the
    /// newest version.
    #[param(value_type = Option<String>, pattern = "^[0-9]{1,19}(-[A-Za-z0-9_-]{16})?$")]
    pub after: Option<Tag>,
    /// The `next_cursor` of the page before.
    #[param(value_type = Option<String>, pattern = "^[0-9]{1,19}$")]
    cursor: Option<Tag>,
    /// The maximum number of entries. Without it, a page has at most 100, and a stream is not
    /// limited.
    #[param(value_type = Option<usize>, minimum = 1, maximum = 1000)]
    pub limit: Option<Int<1, 1000>>,
    /// The maximum number of seconds that an empty page waits for its first entry. The server
    /// answers a second before its time limit for a request: after 29 seconds by default.
    #[serde(default)]
    #[param(value_type = u64, default = 0, minimum = 0, maximum = 60)]
    wait: Int<0, 60>,
    /// Parts to add to each transition of a stream, separated by commas: `encounter` (the viewer's
    /// view of it), `options` (the legal commands) and `table` (the turn table as text). Snapshots
    /// have the options and the table, too.
    #[serde(default)]
    #[param(value_type = Option<String>,
        pattern = "^(encounter|options|tools|table)(,(encounter|options|tools|table))*$")]
    pub include: Include,
}

impl EventsQuery {
    /// The place after which the answer begins.
    fn place(&self) -> Result<Option<&Tag>, Problem> {
        if self.after.is_some() && self.cursor.is_some() {
            let message = "Both \"after\" and \"cursor\" say where to begin. Send one of them.";
            return Err(Problem::parameter(FieldError::meaningless(
                "cursor", message,
            )));
        }
        Ok(self.after.as_ref().or(self.cursor.as_ref()))
    }
}

/// The maximum number of entries on a page without `limit`.
const DEFAULT_LIMIT: u32 = 100;

/// Read or follow the log
///
/// The log has one entry for each accepted request: its version, time, sender, the types of its
/// commands, and the events. A page ends early after about half a MiB. A page for a player or
/// spectator leaves out hidden information. It may be shorter than `limit`, or empty, even if more
/// entries follow.
///
/// With `Accept: text/plain` a page has the sentence of each event, one per line.
///
/// With `Accept: application/x-ndjson` or `text/event-stream` the answer is a stream. It begins
/// with a `snapshot` of the encounter, at the version `after` if that is given. A `transition`
/// follows for each entry, and `deleted` when the encounter is deleted. The `event` of a
/// server-sent event is the type of its line, the `id` its place in the log, and the `data` the
/// line itself.
///
/// A token can hold 64 streams open, and all tokens of an encounter together 256, with the pages
/// that wait.
///
/// Streams close after 5 minutes, after `limit` transitions, or when the client reads too slowly.
/// Reconnect with the last `id` that you got in `Last-Event-ID` to continue after it, without a
/// first `snapshot`. If the log was rewritten since or lacks that place, it begins
/// with a `snapshot` of the encounter now. A `snapshot` in the middle of a stream replaces
/// the state so far: the store has lost entries, as Redis can in a crash.
#[utoipa::path(get, path = "/v1/encounters/{id}/events", tag = "events", security(("token" = [])),
    params(EncounterId, EventsQuery,
        ("Last-Event-ID" = Option<String>, Header,
            description = "The last `id` that a stream brought, or a version. The next stream \
            continues after it. It takes precedence over `after`.")),
    responses((status = 200, description = "A page of the log, or a stream", headers(("Link")),
        content(
            (inline(ListPage<EntryView<'_>>) = "application/json"), (String = "text/plain"),
                (FeedLine<'_> = "application/x-ndjson"), (String = "text/event-stream"))),
        BadRequest, Unauthorized, NotFound, RequestTimeout, Gone, UnprocessableEntity,
        TooManyRequests, ServiceUnavailable))]
pub(super) async fn list_events(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    Parameters(query): Parameters<EventsQuery>,
    representation: Representation,
    headers: LogHeaders,
) -> Result<Response, Problem> {
    let after = query.place()?;
    if let Some(format) = headers.format {
        let call = FeedCall {
            id: &id,
            token: &token,
            after,
            limit: query.limit.map(Int::count),
            include: query.include,
            headers: &headers,
            format,
        };
        return feed::stream(&shared, &call).await;
    }
    // AWS Lambda may stop sooner than the timeout, and the answer must be sent before.
    let mut time = shared.settings.timeout;
    if let Some(deadline) = headers.deadline {
        time = time.min(deadline.remaining());
    }
    let most = time.saturating_sub(Duration::from_secs(1));
    let wait = Duration::from_secs(query.wait.count().into()).min(most);
    let limit = query.limit.map_or(DEFAULT_LIMIT, Int::count);
    let page = shared
        .app
        .await_log(&id, &token, after, limit as usize, wait)
        .await?;
    let next = page
        .next
        .map(|version| format!("?cursor={version}&limit={limit}"));
    let reply = match representation {
        Representation::Text => Reply::text(sentences(&page.entries)?),
        _ => Reply::of(&ListPage {
            items: page.entries.iter().map(SeenEntry::view).collect(),
            next_cursor: page.next.map(|version| version.to_string()),
        })?,
    };
    Ok(reply.next_page(next).into_response())
}

/// The events of a page as lines of text.
fn sentences(entries: &[SeenEntry]) -> Result<String, AppError> {
    let mut lines = String::new();
    for entry in entries {
        for text in event_texts(entry.view().events)? {
            lines.push_str(&text);
            lines.push('\n');
        }
    }
    Ok(lines)
}

/// The sentences of events, each without line breaks.
pub(super) fn event_texts(events: &RawValue) -> Result<Vec<String>, AppError> {
    #[derive(Deserialize)]
    struct EventText {
        text: Option<String>,
    }
    let mut texts = Vec::new();
    for event in serde_json::from_str::<Vec<EventText>>(events.get())? {
        if let Some(text) = event.text {
            texts.push(text.replace(['\n', '\t'], " "));
        }
    }
    Ok(texts)
}
