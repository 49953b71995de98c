//! From a response to what the front is answered.

use super::event::Front;
use crate::http::Deadline;
use axum::body::Body;
use axum::http::header::CONTENT_ENCODING;
use axum::http::{HeaderMap, Response};
use data_encoding::BASE64;
use http_body_util::BodyExt;
use serde::Serialize;
use std::collections::BTreeMap;
use tokio::time::timeout;

/// An answer as HTTP APIs, function URLs and load balancers take it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    status_code: u16,
    /// Load balancers want it.
    #[serde(skip_serializing_if = "Option::is_none")]
    status_description: Option<String>,
    headers: BTreeMap<String, String>,
    /// Read by load balancers that are set to it; they ignore the others then.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    multi_value_headers: BTreeMap<String, Vec<String>>,
    body: String,
    is_base64_encoded: bool,
}

impl Answer {
    /// The answer to a front: the response with as much of its body as there is by the deadline.
    pub async fn of(response: Response<Body>, front: Front, deadline: Deadline) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = collect(body, deadline).await;
        let text = if parts.headers.contains_key(CONTENT_ENCODING) { Err(bytes) } else { text(bytes) };
        let is_base64_encoded = text.is_err();
        let values = values(&parts.headers);
        let balancer = front == Front::Balancer;
        Self {
            status_code: parts.status.as_u16(),
            status_description: balancer.then(|| parts.status.to_string()),
            headers: values.iter().map(|(name, values)| (name.clone(), values.join(", "))).collect(),
            multi_value_headers: if balancer { values } else { BTreeMap::new() },
            body: text.unwrap_or_else(|bytes| BASE64.encode(&bytes)),
            is_base64_encoded,
        }
    }
}

fn text(bytes: Vec<u8>) -> Result<String, Vec<u8>> {
    String::from_utf8(bytes).map_err(|error| error.into_bytes())
}

/// A body that is still under way at the deadline, as a stream of events may be, ends there.
async fn collect(mut body: Body, deadline: Deadline) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(Some(Ok(frame))) = timeout(deadline.remaining(), body.frame()).await {
        if let Some(data) = frame.data_ref() {
            bytes.extend_from_slice(data);
        }
    }
    bytes
}

fn values(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        values.entry(name.as_str().to_owned()).or_default().push(value);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Bytes;
    use futures::{StreamExt, stream};
    use std::convert::Infallible;
    use std::time::{Duration, Instant};

    fn in_ms(ms: u64) -> Deadline {
        Deadline(Instant::now() + Duration::from_millis(ms))
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_travel_as_base64() {
        let plain = Answer::of(Response::new(Body::from("hé")), Front::Gateway, in_ms(1000)).await;
        assert_eq!((plain.body.as_str(), plain.is_base64_encoded, plain.status_description), ("hé", false, None));
        let binary = Answer::of(Response::new(Body::from(vec![0xff, 0])), Front::Gateway, in_ms(1000)).await;
        assert_eq!((binary.body.as_str(), binary.is_base64_encoded), ("/wA=", true));
        let gzip = Response::builder().header("content-encoding", "gzip").body(Body::from("x")).unwrap();
        assert!(Answer::of(gzip, Front::Gateway, in_ms(1000)).await.is_base64_encoded);
    }

    #[tokio::test]
    async fn repeated_headers_are_kept() {
        let response = Response::builder().header("vary", "a").header("vary", "b").status(404);
        let answer = Answer::of(response.body(Body::empty()).unwrap(), Front::Balancer, in_ms(1000)).await;
        assert_eq!(answer.headers["vary"], "a, b");
        assert_eq!(answer.multi_value_headers["vary"], ["a", "b"]);
        assert_eq!(answer.status_description.as_deref(), Some("404 Not Found"));
    }

    #[tokio::test]
    async fn an_endless_body_ends_at_the_deadline() {
        let endless = stream::iter([Ok::<_, Infallible>(Bytes::from_static(b"one"))]).chain(stream::pending());
        let answer = Answer::of(Response::new(Body::from_stream(endless)), Front::Gateway, in_ms(50)).await;
        assert_eq!((answer.body.as_str(), answer.status_code), ("one", 200));
    }
}
