//! The log as a stream: lines of JSON, or server-sent events.

use super::deadline::Deadline;
use super::events::EventsQuery;
use super::extract::{preferred, single};
use super::headers::LAST_EVENT_ID;
use super::problem::Problem;
use super::{AppState, Settings};
use crate::app::{AppError, BearerToken, Budget, Client, EntryView, Follower, Include, Next};
use crate::engine::AnyEncounter;
use crate::vocabulary::{EncounterSchema, Int, LegalCommands};
use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use utoipa::ToSchema;

/// Keeps proxies from buffering a stream.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The time that a buffered stream waits for more after it has sent something.
const QUIET: Duration = Duration::from_millis(100);

/// The time that a stream waits for what a message includes, and for room for it, in a server that
/// has much to do.
const PATIENCE: Duration = Duration::from_secs(30);

/// The format of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// A JSON object on each line.
    Lines,
    /// Server-sent events.
    Sse,
}

/// The headers of a request for the log.
pub(super) struct LogHeaders {
    /// The format of a stream; None asks for a page.
    pub format: Option<Format>,
    /// The last version that the client received.
    pub last_event_id: Option<u64>,
    /// The deadline that AWS sets.
    pub deadline: Option<Deadline>,
}

impl FromRequestParts<AppState> for LogHeaders {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Problem> {
        let offered = [
            "application/json",
            "text/plain",
            "application/x-ndjson",
            "text/event-stream",
        ];
        let format = match preferred(&parts.headers, offered) {
            "application/x-ndjson" => Some(Format::Lines),
            "text/event-stream" => Some(Format::Sse),
            _ => None,
        };
        let last = single(&parts.headers, &LAST_EVENT_ID)?.filter(|last| !last.is_empty());
        let last_event_id = last.map(str::parse).transpose().map_err(|_| {
            Problem::bad(
                "invalid_header",
                "the header last-event-id holds the id of an event: a version",
            )
        })?;
        Ok(Self {
            format,
            last_event_id,
            deadline: parts.extensions.get().copied(),
        })
    }
}

impl Format {
    fn media(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Lines => "application/x-ndjson",
            Self::Sse => "text/event-stream",
        })
    }

    /// A message of a type, and the version from which a client can resume. Its fields come in
    /// parts, each field with a comma before it.
    fn message<'a>(
        self,
        kind: &str,
        version: Option<u64>,
        fields: impl IntoIterator<Item = &'a [u8]>,
    ) -> Message<'a> {
        let event = match (self, version) {
            (Self::Lines, _) => String::new(),
            (Self::Sse, Some(version)) => format!("id: {version}\nevent: {kind}\ndata: "),
            (Self::Sse, None) => format!("event: {kind}\ndata: "),
        };
        Message {
            begin: format!("{event}{{\"type\":\"{kind}\""),
            fields: fields.into_iter().collect(),
            end: match self {
                Self::Lines => b"}\n",
                Self::Sse => b"}\n\n",
            },
        }
    }

    fn keep_alive(self) -> Bytes {
        match self {
            Self::Lines => self.message("keep_alive", None, []).put_together(),
            Self::Sse => Bytes::from_static(b": keep alive\n\n"),
        }
    }
}

/// A message whose parts are not put together yet: other streams share them.
struct Message<'a> {
    begin: String,
    fields: Vec<&'a [u8]>,
    end: &'static [u8],
}

impl Message<'_> {
    fn len(&self) -> usize {
        let fields: usize = self.fields.iter().map(|part| part.len()).sum();
        self.begin.len() + fields + self.end.len()
    }

    fn put_together(&self) -> Bytes {
        let mut message = Vec::with_capacity(self.len());
        message.extend_from_slice(self.begin.as_bytes());
        for part in &self.fields {
            message.extend_from_slice(part);
        }
        message.extend_from_slice(self.end);
        message.into()
    }
}

// Messages are put together from JSON that is ready; the document describes them by this type.
/// A line of a stream, or the data of a server-sent event.
#[derive(ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "only the document needs it")]
pub(super) enum FeedLine {
    /// The encounter that the next transitions change.
    Snapshot {
        /// The version of the encounter.
        version: u64,
        /// The encounter.
        encounter: EncounterSchema,
        /// What the viewer may send after it. Only in streams with `include`, unless an entry
        /// follows at once.
        #[schema(required = false)]
        options: LegalCommands,
    },
    /// A new entry of the log.
    Transition(EntryView<'static>),
    /// Nothing happened.
    KeepAlive,
    /// The encounter was deleted. The stream ends.
    Deleted,
}

/// A stream to one client.
struct Feed {
    /// The encounter that the stream begins with.
    opening: Option<Arc<dyn AnyEncounter>>,
    follower: Follower,
    format: Format,
    keep_alive: Duration,
    ends: Instant,
    over: bool,
    /// Ends as soon as it is quiet, because AWS buffers it.
    buffered: bool,
    /// Has sent something that is new to the client.
    sent: bool,
    /// The transitions that are left of the limit.
    left: Option<u32>,
    include: Include,
    /// The client, and the budget that its messages count in until it has read them.
    client: Client,
    answers: Budget,
}

impl Feed {
    async fn next(mut self) -> Option<(Bytes, Self)> {
        let left = self.ends.saturating_duration_since(Instant::now());
        if self.over || left.is_zero() {
            return None;
        }
        if let Some(encounter) = self.opening.take() {
            let chunk = self.in_time(self.snapshot(&*encounter)).await?;
            return Some((chunk, self));
        }
        let ends_when_quiet = self.buffered && self.sent;
        let wait = if ends_when_quiet {
            QUIET
        } else {
            self.keep_alive
        }
        .min(left);
        let chunk = match timeout(wait, self.follower.next()).await {
            Ok(Next::Entry(version, entry)) => {
                self.sent = true;
                self.left = self.left.map(|left| left.saturating_sub(1));
                self.over = self.left == Some(0);
                self.in_time(self.transition(version, entry.get())).await?
            }
            Ok(Next::Snapshot(encounter)) => {
                self.sent = true;
                self.in_time(self.snapshot(&*encounter)).await?
            }
            Ok(Next::Deleted) => {
                self.over = true;
                self.format.message("deleted", None, []).put_together()
            }
            Ok(Next::Over) => return None,
            Err(_) if ends_when_quiet || self.ends <= Instant::now() => return None,
            Err(_) => self.format.keep_alive(),
        };
        Some((chunk, self))
    }

    /// A message; None if what it includes, or room for it, cannot be had in time. Then the stream
    /// ends, and the client's next one begins with this version.
    async fn in_time(
        &self,
        message: impl Future<Output = Result<Bytes, AppError>>,
    ) -> Option<Bytes> {
        let left = self.ends.saturating_duration_since(Instant::now());
        match timeout(PATIENCE.min(left), message).await {
            Ok(Ok(message)) => Some(message),
            Ok(Err(error)) => {
                tracing::warn!(?error, "a stream ends: it cannot send what comes next");
                None
            }
            Err(_) => None,
        }
    }

    async fn transition(&self, version: u64, entry: &str) -> Result<Bytes, AppError> {
        let included = self.follower.included(version, self.include).await?;
        let entry = entry.trim_start_matches('{');
        let entry = entry.strip_suffix('}').unwrap_or_default();
        let mut fields = vec![&b","[..], entry.as_bytes()];
        fields.extend(included.iter().map(|part| &part[..]));
        self.put_together(&self.format.message("transition", Some(version), fields))
            .await
    }

    /// The message of an encounter that the viewer sees.
    async fn snapshot(&self, seen: &dyn AnyEncounter) -> Result<Bytes, AppError> {
        let version = seen.version();
        let include = options_of(self.include);
        let included = self.follower.included(version, include).await?;
        let view = self.follower.view(seen).await?;
        let begin = format!(",\"version\":{version},\"encounter\":");
        let mut fields = vec![begin.as_bytes()];
        fields.extend(view.iter().chain(&included).map(|part| &part[..]));
        self.put_together(&self.format.message("snapshot", Some(version), fields))
            .await
    }

    /// Waits for room for a message, and only then puts it together: many streams may wait.
    async fn put_together(&self, message: &Message<'_>) -> Result<Bytes, AppError> {
        let room = self.answers.reserve_in_turn(&self.client, message.len());
        Ok(room.await?.keep(message.put_together()))
    }
}

/// What is to be included beside an encounter.
fn options_of(include: Include) -> Include {
    Include {
        encounter: false,
        ..include
    }
}

/// The log as a stream. A client that sends the last event's id knows the state; other clients get
/// a snapshot first.
pub(super) async fn stream(
    shared: &AppState,
    id: &str,
    token: &BearerToken,
    query: &EventsQuery,
    headers: &LogHeaders,
    format: Format,
) -> Result<Response, Problem> {
    let after = headers.last_event_id.or(query.after);
    let (now, follower) = shared.app.follow(id, token, after).await?;
    // The state that the transitions follow.
    let opening = match (headers.last_event_id, after) {
        (Some(_), _) => None,
        (None, Some(version)) => Some(shared.app.read(id, token, Some(version)).await?.0),
        (None, None) => Some(now),
    };
    // How soon to reconnect.
    let retry = (format == Format::Sse).then(|| Bytes::from_static(b"retry: 2000\n\n"));
    let Settings {
        stream_time,
        keep_alive,
        ..
    } = *shared.settings;
    // Spread, so that clients that connected together do not reconnect together.
    let time = stream_time.mul_f64(rand::random_range(0.9..=1.0));
    let time = headers
        .deadline
        .map_or(time, |deadline| deadline.remaining().mul_f64(0.9).min(time));
    let (ends, left) = (Instant::now() + time, query.limit.map(Int::count));
    let (buffered, sent) = (headers.deadline.is_some(), after.is_none());
    let feed = Feed {
        opening,
        follower,
        format,
        keep_alive,
        ends,
        over: false,
        buffered,
        sent,
        left,
        include: query.include,
        client: Client::of(token, id),
        answers: shared.app.answers.clone(),
    };
    let chunks = stream::iter(retry).chain(stream::unfold(feed, Feed::next));
    // Fused, because compression polls once more after the end.
    let body = Body::from_stream(chunks.map(Ok::<_, Infallible>).fuse());
    Ok((
        [
            (CONTENT_TYPE, format.media()),
            (UNBUFFERED, HeaderValue::from_static("no")),
        ],
        body,
    )
        .into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_as_long_as_it_says_before_it_is_put_together() {
        let fields = [
            &b",\"version\":3,\"encounter\":"[..],
            b"{}",
            b",\"options\":[]",
        ];
        let told = |format: Format, version| {
            let message = format.message("snapshot", version, fields);
            let text = message.put_together();
            assert_eq!(message.len(), text.len());
            String::from_utf8(text.into()).expect("text")
        };
        let line = r#"{"type":"snapshot","version":3,"encounter":{},"options":[]}"#;
        assert_eq!(told(Format::Lines, Some(3)), format!("{line}\n"));
        let event = format!("id: 3\nevent: snapshot\ndata: {line}\n\n");
        assert_eq!(told(Format::Sse, Some(3)), event);
        let event = format!("event: snapshot\ndata: {line}\n\n");
        assert_eq!(told(Format::Sse, None), event);
    }
}
