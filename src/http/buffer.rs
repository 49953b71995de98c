//! Answers for front doors that pass nothing on before they have all of it, and no more than so much.
//!
//! A socket breaks a body off that cannot go on; such a door would show a part of it as if it were all. It is told what was wrong instead.

use super::browser::protect;
use super::middleware::Deadline;
use super::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::{Response, StatusCode};
use http_body_util::BodyExt;
use tokio::time::timeout;

/// The answer to a request for `path` with all of its body, or a problem document instead: 503 where the body is not whole by the
/// deadline or breaks off, 413 where it has more than `most` bytes.
pub async fn whole(response: Response<Body>, path: &str, deadline: Deadline, most: usize) -> Response<Bytes> {
    let (parts, mut body) = response.into_parts();
    let mut bytes = Vec::new();
    let problem = loop {
        match timeout(deadline.remaining(), body.frame()).await {
            Ok(None) => return Response::from_parts(parts, bytes.into()),
            Ok(Some(Ok(frame))) => bytes.extend_from_slice(frame.data_ref().map_or(&[], |data| data)),
            Ok(Some(Err(error))) => {
                tracing::warn!(%error, "an answer broke off");
                break Problem::unavailable("incomplete_answer", "the answer broke off: ask again");
            }
            Err(_) => break Deadline::missed(),
        }
        if bytes.len() > most {
            break too_large();
        }
    };
    instead(Response::from_parts(parts, Bytes::new()), path, problem)
}

/// What is answered instead of one that the door cannot pass on for its size.
pub fn shorter(response: Response<Bytes>, path: &str) -> Response<Bytes> {
    instead(response, path, too_large())
}

fn too_large() -> Problem {
    let detail = "what was asked for is done, but its answer has more bytes than what stands before this server passes on: send \
                  Accept-Encoding: gzip, read the log in pages instead of exporting it, send commands with Prefer: return=minimal, or ask \
                  the server without that front";
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "answer_too_large", detail)
}

fn instead(mut response: Response<Bytes>, path: &str, problem: Problem) -> Response<Bytes> {
    *response.status_mut() = problem.status();
    problem.render(path, &mut response);
    protect(path, response.status(), response.headers_mut());
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderMap;
    use futures::{StreamExt, stream};
    use std::time::{Duration, Instant};

    async fn answer(body: Body, most: usize) -> (u16, HeaderMap, String) {
        let sent = Response::builder().header("etag", "\"1\"").header("x-request-id", "7").header("vary", "origin");
        let deadline = Deadline(Instant::now() + Duration::from_millis(50));
        let (parts, body) = whole(sent.body(body).unwrap(), "/v1/x", deadline, most).await.into_parts();
        (parts.status.as_u16(), parts.headers, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn what_is_whole_is_left_alone() {
        let parts = stream::iter(["on", "e"].map(Ok::<_, String>));
        let (status, headers, body) = answer(Body::from_stream(parts), 3).await;
        assert_eq!((status, &headers["etag"], body.as_str()), (200, &"\"1\"".parse().unwrap(), "one"));
    }

    #[tokio::test]
    async fn a_part_is_never_shown_as_the_whole() {
        let one = || stream::iter([Ok::<_, String>("one")]);
        let broken = Body::from_stream(one().chain(stream::iter([Err("away".to_owned())])));
        let endless = Body::from_stream(one().chain(stream::pending()));
        let large = Body::from_stream(one().chain(one()));
        for (body, expected) in
            [(broken, (503, "incomplete_answer")), (endless, (503, "too_late")), (large, (413, "answer_too_large"))]
        {
            let (status, headers, body) = answer(body, 5).await;
            let problem: serde_json::Value = serde_json::from_str(&body).unwrap();
            assert_eq!((status, problem["code"].as_str().unwrap()), expected);
            assert_eq!(problem["instance"], "/v1/x");
            assert_eq!(
                (headers.get("etag"), &headers["content-type"]),
                (None, &"application/problem+json".parse().unwrap())
            );
            assert_eq!(headers["cache-control"], "no-store");
            assert_eq!(
                (&headers["x-request-id"], &headers["vary"]),
                (&"7".parse().unwrap(), &"origin".parse().unwrap())
            );
        }
    }
}
