//! Converts responses to the answers that event sources expect.

use super::event::EventSource;
use axum::body::Bytes;
use axum::http::Response;
use axum::http::header::CONTENT_ENCODING;
use data_encoding::BASE64;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An answer to an HTTP API, a function URL or a load balancer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LambdaResponse<'r> {
    status_code: u16,
    /// Only load balancers read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    status_description: Option<String>,
    headers: BTreeMap<&'r str, String>,
    /// Load balancers with this setting read these instead of `headers`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    multi_value_headers: BTreeMap<&'r str, Vec<Cow<'r, str>>>,
    body: Cow<'r, str>,
    is_base64_encoded: bool,
}

/// The serialised answer to an event source. Its limit counts the bytes of this form.
pub(super) fn answer(
    response: &Response<Bytes>,
    source: EventSource,
) -> serde_json::Result<Box<RawValue>> {
    let text = std::str::from_utf8(response.body()).ok();
    let text = text.filter(|_| !response.headers().contains_key(CONTENT_ENCODING));
    let mut values: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (name, value) in response.headers() {
        values
            .entry(name.as_str())
            .or_default()
            .push(String::from_utf8_lossy(value.as_bytes()));
    }
    let balancer = source == EventSource::Balancer;
    to_raw_value(&LambdaResponse {
        status_code: response.status().as_u16(),
        status_description: balancer.then(|| response.status().to_string()),
        headers: values
            .iter()
            .map(|(name, values)| (*name, values.join(", ")))
            .collect(),
        multi_value_headers: if balancer { values } else { BTreeMap::new() },
        body: text.map_or_else(|| BASE64.encode(response.body()).into(), Cow::from),
        is_base64_encoded: text.is_none(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_headers_are_kept() {
        let response = Response::builder()
            .header("vary", "a")
            .header("vary", "b")
            .status(404);
        let response = response.body(Bytes::new()).unwrap();
        let answer = answer(&response, EventSource::Balancer).unwrap();
        let expected = r#"{"statusCode":404,"statusDescription":"404 Not Found","headers":{"vary":"a, b"},"multiValueHeaders":{"vary":["a","b"]},"body":"","isBase64Encoded":false}"#;
        assert_eq!(answer.get(), expected);
    }
}
