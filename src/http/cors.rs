//! Calls from pages in a browser (CORS).

use axum::http::header::*;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use std::str::FromStr;

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, DELETE, OPTIONS");
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, if-match, if-none-match, idempotency-key, last-event-id, prefer, x-request-id",
);
const RESPONSE_HEADERS: HeaderValue = HeaderValue::from_static(
    "etag, location, link, retry-after, ratelimit, ratelimit-policy, idempotency-replayed, preference-applied, x-request-id",
);
/// A day: browsers keep it for less anyway.
const MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

/// The origins whose pages may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origins {
    /// All of them. Tokens travel in a header that pages set themselves, never in cookies, so no origin gains by it.
    Any,
    /// These alone; none at all where the list is empty.
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
            let sound = host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '*']));
            let value = HeaderValue::from_str(origin).ok().filter(|_| sound);
            value.ok_or_else(|| {
                format!("{origin:?} is no origin: write * for all, none, or origins such as https://table.example:8443")
            })
        });
        Ok(Self::Only(origins.collect::<Result<_, _>>()?))
    }
}

impl Origins {
    /// The answer to a preflight request, or to any other `OPTIONS`; None for other methods.
    pub(super) fn preflight<B: Default>(&self, method: &Method) -> Option<Response<B>> {
        (method == Method::OPTIONS).then(|| {
            let mut response = Response::new(B::default());
            *response.status_mut() = StatusCode::NO_CONTENT;
            let headers = response.headers_mut();
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
            headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
            response
        })
    }

    /// What every answer to a request from `origin` says.
    pub(super) fn allow(&self, origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
        let allowed = match self {
            Self::Any => origin.map(|_| HeaderValue::from_static("*")),
            Self::Only(origins) => {
                headers.append(VARY, HeaderValue::from_static("origin"));
                origin.filter(|origin| origins.contains(origin)).cloned()
            }
        };
        if let Some(allowed) = allowed {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
        }
    }
}
