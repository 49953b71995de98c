//! The log as a stream: lines of JSON, or server-sent events.

use super::events::EventsQuery;
use super::extract::{preferred, single};
use super::middleware::Deadline;
use super::problem::Problem;
use super::{AppState, Settings};
use crate::app::{AppError, BearerToken, Budget, Client, EntryView, Follower, Include, Next};
use crate::vocabulary::{EncounterSchema, Int, LegalCommands};
use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt, stream};
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use utoipa::ToSchema;

pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Keeps proxies from buffering a stream.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The time that a buffered stream waits for more after it has sent something.
const QUIET: Duration = Duration::from_millis(100);

/// The time that a stream waits for what it includes, in a server that has much to do.
const INCLUDED: Duration = Duration::from_secs(30);

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

    /// A message of a type with its data, and the version from which a client can resume.
    ///
    /// The data is the JSON of an object without its closing brace, and then more fields, each with a comma before it.
    fn message(self, kind: &str, version: Option<u64>, object: &str, fields: &[u8]) -> Bytes {
        let rest = object.trim_start_matches('{');
        let comma = if rest.is_empty() { "" } else { "," };
        let mut message = match (self, version) {
            (Self::Lines, _) => String::new(),
            (Self::Sse, Some(version)) => format!("id: {version}\nevent: {kind}\ndata: "),
            (Self::Sse, None) => format!("event: {kind}\ndata: "),
        };
        message.push_str(&format!("{{\"type\":\"{kind}\"{comma}{rest}"));
        let end: &[u8] = if self == Self::Sse { b"}\n\n" } else { b"}\n" };
        [message.as_bytes(), fields, end].concat().into()
    }

    fn keep_alive(self) -> Bytes {
        match self {
            Self::Lines => self.message("keep_alive", None, "{", b""),
            Self::Sse => Bytes::from_static(b": keep alive\n\n"),
        }
    }

    fn snapshot(self, version: u64, view: &str, included: &[u8]) -> Bytes {
        self.message(
            "snapshot",
            Some(version),
            &format!("{{\"version\":{version},\"encounter\":{view}"),
            included,
        )
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
        /// What the viewer may send after it. Only in streams with `include`, unless an entry follows at once.
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
                let included = self.included(version, self.include).await?;
                let entry = entry.get().strip_suffix('}').unwrap_or_default();
                self.format
                    .message("transition", Some(version), entry, &included)
            }
            Ok(Next::Snapshot(version, view)) => {
                self.sent = true;
                let included = self.included(version, options_of(self.include)).await?;
                self.format.snapshot(version, view.get(), &included)
            }
            Ok(Next::Deleted) => {
                self.over = true;
                self.format.message("deleted", None, "{", b"")
            }
            Ok(Next::Over) => return None,
            Err(_) if ends_when_quiet || self.ends <= Instant::now() => return None,
            Err(_) => self.format.keep_alive(),
        };
        let room = self.answers.reserve_in_turn(&self.client, chunk.len());
        let room = timeout(INCLUDED, room).await.ok()?.ok()?;
        Some((room.keep(chunk), self))
    }

    /// What is included; None if it cannot be had in time. Then the stream ends, and the client's next one begins with this version.
    async fn included(&self, version: u64, include: Include) -> Option<Vec<u8>> {
        match timeout(INCLUDED, self.follower.included(version, include)).await {
            Ok(Ok(included)) => Some(included),
            Ok(Err(error)) => {
                tracing::warn!(
                    ?error,
                    "a stream ends: it cannot include what was asked for"
                );
                None
            }
            Err(_) => None,
        }
    }
}

/// What is to be included beside an encounter.
fn options_of(include: Include) -> Include {
    Include {
        encounter: false,
        ..include
    }
}

/// The log as a stream. A client that sends the last event's id knows the state; other clients get a snapshot first.
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
    let first = match (headers.last_event_id, after) {
        (Some(_), _) => None,
        (None, Some(version)) => Some(shared.app.read(id, token, Some(version)).await?.0),
        (None, None) => Some(now),
    };
    let include = query.include;
    let (client, answers) = (Client::of(token, id), shared.app.answers.clone());
    // How soon to reconnect, and the state that the transitions follow.
    let mut opening = Vec::new();
    if format == Format::Sse {
        opening.push(Bytes::from_static(b"retry: 2000\n\n"));
    }
    if let Some(game) = first {
        let included = follower
            .included(game.version(), options_of(include))
            .await?;
        let view = game.view(&follower.viewer).map_err(AppError::from)?;
        opening.push(answers.hold(
            &client,
            format.snapshot(game.version(), view.get(), &included),
        )?);
    }
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
        follower,
        format,
        keep_alive,
        ends,
        over: false,
        buffered,
        sent,
        left,
        include,
        client,
        answers,
    };
    let chunks = stream::iter(opening).chain(stream::unfold(feed, Feed::next));
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
