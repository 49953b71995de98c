//! The log as a stream: lines of JSON, or server-sent events.

use super::deadline::Deadline;
use super::extract::{preferred, single};
use super::headers::LAST_EVENT_ID;
use super::problem::Problem;
use super::{AppState, Settings};
use crate::app::{
    AppError, BearerToken, Budget, Client, EntryView, Followed, Follower, Include, Next, SeenEntry,
    Tag,
};
use crate::engine::AnyEncounter;
use crate::vocabulary::{EncounterSchema, LegalCommands};
use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use serde::Serialize;
use serde_json::value::RawValue;
use std::convert::Infallible;
use std::io::{self, Write};
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
    /// The place of the last message that the client received.
    pub last_event_id: Option<Tag>,
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
        let last_event_id = last.map(str::parse).transpose().map_err(|()| {
            Problem::bad(
                "invalid_header",
                "Invalid header Last-Event-ID. Send the id of an event, or a version.",
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

    /// A message of one line, and the place from which a client can resume.
    fn message<'a>(self, place: Option<&Tag>, mut line: FeedLine<'a>) -> Message<'a> {
        let event = line.event();
        let head = match (self, place) {
            (Self::Lines, Some(place)) => {
                line.set_event_id(place.to_string());
                String::new()
            }
            (Self::Lines, None) => String::new(),
            (Self::Sse, Some(place)) => format!("id: {place}\nevent: {event}\ndata: "),
            (Self::Sse, None) => format!("event: {event}\ndata: "),
        };
        let end: &[u8] = match self {
            Self::Lines => b"\n",
            Self::Sse => b"\n\n",
        };
        Message { head, line, end }
    }

    fn keep_alive(self) -> Result<Bytes, AppError> {
        match self {
            Self::Lines => self.message(None, FeedLine::KeepAlive).write(),
            Self::Sse => Ok(Bytes::from_static(b": keep alive\n\n")),
        }
    }
}

/// A message that is not written yet: its parts are shared with other streams.
struct Message<'a> {
    head: String,
    line: FeedLine<'a>,
    end: &'static [u8],
}

impl Message<'_> {
    /// The bytes of the message.
    fn len(&self) -> Result<usize, AppError> {
        let mut json = ByteCount(0);
        serde_json::to_writer(&mut json, &self.line)?;
        Ok(self.head.len() + json.0 + self.end.len())
    }

    fn write(&self) -> Result<Bytes, AppError> {
        let mut message = Vec::with_capacity(self.len()?);
        message.extend_from_slice(self.head.as_bytes());
        serde_json::to_writer(&mut message, &self.line)?;
        message.extend_from_slice(self.end);
        Ok(message.into())
    }
}

/// Counts the bytes that are written to it.
struct ByteCount(usize);

impl Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A line of a stream, or the data of a server-sent event.
#[derive(Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum FeedLine<'a> {
    /// The encounter. The next transitions change it.
    Snapshot {
        /// The version of the encounter.
        version: u64,
        /// The place of the snapshot in the log. Only in streams of lines: `Last-Event-ID` takes
        /// it. A server-sent event has it as its id.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(required = false, value_type = String)]
        event_id: Option<String>,
        /// The encounter.
        #[schema(value_type = EncounterSchema)]
        encounter: &'a RawValue,
        /// The legal commands. Only in streams with `include`, unless an entry follows at once.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(required = false, value_type = LegalCommands)]
        options: Option<&'a RawValue>,
        /// The turn table. Only in streams with `include`, unless an entry follows at once.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(required = false, value_type = String)]
        table: Option<&'a RawValue>,
    },
    /// A new entry of the log.
    Transition(EntryView<'a>),
    /// Nothing happened.
    KeepAlive,
    /// The encounter was deleted. The stream ends.
    Deleted,
}

impl FeedLine<'_> {
    fn set_event_id(&mut self, place: String) {
        match self {
            Self::Snapshot { event_id, .. } => *event_id = Some(place),
            Self::Transition(entry) => entry.event_id = Some(place),
            Self::KeepAlive | Self::Deleted => {}
        }
    }

    /// The `event` of a server-sent event: the `type` of its data.
    fn event(&self) -> &'static str {
        match self {
            Self::Snapshot { .. } => "snapshot",
            Self::Transition(_) => "transition",
            Self::KeepAlive => "keep_alive",
            Self::Deleted => "deleted",
        }
    }
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
        let pause = if ends_when_quiet {
            QUIET
        } else {
            self.keep_alive
        };
        let chunk = match timeout(pause.min(left), self.follower.next()).await {
            Ok(Next::Entry(entry)) => {
                self.sent = true;
                self.left = self.left.map(|left| left.saturating_sub(1));
                self.over = self.left == Some(0);
                self.in_time(self.transition(&entry)).await?
            }
            Ok(Next::Snapshot(encounter)) => {
                self.sent = true;
                self.in_time(self.snapshot(&*encounter)).await?
            }
            Ok(Next::Deleted) => {
                self.over = true;
                self.format.message(None, FeedLine::Deleted).write().ok()?
            }
            Ok(Next::Over) => return None,
            Err(_) if ends_when_quiet || self.ends <= Instant::now() => return None,
            Err(_) => self.format.keep_alive().ok()?,
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

    async fn transition(&self, entry: &SeenEntry) -> Result<Bytes, AppError> {
        let version = entry.version();
        let included = self.follower.included(version, self.include).await?;
        let mut view = entry.view();
        view.encounter = included.encounter.as_deref();
        view.options = included.options.as_deref();
        view.table = included.table.as_deref();
        let line = FeedLine::Transition(view);
        self.write(line).await
    }

    /// The message of an encounter that the viewer sees.
    async fn snapshot(&self, seen: &dyn AnyEncounter) -> Result<Bytes, AppError> {
        let version = seen.version();
        let include = options_of(self.include);
        let included = self.follower.included(version, include).await?;
        let view = self.follower.view(seen).await?;
        let line = FeedLine::Snapshot {
            version,
            event_id: None,
            encounter: &view,
            options: included.options.as_deref(),
            table: included.table.as_deref(),
        };
        self.write(line).await
    }

    /// Waits for room for a message, and only then writes it: many streams may wait.
    async fn write(&self, line: FeedLine<'_>) -> Result<Bytes, AppError> {
        let message = self.format.message(Some(&self.follower.place()), line);
        let room = self.answers.reserve_in_turn(&self.client, message.len()?);
        Ok(room.await?.keep(message.write()?))
    }
}

/// What is to be included beside an encounter.
fn options_of(include: Include) -> Include {
    Include {
        encounter: false,
        ..include
    }
}

/// A request for a stream.
pub(super) struct FeedCall<'a> {
    /// The encounter.
    pub id: &'a str,
    /// Whose view it is.
    pub token: &'a BearerToken,
    /// The place that the client knows, unless the headers name one.
    pub after: Option<&'a Tag>,
    /// The most transitions.
    pub limit: Option<u32>,
    /// What each transition includes.
    pub include: Include,
    pub headers: &'a LogHeaders,
    pub format: Format,
}

/// The log as a stream. A client that sends the last event's id knows the state; other clients, and
/// one whose last event the log does not hold, get a snapshot first.
pub(super) async fn stream(shared: &AppState, call: &FeedCall<'_>) -> Result<Response, Problem> {
    let FeedCall {
        id,
        token,
        headers,
        format,
        ..
    } = *call;
    let last_event = headers.last_event_id.as_ref();
    let mut after = last_event.or(call.after);
    let followed = match shared.app.follow(id, token, after).await {
        // An error would end an `EventSource`.
        Err(AppError::FutureVersion { .. } | AppError::Pruned { .. }) if last_event.is_some() => {
            after = None;
            shared.app.follow(id, token, None).await?
        }
        followed => followed?,
    };
    let Followed {
        now,
        follower,
        goes_on,
    } = followed;
    // The state that the transitions follow.
    let opening = match after {
        Some(_) if goes_on && last_event.is_some() => None,
        Some(place) if goes_on => {
            let version = place.version();
            Some(shared.app.read(id, token, Some(version)).await?.0)
        }
        _ => Some(now),
    };
    // How soon to reconnect.
    let retry = (format == Format::Sse).then(|| Bytes::from_static(b"retry: 2000\n\n"));
    let Settings {
        stream_time,
        keep_alive,
        ..
    } = shared.settings;
    // Spread, so that clients that connected together do not reconnect together.
    let time = stream_time.mul_f64(rand::random_range(0.9..=1.0));
    let time = headers
        .deadline
        .map_or(time, |deadline| deadline.remaining().mul_f64(0.9).min(time));
    let feed = Feed {
        opening,
        follower,
        format,
        keep_alive,
        ends: Instant::now() + time,
        over: false,
        buffered: headers.deadline.is_some(),
        sent: after.is_none() || !goes_on,
        left: call.limit,
        include: call.include,
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
    use serde_json::value::to_raw_value;

    #[test]
    fn a_message_is_as_long_as_it_says_before_it_is_written() {
        let encounter = to_raw_value(&["one"]).expect("JSON");
        let options = to_raw_value(&["two"]).expect("JSON");
        let told = |format: Format, place: Option<&str>| {
            let place: Option<Tag> = place.map(|place| place.parse().expect("a place"));
            let line = FeedLine::Snapshot {
                version: 3,
                event_id: None,
                encounter: &encounter,
                options: Some(&options),
                table: None,
            };
            let message = format.message(place.as_ref(), line);
            let text = message.write().expect("a message");
            assert_eq!(message.len().expect("a length"), text.len());
            String::from_utf8(text.into()).expect("text")
        };
        let line = r#"{"type":"snapshot","version":3,"encounter":["one"],"options":["two"]}"#;
        let with_id = line.replace(r#":3,"#, r#":3,"event_id":"3-AAAAAAAAAAAAAAAA","#);
        let place = Some("3-AAAAAAAAAAAAAAAA");
        assert_eq!(told(Format::Lines, place), format!("{with_id}\n"));
        let event = format!("id: 3-AAAAAAAAAAAAAAAA\nevent: snapshot\ndata: {line}\n\n");
        assert_eq!(told(Format::Sse, place), event);
        let event = format!("event: snapshot\ndata: {line}\n\n");
        assert_eq!(told(Format::Sse, None), event);
    }

    #[test]
    fn an_event_has_the_type_of_its_line() {
        for line in [FeedLine::KeepAlive, FeedLine::Deleted] {
            let json = serde_json::to_value(&line).expect("JSON");
            assert_eq!(json["type"], line.event());
        }
    }
}
