//! Posted bodies: each up to its limit, all of a process together up to a budget, and the
//! idempotency keys sent with them.

use super::AppState;
use super::deadline::{Arrival, TimeLimit};
use super::extract::{EncounterId, single};
use super::headers::{IDEMPOTENCY_KEY, PREFER};
use super::limit::address_bucket;
use super::problem::Problem;
use crate::app::{
    AnswerSize, AppError, Application, Budget, Client, IdempotencyKey, Role, Room, Sender,
};
use crate::json::parse;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequestParts, Request};
use axum::http::header::{ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use futures::{FutureExt, StreamExt, stream};
use http_body_util::BodyExt;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::future::ready;
use std::time::Duration;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout, timeout_at};

/// The largest body that is read before its token is checked, in bytes.
const UNCHECKED: u64 = 16 * 1024;

/// A body that is not complete brings at least so many bytes in each [`PAUSE`].
const STEP: usize = 16 * 1024;
const PAUSE: Duration = Duration::from_secs(10);

/// Minimum characters of the key of a creation without an application. A UUID has more.
const MIN_CREATION_KEY: usize = 22;

/// Maximum bytes of a body that are read after it has become too large, and the time for that. A
/// client that still sends would not read the answer.
const DRAINED: usize = 8 * 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// A posted body, JSON unless another type is named, and the key under which it is applied at most
/// once.
pub(super) struct Post<B = Value> {
    pub body: B,
    pub key: Option<IdempotencyKey>,
    /// When the answer must be on its way.
    pub time: TimeLimit,
    /// The client for budgets.
    pub client: Client,
    /// The body's part of the budget.
    room: Room,
}

/// A posted file, such as a log.
pub(super) type PostedFile = Post<Bytes>;

impl<B> Post<B> {
    /// The key of a creation by this application. A key yields the tokens of what it creates, and
    /// all clients without an application share their keys: one that two of them may choose is
    /// refused.
    pub fn creation_key(
        &self,
        application: Option<&Application>,
    ) -> Result<Option<&IdempotencyKey>, Problem> {
        creation_key(self.key.as_ref(), application)
    }
}

/// The key of a creation by this application, if another client cannot choose it too.
pub(super) fn creation_key<'k>(
    key: Option<&'k IdempotencyKey>,
    application: Option<&Application>,
) -> Result<Option<&'k IdempotencyKey>, Problem> {
    let Some(key) = key else {
        return Ok(None);
    };
    if application.is_none() && key.key.len() < MIN_CREATION_KEY {
        let detail = format!(
            "The Idempotency-Key of a creation needs {MIN_CREATION_KEY} characters or more: \
                 another client with the same key would get the same token. Send a UUID."
        );
        return Err(Problem::bad("short_idempotency_key", detail));
    }
    Ok(Some(key))
}

impl FromRequest<AppState> for Post {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        let Post {
            body,
            key,
            time,
            client,
            room,
        } = receive(request, state, &state.requests).await?;
        Ok(Self {
            body: parse(&body).map_err(AppError::from)?,
            key,
            time,
            client,
            room,
        })
    }
}

impl FromRequest<AppState> for PostedFile {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        receive(request, state, &state.imports).await
    }
}

/// The idempotency key of a request without a body.
impl OptionalFromRequestParts<AppState> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Option<Self>, Problem> {
        let key = idempotency_key(&parts.headers)?.map(str::to_owned);
        Ok(key.map(|key| Self {
            key,
            fingerprint: fingerprint(parts, &[]),
        }))
    }
}

/// Reads a posted body within the limits of `bodies`.
pub(super) async fn receive(
    request: Request,
    state: &AppState,
    bodies: &Bodies,
) -> Result<Post<Bytes>, Problem> {
    let (mut parts, mut body) = request.into_parts();
    let Ok(time) = TimeLimit::from_request_parts(&mut parts, state).await;
    let key = idempotency_key(&parts.headers)?.map(str::to_owned);
    check_type(&parts.headers)?;
    let is_large = body.size_hint().upper().is_none_or(|size| size > UNCHECKED);
    let must_check = is_large || bodies.budget.is_half_used();
    let client = sending_client(&mut parts, state, must_check, &mut body).await?;
    let (body, room) = bodies.read(&client, body).await?;
    if let Some(arrival) = parts.extensions.get::<Arrival>() {
        arrival.complete();
    }
    let key = key.map(|key| IdempotencyKey {
        key,
        fingerprint: fingerprint(&parts, &body),
    });
    Ok(Post {
        body,
        key,
        time,
        client,
        room,
    })
}

/// True if all of a small body came with its head. The part that came stays in `body`.
async fn has_arrived(body: &mut Body) -> bool {
    // The connection reads the body only after it was asked for.
    let mut first = body.frame().now_or_never();
    if first.is_none() {
        yield_now().await;
        first = body.frame().now_or_never();
    }
    let first = match first {
        None => return false,
        Some(None) => return true,
        Some(Some(Ok(frame))) => Ok(frame.into_data().unwrap_or_default()),
        Some(Some(Err(failed))) => Err(failed),
    };
    match first {
        Ok(data) if body.is_end_stream() => {
            *body = Body::from(data);
            true
        }
        first => {
            let rest = std::mem::take(body).into_data_stream();
            *body = Body::from_stream(stream::once(ready(first)).chain(rest));
            false
        }
    }
}

/// The client that a body counts against: its token or application, or without a valid one its
/// address. Refuses the body of a spectator, who only reads.
///
/// The store is asked for the token if the body `must_check` it, as a large one must, and for that
/// of a small body that is not here yet if this process does not know the token as one that writes.
async fn sending_client(
    parts: &mut Parts,
    state: &AppState,
    must_check: bool,
    body: &mut Body,
) -> Result<Client, Problem> {
    let sender = Sender::from_request_parts(parts, state).await;
    let token = match sender {
        Ok(Sender::Creator(name)) => return Ok(Client::named(format!("application:{name}"))),
        Ok(Sender::Token(token)) => Some(token),
        Err(_) => None,
    };
    let id = EncounterId::from_request_parts(parts, state).await;
    let address = || Client::named(address_bucket(state, &parts.headers, &parts.extensions));
    // A path without an encounter needs no token.
    let (Ok(EncounterId(id)), Some(token)) = (id, token) else {
        return Ok(address());
    };
    let cached = state.app.cached_role(&id, &token);
    if !must_check && matches!(cached, Some(Role::Gm | Role::Player)) {
        return Ok(Client::of(&token, &id));
    }
    // What is here already holds nothing, and the write asks for the token itself.
    if !must_check && cached.is_none() && has_arrived(body).await {
        return Ok(address());
    }
    match state.app.role(&id, &token).await {
        Ok(Role::Spectator) => Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", ONLY_READS)),
        Ok(Role::Gm | Role::Player) => Ok(Client::of(&token, &id)),
        // A token that was replaced may repeat that request. It counts against its address, because
        // anyone can invent tokens.
        Err(AppError::NotFound) if !must_check => Ok(address()),
        Err(error) => Err(error.into()),
    }
}

const ONLY_READS: &str =
    "A spectator's token only reads. Send this with a player's or the game master's token.";

fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    match single(headers, &IDEMPOTENCY_KEY)? {
        Some(key)
            if !(1..=255).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic()) =>
        {
            let detail = "Invalid Idempotency-Key. Send 1 to 255 visible ASCII characters without \
                          spaces, such as a UUID.";
            Err(Problem::bad("invalid_header", detail))
        }
        key => Ok(key),
    }
}

/// A digest of the request. Requests with equal digests are repetitions. Headers are left out, so
/// that a repetition may send another `Prefer`.
fn fingerprint(parts: &Parts, body: &[u8]) -> [u8; 32] {
    let mut digest = Sha256::new();
    let query = parts.uri.query().unwrap_or_default();
    for field in [parts.method.as_str(), parts.uri.path(), query] {
        digest.update((field.len() as u64).to_be_bytes());
        digest.update(field);
    }
    digest.chain_update(body).finalize().into()
}

/// Refuses a body that is not declared as uncompressed JSON in UTF-8.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let media = single(headers, &CONTENT_TYPE)?.unwrap_or_default();
    let media = media.to_ascii_lowercase();
    let mut parts = media.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    if essence != "application/json" && !essence.ends_with("+json") {
        return Err(refused(
            "not_json",
            "The body must be JSON. Send it with Content-Type: application/json.",
        ));
    }
    for parameter in parts {
        let Some(charset) = parameter.strip_prefix("charset=") else {
            continue;
        };
        if !matches!(charset.trim_matches('"'), "utf-8" | "utf8" | "us-ascii") {
            return Err(refused(
                "not_utf8",
                "The body must be in UTF-8. Send it with Content-Type: application/json.",
            ));
        }
    }
    for codings in headers.get_all(CONTENT_ENCODING) {
        for coding in codings.as_bytes().split(|b| *b == b',') {
            let coding = coding.trim_ascii();
            if !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity") {
                let problem = refused(
                    "encoded_body",
                    "Send the body uncompressed, without Content-Encoding.",
                );
                return Err(problem.with(ACCEPT_ENCODING, HeaderValue::from_static("identity")));
            }
        }
    }
    Ok(())
}

fn refused(code: &'static str, detail: &'static str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, code, detail)
}

/// The size of the answer that the client prefers: `Prefer: return=minimal`.
impl FromRequestParts<AppState> for AnswerSize {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, Infallible> {
        for value in parts.headers.get_all(PREFER) {
            let Ok(preferences) = value.to_str() else {
                continue;
            };
            for preference in preferences.split(',') {
                let bare = preference.replace([' ', '\t', '"'], "");
                if bare.eq_ignore_ascii_case("return=minimal") {
                    return Ok(Self::Minimal);
                }
            }
        }
        Ok(Self::Full)
    }
}

/// How bodies are read: each up to its limit and fast enough, all within a budget.
#[derive(Clone)]
pub(super) struct Bodies {
    /// The largest body, in bytes.
    limit: usize,
    budget: Budget,
    /// The time in which at least [`STEP`] bytes arrive.
    pause: Duration,
}

impl Bodies {
    /// Bodies of at most `limit` bytes, `total` at a time. One body of the largest size always
    /// fits.
    pub fn new(limit: usize, total: usize) -> Self {
        Self {
            limit,
            budget: Budget::new(limit, total),
            pause: PAUSE,
        }
    }

    /// The bytes that are held now, and those that may be.
    pub fn used_and_total(&self) -> [usize; 2] {
        self.budget.used_and_total()
    }

    /// Reads a body. Its room grows with the bytes that have arrived, so that an announced size
    /// takes nothing.
    async fn read(&self, client: &Client, mut body: Body) -> Result<(Bytes, Room), Problem> {
        let (mut bytes, mut room) = (Vec::new(), self.budget.room(client));
        let (mut due, mut due_size) = (Instant::now() + self.pause, STEP);
        while let Some(frame) = timeout_at(due, body.frame())
            .await
            .map_err(|_| too_slow())?
        {
            let frame = frame.map_err(|_| {
                Problem::bad(
                    "incomplete_body",
                    "The body ended too early. Send it again.",
                )
            })?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let size = bytes.len().saturating_add(data.len());
            if size > self.limit {
                drop((bytes, room));
                let _ = timeout(DRAIN_TIME, drain(body)).await;
                let detail = format!("The body is too large. Send at most {} bytes.", self.limit);
                return Err(Problem::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "body_too_large",
                    detail,
                ));
            }
            room.grow_if_large(size)?;
            bytes.extend_from_slice(&data);
            if size >= due_size {
                (due, due_size) = (Instant::now() + self.pause, size.saturating_add(STEP));
            }
        }
        Ok((bytes.into(), room))
    }
}

/// Reads on and forgets what comes.
async fn drain(mut body: Body) {
    let mut drained = 0_usize;
    while drained < DRAINED
        && let Some(Ok(frame)) = body.frame().await
    {
        drained = drained.saturating_add(frame.data_ref().map_or(0, Bytes::len));
    }
}

fn too_slow() -> Problem {
    let (bytes, seconds) = (STEP / 1024, PAUSE.as_secs());
    let detail =
        format!("The body arrives too slowly. Send at least {bytes} KiB in {seconds} seconds.");
    let close = HeaderValue::from_static("close");
    Problem::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", detail).with(CONNECTION, close)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::SMALL;
    use futures::{StreamExt, stream};

    const KIB: usize = 1024;

    fn a() -> Client {
        Client::named("a".to_owned())
    }

    /// A body that begins with this number of bytes and never ends.
    fn unfinished(bytes: usize) -> Body {
        let begun = stream::iter([Ok::<_, String>(vec![b' '; bytes])]);
        Body::from_stream(begun.chain(stream::pending()))
    }

    async fn refused(bodies: &Bodies, client: &Client, body: Body) -> u16 {
        bodies
            .read(client, body)
            .await
            .map(drop)
            .expect_err("refused")
            .status()
            .as_u16()
    }

    #[tokio::test]
    async fn the_unfinished_bodies_of_one_client_leave_room_for_others() {
        let bodies = Bodies::new(32 * KIB, 1024 * KIB);
        let mut readers = Vec::new();
        for _ in 0..40 {
            let bodies = bodies.clone();
            readers.push(tokio::spawn(async move {
                bodies.read(&a(), unfinished(32 * KIB)).await.map(drop)
            }));
            tokio::task::yield_now().await;
        }
        tokio::task::yield_now().await;
        let (waiting, turned_away): (Vec<_>, Vec<_>) = readers
            .into_iter()
            .partition(|reader| !reader.is_finished());
        assert_eq!(
            (waiting.len(), turned_away.len()),
            (4, 36),
            "an eighth of the budget"
        );
        for reader in turned_away {
            let problem = reader.await.expect("no panic").expect_err("no room");
            assert_eq!(problem.status(), StatusCode::SERVICE_UNAVAILABLE);
        }
        let small = Body::from(vec![b' '; SMALL]);
        assert!(bodies.read(&a(), small).await.is_ok(), "it is not counted");
        let larger = Body::from(vec![b' '; SMALL + 1]);
        assert_eq!(refused(&bodies, &a(), larger).await, 503);
        let (read, _room) = bodies
            .read(
                &Client::named("b".to_owned()),
                Body::from(vec![b' '; 32 * KIB]),
            )
            .await
            .expect("room");
        assert_eq!(read.len(), 32 * KIB);
        for reader in waiting {
            reader.abort();
            let _ = reader.await;
        }
        assert_eq!(
            refused(&bodies, &a(), Body::from(vec![b' '; 32 * KIB + 1])).await,
            413
        );
    }

    #[tokio::test]
    async fn a_body_that_arrives_too_slowly_is_given_up() {
        let bodies = Bodies {
            pause: Duration::from_millis(100),
            ..Bodies::new(256 * KIB, 0)
        };
        assert_eq!(refused(&bodies, &a(), unfinished(256 * KIB - 1)).await, 408);
        // Bytes that trickle in are no progress.
        let trickle = stream::repeat(()).then(|()| async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Ok::<_, String>(vec![b' '; 10])
        });
        assert_eq!(
            refused(&bodies, &a(), Body::from_stream(trickle)).await,
            408
        );
        let steady = stream::iter(0..6).then(|_| async {
            tokio::time::sleep(Duration::from_millis(30)).await;
            Ok::<_, String>(vec![b' '; STEP])
        });
        assert_eq!(
            bodies
                .read(&a(), Body::from_stream(steady))
                .await
                .expect("it is read")
                .0
                .len(),
            6 * STEP
        );
        assert!(bodies.budget.room(&a()).grow(256 * KIB).is_ok());
    }
}
