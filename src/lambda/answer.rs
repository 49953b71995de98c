//! From a response to what the source is answered.

use super::event::EventSource;
use axum::body::Bytes;
use axum::http::header::CONTENT_ENCODING;
use axum::http::{HeaderMap, Response};
use data_encoding::BASE64;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An answer as HTTP APIs, function URLs and load balancers take it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'r> {
    status_code: u16,
    /// Load balancers want it.
    #[serde(skip_serializing_if = "Option::is_none")]
    status_description: Option<String>,
    headers: BTreeMap<&'r str, String>,
    /// Read by load balancers that are set to it; they ignore the others then.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    multi_value_headers: BTreeMap<&'r str, Vec<Cow<'r, str>>>,
    body: Cow<'r, str>,
    is_base64_encoded: bool,
}

/// The answer to a source. Serialised here, because its size counts as it is sent.
pub(super) fn answer(response: &Response<Bytes>, source: EventSource) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(&Answer::of(response, source))
}

impl<'r> Answer<'r> {
    fn of(response: &'r Response<Bytes>, source: EventSource) -> Self {
        let text = std::str::from_utf8(response.body()).ok();
        let text = text.filter(|_| !response.headers().contains_key(CONTENT_ENCODING));
        let values = values(response.headers());
        let balancer = source == EventSource::Balancer;
        Self {
            status_code: response.status().as_u16(),
            status_description: balancer.then(|| response.status().to_string()),
            headers: values.iter().map(|(name, values)| (*name, values.join(", "))).collect(),
            multi_value_headers: if balancer { values } else { BTreeMap::new() },
            body: text.map_or_else(|| BASE64.encode(response.body()).into(), Cow::from),
            is_base64_encoded: text.is_none(),
        }
    }
}

fn values(headers: &HeaderMap) -> BTreeMap<&str, Vec<Cow<'_, str>>> {
    let mut values: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (name, value) in headers {
        values.entry(name.as_str()).or_default().push(String::from_utf8_lossy(value.as_bytes()));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_travel_as_base64() {
        let body = |body: &'static [u8]| Response::new(Bytes::from_static(body));
        let plain = body("hé".as_bytes());
        let plain = Answer::of(&plain, EventSource::Gateway);
        assert_eq!((&*plain.body, plain.is_base64_encoded, plain.status_description), ("hé", false, None));
        let binary = body(&[0xff, 0]);
        let binary = Answer::of(&binary, EventSource::Gateway);
        assert_eq!((&*binary.body, binary.is_base64_encoded), ("/wA=", true));
        let mut gzip = body(b"x");
        gzip.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
        assert!(Answer::of(&gzip, EventSource::Gateway).is_base64_encoded);
    }

    #[test]
    fn repeated_headers_are_kept() {
        let response = Response::builder().header("vary", "a").header("vary", "b").status(404);
        let response = response.body(Bytes::new()).unwrap();
        let answer = Answer::of(&response, EventSource::Balancer);
        assert_eq!(answer.headers["vary"], "a, b");
        assert_eq!(answer.multi_value_headers["vary"], ["a", "b"]);
        assert_eq!(answer.status_description.as_deref(), Some("404 Not Found"));
    }
}
