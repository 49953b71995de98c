//! What answers tell browsers: which pages may call (CORS), and what a page may do with an answer.
//!
//! There is no `Strict-Transport-Security`: this server speaks plain HTTP, where browsers ignore it. The proxy that ends TLS sends it.

use super::feed::LAST_EVENT_ID;
use super::limit::{RATE_LIMIT, RATE_LIMIT_POLICY};
use super::middleware::REQUEST_ID;
use super::post::{IDEMPOTENCY_KEY, PREFER};
use super::reply::{PREFERENCE_APPLIED, REPLAYED};
use axum::http::header::*;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use std::str::FromStr;
use std::time::Duration;
use tower_http::cors::{Any, CorsLayer};

const METHODS: [Method; 5] = [Method::GET, Method::HEAD, Method::POST, Method::DELETE, Method::OPTIONS];
const REQUEST_HEADERS: [HeaderName; 8] =
    [AUTHORIZATION, CONTENT_TYPE, IF_MATCH, IF_NONE_MATCH, IDEMPOTENCY_KEY, LAST_EVENT_ID, PREFER, REQUEST_ID];
const RESPONSE_HEADERS: [HeaderName; 9] =
    [ETAG, LOCATION, LINK, RETRY_AFTER, RATE_LIMIT, RATE_LIMIT_POLICY, REPLAYED, PREFERENCE_APPLIED, REQUEST_ID];
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
        let origins = text.split(',').map(str::trim).filter(|origin| !origin.is_empty() && *origin != "none");
        let origins = origins.map(|origin| {
            let host = origin.split_once("://").map(|(_, host)| host);
            let valid = host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*']));
            let value = HeaderValue::from_str(origin).ok().filter(|_| valid);
            value.ok_or_else(|| {
                format!("{origin:?} is no origin: write * for all, none, or origins such as https://table.example:8443")
            })
        });
        Ok(Self::Only(origins.collect::<Result<_, _>>()?))
    }
}

/// The layer that answers preflights and adds the CORS headers to answers.
pub(super) fn cors(origins: &Origins) -> CorsLayer {
    let layer = CorsLayer::new().allow_methods(METHODS).allow_headers(REQUEST_HEADERS).max_age(MAX_AGE);
    let layer = layer.expose_headers(RESPONSE_HEADERS);
    match origins {
        Origins::Any => layer.allow_origin(Any),
        Origins::Only(origins) => layer.allow_origin(origins.clone()),
    }
}

const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// Paths hold the ids of encounters.
const NO_REFERRER: HeaderValue = HeaderValue::from_static("no-referrer");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// Answers are data: a browser that shows one as a page loads and runs nothing.
const DATA: HeaderValue = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
/// Swagger UI has scripts and inline styles, images in its styles, and calls the API.
const PAGE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// Adds the protective headers to the answer for a request to `path`.
pub(super) fn protect(path: &str, status: StatusCode, headers: &mut HeaderMap) {
    let page = path.starts_with("/docs");
    headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    headers.insert(REFERRER_POLICY, NO_REFERRER);
    headers.insert(CONTENT_SECURITY_POLICY, if page { PAGE } else { DATA });
    // Caches may keep what is the same for every client: rulesets, the document, the page.
    let public = (page || path.starts_with("/v1/rulesets") || path == "/openapi.json")
        && !(status.is_client_error() || status.is_server_error());
    if !public && !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, NO_STORE);
    }
}
