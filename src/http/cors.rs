//! Which pages may call the API from a browser, and which headers they may send and read.

use super::headers::{
    ENCOUNTER_VERSION, IDEMPOTENCY_KEY, LAST_EVENT_ID, MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION,
    PREFER, PREFERENCE_APPLIED, RATE_LIMIT, RATE_LIMIT_POLICY, REPLAYED, REQUEST_ID,
};
use axum::http::header::{
    AUTHORIZATION, CONTENT_TYPE, ETAG, IF_MATCH, IF_NONE_MATCH, LINK, LOCATION, RETRY_AFTER,
};
use axum::http::{HeaderName, HeaderValue, Method};
use std::str::FromStr;
use std::time::Duration;
use tower_http::cors::{Any, CorsLayer};

const METHODS: [Method; 5] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::DELETE,
    Method::OPTIONS,
];
const REQUEST_HEADERS: [HeaderName; 11] = [
    AUTHORIZATION,
    CONTENT_TYPE,
    IF_MATCH,
    IF_NONE_MATCH,
    IDEMPOTENCY_KEY,
    LAST_EVENT_ID,
    MCP_METHOD,
    MCP_NAME,
    MCP_PROTOCOL_VERSION,
    PREFER,
    REQUEST_ID,
];
const RESPONSE_HEADERS: [HeaderName; 10] = [
    ETAG,
    ENCOUNTER_VERSION,
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
    /// All origins. Tokens travel in a header that pages set themselves, never in cookies, so no
    /// origin gains by it.
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
        let mut origins = Vec::new();
        for origin in text.split(',').map(str::trim) {
            if origin.is_empty() || origin == "none" {
                continue;
            }
            let Some(value) = origin_value(origin) else {
                return Err(format!(
                    "{origin:?} is not an origin: write * for all, none, or origins such as \
                     https://table.example:8443"
                ));
            };
            origins.push(value);
        }
        Ok(Self::Only(origins))
    }
}

/// The header's value of an origin: a scheme and a host, without a path.
fn origin_value(origin: &str) -> Option<HeaderValue> {
    let (_, host) = origin.split_once("://")?;
    if host.is_empty() || host.contains(['/', '*']) {
        return None;
    }
    HeaderValue::from_str(origin).ok()
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
