//! Connections, and the heads of requests on them.

use super::{Api, note};
use crate::support::raw::{Raw, exchange, post};
use futures::future::join_all;
use serde_json::Value;
use std::time::Duration;

/// Sends a request, closes this side of the connection, and reads what comes.
async fn half_closed(api: &Api, request: String) -> String {
    let mut connection = Raw::open(api.address(), request.as_bytes()).await;
    connection.half_close().await;
    connection.rest().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_half_closes_after_its_request_gets_its_answer() {
    let api = Api::start().await;
    let fight = api.fight().await;
    let get = |path: String| {
        format!(
            "GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
            fight.token
        )
    };
    let requests = (0..200).map(|n| match n % 4 {
        0 => {
            let note = note(&format!("note {n}")).to_string();
            post(&fight.path("/commands"), &fight.token, note.len()) + &note
        }
        1 => get(fight.path("/options")),
        2 => get(fight.path("/export")),
        _ => get("/openapi.json".to_owned()),
    });
    let answers = join_all(requests.map(|request| half_closed(&api, request))).await;
    let lost = answers
        .iter()
        .filter(|answer| !answer.starts_with("HTTP/1.1 200 "))
        .count();
    assert_eq!(lost, 0, "requests of {} without an answer", answers.len());
    assert_eq!(fight.log().await, (1..=50).collect::<Vec<_>>());
    // A long poll that has nothing to tell, and one that has.
    let (waited, heard, ()) = tokio::join!(
        half_closed(&api, get(fight.path("/events?after=50&wait=1"))),
        half_closed(&api, get(fight.path("/events?after=50&wait=20"))),
        async {
            tokio::time::sleep(Duration::from_millis(1300)).await;
            fight.notes(1).await;
        },
    );
    assert!(
        waited.starts_with("HTTP/1.1 200 ") && heard.starts_with("HTTP/1.1 200 "),
        "{waited}{heard}"
    );
    assert!(heard.contains("\"version\":51"), "{heard}");
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
        ("GET /livez HTTP/1.1\r\n", "none"),
        ("GET /livez HTTP/1.1\r\nhost: x\r\nhost: x\r\n", "several"),
        ("GET /livez HTTP/1.1\r\nHost: x\r\nhOST: y\r\n", "several"),
        ("GET /livez HTTP/1.0\r\nhost: x\r\nhost: y\r\n", "several"),
        (
            "OPTIONS /livez HTTP/1.1\r\norigin: https://table.example\r\n",
            "none",
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
