//! Complete answers for AWS Lambda, whose callers buffer them and limit their size.
//!
//! Over TCP a body that fails ends the connection. A buffering proxy would pass on its beginning as
//! a whole answer, so a problem document replaces it.

use super::deadline::Deadline;
use super::middleware::protect;
use super::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::{Response, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use tokio::time::timeout;

/// Reads the answer to a request for `path` to its end. Answers 503 if the body breaks off or
/// misses the deadline, and 413 if it has more than `max_bytes` bytes.
pub async fn buffer(
    response: Response<Body>,
    path: &str,
    deadline: Deadline,
    max_bytes: usize,
) -> Response<Bytes> {
    let (parts, body) = response.into_parts();
    let body = Limited::new(body, max_bytes).collect();
    let body = timeout(deadline.remaining(), body).await;
    let mut response = Response::from_parts(parts, Bytes::new());
    match body {
        Ok(Ok(body)) => {
            *response.body_mut() = body.to_bytes();
            response
        }
        Ok(Err(error)) if error.is::<LengthLimitError>() => too_large(response, path),
        Ok(Err(error)) => {
            tracing::warn!(%error, "an answer broke off");
            let problem = Problem::unavailable(
                "incomplete_answer",
                "The answer was cut off. Send the request again.",
            );
            replace(response, path, problem)
        }
        Err(_) => replace(response, path, Problem::too_late()),
    }
}

/// Answers 413 instead of a response that the proxy cannot pass on for its size.
pub fn too_large(response: Response<Bytes>, path: &str) -> Response<Bytes> {
    let detail = "The request was applied, but the gateway cannot pass on an answer of this size. Send \
                  Accept-Encoding: gzip or Prefer: return=minimal, read the log in pages instead \
                  of exporting it, or call the server without that gateway.";
    replace(
        response,
        path,
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "answer_too_large", detail),
    )
}

/// Answers a request for `path` of which a proxy passes on a header that HTTP does not allow.
pub fn malformed_header(path: &str) -> Response<Bytes> {
    let detail = "A header has characters that HTTP does not allow, such as control characters. \
                  Send the request without it.";
    replace(
        Response::default(),
        path,
        Problem::bad("invalid_header", detail),
    )
}

fn replace(mut response: Response<Bytes>, path: &str, problem: Problem) -> Response<Bytes> {
    *response.status_mut() = problem.status();
    problem.render(path, &mut response);
    protect(response.headers_mut());
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;
    use futures::{StreamExt, stream};
    use std::time::{Duration, Instant};

    async fn answer(body: Body, max_bytes: usize) -> (u16, HeaderMap, String) {
        let sent = Response::builder()
            .header("etag", "\"1\"")
            .header("x-request-id", "7")
            .header("vary", "origin");
        let deadline = Deadline(Instant::now() + Duration::from_millis(50));
        let (parts, body) = buffer(sent.body(body).unwrap(), "/v1/x", deadline, max_bytes)
            .await
            .into_parts();
        (
            parts.status.as_u16(),
            parts.headers,
            String::from_utf8(body.to_vec()).unwrap(),
        )
    }

    #[tokio::test]
    async fn a_complete_answer_is_not_changed() {
        let parts = stream::iter(["on", "e"].map(Ok::<_, String>));
        let (status, headers, body) = answer(Body::from_stream(parts), 3).await;
        assert_eq!(
            (status, &headers["etag"], body.as_str()),
            (200, &"\"1\"".parse().unwrap(), "one")
        );
    }

    #[tokio::test]
    async fn an_incomplete_or_too_large_answer_becomes_a_problem() {
        let one = || stream::iter([Ok::<_, String>("one")]);
        let broken = Body::from_stream(one().chain(stream::iter([Err("away".to_owned())])));
        let endless = Body::from_stream(one().chain(stream::pending()));
        let large = Body::from_stream(one().chain(one()));
        for (body, expected) in [
            (broken, (503, "incomplete_answer")),
            (endless, (503, "too_late")),
            (large, (413, "answer_too_large")),
        ] {
            let (status, headers, body) = answer(body, 5).await;
            let problem: serde_json::Value = serde_json::from_str(&body).unwrap();
            assert_eq!((status, problem["code"].as_str().unwrap()), expected);
            assert_eq!(problem["instance"], "/v1/x");
            let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap());
            assert_eq!(
                (header("etag"), header("content-type")),
                (None, Some("application/problem+json"))
            );
            assert_eq!(header("cache-control"), Some("no-store"));
            assert_eq!(
                (header("x-request-id"), header("vary")),
                (Some("7"), Some("origin"))
            );
        }
    }
}
