//! Connections, and the heads of requests on them.

use super::{Api, note};
use crate::support::raw::{Raw, exchange, post};
use futures::future::join_all;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Sends a request, and closes this side of the connection.
async fn half_closed(api: &Api, request: String) -> Raw {
    let mut connection = Raw::open(api.address(), request.as_bytes()).await;
    connection.half_close().await;
    connection
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_closes_its_side_has_left() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let wait = format!(
        "GET {} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
        fight.path("/events?after=0&wait=20"),
        fight.token
    );
    let began = Instant::now();
    assert_eq!(half_closed(&api, wait).await.rest().await, "");
    assert!(began.elapsed() < Duration::from_secs(10), "its wait ends");
    // A command of such a client is applied or not, and the log has no gap.
    let commands = (0..100).map(|n| {
        let note = note(&format!("note {n}")).to_string();
        let request = post(&fight.path("/commands"), &fight.token, note.len()) + &note;
        half_closed(&api, request)
    });
    for connection in join_all(commands).await {
        connection.rest().await;
    }
    fight.notes(1).await;
    let log = fight.log().await;
    assert_eq!(log, (1..=log.len() as u64).collect::<Vec<_>>());
}

/// The status and the problem of an answer that the connection ends with.
#[track_caller]
fn refused(answer: &str) -> (String, Value) {
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .unwrap_or_else(|| panic!("{answer:?}"));
    for header in [
        "content-type: application/problem+json",
        "connection: close",
        "x-request-id: ",
    ] {
        assert!(head.to_lowercase().contains(header), "{header}: {head}");
    }
    (
        head.split(' ').nth(1).unwrap_or_default().to_owned(),
        serde_json::from_str(body).expect("a problem"),
    )
}

#[tokio::test]
async fn a_request_has_one_host() {
    let api = Api::start().await;
    for (head, found) in [
        ("GET /livez HTTP/1.1\r\n", "no Host"),
        ("GET /livez HTTP/1.1\r\nhost: x\r\nhost: x\r\n", "several"),
        ("GET /livez HTTP/1.1\r\nHost: x\r\nhOST: y\r\n", "several"),
        ("GET /livez HTTP/1.0\r\nhost: x\r\nhost: y\r\n", "several"),
        (
            "OPTIONS /livez HTTP/1.1\r\norigin: https://table.example\r\n",
            "no Host",
        ),
    ] {
        let (status, problem) =
            refused(&exchange(api.address(), format!("{head}\r\n").as_bytes()).await);
        assert_eq!(
            (status.as_str(), problem["code"].as_str()),
            ("400", Some("invalid_host")),
            "{head}"
        );
        assert!(
            problem["detail"]
                .as_str()
                .is_some_and(|detail| detail.contains(found)),
            "{problem}"
        );
    }
    for fine in [
        "GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        "GET /livez HTTP/1.0\r\n\r\n",
    ] {
        let answer = exchange(api.address(), fine.as_bytes()).await;
        assert!(answer.split(' ').nth(1) == Some("200"), "{answer}");
    }
}

#[tokio::test]
async fn headers_have_at_most_64_kib_in_all() {
    let api = Api::start().await;
    // One large header, and many small ones.
    for count in [1, 50] {
        let answer = async |bytes: usize| {
            let each = (bytes - "hostxconnectionclose".len()) / count - "x-00".len();
            let headers: String = (0..count)
                .map(|i| format!("x-{i:02}: {}\r\n", "y".repeat(each)))
                .collect();
            exchange(
                api.address(),
                format!("GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n")
                    .as_bytes(),
            )
            .await
        };
        let fine = answer(64 * 1024).await;
        assert!(fine.starts_with("HTTP/1.1 200 "), "{fine}");
        let (status, problem) = refused(&answer(64 * 1024 + count).await);
        assert_eq!(
            (status.as_str(), problem["code"].as_str()),
            ("431", Some("headers_too_large"))
        );
        let far = answer(400_000).await;
        assert!(far.starts_with("HTTP/1.1 431 "), "{far}");
    }
}
