//! The middleware of every request: a request id, a time limit, security headers, problem
//! documents, and one log line.
//!
//! There is no `Strict-Transport-Security`: this server speaks plain HTTP, where browsers ignore
//! it. The proxy that ends TLS sends it.

use super::deadline::{Arrival, Deadline, TimeLimit};
use super::headers::REQUEST_ID;
use super::problem::Problem;
use super::serve::FromSocket;
use crate::measure;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, HOST, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Version};
use axum::middleware::Next;
use axum::response::IntoResponse;
use std::any::Any;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The maximum bytes of the names and values of a request's headers.
const MAX_HEADERS: usize = 64 * 1024;

/// Gives the request an id, finishes the answer, and writes the log line.
pub(super) async fn respond_and_log(mut request: Request, next: Next) -> Response<Body> {
    let started = Instant::now();
    let request_id = request_id(request.headers());
    let method = request.method().clone();
    let uri = request.uri().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let trace_id = trace_id(request.headers());
    let checked = check_head(&request);
    request.headers_mut().insert(REQUEST_ID, request_id.clone());
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    if method == Method::OPTIONS && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    if response.extensions().get::<HandlerPanicked>().is_some() {
        let request_id = request_id.to_str().unwrap_or_default();
        tracing::error!(request_id, "a handler panicked");
    }
    response
        .headers_mut()
        .insert(REQUEST_ID, request_id.clone());
    let status = response.status();
    let failed = status.is_client_error() || status.is_server_error();
    if failed && response.extensions().get::<OwnBody>().is_none() {
        let problem = response.extensions_mut().remove::<Problem>();
        problem
            .unwrap_or_else(|| Problem::of_status(status))
            .render(uri.path(), &mut response);
    }
    protect(response.headers_mut());
    let time = started.elapsed();
    measure::request(
        method_label(&method),
        route.as_ref().map(MatchedPath::as_str),
        status.as_u16(),
        time,
    );
    tracing::info!(
        target: "turnkeeper::request",
        method = method_label(&method),
        path = route.as_ref().map_or("-", MatchedPath::as_str),
        encounter = route.as_ref().and_then(|route| encounter_prefix(route, uri.path())),
        status = status.as_u16(),
        ms = time.as_micros() as f64 / 1000.0,
        request_id = request_id.to_str().unwrap_or_default(),
        trace_id,
    );
    response
}

/// Runs the handler within the time limit.
pub(super) async fn with_timeout(
    State(limit): State<Duration>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let deadline = request.extensions().get::<Deadline>();
    let remaining = deadline.map_or(limit, Deadline::remaining);
    let time = remaining.min(limit);
    let arrival = Arrival::of(&request);
    request.extensions_mut().insert(TimeLimit::within(time));
    request.extensions_mut().insert(arrival.clone());
    match timeout(time, next.run(request)).await {
        Ok(response) => response,
        Err(_) if remaining < limit || arrival.is_complete() => Problem::too_late().into_response(),
        Err(_) => ([(CONNECTION, "close")], StatusCode::REQUEST_TIMEOUT).into_response(),
    }
}

/// Marks an answer whose body stays, though its status is that of an error: another protocol says
/// what it holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnBody;

/// Marks the answer to a request whose handler panicked.
#[derive(Debug, Clone, Copy)]
struct HandlerPanicked;

/// Answers 500 for a handler that panics. The panic hook has printed the panic.
pub(super) fn after_panic(_: Box<dyn Any + Send>) -> Response<Body> {
    let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
    response.extensions_mut().insert(HandlerPanicked);
    response
}

/// Checks the headers of a request that came over a socket. AWS checks those of an event.
fn check_head(request: &Request) -> Result<(), Problem> {
    if request.extensions().get::<FromSocket>().is_none() {
        return Ok(());
    }
    let headers = request.headers();
    let size: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len().saturating_add(value.len()))
        .sum();
    let problem = match headers.get_all(HOST).iter().count() {
        0 if request.version() == Version::HTTP_11 => {
            Problem::bad("invalid_host", "The request has no Host header. Send one.")
        }
        0 | 1 if size <= MAX_HEADERS => return Ok(()),
        0 | 1 => Problem::headers_too_large(),
        _ => Problem::bad(
            "invalid_host",
            "The request has several Host headers. Send one.",
        ),
    };
    // The bytes that follow on this connection may belong to this request.
    Err(problem.with(CONNECTION, HeaderValue::from_static("close")))
}

/// The request's own id if it is harmless to print, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    if let Some(own) = headers.get(REQUEST_ID)
        && own.to_str().is_ok_and(is_harmless)
    {
        return own.clone();
    }
    let random = format!("{:016x}", rand::random::<u64>());
    // Digits and letters are always a header's value.
    HeaderValue::try_from(random).unwrap_or(HeaderValue::from_static("none"))
}

/// The trace that a request belongs to, by the header of W3C Trace Context; None without a valid
/// one.
fn trace_id(headers: &HeaderMap) -> Option<String> {
    let header = headers.get("traceparent")?.to_str().ok()?;
    let mut parts = header.splitn(4, '-');
    let [version, trace, parent] = [parts.next()?, parts.next()?, parts.next()?];
    let flags = parts.next()?;
    // A later version may have more behind the flags.
    let is_known = version == "00" && flags.len() == 2;
    let is_later = version != "ff" && flags.len() >= 2;
    let valid = is_hexadecimal(version, 2)
        && is_hexadecimal(trace, 32)
        && is_hexadecimal(parent, 16)
        && is_hexadecimal(flags.get(..2)?, 2)
        && (is_known || version != "00" && is_later);
    let is_set = |id: &str| id.bytes().any(|digit| digit != b'0');
    (valid && is_set(trace) && is_set(parent)).then(|| trace.to_owned())
}

/// True for text of this length in small hexadecimal digits.
fn is_hexadecimal(text: &str, length: usize) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == length && text.bytes().all(is_digit)
}

/// A request's method as metrics and the log name it: a client may invent methods, and write a token
/// into one.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "-",
    }
}

/// Whether an id may be printed in the log. A token in the wrong header must not reach it.
fn is_harmless(id: &str) -> bool {
    let printable = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    (1..=64).contains(&id.len()) && id.bytes().all(printable) && !id.contains("tk_")
}

/// The first characters of the encounter's id: enough to tell it from others in a log.
fn encounter_prefix<'p>(route: &MatchedPath, path: &'p str) -> Option<&'p str> {
    if !route.as_str().contains("{id}") {
        return None;
    }
    let id = path.strip_prefix("/v1/encounters/")?;
    let prefix = id.split('/').next()?.get(..8)?;
    let plain = prefix.bytes().all(|b| b.is_ascii_alphanumeric());
    plain.then_some(prefix)
}

/// Adds the protective headers. A page has a policy of its own, and an answer that caches may keep
/// says so itself.
pub(super) fn protect(headers: &mut HeaderMap) {
    // Answers are data: a browser that shows one as a page loads and runs nothing.
    let data = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Paths hold the ids of encounters.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(data);
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}
