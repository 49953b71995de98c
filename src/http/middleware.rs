//! What happens around every request: a request id, a time limit, problem documents, CORS, and one log line.

use super::Shared;
use super::deadline::Deadline;
use super::head::Refused;
use super::problem::Problem;
use super::security;
use super::serve::Socket;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{CONNECTION, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse;
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::time::Instant;
use tokio::time::timeout;

pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Serves a request within the frame.
pub(super) async fn around(State(shared): State<Shared>, request: Request, next: Next) -> Response<Body> {
    let started = Instant::now();
    let settings = &shared.settings;
    let request_id = request_id(request.headers());
    let origin = request.headers().get(ORIGIN).cloned();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let deadline = request.extensions().get::<Deadline>().map(Deadline::remaining);
    let deadline = deadline.filter(|remaining| *remaining < settings.timeout);
    let limit = deadline.unwrap_or(settings.timeout);
    let refused = request.extensions().get::<Refused>().map(|Refused(problem)| problem.clone().into_response());
    let mut response = match refused.or_else(|| settings.origins.preflight(&method)) {
        Some(response) => response,
        None => match timeout(limit, AssertUnwindSafe(run(request, next, route.as_ref())).catch_unwind()).await {
            Ok(Ok(response)) => response,
            Ok(Err(_)) => {
                tracing::error!(request_id = request_id.to_str().unwrap_or_default(), "a handler panicked");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
            Err(_) if deadline.is_some() => Deadline::missed().into_response(),
            Err(_) => ([(CONNECTION, "close")], StatusCode::REQUEST_TIMEOUT).into_response(),
        },
    };
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        let problem = response.extensions_mut().remove::<Problem>();
        let problem = problem.unwrap_or_else(|| Problem::of_status(status));
        problem.render(uri.path(), &mut response);
    }
    security::protect(uri.path(), status, response.headers_mut());
    settings.origins.allow(origin.as_ref(), response.headers_mut());
    tracing::info!(
        target: "turnkeeper::request",
        method = method.as_str(),
        path = route.as_ref().map_or("-", MatchedPath::as_str),
        encounter = route.as_ref().and_then(|route| encounter(route, uri.path())),
        status = status.as_u16(),
        ms = started.elapsed().as_micros() as f64 / 1000.0,
        request_id = request_id.to_str().unwrap_or_default(),
    );
    response.headers_mut().insert(REQUEST_ID, request_id);
    response
}

/// Serves a request, unless its client leaves meanwhile: then the work for it stops. A long poll and a stream wait, and do not work.
async fn run(request: Request, next: Next, route: Option<&MatchedPath>) -> Response<Body> {
    const LEFT: &str = "the client sent no more while it waited for the answer: keep the connection open on both sides";
    let waits = route.is_some_and(|route| route.as_str().ends_with("/events"));
    match request.extensions().get::<Socket>().filter(|_| !waits).cloned() {
        None => next.run(request).await,
        Some(client) => tokio::select! {
            biased;
            response = next.run(request) => response,
            () = client.left() => Problem::unavailable("client_left", LEFT).into_response(),
        },
    }
}

/// The request's own id where it is harmless to print, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let harmless = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        let sound = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        // A token in the wrong header must not reach the log.
        (1..=64).contains(&bytes.len()) && bytes.iter().all(sound) && !bytes.windows(3).any(|part| part == b"tk_")
    };
    let own = headers.get(REQUEST_ID).filter(harmless).cloned();
    own.or_else(|| HeaderValue::try_from(format!("{:016x}", rand::random::<u64>())).ok())
        .unwrap_or(HeaderValue::from_static("none"))
}

/// As much of the encounter's id as tells it from others in a log.
fn encounter<'p>(route: &MatchedPath, path: &'p str) -> Option<&'p str> {
    let id = path.strip_prefix("/v1/encounters/").filter(|_| route.as_str().contains("{id}"))?;
    let id = id.split('/').next()?;
    let known = id.get(..8)?;
    known.bytes().all(|b| b.is_ascii_alphanumeric()).then_some(known)
}
