//! What the socket refuses of a request's head before anybody reads it, and one spelling for each path.

use super::problem::Problem;
use axum::body::Body;
use axum::http::header::{CONNECTION, HOST};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Request, Uri, Version};

/// The names and values of all headers of a request have at most this many bytes.
pub(super) const HEADERS: usize = 64 * 1024;

/// Why a request is refused, found before the router: an extension of the request.
#[derive(Debug, Clone)]
pub(super) struct Refused(pub Problem);

/// Checks the head of a request that came over a socket. Behind other front doors the front has done that.
pub(super) fn check<B>(request: &mut Request<B>) {
    let headers = request.headers();
    let detail = match headers.get_all(HOST).iter().count() {
        0 if request.version() == Version::HTTP_11 => "a request has a Host header: this one has none",
        0 | 1 if size(headers) <= HEADERS => return,
        0 | 1 => return refuse(request, Problem::headers_too_large()),
        _ => "a request has one Host header: this one has several",
    };
    refuse(request, Problem::bad("invalid_host", detail));
}

fn refuse<B>(request: &mut Request<B>, problem: Problem) {
    // What else comes on this connection may be part of this request.
    request.extensions_mut().insert(Refused(problem.with(CONNECTION, HeaderValue::from_static("close"))));
}

fn size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len().saturating_add(value.len())).sum()
}

/// Takes slashes off the end of a request's path. Those of Swagger UI stay: its page has one, and names its files relative to it.
pub(super) fn trim(mut request: Request<Body>) -> Request<Body> {
    if let Some(uri) = trimmed(request.uri()) {
        *request.uri_mut() = uri;
    }
    request
}

fn trimmed(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    if !path.ends_with('/') || path == "/" || path.starts_with("/docs") {
        return None;
    }
    let path = path.trim_end_matches('/');
    let path = if path.is_empty() { "/" } else { path };
    let path = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    Some(PathAndQuery::try_from(path).ok()?.into())
}
