//! The middleware of every request: paths, a request id, a time limit, CORS and security headers, problem documents, and one log line.
//!
//! There is no `Strict-Transport-Security`: this server speaks plain HTTP, where browsers ignore it. The proxy that ends TLS sends it.

use super::AppState;
use super::feed::LAST_EVENT_ID;
use super::limit::{RATE_LIMIT, RATE_LIMIT_POLICY};
use super::post::{IDEMPOTENCY_KEY, PREFER};
use super::problem::Problem;
use super::reply::{PREFERENCE_APPLIED, REPLAYED};
use super::serve::Socket;
use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::header::*;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri, Version};
use axum::middleware::Next;
use axum::response::IntoResponse;
use futures::FutureExt;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::str::FromStr;
use std::time::{Duration, Instant};
use tokio::time::timeout;
use tower::ServiceExt;
use tower_http::cors::{Any, CorsLayer};

/// The header with the id of a request, for the log.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The maximum bytes of the names and values of a request's headers.
const MAX_HEADERS: usize = 64 * 1024;

/// The last moment for an answer, as an extension of a request. Waits and streams end before it.
#[derive(Debug, Clone, Copy)]
pub struct Deadline(pub Instant);

impl Deadline {
    /// The time that is left.
    pub fn remaining(&self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// The answer to a request that misses its deadline.
    pub(super) fn missed() -> Problem {
        let detail = "there was no time left to answer, so the request may have been applied: send it again with the same Idempotency-Key";
        Problem::unavailable("too_late", detail)
    }
}

/// When the time limit of a request ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit(Instant);

impl TimeLimit {
    /// The time that is left for more work, before the answer must be on its way.
    pub fn left(&self) -> Duration {
        self.0
            .saturating_duration_since(Instant::now())
            .saturating_sub(Duration::from_secs(1))
    }
}

impl FromRequestParts<AppState> for TimeLimit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let set = parts.extensions.get().copied();
        Ok(set.unwrap_or_else(|| Self(Instant::now() + state.settings.timeout)))
    }
}

/// Gives the request an id, finishes the answer, and writes the log line.
pub(super) async fn finish(mut request: Request, next: Next) -> Response<Body> {
    let started = Instant::now();
    let request_id = request_id(request.headers());
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let checked = check_head(&request);
    request.headers_mut().insert(REQUEST_ID, request_id.clone());
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    if method == Method::OPTIONS && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        let problem = response.extensions_mut().remove::<Problem>();
        problem
            .unwrap_or_else(|| Problem::of_status(status))
            .render(uri.path(), &mut response);
    }
    protect(response.headers_mut());
    tracing::info!(
        target: "turnkeeper::request",
        method = method.as_str(),
        path = route.as_ref().map_or("-", MatchedPath::as_str),
        encounter = route.as_ref().and_then(|route| encounter_prefix(route, uri.path())),
        status = status.as_u16(),
        ms = started.elapsed().as_micros() as f64 / 1000.0,
        request_id = request_id.to_str().unwrap_or_default(),
    );
    response.headers_mut().insert(REQUEST_ID, request_id);
    response
}

/// Runs the handler within the time limit. A handler that panics is answered 500.
pub(super) async fn run(
    State(limit): State<Duration>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let deadline = request
        .extensions()
        .get::<Deadline>()
        .map(Deadline::remaining);
    let deadline = deadline.filter(|remaining| *remaining < limit);
    request
        .extensions_mut()
        .insert(TimeLimit(Instant::now() + deadline.unwrap_or(limit)));
    let request_id = request.headers().get(REQUEST_ID).cloned();
    let handler = AssertUnwindSafe(run_while_connected(request, next)).catch_unwind();
    match timeout(deadline.unwrap_or(limit), handler).await {
        Ok(Ok(response)) => response,
        Ok(Err(_)) => {
            let request_id = request_id.as_ref().and_then(|id| id.to_str().ok());
            tracing::error!(request_id, "a handler panicked");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
        Err(_) if deadline.is_some() => Deadline::missed().into_response(),
        Err(_) => ([(CONNECTION, "close")], StatusCode::REQUEST_TIMEOUT).into_response(),
    }
}

/// Runs the handler until the client leaves. A long poll or stream goes on, because it waits and does no work.
async fn run_while_connected(request: Request, next: Next) -> Response<Body> {
    const LEFT: &str = "the client sent no more while it waited for the answer: keep the connection open on both sides";
    let waits = request
        .extensions()
        .get::<MatchedPath>()
        .is_some_and(|route| route.as_str().ends_with("/events"));
    match request
        .extensions()
        .get::<Socket>()
        .filter(|_| !waits)
        .cloned()
    {
        None => next.run(request).await,
        Some(client) => tokio::select! {
            biased;
            response = next.run(request) => response,
            () = client.left() => Problem::unavailable("client_left", LEFT).into_response(),
        },
    }
}

/// Checks the headers of a request that came over a socket. AWS checks those of an event.
fn check_head(request: &Request) -> Result<(), Problem> {
    if request.extensions().get::<Socket>().is_none() {
        return Ok(());
    }
    let headers = request.headers();
    let size: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len().saturating_add(value.len()))
        .sum();
    let problem = match headers.get_all(HOST).iter().count() {
        0 if request.version() == Version::HTTP_11 => Problem::bad(
            "invalid_host",
            "a request has a Host header: this one has none",
        ),
        0 | 1 if size <= MAX_HEADERS => return Ok(()),
        0 | 1 => Problem::headers_too_large(),
        _ => Problem::bad(
            "invalid_host",
            "a request has one Host header: this one has several",
        ),
    };
    // The bytes that follow on this connection may belong to this request.
    Err(problem.with(CONNECTION, HeaderValue::from_static("close")))
}

/// The request's own id if it is harmless to print, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let harmless = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        let printable = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        // A token in the wrong header must not reach the log.
        (1..=64).contains(&bytes.len())
            && bytes.iter().all(printable)
            && !bytes.windows(3).any(|window| window == b"tk_")
    };
    let own = headers.get(REQUEST_ID).filter(harmless).cloned();
    own.or_else(|| HeaderValue::try_from(format!("{:016x}", rand::random::<u64>())).ok())
        .unwrap_or(HeaderValue::from_static("none"))
}

/// The first characters of the encounter's id: enough to tell it from others in a log.
fn encounter_prefix<'p>(route: &MatchedPath, path: &'p str) -> Option<&'p str> {
    let id = path
        .strip_prefix("/v1/encounters/")
        .filter(|_| route.as_str().contains("{id}"))?;
    let prefix = id.split('/').next()?.get(..8)?;
    prefix
        .bytes()
        .all(|b| b.is_ascii_alphanumeric())
        .then_some(prefix)
}

const METHODS: [Method; 5] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::DELETE,
    Method::OPTIONS,
];
const REQUEST_HEADERS: [HeaderName; 8] = [
    AUTHORIZATION,
    CONTENT_TYPE,
    IF_MATCH,
    IF_NONE_MATCH,
    IDEMPOTENCY_KEY,
    LAST_EVENT_ID,
    PREFER,
    REQUEST_ID,
];
const RESPONSE_HEADERS: [HeaderName; 9] = [
    ETAG,
    LOCATION,
    LINK,
    RETRY_AFTER,
    RATE_LIMIT,
    RATE_LIMIT_POLICY,
    REPLAYED,
    PREFERENCE_APPLIED,
    REQUEST_ID,
];
/// Browsers keep a preflight for less than this.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The origins whose pages may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origins {
    /// All origins. Tokens travel in a header that pages set themselves, never in cookies, so no origin gains by it.
    Any,
    /// These origins; none if the list is empty.
    Only(Vec<HeaderValue>),
}

impl FromStr for Origins {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "*" {
            return Ok(Self::Any);
        }
        let origins = text
            .split(',')
            .map(str::trim)
            .filter(|origin| !origin.is_empty() && *origin != "none");
        let origins = origins.map(|origin| {
            let host = origin.split_once("://").map(|(_, host)| host);
            let valid = host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*']));
            let value = HeaderValue::from_str(origin).ok().filter(|_| valid);
            value.ok_or_else(|| {
                format!(
                    "{origin:?} is not an origin: write * for all, none, or origins such as https://table.example:8443"
                )
            })
        });
        Ok(Self::Only(origins.collect::<Result<_, _>>()?))
    }
}

/// The layer that answers preflights and adds the CORS headers to answers.
pub(super) fn cors(origins: &Origins) -> CorsLayer {
    let layer = CorsLayer::new()
        .allow_methods(METHODS)
        .allow_headers(REQUEST_HEADERS)
        .max_age(MAX_AGE);
    let layer = layer.expose_headers(RESPONSE_HEADERS);
    match origins {
        Origins::Any => layer.allow_origin(Any),
        Origins::Only(origins) => layer.allow_origin(origins.clone()),
    }
}

/// Adds the protective headers. A page has a policy of its own, and an answer that caches may keep says so itself.
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

/// A path before all paths of the service, such as `/turns`: removed from requests, added to the paths in answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasePath(String);

impl FromStr for BasePath {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = text.trim_end_matches('/');
        let plain = |segment: &str| {
            let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~$".contains(&b);
            !segment.is_empty() && segment != "." && segment != ".." && segment.bytes().all(allowed)
        };
        if !path
            .strip_prefix('/')
            .is_some_and(|rest| rest.split('/').all(plain))
        {
            return Err(format!(
                "{text:?} is not a base path: write / and plain words, such as /turns or /api/turns"
            ));
        }
        if path == "/v1" || path.starts_with("/v1/") {
            return Err(format!("{text:?} begins as the service's own paths do"));
        }
        Ok(Self(path.to_owned()))
    }
}

/// The path that clients see before the service's own paths, as an extension of a request.
#[derive(Debug, Clone)]
pub(super) struct ExternalPrefix(pub String);

impl BasePath {
    /// The path of a gateway's stage. Unlike a configured path it may be `/v1`, because every request has it.
    pub fn stage(name: &str) -> Self {
        Self(format!("/{name}"))
    }

    /// The rest of a path below this one; None for other paths.
    pub fn strip<'p>(&self, path: &'p str) -> Option<&'p str> {
        match path.strip_prefix(&self.0)? {
            "" => Some("/"),
            rest => rest.starts_with('/').then_some(rest),
        }
    }

    /// Adds this path to the service's own paths in the headers of an answer.
    fn restore(&self, headers: &mut HeaderMap) {
        for (name, before) in [(LOCATION, "/"), (LINK, "</")] {
            let Some(own) = headers.get(&name).and_then(|value| value.to_str().ok()) else {
                continue;
            };
            let Some(rest) = own.strip_prefix(before) else {
                continue;
            };
            let open = before.trim_end_matches('/');
            if let Ok(value) = HeaderValue::try_from(format!("{open}{}/{rest}", self.0)) {
                headers.insert(name, value);
            }
        }
    }

    /// Removes this path from a request.
    fn remove(&self, mut request: Request) -> Request {
        let outer = request
            .extensions_mut()
            .remove()
            .map_or(String::new(), |ExternalPrefix(outer)| outer);
        request
            .extensions_mut()
            .insert(ExternalPrefix(outer + &self.0));
        if let Some(uri) = self
            .strip(request.uri().path())
            .and_then(|path| with_path(request.uri(), path))
        {
            *request.uri_mut() = uri;
        }
        request
    }
}

/// Serves `router` below a path. Requests from which a proxy has removed the path are served too.
pub fn under(base: Option<BasePath>, router: Router) -> Router {
    let Some(base) = base else { return router };
    let inner = base.clone();
    let router = router.map_request(move |request| inner.remove(request));
    Router::new().fallback_service(router.map_response(move |mut response: Response<Body>| {
        base.restore(response.headers_mut());
        response
    }))
}

/// Removes slashes from the end of a request's path. The pages keep their own: they name their files relative to it.
pub(super) fn trim(mut request: Request) -> Request {
    let path = request.uri().path();
    if path.ends_with('/') && path != "/" && !below(path, "/docs") && !below(path, "/table") {
        let trimmed = path.trim_end_matches('/');
        if let Some(uri) = with_path(
            request.uri(),
            if trimmed.is_empty() { "/" } else { trimmed },
        ) {
            *request.uri_mut() = uri;
        }
    }
    request
}

/// Whether a path is `page` or below it.
fn below(path: &str, page: &str) -> bool {
    path.strip_prefix(page)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A URI of this path and the query of another.
fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let path = uri
        .query()
        .map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    Some(PathAndQuery::try_from(path).ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_plain() {
        assert_eq!("/turns/".parse(), Ok(BasePath("/turns".into())));
        assert_eq!("/api/turns".parse(), Ok(BasePath("/api/turns".into())));
        for wrong in [
            "", "/", "turns", "//x", "/a b", "/a?b", "/a/../b", "/v1", "/v1/x", "/a%20b",
        ] {
            assert!(wrong.parse::<BasePath>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_complete_segments_are_removed() {
        let base = BasePath("/turns".into());
        assert_eq!(base.strip("/turns/v1/rulesets"), Some("/v1/rulesets"));
        assert_eq!(base.strip("/turns"), Some("/"));
        assert_eq!(base.strip("/turnstile"), None);
        assert_eq!(base.strip("/v1/rulesets"), None);
    }

    #[test]
    fn only_the_services_own_paths_get_the_base_path() {
        let base = BasePath("/turns".into());
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_static("/v1/encounters/x"));
        headers.insert(
            LINK,
            HeaderValue::from_static("</v1/x?after=1>; rel=\"next\""),
        );
        base.restore(&mut headers);
        assert_eq!(headers[LOCATION], "/turns/v1/encounters/x");
        assert_eq!(headers[LINK], "</turns/v1/x?after=1>; rel=\"next\"");
        headers.insert(
            LOCATION,
            HeaderValue::from_static("https://elsewhere.example/"),
        );
        base.restore(&mut headers);
        assert_eq!(headers[LOCATION], "https://elsewhere.example/");
    }
}
