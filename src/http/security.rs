//! What every answer tells a browser, so that nothing that it shows can be turned against whoever looks at it.
//!
//! No `Strict-Transport-Security`: this server speaks plain HTTP, where browsers ignore it; it belongs to whoever ends TLS before it.

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode};

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// Paths hold the ids of encounters.
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// Answers are data: a browser that is made to show one as a page loads and runs nothing.
const DATA: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
/// Swagger UI has its own scripts, styles that it sets itself, pictures in its styles, and calls the API.
const PAGE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// Adds it to the answer for a request to `path`.
pub(super) fn protect(path: &str, status: StatusCode, headers: &mut HeaderMap) {
    let page = path.starts_with("/docs");
    headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    headers.insert(REFERRER_POLICY, NO_REFERRER);
    headers.insert(CONTENT_SECURITY_POLICY, if page { PAGE } else { DATA });
    // What is the same for everybody may be kept: rulesets, the document, the page.
    let public = (page || path.starts_with("/v1/rulesets") || path == "/openapi.json")
        && !(status.is_client_error() || status.is_server_error());
    if !public && !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, NO_STORE);
    }
}
